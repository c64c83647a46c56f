// A study in the page: its trials, what is filtered, pinned and pointed at.
//
// It says what has changed by events: "data", "filter", "pins", "point" and "scale".

import {Filter} from "./filter.js";
import {Pins} from "./pins.js";
import {front, improvements, rank, wasStopped} from "./ranking.js";
import {keyOf, options, spanning} from "./scales.js";

export class Study extends EventTarget {
  constructor(name, fields) {
    super();
    this.name = name;
    this.moment = "";
    this.facts = null;
    this.problem = null;
    this.filter = new Filter();
    this.refined = -Infinity;
    this.pointed = null;
    this._fields = fields;
    this._byNumber = new Map();
    this._log = new Map();
    this._derive();
  }

  /** Take over what is new: facts, and rows of trials that are new or have changed. */
  take({facts, trials, all, moment = ""}) {
    if (all) this._byNumber.clear();
    for (const row of trials) {
      const trial = Object.fromEntries(this._fields.map((name, i) => [name, row[i]]));
      this._byNumber.set(trial.number, trial);
    }
    if (facts) this._takeFacts(facts);
    this.moment = moment;
    this.problem = null;
    if (facts || trials.length || all) {
      this._derive();
      this.tell("data");
    }
  }

  _takeFacts(facts) {
    if (facts.id !== this.facts?.id) this.pins = new Pins(facts.id);
    this.facts = facts;
    this.dimensions = dimensions(facts);
    for (const each of this.dimensions) {
      if (!this._log.has(each.id)) this._log.set(each.id, each.log);
    }
  }

  _derive() {
    this.trials = [...this._byNumber.values()].sort((a, b) => a.number - b.number);
    this.counts = {};
    for (const {state} of this.trials) this.counts[state] = (this.counts[state] ?? 0) + 1;
    const minimize = this.facts?.minimize ?? true;
    this.ranked = rank(this.trials, minimize);
    this.drawn = [...this.ranked, ...this.trials.filter(wasStopped)];
    this.improvements = improvements(this.trials, minimize);
    this.front = front(this.ranked);
    this._scales = new Map();
    this._select();
  }

  _select() {
    for (const trial of this.trials) trial.kept = this.filter.keeps(trial);
    this.kept = this.trials.filter((trial) => trial.kept);
  }

  /** Change the filter in a function. */
  refine(change) {
    change(this.filter);
    this.refined = performance.now();
    this._select();
    this.tell("filter");
  }

  pin(number) {
    this.pins.toggle(number);
    this.tell("pins");
  }

  /** Point at a trial, in all charts; null for none. */
  point(number) {
    if (number === this.pointed) return;
    this.pointed = number;
    this.tell("point");
  }

  trial(number) {
    return this._byNumber.get(number);
  }

  /** The pinned trials that there are. */
  get pinned() {
    return this.pins.numbers.map((number) => this.trial(number)).filter(Boolean);
  }

  dimension(id) {
    return this.dimensions.find((each) => each.id === id);
  }

  /** The searched parameters that trials have values of. */
  get parameters() {
    return this.dimensions.filter((each) => each.parameter);
  }

  isLog(id) {
    return Boolean(this._log.get(id));
  }

  setLog(id, log) {
    this._log.set(id, log);
    this._scales.clear();
    this.tell("scale");
  }

  /** The scale of a dimension over all trials, so that a filter does not move what is left. */
  scale(id) {
    if (!this._scales.has(id)) this._scales.set(id, scaleOf(this.dimension(id), this.trials, this.isLog(id)));
    return this._scales.get(id);
  }

  tell(kind) {
    this.dispatchEvent(new Event(kind));
  }
}

/** What a trial can be drawn and filtered by. */
function dimensions({metric, parameters}) {
  return [
    ...parameters.map(({name, log, options: listed}) => ({
      id: `parameter ${name}`, title: name, parameter: true, log, listed,
      of: (trial) => trial.params[name],
    })),
    {id: "value", title: metric, of: (trial) => trial.value},
    {id: "seconds", title: "seconds", of: (trial) => trial.seconds, log: true},
    {id: "number", title: "trial", of: (trial) => trial.number},
  ];
}

function scaleOf(dimension, trials, log) {
  const values = trials.map(dimension.of).filter((value) => value !== undefined);
  const found = values.filter((value) => typeof value === "number");
  const isNumeric = !dimension.listed && (!dimension.parameter || found.length === values.length);
  if (isNumeric) return spanning(dimension.id === "seconds" ? found.filter((v) => v > 0) : found, log);
  const every = new Map([...(dimension.listed ?? []), ...values].map((value) => [keyOf(value), value]));
  return options([...every.values()]);
}
