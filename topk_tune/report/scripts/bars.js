// Charts of a few named rows, made of elements.

import {h} from "./dom.js";
import {fixed} from "./format.js";
import {spanning} from "./scales.js";

/** A bar for each parameter, by its share. */
export function importanceBars(shares) {
  const most = Math.max(...Object.values(shares)) || 1;
  return h("div.rows", {}, Object.entries(shares).map(([name, share]) => {
    const bar = h("div.bar");
    bar.style.width = `${(100 * share) / most}%`;
    return row(name, h("div.track", {}, bar), fixed(share, 2));
  }));
}

/** The values of each confirmed configuration, a dot a seed, and their mean. */
export function seedStrips({seeds, metric}) {
  const scale = spanning(seeds.flatMap(({values}) => values));
  const put = (kind, value) => {
    const mark = h(kind, {title: fixed(value)});
    mark.style.left = `${100 * scale.place(value)}%`;
    return mark;
  };
  const rows = seeds.map(({trial, values, mean}) => {
    const track = h("div.track.strip", {}, values.map((value) => put("i.seed", value)), put("i.mean", mean));
    return row(`trial ${trial}`, track, fixed(mean));
  });
  const ends = [scale.low, scale.high].map((value) => fixed(value));
  return h("div.rows", {}, rows, row("", h("div.ends", {}, ends.map((end) => h("span", {}, end))), ""),
    h("p.note", {}, `${metric}: a dot is one seed, the line is the mean.`));
}

function row(name, track, text) {
  return h("div.row", {}, h("span.name", {title: name}, name), track, h("span.n", {}, text));
}
