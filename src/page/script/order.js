  // -- The order of a tile's iterations --------------------------------------------------------------------------------

  // Planes that are drawn side by side at most.
  const PLANES = 12;

  // From the first date to the last one.
  const dated = (part) => "hsl(" + Math.round(255 - 215 * part) + " 62% " + Math.round(42 + 14 * part) + "%)";

  // The iterators across and down that are looked at, by the name of the statement.
  const planes = {};

  // The rows of a statement in the tile, with iterators as they are in the program.
  function rowsOf(tile, shape, statement) {
    const origin = tile.origins[statement];
    return shape.drawn.filter((row) => shape.kinds[row[0]][0] === statement).map((row) => ({
      date: row[1], trips: row[2], step: shape.kinds[row[0]][1], begin: row.slice(3).map((value, k) => value + origin[k]),
    }));
  }

  // Of each iterator, its least and its greatest value in some rows.
  const ranges = (rows, depth) => Array.from({ length: depth }, (_, k) => {
    const ends = rows.flatMap((row) => [row.begin[k], row.begin[k] + row.step[k] * (row.trips - 1)]);
    return [Math.min(...ends), Math.max(...ends)];
  });

  // The iterators that change, those that change most often first: rows run along the first one.
  function changing(rows, range) {
    const times = range.map((_, k) => {
      let count = 0;
      rows.forEach((row, n) => {
        if (row.step[k] !== 0) count += 2 * row.trips;
        if (n > 0 && rows[n - 1].begin[k] !== row.begin[k]) count += 1;
      });
      return count;
    });
    return range.map((_, k) => k).filter((k) => range[k][1] > range[k][0]).sort((a, b) => times[b] - times[a] || b - a);
  }

  // Begins at 0 and ends in front of the row's next iteration at this date: how many of the row's iterations have started.
  const started = (row, date) => Math.max(Math.min(date - row.date + 1, row.trips), 0);

  function plane(parent, rows, range, [across, down], dates, date, room) {
    const left = across === undefined ? 0 : range[across][0], top = down === undefined ? 0 : range[down][0];
    const columns = across === undefined ? 1 : range[across][1] - left + 1, lines = down === undefined ? 1 : range[down][1] - top + 1;
    const cell = Math.min(Math.max(Math.min(150 / columns, 150 / lines), 2.5), 16);
    const width = Math.min(Math.max(columns * cell, 16), room), height = Math.min(Math.max(lines * cell, 10), 320);
    const picture = svg("svg", {
      viewBox: "0 0 " + columns + " " + lines, width, height, preserveAspectRatio: "none", role: "img", "aria-label": "iterations",
    });
    const square = (x, y, wide, tall, attributes) => svg("rect", { x: x - left, y: y - top, width: wide, height: tall, ...attributes }, picture);
    for (const row of rows) {
      const at = (k, n) => (k === undefined ? 0 : row.begin[k] + n * row.step[k]);
      const [dx, dy] = [across, down].map((k) => (k === undefined ? 0 : row.step[k]));
      const now = started(row, date);
      // Part of a row, as one bar where it lies along an axis without gaps; else square by square.
      const part = (from, to, attributes) => {
        if (from >= to) return;
        const bar = dx === 0 && dy === 0 ? 1 : (dx === 0) !== (dy === 0) && Math.abs(dx + dy) === 1 ? to - from : 0;
        if (bar) {
          const x = Math.min(at(across, from), at(across, to - 1)), y = Math.min(at(down, from), at(down, to - 1));
          square(x, y, dx ? bar : 1, dy ? bar : 1, attributes);
        } else for (let n = from; n < to; n++) square(at(across, n), at(down, n), 1, 1, attributes);
      };
      part(now, row.trips, { class: "to-come" });
      // Long rows change their colour on the way.
      const same = Math.ceil(dates / 48);
      for (let from = 0; from < now; from += same)
        part(from, Math.min(from + same, now), { class: "dated", style: "fill:" + dated((row.date + from) / Math.max(dates - 1, 1)) });
      if (now > 0 && row.date + row.trips > date) part(now - 1, now, { class: "c-store" });
    }
    parent.appendChild(picture);
  }

  function statementOrder(parent, tile, shape, statement, date, redraw) {
    const band = data.bands[tile.band], name = band.statements[statement], iterators = band.iterators[statement];
    const rows = rowsOf(tile, shape, statement);
    if (!rows.length) return;
    const range = ranges(rows, iterators.length), moving = changing(rows, range);
    const pairs = moving.length < 2 ? [[moving[0], undefined]] : moving.flatMap((a) => moving.filter((b) => b !== a).map((b) => [a, b]));
    const written = ([a, b]) => (a === undefined ? "a single iteration" : iterators[a] + " across" + (b === undefined ? "" : ", " + iterators[b] + " down"));
    const axes = pairs.find((pair) => written(pair) === planes[name]) || pairs[0];
    const box = html("div", parent);
    html("h4", box, name + " (" + iterators.join(", ") + ")");
    if (pairs.length > 1) {
      const choice = html("select", box);
      choice.setAttribute("aria-label", "plane of " + name);
      for (const pair of pairs) html("option", choice, written(pair)).selected = pair === axes;
      choice.addEventListener("change", () => {
        planes[name] = choice.value;
        redraw();
      });
    }
    const hidden = moving.filter((k) => !axes.includes(k)).sort((a, b) => a - b);
    const groups = new Map();
    for (const row of rows) {
      // A row that runs along an iterator that is not drawn is a square of each of its planes.
      const along = hidden.some((k) => row.step[k] !== 0);
      for (let n = 0; n < (along ? row.trips : 1); n++) {
        const own = along ? { ...row, date: row.date + n, trips: 1, begin: row.begin.map((value, k) => value + n * row.step[k]) } : row;
        const key = hidden.map((k) => own.begin[k]).join(",");
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(own);
      }
    }
    const values = (key) => key.split(",").map(Number);
    const before = (a, b) => a.reduce((known, value, n) => known || value - b[n], 0);
    const all = Array.from(groups.entries()).sort(([a], [b]) => before(values(a), values(b)));
    const shown = all.length <= PLANES ? all : Array.from({ length: PLANES }, (_, n) => all[Math.round((n * (all.length - 1)) / (PLANES - 1))]);
    html("p", box, written(axes) + (all.length > 1 ? "; " + (shown.length < all.length ? shown.length + " of " : "") + all.length + " planes" : "")).className = "legend";
    const row = html("div", box);
    row.className = "planes";
    for (const [key, own] of shown) {
      const figure = html("figure", row);
      plane(figure, own, range, axes, shape.dates, date, shown.length > 1 ? 256 : Math.min(Math.max(parent.clientWidth, 280), 560));
      if (hidden.length) html("figcaption", figure, hidden.map((k, n) => iterators[k] + " = " + values(key)[n]).join(", "));
    }
  }

  // The iteration that starts at a date, or the last one of those that are drawn.
  function current(tile, shape, date) {
    let found;
    shape.drawn.forEach((row) => {
      if (row[1] <= date && (!found || row[1] + Math.min(date - row[1], row[2] - 1) >= found.date)) {
        const [statement, step] = shape.kinds[row[0]], n = Math.min(date - row[1], row[2] - 1);
        if (found && found.date === row[1] + n) return;
        found = { statement, date: row[1] + n, at: row.slice(3).map((value, k) => value + tile.origins[statement][k] + n * step[k]) };
      }
    });
    return found;
  }

  function order(place) {
    const parent = byId("tile-order"), slider = byId("date");
    const tile = data.shown[place], shape = data.orders[tile.order];
    const band = data.bands[tile.band];
    byId("order-slide").hidden = !shape;
    if (!shape || !shape.dates) {
      parent.textContent = shape ? "The tile has no iterations." : "There are too many iterations to follow, or their accesses depend on data.";
      return;
    }
    const draw = () => {
      parent.textContent = "";
      const date = Math.round((slider.value / 1000) * (shape.dates - 1));
      const found = current(tile, shape, date);
      const text = band.statements[found.statement] + " (" + band.iterators[found.statement].join(", ") + ") = (" + found.at.join(", ") + ")";
      byId("date-name").textContent = "date " + grouped(date) + " of 0 to " + grouped(shape.dates - 1) + ": " + (found.date === date ? "" : "behind ") + text;
      tile.origins.forEach((origin, statement) => origin.length && statementOrder(parent, tile, shape, statement, date, draw));
      const thinned = shape.every > 1 ? ", of which one in " + shape.every + " is drawn" : "";
      html("p", parent, "Order " + band.order + ": " + grouped(shape.rows) + (shape.rows === 1 ? " row" : " rows") + " of iterations" + thinned + ".").className = "legend";
    };
    slider.oninput = draw;
    draw();
  }

  // Goes through the dates in a few seconds.
  function play() {
    const slider = byId("date"), button = byId("play");
    if (!button) return;
    let began;
    const step = (now) => {
      if (began === undefined) return;
      slider.value = Math.min((now - began) / 6, 1000);
      slider.dispatchEvent(new Event("input"));
      if (Number(slider.value) < 1000) requestAnimationFrame(step);
      else stop();
    };
    const stop = () => {
      began = undefined;
      button.textContent = "play";
    };
    button.addEventListener("click", () => {
      if (began !== undefined) return stop();
      button.textContent = "stop";
      began = performance.now();
      requestAnimationFrame(step);
    });
    const scale = byId("dates-key");
    const picture = svg("svg", { viewBox: "0 0 16 1", width: 96, height: 10, preserveAspectRatio: "none", role: "img", "aria-label": "from first to last" }, scale);
    for (let k = 0; k < 16; k++) svg("rect", { x: k, y: 0, width: 1.1, height: 1, style: "fill:" + dated(k / 15) }, picture);
  }

