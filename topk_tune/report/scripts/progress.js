// How far a study is: its trials by state, what runs where, and when it was last heard of.

import {h} from "./dom.js";

const FINISHED = ["complete", "pruned", "failed"];

/** A bar of the finished trials, with words. */
export function progress(study) {
  const finished = FINISHED.reduce((sum, state) => sum + (study.counts[state] ?? 0), 0);
  const goal = Math.max(study.facts.budget ?? 0, study.trials.length, 1);
  const parts = FINISHED.map((state) => {
    const part = h(`i.${state}`);
    part.style.width = `${(100 * (study.counts[state] ?? 0)) / goal}%`;
    return part;
  });
  const of = study.facts.budget ? ` of ${study.facts.budget.toLocaleString("en")}` : "";
  const words = `${finished.toLocaleString("en")}${of} trials finished`;
  return h("div.progress", {},
    h("div.meter", {role: "img", "aria-label": words}, parts),
    h("p.note", {}, [words, ...workers(study), ...lastNews(study)].join(" · ")));
}

/** The trials that run now, and the machines that have run some. */
function workers({trials}) {
  const running = trials.filter(({state}) => state === "running");
  const hosts = new Set(trials.map(({host}) => host).filter(Boolean));
  const words = [];
  if (running.length) words.push(`${running.length} running (trial ${list(running.map(({number}) => number))})`);
  if (hosts.size > 1) words.push(`${hosts.size} machines: ${list([...hosts])}`);
  else if (hosts.size) words.push(`on ${[...hosts][0]}`);
  return words;
}

function lastNews({trials}) {
  const last = trials.reduce((latest, {ended}) => (ended > latest ? ended : latest), "");
  return last ? [`last trial ended ${last.replace("T", " ")}`] : [];
}

function list(values) {
  return values.length > 6 ? `${values.slice(0, 6).join(", ")}, …` : values.join(", ");
}
