"""Coordinate ascent of a truncated Dirichlet process mixture at a course of temperatures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tempering import Schedule
from ._normal_wishart import NormalWishart
from ._sticks import Sticks, size_order

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Model:
    """The prior, and how sticks are broken and sorted."""

    prior: NormalWishart
    concentration: float
    last_is_one: bool
    sort: bool

    def best_globals(self, X: Array, phi: Array, s: float) -> Globals:
        """The best globals for responsibilities, at the inverse temperature s."""
        counts = s * phi.sum(axis=0)
        if self.sort:
            order = size_order(counts, self.concentration, self.last_is_one)
            if order is not None:
                counts, phi = counts[order], phi[:, order]
        return Globals(
            Sticks.posterior(counts, self.concentration, self.last_is_one),
            self.prior.posterior(X, phi, s),
        )


@dataclass(frozen=True)
class Globals:
    """q of the sticks and of the components (Blei and Jordan 2006)."""

    sticks: Sticks
    components: NormalWishart

    def log_joint(self, X: Array) -> Array:
        """``S_nt = E[log p(x_n, z_n = t)]``, (N, T), in nats."""
        result = self.components.expected_log_likelihood(X)
        result += self.sticks.expected_log_weights()
        return result

    def kl(self, prior: NormalWishart) -> float:
        """KL of all of it from the prior."""
        return self.sticks.kl() + self.components.kl(prior)


@dataclass(frozen=True)
class Ascent:
    """Where coordinate ascent has led."""

    found: Globals
    phi: Array  # at T = 1
    elbo: float  # of `found` and `phi`, at T = 1
    elbo_history: list[float]
    temperatures: list[float]
    converged: bool


def soft_max(log_joint: Array) -> tuple[Array, float]:
    """Responsibilities ``phi ∝ exp(S)`` of rows, in the place of S, and their bound.

    The second is ``sum_n log sum_t exp(S_nt) = sum_nt phi_nt (S_nt - log phi_nt)``.
    """
    highest = log_joint.max(axis=1)
    log_joint -= highest[:, None]
    phi = np.exp(log_joint, out=log_joint)
    total = phi.sum(axis=1)
    phi /= total[:, None]
    return phi, float((highest + np.log(total)).sum())


def ascend(
    X: Array, phi: Array, model: Model, schedule: Schedule, max_iter: int, tol: float
) -> Ascent:
    """Alternate the best globals and the best responsibilities, both at the schedule's T.

    The annealed bound ``b E[log p(x, z | theta)] - KL(q(theta) || p(theta)) + H(q(z))``,
    b = 1 / T (VT eq. 4), never falls while T stays. Iteration i is at ``schedule.temperature(i)``.
    The end is where an iteration at T = 1 changes the bound by less than `tol` a datum, after
    `max_iter` iterations at the latest.
    """
    elbo_history: list[float] = []
    temperatures: list[float] = []
    converged = False
    for i in range(max_iter):
        temperature = schedule.temperature(i)
        s = 1.0 / temperature
        found = model.best_globals(X, phi, s)
        log_joint = found.log_joint(X)
        log_joint *= s
        phi, bound = soft_max(log_joint)
        elbo_history.append(bound - found.kl(model.prior))
        temperatures.append(temperature)
        if temperatures[-2:] == [1.0, 1.0]:
            converged = abs(elbo_history[-1] - elbo_history[-2]) < tol * len(X)
            if converged:
                break
    if temperature != 1.0:
        phi, bound = soft_max(found.log_joint(X))
        elbo = bound - found.kl(model.prior)
    else:
        elbo = elbo_history[-1]
    return Ascent(found, phi, elbo, elbo_history, temperatures, converged)
