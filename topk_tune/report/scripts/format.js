// Numbers and trials as text.

/** A number with a fixed number of digits; empty if there is none. */
export function fixed(value, digits = 4) {
  return value == null ? "" : value.toFixed(digits);
}

/** A value of a parameter: floats are rounded. */
export function valueText(value) {
  if (value === null) return "None";
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(4)));
}

/** A number as the label of a tick. */
export function tickText(value) {
  const size = Math.abs(value);
  if (size >= 1000 && size < 1e6) return value.toLocaleString("en", {maximumFractionDigits: 0});
  return String(Number(value.toPrecision(6)));
}

/** A text in at most `length` characters. */
export function short(text, length) {
  const flat = String(text).split(/\s+/).join(" ");
  return flat.length <= length ? flat : `${flat.slice(0, Math.max(1, length - 1))}…`;
}

/** A duration. */
export function duration(seconds) {
  const whole = Math.floor(seconds);
  const two = (number) => String(number).padStart(2, "0");
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

/** What is told about a trial when a mouse is over it. */
export function trialLine(trial, metric) {
  const config = Object.entries(trial.params).map(([name, v]) => `${name} ${valueText(v)}`).join(", ");
  if (trial.state === "failed") return `trial ${trial.number} failed: ${trial.error}`;
  if (trial.value == null) return `trial ${trial.number} ${trial.state}: ${config}`;
  const spread = trial.spread == null ? "" : ` ± ${fixed(trial.spread)}`;
  const above = trial.excess > 0 ? `, ${fixed(trial.excess)} above the bound` : "";
  const loops = `after ${trial.loop} ${trial.loop === 1 ? "loop" : "loops"}`;
  return `trial ${trial.number} ${trial.state}: ${metric} ${fixed(trial.value)}${spread}${above} `
    + `${loops}, ${fixed(trial.seconds, 1)} s; ${config}`;
}
