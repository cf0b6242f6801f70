  // -- Bursts on a bus -------------------------------------------------------------------------------------------------

  function bursts() {
    const parent = byId("bursts-picture"), report = JSON.parse(byId("data").textContent);
    if (!parent || !report.bus) return;
    const lengths = report.bus.lengths || [], longest = Math.max(...lengths.map((own) => own.beats));
    const width = room(parent, 640), height = 150, left = 8, bottom = 22, top = 8;
    const most = Math.max(1, ...lengths.map((own) => Math.max(own.read_bursts, own.write_bursts)));
    const step = (width - left - 8) / longest, y = (count) => height - bottom - (count / most) * (height - bottom - top);
    const picture = svg("svg", { viewBox: "0 0 " + width + " " + height, width, height, role: "img", "aria-label": "bursts by their length" });
    for (const own of lengths)
      [["read_bursts", "w-busy", "read"], ["write_bursts", "w-value", "written"]].forEach(([field, kind, name], side) => {
        if (!own[field]) return;
        const tall = Math.max(height - bottom - y(own[field]), 1.5), wide = Math.min(Math.max(step / 2 - 0.5, 1.5), 24);
        const x = left + (own.beats - 0.5) * step + (side - 1) * wide;
        const bar = svg("rect", { x, y: height - bottom - tall, width: wide, height: tall, class: kind }, picture);
        svg("title", {}, bar, own[field] + " bursts of " + own.beats + " beats " + name);
      });
    svg("path", { class: "axis", fill: "none", d: "M" + left + " " + (height - bottom) + "H" + (width - 8) }, picture);
    const first = longest > 40 ? [] : [1];
    for (const beats of first.concat(ticks(2, longest, Math.min(longest, Math.max(width / 60, 2))))) {
      const at = left + (beats - 0.5) * step, anchor = at < left + 12 ? "start" : at > width - 24 ? "end" : "middle";
      svg("text", { x: at, y: height - 6, class: "faint", "text-anchor": anchor }, picture, grouped(beats));
    }
    parent.appendChild(picture);
  }

