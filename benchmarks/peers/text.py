"""From lines of text to topics and back, in seconds by stage: ours, gensim and tomotopy.

    python -m benchmarks.peers.text --data DATA --lines 200000 --words 25 --topics 100

The posts of 20 Newsgroups (docs.txt.gz) are cut into lines of so many words; every twentieth line
is held out. Every system runs alone, in one thread; seconds are those of the processor (user and
system), so that other work on the machine counts little. All cut text into words as `TopicModel`
does, and leave out those in fewer than five lines. Stages: count (a file of text to counts, or to
what the package learns from), learn (gensim: 3 passes; tomotopy: 100 iterations; ours: its default)
and give back (proportions of all lines, into memory; from the shell, into a .npz file). Then the
peak memory of the process, and the score of the held-out lines, the better of two readings, in nats
a token.
"""

from __future__ import annotations

import gzip
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from topictemper import TopicModel
from topictemper import load as load_model
from topictemper.cli._main import main as shell
from topictemper.text._parameters import MAX_DF, MIN_DF, default_vectorizer

from .._common.corpora import distributions, machine, parser
from .._common.processes import alone, peak
from .._common.referee import best_of_two
from .adapters import ETA, alpha_of

HELD_OUT = 20
STAGES = ("count", "learn", "give back")

Stage = Callable[[str], None]
#: Words, topics of shape (n_topics, n_words), and the prior of the proportions.
Found = tuple[list[str], Any, Any]


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


class _Clock(logging.Handler):
    """Tells from the log of `topictemper fit` what it does."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self._stage = stage

    def emit(self, record: logging.LogRecord) -> None:
        """End a part of the stage; the last such line is said when all words are counted."""
        if record.getMessage().startswith("counting words"):
            self._stage("count")


def ours(file: Path, n_topics: int, stage: Stage) -> Found:
    """`topictemper fit` and `topictemper transform`."""
    logger, clock = logging.getLogger("topictemper"), _Clock(stage)
    logger.addHandler(clock)
    model = file.with_name("lines.topics")
    fit = ["fit", str(file), "--topics", str(n_topics), "--jobs", "1", "--output", str(model)]
    transform = ["transform", str(model), str(file), "--output", str(file.with_name("theta.npz"))]
    with redirect_stdout(sys.stderr):
        for command, name in ((fit, "learn"), (transform, "give back")):
            if shell(command):
                raise RuntimeError(f"topictemper {command[0]} has failed")
            stage(name)
    logger.removeHandler(clock)
    found = load_model(model)
    lda = found.lda_
    return found.feature_names_.tolist(), distributions(lda), lda.doc_topic_prior_


def in_python(file: Path, n_topics: int, stage: Stage) -> Found:
    """`TopicModel`, which counts and learns in one call."""
    lines = file.read_text(encoding="utf-8").splitlines()
    model = TopicModel(n_topics, random_state=0, n_jobs=1).fit(lines)
    stage("learn")
    model.transform(lines)
    stage("give back")
    lda = model.lda_
    return model.feature_names_.tolist(), distributions(lda), lda.doc_topic_prior_


def gensim(file: Path, n_topics: int, stage: Stage) -> Found:
    """`LdaModel`, with the sizes of minibatches that `adapters` gives it."""
    from gensim.corpora import Dictionary
    from gensim.models import LdaModel

    stage("import")
    tokens = tokenized(file)
    dictionary = Dictionary(tokens)
    dictionary.filter_extremes(no_below=MIN_DF, no_above=MAX_DF, keep_n=None)
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
    words = [dictionary[column] for column in range(len(dictionary))]
    return words, model.state.get_lambda(), model.alpha


def tomotopy(file: Path, n_topics: int, stage: Stage) -> Found:
    """`LDAModel`, with one worker."""
    import tomotopy

    stage("import")
    tokens = tokenized(file)
    model = tomotopy.LDAModel(k=n_topics, alpha=alpha_of(n_topics), eta=ETA, min_df=MIN_DF, seed=0)
    for line in tokens:
        if line:  # it takes no empty ones
            model.add_doc(line)
    model.train(0, workers=1)  # prepares what was added
    stage("count")
    model.train(100, workers=1)
    stage("learn")
    # Documents that it has learned from have their proportions already.
    for document in model.docs:
        document.get_topic_dist()
    stage("give back")
    topics = np.array([model.get_topic_word_dist(k) for k in range(n_topics)])
    return list(model.used_vocabs), topics, np.array(model.alpha)


def tokenized(file: Path) -> list[list[str]]:
    """The words of each line, as `TopicModel` cuts them."""
    analyze = default_vectorizer().build_analyzer()
    with file.open(encoding="utf-8") as lines:
        return [analyze(line) for line in lines]


SYSTEMS = {
    "topictemper, shell": ours,
    "topictemper, Python": in_python,
    "gensim": gensim,
    "tomotopy": tomotopy,
}


def measure(system: str, data: Path, n_lines: int, n_words: int, n_topics: int) -> dict[str, float]:
    """Seconds of every stage, the peak memory in MB, and the score."""
    lines = read(data, n_lines, n_words)
    test = lines[::HELD_OUT]
    train = [line for number, line in enumerate(lines) if number % HELD_OUT]
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lines.txt"
        file.write_text("\n".join(train) + "\n", encoding="utf-8")
        start = time.process_time()

        def stage(name: str) -> None:
            nonlocal start
            found[name] = found.get(name, 0.0) + time.process_time() - start
            start = time.process_time()

        words, topics, alpha = SYSTEMS[system](file, n_topics, stage)
    found["MB"] = peak()
    counter = default_vectorizer().set_params(vocabulary=words)
    X, X_test = counter.transform(train), counter.transform(test)
    return {**found, "score": best_of_two(topics, alpha, X, X_test, 1).score}


def main() -> None:
    """Print the table."""
    arguments = parser(__doc__, data="needed", seeds=None, jobs=None)
    arguments.add_argument("--lines", type=int, default=200_000, help="lines of text")
    arguments.add_argument("--words", type=int, default=25, help="words of a line")
    arguments.add_argument("--topics", type=int, default=100, help="topics")
    arguments.add_argument(
        "--systems", nargs="+", default=list(SYSTEMS), choices=list(SYSTEMS), help="what to compare"
    )
    options = arguments.parse_args()
    print(machine(1))
    print("| system | count | learn | give back | MB | score |")
    print("|---|---|---|---|---|---|")
    for system in options.systems:
        sizes = options.lines, options.words, options.topics
        found = alone(measure, system, options.data, *sizes)
        cells = [f"{found[name]:.1f}" if name in found else "" for name in STAGES]
        print(
            f"| {system} | {' | '.join(cells)} | {found['MB']:.0f} | {found['score']:.4f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
