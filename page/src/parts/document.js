/** @import {App, Documents} from "../types.js" */
import { el, show } from "../dom.js";
import { count, percent, several } from "../format.js";
import { lowered, marked } from "../marks.js";
import { typicalWords } from "../relevance.js";
import { topicName } from "./topic_name.js";

const EXCERPT = 420;
const TOPICS = 4;

/**
 * Weights of the words to mark in documents of a topic: those that are in the topic rather than
 * elsewhere.
 * @param {App} app
 * @param {number} topic
 */
function markWeights({ content }, topic) {
  return new Map(
    typicalWords(content, topic).map(({ word, ofWord }) => [
      lowered(word),
      Math.max(0.25, Math.sqrt(ofWord)),
    ]),
  );
}

/**
 * A document: title, facts, the beginning of its text, its topics.
 * @param {App} app
 * @param {Documents} documents
 * @param {number} i its place
 * @param {number | null} topic whose words are marked
 */
export function documentCard(app, documents, i, topic) {
  const text = documents.text?.[i] ?? "";
  const body = el("p", { class: "text", dir: "auto" });
  /** @type {[topic: number, thousandths: number][]} */
  const pairs = [];
  for (let j = 0; j < documents.topics[i].length; j += 2) {
    pairs.push([documents.topics[i][j], documents.topics[i][j + 1]]);
  }
  const short = excerpt(text);
  let marking = topic ?? pairs[0]?.[0] ?? null;
  let open = false;
  const toggle = el("button", {
    type: "button",
    class: "quiet",
    onclick: () => {
      open = !open;
      write();
    },
  });
  const chips = pairs.slice(0, TOPICS).map(([k, thousandths]) => {
    const share = percent(thousandths / 1000);
    const mark = () => {
      marking = k;
      write();
    };
    const part = text
      ? el(
          "button",
          {
            type: "button",
            title: "Mark the words of this topic",
            "aria-label": `${share} of topic ${k}: mark its words`,
            onclick: mark,
          },
          share,
        )
      : el("span", {}, share);
    return { k, part };
  });
  const write = () => {
    const shown = open ? text : short;
    show(body, marking === null ? shown : marked(shown, markWeights(app, marking)));
    body.classList.toggle("open", open);
    if (shown.length < text.length) body.append(" …");
    toggle.textContent = open ? "Show less" : "Show all";
    toggle.setAttribute("aria-expanded", String(open));
    for (const { k, part } of chips) part.setAttribute("aria-pressed", String(k === marking));
  };
  if (text) write();
  const name = documents.name?.[i] || `Document ${documents.row[i]}`;
  return el(
    "article",
    { class: "document", "data-row": documents.row[i] },
    el("h3", { dir: "auto" }, name),
    facts(app, documents, i),
    text && body,
    text.length > short.length && toggle,
    chips.length > 0
      ? el(
          "ul",
          { class: "chips", "aria-label": "Topics of this document" },
          chips.map(({ k, part }) => el("li", { class: "chip" }, part, topicName(app, k))),
        )
      : el("p", { class: "quiet" }, "No known word, so no topic."),
  );
}

/** @param {string} text */
function excerpt(text) {
  if (text.length <= 1.2 * EXCERPT) return text;
  const space = text.lastIndexOf(" ", EXCERPT);
  if (space > EXCERPT / 2) return text.slice(0, space);
  // In scripts without spaces: not within a letter, or before its vowel.
  const rest = text.slice(EXCERPT).match(/^[\udc00-\udfff]?\p{M}*/u);
  return text.slice(0, EXCERPT + (rest?.[0].length ?? 0));
}

// Characters of an ISO date that say more than was given.
const UNKNOWN = { year: "-01-01".length, month: "-01".length, day: 0 };

/** @param {Documents} documents @param {number} i */
function dateOf({ date, date_unit }, i) {
  return date?.[i] && date[i].slice(0, date[i].length - UNKNOWN[date_unit ?? "day"]);
}

/** @param {App} app @param {Documents} documents @param {number} i */
function facts({ content }, documents, i) {
  const group = documents.group?.[i] ?? -1;
  const perplexity = documents.perplexity?.[i] ?? null;
  const list = [
    dateOf(documents, i),
    group >= 0 && el("bdi", {}, content.groups?.names[group]),
    documents.length && several(documents.length[i], "known word"),
    perplexity !== null && `perplexity of its own words ${count(perplexity)}`,
  ].filter(Boolean);
  return (
    list.length > 0 &&
    el("p", { class: "facts" }, list.flatMap((fact, place) => (place > 0 ? [" · ", fact] : [fact])))
  );
}
