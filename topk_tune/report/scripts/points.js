// A chart of trials as points over two dimensions: history, times, ranks and slices are such charts.

import {boxOf, drawAxes} from "./axes.js";
import {keepShares} from "./brushing.js";
import {drawMarks} from "./marks.js";
import {pointable} from "./pointing.js";
import {wasStopped} from "./ranking.js";
import {Surface} from "./surface.js";

/** How a trial looks by its rank, or as one that was stopped; others are not drawn. */
export const byRank = (trial) => {
  if (trial.rank !== undefined) return {shape: "dot", role: `level${trial.level}`, edge: "axis"};
  return wasStopped(trial) ? {shape: "diamond", role: "pruned"} : null;
};

/**
 * A chart of trials. `x` and `y` are the ids of dimensions. `look(trial)` is the shape and role of
 * its mark, or null; `height(trial)` its place on the vertical axis if that is not its value's;
 * `under` draws below the marks.
 */
export function pointsChart(study, life, {label, size = 300, x, y, look, height, under}) {
  const layout = new Layout(study, {x, y, look, height});

  const draw = (context, width, full, colours) => {
    const [box, xs, ys] = [boxOf(width, full), study.scale(x), study.scale(y)];
    drawAxes(context, box, {scale: xs, title: titleOf(study, x)}, {scale: ys, title: titleOf(study, y)}, colours);
    under?.(context, box, {xs, ys}, colours);
    layout.update(box, xs, ys);
    const others = layout.groups.flatMap(({marks}) => marks.filter(([, trial]) => !trial.kept));
    drawMarks(context, "dot", colours.grid, colours.grid, others.map(([point]) => point));
    for (const {shape, role, edge = "card", marks} of layout.groups) {
      const kept = marks.filter(([, trial]) => trial.kept).map(([point]) => point);
      drawMarks(context, shape, colours[role], colours[edge], kept);
    }
  };

  const over = (context, width, full, colours) => {
    const ringed = [...study.pins.numbers, study.pointed].map((number) => layout.places.get(number)?.[0]);
    drawMarks(context, "ring", colours.front, "", ringed.filter(Boolean));
  };

  const surface = new Surface({label, height: size, draw, over, life});
  const brush = (from, to) => {
    if (!from) return;
    const box = boxOf(surface.width, surface.height);
    study.refine((filter) => {
      keepShares(study, filter, x, box.shareX(from[0]), box.shareX(to[0]));
      keepShares(study, filter, y, box.shareY(from[1]), box.shareY(to[1]));
    });
  };
  pointable(study, surface.canvas, () => layout.shown(), brush);
  redrawn(study, surface, life);
  return surface.element;
}

/** Draw a surface again whenever something about its study changes. */
export function redrawn(study, surface, life) {
  for (const kind of ["data", "filter", "scale"]) {
    study.addEventListener(kind, () => surface.request(), {signal: life});
  }
  for (const kind of ["pins", "point"]) {
    study.addEventListener(kind, () => surface.paintOver(), {signal: life});
  }
}

/** The title of an axis, which says if it is logarithmic. */
export function titleOf(study, id) {
  const log = study.scale(id).log ? ", logarithmic" : "";
  return `${study.dimension(id).title}${log}`;
}

/** The points of trials, which are the same until data, scales or the width change. */
class Layout {
  constructor(study, {x, y, look, height}) {
    this._study = study;
    this._looks = {x, y, look, height};
    this._key = [];
    this.groups = [];
    this.places = new Map();
  }

  update(box, xs, ys) {
    const key = [this._study.trials, xs, ys, box.right];
    if (key.every((part, index) => part === this._key[index])) return;
    this._key = key;
    this.groups = this._grouped(box, xs, ys);
    this.places = new Map(this.groups.flatMap(({marks}) => marks.map((mark) => [mark[1].number, mark])));
  }

  /** The marks of the trials that are not filtered out. */
  shown() {
    return [...this.places.values()].filter(([, trial]) => trial.kept);
  }

  /** Marks that look alike, the best last. */
  _grouped(box, xs, ys) {
    const {x, y, look, height} = this._looks;
    const [ofX, ofY] = [this._study.dimension(x).of, this._study.dimension(y).of];
    const found = new Map();
    for (const trial of this._study.trials) {
      const seen = look(trial);
      const share = seen && [xs.place(ofX(trial)), height?.(trial) ?? ys.place(ofY(trial))];
      if (!share?.every(Number.isFinite)) continue;
      const key = `${9 - (trial.level ?? 9)} ${seen.role}`;
      if (!found.has(key)) found.set(key, {...seen, marks: []});
      found.get(key).marks.push([[box.across(share[0]), box.up(share[1])], trial]);
    }
    return [...found.keys()].sort().map((key) => found.get(key));
  }
}
