// Trials as lines over all searched parameters. A drag along an axis filters by it.

import {keepShares, keptShares} from "./brushing.js";
import {h} from "./dom.js";
import {short, trialLine} from "./format.js";
import {FONT, trace} from "./axes.js";
import {redrawn} from "./points.js";
import {trialAddress} from "./routes.js";
import {Surface} from "./surface.js";
import {hideTip, showTip} from "./tip.js";

const [TOP, BOTTOM, SIDE, REACH] = [14, 22, 56, 26];
const HEIGHT = 340;
const AXIS = 104;
const FINGER = 10;
const DASHES = [2, 3];

// While a brush moves, a part of many lines is drawn; all of them when it rests.
const HURRY = 150;
const ENOUGH = 600;
const BEHIND = 300;

/** The chart: scrolls sideways on a narrow screen, because axes need room. */
export function parallelChart(study, life) {
  const ids = [...study.parameters.map(({id}) => id), "value"];
  const titles = h("div.axes", {});
  const places = new Places();
  let rest = 0;
  const draw = (context, width, height, colours) => {
    const frame = frameOf(study, ids, width, height);
    const hurried = performance.now() - study.refined < HURRY;
    const drawn = drawLines(context, study, frame, places.of(study, frame), hurried ? ENOUGH : Infinity, colours);
    placeTitles(titles, frame);
    clearTimeout(rest);
    if (!drawn) rest = setTimeout(() => surface.request(), HURRY);
  };
  const over = (context, width, height, colours) => {
    const frame = frameOf(study, ids, width, height);
    drawAxes(context, study, frame, colours);
    drawLit(context, study, frame, colours);
  };
  const label = "Trials as lines over the searched parameters";
  const surface = new Surface({label, height: HEIGHT, draw, over, life});
  titles.append(...ids.map((id) => axisTitle(study, id, life)));
  handle(study, surface, ids);
  redrawn(study, surface, life);
  const inner = h("div.parallel", {}, titles, surface.element);
  inner.style.minWidth = `${Math.max(2 * SIDE + AXIS * (ids.length - 1), 300)}px`;
  return h("div.scroll", {}, inner);
}

/** The places of the axes, and of values on them. */
function frameOf(study, ids, width, height) {
  const step = ids.length > 1 ? (width - 2 * SIDE) / (ids.length - 1) : 0;
  const axes = ids.map((id, index) => ({
    id, x: SIDE + index * step, scale: study.scale(id), of: study.dimension(id).of,
  }));
  const up = (share) => height - BOTTOM - share * (height - TOP - BOTTOM);
  return {axes, up, share: (y) => (height - BOTTOM - y) / (height - TOP - BOTTOM), step};
}

function pointsOf(trial, {axes, up}) {
  const points = [];
  for (const {x, scale, of} of axes) {
    const value = of(trial);
    if (value === undefined) continue;
    const share = scale.place(value);
    if (Number.isFinite(share)) points.push([x, up(share)]);
  }
  return points;
}

/** The points of all lines, which are the same until data, scales or the width change. */
class Places {
  of(study, frame) {
    const key = [study.trials, frame.step, ...frame.axes.map(({scale}) => scale)];
    if (!this._key || key.some((part, index) => part !== this._key[index])) {
      this._key = key;
      this._lines = study.drawn.map((trial) => [trial, pointsOf(trial, frame)]).reverse();
    }
    return this._lines;
  }
}

/** What is filtered out faintly, then what is kept: stopped trials, then the ranked, the best last.
 * Returns whether it is all. */
function drawLines(context, study, frame, lines, most, colours) {
  const kept = lines.filter(([trial]) => trial.kept);
  const others = lines.filter(([trial]) => !trial.kept);
  context.lineWidth = 1;
  context.strokeStyle = colours.grid;
  for (const [, points] of sample(others, BEHIND)) trace(context, points);
  context.globalAlpha = kept.length > 1000 ? 0.45 : 0.8;
  for (const [trial, points] of sample(kept, most)) {
    const ranked = trial.rank !== undefined;
    context.strokeStyle = colours[ranked ? `level${trial.level}` : "pruned"];
    context.lineWidth = trial.level === 0 ? 1.6 : 1;
    context.setLineDash(ranked ? [] : DASHES);
    trace(context, points);
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
  return kept.length <= most;
}

/** Every so many of a list, so that at most about `most` are left, the last among them. */
function sample(list, most) {
  const step = Math.ceil(list.length / most);
  return step > 1 ? list.filter((_, index) => (list.length - 1 - index) % step === 0) : list;
}

function drawAxes(context, study, {axes, up}, colours) {
  context.font = FONT;
  axes.forEach(({id, x, scale}, index) => {
    context.strokeStyle = colours.axis;
    context.lineWidth = 1.2;
    trace(context, [[x, up(0)], [x, up(1)]]);
    const last = index === axes.length - 1;
    context.textAlign = last ? "left" : "right";
    for (const [share, text] of scale.ticks(5)) halo(context, short(text, 8), x + (last ? 7 : -7), up(share) + 4, colours);
    for (const [from, to] of keptShares(study, id) ?? []) {
      const [low, high] = [Math.max(0, from), Math.min(1, to)];
      context.fillStyle = colours.front;
      context.globalAlpha = 0.3;
      context.fillRect(x - 9, up(high), 18, up(low) - up(high));
      context.globalAlpha = 1;
      context.strokeStyle = colours.front;
      context.strokeRect(x - 9, up(high), 18, up(low) - up(high));
    }
  });
}

function drawLit(context, study, frame, colours) {
  context.strokeStyle = colours.front;
  for (const number of [...study.pins.numbers, study.pointed]) {
    const trial = study.trial(number);
    if (!study.drawn.includes(trial)) continue;
    context.lineWidth = number === study.pointed ? 3.2 : 2.2;
    trace(context, pointsOf(trial, frame));
  }
}

function halo(context, text, x, y, colours) {
  context.lineWidth = 3;
  context.strokeStyle = colours.card;
  context.strokeText(text, x, y);
  context.fillStyle = colours.soft;
  context.fillText(text, x, y);
}

/** The name of an axis; a click switches a number's scale. */
function axisTitle(study, id, life) {
  const {title} = study.dimension(id);
  const button = h("button.axis", {type: "button", "data-axis": id, click: () => study.setLog(id, !study.isLog(id))});
  const label = () => {
    const {options, log} = study.scale(id);
    button.replaceChildren(short(title, 15), ...(log ? [h("small", {}, " log")] : []));
    button.disabled = Boolean(options);
    button.title = options ? title : `${title}: switch to a ${log ? "linear" : "logarithmic"} scale`;
  };
  label();
  study.addEventListener("scale", label, {signal: life});
  study.addEventListener("data", label, {signal: life});
  return button;
}

function placeTitles(titles, {axes}) {
  [...titles.children].forEach((title, index) => {
    title.style.left = `${axes[index].x}px`;
  });
}

/** Brush along the nearest axis; a click on an axis removes its brush; point at lines. */
function handle(study, surface, ids) {
  const {canvas} = surface;
  let drag = null;
  const frame = () => frameOf(study, ids, surface.width, surface.height);
  const at = (event) => {
    const {left, top} = canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const shareAt = (y) => Math.min(1, Math.max(0, frame().share(y)));
  canvas.addEventListener("pointerdown", (event) => {
    const [x, y] = at(event);
    const axis = frame().axes.find((each) => Math.abs(each.x - x) < REACH);
    if (!axis) return;
    drag = {id: axis.id, start: y, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    if (!drag) {
      point(study, frame(), x, y, event);
      return;
    }
    drag.moved ||= Math.abs(y - drag.start) > 3;
    if (drag.moved) study.refine((filter) => keepShares(study, filter, drag.id, shareAt(drag.start), shareAt(y)));
  });
  const end = () => {
    if (drag && !drag.moved) study.refine((filter) => filter.drop(drag.id));
    drag = null;
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => {
    study.point(null);
    hideTip();
  });
  canvas.addEventListener("click", (event) => {
    const [x] = at(event);
    const onAxis = frame().axes.some((each) => Math.abs(each.x - x) < REACH);
    if (!onAxis && study.pointed !== null) location.hash = trialAddress(study, {number: study.pointed});
  });
}

/** Point at the line that is nearest, among those that are shown. */
function point(study, frame, x, y, event) {
  let [found, least] = [null, FINGER];
  for (const trial of study.drawn) {
    if (!trial.kept) continue;
    const points = pointsOf(trial, frame);
    const next = points.findIndex(([px]) => px >= x);
    if (next < 1) continue;
    const [[x0, y0], [x1, y1]] = [points[next - 1], points[next]];
    const distance = Math.abs(y0 + ((x - x0) / (x1 - x0)) * (y1 - y0) - y);
    if (distance < least) [found, least] = [trial, distance];
  }
  study.point(found ? found.number : null);
  if (found) showTip(trialLine(found, study.facts.metric), event.clientX, event.clientY);
  else hideTip();
}
