/**
 * What Python packs into the page (topictemper/report/_content.py).
 *
 * @typedef {object} Classes Documents by period or by group.
 * @property {string | null} unit "month" and the like; null for groups
 * @property {string[]} names
 * @property {number[]} documents how many there are in each
 * @property {number[][]} share of each topic in each class
 * @property {(number | null)[][]} low ends of 95% intervals; null without documents
 * @property {(number | null)[][]} high
 * @property {Change | null} change of periods; null for groups, and if only one period has documents
 *
 * @typedef {object} Change Shares in the later documents less those in the earlier ones.
 * @property {number} later the first of the later periods
 * @property {number[]} mean of each topic
 * @property {number[]} low ends of 95% intervals
 * @property {number[]} high
 *
 * @typedef {object} Documents Those in the file.
 * @property {number[]} row their numbers in the corpus
 * @property {string[] | null} name
 * @property {string[] | null} text
 * @property {number[][]} topics [topic, thousandths, topic, thousandths, ...]
 * @property {number[] | null} length in words
 * @property {number[] | null} group -1 for none
 * @property {string[] | null} date "" for none
 * @property {"year" | "month" | "day" | null} date_unit of the dates that were given
 * @property {(number | null)[] | null} perplexity
 * @property {number[][]} examples for each topic
 * @property {number[]} worst
 * @property {boolean} complete whether all documents are here
 * @property {number} cut how many texts are cut
 * @property {number} least_words with which a document can be among the worst
 *
 * @typedef {object} Fit
 * @property {"held-out" | "own"} kind
 * @property {number} score
 * @property {number} perplexity
 * @property {number | null} baseline
 *
 * @typedef {[topic: number, kind: string, value: number, other: number | null]} Doubt
 *
 * @typedef {object} Content
 * @property {string} title
 * @property {string} created
 * @property {string} version
 * @property {number} documents_given
 * @property {number} documents_counted
 * @property {number} vocabulary
 * @property {number | null} tokens
 * @property {boolean} sampled
 * @property {number} sample
 * @property {Fit | null} fit
 * @property {Record<string, string>} parameters
 * @property {Record<string, [pass: number, value: number][]>} history
 * @property {string[]} labels
 * @property {number[]} name_words how many words name a topic without a label
 * @property {number[]} share mean of the documents
 * @property {number[]} token_share mean of the documents by their lengths
 * @property {number[]} led
 * @property {(number | null)[] | null} coherence null of a vocabulary of one word
 * @property {(number | null)[] | null} coherence_by_chance of random words that are in as many documents
 * @property {number} fits
 * @property {string[]} words
 * @property {number[]} log_frequency log p(w) in the corpus
 * @property {number[]} log_mixture log p(w) of the topics, by their shares of the tokens
 * @property {number[][]} topic_words
 * @property {number[][]} topic_log
 * @property {number} shown
 * @property {number} stops
 * @property {[topic: number, similarity: number][][]} neighbors
 * @property {[x: number, y: number][]} map
 * @property {number[]} radius
 * @property {Doubt[]} doubts
 * @property {Documents | null} documents
 * @property {Classes | null} periods
 * @property {Classes | null} groups
 *
 * @typedef {object} App What every view gets.
 * @property {Content} content
 * @property {import("./labels.js").Labels} labels
 * @property {Settings} settings
 *
 * @typedef {object} Settings What the reader has chosen, for as long as the page is open.
 * @property {number} lambda of the words of a topic
 * @property {{column: number, direction: number, lambda: number, find: string}} list of topics
 */

export {};
