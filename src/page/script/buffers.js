  // -- Where the cells of a tile lie on chip ---------------------------------------------------------------------------

  // The cell that was clicked on, of an array.
  let picked;

  const modulo = (value, by) => ((value % by) + by) % by;
  const bitsBelow = (count) => (count > 1 ? Math.ceil(Math.log2(count)) : 0);

  // The bank and the word in it of a cell in a tile, as `Buffer::place` has it.
  function placeOf(buffer, cell, tile) {
    const mapping = buffer.mappings[tile.band];
    if (!mapping) return undefined;
    const skew = mapping.skew || [];
    const y = cell.map((x, k) => (skew.length ? cell.slice(0, k).reduce((sum, other, l) => sum + other * skew[k][l], x) : x));
    const residues = y.map((value, k) => modulo(value, mapping.moduli[k]));
    const axes = [buffer.banks].concat(buffer.further_banks || []).filter(Boolean).sort((a, b) => a.subscript - b.subscript);
    const all = buffer.skewed ? Math.max(...axes.map((axis) => axis.count)) : 1;
    let bank = 0;
    if (buffer.partition) bank = modulo(y.reduce((sum, value, k) => sum + value * buffer.partition.weights[k], 0), buffer.partition.count);
    else if (buffer.skewed) bank = modulo(axes.reduce((sum, axis) => sum + residues[axis.subscript], 0), all);
    else for (const axis of axes) bank = bank * axis.count + (residues[axis.subscript] % axis.count);
    // What tells the bank is left out of the word: in skewed storage, of the last subscript that has all banks.
    const out = buffer.skewed ? [axes.filter((axis) => axis.count === all).pop()] : axes.slice();
    if (buffer.partition) out.push({ subscript: buffer.partition.along, count: buffer.partition.count });
    let word = (mapping.by_strips ? tile.strip : tile.number) % (mapping.slots || 1);
    residues.forEach((residue, k) => {
      const count = (out.find((axis) => axis.subscript === k) || { count: 1 }).count;
      word = word * Math.pow(2, bitsBelow(Math.floor(mapping.moduli[k] / count))) + Math.floor(residue / count);
    });
    return { bank, word };
  }

  function tellPlace(tile) {
    const text = byId("cell-place");
    if (!picked) {
      text.textContent = "Click on a cell of an array above to see where it lies.";
      return;
    }
    const name = picked.array + picked.cell.map((index) => "[" + index + "]").join("");
    const known = data.buffers.find((own) => own.array === picked.array);
    const place = known && placeOf(known.buffer, picked.cell, tile);
    const where = place && (known.banks > 1 ? "bank " + place.bank + ", word " + place.word : "word " + place.word);
    text.textContent = place ? name + " has its place in " + where + "." : name + " has no place in this tile.";
  }

  function buffers(place) {
    const parent = byId("tile-buffers"), tile = data.shown[place];
    parent.textContent = "";
    tellPlace(tile);
    for (const own of tile.buffers || []) {
      const known = data.buffers[own.buffer], [rows, columns] = known.grid;
      const box = html("div", parent);
      html("h4", box, known.array + ": " + (known.banks > 1 ? known.banks + " banks of " : "") + grouped(known.words) + (known.words === 1 ? " word" : " words"));
      const height = Math.max(rows, columns / 12);
      const picture = svg("svg", {
        viewBox: "0 0 " + columns + " " + height, preserveAspectRatio: "none", role: "img", "aria-label": "words of " + known.array,
        style: "aspect-ratio: " + Math.min(Math.max(columns / height, 1), 4),
      });
      box.appendChild(picture);
      const scaled = svg("g", { transform: "scale(1 " + height / rows + ")" }, picture);
      rectangles(scaled, own.touch, "c-touch");
      rectangles(scaled, own.reuse, "c-reuse");
      rectangles(scaled, own.load, "c-load");
      for (let bank = 1; known.banks > 1 && known.together[0] === 1 && rows <= 64 && bank < rows; bank++)
        svg("path", { class: "plane", d: "M0 " + bank + "H" + columns }, scaled);
      const at = picked && picked.array === known.array && placeOf(known.buffer, picked.cell, tile);
      if (at) {
        const [row, column] = known.banks > 1 ? [at.bank, at.word] : [Math.floor(at.word / known.columns), at.word % known.columns];
        const x = Math.floor(column / known.together[1]), y = Math.floor(row / known.together[0]);
        svg("rect", { x, y, width: 1, height: 1, class: "c-store" }, scaled);
      }
      const figures = html("table", box), row = html("tr", figures);
      html("td", row, "hold the tile's cells");
      const value = html("td", row, grouped(own.taken));
      value.dataset.buffer = known.array;
      html("td", row, "of " + grouped(known.banks * known.words));
      const notes = known.banks > 1 ? ["A line is a bank."] : known.columns < known.words ? ["Lines of " + known.columns + " words."] : [];
      if (known.together[0] * known.together[1] > 1) notes.push("A square stands for " + known.together.join(" × ") + " words.");
      if (notes.length) html("p", box, notes.join(" ")).className = "legend";
    }
  }

