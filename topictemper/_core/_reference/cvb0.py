"""Twin of the kernel `cvb0`: documents by collapsed inference to predict by, in plain NumPy."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._utils._typing import Flags, Floats
from .special import floats

MOST_WORKING = 512
MOST_LEFT_OUT = 96


def cvb0(
    doc_ptr: ArrayLike,
    word_of: ArrayLike,
    counts: ArrayLike,
    alpha: ArrayLike,
    B: ArrayLike,
    tol: float,
    max_iter: int,
    rough: float,
    n_own: int,
) -> tuple[Floats, NDArray[np.int32]]:
    """Find the proportions of documents at fixed topics, by CVB0 (Asuncion et al. 2009, eq. 9).

    `first_look` finds the topics at work. To these the others are a constant: their weight is their
    prior. With ``n_v`` for the counts of one document, a token first stays in its own sum, as in
    Foulds et al. (2013)::

        phi_vk  = gamma_k B_vk / (its sum over k)
        gamma_k = alpha_k + sum_v n_v phi_vk

    Once changes are noise it is left out (see `leave_out_own`). Documents with more than
    `MOST_WORKING` topics at work, which are long, go `to_the_maximum` of the first kind of sweeps.

    Parameters
    ----------
    doc_ptr, word_of, counts : array-like, shapes (D + 1,), (nnz,), (nnz,)
        The minibatch; ``word_of`` points at rows of `B`.
    alpha : array-like, shape (K,)
        The prior of theta.
    B : array-like, shape (U, >= K)
        E[beta] of every word, each row by a factor of its own; columns beyond K are padding.
    tol, max_iter, rough : float, int, float
        The first sweeps end when ``mean_k |change of gamma_k| < tol``, or when the sum of these
        changes is less than `rough` times the square root of the document's tokens, or after
        `max_iter` of them.
    n_own : int
        Sweeps that leave the token itself out.

    Returns
    -------
    gamma : ndarray, shape (D, K)
    sweeps : ndarray of int32, shape (D,)
        First sweeps made, at least one of a document with words.
    """
    doc_ptr, word_of, counts = np.asarray(doc_ptr), np.asarray(word_of), floats(counts)
    alpha = floats(alpha)
    rows = floats(B)[:, : len(alpha)]
    gamma = np.tile(alpha, (len(doc_ptr) - 1, 1))
    sweeps = np.zeros(len(gamma), dtype=np.int32)
    for d in range(len(gamma)):
        span = slice(doc_ptr[d], doc_ptr[d + 1])
        n, B_d = counts[span], rows[word_of[span]]
        if len(n) == 0:
            continue
        limit = max(tol * len(alpha), rough * np.sqrt(n.sum()))
        works, gamma[d] = first_look(n, B_d, alpha)
        if works.sum() > MOST_WORKING:
            gamma[d], sweeps[d] = to_the_maximum(n, B_d, alpha, tol, max_iter)
            continue
        weights = alpha.copy()
        change = np.inf
        while sweeps[d] == 0 or (sweeps[d] < max_iter and change >= limit):
            weights[works] = gamma[d, works]
            phi = weights * B_d
            phi /= phi.sum(axis=1, keepdims=True)
            gamma[d, works] = alpha[works] + n @ phi[:, works]
            change = np.abs(gamma[d, works] - weights[works]).sum()
            sweeps[d] += 1
        least = 2.0
        while (stays := works & (gamma[d] >= least * alpha)).sum() > MOST_LEFT_OUT:
            least *= 2.0
        gamma[d] = leave_out_own(n, B_d, alpha, weights, gamma[d], stays, n_own)
    return gamma, sweeps


def first_look(n: Floats, B_d: Floats, alpha: Floats) -> tuple[Flags, Floats]:
    """Tell which topics are at work in a document, and what gamma follows from one sweep.

    The first weights are half even, half as alpha. The fewer tokens a topic has, the larger must be
    its ``g``, by which its weight grows. A topic at rest gets ``alpha / (1 - g)``, where it would
    stay while g does.
    """
    total = alpha.sum() + n.sum()
    weights = total * (0.5 / len(alpha) + 0.5 * alpha / alpha.sum())
    g = n / (B_d @ weights) @ B_d
    least = np.clip(0.5 + 0.25 * np.log2(len(alpha) / n.sum()), 0.5, 1.5)
    works = g >= least
    return works, np.where(works, alpha + weights * g, alpha / (1.0 - np.minimum(g, 0.9)))


def to_the_maximum(
    n: Floats, B_d: Floats, alpha: Floats, tol: float, max_iter: int
) -> tuple[Floats, int]:
    """Gamma of a document, by sweeps over all topics that keep the token itself, and their number.

    They start from topics of the same weight, and end when ``mean_k |change of gamma_k| < tol``, or
    after `max_iter` of them. Where they end is the one maximum of
    ``sum_v n_v log sum_k theta_k B_vk + sum_k alpha_k log theta_k`` over the proportions
    ``theta = gamma / sum(gamma)``, whatever the start.
    """
    gamma, sweeps, change = np.full(len(alpha), (n.sum() + alpha.sum()) / len(alpha)), 0, np.inf
    while sweeps < max_iter and change >= tol:
        weights, sweeps = gamma, sweeps + 1
        phi = weights * B_d
        gamma = alpha + n @ (phi / phi.sum(axis=1, keepdims=True))
        change = np.abs(gamma - weights).mean()
    return gamma, sweeps


def leave_out_own(
    n: Floats,
    B_d: Floats,
    alpha: Floats,
    weights: Floats,
    gamma: Floats,
    works: Flags,
    n_own: int,
) -> Floats:
    """Gamma of a document whose tokens do not count towards their own topics.

    That is so for topics at work: ``phi_vk = (gamma_k - phi_vk) B_vk / (its sum over k)``. The
    others are a constant to them, and keep their proportions to each other. Of counts under 1 all
    is left out.

    Parameters
    ----------
    n, B_d : ndarrays, shapes (n_words,), (n_words, K)
        Counts of the document, and rows of its words.
    alpha, weights, gamma : ndarrays, shape (K,)
        `gamma` is what follows from phi in proportion to ``weights B``.
    works : ndarray of bool, shape (K,)
        The topics at work.
    n_own : int
        Sweeps, at least 1.

    Returns
    -------
    ndarray, shape (K,)
    """
    size = np.minimum(n, 1)[:, np.newaxis]
    rest = B_d[:, ~works] @ weights[~works]
    phi = weights * B_d
    phi = (phi / phi.sum(axis=1, keepdims=True))[:, works]
    tokens = gamma - alpha
    for _ in range(n_own):
        others = np.maximum(tokens[works] - size * phi, 0)
        phi = (alpha[works] + others) * B_d[:, works]
        mixture = phi.sum(axis=1) + rest
        phi /= mixture[:, np.newaxis]
        tokens[works] = n @ phi
    if tokens[~works].sum() > 0:
        tokens[~works] *= n @ (rest / mixture) / tokens[~works].sum()
    return alpha + tokens
