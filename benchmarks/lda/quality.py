"""Held-out scores of every mode, over corpora and seeds.

    python -m benchmarks.lda.quality --data DATA
    python -m benchmarks.lda.quality                      # docstrings only

Scores are nats per token by document completion; a gain is a paired difference, seed by seed. "best
AVI by hand" is the best of four schedules, T0 in {3, 3.9} and {1, 2} passes, chosen on the test
set itself, so it flatters them. "tempered" is what prediction at the learned temperatures adds.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topictemper import TemperedLDA
from topictemper.tempering import Annealing, GlobalTempering

from .._common.corpora import load, machine, parser
from .._common.pairs import with_error


@dataclass(frozen=True)
class Case:
    """A corpus and what is the same for all modes on it."""

    corpus: str
    rows: int | None
    settings: dict[str, Any] = field(default_factory=dict)


CASES = {
    "arxiv": Case("arxiv", 40_000, {"n_components": 100, "max_iter": 6}),
    "imdb": Case("imdb", 40_000, {"n_components": 100, "max_iter": 6}),
    "20news": Case("20news", None, {"n_components": 50, "max_iter": 10}),
    "long": Case("long", None, {"n_components": 50, "max_iter": 16, "batch_size": 20}),
    "ap": Case("ap", None, {"n_components": 50, "max_iter": 20, "batch_size": 20}),
    "docstrings": Case(
        "docstrings",
        None,
        {"n_components": 30, "max_iter": 20, "doc_topic_prior": 0.1, "learning_offset": 64.0},
    ),
}
SHARED = {
    "inference": "point",  # what is compared is the temperature
    "batch_size": 100,
    "learning_offset": 1024.0,
    "learning_decay": 0.7,
    "doc_topic_prior": 0.05,
    "topic_word_prior": 0.05,
}
HAND = {
    f"avi {t0}, {length}": {"tempering": Annealing(max_temperature=t0, length=length)}
    for t0 in (3.0, 3.9)
    for length in (1.0, 2.0)
}
SPARSE = {"doc_topic_prior": 0.01, "topic_word_prior": 0.01}
MODES: dict[str, dict[str, Any]] = {
    "svi": {"tempering": "svi"},
    **HAND,
    "avi": {"tempering": "avi"},
    "vt": {"tempering": "vt"},
    "lvt": {"tempering": "lvt"},
    "dasvi": {"tempering": "dasvi"},
}
PRIOR_MODES: dict[str, dict[str, Any]] = {
    "svi, priors 0.01": {"tempering": "svi", **SPARSE},
    "vt, prior normalizer, priors 0.01": {
        "tempering": GlobalTempering(normalizer="prior"),
        **SPARSE,
    },
}


def run(case: Case, data: Any, seeds: int, jobs: int) -> None:
    """Print the scores of all modes on one corpus, as they come."""
    X, X_test = load(data, case.corpus, case.rows)
    X = X.astype(np.float32)
    print(f"\n{case.corpus}: {X.shape[0]} documents, {X.sum() / X.shape[0]:.0f} tokens each; "
          f"{case.settings}\n")  # fmt: skip
    print("| mode | mean score | sd | gain over svi | seconds | max. temperature | tempered |")
    print("|---|---|---|---|---|---|---|")
    scores: dict[str, np.ndarray] = {}
    modes = MODES | (PRIOR_MODES if case.corpus == "arxiv" else {})
    for name, mode in modes.items():
        results, seconds, hottest, tempered = [], [], [], []
        for seed in range(seeds):
            model = TemperedLDA(
                **{**SHARED, **case.settings, **mode}, random_state=seed, n_jobs=jobs
            )
            start = time.perf_counter()
            model.fit(X)
            seconds.append(time.perf_counter() - start)
            results.append(model.score(X_test))
            hottest.append(model.max_temperature_)
            if isinstance(mode["tempering"], GlobalTempering) or mode["tempering"] in ("vt", "lvt"):
                tempered.append(model.score(X_test, tempered=True))
        scores[name] = np.array(results)
        against = scores["svi, priors 0.01" if "0.01" in name else "svi"]
        gain = scores[name] - against
        print(
            f"| {name} | {np.mean(results):.4f} | {np.std(results):.4f} | {with_error(gain, 4)} "
            f"| {np.mean(seconds):.1f} | {np.mean(hottest):.2f} "
            f"| {f'{np.mean(tempered) - np.mean(results):+.4f}' if tempered else ''} |",
            flush=True,
        )
    by_hand = max(HAND, key=lambda name: scores[name].mean())
    gain = scores["lvt"] - scores[by_hand]
    print(f"\nlvt over the best AVI by hand ({by_hand}): {gain.mean():+.4f}")


def main() -> None:
    """Print a table for each corpus."""
    arguments = parser(__doc__)
    arguments.add_argument(
        "--corpora", nargs="+", choices=CASES, help="some of the corpora; none: all"
    )
    options = arguments.parse_args()
    names = options.corpora or (["docstrings"] if options.data is None else list(CASES))
    print(machine(options.jobs))
    print(f"{options.seeds} seeds; {SHARED}")
    for name in names:
        run(CASES[name], options.data, options.seeds, options.jobs)


if __name__ == "__main__":
    main()
