"""Targets: files and folders of word counts, and of words."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from topictemper.datasets import read_corpus, save_corpus, write_corpus
from topictemper.datasets.formats._formats import _FORMATS, format_of

from .mutations import mutate_bytes, mutate_gzip, mutate_npy, mutate_npz, mutate_text
from .target import Target, Wrong

SPARSE = ["csr", "csc", "bsr", "coo", "dia"]


def check(X: Any) -> None:
    """Raise `Wrong` unless X is a valid CSR matrix of finite counts."""
    if not isinstance(X, sp.csr_array) or X.ndim != 2:
        raise Wrong(f"no two-dimensional csr_array, but {type(X)}")
    if X.dtype not in (np.int32, np.int64, np.float32, np.float64):
        raise Wrong(f"counts of {X.dtype}")
    for array in (X.data, X.indices, X.indptr):
        if array.ndim != 1:
            raise Wrong(f"an array of {array.ndim} dimensions")
    if X.indices.dtype != X.indptr.dtype or X.indices.dtype not in (np.int32, np.int64):
        raise Wrong(f"indices of {X.indices.dtype}, indptr of {X.indptr.dtype}")
    if len(X.indptr) != X.shape[0] + 1 or X.indptr[0] != 0 or (np.diff(X.indptr) < 0).any():
        raise Wrong("indptr does not rise from 0")
    if not len(X.indices) == len(X.data) == X.indptr[-1]:
        raise Wrong("arrays of different lengths")
    if ((X.indices < 0) | (X.indices >= X.shape[1])).any():
        raise Wrong("columns out of range")
    if not (np.isfinite(X.data) & (X.data >= 0) & (X.data <= 1e15)).all():
        raise Wrong("counts that are negative, huge or not finite")


def read(path: Path) -> None:
    corpus = read_corpus(path)
    check(corpus.counts)
    data = corpus.counts.data
    small = not (data % 1).any() and data.max(initial=0) < 2**31
    if small and data.dtype != np.int32 and not path.is_dir():
        raise Wrong("small whole counts that are not int32")
    if corpus.feature_names is not None and len(corpus.feature_names) != corpus.counts.shape[1]:
        raise Wrong("another number of names than of columns")


def counts(rng: random.Random, fractions: bool = False) -> sp.csr_array:
    generator = np.random.default_rng(rng.randrange(2**32))
    X = generator.poisson(0.5, (rng.randint(1, 9), rng.randint(1, 8)))
    X[0, -1] = rng.choice((1, 7, 2**31 - 1))
    return sp.csr_array(X / 8 if fractions else X)


def _text(name: str) -> Callable[[Path, random.Random], Path]:
    takes_fractions = not _FORMATS[format_of(Path(name)) or ""].integers_only

    def make(folder: Path, rng: random.Random) -> Path:
        fractions = takes_fractions and rng.random() < 0.3
        write_corpus(folder / name, counts(rng, fractions))
        return folder / name

    return make


def _packed(name: str) -> Callable[[Path, random.Random], Path]:
    def make(folder: Path, rng: random.Random) -> Path:
        plain = _text(name)(folder, rng)
        path = folder / f"{name}.gz"
        path.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
        return path

    return make


def _mtx(folder: Path, rng: random.Random) -> Path:
    """All that Matrix Market has: fields, symmetries, dense arrays, comments."""
    path = folder / "x.mtx"
    field, n = rng.choice(("integer", "real", "pattern", "double", "unsigned-integer")), 4
    symmetry = rng.choice(("general", "symmetric"))
    head = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n% of tests\n"
    value = "" if field == "pattern" else " 3"
    path.write_text(head + f"{n} {n} 3\n" + "".join(f"{d} 1{value}\n" for d in (1, 2, 4)))
    if rng.random() < 0.3:
        path.write_text("%%MatrixMarket matrix array integer general\n2 3\n1\n0\n2\n3\n0\n4\n")
    return path


def _npz(folder: Path, rng: random.Random) -> Path:
    path = folder / "x.npz"
    X = counts(rng, rng.random() < 0.3)
    kind = rng.choice(SPARSE)
    if kind == "bsr":
        X = sp.csr_array(np.kron(X.toarray(), np.ones((2, 2), X.dtype)))
    sp.save_npz(path, X.asformat(kind), compressed=rng.random() < 0.5)
    return path


def _folder(folder: Path, rng: random.Random) -> Path:
    X = counts(rng, rng.random() < 0.3)
    names = [f"w{v}" for v in range(X.shape[1])] if rng.random() < 0.5 else None
    save_corpus(folder / "corpus", X, names)
    return folder / "corpus"


def _vocabulary(folder: Path, rng: random.Random) -> Path:
    X = counts(rng)
    write_corpus(folder / "x.uci", X, feature_names=[f"wört{v}" for v in range(X.shape[1])])
    return folder / "x.uci"


def _by_name(rng: random.Random, name: str, content: bytes) -> bytes:
    if name.endswith(".npy"):
        return mutate_npy(rng, content)
    return (mutate_bytes if rng.random() < 0.2 else mutate_text)(rng, content)


def _as_text(rng: random.Random, name: str, content: bytes) -> bytes:
    return mutate_text(rng, content)


def _as_gzip(rng: random.Random, name: str, content: bytes) -> bytes:
    return mutate_gzip(rng, content)


def _as_npz(rng: random.Random, name: str, content: bytes) -> bytes:
    return mutate_npz(rng, content)


_NAMES = {kind: f"x{each.suffixes[0]}" for kind, each in _FORMATS.items() if kind != "npz"}
_NAMES["uci"] = "docword.x.txt"
TARGETS = [
    *(Target(kind, _text(name), _as_text, read) for kind, name in _NAMES.items()),
    *(Target(f"{kind}-gz", _packed(name), _as_gzip, read) for kind, name in _NAMES.items()),
    Target("mtx-kinds", _mtx, _as_text, read),
    Target("npz", _npz, _as_npz, read),
    Target("folder", _folder, _by_name, read),
    Target("vocabulary", _vocabulary, _as_text, read),
]
