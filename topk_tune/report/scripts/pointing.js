// Pointing at trials of a chart: the nearest is told about, a click opens it, a drag filters.

import {trialLine} from "./format.js";
import {trialAddress} from "./routes.js";
import {hideTip, showTip} from "./tip.js";

const DRAGGED = 5;

/**
 * Let a canvas be pointed at. `places()` are pairs of a point and its trial; `brush(from, to)`, if
 * there is one, is called with two points while the mouse is dragged, and without when it is over.
 */
export function pointable(study, canvas, places, brush) {
  let start = null;
  let dragged = false;

  const at = (event) => {
    const {left, top} = canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };

  const point = (event) => {
    const reach = event.pointerType === "mouse" ? 12 : 24;
    const trial = nearest(places(), at(event), reach);
    study.point(trial ? trial.number : null);
    if (trial) showTip(trialLine(trial, study.facts.metric), event.clientX, event.clientY);
    else hideTip();
    return trial;
  };

  canvas.addEventListener("pointerdown", (event) => {
    dragged = false;
    if (event.pointerType !== "mouse") point(event);
    else if (brush) start = at(event);
    if (start) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!start) {
      point(event);
      return;
    }
    const here = at(event);
    dragged ||= Math.hypot(here[0] - start[0], here[1] - start[1]) > DRAGGED;
    if (dragged) brush(start, here);
  });
  canvas.addEventListener("pointerup", () => {
    if (start && dragged) brush();
    start = null;
  });
  canvas.addEventListener("pointerleave", () => {
    study.point(null);
    hideTip();
  });
  canvas.addEventListener("click", (event) => {
    if (dragged || event.pointerType !== "mouse") return;
    const trial = point(event);
    if (trial) location.hash = trialAddress(study, trial);
  });
}

function nearest(places, [x, y], reach) {
  let [found, least] = [null, reach];
  for (const [[px, py], trial] of places) {
    const distance = Math.hypot(px - x, py - y);
    if (distance < least) [found, least] = [trial, distance];
  }
  return found;
}
