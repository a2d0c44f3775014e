import { el, svg } from "../dom.js";

const WIDTH = 400;
const HEIGHT = 100;
// Half of the width of the band of a point that stands alone.
const ALONE = 3;

/**
 * @typedef {object} Line
 * @property {number[]} x
 * @property {(number | null)[]} y
 * @property {{low: (number | null)[], high: (number | null)[]}} [band] ends of intervals
 * @property {string} label what it shows, for those who do not see it
 * @property {(i: number) => string} read what a point says
 * @property {[low: string, high: string]} ends of the x axis
 * @property {(value: number) => string} format of the y axis
 * @property {boolean} [fromZero] whether the y axis starts at 0
 * @property {number} [most] value at the top of the y axis
 */

/**
 * A line with a band, in a picture that stretches to its place. Text is HTML, which does not
 * stretch.
 * @param {Line} line
 */
export function lineChart({ x, y, band, label, read, ends, format, fromZero = true, most }) {
  const known = y.flatMap((value, i) => (value === null ? [] : [i]));
  /** @param {number} i */
  const high = (i) => band?.high[i] ?? Number(y[i]);
  const values = known.map((i) => Number(y[i]));
  const low = fromZero ? 0 : Math.min(...values);
  const top = most ?? Math.max(...known.map(high), low + 1e-9);
  const span = x[x.length - 1] - x[0] || 1;
  /** @param {number} i */
  const px = (i) => ((x[i] - x[0]) / span) * WIDTH;
  /** @param {number} value */
  const py = (value) => HEIGHT * (1 - (Math.min(Math.max(value, low), top) - low) / (top - low));

  const runs = consecutive(known);
  const areas = band
    ? runs.map((run) => {
        const places =
          run.length > 1
            ? run.map((i) => ({ i, place: px(i) }))
            : [-ALONE, ALONE].map((by) => ({ i: run[0], place: px(run[0]) + by }));
        const upper = places.map(({ i, place }) => `${place},${py(high(i))}`);
        const lower = places.map(({ i, place }) => `${place},${py(band.low[i] ?? Number(y[i]))}`);
        return svg("polygon", { class: "band", points: [...upper, ...lower.reverse()].join(" ") });
      })
    : [];
  // A point is a line without a length, whose round ends do not stretch.
  const lines = runs.map((run) =>
    svg("polyline", {
      class: run.length === 1 && "point",
      points: [...run, run[run.length - 1]].map((i) => `${px(i)},${py(Number(y[i]))}`).join(" "),
    }),
  );
  const cursor = svg("line", { class: "cursor", y1: 0, y2: HEIGHT, visibility: "hidden" });
  const readout = el("span", { class: "readout", "aria-hidden": "true" });
  /** @param {PointerEvent} event */
  const point = (event) => {
    const box = picture.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * WIDTH;
    const i = known.reduce((a, b) => (Math.abs(px(b) - at) < Math.abs(px(a) - at) ? b : a));
    cursor.setAttribute("x1", String(px(i)));
    cursor.setAttribute("x2", String(px(i)));
    cursor.setAttribute("visibility", "visible");
    readout.textContent = read(i);
  };
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": label,
      onpointerdown: point,
      onpointermove: point,
      onpointerleave: ({ pointerType }) => {
        if (pointerType === "touch") return; // a finger has left before its owner has read
        cursor.setAttribute("visibility", "hidden");
        readout.textContent = "";
      },
    },
    areas,
    lines,
    cursor,
  );
  // The label of the picture says it in a sentence.
  const seen = { "aria-hidden": "true" };
  return el(
    "div",
    { class: "chart" },
    el("span", { class: "y", ...seen }, format(top)),
    el("span", { class: "y low", ...seen }, format(low)),
    picture,
    el("span", { class: "first", ...seen }, ends[0]),
    readout,
    el("span", { class: "last", ...seen }, ends[1]),
  );
}

/**
 * Runs of consecutive numbers.
 * @param {number[]} numbers
 */
function consecutive(numbers) {
  /** @type {number[][]} */
  const runs = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run && run[run.length - 1] === number - 1) run.push(number);
    else runs.push([number]);
  }
  return runs;
}
