"""`TopicModel.update`."""

from copy import deepcopy
from weakref import WeakSet

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from topictemper import load
from topictemper.text import _batches

from .small_texts import texts, topic_model


@pytest.fixture(scope="module")
def model():
    """A fitted model, which is not to be changed."""
    return topic_model().fit(texts())


def test_update(model):
    updated = topic_model().fit(texts())
    more = [*texts(30, seed=1), "river boat zebra zebra giraffe"]
    assert updated.update(iter(more)) is updated
    assert updated.lda_.n_batch_iter_ == model.lda_.n_batch_iter_ + 2  # 20 and 11 documents
    assert updated.unknown_share_ == 3 / (12 * 30 + 5)
    unknown = updated.unknown_words_
    assert (list(unknown["word"]), list(unknown["count"])) == (["zebra", "giraffe"], [2, 1])
    assert updated.topics_.documents.sum() == 151
    counts = updated.vectorizer_.transform(more)
    expected = topic_model().fit(texts()).lda_.partial_fit(counts).components_
    assert_array_equal(updated.lda_.components_, expected)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed_topics": {"water": ["boat"]}}, "seed_topics is .* began with None, and update"),
        ({"n_components": 5}, "n_components is 5, but training began with 3.* set n_components"),
        ({"lda__tempering": "avi"}, "lda__tempering is 'avi'"),
        ({"lda__topic_word_prior": 2.0}, "lda__topic_word_prior is 2.0"),
        ({"seed_topics": [["boat"]]}, "seed_topics must be a mapping"),
        ({"vectorizer__max_df": 0.4}, "vectorizer__max_df is 0.4, but training began with 0.5"),
        ({"vectorizer__stop_words": ["boat"]}, r"vectorizer__stop_words is an array of shape \(1,"),
        ({"vectorizer__dtype": np.int64}, "vectorizer__dtype is <class .numpy.int64.>, but"),
        ({"vectorizer__analyzer": str.split}, "vectorizer__analyzer is <method"),
        ({"vectorizer": HashingVectorizer()}, "vectorizer must be a CountVectorizer"),
    ],
)
def test_an_update_refuses_parameters_that_it_would_ignore(changed, message):
    fitted = topic_model().fit(texts())
    before, n = clone(fitted).get_params(deep=False), fitted.lda_.n_batch_iter_
    fitted.set_params(**changed)
    with pytest.raises((TypeError, ValueError), match=message):
        fitted.update(texts(30, seed=1))
    assert fitted.lda_.n_batch_iter_ == n
    fitted.set_params(**{**before, "random_state": 5})
    fitted.update(texts(30, seed=1))


class _Stemmer:
    """What `clone` copies, and what is equal to itself only."""

    def __call__(self, text):
        return text.split()

    def words(self, text):
        return text.split()


class _OtherVectorizer(CountVectorizer):
    pass


@pytest.mark.parametrize(
    "of_words",
    [
        {},
        {"ngram_range": (1, 2), "stop_words": ["Boat", "river"], "vocabulary": {"violin", "fish"}},
        {"analyzer": _Stemmer()},
        {"tokenizer": _Stemmer().words, "token_pattern": None},
        {"preprocessor": lambda text: text[:20]},
    ],
)
def test_an_update_takes_a_vectorizer_that_has_not_changed(of_words):
    vectorizer = CountVectorizer(**of_words)
    fitted = topic_model(vectorizer=vectorizer).fit(texts())
    fitted.update(texts(30, seed=1))
    deepcopy(fitted).update(texts(30, seed=1))
    fitted.set_params(vectorizer=_OtherVectorizer(**of_words))
    with pytest.raises(ValueError, match="vectorizer is _OtherVectorizer"):
        fitted.update(texts(30, seed=1))


def test_an_update_takes_the_vectorizer_of_a_file_and_of_lists_of_tokens(tmp_path):
    documents = [text.split() for text in texts()]
    topic_model(vectorizer=CountVectorizer(min_df=2)).fit(documents).save(tmp_path / "model")
    model = load(tmp_path / "model").update(documents[:30])
    model.set_params(vectorizer__ngram_range=(1, 2))
    with pytest.raises(ValueError, match=r"ngram_range is \(1, 2\), but .* with \(1, 1\)"):
        model.update(documents[:30])


def test_a_model_with_seeds_learns_more(tmp_path):
    seeds = {"water": ["boat"]}
    fitted = topic_model(seed_topics=seeds).fit(texts())
    fitted.save(tmp_path / "model")
    for model in (load(tmp_path / "model"), fitted, fitted.merge_topics([0, 1])):
        model.update(texts(30, seed=1))
    fitted.set_params(seed_topics={"water": ["river"]})
    with pytest.raises(ValueError, match=r"\['river'\].* began with .*\['boat'\]"):
        fitted.update(texts())


def test_drift_is_a_warning():
    updated = topic_model().fit(texts())
    with pytest.warns(UserWarning, match=r"8 of 32 words of 2 documents .* \(25.0%; 0.0% in fit"):
        updated.update([f"{text} {'koala ' * 4}" for text in texts(2)])
    updated = topic_model().fit(texts())
    updated.update([f"{text} koala" for text in texts(2)])  # 7.7%
    updated = topic_model().fit(texts())
    with pytest.warns(UserWarning, match=r"24 of 48 words of 2 documents .* \(50.0%; 0.0% in fit"):
        updated.update([f"{text} zebra giraffe okapi {'koala ' * 9}" for text in texts(2)])
    with pytest.warns(UserWarning, match=r"\(52.0%; 0.0% in fit"):  # as long as it is so
        updated.update([f"{text} {'koala ' * 13}" for text in texts(2)])


def test_a_list_is_checked_before_it_is_learned(model, monkeypatch):
    monkeypatch.setattr(_batches, "_MOST_DOCUMENTS", 20)  # at a time
    updated = topic_model().fit(texts())
    bad = [*texts(50), 5]
    with pytest.raises(TypeError, match="document 50 is neither"):
        updated.update(bad)
    assert_array_equal(updated.lda_.components_, model.lda_.components_)
    assert list(updated.topics_.documents) == list(model.topics_.documents)
    with pytest.raises(TypeError, match="document 50 is neither"):
        updated.update(iter(bad))


def test_a_stream_is_not_held_in_memory(monkeypatch):
    monkeypatch.setattr(_batches, "_MOST_DOCUMENTS", 20)  # at a time
    updated = topic_model(n_jobs=1).fit(texts())
    alive, most, before = WeakSet(), 0, updated.lda_.n_batch_iter_

    class Text(str):
        """A string of which it can be known whether it is still there."""

        __hash__ = object.__hash__  # or `alive` would take equal texts for one

    def stream():
        nonlocal most
        for text in texts(400, seed=1):
            text = Text(text)
            alive.add(text)
            most = max(most, len(alive))
            yield text
        # The texts of these minibatches are there no more, and nor are their counts.
        assert updated.lda_.n_batch_iter_ - before >= 17

    updated.update(stream())
    assert updated.topics_.documents.sum() == 520
    assert most <= 20  # a batch
