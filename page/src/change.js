/** @import {Change} from "./types.js" */

/** @typedef {{mean: number, low: number, high: number}} ChangeOfTopic */

/**
 * The change of a topic; null if it is not known.
 * @param {Change} change
 * @param {number} topic
 * @returns {ChangeOfTopic | null}
 */
export function changeOf(change, topic) {
  const [mean, low, high] = [change.mean[topic], change.low[topic], change.high[topic]];
  return mean === null || low === null || high === null ? null : { mean, low, high };
}

/**
 * Whether the interval excludes zero.
 * @param {ChangeOfTopic} change
 */
export const isClear = ({ low, high }) => low > 0 || high < 0;

/**
 * The change in widths of the side of its interval that is nearer to zero: more than 1, or less
 * than -1, if it excludes zero.
 * @param {ChangeOfTopic | null} change
 */
export function clearness(change) {
  if (!change) return 0;
  const { mean, low, high } = change;
  return mean / (mean > 0 ? mean - low : high - mean) || 0;
}
