import { HAS_UNSPACED } from "../marks.js";

/**
 * @typedef {object} Circle
 * @property {number} x
 * @property {number} y
 * @property {number} r
 *
 * @typedef {object} Text One line, in the middle of (x, y).
 * @property {string} text
 * @property {number} x
 * @property {number} y
 * @property {boolean} isNumber
 *
 * @typedef {object} Box
 * @property {number} x its middle
 * @property {number} y
 * @property {number} width
 * @property {number} height
 */

const MOST = 80; // circles with a text
const MOST_LINES = 4;
// In parts of the size of the letters: from line to line, the height of a letter, and the space
// between a circle and the number beside it.
const LINE = 1.1;
const HEIGHT = 0.8;
const GAP = 0.15;

/**
 * What stands on the map: in a circle the first of its names that fits, or else its number, in it or
 * beside it. No text lies over another circle or text.
 * @param {Circle[]} circles
 * @param {number[]} order the most important first
 * @param {(topic: number) => string[]} names
 * @param {number} letters their size
 * @param {Box} map
 * @returns {Text[]}
 */
export function mapTexts(circles, order, names, letters, map) {
  const width = measure(letters);
  /** @type {Box[]} */
  const beside = [];
  return order.slice(0, MOST).flatMap((topic) => {
    const { x, y, r } = circles[topic];
    const number = String(topic);
    for (const text of [...names(topic), number]) {
      const lines = linesIn(text, r, letters, width);
      if (!lines) continue;
      const top = y - (LINE * letters * (lines.length - 1)) / 2;
      return lines.map((line, i) => ({
        text: line,
        x,
        y: top + i * LINE * letters,
        isNumber: text === number,
      }));
    }
    const size = { width: width(number), height: HEIGHT * letters };
    const box = placeBeside(circles, topic, size, GAP * letters, map, beside);
    if (!box) return [];
    beside.push(box);
    return [{ text: number, x: box.x, y: box.y, isNumber: true }];
  });
}

/**
 * How wide a text is.
 * @param {number} letters
 * @returns {(text: string) => number}
 */
function measure(letters) {
  const pen = document.createElement("canvas").getContext("2d");
  if (!pen) return (text) => 0.6 * letters * text.length;
  pen.font = `${letters}px ${getComputedStyle(document.body).fontFamily}`;
  return (text) => pen.measureText(text).width;
}

/**
 * What a line may end after: words, with the blank before them; in scripts without blanks what the
 * browser takes for words, with the signs around them.
 * @param {string} text
 * @returns {string[]}
 */
function pieces(text) {
  const words = text.split(/\s+/).filter(Boolean);
  const segmenter = "Segmenter" in Intl && new Intl.Segmenter(undefined, { granularity: "word" });
  return words.flatMap((word) => {
    if (!segmenter || !HAS_UNSPACED.test(word)) return [` ${word}`];
    const parts = [" "];
    for (const { segment, isWordLike } of segmenter.segment(word)) {
      const last = parts.length - 1;
      if (isWordLike && /[\p{L}\p{N}]/u.test(parts[last])) parts.push(segment);
      else parts[last] += segment;
    }
    return parts;
  });
}

/**
 * A text in as few lines as fit into a circle; null if it does not.
 * @param {string} text
 * @param {number} r
 * @param {number} letters
 * @param {(text: string) => number} width
 */
function linesIn(text, r, letters, width) {
  const words = pieces(text);
  for (let n = 1; n <= Math.min(MOST_LINES, words.length); n++) {
    const room = Array.from({ length: n }, (_, i) => {
      const far = Math.abs(i - (n - 1) / 2) * LINE * letters + (HEIGHT * letters) / 2;
      return 2 * Math.sqrt(Math.max(0, (0.95 * r) ** 2 - far ** 2));
    });
    const lines = Array(n).fill("");
    let i = 0;
    for (const word of words) {
      while (i < n && width((lines[i] + word).trim()) > room[i]) i++;
      if (i < n) lines[i] = (lines[i] + word).trim();
    }
    if (i < n && lines.every(Boolean)) return lines;
  }
  return null;
}

/**
 * A place beside a circle that touches nothing; null if there is none.
 * @param {Circle[]} circles
 * @param {number} topic
 * @param {{width: number, height: number}} size
 * @param {number} gap
 * @param {Box} map
 * @param {Box[]} taken
 * @returns {Box | null}
 */
function placeBeside(circles, topic, size, gap, map, taken) {
  const { x, y, r } = circles[topic];
  const [right, down] = [r + gap + size.width / 2, r + gap + size.height / 2];
  for (const [dx, dy] of [[right, 0], [-right, 0], [0, -down], [0, down]]) {
    const box = { ...size, x: x + dx, y: y + dy };
    const inside =
      2 * Math.abs(box.x - map.x) + box.width <= map.width &&
      2 * Math.abs(box.y - map.y) + box.height <= map.height;
    if (inside && !taken.some((other) => meet(box, other)) && !circles.some((circle) => covers(box, circle))) {
      return box;
    }
  }
  return null;
}

/** @param {Box} a @param {Box} b */
const meet = (a, b) =>
  2 * Math.abs(a.x - b.x) < a.width + b.width && 2 * Math.abs(a.y - b.y) < a.height + b.height;

/** @param {Box} box @param {Circle} circle */
const covers = (box, { x, y, r }) =>
  Math.hypot(
    Math.max(0, Math.abs(x - box.x) - box.width / 2),
    Math.max(0, Math.abs(y - box.y) - box.height / 2),
  ) < r;
