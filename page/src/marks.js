import { el } from "./dom.js";

// Words as most tokenizers see them, with digits, apostrophes, hyphens and Unicode's joiners inside.
const TOKEN = /[\p{L}\p{M}\p{N}_]+(?:(?:['’-]|\u200c|\u200d)[\p{L}\p{M}\p{N}_]+)*/gu;

// What a name, such as a title, may not follow or precede.
const LETTER = "[\\p{L}\\p{M}\\p{N}_]";
const LETTER_AT_END = new RegExp(`${LETTER}$`, "u");

/**
 * A text with words of a topic marked. Names with blanks or signs, such as titles, are found as
 * they are; phrases of up to three words also with other signs between their words.
 * @param {string} text
 * @param {Map<string, number>} weights of words in lower case, in (0, 1]
 * @returns {(string | HTMLElement)[]}
 */
export function marked(text, weights) {
  const names = [...weights.keys()].filter((word) => word.replace(TOKEN, "") !== "");
  if (names.length === 0) return markedWords(text, weights);
  names.sort((a, b) => b.length - a.length);
  const literal = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|");
  const parts = [];
  let end = 0;
  for (const { 0: name, index } of text.matchAll(new RegExp(`(?:${literal})(?!${LETTER})`, "giu"))) {
    const weight = weights.get(name.toLowerCase());
    if (weight === undefined || LETTER_AT_END.test(text.slice(end, index))) continue;
    parts.push(...markedWords(text.slice(end, index), weights), mark(name, weight));
    end = index + name.length;
  }
  parts.push(...markedWords(text.slice(end), weights));
  return parts;
}

/** @param {string} text @param {number} weight */
const mark = (text, weight) => el("mark", { "--weight": weight.toFixed(2) }, text);

/**
 * @param {string} text
 * @param {Map<string, number>} weights
 * @returns {(string | HTMLElement)[]}
 */
function markedWords(text, weights) {
  const tokens = [...text.matchAll(TOKEN)].flatMap(split(weights));
  const parts = [];
  let end = 0;
  for (let i = 0; i < tokens.length; i++) {
    for (let n = Math.min(3, tokens.length - i); n > 0; n--) {
      const words = tokens.slice(i, i + n);
      const weight = weights.get(words.map(({ word }) => word).join(" "));
      if (weight === undefined) continue;
      const last = words[n - 1];
      const stop = last.start + last.length;
      parts.push(text.slice(end, tokens[i].start));
      parts.push(mark(text.slice(tokens[i].start, stop), weight));
      end = stop;
      i += n - 1;
      break;
    }
  }
  parts.push(text.slice(end));
  return parts;
}

// Letters of scripts without spaces between words.
const UNSPACED =
  "[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmr}\\p{scx=Mymr}]";
const STARTS_UNSPACED = new RegExp(`^${UNSPACED}`, "u");

// What words may be inside of a match, whose tokenizer leaves out hyphens, or digits, or divides
// letters by their scripts.
const PARTS = [
  /[^'’-]+/gu,
  /[\p{L}\p{M}]+/gu,
  new RegExp(`${UNSPACED}+|(?:(?!${UNSPACED}).)+`, "gu"),
];

/**
 * Tokens of a run of letters without spaces: at each place the longest word that begins there.
 * @param {string} text
 * @param {number} start
 * @param {Map<string, number>} weights
 * @returns {{word: string, start: number, length: number}[]}
 */
function longestWords(text, start, weights) {
  // Few words, and seldom of many lengths, but one may be very long.
  const lengths = [...new Set([...weights.keys()].map((word) => word.length))];
  lengths.sort((a, b) => b - a);
  const found = [];
  for (let i = 0; i < text.length; ) {
    const fits = lengths.find((n) => weights.has(text.slice(i, i + n).toLowerCase()));
    const length = Math.min(fits || 1, text.length - i);
    found.push({ word: text.slice(i, i + length).toLowerCase(), start: start + i, length });
    i += length;
  }
  return found;
}

/**
 * Tokens of a match: itself if it is a word, else its parts.
 * @param {Map<string, number>} weights
 * @returns {(match: RegExpMatchArray) => {word: string, start: number, length: number}[]}
 */
function split(weights) {
  /**
   * @param {string} text @param {number} start @param {RegExp[]} patterns
   * @returns {{word: string, start: number, length: number}[]}
   */
  const tokens = (text, start, [pattern, ...others]) => {
    const word = text.toLowerCase(); // which may be longer
    if (weights.has(word)) return [{ word, start, length: text.length }];
    if (!pattern && STARTS_UNSPACED.test(text)) return longestWords(text, start, weights);
    if (!pattern) return [{ word, start, length: text.length }];
    return [...text.matchAll(pattern)].flatMap((part) => tokens(part[0], start + part.index, others));
  };
  return (match) => tokens(match[0], match.index ?? 0, PARTS);
}
