"use strict";
(() => {
  const lines = JSON.parse(document.getElementById("data").textContent);
  const tip = document.getElementById("tip");
  let lit = [];

  const light = (number) => {
    for (const each of lit) each.classList.remove("lit");
    lit = number ? document.querySelectorAll(`main [data-n="${CSS.escape(number)}"]`) : [];
    for (const each of lit) each.classList.add("lit");
  };

  // A finger is wider than a mark: what it means is the nearest one.
  const nearest = (event) => {
    const chart = event.target.closest("figure svg");
    let [found, least] = [null, 24];
    for (const mark of chart ? chart.querySelectorAll(".mark[data-n]") : []) {
      const box = mark.getBoundingClientRect();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const distance = Math.hypot(x - event.clientX, y - event.clientY);
      if (distance < least) [found, least] = [mark, distance];
    }
    return found;
  };

  const point = (event) => {
    const touched = event.type === "pointerdown";
    const mark = event.target.closest("[data-n]") || (touched && nearest(event));
    const number = mark && mark.dataset.n;
    light(number);
    tip.hidden = !(number && lines[number]);
    if (tip.hidden) return;
    tip.textContent = lines[number];
    const left = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8);
    const below = event.clientY + 16;
    const above = event.clientY - tip.offsetHeight - 12;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${below + tip.offsetHeight > innerHeight ? Math.max(8, above) : below}px`;
  };
  document.addEventListener("pointerover", point);
  document.addEventListener("pointerdown", point);

  const table = document.querySelector("table.sortable");
  if (!table) return;
  const buttons = [...table.querySelectorAll("th button")];

  const compare = (column, sign) => (one, other) => {
    const [a, b] = [one.cells[column], other.cells[column]];
    const [x, y] = [a.dataset.v, b.dataset.v];
    if (x !== undefined && y !== undefined) return sign * (x - y);
    if (x !== undefined || y !== undefined) return x !== undefined ? -1 : 1;
    if (!a.textContent || !b.textContent) return !a.textContent - !b.textContent;
    return sign * a.textContent.localeCompare(b.textContent);
  };

  const sort = (button, descending) => {
    for (const each of table.querySelectorAll("th")) each.removeAttribute("aria-sort");
    button.parentElement.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const order = compare(buttons.indexOf(button), descending ? -1 : 1);
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
  };

  for (const button of buttons) {
    button.addEventListener("click", () => {
      sort(button, button.parentElement.getAttribute("aria-sort") === "ascending");
    });
  }
})();
