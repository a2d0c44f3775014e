/** @import {App, Classes} from "../types.js" */
import { el } from "../dom.js";
import { percent, several } from "../format.js";
import { moreOf } from "../parts/more.js";
import { topicName } from "../parts/topic_name.js";

const TYPICAL = 4;
const STEP = 50;

/** What groups are about. @param {App} app @param {Classes} groups */
export function groupsView(app, groups) {
  const { share } = app.content;
  const topics = share.map((_, k) => k).sort((a, b) => share[b] - share[a]);
  return [
    el("h2", { tabindex: -1 }, "Groups"),
    el("p", { class: "say" }, "What each group has more of than the documents as a whole."),
    el("div", { class: "cards" }, groups.names.map((_, g) => card(app, groups, g))),
    el("h3", { id: "matrix" }, "All shares"),
    el(
      "p",
      { class: "quiet" },
      "Percent of each topic (row) in each group (column); the stronger the color, the more.",
    ),
    matrix(app, groups, topics),
  ];
}

/** @param {App} app @param {Classes} groups @param {number[]} topics */
function matrix(app, groups, topics) {
  const most = Math.max(...groups.share.flat());
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
          el("th", { scope: "col" }, el("span", { class: "turned", dir: "auto" }, name)),
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

/** @param {App} app @param {Classes} groups @param {number} g */
function card(app, groups, g) {
  const { share } = app.content;
  // How much more of a topic than in all documents, weighed by how much there is.
  const lead = share.map((all, k) => {
    const here = groups.share[k][g];
    return here > 0 && all > 0 ? here * Math.log(here / all) : -Infinity;
  });
  const typical = share.map((_, k) => k).sort((a, b) => lead[b] - lead[a]).slice(0, TYPICAL);
  return el(
    "section",
    { class: "card" },
    el("h3", { dir: "auto" }, groups.names[g]),
    el("p", { class: "quiet" }, several(groups.documents[g], "document")),
    el(
      "ul",
      {},
      typical
        .filter((k) => lead[k] > 0)
        .map((k) =>
          el(
            "li",
            { class: "typical" },
            el("span", { class: "bar", "--part": groups.share[k][g] }),
            el("span", { class: "value" }, percent(groups.share[k][g])),
            topicName(app, k),
          ),
        ),
    ),
  );
}
