/** @import {App, Classes} from "../types.js" */
import { trend } from "../charts/trend.js";
import { el, show } from "../dom.js";
import { percent } from "../format.js";
import { moreOf } from "../parts/more.js";
import { topicName } from "../parts/topic_name.js";

const STEP = 24;

/** Shares over time: a small picture for each topic. @param {App} app @param {Classes} periods */
export function timeView(app, periods) {
  // Of the documents that have a date.
  const share = periods.share.map((values) => mean(values, periods.documents));
  const change = periods.share.map((values) => rise(values, periods.documents));
  /** @type {Record<string, (topic: number) => number>} */
  const orders = {
    "largest first": (k) => -share[k],
    "rising most": (k) => -change[k],
    "falling most": (k) => change[k],
  };
  const results = el("div");
  const arrange = () => {
    const key = orders[order.value];
    const topics = share.map((_, k) => k).sort((a, b) => key(a) - key(b));
    show(
      results,
      moreOf(topics, STEP, "topic", (topic) =>
        el(
          "section",
          { class: "small", "aria-label": `Topic ${topic}` },
          el("h3", {}, topicName(app, topic)),
          el("p", { class: "quiet" }, `${percent(share[topic])} on average · ${says(change[topic])}`),
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
        "where it is very wide, it is cut off. Each picture has a scale of its own.",
    ),
    el("div", { class: "tools" }, el("label", { for: "order" }, "Order: ", order)),
    results,
  ];
}

/**
 * @param {number[]} values
 * @param {number[]} documents
 */
function mean(values, documents) {
  const all = documents.reduce((a, b) => a + b, 0);
  return all ? values.reduce((sum, value, i) => sum + value * documents[i], 0) / all : 0;
}

/**
 * Mean share in the later half of the documents less that in the earlier half.
 * @param {number[]} values
 * @param {number[]} documents
 */
function rise(values, documents) {
  const half = documents.reduce((a, b) => a + b, 0) / 2;
  let seen = 0;
  const sums = [0, 0];
  values.forEach((value, i) => {
    const early = Math.min(documents[i], Math.max(0, half - seen));
    sums[0] += value * early;
    sums[1] += value * (documents[i] - early);
    seen += documents[i];
  });
  return half ? (sums[1] - sums[0]) / half : 0;
}

/** @param {number} change */
function says(change) {
  const points = (100 * Math.abs(change)).toFixed(1);
  if (points === "0.0") return "steady";
  return `${change > 0 ? "up" : "down"} ${points} points in the later half`;
}
