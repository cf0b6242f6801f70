  // What all pictures are drawn with; `page.rs` puts the files of this folder into one function.
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

  // Round numbers from one to another, about so many of them.
  function ticks(from, to, count) {
    const least = Math.max((to - from) / count, 1);
    const power = Math.pow(10, Math.floor(Math.log10(least)));
    const step = [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least * 0.999);
    const found = [];
    for (let k = Math.ceil(from / step); k * step <= to; k++) found.push(k * step);
    return found;
  }

