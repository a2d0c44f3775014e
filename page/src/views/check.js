/** @import {App} from "../types.js" */
import { el } from "../dom.js";
import { joined, several } from "../format.js";
import { KINDS, doubtSentence } from "../parts/doubts.js";
import { topicName } from "../parts/topic_name.js";
import { topWords } from "../relevance.js";

/** Topics to distrust. @param {App} app */
export function checkView(app) {
  const { content } = app;
  const { doubts } = content;
  const done = [
    "share",
    content.coherence && "coherence",
    "near duplicates",
    "common words",
    content.fits && `agreement with ${several(content.fits, "other fit")}`,
  ].filter(Boolean);
  const missing = [
    !content.coherence && "coherence (the report was made without counts of words)",
    !content.fits && "agreement with other fits (none were given)",
  ].filter(Boolean);
  return [
    el("h2", { tabindex: -1 }, "Topics to check"),
    el(
      "p",
      { class: "say" },
      doubts.length
        ? "Look at these topics before you rely on them. A topic on this list may still be a good one."
        : "The checks found no topic to doubt.",
    ),
    Object.entries(KINDS).map(([kind, { title, explain }]) => {
      const found = doubts.filter((doubt) => doubt[1] === kind);
      if (!found.length) return null;
      return el(
        "section",
        { "aria-label": title },
        el("h3", {}, `${title} `, el("span", { class: "tally" }, found.length)),
        el("p", { class: "quiet" }, explain),
        el(
          "ul",
          { class: "doubts" },
          found.map((doubt) =>
            el(
              "li",
              {},
              topicName(app, doubt[0]),
              el("div", { class: "words", dir: "auto" }, joined(topWords(content, doubt[0], 1, 10))),
              el("p", { class: "why" }, doubtSentence(app, doubt)),
            ),
          ),
        ),
      );
    }),
    el(
      "p",
      { class: "quiet" },
      `Checked: ${done.join(", ")}.`,
      missing.length > 0 && ` Not checked: ${missing.join(" and ")}.`,
    ),
  ];
}
