// Elements of the page. Text is always a text node: no name can become markup.

/** An element: `h("td.n", {title: "x"}, "text", child)`. Functions among the attributes listen. */
export function h(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

/** A part of the page with a heading. */
export function card(id, title, ...children) {
  return h("section.card", {id}, h("h2", {}, title), ...children);
}

/** The same part over the whole width of the page. */
export function wide(element) {
  element.classList.add("wide");
  return element;
}

/** A table of texts, as the server makes them: columns, rows, and which columns hold numbers. */
export function plainTable({columns, rows, numeric}) {
  const kind = (column) => (numeric[column] ? "n" : "");
  const head = columns.map((name, i) => h("th", {scope: "col", class: kind(i)}, name));
  const body = rows.map((row) => h("tr", {}, row.map((text, i) => h("td", {class: kind(i)}, text))));
  return h("div.scroll", {}, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)));
}

/** Names with their texts. */
export function facts(pairs) {
  return h("dl", {}, Object.entries(pairs).map(([name, text]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, text))));
}

/** A box to tick, with its words. */
export function tick(words, checked, change) {
  const box = h("input", {type: "checkbox", change: () => change(box.checked)});
  box.checked = checked;
  return h("label.tick", {}, box, words);
}

/** A list to choose one of; `options` are pairs of a value and its words. */
export function choice(words, options, chosen, change) {
  const list = h("select", {change: () => change(list.value)},
    options.map(([value, text]) => h("option", {value, selected: value === chosen}, text)));
  return h("label.choice", {}, words, list);
}
