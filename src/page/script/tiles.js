  // -- Tiles: one array's cells in one tile ------------------------------------------------------------------------

  function rectangles(parent, list, kind) {
    for (const [row, column, rows, columns] of list)
      svg("rect", { x: column, y: row, width: columns, height: rows, class: kind }, parent);
  }

  function array(parent, own, pick) {
    const known = data.arrays[own.array];
    const box = html("div", parent);
    const extents = known.extents.map((e) => "[" + e + "]").join("");
    html("h3", box, known.name + extents);
    const [rows, columns] = known.grid;
    // A single row is drawn as a band.
    const height = Math.max(rows, columns / 12);
    const picture = svg("svg", {
      viewBox: "0 0 " + Math.max(columns, 1) + " " + Math.max(height, 1), preserveAspectRatio: "none", role: "img",
      "aria-label": "cells of " + known.name,
      style: "aspect-ratio: " + Math.min(Math.max(columns / Math.max(height, 1), 0.5), 12),
    });
    box.appendChild(picture);
    picture.addEventListener("click", (event) => {
      const frame = picture.getBoundingClientRect();
      const part = [(event.clientY - frame.top) / frame.height, (event.clientX - frame.left) / frame.width];
      let [row, column] = part.map((own, k) => Math.min(Math.max(Math.floor(own * known.grid[k]), 0), known.grid[k] - 1) * known.together[k]);
      const cell = [column];
      for (const extent of known.extents.slice(0, -1).reverse()) {
        cell.unshift(row % extent);
        row = Math.floor(row / extent);
      }
      pick({ array: known.name, cell: known.extents.length ? cell : [] });
    });
    const scaled = svg("g", { transform: "scale(1 " + height / Math.max(rows, 1) + ")" }, picture);
    rectangles(scaled, own.touch, "c-touch");
    rectangles(scaled, own.reuse, "c-reuse");
    rectangles(scaled, own.load, "c-load");
    rectangles(scaled, own.store, "c-store");
    // Rows of several planes lie below one another, with a line between two planes.
    const plane = known.extents.length > 2 ? known.extents[known.extents.length - 2] : 0;
    const several = plane > 1 && known.together[0] === 1 && rows / plane <= 64;
    for (let row = plane; several && row < rows; row += plane) svg("path", { class: "plane", d: "M0 " + row + "H" + columns }, scaled);
    const figures = html("table", box);
    for (const [label, kind] of [["loaded", "loaded"], ["reused", "reused"], ["stored", "stored"], ["touched", "touched"]]) {
      if (own[kind] === undefined) continue;
      const row = html("tr", figures);
      html("td", row, label);
      const value = html("td", row, grouped(own[kind]));
      value.dataset.array = known.name;
      value.dataset.kind = kind;
      html("td", row, grouped(own[kind] * known.element_bytes) + " bytes");
    }
    if (several) html("p", box, "Planes of " + plane + " × " + columns + " below one another.").className = "legend";
    if (known.together[0] * known.together[1] > 1)
      html("p", box, "A square stands for " + known.together.join(" × ") + " cells.").className = "legend";
  }

  // The tiles that are shown, by the two indices that change most; those that agree with the chosen one in all others.
  function space(parent, chosen, choose) {
    parent.textContent = "";
    const here = data.shown[chosen];
    const own = data.shown.map((tile, place) => ({ tile, place })).filter((t) => t.tile.band === here.band);
    const distinct = here.index.map((_, k) => new Set(own.map((t) => t.tile.index[k])).size);
    const order = here.index.map((_, k) => k).sort((a, b) => distinct[b] - distinct[a] || b - a);
    const axes = order.slice(0, 2).sort((a, b) => b - a);
    const others = order.slice(2);
    const seen = own.filter((t) => others.every((k) => t.tile.index[k] === here.index[k]));
    const place = (t, axis) => (axis === undefined ? 0 : t.tile.index[axis]);
    const range = (axis) => [Math.min(...seen.map((t) => place(t, axis))), Math.max(...seen.map((t) => place(t, axis)))];
    const [x, y] = [range(axes[0]), range(axes[1])];
    const step = Math.max(2, Math.min(24, (room(parent, 620) - 60) / (x[1] - x[0] + 1), 240 / (y[1] - y[0] + 1)));
    const gap = Math.min(2, step / 4);
    const width = (x[1] - x[0] + 1) * step + 60, height = (y[1] - y[0] + 1) * step + 30;
    const picture = svg("svg", { viewBox: "0 0 " + width + " " + height, width, height, role: "img", "aria-label": "tiles" });
    for (const t of seen) {
      const dot = svg("rect", {
        x: 40 + (place(t, axes[0]) - x[0]) * step + gap / 2, y: (place(t, axes[1]) - y[0]) * step + gap / 2,
        width: step - gap, height: step - gap, class: t.place === chosen ? "dot here" : "dot",
      }, picture);
      svg("title", {}, dot, "T = (" + t.tile.index.join(", ") + ")");
      dot.addEventListener("click", () => choose(t.place));
    }
    // A direction of one tile is none.
    if (axes[0] !== undefined && x[1] > x[0]) svg("text", { x: 40, y: height - 10, class: "faint" }, picture, "T" + axes[0] + " →");
    if (axes[1] !== undefined && y[1] > y[0]) svg("text", { x: 0, y: 14, class: "faint" }, picture, "T" + axes[1] + " ↓");
    parent.appendChild(picture);
  }

  function tiles() {
    const slider = byId("tile");
    if (!slider) return;
    let chosen = 0;
    function pick(cell) {
      picked = cell;
      show(chosen);
    }
    function show(place) {
      chosen = place;
      slider.value = place;
      const tile = data.shown[place], band = data.bands[tile.band];
      const iterations = tile.iterations === undefined ? "" : ", " + grouped(tile.iterations) + " iterations";
      byId("tile-name").textContent = "number " + grouped(tile.number + 1) + " of " + grouped(data.tile_count) + ": T = (" +
        tile.index.join(", ") + "), " + band.statements.join(", ") + iterations;
      space(byId("tile-space"), place, show);
      const all = byId("tile-arrays");
      all.textContent = "";
      tile.arrays.forEach((own) => array(all, own, pick));
      order(place);
      buffers(place);
      lives(place);
    }
    slider.addEventListener("input", () => show(Number(slider.value)));
    // A page can be linked to with a tile: page.html#tile=5
    const wanted = /^#tile=(\d+)$/.exec(location.hash);
    const found = wanted ? data.shown.findIndex((tile) => tile.number + 1 === Number(wanted[1])) : -1;
    show(Math.max(found, 0));
    if (wanted) byId("tiles").scrollIntoView();
    play();
    window.addEventListener("resize", () => show(chosen));
  }

