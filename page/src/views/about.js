/** @import {App, Classes, Documents} from "../types.js" */
import { asTable } from "../charts/as_table.js";
import { lineChart } from "../charts/line.js";
import { el } from "../dom.js";
import { downloadCsv, downloadJson } from "../download.js";
import { count, decimal, joined, several } from "../format.js";
import { saveLabels } from "../parts/label_tools.js";
import { topWords } from "../relevance.js";
import { OWN_PERPLEXITY, whatIsHere } from "./documents.js";

/** How the topics were made, what the figures mean, and downloads. @param {App} app */
export function aboutView(app) {
  const { content } = app;
  const { history } = content;
  const parameters = Object.entries(content.parameters);
  return [
    el("h2", { tabindex: -1 }, "How it was made"),
    el("p", { class: "say" }, `Made with topictemper ${content.version} on ${content.created}: `, corpus(app)),
    el(
      "div",
      { class: "columns even" },
      // Without tempering it is always 1.
      history.temperature?.length > 1 &&
        history.temperature.some(([, value]) => value !== 1) &&
        course(
          history.temperature,
          "Temperature",
          "At a high temperature, words have little influence and the topics are alike. At 1, words have their full " +
            "weight. Training starts hot and cools down, so that early mistakes do not become fixed.",
        ),
      history.score?.length > 1 &&
        course(history.score, "Score", "How well held-out documents are predicted, in nats per word: the mean logarithm of the probability of a word, with base e. Higher is better."),
      history.elbo?.length > 1 &&
        course(history.elbo, "ELBO", "The evidence lower bound, which training raises, in nats per word (logarithms with base e)."),
    ),
    el("h3", { class: "on-screen" }, "Downloads"),
    downloads(app),
    parameters.length > 0 && [
      el("h3", {}, "Settings"),
      el("p", { class: "quiet" }, "For those who want to repeat the fit: the parameters of the model, and the values that were used."),
      el(
        "dl",
        { class: "settings" },
        parameters.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
      ),
    ],
    el("h3", {}, "What the figures mean"),
    el("dl", { class: "meanings" }, meanings(app).flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)])),
  ];
}

/** @param {App} app */
function corpus({ content }) {
  const parts = [
    `${several(content.share.length, "topic")}, ${several(content.vocabulary, "different word")}, ${several(content.documents_given, "document")}.`,
  ];
  const unread = content.documents_given - content.documents_counted;
  if (unread) {
    parts.push(`${count(unread)} of them ${unread === 1 ? "has" : "have"} no known word and ${unread === 1 ? "is" : "are"} left out.`);
  }
  if (content.sampled) {
    parts.push(`Coherence and fit are computed from a random sample of ${count(content.sample)} documents, shares from all documents.`);
  }
  parts.push(
    content.documents
      ? whatIsHere(content, content.documents)
      : "No documents are in this file.",
  );
  return parts.join(" ");
}

/** @param {[pass: number, value: number][]} points @param {string} name @param {string} says */
function course(points, name, says) {
  const y = points.map(([, value]) => value);
  const last = points.length - 1;
  const passes = points.map(([pass]) => pass.toFixed(1));
  const values = y.map((value) => decimal(value, 3));
  return el(
    "section",
    {},
    el("h3", {}, name),
    el("p", { class: "quiet" }, says),
    lineChart({
      x: points.map(([pass]) => pass),
      y,
      label: `${name}: from ${decimal(y[0])} to ${decimal(y[last])} over ${points[last][0].toFixed(1)} passes.`,
      read: (i) => `pass ${passes[i]}: ${values[i]}`,
      ends: [`pass ${Math.round(points[0][0])}`, `pass ${Math.round(points[last][0])}`],
      format: decimal,
      fromZero: false,
    }),
    asTable(["Pass", name], passes.map((pass, i) => [pass, values[i]])),
  );
}

/** @param {App} app */
function downloads(app) {
  const { documents, periods, groups } = app.content;
  /** @param {string} name @param {() => void} onclick */
  const button = (name, onclick) => el("button", { type: "button", onclick }, name);
  return el(
    "p",
    { class: "tools" },
    button("Topics (CSV)", () => {
      const rows = topics(app).map((topic) => ({
        ...topic,
        words: joined(topic.words),
        distinctive_words: joined(topic.distinctive_words),
      }));
      downloadCsv("topics.csv", Object.keys(rows[0]), rows.map(Object.values));
    }),
    button("Topics (JSON)", () => downloadJson("topics.json", topics(app))),
    documents && button("Documents in this file (CSV)", () => documentsCsv(documents)),
    periods && button("Shares over time (CSV)", () => classesCsv("periods.csv", "period", periods)),
    groups && button("Shares by group (CSV)", () => classesCsv("groups.csv", "group", groups)),
    button("Labels (JSON)", () => saveLabels(app.labels)),
  );
}

/** What the files of topics hold. @param {App} app */
const topics = ({ content, labels }) =>
  content.share.map((share, topic) => ({
    topic,
    label: labels.name(topic),
    share,
    documents: content.led[topic],
    coherence: content.coherence?.[topic] ?? null,
    words: topWords(content, topic, 1, 20),
    distinctive_words: topWords(content, topic, 0.3, 20),
  }));

/** @param {Documents} documents */
function documentsCsv({ row, name, topics }) {
  /** @type {(string | number)[][]} */
  const rows = [];
  topics.forEach((pairs, i) => {
    for (let j = 0; j < pairs.length; j += 2) {
      rows.push([row[i], name?.[i] ?? "", pairs[j], pairs[j + 1] / 1000]);
    }
  });
  downloadCsv("documents.csv", ["document", "name", "topic", "share"], rows);
}

/** @param {string} file @param {string} column @param {Classes} classes */
function classesCsv(file, column, { names, documents, share, low, high }) {
  const rows = share.flatMap((shares, topic) =>
    shares.map((value, i) => [
      topic,
      names[i],
      documents[i] ? value : null,
      low[topic][i],
      high[topic][i],
      documents[i],
    ]),
  );
  downloadCsv(file, ["topic", column, "share", "low", "high", "documents"], rows);
}

/** @param {App} app @returns {[string, string][]} */
function meanings({ content }) {
  /** @type {([string, string] | null | undefined)[]} */
  const list = [
    ["Known words", "Words in the vocabulary of the model. Stop words such as “the” and rare words are usually left out of it."],
    [
      "Share",
      "The mean proportion of a topic in the documents with known words. Each document counts once, however long it is. " +
        "(In the table topics_ in Python, the share is that of all words, so long documents count more.)",
    ],
    ["Documents", "The number of documents of which it is the main topic: no other topic has a larger proportion of them."],
    content.coherence && [
      "Coherence",
      "Whether the ten most probable words of a topic occur together in documents (NPMI): 1 means always, 0 as often as " +
        "independent words would, and less than 0 more rarely. In short texts two words seldom occur together, and good " +
        "topics may be below 0. The page of a topic also gives the coherence of random words that are as common, and the median of the topics.",
    ],
    [
      "Relevance",
      "Words are ranked by λ log p(word in topic) + (1 − λ) log(p(word in topic) / p(word)). At λ = 1 the most probable words " +
        "are first, at λ = 0 those that hardly occur in other topics (Sievert and Shirley, 2014).",
    ],
    ["Of the topic", "How much of the topic is the word: its probability in the topic."],
    ["Of the word", "How much of the word is in the topic: the part of its occurrences, estimated from the topics’ shares of all words."],
    ["Similarity", "1 minus the Hellinger distance between two topics: 1 for the same words, 0 for no word in common."],
    [
      "Map",
      "Topics are placed so that similar ones are close (principal coordinates of the Hellinger distances). The area of a circle is " +
        "the share. A plane cannot show all distances, and circles that would overlap are moved apart.",
    ],
    [
      "Intervals",
      "A 95% interval says where a share is likely to be in very many such documents: about 95 of 100 intervals contain it. " +
        "Where there are few documents it is wide. It takes the topics and their proportions in documents as given, and the documents " +
        "as independent: with copies, or several parts of one text, it is too narrow.",
    ],
    content.fit && [
      "Perplexity",
      "How well the topics predict words: at a perplexity of 500, each word is as hard to guess as one of 500 equally likely " +
        "words. Lower is better. " +
        (content.fit.kind === "held-out"
          ? `Half of each document is given and the other half is guessed. The score is the same in logarithms: ${String(content.fit.score).replace("-", "−")} nats per word.`
          : "The topics of each document were inferred from the same words, so the figure is too optimistic."),
    ],
    content.documents?.perplexity && ["Perplexity of its own words", OWN_PERPLEXITY],
  ];
  return list.filter((each) => !!each);
}
