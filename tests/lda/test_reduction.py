import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import topictemper
from topictemper.persistence._models import tree_of
from topictemper.topics import SeedTopics, topic_hierarchy

from ..small_lda import corpus, learned_state, small_lda

SETTINGS = {
    "lvt": {},
    "vt": {"tempering": "vt"},
    "prior": {"tempering": "vt", "normalizer": "prior"},
    "dasvi": {"tempering": "dasvi", "inference": "vb"},
    "learned": {"doc_topic_prior": "auto", "topic_word_prior": "auto", "max_iter": 8},
    "alpha": {"doc_topic_prior": [0.1, 0.2, 0.3, 0.4], "dtype": "float64"},
    "batch": {"learning_method": "batch", "max_iter": 20},
}


def state(lda):
    """What a file of a model holds."""
    return tree_of(lda)["state"]


def counts_of(lda):
    """What topics have over their base, which all have in common."""
    return lda.components_ - state(lda)["trainer"]["topics"]["base"]


@pytest.mark.parametrize("name", SETTINGS)
def test_merged_topics_predict_are_saved_and_learn(name, tmp_path):
    lda = small_lda(**SETTINGS[name]).fit(corpus())
    before = learned_state(lda)
    merged = lda.merge_topics([1, 3])
    counts = counts_of(lda)
    assert_allclose(
        counts_of(merged),
        [counts[0], counts[1] + counts[3], counts[2]],
        rtol=1e-5,
        atol=1e-5 * counts.max(),
    )
    alpha = lda.doc_topic_prior_
    assert_allclose(merged.doc_topic_prior_, [alpha[0], alpha[1] + alpha[3], alpha[2]], rtol=1e-5)
    theta = merged.transform(corpus())
    assert theta.shape == (200, 3)
    assert_allclose(theta.sum(axis=1), 1, rtol=1e-5)
    assert merged.score(corpus()) < 0
    merged.save(tmp_path / "model")
    loaded = topictemper.load(tmp_path / "model")
    assert learned_state(loaded) == learned_state(merged)
    for model in (merged, loaded):
        model.partial_fit(corpus(300, 5))
    assert learned_state(loaded) == learned_state(merged)
    assert merged.temperature_ == 1.0
    assert learned_state(lda) == before
    assert clone(merged).fit(corpus()).components_.shape == (3, 60)


def test_topics_are_merged_in_parts(monkeypatch):
    lda = small_lda(n_components=30, dtype="float64").fit(corpus())
    groups = [list(range(2, 20, 2)), [1, 29]]
    whole = lda.merge_topics(groups)
    monkeypatch.setattr("topictemper.lda._reduction._MOST_VALUES", 1)
    assert learned_state(lda.merge_topics(groups)) == learned_state(whole)


def test_merged_after_more_documents(tmp_path):
    """A stream goes on with topics and their average, which are merged alike."""
    lda = small_lda().fit(corpus()).partial_fit(corpus(300, 5))
    assert state(lda)["trainer"]["average"]["topics"] is not None
    merged = lda.merge_topics([1, 3])
    counts = counts_of(lda)
    assert_allclose(
        counts_of(merged),
        [counts[0], counts[1] + counts[3], counts[2]],
        rtol=1e-4,
        atol=1e-4 * counts.max(),
    )
    merged.save(tmp_path / "model")
    loaded = topictemper.load(tmp_path / "model")
    for model in (merged, loaded):
        model.partial_fit(corpus(300, 6))
    assert learned_state(loaded) == learned_state(merged)


def test_merging_what_was_split_gives_the_model_back():
    """A topic and its copy, each with half of the counts, are together the topic."""
    lda = small_lda(dtype="float64").fit(corpus())
    eta = lda.topic_word_prior_
    counts = lda.components_ - eta
    halves = np.vstack([counts[:1] / 2, counts[1:], counts[:1] / 2]) + eta
    split = small_lda(n_components=5, dtype="float64", init=halves, max_iter=1).fit(corpus())
    merged = split.merge_topics([0, 4])
    assert merged.init.shape == (4, 60)
    assert_allclose(merged.score(corpus()), split.score(corpus()), atol=0.02)


def test_dropped_topics_are_gone():
    lda = small_lda().fit(corpus()).set_labels({2: "noise", 3: "law"})
    left = lda.drop_topics(["noise", 0])
    assert_array_equal(left.components_, lda.components_[[1, 3]])
    assert left.labels_.tolist() == ["topic 0", "law"]
    assert lda.drop_topics(1).n_components == 3


def test_eta_by_topic():
    eta = np.full((4, 60), 0.1)
    eta[0, :3], eta[1], eta[2, 5], eta[3] = 5.0, 0.3, 7.0, 0.2
    lda = small_lda(topic_word_prior=eta, dtype="float64").fit(corpus())
    dropped = lda.drop_topics([0, 2])  # no topic left has the smallest eta
    assert_allclose(dropped.components_, lda.components_[[1, 3]])
    assert_allclose(dropped.topic_word_prior_, eta[[1, 3]])
    merged = lda.merge_topics([[0, 2], [1, 3]])
    assert_allclose(merged.topic_word_prior_[0, :6], [5, 5, 5, 0.1, 0.1, 7.0])
    assert_allclose(merged.topic_word_prior_[1], np.full(60, 0.4))
    counts = lda.components_ - eta
    for model, groups in ((merged, [[0, 2], [1, 3]]), (dropped, [[1], [3]])):
        assert_allclose(
            model.components_ - model.topic_word_prior_,
            [counts[group].sum(axis=0) for group in groups],
            atol=1e-6 * counts.max(),
        )
        assert clone(model).fit(corpus()).n_components == 2


def test_eta_by_topic_of_averaged_topics():
    eta = np.repeat([[0.1], [0.3], [0.2], [0.4]], 60, axis=1)
    lda = small_lda(topic_word_prior=eta, dtype="float64").fit(corpus())
    lda.partial_fit(corpus(300, 5))
    assert state(lda)["trainer"]["average"]["topics"] is not None
    assert_allclose(lda.drop_topics(0).components_, lda.components_[1:])


def test_what_priors_are_learned_from_is_merged():
    lda = small_lda(**SETTINGS["learned"]).fit(corpus())
    before, after = state(lda), state(lda.merge_topics([1, 3]))
    first = before["first_alpha"]
    assert_allclose(after["first_alpha"], [first[0], first[1] + first[3], first[2]])
    means, merged = (each["trainer"]["priors"]["means"] for each in (before, after))
    assert_allclose(merged, [means[0], means[1] + means[3], means[2], means[4]])


def test_a_merged_model_has_random_numbers_of_its_own():
    lda = small_lda(random_state=np.random.RandomState(0)).fit(corpus())
    assert lda.merge_topics([0, 1]).random_state is not lda.random_state


def test_reduce_follows_the_hierarchy():
    lda = small_lda(n_components=8).fit(corpus())
    tree = topic_hierarchy(lda)
    reduced = lda.reduce_to(3)
    assert_array_equal(reduced.components_, lda.merge_topics(tree.groups(3)).components_)
    other = topic_hierarchy(lda, method="ward")
    assert_array_equal(
        lda.reduce_to(3, hierarchy=other).components_,
        lda.merge_topics(other.groups(3)).components_,
    )
    assert_array_equal(lda.reduce_to(8).components_, lda.components_)
    assert lda.reduce_to(1).reduce_to(1).transform(corpus()).tolist() == [[1.0]] * 200


def test_labels_of_merged_topics():
    lda = small_lda().fit(corpus())
    sizes = lda.components_.sum(axis=1)
    small, large = sorted((1, 3), key=lambda k: sizes[k])
    lda.set_labels({small: "small", large: "large"})
    assert lda.merge_topics(["small", "large"]).labels_.tolist() == ["topic 0", "large", "topic 2"]
    assert lda.merge_topics([0, small]).labels_.tolist().count("small") == 1


def test_words_and_output_stay():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(corpus().toarray(), columns=[f"w{v}" for v in range(60)])
    lda = small_lda().fit(frame).set_output(transform="pandas").set_labels({0: "sports"})
    merged = lda.merge_topics([1, 2])
    assert merged.feature_names_in_.tolist() == list(frame.columns)
    assert list(merged.transform(frame).columns) == ["sports", "temperedlda1", "temperedlda2"]
    for model in (lda, merged):
        with pytest.warns(UserWarning, match="X does not have valid feature names"):
            model.transform(corpus().toarray())


@pytest.mark.parametrize(
    ("groups", "error", "match"),
    [
        ([0, 4], ValueError, "topics are 0 to 3, got 4"),
        ([[0, 1], [1, 2]], ValueError, "topic 1 is in two groups"),
        ([[]], ValueError, "empty groups"),
        ([0, [1, 2]], TypeError, "0 is a topic beside lists"),
        (["law", 1], ValueError, "no topic has the label 'law'"),
        ("law", TypeError, "list of topics"),
        ([0.0, 2.0], TypeError, "must be a number or a label, got 0.0"),
        (3, TypeError, "list of topics"),
    ],
)
def test_refuses_groups(groups, error, match):
    with pytest.raises(error, match=match):
        small_lda().fit(corpus()).merge_topics(groups)


def test_refuses():
    lda = small_lda().fit(corpus())
    with pytest.raises(ValueError, match="one topic has to be left"):
        lda.drop_topics(range(4))
    with pytest.raises(TypeError, match="topics must be a topic or a list"):
        lda.drop_topics(None)
    with pytest.raises(TypeError, match="hierarchy must be a TopicHierarchy"):
        lda.reduce_to(2, hierarchy=3)
    with pytest.raises(ValueError, match="n_components"):
        lda.reduce_to(5)
    with pytest.raises(ValueError, match="hierarchy has 3 topics"):
        lda.reduce_to(2, hierarchy=topic_hierarchy(lda.drop_topics(0)))


def test_sums_that_are_too_large_are_refused():
    large = np.full((4, 60), 4e14)
    for parameters, largest in (
        ({"doc_topic_prior": [6e4, 6e4, 1.0, 1.0]}, "1.2e.05 .* at most 100000"),
        ({"doc_topic_prior": 6e4}, "1.2e.05 .* at most 100000"),
        ({"topic_word_prior": large * np.linspace(0, 2, 60) + 1}, "1.6e.15 .* at most 1e.15"),
        ({"init": large * 2}, "1.6e.15 .* at most 1e.15"),
    ):
        (name,) = parameters
        lda = small_lda(**parameters, max_iter=1).fit(corpus())
        with pytest.raises(ValueError, match=rf"{name} of merged topics is .* {largest}"):
            lda.merge_topics([0, 1])
        assert lda.drop_topics([0]).partial_fit(corpus()).components_.shape == (3, 60)


def test_no_groups_change_nothing():
    lda = small_lda().fit(corpus())
    assert learned_state(lda.merge_topics([])) == learned_state(lda)


@pytest.mark.parametrize("seeds", [dict, SeedTopics])
def test_seeds_of_topics_that_are_left(seeds):
    words = [f"word{v}" for v in range(60)]
    prior = seeds({"a": words[:3], "b": words[2:5], "c": words[5:8]})
    lda = small_lda(topic_word_prior=prior).fit(corpus(), feature_names=words)
    merged = lda.merge_topics(["a", "b"])
    left = getattr(merged.topic_word_prior, "topics", merged.topic_word_prior)
    assert left == {merged.labels_[0]: words[:5], "c": words[5:8]}
    dropped = lda.drop_topics(["a", "c"])
    again = clone(dropped).fit(corpus(), feature_names=words)
    assert again.labels_[0] == "b"
    assert again.labels_[1].startswith("word")
    assert lda.drop_topics(["a", "b", "c"]).topic_word_prior == 0.05
    assert lda.topic_word_prior is prior


@pytest.mark.parametrize("later", [{"x": ["word9"]}, {"b": ["word9"]}, None, 0.3])
def test_seeds_are_those_that_topics_were_learned_with(later):
    words = [f"word{v}" for v in range(60)]
    lda = small_lda(topic_word_prior={"a": words[:3], "b": words[2:5]})
    lda.fit(corpus(), feature_names=words)
    expected = lda.merge_topics(["a", "b"])
    merged = lda.set_params(topic_word_prior=later).merge_topics(["a", "b"])
    assert merged.topic_word_prior.topics == {merged.labels_[0]: words[:5]}
    assert merged.labels_.tolist() == expected.labels_.tolist()
    X = corpus(300, 5)
    assert learned_state(merged.partial_fit(X)) == learned_state(expected.partial_fit(X))


@pytest.mark.parametrize(
    ("settings", "base"), [({}, 0.05), ({"inference": "vb"}, 0.1), ({"base": 0.2}, 0.2)]
)
def test_a_model_without_its_seeded_topics_goes_on(settings, base, tmp_path):
    words = [f"word{v}" for v in range(60)]
    seeds = SeedTopics({"a": words[:3]}, base=settings.pop("base", None))
    lda = small_lda(topic_word_prior=seeds, **settings).fit(corpus(), feature_names=words)
    left = lda.drop_topics("a")
    assert left.topic_word_prior == base
    assert_allclose(left.topic_word_prior_, base)
    left.save(tmp_path / "model")
    loaded = topictemper.load(tmp_path / "model")
    assert learned_state(loaded.partial_fit(corpus())) == learned_state(left.partial_fit(corpus()))


def test_a_prior_of_words_stays_as_it_is():
    eta = np.linspace(0.1, 0.5, 60)
    lda = small_lda(topic_word_prior=eta, dtype="float64").fit(corpus())
    merged = lda.merge_topics([[1, 3]])
    assert_allclose(merged.topic_word_prior_, eta)
    assert_allclose(
        merged.components_[1] - eta, lda.components_[[1, 3]].sum(axis=0) - 2 * eta, atol=1e-9
    )
    assert merged.partial_fit(corpus()).components_.shape == (3, 60)


@pytest.mark.parametrize(
    "later",
    [
        {"n_components": 3, "doc_topic_prior": [0.5] * 3, "topic_word_prior": np.ones((3, 60))},
        {"init": np.ones((2, 60)), "doc_topic_prior": "auto", "topic_word_prior": {"a": ["w1"]}},
    ],
)
def test_parameters_that_were_set_after_the_fit_change_nothing(later):
    lda = small_lda(doc_topic_prior=[0.1, 0.2, 0.3, 0.4]).fit(corpus())
    expected = lda.merge_topics([1, 3])
    merged = lda.set_params(**later).merge_topics([1, 3])
    assert learned_state(merged) == learned_state(expected)
    assert_allclose(merged.doc_topic_prior, [0.1, 0.6, 0.3])
    assert merged.n_components == 3
    assert merged.init is None
    assert merged.topic_word_prior is None
    assert learned_state(merged.partial_fit(corpus(300, 5))) == learned_state(
        expected.partial_fit(corpus(300, 5))
    )
    assert lda.drop_topics(3).components_.shape == lda.reduce_to(3).components_.shape == (3, 60)
