// The objective against training time, with the Pareto front.

import {pointsChart} from "./points.js";

export function timesChart(study, life) {
  return pointsChart(study, life, {
    label: `The ${study.facts.metric} of trials against their training time`,
    x: "seconds",
    y: "value",
    look: (trial) => (trial.rank === undefined ? null : {shape: "dot", role: "complete"}),
    under: (context, box, {xs, ys}, colours) => {
      context.strokeStyle = colours.front;
      context.lineWidth = 1.8;
      context.setLineDash([5, 3]);
      context.beginPath();
      for (const trial of study.front) {
        context.lineTo(box.across(xs.place(trial.seconds)), box.up(ys.place(trial.value)));
      }
      context.stroke();
      context.setLineDash([]);
    },
  });
}
