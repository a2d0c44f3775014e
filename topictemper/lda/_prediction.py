"""Documents under a fitted model: their proportions and temperatures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from .._core._workers import Workers
from .._utils import _validation as check
from .._utils._numerics import ignoring_underflow
from .._utils._typing import Floats
from ..tempering import LocalTemperature, inverse_temperature_grid
from ._defaults import N_TEMPERATURES
from ._e_step import PREDICTION, Workspace, cvb0, infer, sample
from ._minibatch import Gatherer, LocalParameters, Minibatch
from ._normalizers import PosteriorNormalizer
from ._topics import Topics
from ._training import Trainer

# Draws depend on the document, not on its place: it has the same proportions in any batch.
_SAMPLING_SEED = 0
_MOST_ROWS = 8192
_MOST_PROPORTIONS = 2**22  # of rows that are worked on at once
_MOST_IN_PLACE = 2**24  # the same where they stand in the result: more rows share more words

#: Inverse temperatures of the documents of a minibatch, one for all or one each.
InverseTemperatures = Callable[[Minibatch, Workers], float | Floats]

#: How the proportions of a document are found.
Way = Literal["mean_field", "collapsed", "gibbs"]

#: The argument `inference` of what predicts.
Inference = Literal["auto", Way]


class Model(NamedTuple):
    """Topics, the prior of their proportions, when sweeps end, and what finds the proportions.

    For the sweeps see `Config.sweeps`.
    """

    topics: Topics
    alpha: NDArray[Any]
    sweeps: dict[str, Any]
    inference: Way = "mean_field"


def inference_of(value: Any) -> Way | None:
    """The argument `inference` of what predicts; None for "auto"."""
    chosen = check.choice("inference", value, get_args(Inference))
    return None if chosen == "auto" else cast(Way, chosen)


def way_of(inference: Any, tempered: Any) -> Way | None:
    """How proportions are found; None: as the model was trained."""
    tempered = check.flag("tempered", tempered)
    way = inference_of(inference)
    if tempered and way not in (None, "mean_field"):
        raise ValueError(
            f"inference={inference!r} is at T = 1; with tempered=True it must be 'auto' or "
            "'mean_field'"
        )
    return "mean_field" if tempered else way


def predictor(trainer: Trainer, inference: Way | None = None) -> Model:
    """A model in training as documents are predicted with it; None: in the way that it learned.

    Mean-field inference, which is overconfident, has an alpha of its own.
    """
    if inference is None:
        inference = "collapsed" if trainer.has_sampled else "mean_field"
    topics = trainer.predictive_topics
    if inference == "mean_field":
        return Model(topics, trainer.mean_field_alpha, trainer.config.sweeps)
    topics = copy(topics)
    topics.point = True
    return Model(topics, trainer.collapsed_alpha, trainer.config.sweeps, inference)


def cold(batch: Minibatch, workers: Workers) -> float:
    """T = 1 for every document."""
    return 1.0


@ignoring_underflow
def document_inverse_temperatures(trainer: Trainer) -> InverseTemperatures:
    """E[1/T_d] under the fitted topics (VT eq. 10), from the fixed point at the corpus mean."""
    model = predictor(trainer, "mean_field")
    grid = inverse_temperature_grid(trainer.config.tempering.n_temperatures or N_TEMPERATURES)
    normalizer = PosteriorNormalizer(grid, model.alpha, trainer.eta)
    posterior, mean = LocalTemperature(grid), trainer.control.learned
    workspace = Workspace()

    def inverse_temperatures(batch: Minibatch, workers: Workers) -> Floats:
        local = infer_documents(model, batch, lambda *_: mean, workers, workspace, want_energy=True)
        evidence = normalizer.of_documents(model.topics, batch, local, workers, 0.0)
        assert evidence.log_c is not None
        s = posterior.update(evidence.energy, evidence.log_c)
        s[evidence.empty] = mean  # without words they have nothing to tell
        return s

    return inverse_temperatures


def minibatches(
    X: Any, topics: Topics, most: int = _MOST_PROPORTIONS
) -> Iterator[tuple[slice, Minibatch]]:
    """All rows of X, some at a time, with at most so many proportions."""
    gatherer = Gatherer(X, topics.M.dtype)
    size = max(1, min(_MOST_ROWS, most // topics.n_components))
    for start in range(0, X.shape[0], size):
        rows = slice(start, min(start + size, X.shape[0]))
        yield rows, gatherer.rows(np.arange(rows.start, rows.stop, dtype=np.int64), by_word=False)


def infer_documents(
    model: Model,
    batch: Minibatch,
    inverse_temperatures: InverseTemperatures,
    workers: Workers,
    workspace: Workspace,
    *,
    want_energy: bool = False,
) -> LocalParameters:
    """E-step of documents at the temperatures that are given by a function."""
    given = model.topics, batch, model.alpha
    shared: dict[str, Any] = {"workers": workers, "workspace": workspace}
    if model.inference == "gibbs":
        return sample(*given, _SAMPLING_SEED, sweeps=PREDICTION, want_weights=False, **shared)
    shared |= model.sweeps
    if model.inference == "collapsed":
        return cvb0(*given, **shared)
    s = inverse_temperatures(batch, workers)
    return infer(*given, s, want_energy=want_energy, want_weights=False, **shared)


def proportions(
    model: Model,
    X: Any,
    inverse_temperatures: InverseTemperatures,
    workers: Workers,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """E[theta_d] of every row of X, shape (n_samples, n_components); in `out`, if it is given."""
    topics, workspace = model.topics, Workspace()
    if out is None:
        out = np.empty((X.shape[0], topics.n_components), dtype=topics.M.dtype)
    for rows, batch in minibatches(X, topics, _MOST_IN_PLACE):
        workspace.lend("gamma", out[rows])
        gamma = infer_documents(model, batch, inverse_temperatures, workers, workspace).gamma
        gamma /= gamma.sum(axis=1, keepdims=True)
    return out
