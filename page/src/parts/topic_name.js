/** @import {App} from "../types.js" */
import { el } from "../dom.js";
import { topicLink } from "../router.js";

/**
 * A link to a topic, with its number and name.
 * @param {App} app
 * @param {number} topic
 */
export function topicName({ labels }, topic) {
  return el(
    "a",
    { href: topicLink(topic), class: "topic-name" },
    el("span", { class: "number" }, topic),
    "\u00a0", // the number does not stay alone at the end of a line
    el("bdi", { "data-names": topic }, labels.name(topic)),
  );
}
