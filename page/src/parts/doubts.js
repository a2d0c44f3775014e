/** @import {App, Doubt} from "../types.js" */
import { decimal } from "../format.js";
import { topicName } from "./topic_name.js";

/**
 * What each kind of doubt means.
 * @type {Record<string, {title: string, explain: string}>}
 */
export const KINDS = {
  empty: {
    title: "Hardly used",
    explain:
      "Their share is less than a tenth of what it would be if all topics were equally large. Their words mean little. Fewer topics may be enough.",
  },
  incoherent: {
    title: "Incoherent",
    explain:
      "Their words occur together in documents less than those of other topics do. The coherence (NPMI) of the ten most " +
      "probable words is nearer to that of random words that are in as many documents than to the median of all topics, " +
      "or no higher than what one in 20 sets of random words has. Such a topic may mix subjects, or its words may mark a " +
      "style rather than a subject.",
  },
  duplicate: {
    title: "Nearly the same as another topic",
    explain: "They share most of their words and may be about the same subject. Consider merging them.",
  },
  general: {
    title: "Common words",
    explain:
      "Their words are much closer to those of all documents than the words of other topics are. Such a topic says little about the subjects of documents.",
  },
  unstable: {
    title: "Different in other fits",
    explain:
      "The topics were paired one to one with those of each other fit. The partner of such a topic is hardly more " +
      "similar to it than an unrelated topic. Other fits divide its subject in another way, or do not have it. Do not base " +
      "conclusions on such a topic alone.",
  },
};

/** @param {App} app @param {Doubt} doubt */
export function doubtSentence(app, [topic, kind, value, other]) {
  switch (kind) {
    case "empty":
      return ["Hardly any text is about it."];
    case "incoherent":
      return [
        `Its top words do not go well together (coherence ${decimal(value)}, ` +
          `random words ${decimal(Number(app.content.coherence_by_chance?.[topic]))}).`,
      ];
    case "duplicate":
      return ["It is nearly the same as ", topicName(app, Number(other)), "."];
    case "general":
      return ["Its words are close to those of all documents. It says little about their subjects."];
    default:
      return [
        app.content.fits > 1
          ? `Its partners in other fits are different (mean similarity ${decimal(1 - value)}).`
          : `Its partner in the other fit is different (similarity ${decimal(1 - value)}).`,
      ];
  }
}
