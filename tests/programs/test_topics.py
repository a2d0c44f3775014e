"""Programs that learn topics, as typed code has them: mypy checks them, and they run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, assert_type

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

import topictemper
from topictemper import TemperedLDA, TopicModel, load, progress_bar
from topictemper.datasets import make_lda_corpus
from topictemper.tempering import (
    Annealing,
    GlobalTempering,
    LinearSchedule,
    LocalTempering,
    PosteriorAnnealing,
)
from topictemper.topics import DocumentSearch, SeedTopics

TEXTS = [
    "rain and wind all day with clouds over the hills",
    "the goal came late and the team won the match",
    "wind and clouds but no rain over the hills",
    "a late match and the team did not score a goal",
] * 10
WORDS = [f"word{column}" for column in range(30)]
GROUPS = ["weather", "sport"] * 20


def small(**settings: Any) -> TemperedLDA:
    return TemperedLDA(3, max_iter=3, batch_size=10, random_state=0, **settings)


def counts() -> sp.csr_array:
    return make_lda_corpus(60, 30, 3, random_state=0).counts


def test_counts_of_any_kind() -> None:
    X = counts()
    dense: NDArray[Any] = X.toarray()
    frame = pd.DataFrame(dense, columns=WORDS)
    for kind in (X, sp.csr_matrix(X), dense, dense.tolist(), frame, pl.DataFrame(dense)):
        lda = small().fit(kind)
        assert_type(lda, TemperedLDA)
        assert_type(lda.transform(kind), NDArray[Any])
    weights = np.ones(60)
    assert_type(small().fit(X, sample_weight=weights).perplexity(X), float)


def test_chunks_and_streams() -> None:
    def batches() -> Iterator[sp.csr_array]:
        yield from (counts() for _ in range(3))

    lda = small(total_samples=180)
    for X in batches():
        lda.partial_fit(X)
    assert_type(lda.n_batch_iter_, int)
    small().fit(list(batches()), validation_X=counts(), feature_names=WORDS)


def test_fitted_attributes() -> None:
    X = counts()
    lda = small(learning_method="batch").fit(X, validation_X=X, feature_names=WORDS)
    assert_type(lda.components_, NDArray[Any])
    assert_type(lda.temperature_, float)
    assert_type(lda.score_history_, NDArray[Any])
    assert_type(lda.elbo_history_, NDArray[Any])
    assert_type(lda.temperature_history_, NDArray[Any])
    assert_type(lda.feature_names_in_, NDArray[Any])
    assert_type(lda.n_features_in_, int)
    assert_type(lda.n_iter_, int)
    assert_type(lda.top_words(5), list[list[str]])
    assert_type(lda.labels_, NDArray[Any])
    assert_type(lda.set_params(n_jobs=2), TemperedLDA)
    assert lda.set_output(transform="pandas").transform(X).loc[0].shape == (3,)
    model: BaseEstimator = lda  # other libraries ask for one
    assert model is lda


def test_tempering() -> None:
    names: tuple[Literal["svi", "vt", "lvt"], ...] = ("svi", "vt", "lvt")
    for name in names:
        TemperedLDA(3, tempering=name)
    for mode in (
        Annealing(schedule="linear", max_temperature=2, length=2),
        PosteriorAnnealing(schedule=LinearSchedule(2.0, 2.0)),
        GlobalTempering(normalizer="prior"),
        LocalTempering(schedule=lambda time: max(1.0, 2.0 - time)),
    ):
        TemperedLDA(3, tempering=mode)
    TemperedLDA(3, doc_topic_prior="auto", topic_word_prior=np.full((3, 30), 0.1))
    TemperedLDA(
        3, doc_topic_prior=[0.1, 0.2, 0.3], init=np.ones((3, 30)).tolist(), dtype=np.float64
    )
    # What an editor has to mark; mypy says if one of these is no error any more.
    TemperedLDA(tempering="lvvt")  # type: ignore[arg-type]
    TemperedLDA(inference="vbb")  # type: ignore[arg-type]
    TemperedLDA(learning_method="offline")  # type: ignore[arg-type]
    TemperedLDA(tempering=Annealing(schedule="linaer"))  # type: ignore[arg-type]
    GlobalTempering(normalizer="posteriori")  # type: ignore[arg-type]


def test_texts(tmp_path: Path) -> None:
    vectorizer = CountVectorizer(stop_words="english")
    model = TopicModel(2, vectorizer=vectorizer, lda=small(), random_state=0).fit(TEXTS)
    assert_type(model, TopicModel)
    assert_type(model.lda_, TemperedLDA)
    assert_type(model.lda_.components_, NDArray[Any])
    assert_type(model.unknown_share_, float)
    assert model.transform(pd.Series(TEXTS)).shape == (len(TEXTS), 2)
    assert_type(model.feature_names_, NDArray[Any])
    assert_type(model.search_in(TEXTS), DocumentSearch)
    assert_type(model.set_labels({0: "weather"}).set_labels(model.labels_), TopicModel)
    assert_type(model.set_labels(lambda words, documents: words[0], texts=TEXTS), TopicModel)
    assert_type(model.update(iter(TEXTS)), TopicModel)
    assert_type(model.top_documents(TEXTS, n=2), NDArray[np.intp])
    for path in (tmp_path / "model.npz", str(tmp_path / "other.npz")):
        model.save(path)
        again: TopicModel = load(path)
        again.score(TEXTS)
    assert_type(model.merge_topics([0, 1]), TopicModel)
    model.drop_topics(np.array([0]))
    model.reduce_to(1)
    TopicModel(seed_topics={"weather": ["rain", "wind"]})
    TopicModel(seed_topics=SeedTopics({"weather": ["rain", "wind"]}, strength=0.1))


def test_time_and_groups() -> None:
    model = TopicModel(2, lda=small(), random_state=0).fit(TEXTS)
    years = np.repeat([2023, 2024], 20)
    settings = {"confidence": 0.5}
    shares = model.topics_over_time(TEXTS, years, confidence=0.5)
    assert shares["share"][0] >= 0
    model.topics_over_time(TEXTS, pd.Series(pd.to_datetime(years.astype(str))), period="year")
    model.topics_by_group(TEXTS, GROUPS, confidence=settings["confidence"])
    model.topics_by_group(TEXTS, GROUPS, sample_weight=[1.5] * len(TEXTS))
    model.topics_by_group(TEXTS, pl.Series(GROUPS), confidence=0.9)
    with np.testing.assert_raises(ValueError):
        model.topics_over_time(TEXTS, years, period="decade")  # type: ignore[arg-type]


def test_reports(tmp_path: Path) -> None:
    model = TopicModel(2, lda=small(), random_state=0).fit(TEXTS)
    names = [f"note {row}" for row in range(40)]
    for columns in (names, np.array(names), pd.Series(names), pl.Series(names)):
        page = model.report(
            TEXTS, tmp_path / "report.html", names=columns, groups=columns, labels=model.labels_
        )
        assert_type(page, Path)


def test_pipelines() -> None:
    pipeline: Any = make_pipeline(CountVectorizer(), small())
    assert pipeline.fit_transform(TEXTS).shape == (40, 3)
    isas = topictemper.available_isas()
    assert_type(isas, tuple[str, ...])
    topictemper.set_isa(topictemper.get_isa())


def watched() -> TemperedLDA:  # for mypy alone: it needs scikit-learn 1.9 and rich
    return small().set_callbacks(progress_bar()).fit(counts())
