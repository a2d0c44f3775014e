/** @import {App, Classes} from "../types.js" */
import { changeOf, laterFrom } from "../change.js";
import { trend } from "../charts/trend.js";
import { el, show } from "../dom.js";
import { count, percent, several } from "../format.js";
import { moreOf } from "../parts/more.js";
import { topicName } from "../parts/topic_name.js";

const STEP = 24;

/** Shares over time: a small picture for each topic. @param {App} app @param {Classes} periods */
export function timeView(app, periods) {
  const { names, documents } = periods;
  // Of the documents that have a date.
  const share = periods.share.map((values) => mean(values, documents));
  const from = laterFrom(documents);
  const changes = share.map((_, k) => changeOf(periods, k, from));
  // Large changes of few documents are not the surest.
  const rise = changes.map(({ change, half }) => change / half || 0);
  /** @type {Record<string, (topic: number) => number>} */
  const orders = {
    "largest first": (k) => -share[k],
    "clearest rise first": (k) => -rise[k],
    "clearest fall first": (k) => rise[k],
  };
  const dated = total(documents);
  const later = total(documents.slice(from));
  const results = el("div");
  const arrange = () => {
    const key = orders[order.value];
    const topics = share.map((_, k) => k).sort((a, b) => key(a) - key(b));
    show(
      results,
      moreOf(topics, STEP, "topic", (topic) =>
        el(
          "div",
          { class: "small" },
          el("h3", {}, topicName(app, topic)),
          el("p", { class: "quiet" }, `Mean ${percent(share[topic])} · `, says(changes[topic])),
          trend(app, periods, topic),
        ),
        el("div", { class: "multiples" }),
      ),
    );
  };
  const order = el(
    "select",
    { id: "order", onchange: arrange },
    Object.keys(orders).map((name) => el("option", { value: name }, name)),
  );
  arrange();
  return [
    el("h2", { tabindex: -1 }, "Over time"),
    el(
      "p",
      { class: "say" },
      `The share of each topic in the documents of each ${periods.unit}. The band is a 95% interval; ` +
        "where it is very wide, it is cut off. Each picture has its own scale." +
        (periods.unit === "week" ? " A week is named by its first day." : ""),
    ),
    el(
      "p",
      { class: "say" },
      `“Up” and “down” compare the ${several(later, "document")} from ${names[from]} on with the ${count(dated - later)} before. ` +
        "These words are used only if the 95% interval of the difference excludes zero. Even so, about one in twenty topics that " +
        "do not change is up or down by chance.",
    ),
    el("div", { class: "tools" }, el("label", { for: "order" }, "Order: ", order)),
    results,
  ];
}

/** @param {number[]} numbers */
const total = (numbers) => numbers.reduce((a, b) => a + b, 0);

/**
 * @param {number[]} values
 * @param {number[]} documents
 */
function mean(values, documents) {
  const all = total(documents);
  return all ? values.reduce((sum, value, i) => sum + value * documents[i], 0) / all : 0;
}

/** @param {ReturnType<typeof changeOf>} change */
function says({ change, half, clear }) {
  const [points, error] = [100 * Math.abs(change), 100 * half];
  // As many digits as show that the interval excludes zero; shares have no more than these.
  const digits = [1, 2, 3].find((n) => Number(points.toFixed(n)) > Number(error.toFixed(n)));
  if (!clear || !digits) return "no clear change";
  const said = `${points.toFixed(digits)} (±${error.toFixed(digits)}) percentage points`;
  return el("span", { class: "change" }, `${change > 0 ? "up" : "down"} ${said}`);
}
