"""Coordinate ascent of a truncated Dirichlet process mixture, annealed at first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from .._utils._state import Tree, within
from .._utils._typing import Floats
from ..persistence._fitted import ABOVE_ZERO, Numbers, checked
from ..tempering._history import ElboHistory
from ._config import Config
from ._normal_wishart import NormalWishart, restored
from ._priors import draw_start
from ._sticks import Sticks, size_order

# One component may have no stick.
_STICKS = {
    "a": Numbers("T", ABOVE_ZERO, may_be_empty=True),
    "b": Numbers("T", ABOVE_ZERO, may_be_empty=True),
    "concentration": Numbers("", ABOVE_ZERO),
}


@dataclass(frozen=True)
class Globals:
    """q of the sticks and of the components (Blei and Jordan 2006)."""

    sticks: Sticks
    components: NormalWishart

    def get_state(self) -> Tree:
        """Return the parameters of q, for `of_state`."""
        sticks = self.sticks
        return {
            "a": sticks.a,
            "b": sticks.b,
            "concentration": sticks.concentration,
            "components": self.components.get_state(),
        }

    @classmethod
    def of_state(cls, kind: type[NormalWishart], tree: Tree, n_features: int) -> Self:
        """Return what `get_state` has written.

        Raises
        ------
        ValueError
            If something is missing or invalid; the error names it.
        """
        with within("components"):
            components = restored(kind, tree["components"], n_features)
        sticks = checked(tree, _STICKS)
        n_more = len(components.mean) - len(sticks["a"])
        if n_more not in (0, 1):
            raise ValueError("other numbers of sticks and components")
        return cls(Sticks(**sticks, last_is_one=n_more == 1), components)

    def log_joint(self, X: Floats) -> Floats:
        """``S_nt = E[log p(x_n, z_n = t)]``, (N, T), in nats."""
        result = self.components.expected_log_likelihood(X)
        result += self.sticks.expected_log_weights()
        return result

    def kl(self, prior: NormalWishart) -> float:
        """KL divergence from the prior."""
        return self.sticks.kl() + self.components.kl(prior)


@dataclass(frozen=True)
class Run:
    """The result of one ascent."""

    found: Globals
    phi: Floats  # at T = 1
    elbo: float  # of `found` and `phi`, at T = 1
    history: ElboHistory
    converged: bool


def soft_max(log_joint: Floats) -> tuple[Floats, float]:
    """Return responsibilities ``phi ∝ exp(S)`` of rows, which overwrite S, and their bound.

    The bound is ``sum_n log sum_t exp(S_nt) = sum_nt phi_nt (S_nt - log phi_nt)``.
    """
    highest = log_joint.max(axis=1)
    log_joint -= highest[:, None]
    phi = np.exp(log_joint, out=log_joint)
    total = phi.sum(axis=1)
    phi /= total[:, None]
    return phi, float((highest + np.log(total)).sum())


def best_run(X: Floats, config: Config) -> Run:
    """Return the ascent with the highest ELBO of several starts."""

    def run() -> Run:
        phi = draw_start(X, config.init, config.n_components, config.random_state)
        return ascend(X, phi, config)

    return max((run() for _ in range(config.n_init)), key=lambda one: one.elbo)


def ascend(X: Floats, phi: Floats, config: Config) -> Run:
    """Alternate the best globals and the best responsibilities, both at the schedule's T.

    The annealed bound ``s E[log p(x, z | theta)] - KL(q(theta) || p(theta)) + H(q(z))`` with
    s = 1 / T never falls while T is constant (VT eq. 4).
    """
    history = ElboHistory(config.log, len(X))
    converged = False
    for i in range(config.max_iter):
        temperature = config.schedule.temperature(i)
        s = 1.0 / temperature
        found = best_globals(X, phi, s, config)
        log_joint = found.log_joint(X)
        log_joint *= s
        phi, bound = soft_max(log_joint)
        history.append(temperature, bound - found.kl(config.prior))
        converged = history.has_converged(config.tol)
        if converged:
            break
    history.end()
    elbo = history.last
    if temperature != 1.0:
        phi, bound = soft_max(found.log_joint(X))
        elbo = bound - found.kl(config.prior)
    return Run(found, phi, elbo, history, converged)


def best_globals(X: Floats, phi: Floats, s: float, config: Config) -> Globals:
    """Return the best globals for responsibilities, at the inverse temperature s."""
    counts = s * phi.sum(axis=0)
    if config.sort_components:
        order = size_order(counts, config.concentration, config.last_is_one)
        if order is not None:
            counts, phi = counts[order], phi[:, order]
    return Globals(
        Sticks.posterior(counts, config.concentration, config.last_is_one),
        config.prior.posterior(X, phi, s),
    )
