// The value of each trial, and the best so far.

import {pointsChart} from "./points.js";

export const STATES = {complete: "dot", pruned: "diamond", failed: "cross"};

/** The chart; failed trials are at the worse end of the axis. */
export function historyChart(study, life) {
  const {metric, minimize} = study.facts;
  return pointsChart(study, life, {
    label: `The ${metric} of each trial by its number`,
    x: "number",
    y: "value",
    look: ({state, value}) => {
      if (!(state in STATES) || (state !== "failed" && value == null)) return null;
      return {shape: STATES[state], role: state};
    },
    height: ({state}) => (state === "failed" ? (minimize ? 0.985 : 0.015) : null),
    under: (context, box, {xs, ys}, colours) => {
      stairs(context, box, xs, ys, study.improvements, colours.best);
    },
  });
}

/** Draw the best value so far, up to the end of the axis. */
export function stairs(context, box, xs, ys, steps, colour, dashes = []) {
  if (!steps.length) return;
  context.strokeStyle = colour;
  context.lineWidth = 1.6;
  context.setLineDash(dashes);
  context.beginPath();
  steps.forEach((trial, index) => {
    const [x, y] = [box.across(xs.place(trial.number)), box.up(ys.place(trial.value))];
    if (index) context.lineTo(x, box.up(ys.place(steps[index - 1].value)));
    if (index) context.lineTo(x, y);
    else context.moveTo(x, y);
  });
  context.lineTo(box.right, box.up(ys.place(steps.at(-1).value)));
  context.stroke();
  context.setLineDash([]);
}
