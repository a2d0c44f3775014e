"""WarpLDA at many topics: held-out score against processor seconds, beside TemperedLDA.

    python -m benchmarks.peers.warplda --data DATA --binaries DIR

DIR has `warplda` and `format` of https://github.com/thu-ml/warplda, built with the lines that
docs/guide/measured/packages.rst gives. Both systems have one thread. WarpLDA's alpha and beta are
fixed: the first setting is its own (an alpha that sums to 50, beta = 0.01), the second has a larger
beta, the third the alpha with which TemperedLDA starts. `best_of_two` scores both. Seconds of
WarpLDA are those of its process, which reads a binary file and writes the model.
"""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topictemper import TemperedLDA
from topictemper.topics import effective_topics

from .._common.corpora import load, machine, parser
from .._common.referee import best_of_two
from .adapters import tokens_of

SETTINGS = ((50.0, 0.01), (50.0, 0.05), (3.0, 0.01))  # the sum of alpha, beta
FIELDS = "system length seconds score error inference factor effective".split()


def write_text(X: Any, path: Path) -> None:
    """Documents as WarpLDA reads them: two names, then a word for every token."""
    with path.open("w") as file:
        for d, words in enumerate(tokens_of(X)):
            file.write(f"{d} {d} {' '.join(map(str, words))}\n")


def read_counts(prefix: Path, n_features: int) -> NDArray[np.float32]:
    """Tokens of words in topics, (n_components, n_features), as WarpLDA has written them."""
    names = prefix.with_suffix(".vocab").read_text().split()
    with prefix.with_suffix(".model").open() as file:
        n_components = int(file.readline().split()[1])
        counts = np.zeros((n_components, n_features), dtype=np.float32)
        for name, line in zip(names, file, strict=True):
            for entry in line.split()[1:]:
                topic, count = entry.split(":")
                counts[int(topic), int(name)] = float(count)
    return counts


def run(command: list[str], folder: Path) -> float:
    """Run a program in one thread; returns its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command,
        cwd=folder,
        env=dict(os.environ, OMP_NUM_THREADS="1"),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the table."""
    arguments = parser(__doc__, data="needed", seeds=None, jobs=None)
    arguments.add_argument("--binaries", type=Path, required=True, help="folder of WarpLDA")
    arguments.add_argument("--rows", type=int, default=200_000, help="documents")
    arguments.add_argument("--components", type=int, default=2000, help="topics")
    arguments.add_argument(
        "--iterations", type=int, nargs="+", default=[30, 100, 300], help="of WarpLDA"
    )
    arguments.add_argument(
        "--passes", type=int, nargs="+", default=[1, 2, 4, 8], help="of TemperedLDA"
    )
    options = arguments.parse_args()
    for name in ("format", "warplda"):
        if not (options.binaries / name).exists():
            arguments.error(f"--binaries: no {name} in {options.binaries}; see the docstring")
    X, X_test = load(options.data, "arxiv", options.rows)
    print(machine(1))
    print("| " + " | ".join(FIELDS) + " |")
    print("|---" * len(FIELDS) + "|", flush=True)

    def add(
        system: str, length: str, seconds: float, topics: NDArray[Any], alpha: Any, sizes: Any
    ) -> None:
        reading = best_of_two(topics, alpha, X, X_test, 1)
        values = (
            system, length, f"{seconds:.0f}", f"{reading.score:.4f}", f"{reading.error:.4f}",
            reading.inference, f"{reading.factor:g}", f"{effective_topics(sizes):.0f}",
        )  # fmt: skip
        print("| " + " | ".join(values) + " |", flush=True)

    for passes in options.passes:
        start = time.process_time()
        lda = TemperedLDA(options.components, max_iter=passes, random_state=0).fit(X)
        seconds = time.process_time() - start
        sizes = lda.components_.sum(axis=1)
        topics = lda.components_ / sizes[:, None]
        add("TemperedLDA", f"{passes} passes", seconds, topics, lda.doc_topic_prior_, sizes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(X, folder / "corpus.txt")
        binaries = options.binaries.resolve()
        run([str(binaries / "format"), "-prefix", "corpus"], folder)
        for alpha_sum, beta in SETTINGS:
            for iterations in options.iterations:
                command = [
                    str(binaries / "warplda"), "--prefix", "corpus",
                    "--k", str(options.components), "--niter", str(iterations),
                    "--alpha", str(alpha_sum), "--beta", str(beta),
                    "--nowriteinfo", "--nodumpz",
                ]  # fmt: skip
                seconds = run(command, folder)
                counts = read_counts(folder / "corpus", X.shape[1])
                sizes, topics = counts.sum(axis=1), counts + beta
                add(
                    f"WarpLDA, alpha {alpha_sum:g} / K, beta {beta:g}",
                    f"{iterations} iterations",
                    seconds,
                    topics / topics.sum(axis=1, keepdims=True),
                    np.full(options.components, alpha_sum / options.components),
                    sizes,
                )


if __name__ == "__main__":
    main()
