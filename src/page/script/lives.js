  // -- Words that are alive --------------------------------------------------------------------------------------------

  function lives(chosen) {
    const known = data.lives, parent = byId("lives-picture");
    if (!known || !parent) return;
    parent.textContent = "";
    const tile = data.shown[chosen], shape = tile && data.orders[tile.order];
    for (const own of known.arrays) {
      const box = html("div", parent);
      html("h4", box, own.array);
      const width = room(box, 520), height = 108, left = 8, bottom = 24, top = 6;
      const highest = Math.max(own.words, own.peak, 1);
      const x = (date) => left + (date / known.dates) * (width - left - 8), y = (words) => height - bottom - (words / highest) * (height - bottom - top);
      const picture = svg("svg", { viewBox: "0 0 " + width + " " + height, width, height, role: "img", "aria-label": "words of " + own.array + " that are alive" });
      if (shape && tile.first_date !== undefined)
        svg("rect", { class: "mark", x: x(tile.first_date), y: y(0) + 1, width: Math.max(x(tile.first_date + shape.dates) - x(tile.first_date), 2), height: 5 }, picture);
      let path = "M" + x(0) + " " + y(0);
      own.most.forEach((words, k) => (path += "V" + y(words).toFixed(1) + "H" + x(Math.min((k + 1) * known.together, known.dates)).toFixed(1)));
      svg("path", { class: "w-busy alive", d: path + "V" + y(0) + "Z" }, picture);
      svg("path", { class: "roof other", d: "M" + left + " " + y(own.words) + "H" + (width - 8) }, picture);
      svg("path", { class: "axis", fill: "none", d: "M" + left + " " + y(0) + "H" + (width - 8) }, picture);
      for (const date of ticks(0, known.dates, Math.max(width / 130, 2))) {
        const at = x(date), anchor = at < left + 20 ? "start" : at > width - 40 ? "end" : "middle";
        svg("text", { x: at, y: height - 5, class: "faint", "text-anchor": anchor }, picture, grouped(date));
      }
      box.appendChild(picture);
      const figures = html("p", box);
      figures.className = "legend";
      figures.append("at most ");
      const peak = html("b", figures, grouped(own.peak));
      peak.dataset.alive = own.array;
      figures.append(" alive, " + ((100 * own.peak) / Math.max(own.words, 1)).toFixed(1) + " % of the " + grouped(own.words) + " words that the buffer has (dashed)");
    }
    const span = known.together > 1 ? "; a point is the most of " + known.together + " dates" : "";
    const all = known.tiles < data.tile_count ? "the first " + grouped(known.tiles) + " of " + grouped(data.tile_count) : known.tiles === 1 ? "the" : "all " + grouped(known.tiles);
    byId("lives-name").textContent = "Dates of " + all + (known.tiles === 1 ? " tile" : " tiles") + span + ". The tile that is chosen above is marked.";
  }

