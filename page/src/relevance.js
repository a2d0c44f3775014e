/** @import {Content} from "./types.js" */
import { largestFirst } from "./order.js";

/**
 * @typedef {object} Ranked A word of a topic.
 * @property {string} word
 * @property {number} inTopic p(w | k)
 * @property {number} ofWord p(k | w): the part of the word's occurrences that is in the topic
 * @property {number} lift p(w | k) / p(w): above 1 the topic has more of the word than others
 */

// The logarithms have five digits after the point.
const ROUNDING = 2e-5;

/**
 * Words of a topic by relevance, lambda log p(w|k) + (1 - lambda) log(p(w|k) / p(w)).
 * @param {Content} content
 * @param {number} topic
 * @param {number} lambda 1 for the most probable words, 0 for the most distinctive
 * @param {number} n
 * @returns {Ranked[]}
 */
export function relevantWords(content, topic, lambda, n) {
  const words = content.topic_words[topic];
  const log = content.topic_log[topic];
  const values = words.map((id, i) => log[i] - (1 - lambda) * content.log_frequency[id]);
  return largestFirst(values)
    .slice(0, n)
    .map((i) => {
      const lift = Math.exp(log[i] - content.log_mixture[words[i]]);
      return {
        word: content.words[words[i]],
        inTopic: Math.exp(log[i]),
        ofWord: Math.min(1, content.token_share[topic] * lift),
        lift,
      };
    });
}

/**
 * These words alone.
 * @param {Content} content
 * @param {number} topic
 * @param {number} lambda
 * @param {number} n
 */
export const topWords = (content, topic, lambda, n) =>
  relevantWords(content, topic, lambda, n).map(({ word }) => word);

/**
 * Words of which a topic has its share or more.
 * @param {Content} content
 * @param {number} topic
 */
export const ownWords = (content, topic) => wordsAbove(content, topic, 1);

/**
 * Words of which a topic has far more than its share: twice as much, or half of the way from its
 * share to all where that is less. All words of the only topic.
 * @param {Content} content
 * @param {number} topic
 */
export const typicalWords = (content, topic) =>
  wordsAbove(content, topic, Math.min(2, (1 + 1 / content.token_share[topic]) / 2));

/** @param {Content} content @param {number} topic @param {number} least */
const wordsAbove = (content, topic, least) =>
  relevantWords(content, topic, 1, Infinity).filter(({ lift }) => lift >= least * (1 - ROUNDING));
