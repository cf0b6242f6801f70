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
    svg("text", { x: width - right - 4, y: y(roof.datapath) - 6, class: "faint", "text-anchor": "end" }, picture, "datapath");
    // Far above everything else it says nothing.
    if (roof.dependences < Math.pow(10, y1)) {
      svg("path", { class: "roof other", d: "M" + x(low) + " " + y(roof.dependences) + "H" + x(high) }, inside);
      svg("text", { x: left + 8, y: y(roof.dependences) - 6, class: "faint" }, picture, "dependences");
    }
    // The slope's name stands on it, where it is farthest from the points.
    const seen = Math.max(low, Math.pow(10, y0) / roof.port);
    const [sx, sy, kx, ky] = [x(seen), y(seen * roof.port), x(knee), y(knee * roof.port)];
    if (kx - sx > 60) {
      const free = (part) => Math.min(...roof.points.map((p) => Math.hypot(x(p.per_byte) - sx - part * (kx - sx), y(p.per_cycle) - sy - part * (ky - sy))));
      // The axes' numbers stand beside and below.
      const clear = (part) => sx + part * (kx - sx) > left + 32 && sy + part * (ky - sy) < height - bottom - 24;
      const parts = [0.5, 0.25, 0.75].filter(clear);
      const part = (parts.length ? parts : [0.75]).reduce((best, other) => (free(other) > free(best) ? other : best));
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

