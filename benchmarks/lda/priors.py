"""Held-out score with learned priors beside the defaults, over corpora, seeds and passes.

    python -m benchmarks.lda.priors --data DATA
    python -m benchmarks.lda.priors --data DATA --passes 40    # what many passes do to them

Scores are nats per token by document completion. A gain is the mean over seeds of score(priors) -
score(defaults), with its standard error; learned values are those of the last seed. All is with
``inference="point"``: where documents are sampled, alpha follows the samples. Below are scores of
the default models with other multiples of the alpha that they were learned with, beside the one
that they found.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from topictemper import TemperedLDA
from topictemper.metrics import predictive_log_likelihood

from .._common.corpora import distributions, load, machine, parser
from .._common.pairs import with_error

CORPORA = {"arxiv": 100, "imdb": 100, "20news": 50, "ap": 50, "docstrings": 30}
ROWS = 40_000
MULTIPLES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
PRIORS: dict[str, dict[str, Any]] = {
    "default": {},
    "alpha auto": {"doc_topic_prior": "auto"},
    "eta auto": {"topic_word_prior": "auto"},
    "both auto": {"doc_topic_prior": "auto", "topic_word_prior": "auto"},
}


def multiples(models: list[TemperedLDA], X_test: Any) -> None:
    """Print the scores of models for multiples of the alpha of their learning."""
    found, scores = [], []
    for model in models:
        alpha = model._trainer.alpha
        topics = distributions(model)
        found.append(float(model.doc_topic_prior_[0] / alpha[0]))
        scores.append([predictive_log_likelihood(topics, X_test, alpha * m) for m in MULTIPLES])
    print("\n| multiples found |", " | ".join(f"{m:g}" for m in MULTIPLES), "|")
    print("|---" * (len(MULTIPLES) + 1) + "|")
    listed = ", ".join(f"{m:.2f}" for m in found)
    print(f"| {listed} |", " | ".join(f"{m:.4f}" for m in np.mean(scores, axis=0)), "|", flush=True)


def main() -> None:
    """Print a table for each corpus."""
    arguments = parser(__doc__)
    arguments.add_argument(
        "--corpora", nargs="+", choices=CORPORA, help="some of the corpora; none: all"
    )
    arguments.add_argument("--passes", type=int, default=10, help="max_iter")
    arguments.add_argument("--tempering", default="lvt", help="mode of tempering")
    options = arguments.parse_args()
    names = options.corpora or (["docstrings"] if options.data is None else list(CORPORA))
    print(machine(options.jobs))
    print(f"{options.seeds} seeds, {options.passes} passes, {options.tempering}, K = {CORPORA}")
    for name in names:
        X, X_test = load(options.data, name, ROWS)
        print(f"\n{name}: {X.shape[0]} documents\n")
        print("| priors | mean score | gain | CPU seconds | sum alpha | alpha | eta |")
        print("|---|---|---|---|---|---|---|")
        default: np.ndarray | None = None
        defaults = []
        for label, change in PRIORS.items():
            scores, seconds = [], []
            for seed in range(options.seeds):
                model = TemperedLDA(
                    CORPORA[name],
                    tempering=options.tempering,
                    inference="point",
                    max_iter=options.passes,
                    n_jobs=options.jobs,
                    random_state=seed,
                    **change,
                )
                start = time.process_time()
                model.fit(X)
                seconds.append(time.process_time() - start)
                scores.append(model.score(X_test))
                if not change:
                    defaults.append(model)
            values = np.array(scores)
            default = values if default is None else default
            gain = values - default
            alpha = model.doc_topic_prior_
            print(
                f"| {label} | {values.mean():.4f} | {with_error(gain, 4)} "
                f"| {np.mean(seconds):.1f} | {alpha.sum():.2f} "
                f"| {alpha.min():.4f} to {alpha.max():.3f} | {model.topic_word_prior_:.4f} |",
                flush=True,
            )
        multiples(defaults, X_test)


if __name__ == "__main__":
    main()
