// The page of one trial, and that of the pinned ones side by side.

import {comparedCurves, seriesLook} from "./curves.js";
import {card, facts, h, wide} from "./dom.js";
import {duration, fixed, trialLine, valueText} from "./format.js";
import {pinsAddress, studyAddress, trialAddress} from "./routes.js";

export function trialView(study, life, number) {
  const trial = study.trial(number);
  if (!trial) return [h("header", {}, back(study), h("h1", {}, `There is no trial ${number}`))];
  const main = h("main", {},
    card("configuration", "Configuration", facts(texts(trial.params))),
    card("outcome", "Outcome", facts(outcome(study, trial))),
    wide(card("curves", "Learning curve", curveOr(study, life, [trial]))),
  );
  return [h("header", {}, back(study), h("h1", {}, `Trial ${number}`), h("p.lead", {}, trialLine(trial, study.facts.metric)),
    h("p", {}, pinButton(study, life, number), ...neighbours(study, trial))), main];
}

/** The pinned trials: a column each, with what differs between them marked. */
export function pinsView(study, life) {
  const element = h("div");
  const show = () => element.replaceChildren(...pinsParts(study, life));
  show();
  study.addEventListener("pins", show, {signal: life});
  return [h("header", {}, back(study), h("h1", {}, "Pinned trials")), element];
}

function pinsParts(study, life) {
  const trials = study.pinned;
  if (!trials.length) return [h("p.note", {}, "No trial is pinned. The stars in the table of trials pin one.")];
  return [h("main", {}, wide(card("compared", "Side by side", comparison(study, trials))),
    wide(card("curves", "Learning curves", curveOr(study, life, trials))))];
}

function comparison(study, trials) {
  const heads = trials.map((trial, index) => h("th", {scope: "col"},
    h(`i.key.line.${seriesLook(index).role}`), h("a", {href: trialAddress(study, trial)}, `trial ${trial.number}`), " ",
    h("button.pin", {type: "button", "aria-pressed": "true", title: `Unpin trial ${trial.number}`, click: () => study.pin(trial.number)}, "★")));
  const rows = [
    ...rowsOf(trials.map((trial) => outcome(study, trial))),
    ...rowsOf(trials.map((trial) => texts(trial.params))),
  ];
  return h("div.scroll", {}, h("table.compared", {}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}), heads)), h("tbody", {}, rows)));
}

/** A row for each name that occurs; a row whose texts differ is marked. */
function rowsOf(columns) {
  const names = new Set(columns.flatMap((column) => Object.keys(column)));
  return [...names].map((name) => {
    const cells = columns.map((column) => column[name] ?? "");
    const differs = new Set(cells).size > 1;
    return h("tr", {class: differs ? "differs" : ""}, h("th", {scope: "row"}, name), cells.map((text) => h("td", {}, text)));
  });
}

function outcome({facts: {metric, metrics}, ranked}, trial) {
  const rows = {
    state: trial.state,
    rank: trial.rank === undefined ? "" : `${trial.rank + 1} of ${ranked.length.toLocaleString("en")}`,
    [metric]: fixed(trial.value),
    "st. dev.": fixed(trial.spread),
    ...Object.fromEntries(Object.entries(metrics).map(([name, words]) => [words, fixed(trial.metrics[name])])),
    "best loop": fixed(trial.loop, 0),
    "training time": duration(trial.seconds),
    started: (trial.started ?? "").replace("T", " "),
    ended: (trial.ended ?? "").replace("T", " "),
    machine: trial.host ?? "",
    attempts: trial.attempts > 1 ? String(trial.attempts) : "",
    "runs reused": trial.reused ? String(trial.reused) : "",
    error: trial.error ?? "",
  };
  return Object.fromEntries(Object.entries(rows).filter(([, text]) => text !== ""));
}

function texts(params) {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, valueText(value)]));
}

function curveOr(study, life, trials) {
  if (!trials.some(({curve}) => curve.length)) return h("p.note", {}, "Nothing was measured.");
  return comparedCurves(study, life, () => trials);
}

function pinButton(study, life, number) {
  const button = h("button.button", {type: "button", click: () => study.pin(number)});
  const link = h("a.button", {href: pinsAddress(study)}, "Compare pinned");
  const update = () => {
    const pinned = study.pins.has(number);
    button.textContent = pinned ? "★ Unpin" : "☆ Pin";
    button.setAttribute("aria-pressed", String(pinned));
    link.hidden = !study.pins.numbers.length;
  };
  update();
  study.addEventListener("pins", update, {signal: life});
  return h("span", {}, button, " ", link);
}

/** Links to the trials before and after in the ranking. */
function neighbours(study, {rank}) {
  if (rank === undefined) return [];
  const link = (trial, words) => (trial ? [" ", h("a.button", {href: trialAddress(study, trial)}, words)] : []);
  return [...link(study.ranked[rank - 1], "← better"), ...link(study.ranked[rank + 1], "worse →")];
}

function back(study) {
  return h("p", {}, h("a", {href: studyAddress(study)}, `← study ${study.name}`));
}
