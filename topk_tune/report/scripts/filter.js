// Which trials are shown: ranges of numbers, chosen options and hidden states.

import {keyOf} from "./scales.js";

export class Filter {
  constructor() {
    this.ranges = new Map();
    this.chosen = new Map();
    this.hidden = new Set();
  }

  /** Keep numbers of a dimension from `low` to `high`. */
  setRange(dimension, low, high) {
    this.ranges.set(dimension.id, {dimension, low, high});
  }

  /** Keep some options of a dimension. */
  setOptions(dimension, values) {
    this.chosen.set(dimension.id, {dimension, values, keys: new Set(values.map(keyOf))});
  }

  /** Forget what a dimension was filtered by. */
  drop(id) {
    this.ranges.delete(id);
    this.chosen.delete(id);
  }

  /** Show or hide the trials of a state. */
  setHidden(state, hidden) {
    if (hidden) this.hidden.add(state);
    else this.hidden.delete(state);
  }

  clear() {
    this.ranges.clear();
    this.chosen.clear();
    this.hidden.clear();
  }

  get isEmpty() {
    return !this.ranges.size && !this.chosen.size && !this.hidden.size;
  }

  /** Whether a trial is shown. One without a number is outside of every range. */
  keeps(trial) {
    if (this.hidden.has(trial.state)) return false;
    for (const {dimension, low, high} of this.ranges.values()) {
      const value = dimension.of(trial);
      if (typeof value !== "number" || value < low || value > high) return false;
    }
    for (const {dimension, keys} of this.chosen.values()) {
      if (!keys.has(keyOf(dimension.of(trial)))) return false;
    }
    return true;
  }
}
