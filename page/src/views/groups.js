/** @import {App, Classes} from "../types.js" */
import { el } from "../dom.js";
import { percent, several } from "../format.js";
import { largestFirst } from "../order.js";
import { moreOf } from "../parts/more.js";
import { shareBar } from "../parts/share_bar.js";
import { topicName } from "../parts/topic_name.js";

const TYPICAL = 4;
const STEP = 50;

/** What groups are about. @param {App} app @param {Classes} groups */
export function groupsView(app, groups) {
  const { share } = app.content;
  const topics = largestFirst(share);
  const typical = groups.names.map((_, g) => typicalTopics(share, groups, g));
  // One scale for all bars, which has room for the largest, with its interval.
  const most = Math.max(...typical.flatMap((of, g) => of.map((k) => groups.high[k][g] ?? 0)));
  return [
    el("h2", { tabindex: -1 }, "Groups"),
    el(
      "p",
      { class: "say" },
      "The typical topics of each group: those whose share in the group is highest compared with their share in all documents, which is in parentheses. The line on a bar is a 95% interval. If the share in all documents lies within it, the difference may be due to chance. " +
        "If it does not, it may still be: of many shares, the highest are high by chance. Even where groups do not differ, this is so for up to a third of these bars.",
    ),
    el("div", { class: "cards" }, typical.map((of, g) => card(app, groups, g, of, most))),
    el("h3", { id: "matrix" }, "All shares"),
    el(
      "p",
      { class: "quiet" },
      "The share of each topic (row) in each group (column), in percent. A stronger color is a larger share; an empty cell is less than 0.5%. The page of a topic has the 95% intervals.",
    ),
    matrix(app, groups, topics),
  ];
}

/** @param {App} app @param {Classes} groups @param {number[]} topics */
function matrix(app, groups, topics) {
  // Row by row: browsers refuse a call with as many arguments as a large table has cells.
  const most = Math.max(...groups.share.map((row) => Math.max(...row)));
  const body = el("tbody");
  const table = el(
    "table",
    { class: "matrix" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td"),
        groups.names.map((name) =>
          el("th", { scope: "col" }, el("span", { class: "turned", dir: "auto", title: name }, name)),
        ),
      ),
    ),
    body,
  );
  const region = el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "matrix" },
    table,
  );
  /** @param {number} topic */
  const row = (topic) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, topicName(app, topic)),
      groups.share[topic].map((share) =>
        el(
          "td",
          { "--part": Math.sqrt(share / most) },
          share < 0.005 ? "" : String(Math.round(100 * share)),
        ),
      ),
    );
  return moreOf(topics, STEP, "topic", row, body, region);
}

/**
 * Topics of which a group has more than all documents, those first of which it has most.
 * @param {number[]} all shares in all documents
 * @param {Classes} groups
 * @param {number} g
 */
function typicalTopics(all, groups, g) {
  // How much more of a topic, weighed by how much there is.
  const lead = all.map((share, k) => {
    const here = groups.share[k][g];
    return here > 0 && share > 0 ? here * Math.log(here / share) : 0;
  });
  return largestFirst(lead)
    .filter((k) => lead[k] > 0)
    .slice(0, TYPICAL)
    .sort((a, b) => groups.share[b][g] - groups.share[a][g]);
}

/**
 * @param {App} app
 * @param {Classes} groups
 * @param {number} g
 * @param {number[]} typical topics
 * @param {number} most what is as wide as a bar can be
 */
function card(app, groups, g, typical, most) {
  const { share } = app.content;
  return el(
    "section",
    { class: "card" },
    el("h3", { dir: "auto" }, groups.names[g]),
    el("p", { class: "quiet" }, several(groups.documents[g], "document")),
    el(
      "ul",
      {},
      typical.map((k) =>
        el(
          "li",
          { class: "typical" },
          topicName(app, k),
          shareBar(groups, k, g, most),
          el("span", { class: "value" }, `${percent(groups.share[k][g])} (all: ${percent(share[k])})`),
        ),
      ),
    ),
  );
}
