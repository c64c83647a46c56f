// The table of the shown trials. Only the rows in sight are elements, so it may have thousands.

import {h} from "./dom.js";
import {fixed, valueText} from "./format.js";
import {keyOf} from "./scales.js";
import {trialAddress} from "./routes.js";

const ROW = 30;
const SPARE = 12;
const PRINTED = 50;
const NARROW = 5;
const WIDE = 22;

export function trialsTable(study, life) {
  return new TrialsTable(study, life).element;
}

class TrialsTable {
  constructor(study, life) {
    this._study = study;
    this._order = {column: "rank", descending: false};
    this._visible = false;
    this._head = h("tr");
    this._widths = h("colgroup");
    this._body = h("tbody");
    this._table = h("table.trials", {}, this._widths, h("thead", {}, this._head), this._body);
    this.element = h("div.scroll.tall", {tabindex: "0", "aria-label": "Trials", scroll: () => this._show()}, this._table);
    this._listen(life);
    this._rebuild();
  }

  _listen(life) {
    const on = (kind, change) => this._study.addEventListener(kind, change, {signal: life});
    on("data", () => this._rebuild());
    on("filter", () => this._filter());
    on("pins", () => this._show(true));
    on("point", () => this._light());
    addEventListener("beforeprint", () => this._show(true, PRINTED), {signal: life});
    addEventListener("afterprint", () => this._show(true), {signal: life});
    const sizes = new ResizeObserver(() => this._show());
    const views = new IntersectionObserver((entries) => {
      this._visible = entries.at(-1).isIntersecting;
      if (this._visible && this._late) this._show(true);
    }, {rootMargin: "100px"});
    sizes.observe(this.element);
    views.observe(this.element);
    life.addEventListener("abort", () => [sizes, views].forEach((each) => each.disconnect()));
  }

  _rebuild() {
    this._columns = columnsOf(this._study);
    this._head.replaceChildren(...this._columns.map((column) => this._heading(column)));
    this._widths.replaceChildren(...this._columns.map((column) => {
      const element = h("col");
      element.style.width = `${widthOf(column, this._study.trials)}ch`;
      return element;
    }));
    this._sort();
  }

  _heading({id, title, kind}) {
    const sorted = this._order.column === id;
    const sort = sorted ? {"aria-sort": this._order.descending ? "descending" : "ascending"} : {};
    const click = () => {
      this._order = {column: id, descending: this._order.column === id && !this._order.descending};
      this._rebuild();
    };
    return h("th", {scope: "col", class: kind, ...sort},
      h("button", {type: "button", title, "data-column": id, click}, title || "pin"));
  }

  _sort() {
    const {column, descending} = this._order;
    const by = this._columns.find(({id}) => id === column)?.of ?? orderOf;
    this._sorted = sorted(this._study.trials, by, descending ? -1 : 1);
    this._filter();
  }

  _filter() {
    this._rows = this._sorted.filter((trial) => trial.kept);
    this._table.setAttribute("aria-rowcount", this._rows.length);
    this._show(true);
  }

  /** Make the rows in sight, if others are there; out of sight, it can wait. */
  _show(anew = false, most = 0) {
    this._late = !this._visible && !most;
    if (this._late) return;
    const {scrollTop, clientHeight} = this.element;
    const first = most ? 0 : Math.max(0, Math.floor(scrollTop / ROW) - SPARE);
    const last = Math.min(this._rows.length, most || first + Math.ceil((clientHeight || 600) / ROW) + 2 * SPARE);
    if (!anew && first === this._first && last === this._last) return;
    [this._first, this._last] = [first, last];
    const rows = this._rows.slice(first, last).map((trial, index) => this._row(trial, first + index));
    this._body.replaceChildren(gap(first), ...rows, gap(most ? 0 : this._rows.length - last));
  }

  _row(trial, index) {
    const study = this._study;
    const pinned = study.pins.has(trial.number);
    const pin = h("button.pin", {
      type: "button", "aria-pressed": String(pinned), title: `${pinned ? "Unpin" : "Pin"} trial ${trial.number}`,
      click: () => study.pin(trial.number),
    }, pinned ? "★" : "☆");
    const cells = this._columns.map(({id, kind, text}) => {
      if (id === "pin") return h("td.pins", {}, pin);
      if (id === "number") return h("td.n", {}, h("a", {href: trialAddress(study, trial)}, String(trial.number)));
      return h("td", {class: kind, title: text(trial)}, text(trial));
    });
    return h("tr", {
      "data-n": trial.number, "aria-rowindex": index + 1, class: trial.number === study.pointed ? "lit" : "",
      pointerenter: () => study.point(trial.number), pointerleave: () => study.point(null),
    }, cells);
  }

  _light() {
    for (const row of this._body.querySelectorAll("[data-n]")) {
      row.classList.toggle("lit", Number(row.dataset.n) === this._study.pointed);
    }
  }
}

function columnsOf({facts, parameters, trials}) {
  const number = (id, title, of, digits) =>
    ({id, title, kind: "n", of, text: (trial) => fixed(of(trial), digits)});
  const words = (id, title, of) => ({id, title, kind: "", of, text: (trial) => String(of(trial) ?? "")});
  const columns = [
    words("pin", "", () => null),
    number("number", "trial", (trial) => trial.number, 0),
    words("state", "state", (trial) => trial.state),
    {...number("rank", facts.metric, (trial) => trial.value), of: orderOf},
    number("spread", "st. dev.", (trial) => trial.spread),
    ...Object.entries(facts.metrics).map(([name, title]) => number(name, title, (trial) => trial.metrics[name])),
    number("loop", "best loop", (trial) => trial.loop, 0),
    number("seconds", "seconds", (trial) => trial.seconds, 1),
    ...parameters.map(({id, title, of}) => parameterColumn(id, title, of, trials)),
  ];
  const failed = trials.some(({error}) => error);
  return failed ? [...columns, words("error", "error", (trial) => trial.error)] : columns;
}

function parameterColumn(id, title, of, trials) {
  const numeric = trials.every((trial) => ["number", "undefined"].includes(typeof of(trial)));
  const text = (trial) => (of(trial) === undefined ? "" : valueText(of(trial)));
  return {id, title, kind: numeric ? "n" : "", of, text};
}

/** The best first: trials that can be used by rank, then other pruned ones, then the rest. */
function orderOf(trial) {
  if (trial.rank !== undefined) return trial.rank;
  return (trial.state === "pruned" ? 1e9 : 2e9) + trial.number;
}

/** Trials by a value: numbers, then texts, then those without. */
function sorted(trials, of, sign) {
  const kind = (value) => (value == null ? 2 : typeof value === "number" ? 0 : 1);
  const order = (one, other) => {
    const [a, b] = [of(one), of(other)];
    if (kind(a) !== kind(b)) return kind(a) - kind(b);
    if (kind(a) === 0) return sign * (a - b) || one.number - other.number;
    if (kind(a) === 1) return sign * String(keyOf(a)).localeCompare(String(keyOf(b))) || one.number - other.number;
    return one.number - other.number;
  };
  return [...trials].sort(order);
}

function widthOf({id, title, text}, trials) {
  if (id === "pin") return NARROW;
  const step = Math.ceil(trials.length / 200) || 1;
  const longest = trials.reduce((most, trial, i) => (i % step ? most : Math.max(most, text(trial).length)), title.length);
  return Math.min(WIDE, Math.max(NARROW, longest)) + 3;
}

function gap(rows) {
  const cell = h("td", {colspan: 99});
  cell.style.height = `${rows * ROW}px`;
  return h("tr.gap", {"aria-hidden": "true", hidden: rows === 0}, cell);
}
