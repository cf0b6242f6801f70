"use strict";
// A design that is clicked, tapped, or reached by the keyboard is shown: its figures, and the directives to paste.
const designs = JSON.parse(document.getElementById("designs").textContent);
const shown = document.getElementById("shown");
const points = Array.from(document.querySelectorAll(".design"));

function line(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  shown.append(element);
}

function show(place) {
  const design = designs.find((own) => own.place === place);
  if (!design) return;
  for (const point of points) point.classList.toggle("here", Number(point.dataset.place) === place);
  shown.replaceChildren();
  line("p", design.figures);
  line("pre", design.directives.join("\n"));
}

for (const point of points) {
  point.addEventListener("click", () => show(Number(point.dataset.place)));
  point.addEventListener("focus", () => show(Number(point.dataset.place)));
}
