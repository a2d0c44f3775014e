"""Cost of a step with sampled documents beside one with mean-field inference; a table.

    python -m benchmarks.lda.sampled_steps --data DATA

Microseconds a document on one thread, in processor time, the least of some measurements in turns:
topics' rows, documents, statistics, and what Python adds. All from the same topics, which
mean-field steps have learned; hot steps, at T = 3, from topics that were learned at that T. Sampled
steps of the last passes, and of short documents, leave the own counts of tokens out. Then documents
that are completed, without statistics: by mean-field inference, by collapsed inference, and by the
sweeps of prediction. `benchmarks.lda.scaling` prints this table too.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy.sparse as sp

from topictemper import TemperedLDA
from topictemper._core._workers import Workers
from topictemper.lda._e_step import PREDICTION, cvb0, infer, sample
from topictemper.lda._minibatch import Gatherer
from topictemper.lda._topics import Topics
from topictemper.tempering import Annealing

from .._common.corpora import load, machine, parser

COMPONENTS = (100, 500, 1000, 2000, 4000)
SWEEPS = {"tol": 1e-3, "max_iter": 100}
BATCH, ROWS = 500, 2000
HOT = 3.0
TITLE = 10  # words
WAYS = ("mean_field", "collapsed", "gibbs")


def titles(X: Any) -> sp.csr_matrix:
    """The first words of each row, each once."""
    lengths = np.minimum(np.diff(X.indptr), TITLE)
    first = np.concatenate([np.arange(i, i + n) for i, n in zip(X.indptr, lengths, strict=False)])
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    return sp.csr_matrix((np.ones(len(first), X.dtype), X.indices[first], indptr), X.shape)


class Case:
    """Topics and documents to be measured with them."""

    def __init__(self, X: Any, n_components: int) -> None:
        rows = min(ROWS, X.shape[0] // 2)
        model = TemperedLDA(n_components, tempering="svi", inference="point", max_iter=2)
        hot = Annealing(schedule=lambda passes: HOT)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # two passes leave many topics alike
            trainer = model.fit(X[:-rows])._trainer
            model.set_params(tempering=hot, max_iter=1)
            self.hot_topics = model.fit(X[:-rows])._trainer.topics
        self.topics, self.alpha = trainer.topics, trainer.alpha
        self.later, self._workspace = X[-rows:], trainer._workspace

    def step(self) -> float:
        """Microseconds a document of a mean-field step."""

        def e_step(batch: Any, more: dict[str, Any]) -> Any:
            return infer(self.topics, batch, self.alpha, 1.0, **SWEEPS, **more)

        return self._of_step(self.topics, e_step)

    def sampled_step(self, *, want_own: bool) -> float:
        """Microseconds a document of a sampled step."""

        def e_step(batch: Any, more: dict[str, Any]) -> Any:
            return sample(self.topics, batch, self.alpha, 0, want_own=want_own, **more)

        return self._of_step(self.topics, e_step)

    def hot_step(self) -> float:
        """Microseconds a document of a mean-field step at T = HOT."""

        def e_step(batch: Any, more: dict[str, Any]) -> Any:
            return infer(self.hot_topics, batch, self.alpha, 1.0 / HOT, **SWEEPS, **more)

        return self._of_step(self.hot_topics, e_step)

    def _of_step(self, topics: Topics, e_step: Callable[[Any, dict[str, Any]], Any]) -> float:
        before, M = dict(vars(topics)), topics.M.copy()

        def one(batch: Any, more: dict[str, Any]) -> None:
            q = e_step(batch, more)
            topics.step(
                batch, q, q.s, decay=0.01, scale=1.0, offset=1e-3, workers=more["workers"]
            ).take()

        taken = self._taken(one, by_word=True)
        vars(topics).update(before)
        topics.M[:] = M
        return taken

    def completion(self, way: str) -> float:
        """Microseconds a document of proportions alone."""

        def one(batch: Any, more: dict[str, Any]) -> None:
            if way == "gibbs":
                more = {"sweeps": PREDICTION, "want_weights": False} | more
                sample(self.topics, batch, self.alpha, 0, **more)
            elif way == "collapsed":
                cvb0(self.topics, batch, self.alpha, **SWEEPS, **more)
            else:
                more = {"want_weights": False} | more
                infer(self.topics, batch, self.alpha, 1.0, **SWEEPS, **more)

        return self._taken(one, by_word=False)

    def _taken(self, one: Callable[[Any, dict[str, Any]], None], *, by_word: bool) -> float:
        n, gatherer = self.later.shape[0], Gatherer(self.later, self.topics.M.dtype)
        with Workers(1) as workers:
            start = time.thread_time()
            for first in range(0, n, BATCH):
                batch = gatherer.rows(np.arange(first, min(first + BATCH, n)), by_word=by_word)
                one(batch, {"workers": workers, "workspace": self._workspace})
            return (time.thread_time() - start) / n * 1e6


def report(options: argparse.Namespace) -> None:
    """Print the table."""
    corpus = "docstrings" if options.data is None else "arxiv"
    X = load(options.data, corpus, 40_000)[0].astype(np.float32)
    cases = [(corpus, X, k) for k in COMPONENTS] + [("ten words", titles(X), 100)]
    if options.data is not None:
        cases.append(("long", load(options.data, "long")[0].astype(np.float32), 100))
    n_sweeps = 1 + sum(PREDICTION)
    print(
        "| rows | tokens | K | mean-field step | hot step | sampled step | ratio "
        f"| without own counts | mean field | collapsed | {n_sweeps} sweeps |"
    )
    print(11 * "|---" + "|")
    for name, rows, n_components in cases:
        case = Case(rows, n_components)
        tokens = case.later.sum() / case.later.shape[0]
        turns = [
            (
                case.step(),
                case.hot_step(),
                case.sampled_step(want_own=False),
                case.sampled_step(want_own=True),
                *map(case.completion, WAYS),
            )
            for _ in range(options.rounds)
        ]
        step, hot, sampled, without, *completed = np.min(turns, axis=0)
        print(f"| {name} | {tokens:.0f} | {n_components} | {step:.1f} | {hot:.1f} | {sampled:.1f} "
              f"| {sampled / step:.2f} | {without:.1f} | "
              + " | ".join(f"{x:.1f}" for x in completed) + " |", flush=True)  # fmt: skip


def main() -> None:
    """Print the machine and the table."""
    arguments = parser(__doc__, seeds=None, jobs=None)
    arguments.add_argument("--rounds", type=int, default=5, help="measurements of each cost")
    options = arguments.parse_args()
    print(machine(1))
    report(options)


if __name__ == "__main__":
    main()
