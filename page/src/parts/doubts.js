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
      "Their ten most probable words occur together in documents not much more than random words do. Their coherence (NPMI) " +
      "is nearer to that of random words, which are as common as theirs, than to the median of the topics; or one in 20 " +
      "sets of random words does better. Such a topic may mix subjects, or its words may mark a style rather than a subject. " +
      "If most topics are incoherent, words that most documents have may lead them all; leave those words out.",
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

/**
 * Of the topics that are not hardly used, as in the check; coherence must be known.
 * @param {App} app
 */
export function medianCoherence({ content }) {
  const empty = content.doubts.filter(([, kind]) => kind === "empty").map(([topic]) => topic);
  const values = (content.coherence ?? []).map(Number).filter((_, topic) => !empty.includes(topic));
  values.sort((one, other) => one - other);
  return (values[Math.floor((values.length - 1) / 2)] + values[Math.floor(values.length / 2)]) / 2;
}

/** @param {App} app @param {Doubt} doubt */
export function doubtSentence(app, [topic, kind, value, other]) {
  switch (kind) {
    case "empty":
      return ["Hardly any text is about it."];
    case "incoherent":
      return [
        `Its top words do not go well together (coherence ${decimal(value)}, ` +
          `random words ${decimal(Number(app.content.coherence_by_chance?.[topic]))}, ` +
          `median of the topics ${decimal(medianCoherence(app))}).`,
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
