"""Twin of the kernel `collapse`: the fixed point of collapsed inference, in plain NumPy."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._utils._typing import Floats
from .special import floats


def collapse(
    doc_ptr: ArrayLike,
    word_of: ArrayLike,
    counts: ArrayLike,
    alpha: ArrayLike,
    B: ArrayLike,
    tol: float,
    max_iter: int,
) -> tuple[Floats, NDArray[np.int32]]:
    """Find the proportions of documents at fixed topics, by zero-order collapsed inference.

    With ``n_v`` for the counts of one document, as Foulds et al. (2013) do, who keep the token
    itself in the sums::

        phi_vk  = gamma_k B_vk / (its sum over k)
        gamma_k = alpha_k + sum_v n_v phi_vk

    Parameters
    ----------
    doc_ptr, word_of, counts : array-like, shapes (D + 1,), (nnz,), (nnz,)
        The minibatch; ``word_of`` points at rows of `B`.
    alpha : array-like, shape (K,)
        The prior of theta.
    B : array-like, shape (U, >= K)
        E[beta] of every word, each row by a factor of its own; columns beyond K are padding.
    tol, max_iter : float, int
        Sweeps end when ``mean_k |change of gamma_k| < tol``, or after `max_iter` of them.

    Returns
    -------
    gamma : ndarray, shape (D, K)
        From a start at which all topics have the same weight. Where sweeps end is the one maximum
        of ``sum_v n_v log sum_k theta_k B_vk + sum_k alpha_k log theta_k`` over the proportions
        ``theta = gamma / sum(gamma)``, whatever the start.
    sweeps : ndarray of int32, shape (D,)
        Sweeps made.
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
    return gamma, sweeps
