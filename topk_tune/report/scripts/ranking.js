// The order of trials, and what follows from it.

export const LEVELS = 8;

/** Compare two trials with a value: more seeds, what meets the bound, then the better value. */
export function compare(minimize) {
  const sign = minimize ? 1 : -1;
  return (one, other) =>
    other.runs - one.runs
    || Math.max(one.excess, 0) - Math.max(other.excess, 0)
    || sign * (one.value - other.value)
    || one.number - other.number;
}

/** The trials that can be used, best first; each gets its rank and the eighth that it is in. */
export function rank(trials, minimize) {
  const ranked = trials.filter((trial) => trial.runs && trial.value != null);
  ranked.sort(compare(minimize));
  ranked.forEach((trial, index) => {
    trial.rank = index;
    trial.level = Math.floor((index * LEVELS) / ranked.length);
  });
  return ranked;
}

/** Whether a trial has no rank because it was stopped early; its value is that of fewer loops. */
export const wasStopped = ({state, rank, value}) =>
  state === "pruned" && rank === undefined && value != null;

/** The trials that were better than all before them. */
export function improvements(trials, minimize) {
  const order = compare(minimize);
  const seeds = trials.reduce((most, trial) => Math.max(most, trial.runs), 0);
  const better = [];
  for (const trial of trials) {
    if (trial.rank === undefined || trial.runs < seeds) continue;
    const last = better.at(-1);
    if (!last || order({...trial, number: 0}, {...last, number: 0}) < 0) better.push(trial);
  }
  return better;
}

/** The trials that no other beats in both value and time, fastest first. */
export function front(ranked) {
  const found = [];
  for (const trial of ranked) {
    if (trial.runs < ranked[0].runs) break;
    if (Math.max(ranked[0].excess, 0) < Math.max(trial.excess, 0)) break;
    if (!found.length || trial.seconds < found.at(-1).seconds) found.push(trial);
  }
  return found.reverse();
}
