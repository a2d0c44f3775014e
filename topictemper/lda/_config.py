"""From the parameters of a `TemperedLDA` to a model in training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils import _counts
from .._utils import _validation as check
from .._utils._state import StateError, Tree, within
from ..tempering import inverse_temperature_grid
from ._normalizers import Eta, PosteriorNormalizer, PriorNormalizer
from ._prior_scale import PriorScale
from ._priors import PriorLearner
from ._sound import check_trainer
from ._thermostat import Cooling, GlobalThermostat, LocalThermostat, Thermostat
from ._topics import Topics
from ._training import STREAM_SAMPLES, Settings, Trainer

if TYPE_CHECKING:
    from ._estimator import TemperedLDA

TEMPERINGS = ("svi", "avi", "vt", "lvt", "dasvi")
NORMALIZERS = {"prior": None, "prior_lower": "lower", "prior_upper": "upper"}

# Chosen by measurement (benchmarks/defaults.py).
# Of alpha: the sum over topics, and the largest. A document of 100 words has no use for more.
ALPHA_SUM, ALPHA_MOST, ETA = 3.0, 0.1, {"mean": 0.05, "dirichlet": 0.1}
PRIOR_RANGE = (1e-5, 1e5)
# The default one is smaller with very many topics, and a learned one than that.
FIRST_PRIOR_RANGE = (1e-8, 1e6)
# Of the arrays with an entry for each document and temperature.
MOST_TEMPERATURES = 10_000
# Learned alpha over the default one. Chosen by measurement (benchmarks/priors.py).
ALPHA_FLOOR = 0.5
ANNEALING_SHARE, PROBE_SHARE = 0.4, 0.25
INERTIA_SHARE = {"vt": 0.05, "lvt": 0.15}
DASVI_START = 1.5
OFFSET_SHARE, OFFSET_RANGE = 0.25, (10.0, 1024.0)
# Documents to see in a fit, by passes in a range, and minibatches in one pass for each of them.
SEEN, PASSES_RANGE, STEPS = 500_000.0, (3.0, 10.0), 30.0
BATCH_RANGE = 64.0, 2048.0


class Restored(NamedTuple):
    """What a model from a file began with; the rest of its state comes later."""

    alpha: NDArray[Any]
    eta: Eta
    given_topics: bool


def new_trainer(
    lda: TemperedLDA,
    n_features: int,
    expected_samples: float | None,
    planned: int,
    *,
    previous: Trainer | None = None,
    restored: Restored | None = None,
) -> Trainer:
    """Check all parameters of an estimator and start a model, from a previous one if given.

    It is to make `planned` passes over that many documents; None: nobody knows how many.
    """
    tempering = check.choice("tempering", lda.tempering, TEMPERINGS)
    dtype = check.precision(lda.dtype)
    n_components = check.integer("n_components", lda.n_components, 1)
    check.check_size(n_components, n_features, dtype.itemsize)
    alpha = _alpha(lda.doc_topic_prior, n_components, dtype)
    estimate = check.choice("topic_estimate", lda.topic_estimate, tuple(ETA))
    eta = _eta(lda.topic_word_prior, ETA[estimate], n_components, n_features, dtype)
    start = _components(lda.components_init, n_components, n_features)
    learned = PriorLearner(
        _is_auto(lda.doc_topic_prior),
        _is_auto(lda.topic_word_prior),
        ALPHA_FLOOR * _default_alpha(n_components),
        ETA[estimate],
    )
    scale = PriorScale(lda.doc_topic_prior is None)
    if previous is not None:
        start = previous.topics.components()
        if start.shape != (n_components, n_features):
            raise ValueError(
                f"warm_start=True goes on from topics of shape {start.shape}, but n_components "
                f"and the columns of X are {(n_components, n_features)} now; fit with "
                "warm_start=False"
            )
        if learned.of_alpha:
            alpha = previous.alpha.astype(dtype)
        if learned.of_eta and isinstance(previous.eta, float):
            eta = previous.eta
        if lda.doc_topic_prior is None:
            scale.set_state(previous.prior_scale.get_state())
    given_topics = start is not None
    if restored is not None:
        alpha, eta, given_topics = restored
    if lda.batch_size is None:
        documents = expected_samples or STREAM_SAMPLES
        size = documents / (STEPS * _usual_passes(documents))
        batch_size = round(min(max(size, BATCH_RANGE[0]), BATCH_RANGE[1]))
    else:
        batch_size = check.integer("batch_size", lda.batch_size, 1)
    if lda.learning_offset is None:
        updates = planned * (expected_samples or STREAM_SAMPLES) / batch_size
        offset = min(max(OFFSET_SHARE * updates, OFFSET_RANGE[0]), OFFSET_RANGE[1])
    else:
        offset = check.number("learning_offset", lda.learning_offset, 1.0)
    settings = Settings(
        expected_samples=expected_samples,
        planned_passes=planned,
        given_topics=given_topics,
        batch_size=batch_size,
        learning_decay=check.number(
            "learning_decay", lda.learning_decay, 0.5, 1.0, boundaries="right"
        ),
        learning_offset=offset,
        mean_change_tol=check.number("mean_change_tol", lda.mean_change_tol, 0.0),
        max_doc_update_iter=check.integer("max_doc_update_iter", lda.max_doc_update_iter, 1, 10**6),
        tempering=tempering,
        n_temperatures=check.integer("n_temperatures", lda.n_temperatures, 2, MOST_TEMPERATURES),
        sampling=_samples(lda),
    )
    check.flag("shuffle", lda.shuffle)
    check.flag("warm_start", lda.warm_start)
    check.choice("learning_method", lda.learning_method, ("online", "batch"))
    if lda.max_iter is not None:
        check.integer("max_iter", lda.max_iter, 1)
    check.number("tol", lda.tol, 0.0)
    random_state = check.random_state(lda.random_state)
    cooling = _new_cooling(lda, tempering, planned, melt=not given_topics)
    thermostat = _new_thermostat(
        lda, settings, planned, cooling, alpha, eta, n_features, random_state
    )
    if restored is not None:
        topics = Topics.blank(n_features, n_components, eta, dtype)
    elif start is not None:
        topics = Topics.start_from(start, eta, dtype)
    else:
        topics = Topics.random(n_features, n_components, eta, dtype, random_state)
    topics.point = estimate == "mean"
    return Trainer(topics, alpha, eta, thermostat, learned, scale, settings, random_state)


def restored_trainer(lda: TemperedLDA, n_features: int, tree: Tree) -> Trainer:
    """Make the model again that an estimator with the same parameters has written to a file."""
    dtype = check.precision(lda.dtype)
    expected, state = tree["expected_samples"], tree["trainer"]
    with within("expected_samples"):
        if expected is not None:
            expected = check.number("expected_samples", expected, 1e-18, 1e18)
    with within("planned_passes"):
        planned = check.integer("planned_passes", tree["planned_passes"], 1, 2**53)
    with within("given_topics"):
        given_topics = check.flag("given_topics", tree["given_topics"])
    shape = (n_features, lda.n_components)
    with within("trainer"):
        M = state["topics"]["M"]
        # Before anything is made of that size.
        if M.dtype != dtype or M.shape != shape:
            raise StateError("topics/M", f"must be an array of {dtype} of shape {shape}")
    with within("first_alpha"):
        alpha = _first_prior(tree["first_alpha"], dtype, [shape[1:]])
    with within("first_eta"):
        eta = tree["first_eta"]
        if isinstance(eta, np.ndarray):
            eta = _first_prior(eta, dtype, [(n_features, 1), shape])
        else:
            eta = check.number("first_eta", eta, *FIRST_PRIOR_RANGE)
    restored = Restored(alpha, eta, given_topics)
    with within("parameters"):
        trainer = new_trainer(lda, n_features, expected, planned, restored=restored)
    with within("trainer"):
        trainer.set_state(state)
        check_trainer(trainer.get_state())
    return trainer


def _first_prior(prior: Any, dtype: np.dtype[Any], shapes: list[tuple[int, ...]]) -> NDArray[Any]:
    if not isinstance(prior, np.ndarray) or prior.dtype != dtype:
        raise ValueError(f"must be an array of {dtype}")
    return check.table("it", prior, shapes, *FIRST_PRIOR_RANGE).astype(dtype)


def _samples(lda: TemperedLDA) -> bool:
    """Whether documents are sampled where T = 1."""
    inference = check.choice("inference", lda.inference, ("auto", "gibbs", "mean_field"))
    if inference == "auto":
        return lda.learning_method == "online" and lda.topic_estimate == "mean"
    if inference == "gibbs" and lda.learning_method == "batch":
        raise ValueError(
            "inference='gibbs' is for learning_method='online'; 'batch' goes by a bound, which "
            "samples do not have: inference must be 'auto' or 'mean_field'"
        )
    return inference == "gibbs"


def planned_passes(lda: TemperedLDA, n_documents: float) -> int:
    """The passes that a fit of so many documents is to make."""
    if lda.max_iter is not None:
        return check.integer("max_iter", lda.max_iter, 1)
    return round(_usual_passes(n_documents) if lda.learning_method == "online" else PASSES_RANGE[1])


def _usual_passes(n_documents: float) -> float:
    least, most = PASSES_RANGE
    return min(max(SEEN / n_documents, least), most)


def _new_thermostat(
    lda: TemperedLDA,
    settings: Settings,
    planned: int,
    cooling: Cooling,
    alpha: NDArray[Any],
    eta: Eta,
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
    if normalizer != "posterior" and (
        _is_auto(lda.doc_topic_prior) or _is_auto(lda.topic_word_prior)
    ):
        raise ValueError(
            f"normalizer={normalizer!r} is worked out once, from the priors: doc_topic_prior and "
            "topic_word_prior must not be 'auto'"
        )
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


def _new_cooling(lda: TemperedLDA, tempering: str, planned: int, *, melt: bool) -> Cooling:
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
    if auto and named and not melt:
        start = 1.0
    length = ANNEALING_SHARE * planned
    if lda.annealing_passes is not None:
        length = check.number("annealing_passes", lda.annealing_passes, 0.0)
    if tempering == "svi":
        return Cooling(1.0, "linear", 0.0, PROBE_SHARE * planned)
    return Cooling(start, lda.schedule, length, PROBE_SHARE * planned)


def _is_auto(prior: Any) -> bool:
    return isinstance(prior, str)


def _default_alpha(n_components: int) -> float:
    return min(ALPHA_SUM / n_components, ALPHA_MOST)


def _alpha(value: Any, n_components: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The prior of the proportions, (n_components,)."""
    name = "doc_topic_prior"
    if value is None or (_is_auto(value) and check.choice(name, value, ("auto",))):
        value = _default_alpha(n_components)
    if not hasattr(value, "__len__"):
        return np.full(n_components, check.number(name, value, *PRIOR_RANGE), dtype=dtype)
    return check.table(name, value, [(n_components,)], *PRIOR_RANGE).astype(dtype)


def _eta(
    value: Any, default: float, n_components: int, n_features: int, dtype: np.dtype[Any]
) -> Eta:
    """The prior of the topics: a number, or by words (V, 1), or by words and topics (V, K)."""
    name = "topic_word_prior"
    if value is None or (_is_auto(value) and check.choice(name, value, ("auto",))):
        value = default
    if not hasattr(value, "__len__"):
        return check.number(name, value, *PRIOR_RANGE)
    shapes = [(n_features,), (n_components, n_features)]
    table = np.atleast_2d(check.table(name, value, shapes, *PRIOR_RANGE))
    return np.ascontiguousarray(table.T, dtype=dtype)


def _components(value: Any, n_components: int, n_features: int) -> NDArray[Any] | None:
    if value is None:
        return None
    return check.table(
        "components_init", value, [(n_components, n_features)], 0.0, _counts.LARGEST_COUNT
    )
