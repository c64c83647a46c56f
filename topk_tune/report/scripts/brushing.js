// Filters by a part of an axis.

/** Keep what lies on an axis between two shares of it. */
export function keepShares(study, filter, id, one, other) {
  const [from, to] = one < other ? [one, other] : [other, one];
  const [scale, dimension] = [study.scale(id), study.dimension(id)];
  if (!scale.options) {
    filter.setRange(dimension, scale.at(from), scale.at(to));
    return;
  }
  const half = 0.5 / scale.options.length;
  filter.setOptions(dimension, scale.options.filter((value) => {
    const at = scale.place(value);
    return at + half > from && at - half < to;
  }));
}

/** The parts of an axis that a filter keeps, as pairs of shares; null if it keeps all. */
export function keptShares(study, id) {
  const scale = study.scale(id);
  const range = study.filter.ranges.get(id);
  if (range && !scale.options) return [[scale.place(range.low), scale.place(range.high)]];
  const chosen = study.filter.chosen.get(id);
  if (!chosen || !scale.options) return null;
  const half = 0.5 / scale.options.length;
  return chosen.values.map((value) => [scale.place(value) - half, scale.place(value) + half]);
}
