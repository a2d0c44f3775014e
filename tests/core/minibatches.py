"""Minibatches for the kernels, and calls of the kernels that allocate what these fill."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from time import sleep
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import psi

from topictemper._core import _lda as _kernels
from topictemper._core._reference import lda as _reference
from topictemper._core._workers import Workers
from topictemper._utils._typing import Floats

Real: TypeAlias = Any  # np.float32 or np.float64; mypy takes no class for hashable in `cache`

Result = TypeVar("Result")

DTYPES: list[Real] = [np.float32, np.float64]
#: How near results are to those of the twins, relative to these.
RTOL: dict[Real, float] = {np.float32: 1e-4, np.float64: 1e-10}
#: Inverse temperatures: of all documents, or one each.
TEMPERATURES = [1.0, 0.4, 0.1, "documents"]

N_WORDS = 150
BASE, DECAY = 0.05, 0.8


@dataclass(frozen=True)
class Minibatch:
    """Documents, topics and temperatures, as a caller of the kernels has them."""

    alpha: NDArray[Any]
    s: NDArray[Any]
    log_rows: bool
    M: NDArray[Any]
    a: float
    base: float
    log_total: Floats
    batch: _reference.Batch
    point: bool = False

    @property
    def n_documents(self) -> int:
        return len(self.s)

    @property
    def n_topics(self) -> int:
        return len(self.alpha)

    @property
    def tokens(self) -> Floats:
        """Tokens of every document."""
        return np.bincount(self.document_of, self.batch.counts, self.n_documents)

    @property
    def document_of(self) -> NDArray[np.intp]:
        """The document of every entry, (nnz,)."""
        return np.repeat(np.arange(self.n_documents), np.diff(self.batch.doc_ptr))

    def span(self, d: int) -> slice:
        """Places of the entries of a document."""
        return slice(*self.batch.doc_ptr[d : d + 2])

    def part(self, documents: list[int]) -> "Minibatch":
        """Some of the documents, in the order given, with the words as they were."""
        ptr = self.batch.doc_ptr
        entries = np.concatenate([np.arange(ptr[d], ptr[d + 1]) for d in documents])
        lengths = np.diff(ptr)[documents]
        batch = self.batch._replace(
            doc_ptr=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
            word_of=self.batch.word_of[entries],
            counts=self.batch.counts[entries],
        )
        return replace(self, s=self.s[documents], batch=batch)


#: B, shift and mass, as `topic_rows` fills them.
Rows = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class Outputs:
    """What the kernels of documents read and fill beside the batch: ``LOCAL_FIELDS`` in lda.h."""

    alpha: NDArray[Any]
    s: NDArray[Any]
    log_rows: bool
    B: NDArray[Any]
    shift: NDArray[Any]
    mass: NDArray[Any]
    prior_mass: NDArray[Any]
    prior: NDArray[Any]
    gamma: NDArray[Any]
    drawn: NDArray[Any]
    topics: NDArray[np.int32]
    weights: NDArray[Any]
    n_active: NDArray[np.int32]
    ratio: NDArray[Any]
    own: NDArray[Any]
    log_scale: NDArray[Any]
    energy: Floats
    sweeps: NDArray[np.int32]

    def dense_weights(self) -> Floats:
        """Weights of all topics, (D, K): 0 for those that the kernel has left out."""
        return self.weights[:, : self.gamma.shape[1]].astype(np.float64)


def token_assignments(
    minibatch: Minibatch,
    B: NDArray[Any],
    weights: NDArray[Any],
    ratio: NDArray[Any],
    own: NDArray[Any] | float = 0.0,
) -> Floats:
    """``n_dv phi_dvk``, (nnz, K).

    This is what callers see of weights and ratios, whose scales in a document cancel.
    """
    document = minibatch.document_of
    rows = B[minibatch.batch.word_of, : minibatch.n_topics].astype(np.float64)
    if minibatch.log_rows:
        rows = np.exp(minibatch.s[document, None].astype(np.float64) * rows)
    rows = rows / (1.0 + np.asarray(own).reshape(-1, 1) * rows)
    return np.asarray(ratio[:, None] * weights[document] * rows, dtype=np.float64)


def aligned(shape: tuple[int, int], dtype: Real, beyond: int = 0) -> NDArray[Any]:
    """NaN from an address on that is so many numbers beyond a multiple of 64 bytes."""
    size, item = shape[0] * shape[1], np.dtype(dtype).itemsize
    memory = np.full(size + 64 // item + beyond, np.nan, dtype)
    start = -memory.__array_interface__["data"][0] % 64 // item + beyond
    return memory[start : start + size].reshape(shape)


def outputs(minibatch: Minibatch, rows: Rows | None = None) -> Outputs:
    """Room for the kernels; it holds NaN or -1 before, so that gaps would show."""
    dtype, n_words = minibatch.M.dtype, len(minibatch.batch.words)
    shape = n_documents, _ = (minibatch.n_documents, minibatch.n_topics)
    padded = _kernels.padded_topics(minibatch.n_topics)
    if rows is None:
        shift, mass = np.full((2, n_words), np.nan, dtype)
        rows = aligned((n_words, padded), dtype), shift, mass
    B, shift, mass = rows
    return Outputs(
        alpha=minibatch.alpha,
        s=minibatch.s,
        log_rows=minibatch.log_rows,
        B=B,
        shift=shift,
        mass=mass,
        prior_mass=np.full(n_words, np.nan, dtype),
        prior=np.full((n_words, _kernels.topic_blocks(minibatch.n_topics)), np.nan, dtype),
        gamma=np.full(shape, np.nan, dtype),
        drawn=np.full(shape, np.nan, dtype),
        topics=np.full(shape, -1, np.int32),
        weights=np.full((n_documents, padded), np.nan, dtype),
        n_active=np.full(n_documents, -1, np.int32),
        ratio=np.full(len(minibatch.batch.counts), np.nan, dtype),
        own=np.empty(0, dtype),
        log_scale=np.full(n_documents, np.nan, dtype),
        energy=np.full(n_documents, np.nan),
        sweeps=np.full(n_documents, -1, np.int32),
    )


def topic_rows(
    minibatch: Minibatch, n_threads: int = 1, beyond: int = 0, *, want_sums: bool = True
) -> Rows:
    """B, shift and mass by the kernel; the temperature is the first document's.

    The sums with the prior are computed as well, if they are wanted.
    """
    out = outputs(minibatch)
    out = replace(out, B=aligned(out.B.shape, out.B.dtype, beyond))
    if not want_sums:
        out = replace(out, prior_mass=out.prior_mass[:0], prior=out.prior[:0])
    state = (minibatch.M, minibatch.a, minibatch.base, minibatch.log_total, minibatch.point)
    places, s = minibatch.batch.words, float(minibatch.s[0])
    arguments = (*state, places, s, minibatch.batch, out)
    share(_kernels.topic_rows, arguments, n_threads)
    return out.B, out.shift, out.mass


def estep(
    minibatch: Minibatch,
    tol: float,
    max_iter: int,
    rows: Rows | None = None,
    n_threads: int = 1,
) -> Outputs:
    """The kernel on a minibatch, with the kernel's rows unless others are given."""
    out = outputs(minibatch, topic_rows(minibatch) if rows is None else rows)
    share(_kernels.estep, (minibatch.batch, out, tol, max_iter), n_threads)
    return out


def sample(
    minibatch: Minibatch,
    keys: NDArray[np.uint64],
    n_burn_in: int,
    n_kept: int,
    rows: Rows,
    n_threads: int = 1,
    *,
    want_own: bool = False,
) -> Outputs:
    """The sampling kernel on a minibatch."""
    prior = reference_prior(minibatch, rows[0]).astype(rows[0].dtype)
    out = replace(outputs(minibatch, rows), prior=prior)
    if want_own:
        out = replace(out, own=np.full_like(out.ratio, np.nan))
    share(_kernels.sample, (minibatch.batch, out, keys, n_burn_in, n_kept), n_threads)
    return out


def add_statistics(
    minibatch: Minibatch,
    local: Outputs,
    doc_weight: NDArray[Any],
    scale: float,
    M: NDArray[Any],
    n_threads: int = 1,
) -> Floats:
    """Add to `M` by the kernel; the sums of the blocks are returned."""
    batch, weight = minibatch.batch, doc_weight.astype(np.float64)
    n_blocks = _kernels.statistics_blocks(len(batch.words))
    block_sums = np.full((n_blocks, minibatch.n_topics), np.nan)
    arguments = (batch, local, weight, scale, M, block_sums)
    share(_kernels.add_statistics, arguments, n_threads)
    return block_sums


def twin_rows(minibatch: Minibatch) -> tuple[Floats, Floats]:
    """Rows and shift by the twin of `topic_rows`; the temperature is the first document's."""
    state = (minibatch.M, minibatch.a, minibatch.base, minibatch.log_total, minibatch.point)
    s = float(minibatch.s[0])
    return _reference.topic_rows(*state, minibatch.batch.words, s, minibatch.log_rows)


def reference_rows(minibatch: Minibatch) -> Rows:
    """B, shift and mass by the twin, in the precision and the layout that the kernels take."""
    rows, shift = twin_rows(minibatch)
    padding = _kernels.padded_topics(minibatch.n_topics) - minibatch.n_topics
    empty = -1e30 if minibatch.log_rows else 0.0
    B = np.pad(rows, ((0, 0), (0, padding)), constant_values=empty)
    dtype = minibatch.M.dtype
    return B.astype(dtype), shift.astype(dtype), rows.sum(axis=1).astype(dtype)


def reference_prior(minibatch: Minibatch, B: NDArray[Any]) -> Floats:
    """Sums of alpha_k B_vk up to the end of each block of topics."""
    n_blocks = _kernels.topic_blocks(minibatch.n_topics)
    weights = np.zeros(B.shape)
    weights[:, : minibatch.n_topics] = minibatch.alpha * B[:, : minibatch.n_topics]
    return np.cumsum(weights.reshape(len(B), n_blocks, -1).sum(axis=2), axis=1)


def reference_estep(
    minibatch: Minibatch,
    tol: float,
    max_iter: int,
    gamma: NDArray[Any] | None = None,
    rows: Rows | None = None,
) -> _reference.EStep:
    """The twin of `estep`, from the twin's rows unless others are given."""
    B, shift, _ = reference_rows(minibatch) if rows is None else rows
    batch = minibatch.batch
    return _reference.estep(
        batch.doc_ptr,
        batch.word_of,
        batch.counts,
        minibatch.alpha,
        minibatch.s,
        minibatch.log_rows,
        B,
        shift,
        tol,
        max_iter,
        gamma,
    )


_known: dict[tuple[Callable[..., Any], bytes], Any] = {}


def of_twin(twin: Callable[..., Result], *arguments: Any, **more: Any) -> Result:
    """Call a twin, once for the same arguments: it knows no instruction set. Not to be changed."""
    key = twin, sha256(pickle.dumps((arguments, more))).digest()
    if key not in _known:
        _known[key] = twin(*arguments, **more)
    result: Result = _known[key]
    return result


def share(kernel: Callable[..., None], arguments: tuple[Any, ...], n_threads: int) -> None:
    """Run a kernel in so many threads, which are awake."""
    with Workers(n_threads) as workers:
        workers.spread(sleep, n_threads * [1e-4])
        workers.run(kernel, *arguments)


def alone() -> NDArray[np.int64]:
    """Return the team of one thread."""
    return np.zeros(1, dtype=np.int64)


@cache
def make_minibatch(
    n_topics: int,
    alpha: float = 0.1,
    s: float | str = 1.0,
    dtype: Real = np.float64,
    n_documents: int = 12,
    point: bool = False,
) -> Minibatch:
    """Documents of one to three topics each; ``s="documents"`` gives each its own temperature.

    Other tests get the same arrays, which are therefore read-only.

    The last eight documents are the odd ones: half of all words, no word, one word, one word a
    million times, a word that no topic has seen, counts from one to a million, stored zeros only, a
    word and stored zeros.
    """
    rng = np.random.default_rng(0)
    # Few words a topic: topics so different that documents have one clear fixed point, which
    # rounding cannot exchange for another. Between alike topics it could, from the same start.
    proportions = rng.dirichlet(np.full(N_WORDS - 1, 0.05), size=n_topics)
    M: NDArray[Any] = np.zeros((N_WORDS, n_topics), dtype=dtype)
    M[:-1] = rng.gamma(5.0, 60.0, n_topics) * proportions.T
    lam = BASE + DECAY * M.astype(np.float64)

    indptr: list[int] = [0]
    indices: list[int] = []
    data: list[float] = []
    documents: list[tuple[list[int], list[float]]] = []
    for _ in range(n_documents):
        size = min(n_topics, int(rng.integers(1, 4)))
        mixture = proportions[rng.choice(n_topics, size=size)]
        tokens = rng.choice(N_WORDS - 1, size=rng.integers(5, 40), p=mixture.mean(axis=0))
        distinct, repeats = np.unique(tokens, return_counts=True)
        documents.append((distinct.tolist(), repeats.astype(float).tolist()))
    documents += [
        (list(range(0, N_WORDS, 2)), rng.integers(1, 4, N_WORDS // 2).astype(float).tolist()),
        ([], []),
        ([3], [1.0]),
        ([5], [1e6]),
        ([N_WORDS - 1], [2.0]),
        ([2, 7, 11, 30], [1.0, 1e6, 1e3, 10.0]),
        ([4, 9], [0.0, 0.0]),
        ([1, 6, 20], [0.0, 3.0, 0.0]),
    ]
    for words, counts in documents:
        indices += words
        data += counts
        indptr.append(len(indices))
    batch = _reference.gather_rows(indptr, indices, data, np.arange(len(documents)))
    if s == "documents":
        temperatures = rng.uniform(0.1, 1.0, len(documents))
    else:
        temperatures = np.full(len(documents), float(s))
    minibatch = Minibatch(
        alpha=np.full(n_topics, alpha, dtype),
        s=temperatures.astype(dtype),
        log_rows=s == "documents",
        M=M,
        a=DECAY,
        base=BASE,
        log_total=(np.log if point else psi)(lam.sum(axis=0)),
        batch=batch._replace(counts=batch.counts.astype(dtype)),
        point=point,
    )
    for array in (minibatch.alpha, minibatch.s, M, minibatch.log_total, *minibatch.batch):
        array.flags.writeable = False
    return minibatch
