"""Peak memory of fit, beyond its input and three copies of the topics.

    python -m benchmarks.lda.memory --data DATA --jobs 2

Each case runs in a process of its own, which reads the counts from files straight into their
arrays: its peak before `fit` is then what Python, the libraries and the input take.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy.sparse as sp

from topictemper import TemperedLDA

from .._common.corpora import hashed, load, machine, parser
from .._common.processes import MB, alone, peak


@dataclass(frozen=True)
class Case:
    """Rows of a corpus, a vocabulary to hash them to, and what is fitted."""

    corpus: str
    rows: int | None
    n_features: int | None
    settings: dict[str, Any] = field(default_factory=dict)


LVT = {"tempering": "lvt", "inference": "point", "batch_size": 500, "random_state": 0}
CASES = {
    "40,000 rows": Case("arxiv", 40_000, None, LVT | {"n_components": 100, "max_iter": 2}),
    "all rows": Case("arxiv", None, None, LVT | {"n_components": 500, "max_iter": 1}),
    "hashed": Case("arxiv", 40_000, 10**6, LVT | {"n_components": 50, "max_iter": 1}),
    "docstrings": Case("docstrings", None, None, LVT | {"n_components": 100, "max_iter": 5}),
}


def prepare(case: Case, data: Path | None, folder: Path) -> None:
    """Write the arrays of a case's counts."""
    X, _ = load(data, case.corpus, case.rows)
    if case.n_features is not None:
        X = hashed(X, case.n_features)
    for name in ("data", "indices", "indptr"):
        np.save(folder / f"{name}.npy", getattr(X, name))
    np.save(folder / "shape.npy", X.shape)


def measure(case: Case, folder: Path, jobs: int) -> dict[str, float]:
    """Fit, and what it took."""
    arrays = [np.load(folder / f"{name}.npy") for name in ("data", "indices", "indptr")]
    X = sp.csr_matrix(tuple(arrays), shape=tuple(np.load(folder / "shape.npy")), copy=False)
    before = peak()
    start = time.perf_counter()
    lda = TemperedLDA(**case.settings, n_jobs=jobs).fit(X)
    seconds = time.perf_counter() - start
    return {
        "rows": X.shape[0],
        "K": lda.n_components,
        "V": X.shape[1],
        "input": sum(array.nbytes for array in arrays) / MB,
        "before": before,
        "grown": peak() - before,
        "topics": 3 * 4 * lda.n_components * X.shape[1] / MB,
        "seconds": seconds,
    }


def main() -> None:
    """Print the table."""
    arguments = parser(__doc__, seeds=None)
    arguments.add_argument(
        "--cases", nargs="+", choices=CASES, help="some of the cases; none: all with DATA"
    )
    options = arguments.parse_args()
    names = options.cases or (
        ["docstrings"] if options.data is None else [name for name in CASES if name != "docstrings"]
    )
    print(machine(options.jobs))
    print("LVT; megabytes; the excess is growth in fit less 3 K V float32\n")
    print(
        "| case | rows | K | V | passes | input | before fit | growth | 3 K V | excess | seconds |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in names:
        case = CASES[name]
        with tempfile.TemporaryDirectory() as folder:
            # The parent stays small: on Linux a process inherits the peak of the one it came from.
            alone(prepare, case, options.data, Path(folder))
            found = alone(measure, case, Path(folder), options.jobs)
        print(
            f"| {name} | {found['rows']} | {found['K']} | {found['V']} "
            f"| {case.settings['max_iter']} | {found['input']:.0f} | {found['before']:.0f} "
            f"| {found['grown']:.0f} | {found['topics']:.0f} "
            f"| {found['grown'] - found['topics']:.0f} | {found['seconds']:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
