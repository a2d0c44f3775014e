"""Requests to a fitted model, as a server answers them: from one thread, and from many at once.

Prints milliseconds that requests take, and processor time, the least of some rounds. Each request
has the result that it has alone, or the benchmark ends with an error.

    python -m benchmarks.lda.requests
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from topictemper import TopicModel
from topictemper.datasets import load_docstrings

from .._common.corpora import machine, parser

ROUNDS, REQUESTS, BATCH = 3, 200, 20
THREADS = (1, 8, 64)


def measured(answer: Callable[[Any], Any], requests: Sequence[Any], n_threads: int) -> list[Any]:
    """Median and 99th percentile of the time of a request, processor time, all in ms; answers."""

    def timed(request: Any) -> tuple[float, Any]:
        start = time.perf_counter()
        result = answer(request)
        return time.perf_counter() - start, result

    with ThreadPoolExecutor(n_threads) as pool:
        start = time.process_time()
        found = list(pool.map(timed, requests))
        of_processor = (time.process_time() - start) / len(requests)
    times = 1e3 * np.array([seconds for seconds, _ in found])
    figures = [np.median(times), np.quantile(times, 0.99), 1e3 * of_processor]
    return [*figures, [result for _, result in found]]


def main() -> None:
    """Print a table."""
    arguments = parser(__doc__, data="none", seeds=None, jobs=None)
    arguments.add_argument("--components", type=int, default=50)
    options = arguments.parse_args()
    warnings.simplefilter("ignore")  # of documents without a known word
    texts = load_docstrings().text
    model = TopicModel(options.components, random_state=0).fit(texts[::2])
    requests = [[text] for text in texts[1::2][:REQUESTS]]
    counts = sp.vstack(list(model._matrices(texts[1::2])), format="csr")
    rows = [counts[row] for row in range(REQUESTS)]
    batches = [counts[start : start + BATCH] for start in range(0, 40 * BATCH, BATCH)]
    calls: dict[str, tuple[Callable[[Any], Any], Sequence[Any]]] = {
        f"transform of counts, {way}": (partial(model.lda_.transform, inference=way), rows)
        for way in ("collapsed", "mean_field", "gibbs")
    }
    calls["transform of a text"] = model.transform, requests
    calls["documents of a text"] = (
        (lambda text: np.asarray(model.documents(text)["share"])),
        requests,
    )
    calls[f"transform of {BATCH} rows"] = model.lda_.transform, batches
    print(machine(1))
    print(f"\n| request | threads | n_jobs | median, ms | 99%, ms | processor, ms |\n{6 * '|---'}|")
    for name, (answer, given) in calls.items():
        alone = [answer(request) for request in given]
        for n_jobs in (None, 2) if name.endswith("rows") else (None,):
            model.set_params(n_jobs=n_jobs)
            for n_threads in THREADS:
                rounds = [measured(answer, given, n_threads) for _ in range(ROUNDS)]
                for *_, results in rounds:
                    np.testing.assert_array_equal(results, alone)
                least = np.min([figures for *figures, _ in rounds], axis=0)
                cells = " | ".join(f"{figure:.2f}" for figure in least)
                print(f"| {name} | {n_threads} | {n_jobs} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
