/** @import {App} from "../types.js" */
import { topicMap } from "../charts/map.js";
import { el, show } from "../dom.js";
import { count, percent, rough, several } from "../format.js";
import { largestFirst } from "../order.js";
import { labelTools } from "../parts/label_tools.js";
import { topicTable } from "../parts/topic_table.js";
import { topicName } from "../parts/topic_name.js";

/** The first screen: what this is, the map, the list. @param {App} app */
export function topicsView(app) {
  const table = topicTable(app, (topic) => map.highlight(topic));
  const drawnMap = () => topicMap(app, (topic) => table.highlight(topic));
  let map = drawnMap();
  const mapHolder = el("div", { class: "overview-map" }, map.element);
  const find = el("input", {
    type: "search",
    id: "find-topic",
    placeholder: "a word or a label",
    autocomplete: "off",
    value: app.settings.list.find,
    oninput: () => table.filter(find.value),
  });
  const words = el(
    "select",
    { id: "list-words", onchange: () => table.words(Number(words.value)) },
    el("option", { value: 1 }, "most probable"),
    el("option", { value: 0.6 }, "typical"),
    el("option", { value: 0.3 }, "most distinctive"),
  );
  words.value = String(app.settings.list.lambda);
  const edit = el(
    "button",
    {
      type: "button",
      "aria-pressed": "false",
      onclick: () => {
        const on = edit.getAttribute("aria-pressed") !== "true";
        edit.setAttribute("aria-pressed", String(on));
        table.edit(on);
        if (on) return;
        map = drawnMap(); // with the new labels
        show(mapHolder, map.element);
      },
    },
    "Edit labels",
  );
  return [
    el(
      "div",
      { class: "overview" },
      headline(app),
      mapHolder,
      el(
        "section",
        { class: "overview-list", "aria-labelledby": "all-topics" },
        el("h2", { id: "all-topics" }, "All topics"),
        el(
          "div",
          { class: "tools" },
          el("label", { for: "find-topic" }, "Find ", find),
          el("label", { for: "list-words" }, "Words: ", words),
          el("div", { class: "tools" }, edit, labelTools(app)),
        ),
        table.element,
      ),
    ),
  ];
}

/** @param {App} app */
function headline(app) {
  const { content } = app;
  const { share } = content;
  const largest = largestFirst(share).slice(0, 3);
  const doubted = new Set(content.doubts.map(([topic]) => topic)).size;
  const unread = content.documents_given - content.documents_counted;
  return el(
    "section",
    { class: "headline", "aria-label": "Summary" },
    el(
      "p",
      { class: "lead" },
      `${several(content.documents_given, "document")}, ${several(share.length, "topic")}.`,
    ),
    el(
      "p",
      { class: "say" },
      "A topic is a group of words that tend to appear in the same documents. A document can mix several topics. ",
      share.length > 1 && [
        "The largest are ",
        ...largest.flatMap((topic, i) => [
          i > 0 && (i === largest.length - 1 ? " and " : ", "),
          topicName(app, topic),
          ` (${percent(share[topic])})`,
        ]),
        ".",
      ],
    ),
    fitSentence(app),
    el(
      "dl",
      { class: "figures" },
      content.tokens !== null && figure(rough(content.tokens), "known words"),
      figure(count(content.vocabulary), "different words"),
      figure(
        String(doubted),
        el("a", { href: "#/check" }, doubted === 1 ? "topic to check" : "topics to check"),
      ),
      unread > 0 && figure(count(unread), unread === 1 ? "document left out: no known word" : "documents left out: no known word"),
    ),
  );
}

/** @param {string} value @param {string | Node} name */
const figure = (value, name) => el("div", {}, el("dt", {}, name), el("dd", {}, value));

/** @param {App} app */
function fitSentence({ content }) {
  const { fit } = content;
  if (!fit) return null;
  const [known, unknown, but] =
    fit.kind === "held-out"
      ? [
          "half of a document",
          "a word of the other half",
          "The figure is somewhat too optimistic if the topics were learned from these documents.",
        ]
      : [
          "the topics of a document",
          "one of its words",
          "The figure is too optimistic, because the topics of a document were inferred from the same words.",
        ];
  return el(
    "p",
    { class: "say" },
    `How well the topics fit: given ${known}, guessing ${unknown} is like choosing among `,
    `${count(Math.round(fit.perplexity))} equally likely words. `,
    fit.baseline && `With word frequencies alone, it would be ${count(Math.round(fit.baseline))}. `,
    "Fewer is better. ",
    but,
  );
}
