/**
 * @typedef {object} Route
 * @property {string} view
 * @property {string} argument
 * @property {URLSearchParams} query
 */

/**
 * The view that the address names: `#/topic/3`, `#/documents?topic=3`.
 * @param {string} hash
 * @returns {Route}
 */
export function route(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [view, argument = ""] = path.split("/");
  return { view: view || "topics", argument, query: new URLSearchParams(query) };
}

/** @param {number} topic */
export const topicLink = (topic) => `#/topic/${topic}`;
