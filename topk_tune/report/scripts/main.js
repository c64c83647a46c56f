// The page: its studies, and the view that its address asks for.

import {h} from "./dom.js";
import {follow} from "./live.js";
import {overview} from "./overview.js";
import {route, studyAddress} from "./routes.js";
import {Study} from "./study.js";
import {studyView} from "./study_view.js";
import {setPalettes} from "./theme.js";
import {hideTip} from "./tip.js";
import {pinsView, trialView} from "./trial_view.js";

const data = JSON.parse(document.getElementById("data").textContent);
const app = document.getElementById("app");
const studies = new Map();
const left = new Set();
let life = new AbortController();
let shape = "";

/** What the elements of a view depend on; if it changes, the view is made again. */
function shapeNow() {
  const names = [...studies.values()].map(({name, facts}) => [name, facts.parameters, facts.metric]);
  return JSON.stringify([location.hash, names]);
}

function show() {
  shape = shapeNow();
  life.abort();
  life = new AbortController();
  hideTip();
  app.replaceChildren(...navigation(), ...view(), footer());
}

function view() {
  const {name, part, number} = route();
  const every = [...studies.values()];
  const study = name === undefined && every.length === 1 ? every[0] : studies.get(name);
  if (!every.length) return [h("header", {}, h("h1", {}, "No study yet"), h("p", {}, "Studies appear here when they start."))];
  if (!study) return overview(every, life.signal, left);
  if (part === "trial") return trialView(study, life.signal, number);
  if (part === "pins") return pinsView(study, life.signal);
  return studyView(study, life.signal);
}

function navigation() {
  if (studies.size < 2) return [];
  const {name} = route();
  const link = (href, text, current) => h("a", {href, "aria-current": current ? "page" : null}, text);
  return [h("nav", {"aria-label": "Studies"}, link("#/", "All studies", name === undefined),
    [...studies.values()].map((study) => link(studyAddress(study), study.name, study.name === name)))];
}

function footer() {
  const words = data.live ? "This page follows its studies." : "This page loads nothing from anywhere.";
  return h("footer", {}, h("span", {id: "live", role: "status"}), `topk-tune ${data.version}. ${words}`);
}

/** Take over news by the names of studies; those that are gone go. */
function take(news) {
  for (const name of studies.keys()) if (!(name in news)) studies.delete(name);
  for (const [name, each] of Object.entries(news)) {
    if (!studies.has(name) && each.facts) studies.set(name, new Study(name, data.fields));
    const study = studies.get(name);
    if (study && each.problem) Object.assign(study, {problem: each.problem, moment: ""});
    else study?.take(each);
  }
  if (shape !== shapeNow()) show();
}

function heard(answered) {
  const place = document.getElementById("live");
  place.textContent = answered ? "" : "The server does not answer; the page shows what it last said. ";
  document.body.classList.toggle("lost", !answered);
}

setPalettes(data.palettes);
for (const {facts, trials} of data.studies) {
  studies.set(facts.name, new Study(facts.name, data.fields));
  studies.get(facts.name).take({facts, trials, all: true});
}
addEventListener("hashchange", () => {
  show();
  scrollTo(0, 0);
});
show();
if (data.live) {
  const moments = () => Object.fromEntries([...studies.values()].map(({name, moment}) => [name, moment]));
  follow(moments, take, heard);
}
