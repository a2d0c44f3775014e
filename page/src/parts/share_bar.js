import { el } from "../dom.js";
import { interval } from "../format.js";

/**
 * A share as a bar, with a line for its 95% interval.
 * @param {number} share
 * @param {number | null} half half width of the interval; null if it is not known
 * @param {number} most what is as wide as its place
 */
export function shareBar(share, half, most) {
  return el(
    "span",
    { class: "track", title: half !== null && `95% interval: ${interval(share, half)}` },
    el("span", { class: "bar", "--part": share / most }),
    half !== null && [
      el("span", {
        class: "interval",
        "--from": Math.max(0, share - half) / most,
        "--to": Math.min(most, share + half) / most,
      }),
      el("span", { class: "unseen" }, `95% interval ${interval(share, half)}, share `),
    ],
  );
}
