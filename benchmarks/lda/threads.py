"""What a second thread gains where documents are sampled, and beside a process that takes a core.

    python -m benchmarks.lda.threads --data DATA

Seconds of three passes of `partial_fit` after a fit of four, with one and with two threads in
turns; the ratio is the median over `--seeds` turns. Nothing else should run, on a machine of two
cores.
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from copy import deepcopy
from typing import Any

import numpy as np

from topictemper import TemperedLDA

from .._common.corpora import load, machine, parser

CASES = (("arxiv", 40_000, 100), ("arxiv", 20_000, 500), ("20news", None, 50), ("imdb", None, 100))
PASSES = 3


def seconds(fitted: TemperedLDA, X: Any, n_jobs: int) -> float:
    """Wall time of some more passes."""
    lda = deepcopy(fitted).set_params(n_jobs=n_jobs)
    start = time.perf_counter()
    for _ in range(PASSES):
        lda.partial_fit(X)
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    options = parser(__doc__, data="needed", jobs=None).parse_args()
    warnings.simplefilter("ignore", UserWarning)  # of twins
    print(machine(2))
    print("| corpus | rows | K | beside | one thread, s | two, s | ratio |")
    print("|---" * 7 + "|")
    for name, rows, n_components in CASES:
        X = load(options.data, name, rows)[0].astype(np.float32)
        lda = TemperedLDA(n_components, tempering="svi", max_iter=4, random_state=0).fit(X)
        for beside in ("nothing", "a busy process"):
            busy = beside != "nothing" and subprocess.Popen([sys.executable, "-c", "while 1: pass"])
            try:
                turns = [(seconds(lda, X, 1), seconds(lda, X, 2)) for _ in range(options.seeds)]
            finally:
                if busy:
                    busy.kill()
                    busy.wait()
            one, two = np.array(turns).T
            print(
                f"| {name} | {X.shape[0]:,} | {n_components} | {beside} | {one.min():.2f} "
                f"| {two.min():.2f} | {np.median(one / two):.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
