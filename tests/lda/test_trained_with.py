"""Arrays that are parameters, and that the user changes in place after a fit."""

from copy import deepcopy

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper import load
from topictemper.persistence._models import tree_of

from ..small_lda import corpus, learned_state, noise, small_lda

BY_WORD = np.linspace(0.1, 0.3, 60)
ARRAYS = [
    pytest.param("doc_topic_prior", np.array([0.1, 0.2, 0.3, 0.4]), id="alpha"),
    pytest.param("doc_topic_prior", [0.1, 0.2, 0.3, 0.4], id="list"),
    pytest.param("topic_word_prior", BY_WORD, id="eta by word"),
    pytest.param("topic_word_prior", np.array([BY_WORD, BY_WORD, BY_WORD, BY_WORD]), id="eta"),
]


def saved(lda, path):
    """The model once it has been through a file."""
    lda.save(path)
    return load(path)


def given(value):
    """A copy, and what changes it in place."""
    value = deepcopy(value)

    def change():
        value[0] = value[1] + np.float64(0.5)

    return value, change


@pytest.mark.parametrize(("name", "prior"), ARRAYS)
@pytest.mark.parametrize("fits", ["fit", "partial_fit"])
def test_a_saved_model_knows_what_it_was_trained_with(name, prior, fits, tmp_path):
    value, change = given(prior)
    lda = getattr(small_lda(**{name: value}), fits)(corpus())
    change()
    loaded = saved(saved(lda, tmp_path / "a.npz"), tmp_path / "b.npz")
    assert_array_equal(getattr(loaded, name), value)
    with pytest.raises(ValueError, match=f"{name} is an array .* training began with other values"):
        loaded.partial_fit(corpus())
    loaded.set_params(**{name: prior}).partial_fit(corpus())
    lda.set_params(**{name: prior}).partial_fit(corpus())
    assert learned_state(loaded) == learned_state(lda)


@pytest.mark.parametrize(("name", "prior"), ARRAYS)
def test_a_loaded_model_knows_what_it_was_trained_with(name, prior, tmp_path):
    lda = saved(small_lda(**{name: np.array(prior)}).fit(corpus()), tmp_path / "a.npz")
    getattr(lda, name)[0] = 0.7
    again = saved(lda, tmp_path / "b.npz")
    assert_array_equal(getattr(again, name), getattr(lda, name))
    again.set_params(**{name: prior}).partial_fit(corpus())


@pytest.mark.parametrize(("name", "array"), [*ARRAYS, pytest.param("init", noise(), id="init")])
def test_topics_are_merged_with_what_they_were_learned_with(name, array):
    value, change = given(array)
    lda = small_lda(**{name: value}).fit(corpus())
    expected = lda.merge_topics([0, 1])
    change()
    merged = lda.merge_topics([0, 1])
    assert_array_equal(getattr(merged, name), getattr(expected, name))
    assert learned_state(merged.partial_fit(corpus())) == learned_state(
        expected.partial_fit(corpus())
    )


def test_a_merged_model_has_arrays_of_its_own():
    lda = small_lda(topic_word_prior=BY_WORD.copy()).fit(corpus())
    merged = lda.merge_topics([0, 1])
    merged.topic_word_prior[0] = 0.7
    assert_array_equal(merged.merge_topics([0, 1]).topic_word_prior, BY_WORD)
    assert_array_equal(lda.topic_word_prior, BY_WORD)


@pytest.mark.parametrize(("name", "prior"), ARRAYS)
def test_a_file_holds_an_array_once(name, prior):
    lda = small_lda(**{name: prior}).fit(corpus())
    tree = tree_of(lda)
    assert_array_equal(tree["parameters"][name], prior)
    assert name not in tree["state"]["parameters"]
    assert tree["state"]["seeds"] is None
