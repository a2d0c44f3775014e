/** @import {App, Doubt} from "../types.js" */
import { topicName } from "./topic_name.js";

/**
 * What each kind of doubt means.
 * @type {Record<string, {title: string, explain: string}>}
 */
export const KINDS = {
  empty: {
    title: "Hardly used",
    explain:
      "Less than a tenth of an equal share. Their words mean nothing; fewer topics may do as well.",
  },
  incoherent: {
    title: "Words that seldom occur together",
    explain:
      "Coherence (NPMI) below half of the median. The topic may mix subjects, or gather words of style and form.",
  },
  duplicate: {
    title: "Nearly the same as another topic",
    explain: "Their words overlap widely. They may be one subject: consider merging them.",
  },
  general: {
    title: "Common words",
    explain:
      "The words are much closer to those of the whole corpus than the words of other topics are. The topic says little of what documents are about.",
  },
  unstable: {
    title: "Not found by other fits",
    explain: "Fits with other seeds have no similar topic. Do not build a conclusion on it.",
  },
};

/** @param {App} app @param {Doubt} doubt */
export function doubtSentence(app, [, kind, value, other]) {
  switch (kind) {
    case "empty":
      return ["It holds hardly any text."];
    case "incoherent":
      return [`Its first ten words seldom occur together (coherence ${value.toFixed(2)}).`];
    case "duplicate":
      return ["It is nearly the same as ", topicName(app, Number(other)), "."];
    case "general":
      return ["Its words are close to those of the whole corpus: it says little."];
    default:
      return [
        `Other fits have no such topic: similarity ${(1 - value).toFixed(2)} to the nearest, on average.`,
      ];
  }
}
