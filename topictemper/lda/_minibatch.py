"""Minibatches, and how they are cut out of a CSR matrix."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core._gather import gather_rows, hash_rows, sum_rows
from .._utils._typing import Floats


class _Rows(NamedTuple):
    """Fields of `Minibatch`: a named tuple itself has no place for a cached property."""

    doc_ptr: NDArray[np.int64]
    word_of: NDArray[np.int32]
    counts: NDArray[Any]
    words: NDArray[np.int32]
    word_ptr: NDArray[np.int64]
    word_doc: NDArray[np.int32]
    word_pos: NDArray[np.int64]
    #: How often each document counts, (n_documents,); None: once.
    weight: Floats | None = None


class Minibatch(_Rows):
    """Some rows of a CSR matrix, by document and once more by word (see `gather_rows`)."""

    @property
    def n_documents(self) -> int:
        """Documents in the batch, those without words included."""
        return len(self.doc_ptr) - 1

    @property
    def size(self) -> float:
        """Documents in the batch, each as often as it counts."""
        return float(self.n_documents if self.weight is None else self.weight.sum())

    def total(self, values: NDArray[Any]) -> Any:
        """Sum over documents, the first axis, each as often as it counts."""
        if self.weight is None:
            return values.sum(axis=0, dtype=np.float64)
        return (values.T * self.weight).sum(axis=-1)

    @cached_property
    def total_tokens(self) -> float:
        """Tokens in the batch, of each document as often as it counts."""
        if self.weight is None:
            return float(self.counts.sum(dtype=np.float64))
        return float(self.total(self.tokens()))

    def tokens(self) -> Floats:
        """N_d, shape (n_documents,)."""
        return self.sums(self.counts)

    def sums(self, values: NDArray[Any]) -> Floats:
        """Sums over the entries of each document, which do not depend on its neighbors."""
        return sum_rows(self.doc_ptr, values)

    def hashes(self) -> NDArray[np.uint64]:
        """A hash of each document, which its words and counts determine."""
        return hash_rows(self.doc_ptr, self.word_of, self.counts, self.words)


class Gatherer:
    """Cuts minibatches out of one CSR matrix, whose rows may have weights."""

    def __init__(self, X: Any, dtype: Any, sample_weight: Floats | None = None) -> None:
        self._X = X
        self._weight = sample_weight
        self._single = np.dtype(dtype) == np.float32
        self._slot = np.full(X.shape[1], -1, dtype=np.int32)

    def rows(self, rows: NDArray[np.int64], *, by_word: bool = True) -> Minibatch:
        """The given rows, in that order; also word by word, which `Topics.step` needs."""
        X = self._X
        arrays = gather_rows(X.indptr, X.indices, X.data, rows, self._slot, self._single, by_word)
        return Minibatch(*arrays, None if self._weight is None else self._weight[rows])


class LocalParameters(NamedTuple):
    """Local variational parameters of a minibatch, as the E-step finds them (see `estep`)."""

    s: NDArray[Any]
    log_rows: bool
    B: NDArray[Any]
    gamma: NDArray[Any]
    drawn: NDArray[Any]
    topics: NDArray[np.int32]
    weights: NDArray[Any]
    n_active: NDArray[np.int32]
    ratio: NDArray[Any]
    own: NDArray[Any]
    log_scale: NDArray[Any]
    shift: NDArray[Any]
    mass: NDArray[Any]
    prior_mass: NDArray[Any]
    prior: NDArray[Any]
    energy: Floats
    sweeps: NDArray[np.int32]
    alpha: NDArray[Any]

    def theta(self) -> NDArray[Any]:
        """E[theta_d], shape (n_documents, n_components)."""
        return self.gamma / self.gamma.sum(axis=1, keepdims=True)
