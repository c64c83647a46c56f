// The axes of a chart, and the box that they enclose.

import {short} from "./format.js";

export const FONT = "12px system-ui, sans-serif";
const LETTER = 6.6;

/** The box of a chart within its canvas, in pixels. */
export function boxOf(width, height) {
  const box = {left: 58, right: width - 10, top: 10, bottom: height - 42};
  box.across = (share) => box.left + share * (box.right - box.left);
  box.up = (share) => box.bottom - share * (box.bottom - box.top);
  box.shareX = (x) => (x - box.left) / (box.right - box.left);
  box.shareY = (y) => (box.bottom - y) / (box.bottom - box.top);
  return box;
}

/** Draw both axes with their titles. */
export function drawAxes(context, box, x, y, colours) {
  context.font = FONT;
  context.lineWidth = 1;
  drawUp(context, box, y, colours);
  drawAcross(context, box, x, colours);
}

function drawUp(context, box, {scale, title}, colours) {
  context.textAlign = "right";
  for (const [share, label] of scale.ticks(5)) {
    const at = Math.round(box.up(share)) + 0.5;
    line(context, box.left, at, box.right, at, colours.grid);
    context.fillStyle = colours.soft;
    context.fillText(short(label, 7), box.left - 6, at + 4);
  }
  context.save();
  context.translate(12, (box.top + box.bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillStyle = colours.ink;
  context.fillText(short(title, Math.floor((box.bottom - box.top) / LETTER)), 0, 0);
  context.restore();
}

function drawAcross(context, box, {scale, title}, colours) {
  const width = box.right - box.left;
  const ticks = scale.ticks(Math.max(2, Math.min(6, Math.floor(width / 70))));
  const room = Math.max(3, Math.floor(width / Math.max(ticks.length, 1) / LETTER));
  context.textAlign = "center";
  for (const [share, label] of ticks) {
    const at = Math.round(box.across(share)) + 0.5;
    line(context, at, box.bottom, at, box.bottom + 4, colours.axis);
    context.fillStyle = colours.soft;
    context.fillText(short(label, room), at, box.bottom + 17);
  }
  line(context, box.left, box.bottom + 0.5, box.right, box.bottom + 0.5, colours.axis);
  context.fillStyle = colours.ink;
  context.fillText(short(title, Math.floor(width / LETTER)), (box.left + box.right) / 2, box.bottom + 36);
}

/** Draw a line through points. */
export function trace(context, points) {
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.stroke();
}

function line(context, x0, y0, x1, y1, colour) {
  context.strokeStyle = colour;
  trace(context, [[x0, y0], [x1, y1]]);
}
