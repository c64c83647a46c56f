// The line that says what is filtered, with a way to filter without a mouse.

import {choice, h} from "./dom.js";
import {tickText, valueText} from "./format.js";

const STATES = ["complete", "pruned", "failed", "running", "paused", "waiting"];

/** The bar, which stays in sight. */
export function filterBar(study, life) {
  const bar = h("div.filter", {role: "region", "aria-label": "Filter"});
  const update = () => bar.replaceChildren(count(study), ...chips(study), ...tools(study));
  update();
  for (const kind of ["data", "filter"]) study.addEventListener(kind, update, {signal: life});
  return h("div.sticky", {}, bar, byHand(study));
}

function count({kept, trials}) {
  const all = kept.length === trials.length;
  const shown = `${kept.length.toLocaleString("en")} of ${trials.length.toLocaleString("en")} trials`;
  return h("strong", {id: "count", "aria-live": "polite"}, all ? `all ${shown.split(" of ")[1]}` : shown);
}

/** What is filtered by, each with a button that removes it. */
function chips(study) {
  const {ranges, chosen} = study.filter;
  const found = [
    ...[...ranges.values()].map(({dimension, low, high}) =>
      [dimension, `${tickText(Number(low.toPrecision(3)))} to ${tickText(Number(high.toPrecision(3)))}`]),
    ...[...chosen.values()].map(({dimension, values}) =>
      [dimension, values.map(valueText).join(", ") || "none"]),
  ];
  return found.map(([{id, title}, text]) => h("button.chip", {
    type: "button", title: `Remove the filter of ${title}`, "data-filter": id,
    click: () => study.refine((filter) => filter.drop(id)),
  }, `${title}: ${text} ✕`));
}

function tools(study) {
  const states = STATES.filter((state) => study.counts[state]).map((state) => {
    const hidden = study.filter.hidden.has(state);
    return h(`button.state.${state}`, {
      type: "button", "aria-pressed": String(!hidden), title: `${hidden ? "Show" : "Hide"} ${state} trials`,
      click: () => study.refine((filter) => filter.setHidden(state, !hidden)),
    }, `${study.counts[state].toLocaleString("en")} ${state}`);
  });
  const clear = h("button.clear", {
    type: "button", click: () => study.refine((filter) => filter.clear()),
  }, "Clear filter");
  return [h("span.gap"), ...states, ...(study.filter.isEmpty ? [] : [clear])];
}

/** A form for numbers and options, for keyboards and screen readers. */
function byHand(study) {
  const fields = h("div.fields");
  const show = (id) => fields.replaceChildren(...fieldsOf(study, id));
  const list = study.dimensions.map(({id, title}) => [id, title]);
  const form = h("div.form", {}, choice("by", list, list[0][0], show), fields);
  show(list[0][0]);
  return h("details.hand", {}, h("summary", {}, "Filter by typing"), form);
}

function fieldsOf(study, id) {
  const [dimension, scale] = [study.dimension(id), study.scale(id)];
  if (scale.options) return optionFields(study, dimension, scale.options);
  const [low, high] = ["from", "to"].map((words) =>
    [words, h("input", {type: "number", step: "any", "aria-label": `${dimension.title} ${words}`})]);
  const apply = () => study.refine((filter) => {
    const bound = ([, field], none) => (field.value === "" ? none : Number(field.value));
    filter.setRange(dimension, bound(low, scale.low), bound(high, scale.high));
  });
  for (const [, field] of [low, high]) field.addEventListener("change", apply);
  return [low, high].map(([words, field]) => h("label", {}, words, field));
}

function optionFields(study, dimension, options) {
  const boxes = options.map((value) => [value, h("input", {type: "checkbox", checked: true})]);
  const apply = () => study.refine((filter) => {
    filter.setOptions(dimension, boxes.filter(([, box]) => box.checked).map(([value]) => value));
  });
  return boxes.map(([value, box]) => {
    box.addEventListener("change", apply);
    return h("label.tick", {}, box, valueText(value));
  });
}
