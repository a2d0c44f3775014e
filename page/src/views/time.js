/** @import {App, Classes} from "../types.js" */
/** @import {ChangeOfTopic} from "../change.js" */
import { changeOf, clearness, isClear } from "../change.js";
import { trend } from "../charts/trend.js";
import { el, show } from "../dom.js";
import { count, percent, several } from "../format.js";
import { largestFirst } from "../order.js";
import { moreOf } from "../parts/more.js";
import { topicName } from "../parts/topic_name.js";

const STEP = 24;

/** Shares over time: a small picture for each topic. @param {App} app @param {Classes} periods */
export function timeView(app, periods) {
  const { documents } = periods;
  // Of the documents that have a date.
  const share = periods.share.map((values) => mean(values, documents));
  const { change } = periods;
  // Large changes of few documents are not the surest.
  const rise = share.map((_, k) => (change ? clearness(changeOf(change, k)) : 0));
  /** @type {Record<string, number[]>} */
  const orders = {
    "largest first": share,
    "clearest rise first": rise,
    "clearest fall first": rise.map((value) => -value),
  };
  const results = el("div");
  const arrange = () => {
    show(
      results,
      moreOf(largestFirst(orders[order.value]), STEP, "topic", (topic) =>
        el(
          "div",
          { class: "small" },
          el("h3", {}, topicName(app, topic)),
          el("p", { class: "quiet" }, `Mean ${percent(share[topic])}`, change && [" · ", says(changeOf(change, topic))]),
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
    change && el("p", { class: "say" }, comparison(periods, change.later)),
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

/** @param {Classes} periods @param {number} from the first of the later ones */
function comparison({ names, documents }, from) {
  const [before, later] = [total(documents.slice(0, from)), total(documents.slice(from))];
  return (
    `“Up” and “down” compare the ${several(later, "document")} from ${names[from]} on with the ${count(before)} before. ` +
    "In parentheses is the 95% interval of the difference. These words are used only if it excludes zero. Even so, about one in " +
    "twenty topics that do not change is up or down by chance."
  );
}

/** @param {ChangeOfTopic} change */
function says(change) {
  if (!isClear(change)) return "no clear change";
  const up = change.mean > 0;
  const [mean, ...ends] = [change.mean, change.low, change.high].map((value) => 100 * Math.abs(value));
  ends.sort((a, b) => a - b);
  // As many digits as show that the interval excludes zero; shares have no more than these.
  const digits = [1, 2, 3].find((n) => Number(ends[0].toFixed(n)) > 0);
  if (!digits) return "no clear change";
  const [said, low, high] = [mean, ...ends].map((value) => value.toFixed(digits));
  return el("span", { class: "change" }, `${up ? "up" : "down"} ${said} (${low} to ${high}) percentage points`);
}
