"""Public functions refuse what is no array, no list and no number by the name of the parameter."""

import re
from collections.abc import Mapping
from functools import partial
from inspect import isfunction, signature
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from topictemper import datasets, metrics, report, tempering, topics
from topictemper.factorial import BinarySparseCoding, FactorialMixture
from topictemper.mixture import TwoGaussians

from .small_lda import corpus, fitted, small_lda

COUNTS = corpus().toarray()
THETA = np.full((4, 2), 0.5)
BAD = {
    "none": None,
    "text": "abc",
    "empty": [],
    "no dimension": np.array(1.0),
    "ragged": [[1.0, 2.0], *[[1.0]] * 4],
}
OF_MODEL = {"model": np.ones((2, 60)), "X": COUNTS}
SHARES = {"proportions": THETA, "weights": np.ones(4), "labels": ["x", "y"]}
PAGE = {"topics": np.ones((2, 3)), "proportions": THETA, "words": ["a", "b", "c"]}
#: Functions with arguments that they take. Those of the last dict are no arrays or lists.
CALLS: dict[Any, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    metrics.coherence: ({"components": np.ones((2, 60)), "X": COUNTS}, {}),
    metrics.compare_n_components: ({"X": COUNTS, "n_components": [2, 3]}, {}),
    metrics.match_topics: ({"first": np.ones((2, 3)), "second": np.ones((2, 3))}, {}),
    metrics.perplexity: (OF_MODEL | {"doc_topic_prior": [0.1, 0.1]}, {}),
    metrics.predictive_log_likelihood: (OF_MODEL | {"doc_topic_prior": [0.1, 0.1]}, {}),
    metrics.topic_diversity: ({"components": np.ones((2, 60))}, {}),
    tempering.inverse_temperature_grid: ({"n": 3}, {}),
    tempering.log_mean_exp: ({"x": np.ones((2, 3)), "axis": 1}, {}),
    tempering.prior_log_partition: (
        {"c": np.ones((2, 3, 4)), "n_data": 10, "n_tokens_per_datum": 5},
        {},
    ),
    tempering.temperature_grid: ({"n": 3, "t_max": 2.0}, {}),
    topics.effective_topics: ({"sizes": [1.0, 2.0]}, {}),
    topics.frex: ({"components": np.ones((2, 3)), "weight": 0.5}, {}),
    topics.lift: ({"components": np.ones((2, 3))}, {}),
    topics.relevance: ({"components": np.ones((2, 3)), "weight": 0.5}, {}),
    topics.share_differences: (
        {"shares": topics.shares_by_group(THETA, ["b", "b", "c", "c"])},
        {"first": "b", "second": "c"},
    ),
    topics.shares_by_group: (SHARES | {"groups": ["b", "b", "c", "c"]}, {}),
    topics.shares_over_time: (SHARES | {"dates": [2020, 2020, 2021, 2021]}, {}),
    topics.topic_distances: ({"components": np.eye(2)}, {}),
    topics.topic_hierarchy: ({"components": np.eye(2)}, {}),
    topics.twin_topics: ({"components": np.eye(2), "max_distance": 0.1}, {}),
    datasets.from_gensim: ({"corpus": [[(0, 1)]]}, {}),
    datasets.save_corpus: ({"X": COUNTS}, {"path": "corpus"}),
    datasets.to_gensim: ({"X": COUNTS}, {}),
    datasets.write_corpus: ({"X": COUNTS}, {"path": "corpus.mtx"}),
    report.write: (
        PAGE
        | {"counts": np.ones((4, 3)), "documents": list("stuv"), "names": list("stuv")}
        | {"dates": [2020, 2020, 2021, 2021], "groups": list("bbcc"), "labels": ["x", "y"]}
        | {"other_topics": [np.ones((2, 3))], "history": {}, "parameters": {"a": 1}},
        {"path": "report.html"},
    ),
}
#: Paths, and numbers that say how large a synthetic corpus is.
OTHERS = {
    datasets.iter_parquet_text,
    datasets.load_docstrings,
    datasets.make_bars,
    datasets.make_lda_corpus,
    datasets.make_shapes,
    datasets.make_two_gaussians,
    datasets.open_corpus,
    datasets.read_corpus,
    report.read_labels,
    tempering.as_schedule,
}
TAKEN = {
    (metrics.perplexity, "doc_topic_prior", "no dimension"),
    (metrics.predictive_log_likelihood, "doc_topic_prior", "no dimension"),
    (tempering.log_mean_exp, "axis", "empty"),
    (datasets.from_gensim, "corpus", "empty"),
    (report.write, "other_topics", "empty"),
}
CASES = [
    pytest.param(function, name, kind, id=f"{function.__name__}-{name}-{kind}")
    for function, (arguments, _) in CALLS.items()
    for name in arguments
    for kind in BAD
    if (function, name, kind) not in TAKEN
    and not (kind == "none" and signature(function).parameters[name].default is None)
]


def functions_of(module: ModuleType) -> set[Any]:
    return {each for each in map(module.__dict__.get, module.__all__) if isfunction(each)}


def test_all_public_functions_are_looked_at():
    modules = (metrics, tempering, topics, datasets, report)
    assert set.union(*map(functions_of, modules)) == OTHERS | set(CALLS)


@pytest.mark.parametrize(("function", "name", "kind"), CASES)
def test_what_no_parameter_can_be_is_refused_by_its_name(
    function, name, kind, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    good, rest = CALLS[function]
    with pytest.raises((TypeError, ValueError), match=rf"\b{name}\b"):
        function(**{**good, name: BAD[kind]}, **rest)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
def test_the_other_arguments_are_taken(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if function is not metrics.compare_n_components:  # which takes long
        good, rest = CALLS[function]
        function(**good, **rest)


def test_labels_that_are_no_list_are_refused():
    for labels in ("xy", {0: "x", 1: "y"}, {"x", "y"}):
        with pytest.raises(TypeError, match="labels must be a list with a label for each topic"):
            topics.shares_by_group(THETA, list("bbcc"), labels=labels)
        with pytest.raises(TypeError, match="labels must be a list"):
            topics.TopicHierarchy(np.ones((2, 2)) - np.eye(2), labels=labels)


def test_axes_that_are_none_of_an_array_are_named():
    x = np.log([[1.0, 2.0], [3.0, 6.0]])
    for axis in (2, (0, 0), -3):
        with pytest.raises(ValueError, match=rf"^axis {re.escape(str(axis))} is none of x"):
            tempering.log_mean_exp(x, axis)
    with pytest.raises(ValueError, match=r"^axis 0 is none of x, whose shape is \(\)"):
        tempering.log_mean_exp(1.0, 0)
    np.testing.assert_array_equal(tempering.log_mean_exp(x, [0]), tempering.log_mean_exp(x, 0))


def test_what_estimators_and_their_methods_refuse_is_named():
    nothing = np.array(1.0)
    lda = fitted()
    for call, name in (
        (lambda: small_lda().fit(COUNTS, sample_weight=[]), "sample_weight"),
        (lambda: small_lda().fit(COUNTS, validation_X=object()), "validation_X"),
        (lambda: lda.score(COUNTS, sample_weight=[]), "sample_weight"),
        (lambda: lda.score(object()), "X"),
        (lambda: lda.set_labels(nothing), "labels"),
        (lambda: topics.shares_by_group(THETA, list("bbcc"), labels=iter("xy")), "labels must"),
        (lambda: lda.merge_topics(nothing), "groups"),
        (lambda: lda.drop_topics(nothing), "topics"),
        (lambda: topics.DocumentSearch(lda, COUNTS, vectorizer=nothing), "vectorizer"),
        (lambda: TwoGaussians(nothing), "X"),
        (lambda: BinarySparseCoding(2, sampler_schedule=nothing).fit(np.eye(3)), "schedule"),
    ):
        with pytest.raises((TypeError, ValueError), match=rf"{name}\b"):
            call()


def test_what_displays_refuse_is_named():
    pytest.importorskip("matplotlib")
    plotting = pytest.importorskip("topictemper.plotting")
    lda, images = fitted(), FactorialMixture(2, max_iter=2, random_state=0).fit(np.eye(4))
    ragged, nothing, words = BAD["ragged"], np.array(1.0), list(map(str, range(60)))
    of_topics = partial(plotting.TopicsDisplay.from_estimator, lda, feature_names=words)
    for call, name in (
        (lambda: of_topics(topics=ragged), "topics"),
        (lambda: of_topics(topics=nothing), "topics"),
        (
            lambda: plotting.ComponentsDisplay.from_estimator(images, image_shape=ragged[:2]),
            "shape",
        ),
        (
            lambda: plotting.DocumentTemperatureDisplay.from_estimator(lda, COUNTS, names=nothing),
            "names",
        ),
        (
            lambda: plotting.DocumentTemperatureDisplay.from_estimator(
                lda, COUNTS, names=iter(words)
            ),
            "names",
        ),
        (lambda: plotting.AnnealedSurfaceDisplay.from_model(nothing), "model"),
    ):
        with pytest.raises((TypeError, ValueError), match=rf"{name} must be"):
            call()
