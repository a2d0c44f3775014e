"""Fit to, and score, a corpus on disk that is larger than the memory which the process is allowed.

    python -m benchmarks.lda.mapped --data DATA --jobs 2

All of arXiv, several times over, is written by `save_corpus`, chunk by chunk, and opened by
`open_corpus`. Then the limit is set (RLIMIT_DATA, which counts all memory that a process can write
to, but no files that are mapped), so many megabytes above what Python and the libraries take, and
`fit` makes one pass of LVT, from the mapped matrix and from chunks of it; `score` and `coherence`
take the mapped matrix. "grown" is what the process has taken, of what is limited (VmData). At the
end the same arrays are read instead of mapped, which has to fail. Linux only.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from topictemper import TemperedLDA
from topictemper.datasets import open_corpus, save_corpus
from topictemper.metrics import coherence

from .._common.corpora import load, machine, parser
from .._common.processes import MB, alone

HOW = ["mapped", "chunks", "score", "coherence", "read"]


def used() -> int:
    """Memory of this process that RLIMIT_DATA counts."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmData"))


class Chunks:
    """Rows of a mapped corpus, some at a time."""

    def __init__(self, path: Path, rows: int) -> None:
        self.path, self.rows = path, rows

    def __iter__(self) -> Iterator[Any]:
        X = open_corpus(self.path, verify=False).counts
        for start in range(0, X.shape[0], self.rows):
            yield X[start : start + self.rows]


def prepare(data: Path | None, name: str, times: int, path: Path) -> None:
    """Write a corpus several times over."""
    X, _ = load(data, name)
    save_corpus(path, (X.astype(np.int32) for _ in range(times)))


def measure(path: Path, how: str, limit: int, jobs: int) -> dict[str, Any]:
    """Fit under the limit, and what it took."""
    X = open_corpus(path).counts
    lda = TemperedLDA(100, max_iter=1, batch_size=500, random_state=0, n_jobs=jobs)
    lda.fit(X[:5000])  # for what is made only once
    before = used()
    resource.setrlimit(resource.RLIMIT_DATA, (before + limit, before + limit))
    start, cpu = time.perf_counter(), time.process_time()
    if how == "read":
        try:
            np.load(path / "indices.npy"), np.load(path / "data.npy")
        except MemoryError:
            return {"grown": "MemoryError", "seconds": "", "cpu": ""}
        return {"grown": "no error", "seconds": "", "cpu": ""}
    if how == "score":
        lda.score(X)
    elif how == "coherence":
        coherence(lda, X)
    else:
        lda.fit(X if how == "mapped" else Chunks(path, 10_000))
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    grown = f"{(used() - before) / MB:.0f}"
    return {"grown": grown, "seconds": f"{seconds:.1f}", "cpu": f"{cpu:.1f}"}


def main() -> None:
    """Print the table."""
    arguments = parser(__doc__, seeds=None)
    arguments.add_argument("--times", type=int, default=4, help="copies of the corpus")
    arguments.add_argument("--limit", type=int, default=150, help="megabytes")
    arguments.add_argument("--how", nargs="+", default=HOW, choices=HOW, help="what to measure")
    options = arguments.parse_args()
    name = "docstrings" if options.data is None else "arxiv"
    print(machine(options.jobs))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus"
        alone(prepare, options.data, name, options.times, path)
        size = sum(file.stat().st_size for file in path.iterdir()) / MB
        print(f"{name} x {options.times}: {size:.0f} MB; limit {options.limit} MB\n")
        print("| how | MB grown at the end | seconds | CPU seconds |")
        print("|---|---|---|---|")
        for how in options.how:
            found = alone(measure, path, how, round(options.limit * MB), options.jobs)
            print("|", how, "|", " | ".join(found.values()), "|", flush=True)


if __name__ == "__main__":
    main()
