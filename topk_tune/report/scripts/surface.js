// Canvases that are drawn when something has changed and they are on the screen.

import {h} from "./dom.js";
import {colours, onTheme} from "./theme.js";

const PATIENCE = 200;

const every = new Set();
const waiting = new Set();
let frame = 0;
let rest = 0;
let held = false;

/**
 * Two canvases of the width of their place, one over the other. `draw(context, width, height,
 * colours)` fills the lower; `over` draws what changes often and is quickly drawn.
 */
export class Surface {
  constructor({label, height, draw, over, life, heavy = false}) {
    this.canvas = h("canvas", {role: "img", "aria-label": label});
    this._upper = h("canvas.over", {"aria-hidden": "true"});
    this.element = h("div.plot", {}, this.canvas, this._upper);
    this.element.style.height = `${height}px`;
    this.width = 0;
    this.height = height;
    this._draws = {draw, over};
    this.isHeavy = heavy;
    this.isVisible = false;
    this._observe(life);
  }

  _observe(life) {
    const sizes = new ResizeObserver((entries) => {
      const {contentRect} = entries.at(-1);
      if (Math.round(contentRect.width) === this.width) return;
      this.width = Math.round(contentRect.width);
      this.request();
    });
    const views = new IntersectionObserver((entries) => {
      this.isVisible = entries.at(-1).isIntersecting;
      if (this.isVisible && waiting.has(this)) schedule();
    }, {rootMargin: "100px"});
    sizes.observe(this.element);
    views.observe(this.element);
    every.add(this);
    life.addEventListener("abort", () => {
      sizes.disconnect();
      views.disconnect();
      every.delete(this);
      waiting.delete(this);
    });
  }

  /** Draw again, soon. */
  request() {
    waiting.add(this);
    schedule();
  }

  paint() {
    waiting.delete(this);
    if (!this.width) return;
    this._draws.draw(this._cleared(this.canvas), this.width, this.height, colours());
    this.paintOver();
  }

  /** Draw only the upper canvas, at once. */
  paintOver() {
    if (!this.width || waiting.has(this)) return;
    this._draws.over?.(this._cleared(this._upper), this.width, this.height, colours());
  }

  _cleared(canvas) {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    const context = canvas.getContext("2d");
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    return context;
  }
}

function schedule() {
  frame ||= requestAnimationFrame(paintUrgent);
}

function paintUrgent() {
  frame = 0;
  const visible = [...waiting].filter(({isVisible}) => isVisible);
  for (const each of visible) if (!each.isHeavy) each.paint();
  clearTimeout(rest);
  if (visible.some(({isHeavy}) => isHeavy)) rest = setTimeout(paintHeavy, PATIENCE);
}

/** Draw what takes long, when nothing has changed for a while and nothing is dragged. */
function paintHeavy() {
  if (held) return;
  for (const each of [...waiting]) if (each.isVisible) each.paint();
}

onTheme(() => {
  for (const each of every) each.request();
});
addEventListener("pointerdown", () => {
  held = true;
});
for (const kind of ["pointerup", "pointercancel"]) {
  addEventListener(kind, () => {
    held = false;
    schedule();
  });
}
addEventListener("beforeprint", () => {
  for (const each of [...waiting]) each.paint();
});
