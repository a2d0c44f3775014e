/** @import {Classes} from "./types.js" */

// Half width of a 95% interval, in standard errors, as in Python.
const WIDTH_95 = 1.96;

/**
 * The first of the later periods: about half of the documents are in them.
 * @param {number[]} documents in each period
 */
export function laterFrom(documents) {
  const half = documents.reduce((a, b) => a + b, 0) / 2;
  let [from, least, before] = [1, Infinity, 0];
  for (let i = 1; i < documents.length; i++) {
    before += documents[i - 1];
    // The last of equal ones, so that no empty period is named.
    if (Math.abs(half - before) <= least) [from, least] = [i, Math.abs(half - before)];
  }
  return from;
}

/**
 * Mean share of a topic in the later documents less that in the earlier ones, and the half width of
 * its 95% interval; NaN for fewer than two documents on a side.
 * @param {Classes} periods
 * @param {number} topic
 * @param {number} from the first of the later periods
 */
export function changeOf(periods, topic, from) {
  const early = meanOf(periods, topic, 0, from);
  const late = meanOf(periods, topic, from, periods.names.length);
  const change = late.mean - early.mean;
  const half = WIDTH_95 * Math.sqrt(early.squaredError + late.squaredError);
  return { change, half, clear: Math.abs(change) > half };
}

/**
 * @param {Classes} periods
 * @param {number} topic
 * @param {number} first
 * @param {number} end
 */
function meanOf({ documents, share, half_width }, topic, first, end) {
  let [n, sum, squares] = [0, 0, 0];
  for (let i = first; i < end; i++) {
    const mean = share[topic][i];
    // From the error of the mean follows how much the documents differ.
    const error = (half_width[topic][i] ?? 0) / WIDTH_95;
    n += documents[i];
    sum += documents[i] * mean;
    squares += documents[i] * (mean ** 2 + error ** 2 * (documents[i] - 1));
  }
  const mean = sum / n;
  const variance = Math.max(0, squares / n - mean ** 2);
  return { mean, squaredError: n > 1 ? variance / (n - 1) : NaN };
}
