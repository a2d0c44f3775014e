/** @import {App} from "../types.js" */
import { announce, el, show } from "../dom.js";
import { count, decimal, joined, percent, several } from "../format.js";
import { largestFirst } from "../order.js";
import { ownWords, topWords } from "../relevance.js";
import { folded } from "../search.js";
import { topicName } from "./topic_name.js";

const WORDS = 8;

/**
 * @typedef {object} Column
 * @property {string} name
 * @property {string} says what is in it
 * @property {number[]} values of the topics, to sort by
 * @property {1 | -1} first the direction in which the first click sorts
 * @property {(topic: number) => HTMLElement} cell
 *
 * @typedef {object} TopicTable
 * @property {HTMLElement} element
 * @property {(topic: number | null) => void} highlight
 * @property {(text: string) => void} filter
 * @property {(lambda: number) => void} words
 * @property {(on: boolean) => void} edit
 */

/**
 * The list of topics, which sorts by its columns.
 * @param {App} app
 * @param {(topic: number | null) => void} onPoint
 * @returns {TopicTable}
 */
export function topicTable(app, onPoint) {
  const { content, labels } = app;
  const { list } = app.settings;
  const { share, led, coherence } = content;
  const most = Math.max(...share);
  const doubted = new Set(content.doubts.map(([topic]) => topic));
  let editing = false;

  const names = share.map(() => el("div", { class: "name" }));
  const words = share.map(() => el("div", { class: "words", dir: "auto" }));
  /** @param {number} topic */
  const write = (topic) => {
    show(
      names[topic],
      editing
        ? [el("span", { class: "number", "aria-hidden": "true" }, topic), labelInput(app, topic)]
        : topicName(app, topic),
      doubted.has(topic) && el("a", { class: "flag", href: "#/check" }, "check"),
    );
    // Without a label the name is words already.
    const said = labels.of(topic) ? [] : labels.words[topic];
    const ranked = topWords(content, topic, list.lambda, WORDS + said.length);
    const others = ranked.filter((word) => !said.includes(word));
    show(words[topic], joined(others.slice(0, WORDS)));
  };

  /** @type {Column[]} */
  const columns = [
    {
      name: "Topic",
      says: "Number of the topic",
      values: share.map((_, topic) => topic),
      first: 1,
      cell: (topic) => el("th", { scope: "row", role: "rowheader" }, names[topic], words[topic]),
    },
    {
      name: "Share",
      says: "Mean proportion of the topic in the documents",
      values: share,
      first: -1,
      cell: (topic) =>
        el(
          "td",
          { role: "cell", class: "share" },
          el(
            "div",
            {},
            el("span", { class: "bar", "--part": share[topic] / most }),
            el("span", {}, percent(share[topic])),
          ),
        ),
    },
    {
      name: "Documents",
      says: "Documents of which it is the main topic",
      values: led,
      first: -1,
      cell: (topic) => el("td", { role: "cell" }, count(led[topic])),
    },
  ];
  if (coherence) {
    columns.push({
      name: "Coherence",
      says: "Whether its words occur together in documents, 1 always; in short texts good topics may be below 0",
      values: coherence.map((value) => value ?? -2),
      first: -1,
      cell: (topic) =>
        el("td", { role: "cell" }, coherence[topic] === null ? "–" : decimal(coherence[topic])),
    });
  }

  // The roles are those of a table even on a narrow screen, where its parts are displayed otherwise.
  const rows = share.map((_, topic) =>
    el(
      "tr",
      { role: "row", onpointerenter: () => onPoint(topic), onpointerleave: () => onPoint(null) },
      columns.map(({ cell }) => cell(topic)),
    ),
  );
  const heads = columns.map(({ name, says, first }, c) =>
    el(
      "th",
      { scope: "col", role: "columnheader" },
      el(
        "button",
        {
          type: "button",
          title: says,
          onclick: () => {
            list.direction = list.column === c ? -list.direction : first;
            list.column = c;
            arrange();
            announce(`Sorted by ${name}, ${list.direction > 0 ? "ascending" : "descending"}`);
          },
        },
        name,
      ),
    ),
  );
  const body = el("tbody", { role: "rowgroup" });
  const none = el("p", { class: "quiet", hidden: true }, "No topic has a label or a word like this.");

  const arrange = () => {
    const { column, direction } = list;
    heads.forEach((head, c) => {
      if (c === column) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    const order = largestFirst(columns[column].values.map((value) => -direction * value));
    show(body, order.map((topic) => rows[topic]));
  };
  const writeAll = () => rows.forEach((_, topic) => write(topic));
  const filter = () => {
    const term = folded(list.find).trim();
    rows.forEach((row, topic) => (row.hidden = term !== "" && !matches(app, topic, term)));
    const n = rows.filter(({ hidden }) => !hidden).length;
    none.hidden = n > 0;
    return n;
  };
  writeAll();
  arrange();
  filter();
  return {
    element: el(
      "div",
      {},
      el(
        "table",
        { class: "topics", role: "table" },
        el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, heads)),
        body,
      ),
      none,
    ),
    highlight: (topic) => rows.forEach((row, k) => row.classList.toggle("on", k === topic)),
    filter: (text) => {
      list.find = text;
      announce(several(filter(), "topic"));
    },
    words: (value) => {
      list.lambda = value;
      writeAll();
    },
    edit: (on) => {
      editing = on;
      writeAll();
    },
  };
}

/** @param {App} app @param {number} topic @param {string} term */
function matches({ content, labels }, topic, term) {
  return (
    folded(labels.of(topic)).includes(term) ||
    String(topic) === term ||
    ownWords(content, topic).some(({ word }) => folded(word).startsWith(term))
  );
}

/**
 * A field for the label of a topic.
 * @param {App} app
 * @param {number} topic
 */
function labelInput({ labels }, topic) {
  return el("input", {
    class: "label",
    value: labels.of(topic),
    placeholder: labels.usual(topic),
    "aria-label": `Label of topic ${topic}`,
    autocomplete: "off",
    dir: "auto",
    onchange: (event) => labels.set(topic, event.target.value),
  });
}
