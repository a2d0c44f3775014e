"""Parameters of the truncated models, checked and resolved once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.random import RandomState

from ..._utils import _validation as check
from ..._utils._log import Iterations
from ..._utils._typing import Floats, Reals
from ...tempering import Schedule
from ...tempering._modes import ANNEALING, tempering_settings
from ._e_step import Inference, SamplerSchedule, Samples
from ._memory import belief_network_bytes, sparse_coding_bytes

# Priors of units stay inside: a unit that is never or always on could not come back.
LOWEST_PI = 1e-4

# Of sigma, as a share of the mean square of the data: with an exact fit, sigma would otherwise run
# to 0, and log-joints, which are sums of squares over the variance, would lose all digits.
LOWEST_VARIANCE = {"float64": 1e-9, "float32": 1e-6}

# Chosen with benchmarks/factorial/annealing.py: hotter schedules find fewer bars.
_MAX_TEMPERATURE, _LENGTH = 3.0, 0.3

MARGINALS = ("truncated", "mlp", "both")
_MLP_HIDDEN = 50

# After this share of the iterations only the best start continues: by then a start has found its
# optimum.
_TRIAL = 0.2

# States drawn for a datum: far larger numbers would overflow where a kernel reserves memory.
_MOST_DRAWN = 10**9


@dataclass(frozen=True)
class Config:
    """What both models need."""

    n_components: int
    inference: Inference
    samplers: SamplerSchedule
    schedule: Schedule
    max_iter: int
    pi: float
    random_state: RandomState
    log: Iterations | None

    def draw_seed(self) -> int:
        """Seed of the kernels."""
        return int(self.random_state.randint(2**63, dtype=np.int64))


@dataclass(frozen=True)
class SparseCodingConfig(Config):
    """Parameters of `BinarySparseCoding`."""

    learn_components: bool
    learn_sigma: bool
    learn_pi: bool
    components: Floats | None
    sigma: float


@dataclass(frozen=True)
class BeliefNetworkConfig(Config):
    """Parameters of `SigmoidBeliefNetwork`; `mlp_hidden` is 0 where there is no network."""

    mlp_hidden: int
    n_gradient_steps: int
    learning_rate: float
    batch_size: int
    is_batched: bool
    bias: float
    n_init: int

    @property
    def n_trial(self) -> int:
        """Iterations of each start before the best is chosen."""
        return _n_trial(self.max_iter, self.n_init)


def inference_of(parameters: Mapping[str, Any]) -> Inference:
    """Check the parameters of inference."""
    takes_turns = parameters.get("marginal") == "both"
    return Inference(
        check.integer("n_states", parameters["n_states"], 1),
        Samples(
            check.integer("n_prior_samples", parameters["n_prior_samples"], 0, _MOST_DRAWN),
            check.integer("n_marginal_samples", parameters["n_marginal_samples"], 0, _MOST_DRAWN),
        ),
        check.integer("n_inference_iter", parameters["n_inference_iter"], 1),
        takes_turns,
    )


def sparse_coding_config(parameters: Mapping[str, Any], Y: Reals) -> SparseCodingConfig:
    """Check and resolve the parameters of `BinarySparseCoding` for data."""
    shared = _shared(parameters)
    _check_size(partial(sparse_coding_bytes, Y.shape[1], Y.itemsize), shared, Y)
    if parameters["sigma_init"] is None:
        sigma = max(float(Y.std(axis=0).mean()), _lowest_sigma(Y)) or 1.0
    else:
        sigma = check.number("sigma_init", parameters["sigma_init"], 1e-100, 1e100)
    components, shape = parameters["components_init"], (shared["n_components"], Y.shape[1])
    if components is not None:
        # A copy, which is changed.
        components = check.table("components_init", components, [shape], -1e100, 1e100).copy("C")
    return SparseCodingConfig(
        **shared,
        learn_components=check.flag("learn_components", parameters["learn_components"]),
        learn_sigma=check.flag("learn_sigma", parameters["learn_sigma"]),
        learn_pi=check.flag("learn_pi", parameters["learn_pi"]),
        components=components,
        sigma=sigma,
    )


def _check_size(bytes_of: Callable[..., int], shared: Mapping[str, Any], Y: Reals) -> None:
    check.check_size(
        bytes_of,
        Y.shape[1],
        n_components=shared["n_components"],
        n_states=shared["inference"].n_states,
        n_samples=len(Y),
    )


def _lowest_sigma(Y: Reals) -> float:
    """Return the smallest sigma at which log-joints keep some digits."""
    mean_square = float(np.einsum("nd,nd->", Y, Y, dtype=np.float64)) / Y.size
    return math.sqrt(LOWEST_VARIANCE[Y.dtype.name] * mean_square)


def belief_network_config(parameters: Mapping[str, Any], Y: Reals) -> BeliefNetworkConfig:
    """Check and resolve the parameters of `SigmoidBeliefNetwork` for data."""
    mlp_hidden = 0
    marginal = check.choice("marginal", parameters["marginal"], MARGINALS)
    if marginal != "truncated":
        mlp_hidden = _MLP_HIDDEN
        if parameters["mlp_hidden"] is not None:
            mlp_hidden = check.integer("mlp_hidden", parameters["mlp_hidden"], 1)
    elif parameters["mlp_hidden"] is not None:
        raise ValueError(
            f"mlp_hidden must be None where marginal='truncated'; got {parameters['mlp_hidden']!r}"
        )
    batch_size = None
    if parameters["batch_size"] is not None:
        batch_size = min(check.integer("batch_size", parameters["batch_size"], 1), len(Y))
    n_init = check.integer("n_init", parameters["n_init"], 1)
    shared = _shared(parameters, n_init)
    _check_size(partial(belief_network_bytes, Y.shape[1], batch_size, n_init), shared, Y)
    return BeliefNetworkConfig(
        **shared,
        mlp_hidden=mlp_hidden,
        n_gradient_steps=check.integer("n_gradient_steps", parameters["n_gradient_steps"], 1),
        learning_rate=check.number(
            "learning_rate", parameters["learning_rate"], 0.0, boundaries="neither"
        ),
        batch_size=batch_size or len(Y),
        is_batched=batch_size is not None,
        bias=check.number("bias_init", parameters["bias_init"], -1e6),
        n_init=n_init,
    )


def _n_trial(max_iter: int, n_init: int) -> int:
    return max_iter if n_init == 1 else math.ceil(_TRIAL * max_iter)


def _shared(parameters: Mapping[str, Any], n_init: int = 1) -> dict[str, Any]:
    """Fields of `Config`."""
    n_components = check.integer("n_components", parameters["n_components"], 1)
    max_iter = check.integer("max_iter", parameters["max_iter"], 1)
    inference = inference_of(parameters)
    pi = min(max(1.0 / n_components, LOWEST_PI), 0.5)
    if parameters["pi_init"] is not None:
        pi = check.number("pi_init", parameters["pi_init"], LOWEST_PI, 1 - LOWEST_PI)
    log = None
    if check.verbosity(parameters["verbose"]):
        of_all_starts = max_iter + (n_init - 1) * _n_trial(max_iter, n_init)
        log = Iterations(max_iter, of_all_starts, n_init, may_end_early=False)
    return {
        "n_components": n_components,
        "inference": inference,
        "samplers": _samplers(inference.samples, parameters["sampler_schedule"]),
        "schedule": _schedule(parameters["tempering"], max_iter),
        "max_iter": max_iter,
        "pi": pi,
        "random_state": check.random_state(parameters["random_state"]),
        "log": log,
    }


def _samplers(last: Samples, pair: Any) -> SamplerSchedule:
    if pair is None:
        return SamplerSchedule(last, 0, 0)
    is_list = isinstance(pair, tuple | list | np.ndarray) and check.has_entries(pair)
    if not is_list or len(pair) != 2:
        raise TypeError(
            f"sampler_schedule must be None or a pair of iterations (hold, end), got {pair!r}"
        )
    if last.n_marginal == 0:
        raise ValueError("sampler_schedule must be None where n_marginal_samples is 0")
    hold = check.integer("sampler_schedule[0]", pair[0], 0)
    return SamplerSchedule(last, hold, check.integer("sampler_schedule[1]", pair[1], hold))


def _schedule(tempering: Any, max_iter: int) -> Schedule:
    settings = tempering_settings(tempering, ANNEALING, "vi")
    # Rounded down, so that a very short fit is at T = 1.
    return settings.course("linear", _MAX_TEMPERATURE, float(int(_LENGTH * max_iter)))
