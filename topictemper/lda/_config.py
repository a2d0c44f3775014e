"""All parameters of `TemperedLDA`, checked and resolved once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from .._utils import _counts
from .._utils import _validation as check
from .._utils._typing import Floats
from ..tempering._modes import COURSE, Annealing, TemperingSettings, tempering_settings
from . import _defaults as default
from ._topics import Eta

_LEARNED = (*COURSE, "inertia", "n_temperatures", "updates")
MODES = {
    "avi": COURSE,
    "dasvi": COURSE,
    "vt": (*_LEARNED, "normalizer"),
    "lvt": _LEARNED,
}
Tempering = Literal["svi", "avi", "dasvi", "vt", "lvt"] | Annealing | None
INFERENCES = ("auto", "gibbs", "point", "vb")
PRIOR_RANGE = (1e-5, 1e5)
# There are arrays with an entry for each document and temperature.
MOST = {"n_temperatures": 10_000, "updates": 10**6}
# Passes, and documents in a minibatch, at most: sys.maxsize is given for no limit.
_NO_LIMIT = 2**63
# No documents with fewer words are worth topics that fill the memory.
_FEW_COLUMNS = 100
# Parameters that training uses after its first step, and what of `Config` follows from them. The
# others are of `fit`, of the first step, or read in each call.
OF_TRAINING = {
    "n_components": ("n_components",),
    "tempering": ("tempering",),
    "inference": ("point", "sampling"),
    "doc_topic_prior": ("alpha", "alpha_is_default"),
    "topic_word_prior": ("eta", "predicts_eta"),
    "batch_size": ("batch_size",),
    "learning_decay": ("learning_decay",),
    "learning_offset": ("learning_offset",),
    "mean_change_tol": ("mean_change_tol",),
    "max_doc_update_iter": ("max_doc_update_iter",),
    "dtype": ("dtype",),
}


@dataclass(frozen=True)
class Prior:
    """A Dirichlet prior: where it starts, and whether it is learned."""

    value: Any
    learned: bool
    #: A learned value does not fall below it.
    floor: float


@dataclass(frozen=True)
class Config:
    """What a user has chosen, and the defaults that do not depend on the number of documents."""

    n_components: int
    n_features: int
    dtype: np.dtype[Any]
    tempering: TemperingSettings
    point: bool
    sampling: bool
    alpha: Prior
    #: Whether alpha is learned from samples, and multiplied for prediction.
    alpha_is_default: bool
    eta: Prior
    predicts_eta: bool
    whole: bool
    max_iter: int | None
    batch_size: int | None
    learning_decay: float | None
    learning_offset: float | None
    tol: float
    mean_change_tol: float
    max_doc_update_iter: int
    init: Floats | None
    warm_start: bool
    shuffle: bool
    stops: bool
    n_iter_no_change: int | None
    validation_fraction: float
    random_state: Any

    @classmethod
    def of(cls, parameters: Mapping[str, Any], n_features: int, copies: int = 1) -> Config:
        """Check the parameters of an estimator, and that memory holds so many copies of the topics.

        Raises
        ------
        TypeError, ValueError
            If one is invalid, or has no effect together with the others.
        """
        p = parameters
        dtype = check.precision(p["dtype"])
        n_components = check.integer("n_components", p["n_components"], 1)
        of_component = copies * n_features * dtype.itemsize
        check.check_size(
            lambda n_components: n_components * of_component, n_features, n_components=n_components
        )
        method = check.choice("learning_method", p["learning_method"], ("online", "batch"))
        inference = _inference(p["inference"], method)
        point = inference != "vb"
        tempering = _tempering(p["tempering"])
        alpha = _alpha(p["doc_topic_prior"], n_components, dtype)
        # Topics with a short memory of samples, and no normalizer that is computed from eta.
        predicts_eta = (
            p["topic_word_prior"] is None
            and inference == "gibbs"
            and p["learning_decay"] is None
            and tempering.normalizer in (None, "posterior")
        )
        usual = default.ETA_POINT if point else default.ETA_DIRICHLET
        eta = _eta(p["topic_word_prior"], usual, n_components, n_features, dtype)
        if predicts_eta:
            eta = Prior(default.ETA_LEAST, False, usual)
        if tempering.normalizer not in (None, "posterior") and (alpha.learned or eta.learned):
            raise ValueError(
                f"normalizer={tempering.normalizer!r} is computed once, from the priors: "
                "doc_topic_prior and topic_word_prior must not be 'auto'"
            )
        shapes = [(n_components, n_features)]
        init = _optional(check.table, "init", p["init"], shapes, 0.0, _counts.LARGEST_COUNT)
        if init is not None:
            _refuse_course_of_given_topics(tempering)
        stops, n_iter_no_change, fraction = _stopping(p)
        check.random_state(p["random_state"])
        check.stream_length(p["total_samples"])
        check.threads(p["n_jobs"])
        check.verbosity(p["verbose"])
        return cls(
            n_components=n_components,
            n_features=n_features,
            dtype=dtype,
            tempering=tempering,
            point=point,
            sampling=inference == "gibbs",
            alpha=alpha,
            alpha_is_default=p["doc_topic_prior"] is None,
            eta=eta,
            predicts_eta=predicts_eta,
            whole=method == "batch",
            max_iter=_optional(check.integer, "max_iter", p["max_iter"], 1, _NO_LIMIT),
            batch_size=_optional(check.integer, "batch_size", p["batch_size"], 1, _NO_LIMIT),
            learning_decay=_optional(check.number, "learning_decay", p["learning_decay"], 0.5, 1.0),
            learning_offset=_optional(check.number, "learning_offset", p["learning_offset"], 1.0),
            tol=_tol(p["tol"], method),
            mean_change_tol=check.number("mean_change_tol", p["mean_change_tol"], 0.0),
            max_doc_update_iter=check.integer(
                "max_doc_update_iter", p["max_doc_update_iter"], 1, 10**6
            ),
            init=init,
            warm_start=check.flag("warm_start", p["warm_start"]),
            shuffle=_shuffle(p["shuffle"], method),
            stops=stops,
            n_iter_no_change=n_iter_no_change,
            validation_fraction=fraction,
            random_state=p["random_state"],
        )

    @property
    def sweeps(self) -> dict[str, Any]:
        """When the E-step of a document ends, as arguments of `infer`."""
        return {"tol": self.mean_change_tol, "max_iter": self.max_doc_update_iter}

    def patience(self, n_planned: int) -> int | None:
        """Return after how many scores without a new best one to stop; None: never.

        At most `n_planned` are planned, one for each pass, or each round on Dask.
        """
        if not self.stops:
            return None
        share = round(default.PATIENCE_SHARE * n_planned)
        return self.n_iter_no_change or max(share, default.LEAST_PATIENCE)


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Check the parameters of an estimator before the number of columns is known.

    Arrays with an entry for each column are checked by `Config.of`.

    Raises
    ------
    TypeError, ValueError
        As from `Config.of`.
    """
    by_column = ("topic_word_prior", "init")
    arrays = [name for name in by_column if has_entries(parameters[name])]
    Config.of({**parameters, **dict.fromkeys(arrays)}, _FEW_COLUMNS)


def has_entries(value: Any) -> bool:
    """Whether a parameter is no single value: an array, a list, or a table of seed words."""
    return hasattr(value, "__len__") and not isinstance(value, str)


def _tempering(value: Any) -> TemperingSettings:
    tempering = tempering_settings(value, MODES, "svi")
    for name, most in MOST.items():
        if (getattr(tempering, name) or 0) > most:
            shown = str(getattr(tempering, name))[:40]
            raise ValueError(f"{name} must be at most {most}, got {shown}")
    return tempering


def _refuse_course_of_given_topics(tempering: TemperingSettings) -> None:
    """Refuse settings of a course that never leaves T = 1, where topics of `init` begin.

    Those of a warm start begin there too, but its first fit has used the settings.
    """
    if tempering.max_temperature is not None or tempering.is_whole_course:
        return
    for name in ("schedule", "length", "inertia"):
        value = getattr(tempering, name)
        if value is not None:
            raise ValueError(
                f"{name}={value!r} of tempering has no effect with init, whose topics begin at "
                f"T = 1: give tempering a max_temperature too, or leave {name} out"
            )


def _inference(value: Any, method: str) -> str:
    inference = check.choice("inference", value, INFERENCES)
    if inference == "auto":
        return "point" if method == "batch" else "gibbs"
    if inference == "gibbs" and method == "batch":
        raise ValueError(
            "inference='gibbs' is for learning_method='online'; 'batch' climbs a bound, which "
            "samples do not have: inference must be 'auto', 'point' or 'vb'"
        )
    return inference


def _shuffle(value: Any, method: str) -> bool:
    shuffles = check.flag("shuffle", value)
    if not shuffles and method == "batch":
        raise ValueError(
            "shuffle=False is for learning_method='online'; 'batch' takes all documents at once, "
            "in any order: leave shuffle out"
        )
    return shuffles


def _tol(value: Any, method: str) -> float:
    if value is None:
        return default.BATCH_TOL
    if method != "batch":
        raise ValueError(
            f"tol={value!r} is for learning_method='batch'; with 'online' it must be None"
        )
    return check.number("tol", value, 0.0)


def _stopping(p: Mapping[str, Any]) -> tuple[bool, int | None, float]:
    """Whether to stop early, the patience that is given, and the share of held-out rows."""
    stops = check.flag("early_stopping", p["early_stopping"])
    n_iter_no_change = _optional(check.integer, "n_iter_no_change", p["n_iter_no_change"], 1)
    share = partial(check.number, boundaries="neither")
    fraction = _optional(share, "validation_fraction", p["validation_fraction"], 0.0, 1.0)
    for name in ("validation_fraction", "n_iter_no_change"):
        if not stops and p[name] is not None:
            raise ValueError(
                f"{name}={p[name]!r} is for early_stopping=True; without it {name} must be None"
            )
    return stops, n_iter_no_change, fraction or default.VALIDATION_FRACTION


def _optional(checked: Callable[..., Any], name: str, value: Any, *limits: Any) -> Any:
    return None if value is None else checked(name, value, *limits)


def _is_auto(name: str, prior: Any) -> bool:
    if isinstance(prior, str) and prior != "auto":
        raise ValueError(f"{name} must be a number, an array, 'auto' or None, got {prior!r}")
    return isinstance(prior, str)


def _alpha(value: Any, n_components: int, dtype: np.dtype[Any]) -> Prior:
    """The prior of the proportions, (n_components,)."""
    name = "doc_topic_prior"
    usual = min(max(default.ALPHA_SUM / n_components, PRIOR_RANGE[0]), default.ALPHA_MOST)
    learned = _is_auto(name, value)
    if value is None or learned:
        value = usual
    if has_entries(value):
        alpha = check.table(name, value, [(n_components,)], *PRIOR_RANGE).astype(dtype)
    else:
        alpha = np.full(n_components, check.number(name, value, *PRIOR_RANGE), dtype=dtype)
    return Prior(alpha, learned, default.ALPHA_FLOOR * usual)


def _eta(
    value: Any, usual: float, n_components: int, n_features: int, dtype: np.dtype[Any]
) -> Prior:
    """The prior of the topics: a number, or by words (V, 1), or by words and topics (V, K)."""
    name = "topic_word_prior"
    learned = _is_auto(name, value)
    if value is None or learned:
        value = usual
    eta: Eta
    if has_entries(value):
        shapes = [(n_features,), (n_components, n_features)]
        # Seed words of a large corpus have very many pseudo-counts.
        largest = _counts.LARGEST_COUNT
        table = np.atleast_2d(check.table(name, value, shapes, PRIOR_RANGE[0], largest))
        eta = np.array(table.T, dtype=dtype, order="C")  # a copy, which nobody else changes
    else:
        eta = check.number(name, value, *PRIOR_RANGE)
    return Prior(eta, learned, usual)
