/** @import {Content} from "./types.js" */
import { joined } from "./format.js";
import { topWords } from "./relevance.js";

/** Names of topics: those that were given, with what the reader has edited. */
export class Labels {
  /** @param {Content} content */
  constructor(content) {
    this.content = content;
    this.given = content.labels;
    // Reports of the same topics share their labels, others do not.
    this.key = `topictemper:${content.title}:${fingerprint(content)}`;
    /** @type {Record<string, string>} */
    this.edited = this.#stored();
    // Called when labels come from a file, and when the reader has typed one. The page is not drawn
    // again then: the button or field that the reader is about to click has to stay.
    this.onImport = () => {};
    /** @type {(topic: number) => void} */
    this.onEdit = () => {};
    this.words = content.share.map((_, topic) =>
      topWords(content, topic, 1, content.name_words[topic]),
    );
  }

  /** The label of a topic, or "". @param {number} topic */
  of(topic) {
    return this.edited[topic] ?? this.given[topic];
  }

  /** What a topic without a label is called, as in the tables of Python. @param {number} topic */
  usual(topic) {
    return joined(this.words[topic]);
  }

  /** What a topic is called: its label, or else its words. @param {number} topic */
  name(topic) {
    return this.of(topic) || this.usual(topic);
  }

  /** @param {number} topic @param {string} label */
  set(topic, label) {
    this.edited[topic] = label.trim();
    this.#store();
    this.onEdit(topic);
  }

  /**
   * What to tell the reader where topics have the same label, or "".
   * @param {number[]} [topics] of which, or all
   */
  warning(topics = this.given.map((_, topic) => topic)) {
    /** @type {Map<string, number[]>} */
    const having = new Map();
    this.given.forEach((_, topic) => {
      const label = this.of(topic);
      if (label) having.set(label, [...(having.get(label) ?? []), topic]);
    });
    const same = topics.map((topic) => having.get(this.of(topic)) ?? []).find(({ length }) => length > 1);
    if (!same) return "";
    const list = `${same.slice(0, -1).join(", ")} and ${same.at(-1)}`;
    return `Topics ${list} have the same label. In Python, the labels of a model must differ.`;
  }

  /**
   * All labels, as `read_labels` reads them; "" removes one that the report came with. The words
   * tell whether topics of another model have these numbers.
   */
  export() {
    /** @type {Record<string, {label: string, words: string[]}>} */
    const labels = {};
    this.given.forEach((_, topic) => {
      if (this.of(topic) || this.given[topic]) {
        labels[topic] = { label: this.of(topic), words: this.#topWords(topic) };
      }
    });
    return labels;
  }

  /**
   * Take labels from a file; topics that it does not name keep theirs.
   * @param {unknown} labels
   * @returns {number} how many were taken
   */
  import(labels) {
    const entries = Object.entries(labels !== null && typeof labels === "object" ? labels : {});
    const known = entries.flatMap(([topic, entry]) => {
      const { label, words = [] } = typeof entry === "string" ? { label: entry } : (entry ?? {});
      const fits = typeof label === "string" && /^\d+$/.test(topic) && topic in this.given;
      return fits && this.#has(Number(topic), words) ? [{ topic, label }] : [];
    });
    if (!known.length || known.length < entries.length) {
      throw new Error("The file holds other things than labels of these topics.");
    }
    for (const { topic, label } of known) this.edited[topic] = label.trim();
    this.#store();
    this.onImport();
    return known.length;
  }

  /** @param {number} topic */
  #topWords(topic) {
    return topWords(this.content, topic, 1, 10);
  }

  /** Whether a topic has enough of these words, as in Python. @param {number} topic @param {string[]} words */
  #has(topic, words) {
    const here = new Set(this.#topWords(topic));
    return words.filter((word) => here.has(word)).length >= 0.3 * words.length;
  }

  /** Whether edited labels outlast the page: a sandboxed frame, as JupyterLab has, stores nothing. */
  get outlast() {
    try {
      return Boolean(localStorage);
    } catch {
      return false;
    }
  }

  #store() {
    try {
      localStorage.setItem(this.key, JSON.stringify(this.edited));
    } catch {
      // Without storage labels last until the page is closed.
    }
  }

  /** @returns {Record<string, string>} */
  #stored() {
    try {
      return JSON.parse(localStorage.getItem(this.key) ?? "{}") ?? {};
    } catch {
      return {};
    }
  }
}

/**
 * A number that tells reports apart (FNV-1a).
 * @param {Content} content
 */
function fingerprint(content) {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify([content.share, content.topic_words])) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  }
  return (hash >>> 0).toString(16);
}
