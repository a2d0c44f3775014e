"""Empirical Bayes: alpha and eta that suit the documents and topics found so far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import psi

from .._core import _lda as kernels
from .._utils._state import Stateful
from .._utils._typing import Floats
from ._clock import StreamClock
from ._defaults import ALPHA_LARGEST_SUM, PASSES_RANGE
from ._minibatch import LocalParameters, Minibatch
from ._plan import Plan, seen_of_few, shortness
from ._topics import Eta, Topics

_SMALLEST, _LARGEST = 1e-4, 1e3
# A prior is renewed once so much of what it is learned from is new. eta waits for longer at
# first: statistics of hot documents, which are spread over all topics, would raise it.
_ALPHA_SHARE, _ETA_SHARE, _ETA_WAITS = 0.25, 1.0, 3.0
# Where documents are sampled (docs/guide/measured/priors.rst, "How alpha is learned from samples"):
# so many documents take the sum of alpha half a step; and documents of so many tokens take the
# shares of topics at half the learning rate, longer ones at more of it.
_DOCUMENTS, _TOKENS = 300.0, 5.0
# For the shortest documents a long fit ends this so much earlier, as a share of the usual time.
_EARLIER = 0.6
# Alpha is learned from every so many sampled minibatches, which are sampled for longer: samples
# begin with the prior, and until they have forgotten it alpha comes out too large.
_EVERY = 4


class PriorLearner(Stateful):
    """Raises the bound in alpha and in a symmetric eta, now and then while a model learns.

    With gamma = alpha + n at its optimum for the expected counts n, the bound depends on alpha by
    the Polya likelihood of n, which Minka's fixed point (2000, eq. 55) never lowers::

        alpha_k <- alpha_k sum_d [psi(n_dk + alpha_k) - psi(alpha_k)]
                           / sum_d [psi(N_d + sum alpha) - psi(sum alpha)]

    Numerator and denominator are running means at the learning rate of the topics. Newton's method
    for fixed q(theta) (Blei et al. 2003, appendix A.4.2) maximizes in alpha alone; as q follows
    alpha closely, that crawls. Likewise for eta, from lambda = eta + n.

    From samples, this is a step of EM. Samples of short documents follow alpha, too, so many steps
    are needed, and running means would take thousands of minibatches for them. So the sum of alpha
    takes a large part of a step with every minibatch, the larger the more documents it has, and at
    least the learning rate. The shares of topics in the sum are noisier, and follow slowly where
    documents are short: a topic that loses its share early loses its tokens, too.

    The ELBO favors priors that fall with every pass, far below what predicts best: documents get
    fewer topics, and topics fewer words, than new documents need. So no prior is learned below a
    floor (benchmarks/lda/priors.py).

    Samples begin with the prior, and a few sweeps do not forget all of it: an alpha that is learned
    from them is too large, the more so the larger it is. So samples to learn from have more sweeps
    than others (`_e_step.OF_ALPHA`). It would still creep upwards with every pass: so its sum has a
    bound, and it is learned for as long as fits of long documents last, and then stays. In short
    ones, a small share makes a topic lose documents, which it hardly wins again: the longer a fit,
    the fewer topics would be left. So then the shares come close to equal ones when alpha has been
    learned. Topics need some passes after that, so where documents are short, long fits stop
    learning alpha earlier. But topics are not all as large, and with equal shares they predict
    worse: so the last passes of every fit learn alpha. (Fits on Dask are long ones, too, but for
    very few documents: their plan has many passes over a sample.)

    Parameters
    ----------
    of_alpha, of_eta : bool
        Which of the two to learn.
    smallest_alpha, smallest_eta : float
        The floors.
    of_samples : bool
        Whether to learn alpha where documents are sampled.
    plan : Plan
        The passes of the fit.
    """

    STATE = ("_means", "_alpha_share", "_eta_share", "_n_sampled", "_even_size")

    def __init__(
        self,
        of_alpha: bool,
        of_eta: bool,
        smallest_alpha: float,
        smallest_eta: float,
        *,
        of_samples: bool,
        plan: Plan,
    ) -> None:
        self.of_alpha, self.of_eta, self.of_samples = of_alpha, of_eta, of_samples
        self.plan = plan
        self._smallest_alpha, self._smallest_eta = smallest_alpha, smallest_eta
        self._means: Floats | None = None  # numerators, and the denominator last
        self._alpha_share, self._eta_share = 0.0, _ETA_SHARE - _ETA_WAITS
        self._n_sampled = 0.0  # documents that alpha was learned from by their samples
        self._even_size = 0.0  # documents of the corpus, when the shares of alpha last came closer

    def wants_samples(self, clock: StreamClock, batch: Minibatch) -> bool:
        """Whether alpha is to be learned from the samples of the next minibatch."""
        return (
            (self.of_alpha or self.of_samples)
            and clock.n_updates % _EVERY == 0
            and not self._has_learned(clock, batch)
        )

    def _has_learned(self, clock: StreamClock, batch: Minibatch) -> bool:
        if self.plan.ends(clock.passes):
            return False
        length = clock.corpus_size(batch).length
        most = max(PASSES_RANGE[1] * clock.total_samples, seen_of_few(length))  # `usual_passes`
        if self.plan.is_long:
            most *= 1.0 - _EARLIER * shortness(length)
        return self._n_sampled * _EVERY >= most

    def evened(self, alpha: NDArray[Any], clock: StreamClock, batch: Minibatch) -> NDArray[Any]:
        """Return alpha, whose shares come closer to equal ones once it has been learned."""
        # Again after a corpus has grown to twice its size, but not whenever it has grown a little.
        size = clock.total_samples
        if not self._has_learned(clock, batch) or size < 2.0 * self._even_size:
            return alpha
        # Nor after a long fit, whose last passes have learned it again.
        if self.plan.is_long and clock.passes >= self.plan.planned_passes:
            return alpha
        self._even_size = size
        mean = alpha.mean(dtype=np.float64)
        even: NDArray[Any] = alpha + shortness(clock.corpus_size(batch).length) * (mean - alpha)
        return even.astype(alpha.dtype)

    def alpha(
        self, batch: Minibatch, local: LocalParameters, alpha: NDArray[Any], rho: float
    ) -> NDArray[Any]:
        """Update with a minibatch after its E-step, at learning rate rho; returns the new alpha."""
        sampled = len(local.drawn) > 0
        if not (self.of_alpha or sampled):
            return alpha
        # Of samples psi(alpha + n) is taken of each, not of their mean: that would be too large.
        gamma = local.drawn + alpha if sampled else local.gamma
        total = alpha.sum(dtype=np.float64)
        by_topic = batch.total(kernels.psi(gamma.ravel()).reshape(gamma.shape))
        of_totals = batch.total(psi(gamma.sum(axis=1, dtype=np.float64)))
        prior = alpha.astype(np.float64)
        means = np.append(prior * (by_topic / batch.size - psi(prior)), of_totals / batch.size)
        means[-1] -= psi(total)
        if sampled:
            return self._of_samples(means, alpha, batch, rho)
        # The first is taken whole: there is nothing to average it with.
        self._means = means if self._means is None else self._means + rho * (means - self._means)
        # No more than is waited for: documents without words teach nothing, and only pass.
        self._alpha_share = min(self._alpha_share + rho, _ALPHA_SHARE)
        if self._alpha_share < _ALPHA_SHARE or self._means[-1] <= 0:
            return alpha
        self._alpha_share = 0.0
        new = np.clip(self._means[:-1] / self._means[-1], self._smallest_alpha, _LARGEST)
        return new.astype(alpha.dtype)

    def _of_samples(
        self, means: NDArray[Any], alpha: NDArray[Any], batch: Minibatch, rho: float
    ) -> NDArray[Any]:
        """Take a step of the sum, and one of the shares of topics in it."""
        self._n_sampled += batch.size
        total, found = alpha.sum(dtype=np.float64), means[:-1].sum()
        if min(found, means[-1]) <= 0 or not batch.total_tokens:
            return alpha
        size = batch.size
        if batch.weight is not None:  # if normalized, documents say no less of the sum for that
            size = max(size, float(np.count_nonzero(batch.weight)))
        step = max(rho, size / (size + _DOCUMENTS))
        total_after = total * (found / (total * means[-1])) ** step
        shares = alpha / total
        rate = rho * batch.total_tokens / (batch.total_tokens + _TOKENS * batch.size)
        shares += rate * (means[:-1] / found - shares)
        new = np.maximum(min(total_after, ALPHA_LARGEST_SUM) * shares, _SMALLEST)
        return new.astype(alpha.dtype)

    def eta(self, topics: Topics, eta: Eta, rho: float) -> Eta:
        """Update after a step of the topics; returns the new eta."""
        if not self.of_eta or isinstance(eta, np.ndarray):
            return eta
        self._eta_share += rho
        if self._eta_share < _ETA_SHARE:
            return eta
        self._eta_share = 0.0
        counts = topics.a * topics.column_sums
        size = topics.n_features
        below = size * float((psi(counts + size * eta) - psi(size * eta)).sum())
        return float(np.clip(eta * topics.psi_gain(eta) / below, self._smallest_eta, _LARGEST))
