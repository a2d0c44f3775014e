"""From the parameters of a `FactorialMixture` to a prior and a thermostat."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.extmath import randomized_svd

from ..._utils import _validation as check
from ..._utils._typing import Floats
from ...tempering import (
    ConstantSchedule,
    ExponentialSchedule,
    Schedule,
    as_schedule,
    temperature_grid,
)
from ._images import Images
from ._thermostat import AnnealingThermostat, GlobalThermostat, LocalThermostat, Thermostat
from ._updates import Prior

if TYPE_CHECKING:
    from ._estimator import FactorialMixture

TEMPERINGS = ("vi", "avi", "vt", "lvt")

# With more components than these, a start that melts them all makes them split badly later.
_FEW_COMPONENTS = 10
_MILD_START = 2.0
# Locally, every temperature costs an exponential an image, and 20 do as well as 100.
_N_TEMPERATURES = {"vt": 100, "lvt": 20}
_T_MAX, _HOTTEST = 10.0, 1e6


def new_prior(model: FactorialMixture, n_features: int) -> Prior:
    """Check the parameters of the model."""
    n_components = check.integer("n_components", model.n_components, 1)
    check.check_size(n_components, n_features, 8)
    pi = np.asarray(model.pi)
    if pi.dtype.kind not in "fiu" or pi.shape not in ((), (n_components,)):
        raise ValueError(
            f"pi must be a number or {n_components} numbers, one for each component; "
            f"got {model.pi!r}"
        )
    if not ((pi > 0) & (pi < 1)).all():
        raise ValueError(f"pi must be > 0 and < 1, got {model.pi!r}")
    return Prior(
        np.broadcast_to(pi, n_components).astype(float),
        check.number("noise_var", model.noise_var, 0.0, boundaries="neither"),
        check.number("prior_var", model.prior_var, 0.0, boundaries="neither"),
    )


def new_thermostat(
    model: FactorialMixture, images: Images, prior: Prior, n_tempered: int
) -> tuple[Floats | None, Callable[[], Thermostat]]:
    """Return the temperatures that can be learned, if any, and how to make a fresh thermostat."""
    tempering = check.choice("tempering", model.tempering, TEMPERINGS)
    step = check.number("temperature_step", model.temperature_step, 0.0, 1.0, boundaries="right")
    if model.schedule is not None and tempering != "avi":
        raise ValueError(
            f"schedule is for tempering='avi'; with tempering={tempering!r} it must be None"
        )
    if tempering in ("vi", "avi"):
        if model.temperatures is not None:
            raise ValueError(
                "temperatures are for tempering='vt' and 'lvt'; "
                f"with tempering={tempering!r} they must be None"
            )
        schedule = _schedule(model, images, prior, n_tempered)
        return None, partial(AnnealingThermostat, schedule, images, prior)
    temperatures = _temperatures(model, images, prior)
    if tempering == "lvt":
        return temperatures, partial(LocalThermostat, temperatures, images, prior)
    return temperatures, partial(GlobalThermostat, temperatures, step, images, prior)


def _schedule(model: FactorialMixture, images: Images, prior: Prior, n_tempered: int) -> Schedule:
    if model.tempering == "vi":
        return ConstantSchedule(1.0)
    if model.schedule is not None:
        if isinstance(model.schedule, str):
            raise TypeError(
                "schedule must be a schedule of topictemper.tempering or a callable, "
                f"got {model.schedule!r}"
            )
        return as_schedule(model.schedule, 1.0, 0.0)
    start = _MILD_START
    if len(prior.pi) <= _FEW_COMPONENTS:
        start = min(max(start, 1.2 * critical_temperature(images, prior.noise_var)), _HOTTEST)
    return ExponentialSchedule(start, n_tempered)


def _temperatures(model: FactorialMixture, images: Images, prior: Prior) -> Floats:
    if model.temperatures is None:
        hottest = max(_T_MAX, 2 * images.pixel_variance() / prior.noise_var)
        return temperature_grid(_N_TEMPERATURES[model.tempering], min(hottest, _HOTTEST))
    temperatures = np.asarray(model.temperatures)
    if temperatures.ndim != 1 or temperatures.size == 0 or temperatures.dtype.kind not in "fiu":
        raise ValueError(f"temperatures must be a list of numbers >= 1, got {model.temperatures!r}")
    if not (np.isfinite(temperatures) & (temperatures >= 1)).all():
        raise ValueError(f"temperatures must be finite and >= 1, got {model.temperatures!r}")
    return temperatures.astype(float)


def critical_temperature(images: Images, noise_var: float) -> float:
    """Return about where all components melt into one, ``lambda_max(Cov X) / noise_var``.

    From the linear stability of the state in which they are all the same. A missing pixel counts
    as its mean.
    """
    shown = images.pixel_masks[images.pixel_pattern].T
    centred = np.where(shown, images.X - images.X.sum(axis=0) / np.maximum(shown.sum(axis=0), 1), 0)
    (largest,) = randomized_svd(centred, 1, random_state=0)[1]
    return float(largest**2) / len(centred) / noise_var
