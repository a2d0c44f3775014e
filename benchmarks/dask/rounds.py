"""Held-out score of learning by rounds against a plain fit of the same documents.

Prints a row for each: the score of mean-field completion (`score`), that of completion by Gibbs
sampling at the multiple of alpha that completes 500 training documents best, and seconds. All
shards are learned in this process, one after the other: the seconds are not those of a cluster.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

from topictemper import TemperedLDA
from topictemper._core._workers import Workers
from topictemper.dask import TemperedLDA as Rounds
from topictemper.lda._completion import Model, cold, document_completion, predictor
from topictemper.lda._e_step import PREDICTION
from topictemper.lda._token_halves import split_tokens

from .._common.corpora import load, machine, parser

_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0)
_DOCUMENTS = 500


def sampled(lda: TemperedLDA, X: Any, factor: float, jobs: int) -> float:
    """Score of completion by Gibbs sampling, with a multiple of the alpha of prediction."""
    observed, held_out = split_tokens(X)
    model = predictor(lda._trainer)
    alpha = (model.alpha * factor).astype(model.alpha.dtype)
    with Workers(jobs) as workers:
        gibbs = Model(model.topics, alpha, model.sweeps, PREDICTION)
        total = document_completion(gibbs, observed, held_out, cold, workers).sum()
    return float(total / held_out.sum())


def row(name: str, lda: TemperedLDA, seconds: float, train: Any, test: Any, jobs: int) -> None:
    some = train[:: max(1, train.shape[0] // _DOCUMENTS)][:_DOCUMENTS]
    factor = max(_FACTORS, key=lambda factor: sampled(lda, some, factor, jobs))
    print(
        f"{name:>24}  {lda.score(test):8.4f}  {sampled(lda, test, factor, jobs):8.4f}  "
        f"{factor:6.3f}  {seconds:8.1f}",
        flush=True,
    )


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--corpus", default="arxiv")
    arguments.add_argument("--rows", type=int, help="training documents; none: all")
    arguments.add_argument("--components", type=int, default=100)
    arguments.add_argument("--shards", type=int, nargs="*", default=[4, 8, 32])
    options = arguments.parse_args()
    train, test = load(options.data, options.corpus, options.rows)
    print(machine(options.jobs))
    print(f"{options.corpus}, {train.shape[0]} documents, K = {options.components}")
    print(f"{'':>24}  {'score':>8}  {'sampled':>8}  {'factor':>6}  {'seconds':>8}")
    for seed in range(options.seeds):
        common = {"random_state": seed, "n_jobs": options.jobs}
        began = perf_counter()
        plain = TemperedLDA(options.components, **common).fit(train)
        row(f"plain, seed {seed}", plain, perf_counter() - began, train, test, options.jobs)
        del plain
        for n_shards in options.shards:
            began = perf_counter()
            rounds = Rounds(options.components, n_shards=n_shards, **common).fit(train).to_local()
            seconds = perf_counter() - began
            name = f"{n_shards} shards, seed {seed}"
            row(name, rounds, seconds, train, test, options.jobs)


if __name__ == "__main__":
    main()
