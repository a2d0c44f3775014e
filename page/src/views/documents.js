/** @import {Route} from "../router.js" */
/** @import {App, Documents} from "../types.js" */
import { announce, el, show } from "../dom.js";
import { count, percent, several } from "../format.js";
import { documentCard } from "../parts/document.js";
import { moreOf } from "../parts/more.js";
import { rename } from "../places.js";
import { LEAST_OF_TOPIC, find } from "../search.js";

const STEP = 20;

/** How the perplexity of a document differs from that of `documents()` in Python. */
export const OWN_PERPLEXITY =
  "The perplexity of its own words says how well the topics predict a document: at a perplexity of 500, each word " +
  "is as hard to guess as one of 500 equally likely words. The topics of the document were inferred from the same " +
  "words, so the figure is too optimistic. The table of documents() in Python predicts a held-out half of the words, " +
  "and its figures are usually higher.";

/**
 * Documents with search and filters, or those that fit worst.
 * @param {App} app
 * @param {Documents} documents
 * @param {Route} at its argument is "worst" or ""
 */
export function documentsView(app, documents, { argument, query }) {
  const worst = argument === "worst";
  return [
    el("h2", { tabindex: -1 }, "Documents"),
    el(
      "nav",
      { class: "tabs", "aria-label": "Documents" },
      el("a", { href: "#/documents", "aria-current": !worst && "page" }, "Search"),
      documents.worst.length > 0 &&
        el("a", { href: "#/documents/worst", "aria-current": worst && "page" }, "Worst fit"),
    ),
    worst ? worstDocuments(app, documents) : searchDocuments(app, documents, query),
  ];
}

/** @param {App} app @param {Documents} documents */
function worstDocuments(app, documents) {
  const of = app.content.sampled ? ` They come from a random sample of ${count(app.content.sample)} documents.` : "";
  return [
    el(
      "p",
      { class: "say" },
      `The ${several(documents.worst.length, "document")} whose words the topics predict worst. Typical reasons are another ` +
        `language, a table, or a subject that no topic covers. Only documents of at least ${documents.least_words} known words count.${of}`,
    ),
    el("p", { class: "quiet" }, OWN_PERPLEXITY),
    moreOf(
      documents.worst,
      STEP,
      "document",
      (i) => documentCard(app, documents, i, null),
      el("div", { class: "documents wide" }),
    ),
  ];
}

/** @param {App} app @param {Documents} documents @param {URLSearchParams} query */
function searchDocuments(app, documents, query) {
  const { content, labels } = app;
  const { groups } = content;
  const text = el("input", { type: "search", id: "search", autocomplete: "off", value: query.get("text"), oninput: later });
  const topic = el(
    "select",
    { id: "filter-topic", onchange: search },
    el("option", { value: "" }, "any"),
    content.share.map((_, k) => el("option", { value: k }, `${k} ${labels.name(k)}`)),
  );
  topic.value = query.get("topic") ?? "";
  const group = groups &&
    el(
      "select",
      { id: "filter-group", onchange: search },
      el("option", { value: "" }, "any"),
      groups.names.map((name, g) => el("option", { value: g }, name)),
    );
  if (group) group.value = query.get("group") ?? "";
  const [from, to] = documents.date
    ? ["from", "to"].map((id) => el("input", { type: "date", id: `filter-${id}`, value: query.get(id), onchange: search }))
    : [];
  const tally = el("p", { class: "tally-line", role: "status" });
  const results = el("div");

  let address = String(query);
  /** @type {number | undefined} */
  let timer;
  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => form.isConnected && search(), 120); // the reader may have left
  }
  function search() {
    const wanted = topic.value === "" ? null : Number(topic.value);
    const found = find(documents, {
      text: text.value,
      topic: wanted,
      group: group && group.value !== "" ? Number(group.value) : null,
      from: from?.value ?? "",
      to: to?.value ?? "",
    });
    const most = wanted === null ? "" : `, with at least ${percent(LEAST_OF_TOPIC / 1000)} of the topic`;
    tally.textContent = `${several(found.length, "document")} of ${count(documents.row.length)} in this file${most}`;
    show(
      results,
      found.length
        ? moreOf(found, STEP, "document", (i) => documentCard(app, documents, i, wanted), el("div", { class: "documents wide" }))
        : el(
            "p",
            { class: "quiet" },
            "Nothing found.",
            text.value.trim() && " A document must have all of the words; each may be part of a longer word.",
          ),
    );
    const chosen = { text, topic, group, from, to };
    const filled = Object.entries(chosen).flatMap(([name, input]) => (input?.value ? [[name, input.value]] : []));
    const asked = String(new URLSearchParams(filled));
    if (asked !== address) rename(asked ? `#/documents?${asked}` : "#/documents");
    address = asked;
  }
  const form = el(
    "form",
    { class: "search", role: "search", onsubmit: (event) => { event.preventDefault(); search(); } },
    field("search", "Words", text),
    field("filter-topic", "Topic", topic),
    group && field("filter-group", "Group", group),
    from && field("filter-from", "From", from),
    to && field("filter-to", "To", to),
    el("button", {
      type: "button",
      onclick: () => {
        for (const input of [text, topic, group, from, to]) if (input) input.value = "";
        search();
        announce("Filters cleared");
      },
    }, "Clear"),
  );
  search();
  return [form, tally, el("p", { class: "quiet" }, whatIsHere(content, documents)), results];
}

/** @param {string} id @param {string} name @param {HTMLElement} input */
const field = (id, name, input) => el("div", { class: "field" }, el("label", { for: id }, name), input);

/** @param {App["content"]} content @param {Documents} documents */
export function whatIsHere(content, documents) {
  const parts = [];
  if (documents.complete) parts.push("All documents are in this file.");
  else {
    const worst = documents.worst.length ? ", those that fit worst," : "";
    parts.push(
      `${count(documents.row.length)} of ${count(content.documents_given)} documents are in this file: ` +
        `those with the largest proportions of each topic${worst} and a random sample of the others.`,
    );
  }
  if (documents.cut) parts.push(`Of ${several(documents.cut, "document")}, the file has only the beginning.`);
  if (!documents.text) parts.push("Their texts are not.");
  return parts.join(" ");
}
