// The text beside the pointer.

/** Show a text beside a place on the screen. */
export function showTip(text, x, y) {
  const tip = document.getElementById("tip");
  tip.textContent = text;
  tip.hidden = false;
  const left = Math.min(x + 12, innerWidth - tip.offsetWidth - 8);
  const below = y + 16;
  const above = y - tip.offsetHeight - 12;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${below + tip.offsetHeight > innerHeight ? Math.max(8, above) : below}px`;
}

export function hideTip() {
  document.getElementById("tip").hidden = true;
}
