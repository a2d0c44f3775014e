"""The annealed ELBO (VT eq. 4): the terms of documents and of topics."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, psi

from .._utils._typing import Floats
from ._minibatch import LocalParameters, Minibatch
from ._topics import Eta, Topics

_WORDS_AT_ONCE = _DOCUMENTS_AT_ONCE = 4096


def document_elbo(batch: Minibatch, local: LocalParameters, s: float = 1.0) -> Floats:
    """What each document adds to the annealed ELBO, in nats, with the best phi.

    ``sum_v n_dv log sum_k exp(s (E[log theta_dk] + E[log beta_kv])) - KL(q(theta_d) || p(theta))``
    (Blei et al. 2003, eq. 15; VT eq. 4 with supplement B.2; at the optimal phi).
    """
    with np.errstate(invalid="ignore"):
        p = batch.counts.astype(np.float64) / local.ratio  # before shift and psi(sum gamma)
    log_p = np.where(batch.counts > 0, np.log(p) + s * local.shift[batch.word_of], 0.0)
    prior = local.alpha.astype(np.float64)[None, :]
    total, kl = np.empty((2, batch.n_documents))
    # A batch may be the whole corpus: all of it in double precision would take most of the memory.
    for start in range(0, batch.n_documents, _DOCUMENTS_AT_ONCE):
        some = slice(start, start + _DOCUMENTS_AT_ONCE)
        gamma = local.gamma[some].astype(np.float64)
        total[some] = gamma.sum(axis=1)
        kl[some] = _dirichlet_kl(gamma, total[some], prior)
    return (
        batch.sums(batch.counts * log_p)
        + batch.tokens() * local.log_scale
        - s * batch.tokens() * psi(total)
        - kl
    )


def topics_kl(topics: Topics, eta: Eta) -> float:
    """``sum_k KL(q(beta_k) || p(beta_k))`` in nats, over some words at a time."""
    totals = topics.totals
    if isinstance(eta, np.ndarray):
        kl = gammaln(totals) - gammaln(eta.sum(axis=0, dtype=np.float64))
    else:
        kl = gammaln(totals) - gammaln(topics.n_features * eta)
    e_log_rest = psi(totals)
    for start in range(0, topics.n_features, _WORDS_AT_ONCE):
        words = slice(start, start + _WORDS_AT_ONCE)
        prior = eta[words].astype(np.float64) if isinstance(eta, np.ndarray) else eta
        lam = topics.rows(words, np.float64)
        terms = gammaln(prior) - gammaln(lam) + (lam - prior) * (psi(lam) - e_log_rest)
        kl += terms.sum(axis=0)
    return float(kl.sum())


def topics_log_prior(topics: Topics, eta: Eta) -> float:
    """``sum_kv eta_kv log E[beta_kv]`` in nats, over some words at a time.

    It is log Dir(1 + eta) of topics that are a point, but for a constant.

    Of all points lambda = eta + n has the best sum of this and ``sum_kv n_kv log beta_kv``.
    """
    log_totals, total = topics.log_totals(), 0.0
    for start in range(0, topics.n_features, _WORDS_AT_ONCE):
        words = slice(start, start + _WORDS_AT_ONCE)
        prior = eta[words].astype(np.float64) if isinstance(eta, np.ndarray) else eta
        total += float((prior * (np.log(topics.rows(words, np.float64)) - log_totals)).sum())
    return total


def _dirichlet_kl(gamma: Floats, total: Floats, alpha: Floats) -> Floats:
    """KL(Dir(gamma_d) || Dir(alpha)) of every row."""
    e_log = psi(gamma) - psi(total)[:, None]
    return (
        gammaln(total)
        - gammaln(alpha.sum())
        - (gammaln(gamma) - gammaln(alpha)).sum(axis=1)
        + ((gamma - alpha) * e_log).sum(axis=1)
    )
