"""What tempering gains over plain inference, from few topics to many, and how many there are.

    python -m benchmarks.lda.many_topics --data DATA --corpus arxiv --rows 60000

A score is the better of two ways to complete test documents (`benchmarks._common.referee`), in nats
a token, with a multiple of alpha that training documents choose. The own score is that of
`TemperedLDA.score`, which uses the learned alpha itself. Rows are held out and never learned from.
"fixed" has eta = 0.05 for all topics, which is not learned then.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topictemper import TemperedLDA
from topictemper.lda._plan import usual_passes

from .._common.corpora import distributions, load, machine, parser
from .._common.referee import best_of_two

FITS: dict[str, dict[str, Any]] = {
    "lvt": {},
    "svi": {"tempering": "svi"},
    "lvt, fixed": {"topic_word_prior": 0.05},
    "svi, fixed": {"topic_word_prior": 0.05, "tempering": "svi"},
}
COLUMNS = (
    "K", "fit", "seed", "score", "gain over svi", "of alpha", "own score", "gain over svi",
    "effective topics", "eta", "CPU s",
)  # fmt: skip


def main() -> None:
    """Print a row for every number of topics and every way to fit them."""
    arguments = parser(__doc__, seeds=1)
    arguments.add_argument("--corpus", default="docstrings", help="corpus to learn from")
    arguments.add_argument("--rows", type=int, help="rows to learn from; none: all")
    arguments.add_argument(
        "--components",
        type=int,
        nargs="+",
        default=[10, 30, 100, 300, 1000],
        help="numbers of topics",
    )
    arguments.add_argument(
        "--fits", nargs="+", choices=FITS, default=list(FITS), help="what to compare"
    )
    arguments.add_argument("--more-passes", type=int, default=1, help="times the default passes")
    options = arguments.parse_args()
    X, X_test = load(options.data, options.corpus, options.rows)
    print(machine(options.jobs))
    print(f"{options.corpus}: {X.shape[0]} documents, {X.sum():.0f} tokens, {X.shape[1]} words")
    print("|", " | ".join(COLUMNS), "|")
    print("|---" * len(COLUMNS) + "|", flush=True)
    for n_components in options.components:
        for seed in range(options.seeds):
            scores: dict[str, NDArray[Any]] = {}
            for name in sorted(options.fits, key=lambda name: "lvt" in name):  # "svi" first
                lda = TemperedLDA(
                    n_components, n_jobs=options.jobs, random_state=seed, **FITS[name]
                )
                start = time.process_time()
                if options.more_passes > 1:
                    usual = usual_passes(X.shape[0], X.sum() / X.shape[0])
                    lda.set_params(max_iter=options.more_passes * round(usual))
                lda.fit(X)
                seconds = time.process_time() - start
                topics = distributions(lda)
                reading = best_of_two(topics, lda.doc_topic_prior_, X, X_test, options.jobs)
                scores[name] = np.array([reading.score, lda.score(X_test)])
                gains = scores[name] - scores.get(name.replace("lvt", "svi"), np.nan)
                print(
                    f"| {n_components} | {name} | {seed} | {scores[name][0]:.4f} | {gains[0]:+.4f} "
                    f"| {reading.factor:g} | {scores[name][1]:.4f} | {gains[1]:+.4f} "
                    f"| {lda.n_effective_topics_:.1f} | {lda.topic_word_prior_:.4f} "
                    f"| {seconds:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
