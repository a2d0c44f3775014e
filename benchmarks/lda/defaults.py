"""Held-out score when one default of TemperedLDA is changed, over corpora and seeds.

    python -m benchmarks.lda.defaults --data DATA

A number is the mean over seeds of score(changed) - score(defaults), in nats per token: below zero,
the default is better.
"""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np

from topictemper import TemperedLDA
from topictemper.tempering import LocalTempering

from .._common.corpora import load, machine, parser

CORPORA = {"arxiv": 100, "imdb": 100, "20news": 50, "ap": 50, "docstrings": 30}
ROWS = 40_000
CHANGES: dict[str, dict[str, Any]] = {
    "tempering='svi'": {"tempering": "svi"},
    "tempering='avi'": {"tempering": "avi"},
    "tempering='vt'": {"tempering": "vt"},
    "tempering='dasvi'": {"tempering": "dasvi"},
    "inference='vb'": {"inference": "vb"},
    "inference='point'": {"inference": "point"},
    "doc_topic_prior 0.02": {"doc_topic_prior": 0.02},
    "doc_topic_prior 0.1": {"doc_topic_prior": 0.1},
    "doc_topic_prior='auto'": {"doc_topic_prior": "auto"},
    "topic_word_prior 0.025": {"topic_word_prior": 0.025},
    "topic_word_prior 0.05": {"topic_word_prior": 0.05},
    "topic_word_prior 0.1": {"topic_word_prior": 0.1},
    "learning_decay 0.7, no memory": {"learning_decay": 0.7},
    "learning_decay 0.55, no memory": {"learning_decay": 0.55},
    "length 3": {"tempering": LocalTempering(length=3.0)},
    "length 6": {"tempering": LocalTempering(length=6.0)},
    "inertia 0.75": {"tempering": LocalTempering(inertia=0.75)},
    "inertia 3": {"tempering": LocalTempering(inertia=3.0)},
    "schedule='exponential'": {"tempering": LocalTempering(schedule="exponential")},
    "batch_size 64": {"batch_size": 64},
    "batch_size 128": {"batch_size": 128},
    "batch_size 256": {"batch_size": 256},
    "batch_size 512": {"batch_size": 512},
    "learning_offset 10": {"learning_offset": 10.0},
    "learning_offset 1024": {"learning_offset": 1024.0},
    "max_iter 5": {"max_iter": 5},
    "max_iter 20": {"max_iter": 20},
}


def main() -> None:
    """Print the table, a row for each change."""
    options = parser(__doc__).parse_args()
    names = list(CORPORA) if options.data else ["docstrings"]
    data = {name: load(options.data, name, ROWS) for name in names}

    def scores(name: str, change: dict[str, Any]) -> np.ndarray:
        X, X_test = data[name]
        settings = {"n_components": CORPORA[name], "n_jobs": options.jobs, **change}
        models = (TemperedLDA(random_state=seed, **settings) for seed in range(options.seeds))
        return np.array([model.fit(X).score(X_test) for model in models])

    print(machine(options.jobs))
    print(f"{options.seeds} seeds, default passes, K = {CORPORA}\n")
    print("| |", " | ".join(names), "| mean |")
    print("|---" * (len(names) + 2) + "|")
    defaults = {name: scores(name, {}) for name in names}
    means = [value.mean() for value in defaults.values()]
    print(
        "| score of the defaults |",
        " | ".join(f"{m:.4f}" for m in means),
        f"| {np.mean(means):.4f} |",
    )

    def compare(label: str, change: dict[str, Any]) -> None:
        gains = [(scores(name, change) - defaults[name]).mean() for name in names]
        row = " | ".join(f"{gain:+.4f}" for gain in gains)
        print(f"| {label} | {row} | {np.mean(gains):+.4f} |", flush=True)

    for label, change in CHANGES.items():
        compare(label, change)
    # No parameter turns this off: each addition takes the place of the average.
    with patch("topictemper.lda._average.weight_of", return_value=1.0):
        compare("topics of the last step, not averaged", {})


if __name__ == "__main__":
    main()
