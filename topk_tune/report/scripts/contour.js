// The objective over two dimensions, estimated between the trials, in bands of equal rank.

import {boxOf, drawAxes} from "./axes.js";
import {LEVELS} from "./ranking.js";
import {redrawn, titleOf} from "./points.js";
import {Surface} from "./surface.js";

const [ACROSS, UP] = [48, 36];
const WIDTH = 0.07;
const MOST = 1500;
const PIXELS = 2;

/** The chart of two dimensions, by id. */
export function contourChart(study, life, x, y) {
  const draw = (context, width, height, colours) => {
    const box = boxOf(width, height);
    const [xs, ys] = [study.scale(x), study.scale(y)];
    const known = placesOf(study, x, y, xs, ys);
    drawAxes(context, box, {scale: xs, title: titleOf(study, x)}, {scale: ys, title: titleOf(study, y)}, colours);
    if (known.length > 2) fill(context, box, smoothed(known), levelsOf(known, study.facts.minimize), colours);
    context.fillStyle = colours.ink;
    context.globalAlpha = known.length > 300 ? 0.25 : 0.6;
    for (const [px, py] of known) context.fillRect(box.across(px) - 1, box.up(py) - 1, 2, 2);
    context.globalAlpha = 1;
  };
  const {title: one} = study.dimension(x);
  const {title: other} = study.dimension(y);
  const label = `The ${study.facts.metric} over ${one} and ${other}, smoothed`;
  const surface = new Surface({label, height: 320, draw, life, heavy: true});
  redrawn(study, surface, life);
  return surface.element;
}

/** The shown trials: their places, from 0 to 1, and values; the best if there are many. */
function placesOf(study, x, y, xs, ys) {
  const [ofX, ofY] = [study.dimension(x).of, study.dimension(y).of];
  return study.ranked
    .filter((trial) => trial.kept)
    .filter((_, index, every) => index % Math.ceil(every.length / MOST) === 0)
    .map((trial) => [xs.place(ofX(trial)), ys.place(ofY(trial)), trial.value])
    .filter(([px, py]) => Number.isFinite(px) && Number.isFinite(py));
}

/** Means of the values around each cell, weighted by nearness; NaN where no trial is near. */
function smoothed(known) {
  const grid = new Float64Array(ACROSS * UP);
  const scale = -0.5 / WIDTH ** 2;
  for (let cell = 0; cell < grid.length; cell += 1) {
    const cx = ((cell % ACROSS) + 0.5) / ACROSS;
    const cy = (Math.floor(cell / ACROSS) + 0.5) / UP;
    let [sum, total] = [0, 0];
    for (const [px, py, value] of known) {
      const weight = Math.exp(scale * ((px - cx) ** 2 + (py - cy) ** 2));
      sum += weight * value;
      total += weight;
    }
    grid[cell] = total > 0.02 ? sum / total : NaN;
  }
  return grid;
}

/** The values that separate eighths of the trials, the best first, so that one bad one does not rule. */
function levelsOf(known, minimize) {
  const values = known.map(([, , value]) => value).sort((a, b) => (minimize ? a - b : b - a));
  const bounds = Array.from({length: LEVELS - 1}, (_, i) => values[Math.floor(((i + 1) * values.length) / LEVELS)]);
  return (value) => {
    const level = bounds.findIndex((bound) => (minimize ? value < bound : value > bound));
    return level < 0 ? LEVELS - 1 : level;
  };
}

/** Fill small squares with the colours of the levels of the values between cells. */
function fill(context, box, grid, levelOf, colours) {
  for (let y = box.top; y < box.bottom; y += PIXELS) {
    for (let x = box.left; x < box.right; x += PIXELS) {
      const value = between(grid, box.shareX(x + PIXELS / 2), box.shareY(y + PIXELS / 2));
      if (Number.isNaN(value)) continue;
      context.fillStyle = colours[`level${levelOf(value)}`];
      context.fillRect(x, y, PIXELS, PIXELS);
    }
  }
}

/** The value at a place, between the middles of the four cells around it. */
function between(grid, px, py) {
  const [x, y] = [px * ACROSS - 0.5, py * UP - 0.5];
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const cell = (i, j) => grid[clamp(row + j, UP) * ACROSS + clamp(column + i, ACROSS)];
  const [right, above] = [x - column, y - row];
  return (1 - above) * ((1 - right) * cell(0, 0) + right * cell(1, 0))
    + above * ((1 - right) * cell(0, 1) + right * cell(1, 1));
}

const clamp = (index, size) => Math.min(size - 1, Math.max(0, index));
