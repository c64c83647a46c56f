// The view of one study.

import {importanceBars, seedStrips} from "./bars.js";
import {contourChart} from "./contour.js";
import {curvesChart} from "./curves.js";
import {card, choice, facts, h, plainTable, tick, wide} from "./dom.js";
import {filterBar} from "./filter_bar.js";
import {historyChart} from "./history.js";
import {parallelChart} from "./parallel.js";
import {byRank, pointsChart} from "./points.js";
import {progress} from "./progress.js";
import {pinsAddress} from "./routes.js";
import {sliceCharts} from "./slices.js";
import {timesChart} from "./times.js";
import {trialsTable} from "./trials_table.js";

export function studyView(study, life) {
  return [head(study, life), h("main", {}, filterBar(study, life), ...cards(study, life))];
}

/** What a study has found, and how far it is. */
function head(study, life) {
  const element = h("header");
  renewed(study, life, element, () => [
    h("h1", {}, `Study ${study.name}`),
    ...study.facts.headline.map((sentence, i) => h(i ? "p" : "p.lead", {}, sentence)),
    progress(study),
    study.pins.numbers.length
      ? h("p", {}, h("a.button", {href: pinsAddress(study)}, `Compare ${study.pins.numbers.length} pinned`))
      : null,
  ].filter(Boolean), ["data", "pins"]);
  return element;
}

function cards(study, life) {
  const {metric, minimize} = study.facts;
  const better = minimize ? "Lower is better." : "Higher is better.";
  const shown = study.parameters.length > 0;
  return [
    card("history", "History", historyChart(study, life), marks(), note(`${better} Drag to filter, click for details.`), logs(study, life, "value")),
    live(study, life, "best", "Best configuration", () => bestParts(study)),
    shown ? wide(card("parallel", "Parallel coordinates", parallelChart(study, life), ranks(),
      note("Each line is a trial. Drag along an axis to filter; click on it to remove the filter; click on a name to switch its scale."))) : null,
    card("curves", "Learning curves", curvesChart(study, life),
      note("All shown trials by rank; the pinned ones, or the best five, in colours, with a band of one standard deviation over seeds. A dot marks the best loop."), logs(study, life, "value")),
    card("times", `Runtime against ${metric}`, timesChart(study, life),
      note("The dashed line joins trials that no other beats in both. Times depend on the machines that trials ran on."), logs(study, life, "seconds", "value")),
    wide(card("trials", "Trials", note("The shown trials. A column's name sorts by it; a star pins a trial, to compare it with others."), trialsTable(study, life))),
    study.parameters.length > 1 ? wide(pairs(study, life)) : null,
    shown ? wide(card("slices", "Slices", sliceCharts(study, life), ranks(),
      note(`The ${metric} of each trial against one parameter; the others differ too.`))) : null,
    live(study, life, "importances", "Importances", () => importanceParts(study)),
    live(study, life, "summary", "Summary", () => [facts(study.facts.summary)]),
    live(study, life, "confirmations", "Confirmations", () => confirmedParts(study)),
    live(study, life, "test", "Test", () => testedParts(study)),
    live(study, life, "baselines", "Baselines", () => baselineParts(study)),
    wide(live(study, life, "recipe", "Recipe", () => recipeParts(study))),
  ].filter(Boolean);
}

/** Two parameters at a time: points by rank, and the smoothed objective. */
function pairs(study, life) {
  const [first, second] = likely(study);
  const chosen = {x: first, y: second};
  const plots = h("div.two");
  let shown = null;
  const show = () => {
    shown?.abort();
    shown = new AbortController();
    life.addEventListener("abort", () => shown.abort());
    const label = "Trials by rank over two parameters";
    plots.replaceChildren(
      h("figure", {}, h("h3", {}, "Rank"), pointsChart(study, shown.signal, {label, size: 320, ...chosen, look: byRank})),
      h("figure", {}, h("h3", {}, "Contour"), contourChart(study, shown.signal, chosen.x, chosen.y)),
    );
  };
  const list = [...study.parameters, study.dimension("seconds")].map(({id, title}) => [id, title]);
  const choose = (axis) => choice(axis === "x" ? "across" : "up", list, chosen[axis], (id) => {
    chosen[axis] = id;
    show();
  });
  show();
  return card("pairs", "Two parameters", h("div.tools", {}, choose("x"), choose("y")), plots, ranks(),
    note("Left, each trial in the colour of its rank. Right, means of the trials around each place: nothing is drawn where no trial is near."));
}

/** The two parameters that matter most, or the first two. */
function likely({facts: {importances}, parameters}) {
  const weight = ({title}) => importances[title] ?? 0;
  return [...parameters].sort((a, b) => weight(b) - weight(a)).slice(0, 2).map(({id}) => id);
}

function bestParts({facts: {best}}) {
  return [best.rows.length ? plainTable(best) : note("No trial has a result yet.")];
}

function importanceParts({facts: {importances}, drawn}) {
  if (!Object.keys(importances).length) {
    return [note(`Importances need 10 trials and a searched parameter. There are ${drawn.length} trials.`)];
  }
  return [importanceBars(importances),
    note("How much a parameter decides whether a trial is among the best tenth (PED-ANOVA). The shares add up to 1. A pruned trial counts as worse than all that trained for longer. With few trials they are rough.")];
}

function confirmedParts({name, facts: {confirmed}}) {
  if (!confirmed) return [note(`Nothing is confirmed with fresh seeds yet: topk-tune confirm ${name}`)];
  return [seedStrips(confirmed), note(confirmed.note), plainTable(confirmed.table)];
}

function testedParts({facts: {tested}}) {
  return tested ? [note(tested.note), plainTable(tested.table)] : [note("Nothing is tested yet.")];
}

function baselineParts({name, facts: {baselines}}) {
  if (!baselines.rows.length) return [note("They are not known: the data could not be loaded.")];
  const more = baselines.rows.length === 1 ? ` More: topk-tune report ${name} --baselines` : "";
  return [plainTable(baselines), note("Weighted rank loss on the same rows as that of the trials. Label frequency shows "
    + `everybody the same: the labels that are most often relevant first.${more}`)];
}

function recipeParts({facts: {recipe, files}}) {
  const {command, ...others} = recipe;
  return [
    note("Save the files below under their names; then the command searches again as this study did."),
    h("pre", {}, command), facts(others),
    ...Object.entries(files).flatMap(([name, text]) => [h("h3", {}, name), h("pre", {}, text)]),
  ];
}

/** A card whose content follows the study. */
function live(study, life, id, title, parts) {
  const body = h("div");
  renewed(study, life, body, parts, ["data"]);
  return card(id, title, body);
}

function renewed(study, life, element, parts, kinds) {
  const renew = () => element.replaceChildren(...parts());
  renew();
  for (const kind of kinds) study.addEventListener(kind, renew, {signal: life});
}

/** Switches between linear and logarithmic scales; a scale is the same in all charts. */
function logs(study, life, ...ids) {
  const element = h("div.tools");
  renewed(study, life, element, () => ids.map((id) =>
    tick(`logarithmic ${study.dimension(id).title}`, study.isLog(id), (log) => study.setLog(id, log))), ["scale"]);
  return element;
}

const note = (text) => h("p.note", {}, text);

const key = (kind, words) => h("li", {}, h(`i.key.${kind}`), words);

const STOPPED = "pruned: the value when it was stopped";

const marks = () => h("ul.keys", {}, key("complete", "complete"), key("pruned", STOPPED),
  key("failed", "failed: drawn at the worse end"), key("best", "best so far"));

const ranks = () => h("ul.keys", {}, h("li", {}, "best eighth", h("i.key.ramp"), "worst eighth"),
  key("pruned", "pruned, without a rank: the value when it was stopped"));
