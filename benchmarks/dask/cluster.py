"""Learning and predicting many documents on local workers: time, memory, bytes, and overhead.

    python -m benchmarks.dask.cluster --data DATA --work WORK

Writes a corpus of `--rows` documents to WORK once: the training rows of arXiv again and
again, copy c with its rows shifted by 7919 c places. Learns from it by rounds on two workers of one
thread and 4 GB each, and transforms it. Prints minutes, the largest memory of a worker, the bytes
that workers received from each other in a round, and the share of the workers' time in rounds that
is neither tasks nor transfers: of each, and of all at once, when none waits for another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp
from distributed import Client, LocalCluster

from topictemper.dask import TemperedLDA
from topictemper.datasets import open_corpus, save_corpus

from .._common.corpora import load, machine, parser
from .._common.processes import peak

_SHIFT = 7919
_ROWS_OF_A_BLOCK = 50_000


def copies(X: sp.csr_matrix, rows: int) -> Iterator[sp.csr_matrix]:
    """Yield as many rows as wanted."""
    for copy in range(-(-rows // X.shape[0])):
        start = _SHIFT * copy % X.shape[0]
        chunk = sp.vstack([X[start:], X[:start]], format="csr")
        yield chunk[: rows - copy * X.shape[0]]


def _block(folder: str, start: int, stop: int) -> Any:
    # A copy: pages of mapped files count as memory of the worker.
    return open_corpus(folder, verify=False).counts[start:stop].copy()


def documents(folder: Path, rows: int, columns: int) -> da.Array:
    """The corpus as a dask.array that workers read from the folder."""
    starts = range(0, rows, _ROWS_OF_A_BLOCK)
    stops = [min(start + _ROWS_OF_A_BLOCK, rows) for start in starts]
    meta = sp.csr_matrix((0, columns))
    return da.concatenate(
        [
            da.from_delayed(
                dask.delayed(_block)(str(folder), start, stop), (stop - start, columns), meta=meta
            )
            for start, stop in zip(starts, stops, strict=True)
        ]
    )


def received(dask_worker: Any) -> int:
    """Bytes that a worker has received from others."""
    return sum(int(each["total"]) for each in dask_worker.transfer_incoming_log)


def longer_log(dask_worker: Any) -> None:
    """Keep all transfers in the log, not the last ones only."""
    dask_worker.transfer_incoming_log = type(dask_worker.transfer_incoming_log)(maxlen=None)


def overhead(stream: list[dict[str, Any]]) -> tuple[float, float]:
    """Shares of the time, from the first round on, that one worker, and all of them, do nothing in.

    A worker that has nothing to do may wait for another one, which takes longer for its shards.
    """
    first = min(
        span["start"]
        for task in stream
        if str(task["key"]).startswith("train")
        for span in task["startstops"]
    )
    spans: dict[str, list[tuple[float, float]]] = {}
    for task in stream:
        for span in task["startstops"]:
            if span["start"] >= first:
                spans.setdefault(task["worker"], []).append((span["start"], span["stop"]))
    last = max(stop for each in spans.values() for _, stop in each)
    idle = [1.0 - _covered(sorted(each)) / (last - first) for each in spans.values()]
    nobody = 1.0 - _covered(sorted(chain(*spans.values()))) / (last - first)
    return float(np.mean(idle)), nobody


def _covered(spans: list[tuple[float, float]]) -> float:
    """The length of the union of intervals."""
    total, end = 0.0, -np.inf
    for start, stop in spans:
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total


def main() -> None:
    """Fit and predict on local workers, and print what it took."""
    arguments = parser(__doc__, data="needed", seeds=None, jobs=None)
    arguments.add_argument("--work", type=Path, required=True, help="folder for the corpus")
    arguments.add_argument("--rows", type=int, default=10_000_000, help="documents")
    arguments.add_argument("--components", type=int, default=100, help="topics")
    arguments.add_argument("--shards", type=int, default=8, help="shards of the documents")
    arguments.add_argument("--passes", type=int, help="passes; none: the default")
    options = arguments.parse_args()
    train, test = load(options.data, "arxiv")
    folder = options.work / f"corpus-{options.rows}"
    options.work.mkdir(parents=True, exist_ok=True)
    if not folder.exists():
        save_corpus(folder, copies(train, options.rows))
    X = documents(folder, options.rows, train.shape[1])
    print(machine(2))
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit="4GB", dashboard_address=":0"
    )
    with cluster, Client(cluster) as client:
        client.run(longer_log)
        client.get_task_stream()  # the scheduler records tasks from here on
        began = perf_counter()
        lda = TemperedLDA(
            options.components,
            n_shards=options.shards,
            max_iter=options.passes,
            random_state=0,
            verbose=1,
        ).fit(X)
        seconds = perf_counter() - began
        moved = sum(client.run(received).values()) / lda.n_rounds_
        idle, nobody = overhead(client.get_task_stream(count=10**6))
        score = lda.to_local().score(test)
        print(
            f"fit of {options.rows} documents, K = {options.components}, {options.shards} shards: "
            f"{seconds / 60:.1f} minutes, {lda.n_rounds_} rounds, score {score:.4f}; "
            f"{moved / 1e6:.0f} MB a round between workers, documents included; neither tasks nor "
            f"transfers {idle:.1%}, of all workers at once {nobody:.1%}; peak memory "
            f"{max(client.run(peak).values()) / 1e3:.2f} GB"
        )
        began = perf_counter()
        theta = lda.transform(X)
        largest = theta.map_blocks(
            lambda block: block.argmax(axis=1)[:, None], chunks=(theta.chunks[0], (1,))
        )
        sizes = np.bincount(largest.compute().ravel(), minlength=options.components)
        print(
            f"transform: {(perf_counter() - began) / 60:.1f} minutes; largest topic "
            f"{sizes.max() / options.rows:.1%}; peak memory "
            f"{max(client.run(peak).values()) / 1e3:.2f} GB"
        )


if __name__ == "__main__":
    main()
