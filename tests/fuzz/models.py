"""Target: files of models."""

from __future__ import annotations

import io
import json
import random
import warnings
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from topictemper import TemperedLDA, TopicModel, load
from topictemper.datasets import make_lda_corpus
from topictemper.tempering import Annealing, GlobalTempering, LocalTempering

from .mutations import NUMBERS, REALS, mutate_bytes, mutate_npz
from .target import Target, Wrong

VALUES = [
    *NUMBERS, *REALS, None, True, "", "auto", "0", [], [1.0], {}, {"x": 1}, 10**30, 10**400, 1e-300,
    0.0, -0.5, 0.999, 1.001, 1e-9, 2.5, 60, 100.0, "lvt", "vt", "svi", "gibbs", "batch", "float64",
]  # fmt: skip
HEADER = "header"


@cache
def counts() -> sp.csr_matrix:
    return sp.csr_matrix(make_lda_corpus(24, 12, 2, document_length=20, random_state=0).counts)


def _make(folder: Path, rng: random.Random) -> Path:
    """Models of every mode and setting that has a state of its own, some in the middle."""
    parameters: dict[str, Any] = {
        "tempering": rng.choice(
            (
                "svi",
                "dasvi",
                Annealing(max_temperature=rng.choice(("auto", 3.0))),
                GlobalTempering(n_temperatures=8),
                LocalTempering(n_temperatures=8),
                LocalTempering(n_temperatures=8, max_temperature=3.0),
            )
        ),
        "dtype": rng.choice(("float32", "float64")),
        "doc_topic_prior": rng.choice((None, "auto", 0.3, [0.1, 0.2, 0.3])),
        "topic_word_prior": rng.choice((None, "auto", np.full(12, 0.2))),
        "inference": rng.choice(("auto", "vb")),
        "random_state": rng.choice((0, np.random.RandomState(np.random.PCG64(1)))),
    }
    lda = TemperedLDA(3, batch_size=6, n_jobs=1, **parameters)
    if rng.random() < 0.5:
        lda.set_params(total_samples=rng.choice((20, 200))).partial_fit(counts())
    else:
        lda.set_params(max_iter=4, learning_method=rng.choice(("online", "batch")))
        lda.fit(counts(), validation_X=counts())
    lda.save(folder / "model.npz", feature_names=[f"w{v}" for v in range(12)])
    return folder / "model.npz"


def _mutate(rng: random.Random, name: str, content: bytes) -> bytes:
    what = rng.random()
    if what < 0.1:
        return mutate_bytes(rng, content)
    if what < 0.3:
        try:
            return mutate_npz(rng, content)
        except Exception:  # one change too many for NumPy to make the next
            return mutate_bytes(rng, content)
    with np.load(io.BytesIO(content)) as archive:
        arrays = dict(archive)
    if what < 0.65:
        header = json.loads(arrays[HEADER].tobytes())
        for _ in range(rng.choice((1, 1, 2, 4))):
            _change_field(rng, header)
        text = json.dumps(header).encode()
        arrays[HEADER] = np.frombuffer(text, np.uint8)
    elif what < 0.7:
        text = mutate_bytes(rng, arrays[HEADER].tobytes())
        arrays[HEADER] = np.frombuffer(text, np.uint8)
    else:
        for _ in range(rng.choice((1, 1, 2))):
            place = rng.choice([name for name in sorted(arrays) if name != HEADER])
            arrays[place] = _changed(rng, arrays[place])
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _change_field(rng: random.Random, tree: dict[str, Any]) -> None:
    while True:
        name = rng.choice(sorted(tree) or [""])
        if isinstance(tree.get(name), dict) and tree[name] and rng.random() < 0.95:
            tree = tree[name]
            continue
        break
    old, what = tree.get(name), rng.random()
    if what < 0.05:
        tree.pop(name, None)
    elif what < 0.35 and isinstance(old, int | float) and not isinstance(old, bool):
        factor = rng.choice((-1, 2, 0.5, 10, 1e-3, 1e3, 1e30, 1e-30))
        tree[name] = type(old)(old * factor) if abs(old) < 1e300 else factor
    else:
        tree[name] = deepcopy(rng.choice(VALUES))


def _changed(rng: random.Random, array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "fiuV":  # by the change before
        return array
    if array.dtype.names:
        return rng.choice((array[:1], array[::-1], array[None], array[array.dtype.names[0]]))
    array, what = array.copy(order="K"), rng.random()
    with np.errstate(all="ignore"):
        if what < 0.4 and array.size:
            array.flat[rng.randrange(array.size)] = np.float64(
                rng.choice((*REALS, 0.0, 1e-300, 1e-20, 1e20, 1e37, -1e-3, 3.0))
            ).astype(array.dtype)
        elif what < 0.6:
            array *= np.float64(rng.choice((-1, 0, 0.5, 2, 1.001, 1e10, 1e30, 1e-30))).astype(
                array.dtype
            )
        elif what < 0.7:
            return np.asfortranarray(array)
        elif what < 0.8:
            return array.T if array.ndim > 1 else array[None]
        elif what < 0.9:
            return array[: rng.randrange(len(array) + 1)]
        else:
            return array.astype(rng.choice(("f4", "f8", "i8", "?", "c16", "S3", ">f4", "f2")))
    return array


def _read(path: Path) -> None:
    lda = load(path)
    V = lda.n_features_in_
    X = sp.csr_matrix(counts()[:, np.arange(V) % 12])
    theta = lda.transform(X)
    if not (np.isfinite(theta).all() and abs(theta.sum(axis=1) - 1).max() < 1e-4):
        raise Wrong("proportions that do not sum to one")
    if not (np.isfinite(lda.score(X)) and np.isfinite(lda.document_temperatures(X)).all()):
        raise Wrong("a score or temperatures that are not finite")
    _check(lda)
    _train(lda, lda.partial_fit, X)
    _check(lda)


def _train(lda: TemperedLDA, step: Callable[[Any], Any], documents: Any) -> None:
    # A file holds it twice: a change of the estimator's own is refused like any that a user makes.
    lda.tempering = lda._trained_with["tempering"]
    try:
        with warnings.catch_warnings():
            # Another instruction set than that of the file, which may be a change of the file; and
            # words that the vocabulary does not have.
            warnings.simplefilter("ignore", UserWarning)
            step(documents)
    except (TypeError, ValueError) as error:
        # Parameters of the next fit are checked by it, as those of any estimator.
        if "total_samples" not in str(error):
            raise Wrong(f"{step.__name__}: {error}") from error


def _check(lda: TemperedLDA) -> None:
    topics = lda._trainer.topics
    if not (np.isfinite(lda.components_).all() and lda.components_.min() >= 0):
        raise Wrong("topics that are negative or not finite")
    sums = topics.M.sum(axis=0, dtype=np.float64)
    if not np.allclose(topics.column_sums, sums, rtol=1e-3, atol=0):
        raise Wrong("column sums that do not belong to the topics")


TEXTS = ["red sky at night", "blue sea and red fish", "the night sea", "fish fish blue sky"] * 6


def _make_texts(folder: Path, rng: random.Random) -> Path:
    """Models of texts with several vectorizers."""
    vectorizer = rng.choice(
        (
            CountVectorizer(),
            CountVectorizer(ngram_range=(1, 2), stop_words=["the"], max_features=12),
            CountVectorizer(vocabulary=["red", "blue", "sea"], lowercase=False),
            CountVectorizer(analyzer="char", ngram_range=(2, 2), dtype=np.float32),
        )
    )
    lda = TemperedLDA(max_iter=2, batch_size=6, tempering=LocalTempering(n_temperatures=8))
    model = TopicModel(rng.choice((2, 3)), vectorizer=vectorizer, lda=lda, random_state=0)
    model.fit(TEXTS).save(folder / "model.npz")
    return folder / "model.npz"


def _read_texts(path: Path) -> None:
    model = load(path)
    if not isinstance(model, TopicModel):
        return  # the fields of its lda have replaced its own
    theta = model.transform(TEXTS)
    if not (np.isfinite(theta).all() and abs(theta.sum(axis=1) - 1).max() < 1e-4):
        raise Wrong("proportions that do not sum to one")
    if len(model.topics_) != theta.shape[1] or len(model.documents(TEXTS)) != len(theta):
        raise Wrong("tables of another length")
    _check(model.lda_)

    def update(texts: list[str]) -> None:
        own = {"n_components": None, "seed_topics": None, "random_state": None}
        model.set_params(lda=clone(model.lda_), **own).update(texts)

    _train(model.lda_, update, TEXTS)
    _check(model.lda_)


TARGETS = [
    Target("models", _make, _mutate, _read),
    Target("models of texts", _make_texts, _mutate, _read_texts),
]
