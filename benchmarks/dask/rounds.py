"""Held-out score of learning by rounds against a plain fit of the same documents.

    python -m benchmarks.dask.rounds --data DATA --seeds 3

Prints a row for each: the score of documents that are completed by collapsed inference, which is
the default, by mean-field inference, and by Gibbs sampling, each with the multiple of the model's
alpha that is best for some training rows; of validation rows, the last ones of the training rows,
by which settings are chosen, and of the test rows. With more than one seed, the differences from
the plain fit follow, paired by seed, with standard errors. All shards are learned in this process,
one after the other: the seconds, of the processor, are not those of a cluster.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import process_time
from typing import Any

import numpy as np

from topictemper import TemperedLDA
from topictemper._utils._typing import Floats
from topictemper.dask import TemperedLDA as Rounds

from .._common.corpora import load, machine, parser
from .._common.referee import reading

_VALIDATION_ROWS = 6000
_WAYS = ("collapsed", "mean_field", "gibbs")


def columns(scores: Iterable[float]) -> str:
    """Scores in their columns."""
    return "".join(f"  {score:10.4f}" for score in scores)


def row(name: str, lda: TemperedLDA, seconds: float, train: Any, *held_out: Any) -> list[float]:
    """Print the scores of a model, and return them."""
    topics, alpha = lda.components_, lda.doc_topic_prior_
    scores = [
        reading(topics, alpha, train, X, way, lda.n_jobs).score for X in held_out for way in _WAYS
    ]
    print(f"{name:>18}{columns(scores)}  {seconds:8.1f}", flush=True)
    return scores


def main() -> None:
    """Print a row for each fit."""
    arguments = parser(__doc__)
    arguments.add_argument("--corpus", default="arxiv", help="corpus in DATA")
    arguments.add_argument("--rows", type=int, help="training documents; none: all")
    arguments.add_argument("--components", type=int, default=100, help="topics")
    arguments.add_argument("--passes", type=int, help="none: the default of each")
    arguments.add_argument(
        "--shards", type=int, nargs="*", default=[4, 8, 32], help="shards of each fit by rounds"
    )
    options = arguments.parse_args()
    train, test = load(options.data, options.corpus, options.rows)
    n_validation = min(_VALIDATION_ROWS, train.shape[0] // 10)
    train, validation = train[:-n_validation], train[-n_validation:]
    print(machine(options.jobs))
    print(f"{options.corpus}, {train.shape[0]} documents, K = {options.components}")
    print(f"{'':>18}  {'validation':<34}  {'test':<34}")
    print(f"{'':>18}" + 2 * "".join(f"  {way:>10}" for way in _WAYS) + f"  {'seconds':>8}")
    differences: dict[int, list[Floats]] = {n: [] for n in options.shards}
    for seed in range(options.seeds):
        common = {"random_state": seed, "n_jobs": options.jobs, "max_iter": options.passes}
        began = process_time()
        plain = TemperedLDA(options.components, **common).fit(train)
        name = f"plain, seed {seed}"
        base = row(name, plain, process_time() - began, train, validation, test)
        del plain
        for n_shards in options.shards:
            began = process_time()
            rounds = Rounds(options.components, n_shards=n_shards, **common).fit(train).to_local()
            name = f"{n_shards} shards, seed {seed}"
            scores = row(name, rounds, process_time() - began, train, validation, test)
            differences[n_shards].append(np.subtract(scores, base))
    for n_shards, found in differences.items():
        if len(found) > 1:
            errors = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
            print(f"{f'{n_shards} less plain':>18}" + columns(np.mean(found, axis=0)))
            print(f"{'standard error':>18}" + columns(errors))


if __name__ == "__main__":
    main()
