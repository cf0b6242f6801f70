"use strict";
// Draws the tiles and the roofline from the data in the page.
(function () {
  const data = JSON.parse(document.getElementById("pictures").textContent);
  const byId = (id) => document.getElementById(id);
  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

  function svg(tag, attributes, parent, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const name in attributes) made.setAttribute(name, attributes[name]);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }

  function html(tag, parent, text) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  // The width of a picture: what there is, so that its text stays as large as that around it.
  const room = (parent, most) => Math.max(Math.min(parent.clientWidth || most, most), 280);

  // -- Tiles: one array's cells in one tile ------------------------------------------------------------------------

  function rectangles(parent, list, kind) {
    for (const [row, column, rows, columns] of list)
      svg("rect", { x: column, y: row, width: columns, height: rows, class: kind }, parent);
  }

  function array(parent, own) {
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
    function show(place) {
      slider.value = place;
      const tile = data.shown[place], band = data.bands[tile.band];
      const iterations = tile.iterations === undefined ? "" : ", " + grouped(tile.iterations) + " iterations";
      byId("tile-name").textContent = "number " + grouped(tile.number + 1) + " of " + grouped(data.tile_count) + ": T = (" +
        tile.index.join(", ") + "), " + band.statements.join(", ") + iterations;
      space(byId("tile-space"), place, show);
      const all = byId("tile-arrays");
      all.textContent = "";
      tile.arrays.forEach((own) => array(all, own));
    }
    slider.addEventListener("input", () => show(Number(slider.value)));
    // A page can be linked to with a tile: page.html#tile=5
    const wanted = /^#tile=(\d+)$/.exec(location.hash);
    const found = wanted ? data.shown.findIndex((tile) => tile.number + 1 === Number(wanted[1])) : -1;
    show(Math.max(found, 0));
    if (wanted) byId("tiles").scrollIntoView();
  }

  // -- Timeline ----------------------------------------------------------------------------------------------------

  // A process that moves words, busy for so many cycles. Words that go on behind it, out of the master's FIFOs, are not its own.
  const moving = (busy, words) => [["w-busy", Math.min(busy, words)], ["w-word", Math.max(busy - words, 0)]];

  // Per process, what the rest of a slice is, and what it is made of: [class, its cycles in the slice].
  const PROCESSES = [
    ["load", "w-tile", (s) => moving(s[1], s[2])],
    ["compute", "w-row", (s) => [["w-busy", s[3]], ["w-value", s[4]]]],
    ["store", "w-tile", (s) => moving(s[5], s[6])],
  ];

  // Round numbers from one to another, about so many of them.
  function ticks(from, to, count) {
    const least = Math.max((to - from) / count, 1);
    const power = Math.pow(10, Math.floor(Math.log10(least)));
    const step = [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least * 0.999);
    const found = [];
    for (let k = Math.ceil(from / step); k * step <= to; k++) found.push(k * step);
    return found;
  }

  function timeline() {
    const known = data.timeline, parent = byId("timeline-picture");
    if (!known || !parent) return;
    const starts = [0];
    known.slices.forEach((slice) => starts.push(starts[starts.length - 1] + slice[0]));
    const total = starts[starts.length - 1];
    const left = 70, height = 226;
    let from = 0, to = total;

    // Slices together that fall on one column of the picture, as [begin, end, sums].
    function columns() {
      const found = [], least = (to - from) / 450;
      known.slices.forEach((slice, k) => {
        if (starts[k + 1] <= from || starts[k] >= to) return;
        const last = found[found.length - 1];
        if (last && starts[k + 1] - last[0] <= least) {
          last[1] = starts[k + 1];
          slice.forEach((n, i) => (last[2][i] += n));
        } else found.push([starts[k], starts[k + 1], slice.slice()]);
      });
      return found;
    }

    function draw() {
      parent.textContent = "";
      const width = room(parent, 1120);
      const picture = svg("svg", { viewBox: "0 0 " + width + " " + height, width, height, role: "img", "aria-label": "timeline" });
      const x = (cycle) => left + ((cycle - from) / (to - from)) * (width - left - 10);
      const clip = svg("clipPath", { id: "shown-cycles" }, picture);
      svg("rect", { x: left, y: 0, width: width - left - 10, height }, clip);
      const inside = svg("g", { "clip-path": "url(#shown-cycles)" }, picture);
      const seen = columns();
      PROCESSES.forEach(([name, rest, parts], row) => {
        const top = 6 + row * 66, tall = 34;
        svg("text", { x: 0, y: top + 22 }, picture, name);
        svg("rect", { x: left, y: top, width: width - left - 10, height: tall, class: rest }, inside);
        for (const [begin, end, sums] of seen) {
          let base = top + tall;
          for (const [kind, cycles] of parts(sums)) {
            const part = Math.min((tall * cycles) / Math.max(sums[0], 1), base - top);
            if (part <= 0) continue;
            base -= part;
            svg("rect", { x: x(begin), y: base, width: Math.max(x(end) - x(begin), 0.4), height: part, class: kind }, inside);
          }
        }
        // A tile from its begin in this process to its end; neighbours overlap, so they take turns in two lines.
        known.tiles.forEach((tile, number) => {
          if (tile[row + 1] === undefined || tile[row + 1] < from || tile[row] > to) return;
          const wide = x(tile[row + 1]) - x(tile[row] - 1), y = top + tall + 3 + (number % 2) * 9;
          const bar = svg("rect", { x: x(tile[row] - 1), y, width: Math.max(wide, 0.6), height: 8, class: "tile" + (number % 2) }, inside);
          svg("title", {}, bar, name + " of tile " + (number + 1) + ": cycles " + tile[row] + " to " + tile[row + 1]);
        });
      });
      svg("text", { x: 0, y: height - 4, class: "faint" }, picture, "cycle");
      for (const cycle of ticks(from, to, Math.max((width - left) / 120, 2))) {
        const at = x(cycle), anchor = at < left + 20 ? "start" : at > width - 40 ? "end" : "middle";
        svg("path", { class: "axis", d: "M" + at + " " + (height - 22) + "v5" }, picture);
        svg("text", { x: at, y: height - 4, class: "faint", "text-anchor": anchor }, picture, grouped(cycle));
      }
      parent.appendChild(picture);
      byId("timeline-cycles").textContent = "cycles " + grouped(Math.round(from)) + " to " + grouped(Math.round(to)) + " of " + grouped(total);
    }

    function look(begin, length) {
      length = Math.min(Math.max(length, Math.min(16, total)), total);
      from = Math.min(Math.max(begin, 0), total - length);
      to = from + length;
      draw();
    }
    const zoom = byId("zoom"), at = byId("at");
    // From the whole run down to 16 cycles.
    const length = () => total * Math.pow(16 / Math.max(total, 16), zoom.value / 100);
    const move = () => look((at.value / 1000) * (total - length()), length());
    zoom.addEventListener("input", move);
    at.addEventListener("input", move);
    look(0, total);
    window.addEventListener("resize", draw);
  }

  // -- Roofline ----------------------------------------------------------------------------------------------------

  function roofline() {
    const roof = data.roofline, parent = byId("roofline-picture");
    if (!roof || !parent) return;
    const width = room(parent, 640), height = 340, left = 48, bottom = 40, right = 20, top = 24;
    const ridge = roof.datapath / roof.port;
    const xs = roof.points.map((p) => p.per_byte).concat([ridge]), ys = roof.points.map((p) => p.per_cycle).concat([roof.datapath]);
    const ends = (values) => [Math.floor(Math.log10(Math.min(...values)) - 0.3), Math.ceil(Math.log10(Math.max(...values)) + 0.3)];
    const [x0, x1] = ends(xs), [y0, y1] = ends(ys);
    const x = (v) => left + ((Math.log10(v) - x0) / (x1 - x0)) * (width - left - right);
    const y = (v) => height - bottom - ((Math.log10(v) - y0) / (y1 - y0)) * (height - bottom - top);
    const picture = svg("svg", { viewBox: "0 0 " + width + " " + height, width, height, role: "img", "aria-label": "roofline" });
    const low = Math.pow(10, x0), high = Math.pow(10, x1), written = (e) => Number(Math.pow(10, e).toPrecision(3));
    for (let e = x0; e <= x1; e++) {
      svg("path", { class: "grid", d: "M" + x(Math.pow(10, e)) + " " + top + "V" + (height - bottom) }, picture);
      svg("text", { x: x(Math.pow(10, e)), y: height - bottom + 16, class: "faint", "text-anchor": "middle" }, picture, grouped(written(e)));
    }
    for (let e = y0; e <= y1; e++) {
      svg("path", { class: "grid", d: "M" + left + " " + y(Math.pow(10, e)) + "H" + (width - right) }, picture);
      svg("text", { x: left - 8, y: y(Math.pow(10, e)) + 4, class: "faint", "text-anchor": "end" }, picture, grouped(written(e)));
    }
    svg("path", { class: "axis", fill: "none", d: "M" + left + " " + top + "V" + (height - bottom) + "H" + (width - right) }, picture);
    svg("text", { x: width - right, y: height - 6, class: "faint", "text-anchor": "end" }, picture, "operations per byte");
    svg("text", { x: 0, y: 12, class: "faint" }, picture, "operations per cycle");
    const clip = svg("clipPath", { id: "inside" }, picture);
    svg("rect", { x: left, y: top - 4, width: width - left - right, height: height - bottom - top + 4 }, clip);
    const inside = svg("g", { "clip-path": "url(#inside)" }, picture);
    // The port's slope up to what the datapath allows.
    const knee = Math.min(Math.max(ridge, low), high);
    svg("path", { class: "roof", d: "M" + x(low) + " " + y(low * roof.port) + "L" + x(knee) + " " + y(knee * roof.port) + "L" + x(high) + " " + y(Math.max(roof.datapath, knee * roof.port)) }, inside);
    svg("path", { class: "roof other", d: "M" + x(low) + " " + y(roof.dependences) + "H" + x(high) }, inside);
    svg("text", { x: width - right - 4, y: y(roof.datapath) - 6, class: "faint", "text-anchor": "end" }, picture, "datapath");
    if (roof.dependences < Math.pow(10, y1)) svg("text", { x: left + 8, y: y(roof.dependences) - 6, class: "faint" }, picture, "dependences");
    // The slope's name stands on it, where it is farthest from the points.
    const seen = Math.max(low, Math.pow(10, y0) / roof.port);
    const [sx, sy, kx, ky] = [x(seen), y(seen * roof.port), x(knee), y(knee * roof.port)];
    if (kx - sx > 60) {
      const free = (part) => Math.min(...roof.points.map((p) => Math.hypot(x(p.per_byte) - sx - part * (kx - sx), y(p.per_cycle) - sy - part * (ky - sy))));
      const part = [0.5, 0.25, 0.75].reduce((best, other) => (free(other) > free(best) ? other : best));
      const [mx, my] = [sx + part * (kx - sx), sy + part * (ky - sy)];
      const turned = "rotate(" + (Math.atan2(ky - sy, kx - sx) * 180) / Math.PI + " " + mx + " " + my + ")";
      svg("text", { x: mx, y: my - 7, class: "faint", "text-anchor": "middle", transform: turned }, picture, "memory");
    }
    // The bound lies on the roof, the run under it: their names stand on different sides.
    // It is drawn first, and larger, as a run may reach it.
    roof.points.map((p, k) => [p, k]).sort(([, a], [, b]) => (b === 1) - (a === 1)).forEach(([p, k]) => {
      const [px, py] = [x(p.per_byte), y(p.per_cycle)];
      svg("circle", { cx: px, cy: py, r: k === 1 ? 7 : 5, class: ["c-load", "c-reuse", "c-touch"][k] }, picture);
      const before = k === 1 && px > left + 60;
      svg("text", { x: px + (before ? -8 : 9), y: py + (k === 1 ? -8 : 15), "text-anchor": before ? "end" : "start" }, picture, p.name);
    });
    parent.appendChild(picture);
    const box = html("div", parent);
    box.className = "wide";
    const figures = html("table", box);
    const head = html("tr", figures);
    ["", "operations per byte", "operations per cycle", "bytes", "cycles"].forEach((text) => html("th", head, text));
    for (const p of roof.points) {
      const row = html("tr", figures);
      [p.name, p.per_byte.toFixed(3), p.per_cycle.toFixed(3), grouped(p.bytes), grouped(p.cycles)].forEach((text) => html("td", row, text));
    }
    html("p", parent, grouped(roof.operations) + " operations of the C program; the port moves " + Number(roof.port.toFixed(3)) + " bytes per cycle.").className = "legend";
  }

  tiles();
  timeline();
  roofline();
})();
