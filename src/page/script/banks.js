  // -- Banks and rows of the memory ------------------------------------------------------------------------------------

  // What the device did from one cycle to another: four banks above one another, in each the rows that words were in, from top to
  // bottom, and how its column commands hit.
  function banks(from, to, groups, starts) {
    const parent = byId("banks-picture"), told = data.timeline && data.timeline.banks;
    if (!parent || !told) return;
    parent.textContent = "";
    const width = room(parent, 1120), left = 70, tall = 40, bar = 20, pitch = tall + bar + 12, height = 4 * pitch + 76;
    const picture = svg("svg", { viewBox: "0 0 " + width + " " + height, width, height, role: "img", "aria-label": "banks and rows" });
    const x = (cycle) => left + ((cycle - from) / (to - from)) * (width - left - 10);
    const clip = svg("clipPath", { id: "shown-banks" }, picture);
    svg("rect", { x: left, y: 0, width: width - left - 10, height }, clip);
    const inside = svg("g", { "clip-path": "url(#shown-banks)" }, picture);
    const used = (slice, bank) => slice[4 * bank] + slice[4 * bank + 1] > 0;
    const rows = told.flatMap((slice) => [0, 1, 2, 3].filter((bank) => used(slice, bank)).flatMap((bank) => [slice[4 * bank + 2], slice[4 * bank + 3]]));
    const low = rows.reduce((a, b) => Math.min(a, b), Infinity), high = rows.reduce((a, b) => Math.max(a, b), -Infinity);
    // Of the slices of a column together: hits, misses, least and greatest row of a bank; turnarounds, refreshes.
    const sums = groups.map(([first, last]) => {
      const all = told[first].slice();
      for (let k = first + 1; k < last; k++)
        told[k].forEach((value, i) => {
          if (i < 16 && i % 4 === 2) all[i] = Math.min(all[i], value);
          else if (i < 16 && i % 4 === 3) all[i] = Math.max(all[i], value);
          else all[i] += value;
        });
      return { begin: starts[first], end: starts[last], all };
    });
    const most = [16, 17].map((k) => Math.max(1, ...sums.map((own) => own.all[k] / (own.end - own.begin))));
    const y = (top, row) => top + ((row - low) / Math.max(high - low + 1, 1)) * tall;
    for (let bank = 0; bank < 4; bank++) {
      const top = 6 + bank * pitch;
      svg("text", { x: 0, y: top + 18 }, picture, "bank " + bank);
      svg("rect", { x: left, y: top, width: width - left - 10, height: tall, class: "strip" }, inside);
      for (const region of data.regions || []) {
        const at = y(top, region.rows[0]);
        if (at > top && at < top + tall) svg("path", { class: "plane", d: "M" + left + " " + at + "H" + (width - 10) }, inside);
      }
      svg("rect", { x: left, y: top + tall + 2, width: width - left - 10, height: bar, class: "w-tile" }, inside);
      for (const { begin, end, all } of sums) {
        if (!used(all, bank)) continue;
        const [hits, misses, least, greatest] = all.slice(4 * bank, 4 * bank + 4), wide = Math.max(x(end) - x(begin), 0.4);
        const own = svg("rect", { x: x(begin), y: y(top, least), width: wide, height: Math.max(y(top, greatest + 1) - y(top, least), 1.5), class: "rows" }, inside);
        svg("title", {}, own, "cycles " + begin + " to " + end + ", bank " + bank + ": " + hits + " hits, " + misses + " misses, rows " + least + " to " + greatest);
        let base = top + tall + 2 + bar;
        for (const [kind, count] of [["w-busy", hits], ["w-value", misses]]) {
          const part = Math.min((bar * count) / Math.max(end - begin, 1), base - top - tall - 2);
          if (part <= 0) continue;
          base -= part;
          svg("rect", { x: x(begin), y: base, width: wide, height: part, class: kind }, inside);
        }
      }
    }
    [["turns", 16, "w-row"], ["refreshes", 17, "w-word"]].forEach(([name, k, kind], line) => {
      const top = 6 + 4 * pitch + line * 22, part = 16;
      svg("text", { x: 0, y: top + 13 }, picture, name);
      for (const { begin, end, all } of sums) {
        if (!all[k]) continue;
        const share = Math.min(all[k] / (end - begin) / most[line], 1);
        const tallest = Math.max(part * Math.max(share, 0.25), 4);
        const own = svg("rect", { x: x(begin), y: top + part - tallest, width: Math.max(x(end) - x(begin), 0.8), height: tallest, class: kind }, inside);
        svg("title", {}, own, "cycles " + begin + " to " + end + ": " + all[k] + " " + (k === 16 ? "turnarounds" : "refreshes"));
      }
    });
    for (const cycle of ticks(from, to, Math.max((width - left) / 120, 2))) {
      const at = x(cycle), anchor = at < left + 20 ? "start" : at > width - 40 ? "end" : "middle";
      svg("path", { class: "axis", d: "M" + at + " " + (height - 22) + "v5" }, picture);
      svg("text", { x: at, y: height - 4, class: "faint", "text-anchor": anchor }, picture, grouped(cycle));
    }
    svg("text", { x: 0, y: height - 4, class: "faint" }, picture, "cycle");
    parent.appendChild(picture);
    const where = (data.regions || []).map((region) => region.array + " in " + Array.from(new Set(region.rows)).join(" to ")).join(", ");
    const range = rows.length ? "Rows " + low + " to " + high + " from top to bottom" + (where ? ": " + where : "") + "." : "No bank was used.";
    byId("banks-name").textContent = range;
  }

