// The colours of charts, which follow the screen: light or dark, and light on paper.

const dark = matchMedia("screen and (prefers-color-scheme: dark)");
let palettes = {light: {}, dark: {}};

/** Set the colours by role, for light and dark screens. */
export function setPalettes(given) {
  palettes = given;
}

/** The colours by role, as the screen wants them now. */
export function colours() {
  return dark.matches ? palettes.dark : palettes.light;
}

/** Call a function whenever the colours change. */
export function onTheme(change) {
  dark.addEventListener("change", change);
}
