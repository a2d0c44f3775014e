/** @import {Content} from "./types.js" */

/**
 * @typedef {object} Ranked A word of a topic.
 * @property {number} id in `content.words`
 * @property {string} word
 * @property {number} inTopic p(w | k)
 * @property {number} ofWord p(k | w): the part of the word's occurrences that is in the topic
 */

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
  return words
    .map((_, i) => i)
    .sort((a, b) => values[b] - values[a] || a - b)
    .slice(0, n)
    .map((i) => ({
      id: words[i],
      word: content.words[words[i]],
      inTopic: Math.exp(log[i]),
      ofWord: Math.min(
        1,
        content.token_share[topic] * Math.exp(log[i] - content.log_mixture[words[i]]),
      ),
    }));
}
