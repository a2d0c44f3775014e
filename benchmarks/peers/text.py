"""From lines of text to topics and back, in seconds by stage: ours, gensim and tomotopy.

    python -m benchmarks.peers.text --data DATA --lines 200000 --words 25 --topics 100

The posts of 20 Newsgroups (docs.txt.gz) are cut into lines of so many words. Every system runs
alone, in one thread; seconds are those of the processor (user and system), so that other work on
the machine counts little. All get the same words: those of `TopicModel`. Stages: count (text to
counts, or to what the package learns from), learn (ours: 3 passes, its default for so many
documents; gensim: 3 passes; tomotopy: 100 iterations), give back (proportions of all lines), and
the score of held-out lines by the same document completion (nats a token), every twentieth line.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from topictemper import TemperedLDA
from topictemper.metrics import predictive_log_likelihood
from topictemper.text._counting import learn_vocabulary
from topictemper.text._parameters import default_vectorizer

from .._common.corpora import machine, parser
from ..lda.memory import alone
from .adapters import ETA, alpha_of

HELD_OUT = 20


def read(data: Path, n_lines: int, n_words: int) -> list[str]:
    """Lines of the posts, the first ones."""
    lines: list[str] = []
    with gzip.open(data / "20news" / "docs.txt.gz", "rt", encoding="utf-8") as file:
        for post in file:
            words = post.split()
            lines += [
                " ".join(words[start : start + n_words]) for start in range(0, len(words), n_words)
            ]
            if len(lines) >= n_lines:
                break
    return lines[:n_lines]


def ours(train: list[str], n_topics: int, stage: Callable[[str], None]) -> tuple[Any, Any]:
    """What `TopicModel.fit` and `transform` do, stage by stage."""
    counts = learn_vocabulary(train, default_vectorizer(), None).counts
    stage("count")
    lda = TemperedLDA(n_topics, random_state=0).fit(counts)
    stage("learn")
    lda.transform(counts)
    stage("give back")
    return lda.components_, lda.doc_topic_prior_


def gensim(train: list[str], n_topics: int, stage: Callable[[str], None]) -> tuple[Any, Any]:
    """`LdaModel`, with the sizes of minibatches that `adapters` gives it."""
    from gensim.corpora import Dictionary
    from gensim.models import LdaModel

    tokens, words = tokenized(train)
    dictionary = Dictionary([words])
    corpus = [dictionary.doc2bow(line) for line in tokens]
    stage("count")
    model = LdaModel(
        corpus,
        num_topics=n_topics,
        id2word=dictionary,
        passes=3,
        chunksize=500,
        update_every=1,
        offset=64,
        decay=0.7,
        alpha=[alpha_of(n_topics)] * n_topics,
        eta=ETA,
        eval_every=None,
        random_state=0,
    )
    stage("learn")
    model.inference(corpus)
    stage("give back")
    order = [dictionary.token2id[word] for word in words]
    return model.state.get_lambda()[:, order], model.alpha


def tomotopy(train: list[str], n_topics: int, stage: Callable[[str], None]) -> tuple[Any, Any]:
    """`LDAModel`, with one worker."""
    import tomotopy

    tokens, words = tokenized(train)
    model = tomotopy.LDAModel(k=n_topics, alpha=alpha_of(n_topics), eta=ETA, seed=0)
    for line in tokens:
        model.add_doc(line or ["-"])
    stage("count")
    model.train(100, workers=1)
    stage("learn")
    model.infer([model.make_doc(line or ["-"]) for line in tokens], workers=1)
    stage("give back")
    known = np.array([model.get_topic_word_dist(k) for k in range(n_topics)])
    places = {word: place for place, word in enumerate(model.used_vocabs)}
    return known[:, [places[word] for word in words]], np.array(model.alpha)


def tokenized(train: list[str]) -> tuple[list[list[str]], list[str]]:
    """The words of each line that are in the vocabulary, and the vocabulary."""
    vectorizer = default_vectorizer().fit(train)
    analyze, known = vectorizer.build_analyzer(), vectorizer.vocabulary_
    tokens = [[word for word in analyze(line) if word in known] for line in train]
    return tokens, vectorizer.get_feature_names_out().tolist()


SYSTEMS = {"topictemper": ours, "gensim": gensim, "tomotopy": tomotopy}


def measure(system: str, data: Path, n_lines: int, n_words: int, n_topics: int) -> dict[str, float]:
    """Seconds of every stage, and the score."""
    lines = read(data, n_lines, n_words)
    test = lines[::HELD_OUT]
    train = [line for number, line in enumerate(lines) if number % HELD_OUT]
    found: dict[str, float] = {}
    start = time.process_time()

    def stage(name: str) -> None:
        nonlocal start
        found[name] = time.process_time() - start
        start = time.process_time()

    topics, alpha = SYSTEMS[system](train, n_topics, stage)
    X = default_vectorizer().fit(train).transform(test)
    return {**found, "score": predictive_log_likelihood(topics, X, alpha)}


def main() -> None:
    """Print the table."""
    arguments = parser(__doc__.splitlines()[0])
    arguments.add_argument("--lines", type=int, default=200_000, help="lines of text")
    arguments.add_argument("--words", type=int, default=25, help="words of a line")
    arguments.add_argument("--topics", type=int, default=100, help="topics")
    arguments.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=list(SYSTEMS))
    options = arguments.parse_args()
    print(machine(1))
    print("| system | count | learn | give back | score |")
    print("|---|---|---|---|---|")
    for system in options.systems:
        sizes = options.lines, options.words, options.topics
        found = alone(measure, system, options.data, *sizes)
        seconds = " | ".join(f"{found[name]:.1f}" for name in ("count", "learn", "give back"))
        print(f"| {system} | {seconds} | {found['score']:.4f} |", flush=True)


if __name__ == "__main__":
    main()
