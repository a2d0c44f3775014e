"""Programs that measure, compare, search and draw topics: mypy checks them, and they run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from topictemper import TemperedLDA, report
from topictemper.datasets import make_lda_corpus
from topictemper.metrics import (
    NComponentsComparison,
    TopicMatch,
    coherence,
    compare_n_components,
    match_topics,
    perplexity,
    predictive_log_likelihood,
    topic_diversity,
)
from topictemper.plotting import (
    BoundDisplay,
    DocumentTemperatureDisplay,
    LearningCurveDisplay,
    NComponentsDisplay,
    TemperatureDisplay,
    TopicHierarchyDisplay,
    TopicsDisplay,
    TopicSharesDisplay,
)
from topictemper.topics import (
    DocumentSearch,
    TopicHierarchy,
    effective_topics,
    frex,
    lift,
    relevance,
    share_differences,
    shares_by_group,
    shares_over_time,
    topic_distances,
    topic_hierarchy,
    twin_topics,
)

WORDS = [f"word{column}" for column in range(30)]


@pytest.fixture(scope="module")
def counts() -> sp.csr_array:
    return make_lda_corpus(60, 30, 3, random_state=0).counts


@pytest.fixture(scope="module")
def lda(counts: sp.csr_array) -> TemperedLDA:
    return TemperedLDA(3, learning_method="batch", max_iter=4, tempering="svi", random_state=0).fit(
        counts, feature_names=WORDS, validation_X=counts
    )


def test_scores(lda: TemperedLDA, counts: sp.csr_array) -> None:
    topics = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    score, error = predictive_log_likelihood(topics, counts, [0.1] * 3, standard_error=True)
    assert perplexity(lda, counts) > 0
    assert score < 0 < error
    assert len(coherence(topics.tolist(), counts, "cv", per_topic=True)) == len(topics)
    with pytest.raises(ValueError, match="measure"):
        coherence(lda, counts, "nmpi")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="inference"):
        perplexity(lda, counts, inference="meanfield")  # type: ignore[arg-type]


def test_topics(lda: TemperedLDA) -> None:
    match = match_topics(lda, lda.components_.tolist())
    assert_type(match, TopicMatch)
    first, _, distance = match
    assert len(first) == len(distance)
    assert_type(topic_diversity(lda), float)
    assert_type(effective_topics(lda.components_.sum(axis=1)), float)
    for weights in (relevance(lda), frex(lda.components_), lift(lda)):
        assert_type(weights, NDArray[np.float64])
    tree = TopicHierarchy(topic_distances(lda), method="ward", labels=lda.labels_)
    assert_type(tree.groups(2), list[list[int]])
    assert_type(tree.labels_, list[str])
    assert_type(tree.distances_, NDArray[np.float64])
    assert_type(topic_hierarchy(lda, metric="jensenshannon"), TopicHierarchy)
    lda.merge_topics(twin_topics(lda, 0.99))
    lda.reduce_to(2, hierarchy=tree)
    with pytest.raises(ValueError, match="metric"):
        topic_distances(lda, "cosine")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="by must be"):
        lda.top_words(by="frequency")  # type: ignore[arg-type]


def test_sizes(counts: sp.csr_array) -> None:
    sizes = compare_n_components(
        counts, np.arange(2, 4), n_seeds=1, estimator=TemperedLDA(max_iter=2)
    )
    assert_type(sizes, NComponentsComparison)
    assert_type(sizes.n_components_, int)
    assert_type(sizes.reason_, str)
    assert_type(NComponentsDisplay(sizes).plot().axes_, NDArray[Any])
    plt.close("all")


def test_shares_and_search(lda: TemperedLDA, counts: sp.csr_array) -> None:
    theta = lda.transform(counts)
    groups = pd.Series(["a", "b", None] * 20)
    shares = shares_by_group(theta, groups, labels=lda.labels_)
    assert_type(TopicSharesDisplay(shares).plot(topics=np.array([0, 2])), TopicSharesDisplay)
    TopicSharesDisplay(shares).plot(topics=lda.labels_[:2].tolist())
    assert len(share_differences(shares, "a", "b")) == 3
    shares_over_time(theta, pd.date_range("2024-01-01", periods=60), period="week")
    search = DocumentSearch(lda, counts)
    assert search.similar([0, 1], n=2) is not None
    plt.close("all")


def test_pictures(lda: TemperedLDA, counts: sp.csr_array) -> None:
    _, ax = plt.subplots()
    course = TemperatureDisplay.from_estimator(lda, ax=ax)
    course.ax_.set_title("temperature")
    bound = BoundDisplay.from_estimator({"ours": lda})
    bound.lines_[0].set_label("bound")
    LearningCurveDisplay.from_estimator(lda).figure_.suptitle("score")
    names = np.array([f"note {row}" for row in range(60)])
    lvt = TemperedLDA(3, max_iter=2, random_state=0).fit(counts)
    hot = DocumentTemperatureDisplay.from_estimator(lvt, counts, names=names, n_hottest=2)
    assert_type(hot.hottest_, NDArray[np.intp])
    TopicsDisplay.from_estimator(lda, topics=np.argsort(lda.components_.sum(axis=1))[:2])
    TopicHierarchyDisplay.from_estimator(lda, method="complete").plot(n_groups=2)
    plt.close("all")


def test_report(lda: TemperedLDA, counts: sp.csr_array, tmp_path: Path) -> None:
    theta = lda.transform(counts)
    page = report.write(
        lda.components_,
        theta,
        WORDS,
        path=str(tmp_path / "report.html"),
        counts=counts,
        documents=np.array(["a text"] * 60),
        dates=pd.Series(pd.date_range("2024-01-01", periods=60)),
        labels={0: "first"},
        history={"temperature": lda.temperature_history_},
    )
    assert_type(page, Path)
    (tmp_path / "labels.json").write_text('{"0": "first"}')
    assert_type(report.read_labels(tmp_path / "labels.json"), dict[int, str])
