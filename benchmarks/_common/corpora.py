"""Corpora and the line about the machine that every benchmark prints.

`DATA` is a folder with one subfolder a corpus, each with X.npz (a scipy CSR matrix of counts),
vocab.txt where words are shown (one a line) and, where texts or labels are used, docs.txt.gz and
labels.txt (a line for each row). "docstrings" needs no folder. "long" are posts of 20news, joined.
"""

from __future__ import annotations

import argparse
import gzip
import os
import platform
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy
import scipy.sparse as sp
import sklearn
from numpy.typing import NDArray

import topictemper
from topictemper import TemperedLDA, get_isa
from topictemper.datasets import load_docstrings

TEST_ROWS = 1500
#: Where tables and figures of measurements go.
RESULTS = Path(__file__).parent.parent / "results"


class _Help(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """The docstring of a benchmark as it is, and the default of every option."""


def parser(
    docstring: str | None,
    *,
    data: Literal["optional", "needed", "none"] = "optional",
    seeds: int | None = 3,
    jobs: int | None = 1,
) -> argparse.ArgumentParser:
    """Options that benchmarks share; without `--seeds` or `--jobs` if its default is None."""
    result = argparse.ArgumentParser(description=docstring, formatter_class=_Help)
    if data == "optional":
        result.add_argument(
            "--data", type=Path, help="folder of corpora; none: data of the package"
        )
    elif data == "needed":
        result.add_argument("--data", type=Path, required=True, help="folder of corpora")
    if seeds is not None:
        result.add_argument("--seeds", type=int, default=seeds, help="runs of everything")
    if jobs is not None:
        result.add_argument("--jobs", type=int, default=jobs, help="threads")
    return result


def machine(jobs: int) -> str:
    """Processor, versions and threads, in a line."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].partition(":")[2].strip() if names else cpu
    return (
        f"{cpu}, {os.cpu_count()} cores, {jobs} used, {get_isa()}; "
        f"topictemper {topictemper.__version__}, Python {platform.python_version()}, "
        f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )


def counts(data: Path | None, name: str) -> sp.csr_matrix:
    """All rows of a corpus."""
    if name == "docstrings":
        return sp.csr_matrix(load_docstrings().counts)
    if data is None:
        raise SystemExit(f"--data is needed for the corpus {name!r}")
    return sp.csr_matrix(sp.load_npz(data / name / "X.npz"))


def load(
    data: Path | None, name: str, rows: int | None = None
) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Training and test rows: the first rows are the test set, at most a tenth."""
    if name == "long":
        X = _joined(data, posts=8)
        return X[:-205], X[-205:]
    X = counts(data, name)
    n_test = min(TEST_ROWS, X.shape[0] // 10)
    return X[n_test : None if rows is None else n_test + rows], X[:n_test]


def vocabulary(data: Path, name: str) -> list[str]:
    """Words of the columns of a corpus on disk."""
    return (data / name / "vocab.txt").read_text(encoding="utf-8").split()


def texts_of(data: Path, name: str) -> list[str]:
    """The text of every row of a corpus on disk."""
    with gzip.open(data / name / "docs.txt.gz", "rt", encoding="utf-8") as file:
        return [line.removesuffix("\n") for line in file]


def labels(data: Path, name: str) -> NDArray[np.str_] | None:
    """The label of every row, if the corpus has labels."""
    path = data / name / "labels.txt"
    if not path.exists():
        return None
    column = 1 if name == "bbc" else 0  # beside the part of a split
    lines = path.read_text(encoding="utf-8").splitlines()
    return np.array([line.split("\t")[column] for line in lines])


def distributions(lda: TemperedLDA) -> NDArray[np.floating]:
    """Distribution of the words in each topic."""
    components: NDArray[np.floating] = lda.components_
    return components / components.sum(axis=1, keepdims=True)


def scattered(n_words: int, n_features: int) -> NDArray[np.int32]:
    """A column of a wider vocabulary for every word."""
    columns = np.random.default_rng(0).choice(n_features, n_words, replace=False)
    return columns.astype(np.int32)


def hashed(X: sp.csr_matrix, n_features: int) -> sp.csr_matrix:
    """The same rows over a wider vocabulary."""
    return moved(X, scattered(X.shape[1], n_features), n_features)


def moved(X: sp.csr_matrix, columns: NDArray[Any], n_features: int) -> sp.csr_matrix:
    """The same rows, with every word in another one of so many columns."""
    wide = sp.csr_matrix((X.data, columns[X.indices], X.indptr), shape=(X.shape[0], n_features))
    wide.sort_indices()
    return wide


def shortened(X: sp.csr_matrix, length: int, rng: np.random.Generator) -> sp.csr_matrix:
    """At most so many tokens of every row, drawn without replacement."""
    rows = np.repeat(np.arange(X.shape[0]), np.asarray(X.sum(axis=1)).ravel().astype(int))
    words = np.repeat(X.indices, X.data.astype(int))
    order = np.lexsort((rng.random(len(rows)), rows))
    rows, words = rows[order], words[order]
    starts = np.searchsorted(rows, np.arange(X.shape[0]))
    keep = np.arange(len(rows)) - starts[rows] < length
    ones = np.ones(keep.sum(), X.dtype)
    return sp.csr_matrix((ones, (rows[keep], words[keep])), shape=X.shape)


def _joined(data: Path | None, posts: int) -> sp.csr_matrix:
    """Posts of one group, joined some at a time in their order; shuffled with a fixed seed."""
    X = counts(data, "20news")
    assert data is not None
    group = labels(data, "20news")
    groups = []
    for label in np.unique(group):
        members = np.flatnonzero(group == label)
        whole = len(members) // posts * posts
        groups.append(members[:whole].reshape(-1, posts))
    members = np.concatenate(groups)
    n = len(members)
    join = sp.csr_matrix(
        (np.ones(members.size), (np.repeat(np.arange(n), posts), members.ravel())),
        shape=(n, X.shape[0]),
    )
    return sp.csr_matrix(join @ X)[np.random.default_rng(0).permutation(n)]
