"""Coordinate ascent of the factorial mixture, tempered at first, then at T = 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core._workers import Workers
from ..._utils._typing import Floats
from ...tempering._history import ElboHistory, record
from ._config import Config
from ._images import Images
from ._renewal import Renewals
from ._tempering import new_tempering
from ._updates import Components, components_bound, update_assignments, update_components


@dataclass(frozen=True)
class Run:
    """The result of one ascent.

    `elbo` is at T = 1, of all images; `temperature` is that of the last tempered sweep.
    """

    components: Components
    elbo: float
    history: ElboHistory
    temperature_history: NDArray[Any]
    temperature: float
    responsibilities: Floats | None


def best_run(images: Images, config: Config, workers: Workers) -> Run:
    """Return the ascent with the highest ELBO of several random starts."""
    shape = (len(config.prior.pi), len(images.X))

    def run() -> Run:
        return ascend_from(images, config, config.random_state.random_sample(shape), workers)

    return max((run() for _ in range(config.n_init)), key=lambda one: one.elbo)


def ascend_from(
    images: Images,
    config: Config,
    nu: Floats,
    workers: Workers,
    after_sweep: Callable[[int, Components, float], None] | None = None,
) -> Run:
    """Sweep from an initial `nu` of shape (K, N); the first sweeps are tempered.

    q(mu) comes first: from random components, the first q(Z) would be hard and wrong, and with
    many pixels no component would be used at all. `after_sweep` is called with the number of the
    sweep, its q(mu), and the ELBO at T = 1.

    With many pixels the heat empties components, and at a lower T no image would take them up. So
    after a tempered sweep those without images start anew, from random assignments. When T
    reaches 1, q(Z) is inferred anew (`Renewals`).
    """
    prior, tempering = config.prior, new_tempering(config, images)
    log_scale = float(prior.log_scale(images.observed).sum())
    cold = np.ones(len(images.X))
    history = ElboHistory(config.log, len(images.X))
    renewals = Renewals(images, prior, workers)
    last_tempered, rows = 1.0, []
    for sweep in range(config.max_iter):
        tempered = sweep < config.n_tempered
        temperature = tempering.temperature() if tempered else 1.0
        s = tempering.inverse_temperatures() if tempered else cold
        components = update_components(images, prior, nu, s)
        assignments = update_assignments(images, prior, components, nu, s, workers)
        assignments = renewals.renewed(sweep, temperature, components, assignments)
        nu = assignments.nu
        rest = float(assignments.entropies.sum()) + components_bound(prior, components)
        elbo = float(assignments.energies.sum()) + log_scale + rest
        bound = elbo
        if tempered:
            bound = tempering.bound(assignments.energies) + rest
            tempering.update(assignments.energies)
            last_tempered = temperature
            nu = _refilled(nu, config.random_state)
        history.append(temperature, bound)
        rows.append((float(sweep), temperature, *tempering.quantiles()))
        if after_sweep is not None:
            after_sweep(sweep, components, elbo)
        if history.has_converged(config.tol) and not renewals.goes_on(sweep, elbo, config.tol):
            break
    history.end()
    return Run(
        components,
        elbo,
        history,
        record(rows, *tempering.control.fields),
        last_tempered,
        tempering.responsibilities(),
    )


def _refilled(nu: Floats, random: np.random.RandomState) -> Floats:
    """Return `nu` with random rows for components that have less than one image in all."""
    empty = nu.sum(axis=1) < 1.0
    if not empty.any():
        return nu
    refilled = nu.copy()
    refilled[empty] = random.random_sample((int(empty.sum()), nu.shape[1]))
    return refilled
