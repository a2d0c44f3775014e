const integers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** @param {number} value */
export const count = (value) => integers.format(value);

/**
 * A share as a percentage, with as many digits as say something.
 * @param {number} value
 */
export function percent(value) {
  const hundredths = 100 * value;
  if (hundredths === 0) return "0%";
  if (hundredths < 0.005) return "<0.01%";
  if (hundredths < 0.095) return `${hundredths.toFixed(2)}%`;
  return `${hundredths.toFixed(hundredths < 9.95 ? 1 : 0)}%`;
}

/**
 * The interval of a share.
 * @param {number} low
 * @param {number} high
 */
export const interval = (low, high) => `${percent(low)} to ${percent(high)}`;

/**
 * A large number in words: 2.0 million.
 * @param {number} value
 */
export function rough(value) {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)} billion`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} million`;
  return count(value);
}

/**
 * With some digits after the point, and a true minus sign; never "-0.00".
 * @param {number} value
 * @param {number} [digits]
 */
export const decimal = (value, digits = 2) =>
  value.toFixed(digits).replace(/^-(?=[0.]+$)/, "").replace("-", "−");

/**
 * "1 document", "2 documents".
 * @param {number} n
 * @param {string} noun
 * @param {string} [plural]
 */
export const several = (n, noun, plural = `${noun}s`) => `${count(n)} ${n === 1 ? noun : plural}`;

/**
 * Words in one string, as in the tables of Python: if one of them has a blank, such as a title,
 * semicolons divide them.
 * @param {string[]} words
 */
export const joined = (words) => words.join(words.some((word) => word.includes(" ")) ? "; " : " ");
