"use strict";
// What is drawn is there already. This shows what belongs to another tile, date or part of the run, and tells where cells lie on chip.
(function () {
  const data = JSON.parse(document.getElementById("pictures").textContent);
  const byId = (id) => document.getElementById(id);
  const all = (selector, parent) => Array.from((parent || document).querySelectorAll(selector));
  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  const hide = (own, is) => own.toggleAttribute("hidden", is);

  // -- Timeline and banks: windows over cycles -------------------------------------------------------------------------

  function timeline() {
    const name = byId("timeline-cycles"), zoom = byId("zoom"), at = byId("at");
    if (!name) return;
    const total = Number(name.dataset.cycles), windows = all("svg.cycles"), marks = all("[data-mark]");
    // From the whole run down to 16 cycles, whole ones.
    const look = () => {
      const length = Math.round(total * Math.pow(16 / Math.max(total, 16), zoom.value / 100));
      const from = Math.round((at.value / 1000) * (total - length));
      for (const own of windows) own.setAttribute("viewBox", from + " 0 " + length + " 100");
      const cycle = (part) => grouped(Math.round(from + part * length));
      for (const mark of marks) mark.textContent = (mark.dataset.mark === "0" ? "cycle " : "") + cycle(mark.dataset.mark / 4);
      name.textContent = "cycles " + cycle(0) + " to " + cycle(1) + " of " + grouped(total);
    };
    zoom.addEventListener("input", look);
    at.addEventListener("input", look);
  }

  // -- Where the cells of a tile lie on chip ---------------------------------------------------------------------------

  // The tile that is chosen, by its place among those that are shown, and the cell that was clicked on, of an array.
  let chosen = 0, picked;

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
    const most = buffer.skewed ? Math.max(...axes.map((axis) => axis.count)) : 1;
    let bank = 0;
    if (buffer.partition) bank = modulo(y.reduce((sum, value, k) => sum + value * buffer.partition.weights[k], 0), buffer.partition.count);
    else if (buffer.skewed) bank = modulo(axes.reduce((sum, axis) => sum + residues[axis.subscript], 0), most);
    else for (const axis of axes) bank = bank * axis.count + (residues[axis.subscript] % axis.count);
    // What tells the bank is left out of the word: in skewed storage, of the last subscript that has all banks.
    const out = buffer.skewed ? [axes.filter((axis) => axis.count === most).pop()] : axes.slice();
    if (buffer.partition) out.push({ subscript: buffer.partition.along, count: buffer.partition.count });
    let word = (mapping.by_strips ? tile.strip : tile.number) % (mapping.slots || 1);
    residues.forEach((residue, k) => {
      const count = (out.find((axis) => axis.subscript === k) || { count: 1 }).count;
      word = word * Math.pow(2, bitsBelow(Math.floor(mapping.moduli[k] / count))) + Math.floor(residue / count);
    });
    return { bank, word };
  }

  // Tells the place of the cell, and marks its word.
  function tellPlace() {
    const known = picked && data.buffers.find((own) => own.array === picked.array);
    const place = known && placeOf(known.buffer, picked.cell, data.tiles[chosen]);
    for (const mark of all(".picked")) hide(mark, !place || data.buffers[mark.parentNode.dataset.words] !== known);
    const text = byId("cell-place");
    if (!picked) return (text.textContent = "Click on a cell of an array above to see where it lies.");
    const name = picked.array + picked.cell.map((index) => "[" + index + "]").join("");
    if (!place) return (text.textContent = name + " has no place in this tile.");
    text.textContent = name + " has its place in " + (known.banks > 1 ? "bank " + place.bank + ", word " + place.word : "word " + place.word) + ".";
    const at = known.banks > 1 ? [place.bank, place.word] : [Math.floor(place.word / known.columns), place.word % known.columns];
    for (const mark of all(".picked:not([hidden])"))
      ["y", "x"].forEach((name, k) => mark.setAttribute(name, Math.floor(at[k] / known.together[k])));
  }

  function pick(event) {
    const picture = event.currentTarget, frame = picture.getBoundingClientRect(), known = data.arrays[picture.dataset.cells];
    const part = [(event.clientY - frame.top) / frame.height, (event.clientX - frame.left) / frame.width];
    let [row, column] = part.map((own, k) => Math.min(Math.max(Math.floor(own * known.grid[k]), 0), known.grid[k] - 1) * known.together[k]);
    const cell = [column];
    for (const extent of known.extents.slice(0, -1).reverse()) {
      cell.unshift(row % extent);
      row = Math.floor(row / extent);
    }
    picked = { array: known.name, cell: known.extents.length ? cell : [] };
    tellPlace();
  }

  // -- The order of a tile's iterations --------------------------------------------------------------------------------

  // The planes that are looked at, by what the choice is called.
  const planes = {};

  function choosePlane(select) {
    for (const own of all(":scope > [data-plane]", select.parentNode)) hide(own, own.dataset.plane !== select.value);
  }

  // The drawing that the tile has in common with others, with its own values.
  function order() {
    const tile = data.tiles[chosen], has = tile.order !== undefined;
    hide(byId("order-slide"), !has || !data.orders[tile.order].dates);
    for (const own of all("[data-order]")) hide(own, own.dataset.order !== (has ? String(tile.order) : "none"));
    for (const own of all("[data-order]:not([hidden]) [data-of]")) {
      const [statement, iterator] = own.dataset.of.split(" ");
      own.textContent = tile.origins[statement][iterator] + Number(own.dataset.by);
    }
    for (const select of all("[data-order]:not([hidden]) select")) {
      const wanted = planes[select.getAttribute("aria-label")];
      if (Array.from(select.options).some((own) => own.value === wanted)) select.value = wanted;
      choosePlane(select);
    }
    date();
  }

  // Iterations up to the date that is chosen; the last ones have an outline.
  function date() {
    const tile = data.tiles[chosen], known = data.orders[tile.order], level = Number(byId("date").value);
    if (!known || !known.dates) return;
    const [last, found, statement, ...at] = known.ends[level], band = data.bands[tile.band];
    const now = Math.floor((found * 64) / known.dates);
    for (const own of all("[data-order]:not([hidden]) [data-level]")) {
      hide(own, own.dataset.level > level);
      own.classList.toggle("now", level < 63 && Number(own.dataset.level) === now);
    }
    const values = at.map((value, k) => value + tile.origins[statement][k]);
    byId("date-name").textContent = "date " + grouped(last) + " of 0 to " + grouped(known.dates - 1) + ": " + (found === last ? "" : "behind ") +
      band.statements[statement] + " (" + band.iterators[statement].join(", ") + ") = (" + values.join(", ") + ")";
  }

  // Goes through the dates in a few seconds.
  function play() {
    const slider = byId("date"), button = byId("play");
    let began;
    const stop = () => {
      began = undefined;
      button.textContent = "play";
    };
    const step = (now) => {
      if (began === undefined) return;
      slider.value = Math.min((now - began) / 94, 63);
      date();
      if (Number(slider.value) < 63) requestAnimationFrame(step);
      else stop();
    };
    button.addEventListener("click", () => {
      if (began !== undefined) return stop();
      button.textContent = "stop";
      began = performance.now();
      requestAnimationFrame(step);
    });
  }

  // -- Tiles -----------------------------------------------------------------------------------------------------------

  function show(place) {
    chosen = place;
    byId("tile").value = place;
    for (const own of all("[data-tile]")) hide(own, Number(own.dataset.tile) !== place);
    for (const own of all(".of-tiles")) hide(own, !own.querySelector("[data-tile]:not([hidden])"));
    for (const own of all("[data-dot]")) own.classList.toggle("here", Number(own.dataset.dot) === place);
    for (const own of all("#tile-space > div")) hide(own, !own.querySelector(".here"));
    tellPlace();
    order();
  }

  function tiles() {
    if (!byId("tile")) return;
    byId("tile").addEventListener("input", () => show(Number(byId("tile").value)));
    byId("date").addEventListener("input", date);
    for (const own of all("[data-dot]")) own.addEventListener("click", () => show(Number(own.dataset.dot)));
    for (const own of all("[data-cells]")) own.addEventListener("click", pick);
    for (const own of all("#tile-order select"))
      own.addEventListener("change", () => {
        planes[own.getAttribute("aria-label")] = own.value;
        choosePlane(own);
      });
    // A page can be linked to with a tile: page.html#tile=5
    const wanted = /^#tile=(\d+)$/.exec(location.hash);
    show(Math.max(wanted ? data.tiles.findIndex((tile) => tile.number + 1 === Number(wanted[1])) : 0, 0));
    if (wanted) byId("tiles").scrollIntoView();
    play();
  }

  tiles();
  timeline();
})();
