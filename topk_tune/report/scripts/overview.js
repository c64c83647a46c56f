// Several studies side by side: how far they are, and those of one data set against each other.

import {boxOf, drawAxes} from "./axes.js";
import {seriesLook} from "./curves.js";
import {card, h, tick, wide} from "./dom.js";
import {fixed, valueText} from "./format.js";
import {stairs} from "./history.js";
import {progress} from "./progress.js";
import {studyAddress} from "./routes.js";
import {numbers, spanning} from "./scales.js";
import {Surface} from "./surface.js";

/** The view; `left` are the names of studies that are left out of the comparison. */
export function overview(studies, life, left) {
  const main = h("main");
  const show = () => main.replaceChildren(...parts(studies, life, left, show));
  show();
  for (const study of studies) study.addEventListener("data", show, {signal: life});
  return [h("header", {}, h("h1", {}, `${studies.length} studies`)), main];
}

function parts(studies, life, left, show) {
  const compared = studies.filter(({name, ranked}) => !left.has(name) && ranked.length);
  const change = (name) => (checked) => {
    if (checked) left.delete(name);
    else left.add(name);
    show();
  };
  const groups = grouped(compared);
  return [
    wide(card("studies", "Studies", table(studies, left, change))),
    ...[...groups.entries()].map(([title, group], index) => wide(comparison(title, group, life, index))),
  ];
}

/** Values are comparable for the same data and the same metric only. */
function groupOf({facts: {dataset, metric}}) {
  return `${dataset}: ${metric}`;
}

function grouped(studies) {
  const groups = new Map();
  for (const study of studies) groups.set(groupOf(study), [...(groups.get(groupOf(study)) ?? []), study]);
  return groups;
}

function table(studies, left, change) {
  const heads = ["", "study", "data set", "algorithm", "progress", "best", "of", "metric"];
  const rows = studies.map((study) => {
    const [best] = study.ranked;
    return h("tr", {},
      h("td", {}, tick("", !left.has(study.name), change(study.name))),
      h("td", {}, h("a", {href: studyAddress(study)}, study.name)),
      h("td", {}, study.facts.dataset),
      h("td", {}, study.facts.summary.algorithm),
      h("td.wider", {}, study.problem ? study.problem : progress(study)),
      h("td.n", {}, best ? fixed(best.value) : ""),
      h("td", {}, best ? `trial ${best.number}` : "none yet"),
      h("td", {}, study.facts.metric));
  });
  return h("div.scroll", {}, h("table", {}, h("thead", {}, h("tr", {}, heads.map((text) => h("th", {scope: "col"}, text)))), h("tbody", {}, rows)));
}

function comparison(title, studies, life, index) {
  return card(`group${index}`, title, h("div.two", {},
    h("figure", {}, h("h3", {}, "Best so far"), bestChart(studies, life), legend(studies)),
    h("figure", {}, h("h3", {}, "Best configurations"), configurations(studies))));
}

/** The best value so far of each study. */
function bestChart(studies, life) {
  const values = studies.flatMap(({improvements}) => improvements.map(({value}) => value));
  const last = Math.max(...studies.map(({trials}) => trials.length));
  const draw = (context, width, height, colours) => {
    const box = boxOf(width, height);
    const [xs, ys] = [numbers(-0.5, Math.max(last, 1)), spanning(values)];
    drawAxes(context, box, {scale: xs, title: "trial"}, {scale: ys, title: studies[0].facts.metric}, colours);
    studies.forEach(({improvements}, index) => {
      const {role, dashes} = seriesLook(index);
      stairs(context, box, xs, ys, improvements, colours[role], dashes);
    });
  };
  const surface = new Surface({label: "The best value so far of each study", height: 280, draw, life});
  return surface.element;
}

function legend(studies) {
  return h("ul.keys", {}, studies.map(({name}, index) => h("li", {}, h(`i.key.line.${seriesLook(index).role}`), name)));
}

/** A column for each study, a row for each parameter. */
function configurations(studies) {
  const columns = studies.map(({ranked: [best]}) => best.params);
  const names = [...new Set(columns.flatMap(Object.keys))];
  const heads = studies.map(({name}) => h("th", {scope: "col"}, name));
  const row = (name, cells) => h("tr", {}, h("th", {scope: "row"}, name), cells.map((text) => h("td", {}, text)));
  return h("div.scroll", {}, h("table", {}, h("thead", {}, h("tr", {}, h("th"), heads)), h("tbody", {},
    row(studies[0].facts.metric, studies.map(({ranked: [best]}) => fixed(best.value))),
    row("algorithm", studies.map(({facts: {summary}}) => summary.algorithm)),
    names.map((name) => row(name, columns.map((params) => (name in params ? valueText(params[name]) : "")))))));
}
