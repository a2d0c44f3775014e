"""From the parameters of a `TemperedLDA` to a model in training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _parameters as check
from ._normalizers import PosteriorNormalizer, PriorNormalizer
from ._svi import STREAM_SAMPLES, Settings, Trainer
from ._thermostat import Cooling, GlobalThermostat, LocalThermostat, Thermostat
from ._topics import Topics
from .tempering import inverse_temperature_grid

if TYPE_CHECKING:
    from ._lda import TemperedLDA

TEMPERINGS = ("svi", "avi", "vt", "lvt", "dasvi")
NORMALIZERS = {"prior": None, "prior_lower": "lower", "prior_upper": "upper"}

# Chosen by measurement (benchmarks/defaults.py).
ALPHA, ETA = 0.05, 0.1
PRIOR_RANGE = (1e-5, 1e5)
ANNEALING_SHARE, PROBE_SHARE = 0.4, 0.25
INERTIA_SHARE = {"vt": 0.05, "lvt": 0.15}
DASVI_START = 1.5
OFFSET_SHARE, OFFSET_RANGE = 0.25, (10.0, 1024.0)


def new_trainer(
    lda: TemperedLDA,
    n_features: int,
    expected_samples: float | None,
    planned: int,
    *,
    start: Any = Topics.random,
) -> Trainer:
    """Check all parameters of an estimator and start a model, with topics that `start` makes.

    It is to make `planned` passes over that many documents; None: nobody knows how many.
    """
    tempering = check.choice("tempering", lda.tempering, TEMPERINGS)
    dtype = check.precision(lda.dtype)
    n_components = check.integer("n_components", lda.n_components, 1)
    check.check_size(n_components, n_features, dtype.itemsize)
    alpha = _prior("doc_topic_prior", lda.doc_topic_prior, ALPHA)
    eta = _prior("topic_word_prior", lda.topic_word_prior, ETA)
    batch_size = check.integer("batch_size", lda.batch_size, 1)
    check.integer("max_iter", lda.max_iter, 1)
    if lda.learning_offset is None:
        updates = planned * (expected_samples or STREAM_SAMPLES) / batch_size
        offset = min(max(OFFSET_SHARE * updates, OFFSET_RANGE[0]), OFFSET_RANGE[1])
    else:
        offset = check.number("learning_offset", lda.learning_offset, 1.0)
    settings = Settings(
        expected_samples=expected_samples,
        planned_passes=planned,
        batch_size=batch_size,
        learning_decay=check.number(
            "learning_decay", lda.learning_decay, 0.5, 1.0, boundaries="right"
        ),
        learning_offset=offset,
        mean_change_tol=check.number("mean_change_tol", lda.mean_change_tol, 0.0),
        max_doc_update_iter=check.integer("max_doc_update_iter", lda.max_doc_update_iter, 1),
        tempering=tempering,
        n_temperatures=check.integer("n_temperatures", lda.n_temperatures, 2),
    )
    check.flag("shuffle", lda.shuffle)
    random_state = check.random_state(lda.random_state)
    alphas = np.full(n_components, alpha, dtype=dtype)
    thermostat = _new_thermostat(lda, settings, planned, alphas, eta, n_features, random_state)
    topics = start(n_features, n_components, eta, dtype, random_state)
    return Trainer(topics, alphas, eta, thermostat, settings, random_state)


def _new_thermostat(
    lda: TemperedLDA,
    settings: Settings,
    planned: int,
    alpha: NDArray[Any],
    eta: float,
    n_features: int,
    random_state: np.random.RandomState,
) -> Thermostat:
    tempering = settings.tempering
    updates = check.integer("temperature_updates", lda.temperature_updates, 1)
    grid = inverse_temperature_grid(settings.n_temperatures)
    inertia = INERTIA_SHARE.get(tempering, 0.0) * planned
    if lda.temperature_inertia is not None:
        inertia = check.number("temperature_inertia", lda.temperature_inertia, 0.0)
    normalizer = check.choice("normalizer", lda.normalizer, ("posterior", *NORMALIZERS))
    if normalizer != "posterior" and tempering != "vt":
        raise ValueError(
            f"normalizer={normalizer!r} is for tempering='vt'; with tempering={tempering!r} "
            "it must be 'posterior'"
        )
    cooling = _new_cooling(lda, tempering, planned)
    if tempering == "lvt":
        posterior = PosteriorNormalizer(grid, alpha, eta)
        return LocalThermostat(cooling, updates, inertia, grid, posterior)
    if tempering == "vt":
        either: PosteriorNormalizer | PriorNormalizer
        if normalizer == "posterior":
            either = PosteriorNormalizer(grid, alpha, eta)
        else:
            seed = int(random_state.randint(2**31 - 1))
            bound: Any = NORMALIZERS[normalizer]
            either = PriorNormalizer(grid, alpha, eta, n_features, bound, seed)
        return GlobalThermostat(cooling, updates, inertia, grid, either)
    return Thermostat(cooling, updates)


def _new_cooling(lda: TemperedLDA, tempering: str, planned: int) -> Cooling:
    auto = isinstance(lda.max_temperature, str)
    if auto:
        check.choice("max_temperature", lda.max_temperature, ("auto",))
    named = isinstance(lda.schedule, str)
    if named:
        check.choice("schedule", lda.schedule, ("linear", "exponential"))
    elif not auto:
        raise ValueError(
            "max_temperature must be 'auto' where schedule is a callable, which is the whole "
            f"course; got {lda.max_temperature!r}"
        )
    elif lda.annealing_passes is not None:
        raise ValueError(
            "annealing_passes must be None where schedule is a callable, which is the whole "
            f"course; got {lda.annealing_passes!r}"
        )
    start = None if auto else check.number("max_temperature", lda.max_temperature, 1.0, 1e6)
    if tempering == "dasvi" and auto:
        start = DASVI_START
    length = ANNEALING_SHARE * planned
    if lda.annealing_passes is not None:
        length = check.number("annealing_passes", lda.annealing_passes, 0.0)
    if tempering == "svi":
        return Cooling(1.0, "linear", 0.0, PROBE_SHARE * planned)
    return Cooling(start, lda.schedule, length, PROBE_SHARE * planned)


def _prior(name: str, value: float | None, default: float) -> float:
    return default if value is None else check.number(name, value, *PRIOR_RANGE)
