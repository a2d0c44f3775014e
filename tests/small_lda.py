"""Small corpora and estimators, and the pieces inside an estimator, for the tests of LDA."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from topictemper import TemperedLDA
from topictemper._core._workers import Workers
from topictemper.datasets import make_lda_corpus
from topictemper.lda import _config
from topictemper.lda._config import Config
from topictemper.lda._minibatch import Gatherer, Minibatch
from topictemper.lda._plan import Plan, planned_passes
from topictemper.lda._topics import Topics
from topictemper.tempering import GlobalTempering
from topictemper.tempering._modes import MODES as TEMPERINGS

#: Topics that are a point, and Dirichlet ones.
ESTIMATES = ("auto", "vb")
MODES = ("svi", *_config.MODES)
LEARNED = ("vt", "lvt")
SETTINGS = set(GlobalTempering().get_params())
ONE_THREAD = Workers(1)


@cache
def corpus(n_samples: int = 200, seed: int = 0) -> sp.csr_matrix:
    """Counts of documents of four topics; cached, so not to be changed."""
    counts = make_lda_corpus(n_samples, 60, 4, document_length=30, random_state=seed).counts
    return sp.csr_matrix(counts)


def small_lda(**parameters: Any) -> TemperedLDA:
    """An estimator that fits `corpus` in some hundredths of a second."""
    defaults = {
        "n_components": 4,
        "max_iter": 3,
        "batch_size": 20,
        "learning_offset": 10.0,
        "random_state": 0,
    }
    return TemperedLDA(**with_tempering(defaults | parameters))


def plan_of(
    n_documents: float, length: float = 100, passes: int | None = None, **parameters: Any
) -> Plan:
    """The plan of a fit of so many documents; None: of the passes that a default fit makes."""
    config = Config.of(TemperedLDA(**parameters).get_params(deep=False), 1000)
    passes = passes or planned_passes(config, n_documents, length)
    return Plan.of(config, n_documents, passes, length=length)


def with_tempering(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters with the settings among them, that the mode has, in a tempering object."""
    rest = {name: value for name, value in parameters.items() if name not in SETTINGS}
    mode = rest.get("tempering", "lvt")
    if mode in TEMPERINGS:
        own = TEMPERINGS[mode]().get_params()
        settings = {name: value for name, value in parameters.items() if name in own}
        if settings:
            rest["tempering"] = TEMPERINGS[mode](**settings)
    return rest


def set_tempering(lda: TemperedLDA, **settings: Any) -> TemperedLDA:
    """Give an estimator with a mode by name some settings of it."""
    return lda.set_params(tempering=TEMPERINGS[lda.tempering](**settings))


def noise() -> np.ndarray:
    """Topics to start from that no document has a part in: alike but for 10%."""
    return np.random.RandomState(0).gamma(100.0, 0.01, size=(4, 60))


@cache
def fitted(tempering: str = "lvt", dtype: str = "float32", inference: str = "auto") -> TemperedLDA:
    """A fitted estimator; cached, so not to be changed."""
    lda = small_lda(tempering=tempering, dtype=dtype, inference=inference, max_temperature=3.0)
    return lda.fit(corpus())


def learned_state(lda: TemperedLDA) -> dict[str, bytes]:
    """All that training has made, bit by bit."""
    values = {
        "components": lda.components_,
        "temperature": np.float64(lda.temperature_),
        "history": lda.temperature_history_,
        "learned": np.float64(lda._trainer.control.learned),
        "n_iter": np.int64(lda.n_iter_),
        "n_batch_iter": np.int64(lda.n_batch_iter_),
    }
    return {name: value.tobytes() for name, value in values.items()}


def distances(lda: TemperedLDA, components: np.ndarray) -> np.ndarray:
    """Total variation between topics of a model and others, (n_components, n_others)."""
    found = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    return 0.5 * np.abs(found[:, None] - components).sum(axis=2)


class Again:
    """Goes over its parts from the start whenever it is asked to."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)


def random_topics(
    n_features: int = 30, n_components: int = 4, eta: float = 0.05, dtype: Any = np.float64
) -> Topics:
    """Topics that have seen some text: some words often, many words never."""
    rng = np.random.default_rng(7)
    M = rng.gamma(0.2, 20.0, size=(n_features, n_components))
    return Topics(M.astype(dtype), eta)


def minibatch(X: Any, dtype: Any = np.float64) -> Minibatch:
    """All rows of X."""
    X = sp.csr_matrix(X)
    return Gatherer(X, dtype).rows(np.arange(X.shape[0], dtype=np.int64))


def random_counts(n_samples: int = 12, n_features: int = 30, seed: int = 0) -> sp.csr_matrix:
    """Counts of documents, of which the third has no word and the fifth has one."""
    rng = np.random.default_rng(seed)
    dense = rng.poisson(0.7, size=(n_samples, n_features)) * rng.integers(
        1, 4, size=(n_samples, n_features)
    )
    dense[2], dense[4] = 0, 0
    dense[4, 3] = 1
    return sp.csr_matrix(dense)


def streamed(lda: TemperedLDA, n_samples: int, first: int = 0) -> TemperedLDA:
    """Go on with documents of a stream, up to the given one, twenty at a time."""
    for start in range(first, n_samples, 20):
        lda.partial_fit(corpus(1000)[start : start + 20])
    return lda
