"""Parameters of a `FactorialMixture`, checked and resolved once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from sklearn.utils.extmath import randomized_svd

from ..._utils import _validation as check
from ..._utils._log import Iterations
from ..._utils._typing import Floats
from ...tempering import Schedule, temperature_grid
from ...tempering._modes import COURSE, TemperingSettings, tempering_settings
from ...tempering._schedules import LARGEST_TEMPERATURE
from ._images import Images
from ._updates import Prior

MODES = {
    "avi": COURSE,
    "vt": (*COURSE, "inertia", "n_temperatures"),
    "lvt": ("max_temperature", "n_temperatures"),
}

# Where all components merge, they later split badly; far below, tempering changes nothing.
_SHARE_OF_CRITICAL, _LOWEST_START = 0.2, 2.0
# An image with its own temperature costs an exponential for each value, and 20 are enough.
_N_TEMPERATURES = {"vt": 100, "lvt": 20}
_LOWEST_MAXIMUM = 10.0
# Inertia, in tempered sweeps: without any, T falls to 1 within ten sweeps.
_INERTIA = 0.1
_FINAL = 0.15


@dataclass(frozen=True)
class Config:
    """What a fit needs.

    `temperatures` is the grid of learned temperatures, and `share` that of a sweep in the averaged
    energy. `schedule` is that of annealing, or of the upper bound of a learned temperature. `tol`
    is in nats of all data.
    """

    prior: Prior
    mode: str
    schedule: Schedule | None
    temperatures: Floats | None
    share: float
    max_iter: int
    n_tempered: int
    tol: float
    n_init: int
    random_state: np.random.RandomState
    log: Iterations | None


def config_of(parameters: Mapping[str, Any], images: Images) -> Config:
    """Check and resolve the parameters for data."""
    prior = _prior(parameters, images)
    settings = tempering_settings(parameters["tempering"], MODES, "vi")
    max_iter = check.integer("max_iter", parameters["max_iter"], 1)
    n_tempered = _n_tempered(settings.mode, max_iter, parameters["final_sweeps"])
    temperatures = None
    if settings.mode in _N_TEMPERATURES:
        temperatures = _temperatures(settings, images, prior)
    tol = check.number("tol", parameters["tol"], 0.0)
    n_init = check.integer("n_init", parameters["n_init"], 1)
    verbose = check.verbosity(parameters["verbose"])
    return Config(
        prior=prior,
        mode=settings.mode,
        schedule=_schedule(settings, images, prior, temperatures, n_tempered),
        temperatures=temperatures,
        share=_share(settings.inertia, n_tempered),
        max_iter=max_iter,
        n_tempered=n_tempered,
        tol=tol * len(images.X),
        n_init=n_init,
        random_state=check.random_state(parameters["random_state"]),
        log=Iterations(max_iter, n_init * max_iter, n_init, may_end_early=tol > 0)
        if verbose
        else None,
    )


def _prior(parameters: Mapping[str, Any], images: Images) -> Prior:
    n_components = check.integer("n_components", parameters["n_components"], 1)
    n_images, n_features = images.X.shape
    check.check_size(
        # At the least, of each component: pixels, probabilities in the images and products with
        # the others, each of them before and after, or as a factor or a solver has it.
        lambda n_components, n_samples: 16 * n_components * (n_features + n_samples + n_components),
        n_features,
        n_components=n_components,
        n_samples=n_images,
    )
    pi = check.numbers("pi", parameters["pi"])
    if pi.shape not in ((), (n_components,)):
        raise ValueError(
            f"pi must be a number or {n_components} numbers, one for each component; got "
            f"{parameters['pi']}"
        )
    if not ((pi > 0) & (pi < 1)).all():
        raise ValueError(f"pi must be > 0 and < 1, got {pi}")
    return Prior(
        np.broadcast_to(pi, n_components).copy(),
        check.variance("noise_var", parameters["noise_var"]),
        check.variance("prior_var", parameters["prior_var"]),
    )


def _n_tempered(mode: str, max_iter: int, final_sweeps: Any) -> int:
    """Return the number of tempered sweeps."""
    if mode == "vi":
        if final_sweeps is not None:
            raise ValueError(
                f"final_sweeps must be None without tempering, where T = 1; got {final_sweeps!r}"
            )
        return 0
    if final_sweeps is None:
        return max_iter - max(1, round(_FINAL * max_iter))
    n_tempered = max_iter - check.integer("final_sweeps", final_sweeps, 0)
    if n_tempered < 1:
        raise ValueError(
            f"final_sweeps must be < max_iter={max_iter}, or no sweep is tempered; "
            f"got {final_sweeps!r}"
        )
    return n_tempered


def _schedule(
    settings: TemperingSettings,
    images: Images,
    prior: Prior,
    temperatures: Floats | None,
    n_tempered: int,
) -> Schedule | None:
    start = 1.0
    if settings.mode == "avi":
        if not settings.is_whole_course and settings.max_temperature is None:
            start = _start(images, prior)
    elif temperatures is None or (settings.schedule is None and settings.length is None):
        return None
    else:
        start = float(temperatures.max())
    return settings.course("exponential", start, n_tempered)


def _start(images: Images, prior: Prior) -> float:
    critical = critical_temperature(images, prior.noise_var)
    return min(max(_LOWEST_START, _SHARE_OF_CRITICAL * critical), LARGEST_TEMPERATURE)


def _temperatures(settings: TemperingSettings, images: Images, prior: Prior) -> Floats:
    hottest, size = settings.max_temperature, settings.n_temperatures
    if hottest is None and settings.mode == "vt":
        hottest = _start(images, prior)
    elif hottest is None:
        hottest = max(_LOWEST_MAXIMUM, 2 * images.pixel_variance() / prior.noise_var)
        hottest = min(hottest, LARGEST_TEMPERATURE)
    elif hottest <= 1.0:
        raise ValueError(
            f"max_temperature must be > 1 where temperatures are learned, got {hottest!r}; "
            "tempering=None is T = 1 throughout"
        )
    return temperature_grid(size or _N_TEMPERATURES[settings.mode], hottest)


def _share(inertia: float | None, n_tempered: int) -> float:
    """Return the share of a sweep in the averaged energy; without tempered sweeps it is unused."""
    if inertia is None:
        inertia = _INERTIA * n_tempered
    return 1.0 - exp(-1.0 / inertia) if inertia > 0 else 1.0


def critical_temperature(images: Images, noise_var: float) -> float:
    """Return about where all components merge into one, ``lambda_max(Cov X) / noise_var``.

    From the linear stability of the state in which all components are the same. A missing pixel
    counts as its mean.
    """
    shown = images.pixel_masks[images.pixel_pattern].T
    centered = np.where(
        shown, images.X - images.X.sum(axis=0) / np.maximum(shown.sum(axis=0), 1), 0
    )
    (largest,) = randomized_svd(centered, 1, random_state=0)[1]
    return float(largest**2) / len(centered) / noise_var
