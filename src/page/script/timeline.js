  // -- Timeline ----------------------------------------------------------------------------------------------------

  // A process that moves words, busy for so many cycles. Words that go on behind it, out of the master's FIFOs, are not its own.
  const moving = (busy, words) => [["w-busy", Math.min(busy, words)], ["w-word", Math.max(busy - words, 0)]];

  // Per process, what the rest of a slice is, and what it is made of: [class, its cycles in the slice].
  const PROCESSES = [
    ["load", "w-tile", (s) => moving(s[1], s[2])],
    ["compute", "w-row", (s) => [["w-busy", s[3]], ["w-value", s[4]]]],
    ["store", "w-tile", (s) => moving(s[5], s[6])],
  ];

  function timeline() {
    const known = data.timeline, parent = byId("timeline-picture");
    if (!known || !parent) return;
    const starts = [0];
    known.slices.forEach((slice) => starts.push(starts[starts.length - 1] + slice[0]));
    const total = starts[starts.length - 1];
    const left = 70, height = 226;
    let from = 0, to = total;

    // Slices together that fall on one column of the picture, as [first, the one behind the last].
    function columns() {
      const found = [], least = (to - from) / 450;
      known.slices.forEach((slice, k) => {
        if (starts[k + 1] <= from || starts[k] >= to) return;
        const last = found[found.length - 1];
        if (last && starts[k + 1] - starts[last[0]] <= least) last[1] = k + 1;
        else found.push([k, k + 1]);
      });
      return found;
    }

    // The cycles of slices together, and the sums of what they tell.
    const together = ([first, last]) => {
      const sums = known.slices[first].slice();
      known.slices.slice(first + 1, last).forEach((slice) => slice.forEach((n, i) => (sums[i] += n)));
      return [starts[first], starts[last], sums];
    };

    function draw() {
      parent.textContent = "";
      const width = room(parent, 1120);
      const picture = svg("svg", { viewBox: "0 0 " + width + " " + height, width, height, role: "img", "aria-label": "timeline" });
      const x = (cycle) => left + ((cycle - from) / (to - from)) * (width - left - 10);
      const clip = svg("clipPath", { id: "shown-cycles" }, picture);
      svg("rect", { x: left, y: 0, width: width - left - 10, height }, clip);
      const inside = svg("g", { "clip-path": "url(#shown-cycles)" }, picture);
      const groups = columns(), seen = groups.map(together);
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
      banks(from, to, groups, starts);
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

