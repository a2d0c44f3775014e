/** @import {Classes} from "../types.js" */
import { el } from "../dom.js";
import { interval } from "../format.js";

/**
 * The share of a topic in a class of documents as a bar, with a line for its 95% interval.
 * @param {Classes} classes
 * @param {number} topic
 * @param {number} i the class
 * @param {number} most what is as wide as its place
 */
export function shareBar({ share, low, high }, topic, i, most) {
  const [from, to] = [low[topic][i], high[topic][i]];
  const bar = el("span", { class: "bar", "--part": share[topic][i] / most });
  if (from === null || to === null) return el("span", { class: "track" }, bar);
  const ends = interval(from, to);
  return el(
    "span",
    { class: "track", title: `95% interval: ${ends}` },
    bar,
    el("span", { class: "interval", "--from": from / most, "--to": to / most }),
    el("span", { class: "unseen" }, `95% interval ${ends}, share `),
  );
}
