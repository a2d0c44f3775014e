/** @import {Change} from "./types.js" */

/** @typedef {{mean: number, low: number, high: number}} ChangeOfTopic */

/**
 * The change of a topic.
 * @param {Change} change
 * @param {number} topic
 * @returns {ChangeOfTopic}
 */
export const changeOf = ({ mean, low, high }, topic) => ({ mean: mean[topic], low: low[topic], high: high[topic] });

/**
 * Whether the interval excludes zero.
 * @param {ChangeOfTopic} change
 */
export const isClear = ({ low, high }) => low > 0 || high < 0;

/**
 * The change in widths of the side of its interval that is nearer to zero: more than 1, or less
 * than -1, if it excludes zero.
 * @param {ChangeOfTopic} change
 */
export const clearness = ({ mean, low, high }) => mean / (mean > 0 ? mean - low : high - mean) || 0;
