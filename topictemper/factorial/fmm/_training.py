"""Coordinate ascent of the factorial mixture, tempered at first, then at T = 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core._workers import Workers
from ..._utils._typing import Floats
from ._images import Images
from ._thermostat import Thermostat
from ._updates import (
    Assignments,
    Components,
    Prior,
    components_bound,
    update_assignments,
    update_components,
)


@dataclass(frozen=True)
class Run:
    """Where one ascent ended, and how it came there."""

    components: Components
    elbo_history: Floats
    objective_history: Floats
    temperature_history: NDArray[Any]
    temperature: float
    responsibilities: Floats | None

    @property
    def elbo(self) -> float:
        """Bound at the end, T = 1."""
        return float(self.elbo_history[-1])


def ascend(
    images: Images,
    prior: Prior,
    nu: Floats,
    thermostat: Thermostat,
    *,
    max_iter: int,
    n_tempered: int,
    tol: float,
    workers: Workers,
    after_sweep: Callable[[int, Components], None] | None = None,
) -> Run:
    """Sweep from a first `nu` of shape (K, N); the first `n_tempered` sweeps are tempered.

    q(mu) comes first: from components drawn at random, the first q(Z) would be hard and wrong,
    and with many pixels no component would be used at all. Ends early where two sweeps at T = 1
    differ by less than `tol` nats (never, if that is 0). `after_sweep` is called with the number of
    the sweep and its q(mu).
    """
    log_scale = float(prior.log_scale(images.observed).sum())
    cold = np.ones(len(images.X))
    bounds: list[float] = []
    objectives: list[float] = []
    course: list[tuple[float, ...]] = []
    was_cold = False
    for sweep in range(max_iter):
        tempered = sweep < n_tempered
        s = thermostat.inverse_temperatures(sweep) if tempered else cold
        components = update_components(images, prior, nu, s)
        assignments = update_assignments(images, prior, components, nu, s, workers)
        nu = assignments.nu
        rest = float(assignments.entropies.sum()) + components_bound(prior, components)
        bounds.append(float(assignments.energies.sum()) + log_scale + rest)
        if tempered:
            objectives.append(thermostat.bound(assignments.energies) + rest)
            thermostat.update(assignments.energies)
        else:
            objectives.append(bounds[-1])
        course.append((sweep, 1.0 / float(s.mean()), *thermostat.details()))
        if after_sweep is not None:
            after_sweep(sweep, components)
        is_cold = bool((s == 1.0).all())
        if is_cold and was_cold and bounds[-1] - bounds[-2] < tol:
            break
        was_cold = is_cold and tol > 0
    fields = ("pass", "temperature", *thermostat.fields)
    last = min(n_tempered, len(course)) - 1  # not asked again: a schedule may end there
    return Run(
        components,
        np.array(bounds),
        np.array(objectives),
        np.array(course, dtype=[(field, float) for field in fields]),
        course[last][1] if last >= 0 else 1.0,
        thermostat.responsibilities(),
    )


def infer(
    images: Images, prior: Prior, components: Components, workers: Workers, n_sweeps: int = 50
) -> Assignments:
    """Return q(Z) of images at fixed q(mu) and T = 1, by `n_sweeps` sweeps from pi."""
    n_images = len(images.X)
    nu = np.repeat(prior.pi[:, np.newaxis], n_images, axis=1)
    return update_assignments(images, prior, components, nu, np.ones(n_images), workers, n_sweeps)
