"""Held-out score with learned priors beside fixed ones, over corpora, seeds and passes.

    python benchmarks/priors.py --data DATA
    python benchmarks/priors.py --data DATA --passes 40    # what many passes do to them

Scores are nats a token by document completion. A gain is the mean over seeds of score(priors) -
score(defaults), with its standard error; learned values are those of the last seed.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from corpora import load, machine, parser

from topictemper import TemperedLDA

CORPORA = {"arxiv": 100, "imdb": 100, "20news": 50, "ap": 50, "docstrings": 30}
ROWS = 40_000
PRIORS: dict[str, dict[str, Any]] = {
    "fixed": {},
    "alpha auto": {"doc_topic_prior": "auto"},
    "eta auto": {"topic_word_prior": "auto"},
    "both auto": {"doc_topic_prior": "auto", "topic_word_prior": "auto"},
}


def main() -> None:
    """Print a table for each corpus."""
    arguments = parser(__doc__.splitlines()[0])
    arguments.add_argument("--corpora", nargs="+", choices=CORPORA, default=None)
    arguments.add_argument("--passes", type=int, default=10, help="max_iter")
    arguments.add_argument("--tempering", default="lvt")
    options = arguments.parse_args()
    names = options.corpora or (["docstrings"] if options.data is None else list(CORPORA))
    print(machine(options.jobs))
    print(f"{options.seeds} seeds, {options.passes} passes, {options.tempering}, K = {CORPORA}")
    for name in names:
        X, X_test = load(options.data, name, ROWS)
        print(f"\n{name}: {X.shape[0]} documents\n")
        print("| priors | mean score | gain | s.e. | CPU seconds | sum alpha | alpha | eta |")
        print("|---|---|---|---|---|---|---|---|")
        fixed: np.ndarray | None = None
        for label, change in PRIORS.items():
            scores, seconds = [], []
            for seed in range(options.seeds):
                model = TemperedLDA(
                    CORPORA[name],
                    tempering=options.tempering,
                    max_iter=options.passes,
                    n_jobs=options.jobs,
                    random_state=seed,
                    **change,
                )
                start = time.process_time()
                model.fit(X)
                seconds.append(time.process_time() - start)
                scores.append(model.score(X_test))
            values = np.array(scores)
            fixed = values if fixed is None else fixed
            gain = values - fixed
            error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else float("nan")
            alpha = model.doc_topic_prior_
            print(
                f"| {label} | {values.mean():.4f} | {gain.mean():+.4f} | {error:.4f} "
                f"| {np.mean(seconds):.1f} | {alpha.sum():.2f} "
                f"| {alpha.min():.4f} to {alpha.max():.3f} | {model.topic_word_prior_:.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
