/** @import {App, Documents} from "../types.js" */
import { shareTable, trend } from "../charts/trend.js";
import { announce, el, show } from "../dom.js";
import { decimal, joined, percent, several } from "../format.js";
import { largestFirst } from "../order.js";
import { documentCard } from "../parts/document.js";
import { doubtSentence, medianCoherence } from "../parts/doubts.js";
import { moreOf } from "../parts/more.js";
import { shareBar } from "../parts/share_bar.js";
import { topicName } from "../parts/topic_name.js";
import { relevantWords, topWords } from "../relevance.js";
import { topicLink } from "../router.js";

const DOCUMENTS = 3;

/** The label, which takes as many lines as it needs. @param {App} app @param {number} topic */
function title({ labels }, topic) {
  const words = labels.usual(topic);
  // A copy of the text makes the box as high as the field has to be.
  return el(
    "div",
    { class: "title", "data-text": labels.name(topic) },
    el(
      "textarea",
      {
        class: "label",
        rows: 1,
        placeholder: words,
        "aria-label": `Label of topic ${topic}`,
        autocomplete: "off",
        dir: "auto",
        oninput: ({ target }) => (target.parentElement.dataset.text = target.value || words),
        onchange: ({ target }) => labels.set(topic, target.value.replace(/\s+/g, " ")),
        onkeydown: (event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          event.target.blur();
        },
      },
      labels.of(topic),
    ),
  );
}

/** All about one topic. @param {App} app @param {number} topic */
export function topicView(app, topic) {
  const { content, labels } = app;
  const { documents } = content;
  const order = largestFirst(content.share);
  const rank = order.indexOf(topic);
  const doubts = content.doubts.filter(([k]) => k === topic);
  const coherence = content.coherence?.[topic] ?? null;
  const chance = content.coherence_by_chance?.[topic] ?? null;
  return [
    el(
      "nav",
      { class: "steps", "aria-label": "Other topics" },
      el("a", { href: "#/topics" }, "All topics"),
      rank > 0 && el("a", { href: topicLink(order[rank - 1]), rel: "prev" }, "← Larger"),
      rank < order.length - 1 &&
        el("a", { href: topicLink(order[rank + 1]), rel: "next" }, "Smaller →"),
    ),
    el(
      "header",
      { class: "topic-head" },
      el("h2", { tabindex: -1 }, `Topic ${topic}`),
      title(app, topic),
      el(
        "p",
        { class: "quiet" },
        "You can edit this label. ",
        labels.outlast
          ? "It is kept in this browser only. “Save labels” in the list of all topics saves it to a file."
          : "It is lost when this page is closed: nothing can be stored here. To keep labels and to save files, open the report in a browser by itself.",
      ),
    ),
    el(
      "p",
      { class: "say" },
      `On average, ${percent(content.share[topic])} of a document is about this topic: number ${rank + 1} of ${order.length} by share. `,
      `It is the main topic of ${several(content.led[topic], "document")}. `,
      coherence !== null &&
        `The coherence of its words is ${decimal(coherence)}: at 1 they always occur together in documents. `,
      chance !== null &&
        `Random words that are as common have ${decimal(chance)} on average, ` +
          `and half of the topics have at least ${decimal(medianCoherence(app))}.`,
    ),
    doubts.length > 0 &&
      el("ul", { class: "notice" }, doubts.map((doubt) => el("li", {}, doubtSentence(app, doubt)))),
    el(
      "div",
      { class: "columns" },
      wordsPanel(app, topic),
      el(
        "section",
        { "aria-labelledby": "examples" },
        el("h3", { id: "examples" }, "Documents with the largest proportions"),
        documents
          ? examples(app, documents, topic)
          : el("p", { class: "quiet" }, "This report was made without documents."),
      ),
    ),
    el("div", { class: "columns even" }, timePanel(app, topic), groupPanel(app, topic), nearPanel(app, topic)),
  ];
}

/** @param {App} app @param {Documents} documents @param {number} topic */
function examples(app, documents, topic) {
  return [
    moreOf(
      documents.examples[topic],
      DOCUMENTS,
      "document",
      (i) => documentCard(app, documents, i, topic),
      el("div", { class: "documents" }),
    ),
    el(
      "p",
      { class: "on-screen" },
      el(
        "a",
        { href: `#/documents?topic=${topic}` },
        "Search documents of “",
        el("bdi", { "data-names": topic }, app.labels.name(topic)),
        "”",
      ),
    ),
  ];
}

/** Words with the slider. @param {App} app @param {number} topic */
function wordsPanel({ content, settings }, topic) {
  const list = el("ol", { class: "word-list" });
  const value = el("output", { for: "lambda", "aria-hidden": "true" }); // the slider says it
  const write = () => {
    const words = relevantWords(content, topic, settings.lambda, content.shown);
    const most = Math.max(...words.map(({ inTopic }) => inTopic));
    value.textContent = `λ ${settings.lambda.toFixed(2)}`;
    show(
      list,
      words.map(({ word, inTopic, ofWord }) =>
        el(
          "li",
          {},
          el("bdi", { class: "word", title: word }, word),
          el("span", { class: "bar", "--part": inTopic / most }),
          el("span", { class: "value", title: `${percent(inTopic)} of the words of the topic are this word` }, percent(inTopic)),
          el("span", { class: "unseen" }, " of the topic, "),
          el("span", { class: "value of", title: `${percent(ofWord)} of the occurrences of this word are in the topic` }, percent(ofWord)),
          el("span", { class: "unseen" }, " of the word"),
        ),
      ),
    );
  };
  const slider = el("input", {
    type: "range",
    id: "lambda",
    min: 0,
    max: 1,
    step: 1 / (content.stops - 1),
    value: settings.lambda,
    oninput: () => {
      settings.lambda = Number(slider.value);
      write();
    },
    onchange: () => announce(`First words: ${first()}`),
  });
  const first = () => topWords(content, topic, settings.lambda, 5).join(", ");
  write();
  return el(
    "section",
    { "aria-labelledby": "words" },
    el("h3", { id: "words" }, "Words"),
    el(
      "div",
      { class: "slider" },
      el("label", { for: "lambda" }, "Relevance"),
      slider,
      value,
      el("span", { class: "quiet end" }, "distinctive"),
      el("span", { class: "quiet end last" }, "probable"),
    ),
    el(
      "div",
      { class: "word-head quiet", "aria-hidden": "true" },
      el("span", {}, "of the topic"),
      el("span", {}, "of the word"),
    ),
    list,
  );
}

/** @param {App} app @param {number} topic */
function timePanel(app, topic) {
  const { periods } = app.content;
  return (
    periods &&
    el(
      "section",
      { "aria-labelledby": "time" },
      el("h3", { id: "time" }, `By ${periods.unit}`),
      trend(app, periods, topic),
      el("p", { class: "quiet" }, "The band is a 95% interval; where it is very wide, it is cut off."),
      shareTable(periods, topic),
    )
  );
}

/** @param {App} app @param {number} topic */
function groupPanel({ content }, topic) {
  const { groups } = content;
  if (!groups) return null;
  const order = largestFirst(groups.share[topic]).slice(0, 10);
  const most = Math.max(...order.map((g) => groups.high[topic][g] ?? 0));
  return el(
    "section",
    { "aria-labelledby": "by-group" },
    el("h3", { id: "by-group" }, "By group"),
    el(
      "ul",
      { class: "group-bars" },
      order.map((g) =>
        el(
          "li",
          {},
          el("bdi", { class: "word", title: groups.names[g] }, groups.names[g]),
          shareBar(groups, topic, g, most),
          el("span", { class: "value" }, percent(groups.share[topic][g])),
        ),
      ),
    ),
    el("p", { class: "quiet" }, "The line on a bar is a 95% interval: wide where a group has few documents."),
    shareTable(groups, topic),
  );
}

/** @param {App} app @param {number} topic */
function nearPanel(app, topic) {
  const near = app.content.neighbors[topic];
  if (!near.length) return null;
  return el(
    "section",
    { "aria-labelledby": "near" },
    el("h3", { id: "near" }, "Similar topics"),
    el(
      "ul",
      { class: "near" },
      near.map(([other, similarity]) =>
        el(
          "li",
          {},
          topicName(app, other),
          el("span", { class: "value", title: "1 for the same words, 0 for no word in common" }, decimal(similarity)),
          el("div", { class: "words", dir: "auto" }, joined(topWords(app.content, other, 0.6, 8))),
        ),
      ),
    ),
    el("p", { class: "quiet" }, `The closest of ${several(app.content.share.length - 1, "other topic")}. Similarity is 1 for the same words and 0 for no word in common.`),
  );
}
