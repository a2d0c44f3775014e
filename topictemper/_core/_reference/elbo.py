"""The annealed ELBO of LDA for any q, against which the updates of the kernels are tested."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.sparse import csr_array

from ..._utils._typing import Floats
from .special import floats, psi


def annealed_elbo(
    counts: Any,
    alpha: ArrayLike,
    eta: ArrayLike,
    gamma: ArrayLike,
    phi: Sequence[ArrayLike],
    lam: ArrayLike,
    s: ArrayLike,
    point: bool = False,
) -> float:
    """Evaluate the annealed ELBO of LDA, VT eq. 4 with VT supplement B.2, for any q.

    ::

        sum_d { s_d sum_vk n phi (E log theta + E log beta) - sum_vk n phi log phi
                - KL(q(theta_d) || p) } - sum_k KL(q(beta_k) || p)

    The priors are not tempered. At s = 1 it is the usual ELBO. Where topics are a point,
    ``log E[beta]`` stands for ``E log beta``, and ``sum_v eta log E[beta_kv]`` for
    ``- KL(q(beta_k) || p)``.

    Parameters
    ----------
    counts : array-like or CSR, shape (D, V)
        Counts.
    alpha, eta : array-like, broadcast to (K,) and to (V, K)
        The priors of theta and beta.
    gamma : array-like, shape (D, K)
        The Dirichlet parameters of theta.
    phi : sequence of array-like, D of shape (stored entries of row d, K)
        The assignments of the tokens, in the order of the rows of `counts`.
    lam : array-like, shape (V, K)
        The Dirichlet parameters of the topics.
    s : array-like, broadcast to (D,)
        Inverse temperatures.
    point : bool, default=False
        Whether topics are their mean.

    Returns
    -------
    float
        In nats.
    """
    matrix = csr_array(counts)
    gamma, lam = floats(gamma), floats(lam)
    n_documents = matrix.shape[0]
    s = np.broadcast_to(floats(s), n_documents)
    if point:
        log_beta = np.log(lam / lam.sum(axis=0))
        bound = (floats(eta) * log_beta).sum()
    else:
        log_beta = psi(lam) - psi(lam.sum(axis=0))
        bound = -_dirichlet_kl(lam.T, np.broadcast_to(floats(eta), lam.shape).T).sum()
    bound -= _dirichlet_kl(gamma, np.broadcast_to(floats(alpha), gamma.shape)).sum()
    for d in range(n_documents):
        span = slice(matrix.indptr[d], matrix.indptr[d + 1])
        phi_d = floats(phi[d])
        expected_log_theta = psi(gamma[d]) - psi(gamma[d].sum())
        log_joint = phi_d * (expected_log_theta + log_beta[matrix.indices[span]])
        entropy = special.entr(phi_d)
        bound += matrix.data[span] @ (s[d] * log_joint + entropy).sum(axis=1)
    return float(bound)


def _dirichlet_kl(q: Floats, p: Floats) -> Floats:
    """``KL(Dir(q) || Dir(p))`` along the last axis."""
    log_normalizer_q = special.gammaln(q).sum(axis=-1) - special.gammaln(q.sum(axis=-1))
    log_normalizer_p = special.gammaln(p).sum(axis=-1) - special.gammaln(p.sum(axis=-1))
    expected_log = psi(q) - psi(q.sum(axis=-1, keepdims=True))
    return np.asarray(
        log_normalizer_p - log_normalizer_q + ((q - p) * expected_log).sum(axis=-1),
        dtype=np.float64,
    )
