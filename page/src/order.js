/**
 * Places of numbers, those of the largest first; of equal ones the first.
 * @param {number[]} values
 */
export const largestFirst = (values) =>
  values.map((_, i) => i).sort((a, b) => values[b] - values[a]);
