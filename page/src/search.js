/** @import {Documents} from "./types.js" */
import { largestFirst } from "./order.js";

/**
 * @typedef {object} Filter
 * @property {string} text all of its words must occur, in any case
 * @property {number | null} topic with at least a tenth of this topic
 * @property {number | null} group
 * @property {string} from an ISO date, or ""
 * @property {string} to
 */

/** Documents in which a topic has less are not of the topic. */
export const LEAST_OF_TOPIC = 100; // thousandths

// Accents, once they are characters of their own; points of Hebrew, vowels and lines of Arabic, which
// are mostly left out; soft hyphens, joiners and marks of direction, which nobody types.
const OPTIONAL =
  /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u00ad\u200b-\u200f\u0640]/g;

/**
 * A text as it is searched: in any case and width of letters, with and without accents.
 * @param {string} text
 */
export function folded(text) {
  return text.normalize("NFKD").toLowerCase().normalize("NFKD").replace(OPTIONAL, "").normalize("NFC");
}

/**
 * Share of a topic in a document, in thousandths.
 * @param {Documents} documents @param {number} i @param {number} topic
 */
export function thousandths(documents, i, topic) {
  const pairs = documents.topics[i];
  for (let j = 0; j < pairs.length; j += 2) if (pairs[j] === topic) return pairs[j + 1];
  return 0;
}

/** @type {WeakMap<Documents, string[]>} */
const lowered = new WeakMap();

/** @param {Documents} documents */
function haystacks(documents) {
  let texts = lowered.get(documents);
  if (!texts) {
    texts = documents.row.map((_, i) =>
      folded(`${documents.name?.[i] ?? ""}\n${documents.text?.[i] ?? ""}`),
    );
    lowered.set(documents, texts);
  }
  return texts;
}

/**
 * Places of the documents that pass a filter; those with most of the topic first, if one is named.
 * @param {Documents} documents
 * @param {Filter} filter
 */
export function find(documents, filter) {
  const terms = folded(filter.text).split(/\s+/).filter(Boolean);
  const texts = terms.length ? haystacks(documents) : [];
  /** @type {number[]} */
  const found = [];
  for (let i = 0; i < documents.row.length; i++) {
    if (filter.group !== null && documents.group?.[i] !== filter.group) continue;
    const date = documents.date?.[i] ?? "";
    if (filter.from && !(date >= filter.from)) continue;
    if (filter.to && !(date && date <= filter.to)) continue;
    if (filter.topic !== null && thousandths(documents, i, filter.topic) < LEAST_OF_TOPIC) continue;
    if (!terms.every((term) => texts[i].includes(term))) continue;
    found.push(i);
  }
  const { topic } = filter;
  if (topic === null) return found;
  return largestFirst(found.map((i) => thousandths(documents, i, topic))).map((place) => found[place]);
}
