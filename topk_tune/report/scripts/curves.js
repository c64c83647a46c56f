// Learning curves: of all trials that are shown, by rank, with those that matter on top.

import {boxOf, drawAxes, trace} from "./axes.js";
import {pointable} from "./pointing.js";
import {redrawn} from "./points.js";
import {numbers, spanning} from "./scales.js";
import {Surface} from "./surface.js";

const SERIES = 5;
const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2]];

/** The look of one of several lines; both colour and dashes differ. */
export function seriesLook(index) {
  return {role: `series${index % SERIES}`, dashes: DASHES[index % SERIES]};
}

/** The curves of the shown trials; the pinned ones, or the best, in colours of their own. */
export function curvesChart(study, life) {
  const featured = () => (study.pinned.length ? study.pinned : study.ranked.slice(0, SERIES)).slice(0, SERIES);
  return chart(study, life, () => study.kept, featured, true);
}

/** The curves of some trials only. */
export function comparedCurves(study, life, trials) {
  return chart(study, life, () => [], trials, false);
}

function chart(study, life, background, featured, heavy) {
  let places = [];
  const label = `The ${study.facts.metric} after each loop`;

  const draw = (context, width, height, colours) => {
    const box = boxOf(width, height);
    const [behind, before] = [background(), featured()];
    const both = scalesOf(study, behind, before);
    drawAxes(context, box, {scale: both.xs, title: "loop"}, {scale: both.ys, title: study.facts.metric}, colours);
    drawBehind(context, box, both, behind, colours);
    [...before.entries()].reverse().forEach(([index, trial]) => {
      drawFeatured(context, box, both, trial, seriesLook(index), colours);
    });
    places = before.flatMap((trial) => pointsOf(trial, box, both).map((point) => [point, trial]));
  };

  const surface = new Surface({label, height: 300, draw, life, heavy});
  pointable(study, surface.canvas, () => places);
  redrawn(study, surface, life);
  study.addEventListener("pins", () => surface.request(), {signal: life});
  return surface.element;
}

function scalesOf(study, behind, before) {
  const banded = before.flatMap(({curve, band}) => band.flatMap((room, i) => [curve[i] - room, curve[i] + room]));
  const trials = [...behind, ...before];
  const values = [...trials.flatMap(({curve}) => curve), ...banded].filter((value) => value !== null);
  const loops = trials.reduce((most, {curve}) => Math.max(most, curve.length), 1);
  const room = Math.max(0.5, (loops - 1) * 0.02);
  return {xs: numbers(1 - room, loops + room), ys: spanning(values, study.isLog("value"))};
}

function pointsOf({curve}, box, {xs, ys}) {
  return curve.map((value, index) => [box.across(xs.place(index + 1)), box.up(ys.place(value ?? NaN))]);
}

/** All curves as thin lines, the worst first. */
function drawBehind(context, box, both, trials, colours) {
  context.lineWidth = 1;
  context.globalAlpha = trials.length > 300 ? 0.25 : 0.5;
  const ordered = [...trials].sort((a, b) => (b.rank ?? Infinity) - (a.rank ?? Infinity));
  for (const trial of ordered) {
    context.strokeStyle = trial.rank === undefined ? colours.pruned : colours[`level${trial.level}`];
    trace(context, pointsOf(trial, box, both));
  }
  context.globalAlpha = 1;
}

function drawFeatured(context, box, both, trial, {role, dashes}, colours) {
  if (trial.band.length) drawBand(context, box, both, trial, colours[role]);
  context.strokeStyle = colours[role];
  context.lineWidth = 2;
  context.setLineDash(dashes);
  const points = pointsOf(trial, box, both);
  trace(context, points);
  context.setLineDash([]);
  if (!trial.loop) return;
  context.fillStyle = colours[role];
  context.beginPath();
  context.arc(...points[trial.loop - 1], 3.6, 0, 2 * Math.PI);
  context.fill();
}

/** The area of one standard deviation around a curve. */
function drawBand(context, box, both, {curve, band}, colour) {
  const edge = (sign) => pointsOf({curve: curve.map((value, i) => value + sign * band[i])}, box, both);
  context.fillStyle = colour;
  context.globalAlpha = 0.13;
  context.beginPath();
  for (const [x, y] of [...edge(1), ...edge(-1).reverse()]) context.lineTo(x, y);
  context.fill();
  context.globalAlpha = 1;
}
