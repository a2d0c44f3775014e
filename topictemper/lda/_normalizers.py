"""LDA's pairs of energy and log C(T): what the temperature updates weigh against each other."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from .._core import _lda as kernels
from .._core._workers import Workers
from .._utils._state import Stateful
from .._utils._typing import Floats
from ..tempering import InverseTemperatureNodes, prior_log_partition
from ..tempering._control import Evidence
from ._clock import CorpusSize
from ._e_step import log_likelihood
from ._minibatch import LocalParameters, Minibatch
from ._topics import Eta, Topics

Bound = Literal["lower", "upper"] | None


#: Of the log C of a document, which is interpolated between them.
N_NODES = 16


def _nodes(grid: Floats, alpha: NDArray[Any], eta: Eta) -> InverseTemperatureNodes:
    """Nodes for log C: sums of G(x + s) / G(x), which bend where s is a few times x."""
    return InverseTemperatureNodes(grid, N_NODES, offset=3.0 * float(min(alpha.min(), np.min(eta))))


class PosteriorNormalizer(Stateful):
    """The normalizer under the current q, bounded by exact fractional moments.

    Every token's joint is ``(theta_k beta_kv)^s / sum_k'v' (theta_k' beta_k'v')^s`` (VT eq. 10 in
    full), so by Jensen's inequality

        log C_d(s) <= N_d log sum_k E[theta_dk^s] sum_v E[beta_kv^s],

    and the energy is that of the assignments, ``sum n phi (E[log theta] + E[log beta])``. Both
    are 0 at s = 1 but for the energy's own value, and adapt to any alpha, eta and stage. Where
    topics are a point, the energy has log E[beta]; the moments are those of q(beta) all the same.

    Parameters
    ----------
    grid : ndarray of shape (n_temperatures,)
        Inverse temperatures in use.
    alpha : ndarray of shape (n_components,)
        Prior of the topic proportions.
    eta : float or ndarray of shape (n_features, 1) or (n_features, n_components)
        Prior of the topics.
    period : float
        Passes for which the moments of the topics are good enough.
    """

    STATE = ("_moments", "_refreshed")

    def __init__(self, grid: Floats, alpha: NDArray[Any], eta: Eta, period: float = 0.0) -> None:
        self.nodes = _nodes(grid, alpha, eta)
        self._period, self._refreshed = period, -np.inf
        self._set_alpha(alpha)
        self._moments = np.zeros_like(self._prior_ratios)

    def _set_alpha(self, alpha: NDArray[Any]) -> None:
        ratios = [kernels.gamma_ratio(alpha, float(s)) for s in self.nodes.nodes]
        self._alpha, self._prior_ratios = alpha, np.array(ratios, dtype=alpha.dtype)

    def refresh(self, topics: Topics, workers: Workers) -> None:
        """Work out the moments of the current topics."""
        log_moments = topics.log_fractional_moments(self.nodes.nodes, workers)
        self._moments = np.exp(log_moments).astype(self._alpha.dtype)

    def documents(
        self, batch: Minibatch, local: LocalParameters, workers: Workers
    ) -> tuple[Floats, Floats]:
        """Energies (n_documents,) and log C_d(s) at the nodes (n_documents, n_nodes), in nats."""
        if local.alpha is not self._alpha:  # learned anew
            self._set_alpha(local.alpha)
        out = np.empty((batch.n_documents, len(self.nodes.nodes)))
        workers.run(
            kernels.log_partition,
            local.gamma,
            local.topics,
            local.n_active,
            self._moments,
            self._prior_ratios * self._moments,
            self.nodes.nodes,
            out,
        )
        return local.energy, out * batch.tokens()[:, None]

    def of_documents(
        self,
        topics: Topics,
        batch: Minibatch,
        local: LocalParameters,
        workers: Workers,
        passes: float,
    ) -> Evidence:
        """Evidence of each document for its own temperature (VT eq. 10)."""
        if passes - self._refreshed > self._period * (1 - 1e-6):
            self.refresh(topics, workers)
            self._refreshed = passes
        energies, log_c = self.documents(batch, local, workers)
        # Not a matrix product of BLAS, which may round a row differently for other neighbors.
        matrix = np.ascontiguousarray(self.nodes.matrix.T)
        at_grid = np.einsum("dj,jm->dm", log_c, matrix)
        return Evidence(energies, at_grid, batch.weight, np.diff(batch.doc_ptr) == 0)

    def corpus(
        self,
        topics: Topics,
        batch: Minibatch,
        local: LocalParameters,
        size: CorpusSize,
        workers: Workers,
    ) -> tuple[float, Floats]:
        """Energy and log C(s) at the nodes of the corpus, of which the batch is a sample."""
        self.refresh(topics, workers)
        energies, log_c = self.documents(batch, local, workers)
        scale = size.tokens / batch.total_tokens
        return float(batch.total(energies) * scale), batch.total(log_c) * scale


class PriorNormalizer(Stateful):
    """The paper's normalizer: the prior's, with the assignments summed out (VT eqs. 17 and 18).

    ``c(s) = log sum_v (sum_k theta_k beta_kv)^s`` is sampled once from the prior; the energy is
    the matching one, ``sum_v n_dv log sum_k E[theta_dk] E[beta_kv]``. (VT supplement B.2 has the
    energy of the assignments, which is not that of what this normalizes.)

    Parameters
    ----------
    grid : ndarray of shape (n_temperatures,)
        Inverse temperatures in use.
    alpha : ndarray of shape (n_components,)
        Prior of the topic proportions.
    eta : float or ndarray of shape (n_features, 1) or (n_features, n_components)
        Prior of the topics.
    n_features : int
        Words in the vocabulary.
    bound : {None, "lower", "upper"}
        How samples are put together (see `prior_log_partition`).
    seed : int
        Seed of the samples.
    """

    STATE = ("_seed",)
    N_BETA, N_THETA = 10, 100

    def __init__(
        self,
        grid: Floats,
        alpha: NDArray[Any],
        eta: Eta,
        n_features: int,
        bound: Bound,
        seed: int,
    ) -> None:
        self.nodes = _nodes(grid, alpha, eta)
        self._bound = bound
        self._alpha, self._eta, self._n_features, self._seed = alpha, eta, n_features, seed

    @cached_property
    def _samples(self) -> Floats:
        # Drawn when they are wanted, which is after a seed has been read from a file.
        alpha, eta, n_features = self._alpha, self._eta, self._n_features
        random_state = np.random.RandomState(self._seed)
        c = np.empty((self.N_BETA, self.N_THETA, len(self.nodes.nodes)))
        for i in range(self.N_BETA):
            beta = random_state.gamma(np.transpose(eta), size=(len(alpha), n_features))
            beta = beta.astype(np.float32)
            beta /= np.maximum(beta.sum(axis=1, keepdims=True), np.float32(1e-30))
            _redraw_underflowed(beta, np.transpose(eta), random_state)
            theta = random_state.dirichlet(alpha.astype(np.float64), self.N_THETA)
            _redraw_underflowed(theta, alpha, random_state)
            p = theta.astype(np.float32) @ beta
            log_p = np.log(np.maximum(p, np.float32(1e-37)))
            for j, s in enumerate(self.nodes.nodes):
                total = np.exp(np.float32(s) * log_p).sum(axis=1, dtype=np.float64)
                c[i, :, j] = np.log(total) if s < 1 else 0.0
        return c

    def corpus(
        self,
        topics: Topics,
        batch: Minibatch,
        local: LocalParameters,
        size: CorpusSize,
        workers: Workers,
    ) -> tuple[float, Floats]:
        """Energy and log C(s) at the nodes of the corpus, of which the batch is a sample."""
        energy = batch.total(log_likelihood(topics, batch, local.theta(), workers))
        log_c = prior_log_partition(self._samples, size.documents, size.length, self._bound)
        return float(energy * size.tokens / batch.total_tokens), log_c


def _redraw_underflowed(
    rows: NDArray[Any], prior: Eta, random_state: np.random.RandomState
) -> None:
    """Draw Dirichlet rows anew whose gamma variates have underflowed, as they do for small priors.

    A row does not depend on the sum of its variates, so this does not favor any rows.
    """
    bad = ~(np.abs(rows.sum(axis=1) - 1.0) < 0.01)  # such as 0, infinity or NaN
    if not bad.any():
        return
    shape = np.broadcast_to(np.asarray(prior, dtype=np.float64), rows.shape)[bad]
    # G(a) = G(a + 1) U^(1/a), in logarithms.
    log_gamma = np.log(random_state.standard_gamma(shape + 1.0))
    log_gamma -= random_state.standard_exponential(shape.shape) / shape
    rows[bad] = softmax(log_gamma, axis=1)


def corpus_evidence(nodes: InverseTemperatureNodes, energy: float, log_c: Floats) -> Evidence:
    """Evidence of the corpus for one temperature (VT eq. 9), at ascending temperatures."""
    return Evidence(energy, (nodes.matrix @ log_c)[::-1])
