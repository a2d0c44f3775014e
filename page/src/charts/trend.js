/** @import {App, Classes} from "../types.js" */
import { count, interval, percent, several } from "../format.js";
import { asTable } from "./as_table.js";
import { lineChart } from "./line.js";

/**
 * The share of a topic over time.
 * @param {App} app
 * @param {Classes} periods
 * @param {number} topic
 */
export function trend({ labels }, periods, topic) {
  const { names, documents } = periods;
  // A period without documents has no share.
  const y = periods.share[topic].map((value, i) => (documents[i] ? value : null));
  const peak = y.indexOf(Math.max(...y.map(Number)));
  const [first, last] = [documents.findIndex(Boolean), documents.findLastIndex(Boolean)];
  return lineChart({
    x: names.map((_, i) => i),
    y,
    band: { low: periods.low[topic], high: periods.high[topic] },
    label:
      `Share of ${labels.name(topic)} by ${periods.unit}: from ${percent(Number(y[first]))} in ${names[first]} to ` +
      `${percent(Number(y[last]))} in ${names[last]}; highest in ${names[peak]} with ${percent(Number(y[peak]))}.`,
    read: (i) => `${names[i]}: ${percent(Number(y[i]))} of ${several(documents[i], "document")}`,
    ends: [names[0], String(names.at(-1))],
    format: percent,
    // Of periods with a few documents the intervals are wide: they may leave the picture.
    most: Math.min(1, 1.35 * Math.max(...y.map(Number), 1e-4)),
  });
}

/**
 * The same as a table.
 * @param {Classes} classes
 * @param {number} topic
 */
export function shareTable(classes, topic) {
  return asTable(
    ["", "Share", "95% interval", "Documents"],
    classes.names.map((name, i) => {
      const share = classes.share[topic][i];
      const [low, high] = [classes.low[topic][i], classes.high[topic][i]];
      return [
        name,
        classes.documents[i] ? percent(share) : "–",
        low === null || high === null ? "" : interval(low, high),
        count(classes.documents[i]),
      ];
    }),
  );
}
