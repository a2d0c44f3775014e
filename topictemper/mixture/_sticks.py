"""Sticks of a truncated Dirichlet process: q(V) and its expectations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, psi

from .._utils._typing import Floats

_NEARLY_ALL = 1.0 - 1e-6  # of what is left of the stick


@dataclass(frozen=True)
class Sticks:
    """``q(V_t) = Beta(a_t, b_t)``; the prior of each is Beta(1, concentration).

    With ``last_is_one`` V of the last component is 1, and a and b have one entry less than there
    are components (Blei and Jordan 2006, section 3.2). Otherwise all sticks are broken, and the
    rest beyond the truncation is ignored, as in scikit-learn.
    """

    a: Floats
    b: Floats
    concentration: float
    last_is_one: bool

    @classmethod
    def posterior(cls, counts: Floats, concentration: float, last_is_one: bool) -> Sticks:
        """The best q(V) for (tempered) expected numbers of data in the components, in order."""
        n = len(counts) - last_is_one
        later = np.append(np.cumsum(counts[:0:-1])[::-1], 0.0)
        return cls(1.0 + counts[:n], concentration + later[:n], concentration, last_is_one)

    def expected_log_weights(self) -> Floats:
        """``E[log V_t] + sum_{i<t} E[log(1 - V_i)]`` for each component."""
        log_v, log_rest = self._expected_logs()
        if self.last_is_one:
            log_v = np.append(log_v, 0.0)
        return log_v + np.append(0.0, np.cumsum(log_rest))[: len(log_v)]

    def expected_weights(self) -> Floats:
        """E[pi_t], scaled to sum to one."""
        total = self.a + self.b
        v = self.a / total
        # Where nearly nothing is left, the difference has few digits, or none.
        left = np.where(v < _NEARLY_ALL, 1.0 - v, self.b / total)
        rest = np.append(1.0, np.cumprod(left))
        if self.last_is_one:
            v = np.append(v, 1.0)
        weights: Floats = v * rest[: len(v)]
        return weights / weights.sum()

    def log_normalizer(self) -> float:
        """Return the sticks' terms of the bound, up to a constant, if optimal for the counts."""
        return float(betaln(self.a, self.b).sum())

    def kl(self) -> float:
        """KL(q(V) || p(V)) in nats."""
        log_v, log_rest = self._expected_logs()
        kl = betaln(1.0, self.concentration) - betaln(self.a, self.b)
        kl += (self.a - 1.0) * log_v + (self.b - self.concentration) * log_rest
        return float(kl.sum())

    def _expected_logs(self) -> tuple[Floats, Floats]:
        total = psi(self.a + self.b)
        return psi(self.a) - total, psi(self.b) - total


def size_order(counts: Floats, concentration: float, last_is_one: bool) -> NDArray[np.intp] | None:
    """Return the order of components by decreasing size; None if it does not raise the bound.

    Decreasing size is the best order, with one exception: if the last stick is 1 and the
    concentration above 1, the bound may be higher with a large component in the last place.
    """
    order = np.argsort(-counts, kind="stable")
    if (order[:-1] < order[1:]).all():
        return None
    now = Sticks.posterior(counts, concentration, last_is_one)
    then = Sticks.posterior(counts[order], concentration, last_is_one)
    return order if then.log_normalizer() >= now.log_normalizer() else None
