// Scales: from values to places on an axis, from 0 to 1, and back.

import {tickText, valueText} from "./format.js";

/** The identity of a value that has no order. */
export const keyOf = (value) => JSON.stringify(value);

/** A linear or logarithmic scale from `low` to `high`. */
export function numbers(low, high, log = false) {
  const bend = log ? Math.log : (value) => value;
  const [start, end] = [bend(low), bend(high)];
  return {
    log,
    low,
    high,
    place: (value) => (bend(value) - start) / (end - start),
    at: (share) => (log ? Math.exp(start + share * (end - start)) : start + share * (end - start)),
    ticks: (count) => {
      const powers = log ? roundPowers(low, high, count) : [];
      return (powers.length < 2 ? roundSteps(low, high, count) : powers)
        .map((value) => [(bend(value) - start) / (end - start), tickText(value)]);
    },
  };
}

/** A scale of values without order, side by side. */
export function options(values) {
  const indices = new Map(values.map((value, index) => [keyOf(value), index]));
  return {
    options: values,
    place: (value) => (indices.get(keyOf(value)) + 0.5) / values.length,
    ticks: (count) => {
      const step = Math.max(1, Math.ceil(values.length / (2 * count)));
      return values.filter((_, index) => index % step === 0)
        .map((value) => [(indices.get(keyOf(value)) + 0.5) / values.length, valueText(value)]);
    },
  };
}

/** A scale over all values, with a small margin; logarithmic only if all are above 0. */
export function spanning(values, log = false) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return numbers(0, 1);
  if (low === high) {
    const room = Math.abs(low) * 0.1 || 1;
    return numbers(low - room, high + room);
  }
  if (log && low > 0) {
    const room = (high / low) ** 0.04;
    return numbers(low / room, high * room, true);
  }
  const room = (high - low) * 0.04;
  return numbers(low - room, high + room);
}

function roundSteps(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * 0.999);
  const values = [];
  for (let i = Math.ceil(low / step); i * step <= high; i += 1) values.push(Number((i * step).toPrecision(12)));
  return values;
}

function roundPowers(low, high, count) {
  const within = (digits) => {
    const values = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
      values.push(...digits.map((digit) => Number((digit * 10 ** power).toPrecision(12))));
    }
    return values.filter((value) => value >= low && value <= high);
  };
  const fine = within([1, 2, 5]);
  if (fine.length <= count + 2) return fine;
  const coarse = within([1]);
  const step = Math.ceil(coarse.length / (count + 2));
  return coarse.filter((_, index) => index % step === 0);
}
