"""q(Z) of images at fixed q(mu): annealed twice, and the better result of each image."""

from __future__ import annotations

import numpy as np

from ..._core._workers import Workers
from ..._utils._typing import Flags, Floats
from ...tempering import ExponentialSchedule, Schedule
from ...tempering._schedules import LARGEST_TEMPERATURE
from ._images import Images
from ._updates import Assignments, Components, Part, Prior, parts_of

# Sweeps: tempered ones and those at T = 1 of a course, and at T = 1 from the better of two courses.
# Docstrings of `FactorialMixture` name their sum.
_TEMPERED, _SETTLING, _FINAL = 20, 5, 20
# Relative. Of optima that are equal but for rounding, the first is taken, whatever the rounding.
_LEVEL = 1e-9
_MOST_NUMBERS = 2**20  # in the q(Z) of images at a time: bounds the memory


def starting_temperature(prior: Prior, components: Components) -> float:
    """Return a temperature above which q(Z) of any image has a single optimum.

    ``max_k |m_k|^2 / (4 noise_var)``. The Hessian of an image's tempered bound is
    ``-s (G - diag G) / noise_var - diag(1 / (nu (1 - nu)))``, where ``G = m m^T`` has no negative
    eigenvalue and ``nu (1 - nu) <= 1 / 4``: above this temperature the bound is concave. Missing
    pixels make entries of diag G smaller.
    """
    largest = float(np.einsum("kd,kd->k", components.m, components.m).max())
    return min(max(1.0, largest / (4 * prior.noise_var)), LARGEST_TEMPERATURE)


def is_better(bounds: Floats, others: Floats) -> Flags:
    """Return which images have a bound that is above the other one, by more than rounding."""
    return bounds > others + _LEVEL * (1.0 + np.abs(others))


def infer_assignments(
    images: Images, prior: Prior, components: Components, workers: Workers
) -> Assignments:
    """Return q(Z) of images at fixed q(mu) and T = 1.

    There are two courses, from pi. One tempers log p(X_n, Z_n), as training does, so nu is near 1/2
    at first. The other tempers log p(X_n | Z_n) alone, so nu is near pi at first. The two are stuck
    in different images. No random numbers, and no other images, have a part in the result.
    """
    shape = len(prior.pi), len(images.X)
    result = Assignments(np.empty(shape), np.empty(shape[1]), np.empty(shape[1]))
    schedule = ExponentialSchedule(starting_temperature(prior, components), _TEMPERED)
    n_images = max(1, _MOST_NUMBERS // len(prior.pi))
    for part in parts_of(images, prior, components):
        for block in part.blocks(n_images):
            _infer(block, prior, schedule, workers, result)
    return result


def _infer(
    part: Part, prior: Prior, schedule: Schedule, workers: Workers, result: Assignments
) -> None:
    """Set `result` for the images of a part."""
    nu, bounds = _annealed(part, prior, schedule, workers, prior_too=True)
    other, other_bounds = _annealed(part, prior, schedule, workers, prior_too=False)
    better = is_better(other_bounds, bounds)
    nu[:, better] = other[:, better]
    chosen = part.chosen
    result.energies[chosen], result.entropies[chosen] = part.sweep(
        nu, np.ones(len(bounds)), workers, _FINAL
    )
    result.nu[:, chosen] = nu


def _annealed(
    part: Part, prior: Prior, schedule: Schedule, workers: Workers, *, prior_too: bool
) -> tuple[Floats, Floats]:
    """Return nu of a course that ends at T = 1, and the bounds of images."""
    n_images = len(part.constants)
    nu = np.repeat(prior.pi[:, np.newaxis], n_images, axis=1)
    for sweep in range(_TEMPERED):
        temperature = schedule.temperature(sweep)
        shift = 0.0 if prior_too else (temperature - 1.0) * prior.log_odds  # s (T log odds)
        part.sweep(nu, np.full(n_images, 1.0 / temperature), workers, shift=shift)
    energies, entropies = part.sweep(nu, np.ones(n_images), workers, _SETTLING)
    return nu, energies + entropies
