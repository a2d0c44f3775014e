"""What is tempered: the likelihood (VT), or the whole posterior with its priors (DASVI)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._topics import Eta

# Posterior tempering shrinks lambda by 1 - rho T, which must stay positive.
_LARGEST_DECAY = 0.9
# At higher temperatures topics still change a lot, and priors are left as they are.
_PRIORS_FROM = 0.9


class StepSize(NamedTuple):
    """Natural-gradient step ``lambda <- (1 - decay) lambda + rate (prior + statistics)``."""

    rate: float
    decay: float
    prior: float
    weights: NDArray[Any]


class LikelihoodTempering:
    """The likelihood is tempered, priors are not (VT eq. 2)."""

    def alpha(self, alpha: NDArray[Any], s: float) -> NDArray[Any]:
        """Return the prior of the proportions in the E-step (VT eq. 19)."""
        return alpha

    def eta(self, eta: Eta, s: float) -> Eta:
        """Return the prior of the topics in the ELBO (VT eq. 4)."""
        return eta

    def learns_priors(self, s: float) -> bool:
        """Return whether priors are learned at this inverse temperature."""
        return s > _PRIORS_FROM

    def step_size(
        self, rate: float, s: float, prior: float, weights: NDArray[Any], *, whole: bool
    ) -> StepSize:
        """Return the step of lambda (VT eqs. 8 and 11; Hoffman et al. 2013).

        A step of the whole corpus has rate 1.
        """
        rate = 1.0 if whole else rate
        return StepSize(rate, rate, prior, weights)


class PosteriorTempering(LikelihoodTempering):
    """Priors are tempered too (DASVI eqs. 18, 20 and 22).

    ``gamma = (alpha + sum n phi + T - 1) / T`` is the likelihood-tempered update of a prior
    ``alpha s + 1 - s``, and likewise for lambda. (DASVI eq. 20 lacks T - 1, which a tempered
    Dirichlet distribution has, and algorithms 1 and 2 divide lambda by T twice. Here a step leads
    towards ``lambda = (eta + sum n phi + T - 1) / T``.)
    """

    def alpha(self, alpha: NDArray[Any], s: float) -> NDArray[Any]:
        """Return the prior whose likelihood-tempered update is that of DASVI."""
        return alpha * alpha.dtype.type(s) + alpha.dtype.type(1.0 - s)

    def eta(self, eta: Eta, s: float) -> Eta:
        """Return the prior of the topics that has the same updates."""
        return eta * s + (1.0 - s)

    def learns_priors(self, s: float) -> bool:
        """Return whether T = 1."""
        return s == 1.0

    def step_size(
        self, rate: float, s: float, prior: float, weights: NDArray[Any], *, whole: bool
    ) -> StepSize:
        """Return the step of lambda, with all documents at the same temperature."""
        temperature = 1.0 / s
        rate = s if whole else min(rate, _LARGEST_DECAY / temperature)
        return StepSize(rate, rate * temperature, prior + temperature - 1.0, np.ones_like(weights))
