"""From a `Config` to a model in training: a new one, or one from a file."""

from __future__ import annotations

from copy import copy, deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils import _validation as check
from .._utils._chunks import mean_length
from .._utils._state import StateError, Tree, within
from ..tempering import GlobalTemperature, LocalTemperature, inverse_temperature_grid
from ..tempering._control import TemperatureControl
from . import _defaults as default
from ._config import Config
from ._normalizers import N_NODES, PosteriorNormalizer, PriorNormalizer
from ._plan import Plan, planned_passes
from ._posterior_tempering import LikelihoodTempering, PosteriorTempering
from ._state_checks import check_trainer
from ._topics import Eta, Topics
from ._training import Trainer

_BOUNDS: dict[str | None, Any] = {"prior": None, "prior_lower": "lower", "prior_upper": "upper"}
# The default prior is smaller with very many topics, and a learned one than that; that of seed
# words grows with the corpus.
_FIRST_PRIOR_RANGE = (1e-8, 1e16)


class Restored(NamedTuple):
    """What a model from a file began with; the rest of its state comes later."""

    alpha: NDArray[Any]
    eta: Eta
    given_topics: bool


def plan_of_corpus(config: Config, X: Any, rows: Any, sample_weight: Any) -> Plan:
    """Plan a fit to some rows of X, or to all of its chunks."""
    n_rows = float(X.shape[0] if rows is None else len(rows))
    n_documents = n_rows if sample_weight is None else float(sample_weight[rows].sum())
    length = mean_length(X, rows, sample_weight)
    passes = planned_passes(config, n_documents, length)
    return Plan.of(config, n_documents, passes, n_rows, length)


def new_trainer(
    config: Config,
    plan: Plan,
    *,
    n_given: float | None = None,
    previous: Trainer | None = None,
    restored: Restored | None = None,
) -> Trainer:
    """Start a model, from a previous one if given. Of a stream `n_given` documents are there.

    Raises
    ------
    ValueError
        If a minibatch of so many topics takes more memory than there is.
    """
    n_first = plan.n_rows if n_given is None else n_given
    if n_first and restored is None:
        copies = 2 if config.init is None and previous is None else 1
        _check_first_step(config, plan, int(n_first), copies)
    alpha, eta, start = config.alpha.value, config.eta.value, config.init
    if previous is not None:
        alpha, eta, start = _going_on(config, previous)
    given_topics = start is not None
    random_state = check.random_state(config.random_state)
    if restored is not None:
        alpha, eta, given_topics = restored
        # The numbers of a file take the place of those that are drawn, perhaps of all of NumPy's.
        random_state = deepcopy(random_state)
    control, normalizer = _temperature(
        config, plan, alpha, eta, random_state, given_topics=given_topics
    )
    if restored is not None:
        # Zeros, which need no memory yet: the topics of the file take their place.
        topics = Topics(np.zeros((config.n_features, config.n_components), config.dtype), eta)
    elif start is not None:
        topics = Topics.start_from(start, eta, config.dtype)
    else:
        topics = Topics.random(
            config.n_features, config.n_components, eta, config.dtype, random_state
        )
    topics.point = config.point
    is_posterior = config.tempering.mode == "dasvi"
    trainer = Trainer(
        config,
        plan,
        topics,
        alpha,
        eta,
        control,
        normalizer,
        PosteriorTempering() if is_posterior else LikelihoodTempering(),
        random_state,
        given_topics=given_topics,
    )
    if previous is not None and config.alpha_is_default and previous.config.alpha_is_default:
        trainer.prior_scale.set_state(previous.prior_scale.get_state())
    return trainer


def _check_first_step(config: Config, plan: Plan, n_documents: int, copies: int) -> None:
    """Refuse a first step that does not fit into memory; `Config.of` has counted the topics alone.

    At the least there are so many copies of the topics, of which a random start has one without
    its documents; of each topic, where temperatures are learned, a number for every node; and of
    each document gamma, and the weights and numbers of its topics, which are all at first. The
    rows of words are left out, because nobody knows how many there are.
    """
    itemsize, size, tempering = config.dtype.itemsize, "n_samples", config.tempering
    learns = tempering.mode in ("vt", "lvt") and tempering.normalizer not in _BOUNDS
    of_topic = itemsize * (copies * config.n_features + (N_NODES if learns else 0))
    of_document = 2 * itemsize + np.dtype(np.int32).itemsize
    if not config.whole and plan.batch_size < n_documents:
        n_documents, size = plan.batch_size, "batch_size"
    check.check_size(
        lambda n_components, **documents: n_components * (of_topic + of_document * documents[size]),
        config.n_features,
        n_components=config.n_components,
        **{size: n_documents},
    )


def _going_on(config: Config, previous: Trainer) -> tuple[NDArray[Any], Eta, NDArray[Any]]:
    """Alpha, eta and the topics of a warm start: what was learned goes on, not what was given."""
    start = previous.predictive_topics.components()
    if start.shape != (config.n_components, config.n_features):
        raise ValueError(
            f"warm_start=True goes on from topics of shape {start.shape}, but n_components and "
            f"the columns of X are {(config.n_components, config.n_features)} now; fit with "
            "warm_start=False"
        )
    alpha, eta, was = config.alpha.value, config.eta.value, previous.config
    if _learns_alpha(config) and _learns_alpha(was):
        alpha = previous.alpha.astype(config.dtype)
    if _learns_eta(config) and _learns_eta(was) and isinstance(previous.eta, float):
        eta = previous.eta
    return alpha, eta, start


def _learns_alpha(config: Config) -> bool:
    return config.alpha.learned or config.alpha_is_default


def _learns_eta(config: Config) -> bool:
    return config.eta.learned or config.predicts_eta


def _temperature(
    config: Config,
    plan: Plan,
    alpha: NDArray[Any],
    eta: Eta,
    random_state: np.random.RandomState,
    *,
    given_topics: bool,
) -> tuple[TemperatureControl, PosteriorNormalizer | PriorNormalizer | None]:
    """The control of the temperature, and the normalizer of a learned one."""
    tempering = config.tempering
    course = plan.course(config, given_topics=given_topics)
    updates = tempering.updates or default.UPDATES
    if tempering.mode not in ("vt", "lvt"):
        return TemperatureControl(course, updates=updates), None
    grid = inverse_temperature_grid(tempering.n_temperatures or default.N_TEMPERATURES)
    normalizer: PosteriorNormalizer | PriorNormalizer
    posterior: GlobalTemperature | LocalTemperature
    if tempering.mode == "lvt":
        posterior = LocalTemperature(grid)
        normalizer = PosteriorNormalizer(grid, alpha, eta, 1.0 / updates)
    else:
        posterior = GlobalTemperature(1.0 / grid[::-1], None)
        if tempering.normalizer in _BOUNDS:
            seed = int(random_state.randint(2**31 - 1))
            bound = _BOUNDS[tempering.normalizer]
            normalizer = PriorNormalizer(grid, alpha, eta, config.n_features, bound, seed)
        else:
            normalizer = PosteriorNormalizer(grid, alpha, eta)
    inertia = plan.inertia(tempering)
    return TemperatureControl(course, posterior, updates=updates, inertia=inertia), normalizer


def trainer_tree(trainer: Trainer) -> Tree:
    """Return what `restored_trainer` makes a model from."""
    return {
        "expected_samples": trainer.plan.expected_samples,
        "planned_passes": trainer.plan.planned_passes,
        "n_rows": trainer.plan.n_rows,
        "length": trainer.plan.length,
        "given_topics": trainer.given_topics,
        "first_alpha": trainer.first_alpha,
        "first_eta": trainer.first_eta,
        "trainer": trainer.get_state(),
    }


def check_topics(tree: Tree, n_features: int, n_components: Any) -> None:
    """Refuse a tree without topics of that size, before anything is made that has it."""
    with within("trainer"):
        shape, M = (n_features, n_components), tree["trainer"]["topics"]["M"]
        if not isinstance(M, np.ndarray) or M.shape != shape:
            raise StateError("topics/M", f"must be an array of shape {shape}")


def restored_trainer(config: Config, tree: Tree) -> Trainer:
    """Make the model of a tree again, for an estimator with the same parameters."""
    expected, state = tree["expected_samples"], tree["trainer"]
    with within("expected_samples"):
        if expected is not None:
            expected = check.number("expected_samples", expected, 1e-18, 1e18)
    with within("planned_passes"):
        # More than `max_iter` may be: on Dask, the passes over the sample are among them.
        planned = check.integer("planned_passes", tree["planned_passes"], 1, 2**64)
    with within("n_rows"):
        n_rows = check.number("n_rows", tree["n_rows"], 1e-18, 1e18)
    with within("length"):
        length = tree["length"]
        if length is not None:
            length = check.number("length", length, 0.0, 1e18)
    with within("given_topics"):
        given_topics = check.flag("given_topics", tree["given_topics"])
    shape = (config.n_features, config.n_components)
    with within("trainer"):
        if state["topics"]["M"].dtype != config.dtype:
            raise StateError("topics/M", f"must be an array of {config.dtype}")
    with within("first_alpha"):
        alpha = _first_prior(tree["first_alpha"], config.dtype, [shape[1:]])
    with within("first_eta"):
        eta = tree["first_eta"]
        if isinstance(eta, np.ndarray):
            eta = _first_prior(eta, config.dtype, [(config.n_features, 1), shape])
        else:
            eta = check.number("first_eta", eta, *_FIRST_PRIOR_RANGE)
    restored = Restored(alpha, eta, given_topics)
    with within("parameters"):
        plan = Plan.of(config, expected, planned, n_rows, length)
        trainer = new_trainer(config, plan, restored=restored)
    with within("trainer"):
        if state["average"]["topics"] is not None:
            trainer.average.topics = copy(trainer.topics)
        trainer.set_state(state)
        check_trainer(trainer.get_state())
    return trainer


def _first_prior(prior: Any, dtype: np.dtype[Any], shapes: list[tuple[int, ...]]) -> NDArray[Any]:
    if not isinstance(prior, np.ndarray) or prior.dtype != dtype:
        raise ValueError(f"must be an array of {dtype}")
    return check.table("it", prior, shapes, *_FIRST_PRIOR_RANGE).astype(dtype)
