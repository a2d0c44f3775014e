/** @import {App} from "../types.js" */
import { lineChart } from "../charts/line.js";
import { el } from "../dom.js";
import { downloadCsv, downloadJson } from "../download.js";
import { count, several } from "../format.js";
import { saveLabels } from "../parts/label_tools.js";
import { relevantWords } from "../relevance.js";
import { OWN_PERPLEXITY, whatIsHere } from "./documents.js";

/** How the topics were made, what the figures mean, and downloads. @param {App} app */
export function aboutView(app) {
  const { content } = app;
  const { history } = content;
  const parameters = Object.entries(content.parameters);
  return [
    el("h2", { tabindex: -1 }, "How it was made"),
    el("p", { class: "say" }, `topictemper ${content.version}, ${content.created}. `, corpus(app)),
    el(
      "div",
      { class: "columns even" },
      history.temperature?.length > 1 &&
        course(history.temperature, "Temperature", "Training starts hot, where all topics are alike, and cools to 1."),
      history.score?.length > 1 &&
        course(history.score, "Score", "Of held-out documents, after each pass; higher is better."),
      history.elbo?.length > 1 &&
        course(history.elbo, "ELBO", "The bound that training raises, in nats per word."),
    ),
    el("h3", {}, "Downloads"),
    downloads(app),
    parameters.length > 0 && [
      el("h3", {}, "Settings"),
      el(
        "dl",
        { class: "settings" },
        parameters.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
      ),
    ],
    el("h3", {}, "What the figures mean"),
    el("dl", { class: "meanings" }, meanings(app).map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]).flat()),
  ].flat().filter(Boolean);
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
    parts.push(`Coherence and fit are of a random sample of ${count(content.sample)} documents; shares are of all.`);
  }
  parts.push(
    content.documents
      ? whatIsHere(content, content.documents)
      : "No documents are in this file.",
  );
  return parts.join(" ");
}

/** @param {[number, number | null][]} points @param {string} name @param {string} says */
function course(points, name, says) {
  const y = points.map(([, value]) => value);
  const known = y.filter((value) => value !== null);
  const last = points.length - 1;
  return el(
    "section",
    {},
    el("h3", {}, name),
    el("p", { class: "quiet" }, says),
    lineChart({
      x: points.map(([pass]) => pass),
      y,
      label: `${name}: from ${known[0]} to ${known.at(-1)} over ${points[last][0]} passes.`,
      read: (i) => `pass ${points[i][0].toFixed(1)}: ${Number(y[i]).toFixed(3)}`,
      ends: [`pass ${Math.round(points[0][0])}`, `pass ${Math.round(points[last][0])}`],
      format: (value) => value.toFixed(2),
      fromZero: false,
    }),
  );
}

/** @param {App} app */
function downloads(app) {
  const { content, labels } = app;
  const topics = content.share.map((_, k) => k);
  /** @param {number} topic @param {number} lambda */
  const words = (topic, lambda) => relevantWords(content, topic, lambda, 20).map(({ word }) => word);
  /** @param {string} name @param {() => void} onclick */
  const button = (name, onclick) => el("button", { type: "button", onclick }, name);
  return el(
    "p",
    { class: "tools" },
    button("Topics (CSV)", () =>
      downloadCsv(
        "topics.csv",
        ["topic", "label", "share", "documents", "coherence", "words", "distinctive_words"],
        topics.map((k) => [k, labels.name(k), content.share[k], content.led[k], content.coherence?.[k], words(k, 1).join(" "), words(k, 0.3).join(" ")]),
      ),
    ),
    button("Topics (JSON)", () =>
      downloadJson(
        "topics.json",
        topics.map((k) => ({
          topic: k,
          label: labels.name(k),
          share: content.share[k],
          documents: content.led[k],
          coherence: content.coherence?.[k] ?? null,
          words: words(k, 1),
          distinctive_words: words(k, 0.3),
        })),
      ),
    ),
    content.documents && button("Documents in this file (CSV)", () => documentsCsv(app)),
    content.periods && button("Shares over time (CSV)", () => classesCsv(app, "periods")),
    content.groups && button("Shares by group (CSV)", () => classesCsv(app, "groups")),
    button("Labels (JSON)", () => saveLabels(labels)),
  );
}

/** @param {App} app */
function documentsCsv({ content }) {
  const { documents } = content;
  if (!documents) return;
  /** @type {(string | number)[][]} */
  const rows = [];
  documents.row.forEach((row, i) => {
    for (let j = 0; j < documents.topics[i].length; j += 2) {
      rows.push([row, documents.name?.[i] ?? "", documents.topics[i][j], documents.topics[i][j + 1] / 1000]);
    }
  });
  downloadCsv("documents.csv", ["document", "name", "topic", "share"], rows);
}

/** @param {App} app @param {"periods" | "groups"} kind */
function classesCsv({ content }, kind) {
  const classes = content[kind];
  if (!classes) return;
  const rows = classes.share.flatMap((shares, topic) =>
    shares.map((share, i) => [topic, classes.names[i], share, classes.half_width[topic][i], classes.documents[i]]),
  );
  downloadCsv(`${kind}.csv`, ["topic", kind === "periods" ? "period" : "group", "share", "half_width", "documents"], rows);
}

/** @param {App} app @returns {[string, string][]} */
function meanings({ content }) {
  /** @type {[string, string][]} */
  const list = [
    ["Share", "The mean part of a topic in the documents with known words; each document counts once."],
    ["Documents", "In how many the topic has the largest part."],
    [
      "Relevance",
      "λ log p(word in topic) + (1 − λ) log(p(word in topic) / p(word)). At λ = 1 the most probable words are first, " +
        "at λ = 0 those that are hardly anywhere else (Sievert and Shirley, 2014).",
    ],
    ["Of the word", "The part of a word's occurrences that is in the topic, by the topics' shares of all words that were read."],
    ["Similarity", "1 less the Hellinger distance of two topics: 1 for the same words, 0 for none in common."],
    ["Map", "Principal coordinates of these distances; circles are moved apart where they would overlap."],
    ["Intervals", "95%, of the mean over documents (normal approximation)."],
  ];
  if (content.coherence) {
    list.splice(2, 0, [
      "Coherence",
      "NPMI of the ten most probable words: 0 if they meet in documents as by chance, 1 if they always go together.",
    ]);
  }
  if (content.fit) {
    list.push([
      "Perplexity",
      "Among how many equally likely words a word is guessed; lower is better. " +
        (content.fit.kind === "held-out"
          ? `Half of each document is given, the other half is guessed: ${content.fit.score} nats per word.`
          : "By the document's own topics, which its words have decided."),
    ]);
  }
  if (content.documents?.perplexity) list.push(["Perplexity of its own words", OWN_PERPLEXITY]);
  return list;
}
