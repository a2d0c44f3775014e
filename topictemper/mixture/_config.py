"""Parameters of a `DPGaussianMixture`, checked and resolved once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.random import RandomState

from .._utils import _validation as check
from .._utils._log import Iterations
from .._utils._typing import Floats
from ..tempering import Schedule
from ..tempering._modes import ANNEALING, Annealing, tempering_settings
from ._normal_wishart import NormalWishart
from ._priors import LARGEST, LOWEST, prior_of, start_of

# Rescues collapsed starts about as well as hotter and longer schedules do.
_MAX_TEMPERATURE, _LENGTH = 2.0, 50.0

_NO_LEARNED_TEMPERATURE = (
    "tempering={!r} is not defined for a mixture with unknown precisions: the normalizer C(T) "
    "contains the prior mean of |precision|^(-N (1 - 1/T) / 2), which is infinite unless the prior "
    "has more than about N (1 - 1/T) degrees of freedom. Use tempering='avi', where T follows a "
    "schedule, or 'vi'"
)


@dataclass(frozen=True)
class Config:
    """What a fit needs."""

    prior: NormalWishart
    concentration: float
    last_is_one: bool
    sort_components: bool
    schedule: Schedule
    n_components: int
    init: str | Floats
    n_init: int
    max_iter: int
    tol: float
    random_state: RandomState
    log: Iterations | None


def config_of(parameters: Mapping[str, Any], X: Floats) -> Config:
    """Check and resolve the parameters for data; `tol` becomes nats of all data."""
    n_components = check.integer("n_components", parameters["n_components"], 1)
    full = (
        check.choice("covariance_type", parameters["covariance_type"], ("diag", "full")) == "full"
    )
    covariance = X.shape[1] ** (2 if full else 1)
    check.check_size(
        # At the least, of each component: its covariance and its scale, and of each row its
        # probability before, its distance, and one more number while that is worked out.
        lambda n_components, n_samples: (
            X.itemsize * n_components * (3 * n_samples + 2 * covariance)
        ),
        X.shape[1],
        n_components=n_components,
        n_samples=len(X),
    )
    init = start_of(parameters["init_params"], (len(X), n_components))
    n_init = check.integer("n_init", parameters["n_init"], 1)
    if n_init > 1 and not isinstance(init, str):
        raise ValueError("n_init must be 1 where init_params gives the start")
    last_stick = check.choice("last_stick", parameters["last_stick"], ("one", "beta"))
    max_iter = check.integer("max_iter", parameters["max_iter"], 1)
    tol = check.number("tol", parameters["tol"], 0.0)
    verbose = check.verbosity(parameters["verbose"])
    return Config(
        prior=prior_of(X, full, parameters),
        concentration=check.number("concentration", parameters["concentration"], LOWEST, LARGEST),
        last_is_one=last_stick == "one",
        sort_components=check.flag("sort_components", parameters["sort_components"]),
        schedule=_schedule(parameters["tempering"]),
        n_components=n_components,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol * len(X),
        random_state=check.random_state(parameters["random_state"]),
        log=Iterations(max_iter, n_init * max_iter, n_init, may_end_early=tol > 0)
        if verbose
        else None,
    )


def _schedule(tempering: Any) -> Schedule:
    mode = tempering.mode if isinstance(tempering, Annealing) else tempering
    if isinstance(mode, str) and mode in ("vt", "lvt"):
        raise ValueError(_NO_LEARNED_TEMPERATURE.format(tempering))
    settings = tempering_settings(tempering, ANNEALING, "vi")
    return settings.course("linear", _MAX_TEMPERATURE, _LENGTH)
