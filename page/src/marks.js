import { el } from "./dom.js";
import { folded } from "./search.js";

// Words as most tokenizers see them, with digits, apostrophes, hyphens and Unicode's joiners inside.
const TOKEN = /[\p{L}\p{M}\p{N}_]+(?:(?:['’-]|\u200c|\u200d)[\p{L}\p{M}\p{N}_]+)*/gu;

// What a name, such as a title, may not follow or precede.
const LETTER = "[\\p{L}\\p{M}\\p{N}_]";
const LETTER_AT_END = new RegExp(`${LETTER}$`, "u");

/**
 * A text as words are compared, in lower case: an accented letter may be one character or two, and
 * so may a small dotted i.
 * @param {string} text
 */
export function lowered(text) {
  return text.toLowerCase().replaceAll("i\u0307", "i").normalize("NFC");
}

/** @typedef {(text: string) => string} Spelling */

/**
 * How words in texts are made those that have weights. If none of these has an accent, accents may
 * have been taken off before words were counted, so those of the text are of no account.
 * @param {Map<string, number>} weights
 * @returns {Spelling}
 */
const spelling = (weights) =>
  [...weights.keys()].every((word) => word === folded(word)) ? folded : lowered;

/**
 * A text with words of a topic marked. Names with blanks or signs, such as titles, are found as
 * they are; phrases of up to three words also with other signs between their words.
 * @param {string} text
 * @param {Map<string, number>} weights of words that are `lowered`, in (0, 1]
 * @returns {(string | HTMLElement)[]}
 */
export function marked(text, weights) {
  const spelled = spelling(weights);
  const names = [...weights.keys()].filter((word) => word.replace(TOKEN, "") !== "");
  if (names.length === 0) return markedWords(text, weights, spelled);
  names.sort((a, b) => b.length - a.length);
  const literal = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|");
  const parts = [];
  let end = 0;
  for (const { 0: name, index } of text.matchAll(new RegExp(`(?:${literal})(?!${LETTER})`, "giu"))) {
    const weight = weights.get(spelled(name));
    if (weight === undefined || LETTER_AT_END.test(text.slice(end, index))) continue;
    parts.push(...markedWords(text.slice(end, index), weights, spelled), mark(name, weight));
    end = index + name.length;
  }
  parts.push(...markedWords(text.slice(end), weights, spelled));
  return parts;
}

/** @param {string} text @param {number} weight */
const mark = (text, weight) => el("mark", { "--weight": weight.toFixed(2) }, text);

/**
 * @param {string} text
 * @param {Map<string, number>} weights
 * @param {Spelling} spelled
 * @returns {(string | HTMLElement)[]}
 */
function markedWords(text, weights, spelled) {
  const tokens = [...text.matchAll(TOKEN)].flatMap(split(weights, spelled));
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
export const HAS_UNSPACED = new RegExp(UNSPACED, "u");
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
 * @param {Spelling} spelled
 * @returns {{word: string, start: number, length: number}[]}
 */
function longestWords(text, start, weights, spelled) {
  // Few words, and seldom of many lengths, but one may be very long.
  const lengths = [...new Set([...weights.keys()].map((word) => word.length))];
  lengths.sort((a, b) => b - a);
  const whole = spelled(text);
  const words = whole.length === text.length ? whole : text.toLowerCase(); // letters keep their places
  const found = [];
  for (let i = 0; i < text.length; ) {
    const fits = lengths.find((n) => weights.has(words.slice(i, i + n)));
    const length = Math.min(fits || 1, text.length - i);
    found.push({ word: words.slice(i, i + length), start: start + i, length });
    i += length;
  }
  return found;
}

/**
 * Tokens of a match: itself if it is a word, else its parts.
 * @param {Map<string, number>} weights
 * @param {Spelling} spelled
 * @returns {(match: RegExpMatchArray) => {word: string, start: number, length: number}[]}
 */
function split(weights, spelled) {
  /**
   * @param {string} text @param {number} start @param {RegExp[]} patterns
   * @returns {{word: string, start: number, length: number}[]}
   */
  const tokens = (text, start, [pattern, ...others]) => {
    const word = spelled(text); // which may be longer, or shorter
    if (weights.has(word)) return [{ word, start, length: text.length }];
    if (!pattern && STARTS_UNSPACED.test(text)) return longestWords(text, start, weights, spelled);
    if (!pattern) return [{ word, start, length: text.length }];
    return [...text.matchAll(pattern)].flatMap((part) => tokens(part[0], start + part.index, others));
  };
  return (match) => tokens(match[0], match.index ?? 0, PARTS);
}
