// The objective against one parameter at a time.

import {h} from "./dom.js";
import {byRank, pointsChart} from "./points.js";

export function sliceCharts(study, life) {
  return h("div.many", {}, study.parameters.map(({id, title}) =>
    h("figure", {}, pointsChart(study, life, {
      label: `The ${study.facts.metric} against ${title}`, size: 230, x: id, y: "value", look: byRank,
    }))));
}
