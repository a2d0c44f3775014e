"""The E-step under fixed topics: q(theta) and q(z), by a fixed point or by sampling."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import _lda as kernels
from .._core._workers import Workers
from .._utils._hashing import splitmix64
from .._utils._typing import Floats
from ._minibatch import LocalParameters, Minibatch
from ._topics import Topics


class GibbsSweeps(NamedTuple):
    """Sweeps of Gibbs sampling: to forget the start, and to average over."""

    burn_in: int
    kept: int


# The second is for minibatches from which alpha is learned (docs/guide/measured/priors.rst, "How
# alpha is learned from samples").
TRAINING = GibbsSweeps(3, 4)
OF_ALPHA = GibbsSweeps(17, 4)
PREDICTION = GibbsSweeps(30, 60)


# In CVB0: the change of gamma, over the square root of a document's tokens, at which the token is
# left out of its own counts; and the sweeps that follow. The exact fixed point predicts worse (see
# docs/guide/measured/inference.rst, "Where collapsed inference ends").
ROUGH = 2.0
OWN_SWEEPS = 3


class Workspace:
    """Memory that one E-step after another uses again.

    Fresh pages for every minibatch would cost as much as the work in them. What `infer` returns
    lies in the workspace that it was given, until the next call with the same one.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, NDArray[np.uint8]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"_buffers": {}}  # nothing in them lasts: they do not belong into a pickle

    def array(self, name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """An array with any content, from a start at which vectors do not cross cache lines."""
        dtype = np.dtype(dtype)
        size = prod(shape) * dtype.itemsize
        buffer = self._buffers.get(name)
        if buffer is None or len(buffer) < size:
            buffer = np.empty(size + size // 4 + 64, dtype=np.uint8)
            buffer = self._buffers[name] = buffer[-buffer.ctypes.data % 64 :]
        return np.ndarray(shape, dtype, buffer)

    def lend(self, name: str, array: NDArray[Any]) -> None:
        """Let the arrays of this name lie in a contiguous one, as long as they fit into it."""
        self._buffers[name] = array.reshape(-1).view(np.uint8)


def _prepare(
    topics: Topics,
    batch: Minibatch,
    alpha: NDArray[Any],
    s: float | Floats,
    *,
    workers: Workers,
    want_energy: bool = False,
    want_weights: bool = True,
    want_drawn: bool = False,
    want_own: bool = False,
    want_prior_mass: bool = False,
    samples: bool = False,
    workspace: Workspace | None,
) -> LocalParameters:
    """Allocate the results of an E-step, and compute the rows of the topics that it needs."""
    dtype = topics.M.dtype
    n_documents, n_components = batch.n_documents, topics.n_components
    padded = kernels.padded_topics(n_components)
    n_blocks = kernels.topic_blocks(n_components)
    log_rows = not np.isscalar(s)
    array = (workspace or Workspace()).array
    by_topic, by_padded = (n_documents, n_components), (n_documents, padded)
    want_topics = want_weights or want_energy  # for steps and for normalizers
    local = LocalParameters(
        s=np.full(n_documents, s, dtype=dtype),
        log_rows=log_rows,
        B=array("B", (len(batch.words), padded), dtype),
        gamma=array("gamma", by_topic, dtype),
        drawn=array("drawn", by_topic if want_drawn else (0, n_components), dtype),
        topics=array("topics", by_topic if want_topics else (0, n_components), np.int32),
        weights=array("weights", by_padded if want_weights else (0, padded), dtype),
        n_active=np.empty(n_documents, dtype=np.int32),
        ratio=np.empty(len(batch.counts), dtype=dtype),
        own=np.empty(len(batch.counts) if want_own else 0, dtype=dtype),
        log_scale=np.empty(n_documents, dtype=dtype),
        shift=np.empty(len(batch.words), dtype=dtype),
        mass=np.empty(len(batch.words), dtype=dtype),
        prior_mass=np.empty(len(batch.words) if want_prior_mass else 0, dtype=dtype),
        prior=array("prior", (len(batch.words) if samples else 0, n_blocks), dtype),
        energy=np.empty(n_documents if want_energy else 0),
        sweeps=np.empty(n_documents, dtype=np.int32),
        alpha=alpha,
    )
    M, a, base, places = topics.for_kernels(batch.words)
    workers.run(
        kernels.topic_rows,
        M,
        a,
        base,
        topics.log_totals(),
        topics.point,
        places,
        1.0 if log_rows else float(s),
        batch,
        local,
    )
    return local


def infer(
    topics: Topics,
    batch: Minibatch,
    alpha: NDArray[Any],
    s: float | Floats,
    *,
    tol: float,
    max_iter: int,
    workers: Workers,
    want_energy: bool = False,
    want_weights: bool = True,
    workspace: Workspace | None = None,
    again: LocalParameters | None = None,
) -> LocalParameters:
    """Fixed point of phi and gamma (VT eq. 19, DASVI eq. 21) of every document of a minibatch.

    VT eq. 19 has the count in the exponent of phi, which is a slip: it weights a token's phi.

    Parameters
    ----------
    topics : Topics
        The global state.
    batch : Minibatch
        Documents.
    alpha : ndarray of shape (n_components,)
        Prior of the topic proportions, of the precision of the topics.
    s : float or ndarray of shape (n_documents,)
        Inverse temperature, one for all or one a document.
    tol : float
        Sweeps stop when the mean change of a document's gamma is smaller.
    max_iter : int
        Most sweeps of a document.
    workers : Workers
        Threads to use.
    want_energy : bool
        Whether to work out `LocalParameters.energy`; else it is empty.
    want_weights : bool
        Whether to keep `LocalParameters.weights`, which `Topics.step` needs; else it is empty.
        Without weights and energy `LocalParameters.topics` is empty, too.
    workspace : Workspace, optional
        Memory for the result.
    again : LocalParameters, optional
        The result of the same call but for `alpha`, whose rows of the topics and memory are used.
    """
    if again is not None:
        local = again._replace(alpha=alpha)
    else:
        local = _prepare(
            topics,
            batch,
            alpha,
            s,
            workers=workers,
            want_energy=want_energy,
            want_weights=want_weights,
            workspace=workspace,
        )
    workers.run(kernels.estep, batch, local, tol, max_iter)
    return local


def cvb0(
    topics: Topics,
    batch: Minibatch,
    alpha: NDArray[Any],
    *,
    tol: float,
    max_iter: int,
    workers: Workers,
    workspace: Workspace | None = None,
    again: LocalParameters | None = None,
) -> LocalParameters:
    """Collapsed inference to predict by, at T = 1; only gamma, whose mean is that of q(theta).

    With the topics fixed it is close to what sampling comes to, at the cost of a few sweeps
    (Asuncion, Welling, Smyth and Teh, UAI 2009, section 3.4). Parameters are those of `infer`, but
    `alpha` has to be that of `again` times a power of 2. Sums with it are multiplied, too, without
    rounding.
    """
    if again is not None:
        prior_mass = again.prior_mass * (alpha[0] / again.alpha[0])
        local = again._replace(alpha=alpha, prior_mass=prior_mass)
    else:
        local = _prepare(
            topics,
            batch,
            alpha,
            1.0,
            workers=workers,
            want_weights=False,
            want_prior_mass=True,
            workspace=workspace,
        )
    workers.run(kernels.cvb0, batch, local, tol, max_iter, ROUGH, OWN_SWEEPS)
    return local


def sample(
    topics: Topics,
    batch: Minibatch,
    alpha: NDArray[Any],
    seed: int,
    *,
    sweeps: GibbsSweeps = TRAINING,
    workers: Workers,
    want_drawn: bool = False,
    want_own: bool = False,
    want_weights: bool = True,
    workspace: Workspace | None = None,
) -> LocalParameters:
    """Gibbs sampling of the topics of the tokens of every document, at T = 1.

    The statistics of a minibatch are those of topic proportions that are averages over samples:
    ``phi_vk ~ (alpha_k + mean N_k) B_vk`` of the topics that were drawn at all. (Mimno, Hoffman
    and Blei, "Sparse stochastic inference for latent Dirichlet allocation", ICML 2012, take the
    counts of the samples themselves, which are a little noisier.) A token that drew a rare topic is
    itself in the counts, so it takes more of this topic than sampling would give it. With
    `want_own`, N is without what the token itself has in it (see ``_reference.gibbs.sample``).

    Draws are keyed by `seed` and by the words of a document, so a document that is there twice is
    the same as one of weight 2. The other parameters are those of `infer`.
    """
    local = _prepare(
        topics,
        batch,
        alpha,
        1.0,
        workers=workers,
        want_drawn=want_drawn,
        want_own=want_own,
        want_weights=want_weights,
        samples=True,
        workspace=workspace,
    )
    keys = splitmix64(splitmix64(batch.hashes()) + np.uint64(seed))
    workers.run(kernels.sample, batch, local, keys, *sweeps)
    return local


def log_likelihood(
    topics: Topics, batch: Minibatch, theta: NDArray[Any], workers: Workers
) -> Floats:
    """``sum_v n_dv log sum_k theta_dk E[beta_kv]`` of every document, in nats (VT eq. 16).

    ``theta`` has shape (n_documents, n_components), or (1, n_components) for one that all share.
    """
    return log_likelihoods([(topics, theta)], batch, workers)[0]


def log_likelihoods(
    cases: Sequence[tuple[Topics, NDArray[Any]]], batch: Minibatch, workers: Workers
) -> Floats:
    """`log_likelihood` for several topics and theta, (n_cases, n_documents).

    The topics differ in their symmetric prior alone, so that the rows of words are read once.
    """
    topics = cases[0][0]
    M, a, _, places = topics.for_kernels(batch.words)
    t = np.empty((len(cases), batch.n_documents, topics.n_components), dtype=M.dtype)
    for t_of_case, (of_case, theta) in zip(t, cases, strict=True):
        t_of_case[:] = theta / of_case.totals
    out = np.empty(t.shape[:2])
    workers.run(
        kernels.mixture_log_likelihood,
        batch.doc_ptr,
        places[batch.word_of],
        batch.counts,
        t,
        M,
        a,
        np.array([of_case.base for of_case, _ in cases]),
        out,
    )
    return out
