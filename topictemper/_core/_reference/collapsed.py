"""Twin of the kernel `collapse`: documents by zero-order collapsed inference, in plain NumPy."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .special import Floats, floats

MOST_AT_WORK = 96


def collapse(
    doc_ptr: ArrayLike,
    word_of: ArrayLike,
    counts: ArrayLike,
    alpha: ArrayLike,
    B: ArrayLike,
    tol: float,
    max_iter: int,
    n_own: int,
) -> tuple[Floats, NDArray[np.int32]]:
    """Find the proportions of documents at fixed topics, by CVB0.

    With ``n_v`` for the counts of one document, first as Foulds et al. (2013) do, who keep the
    token itself in the sums::

        phi_vk  = gamma_k B_vk / (its sum over k)
        gamma_k = alpha_k + sum_v n_v phi_vk

    At the end ``n_own`` sweeps leave it out (Asuncion et al. 2009, eq. 9), among the topics at work
    (see `leave_out_own`)::

        phi_vk = (gamma_k - phi_vk) B_vk / (its sum over k)

    Parameters
    ----------
    doc_ptr, word_of, counts : array-like, shapes (D + 1,), (nnz,), (nnz,)
        The minibatch; ``word_of`` points at rows of `B`.
    alpha : array-like, shape (K,)
        The prior of theta.
    B : array-like, shape (U, >= K)
        E[beta] of every word, each row by a factor of its own; columns beyond K are padding.
    tol, max_iter : float, int
        The first sweeps end when ``mean_k |change of gamma_k| < tol``, or after `max_iter` of them.
    n_own : int
        Sweeps that leave the token itself out.

    Returns
    -------
    gamma : ndarray, shape (D, K)
        From a start at which all topics have the same weight. Where the first sweeps end is the one
        maximum of ``sum_v n_v log sum_k theta_k B_vk + sum_k alpha_k log theta_k`` over the
        proportions ``theta = gamma / sum(gamma)``, whatever the start.
    sweeps : ndarray of int32, shape (D,)
        First sweeps made.
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
        gamma[d] = (n.sum() + alpha.sum()) / len(alpha)
        change = np.inf
        while sweeps[d] < max_iter and change >= tol:
            weights = gamma[d].copy()
            phi = weights * B_d
            gamma[d] = alpha + n @ (phi / phi.sum(axis=1, keepdims=True))
            change = np.abs(gamma[d] - weights).mean()
            sweeps[d] += 1
        if n_own > 0:
            gamma[d] = leave_out_own(n, B_d, alpha, weights, gamma[d], n_own)
    return gamma, sweeps


def leave_out_own(
    n: Floats, B_d: Floats, alpha: Floats, weights: Floats, gamma: Floats, n_own: int
) -> Floats:
    """Gamma of a document whose tokens do not count towards their own topics.

    Topics that have fewer tokens than their alpha are not at work: they are a constant to the
    others, and keep their proportions to each other. Where more than `MOST_AT_WORK` topics are left
    they need three times alpha, or seven, and so on. Of counts under 1 all is left out.

    Parameters
    ----------
    n, B_d : ndarrays, shapes (n_words,), (n_words, K)
        Counts of the document, and rows of its words.
    alpha, weights, gamma : ndarrays, shape (K,)
        `gamma` is what follows from phi in proportion to ``weights B``.
    n_own : int
        Sweeps, at least 1.

    Returns
    -------
    ndarray, shape (K,)
    """
    at_work = 2
    while (works := gamma >= at_work * alpha).sum() > MOST_AT_WORK:
        at_work *= 2
    if not works.any():
        return gamma
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
