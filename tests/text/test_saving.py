"""Models of texts in files."""

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer

from topictemper import TopicModel, load
from topictemper.text._saving import _counted

from .small_texts import assert_tables_equal, texts, topic_model


@pytest.fixture(scope="module")
def model():
    """A fitted model, which is not to be changed."""
    return topic_model().fit(texts())


def test_save_and_load(model, tmp_path):
    path = tmp_path / "posts.topics"
    model.save(path)
    again = load(path)
    given = [*texts(20, seed=1), "Harbour, FISH"]
    assert_array_equal(again.transform(given), model.transform(given))
    assert repr(again.get_params()) == repr(model.get_params())
    assert_tables_equal(again.topics_, model.topics_)
    first = topic_model().fit(texts()).update(texts(50, seed=2))
    second = again.update(texts(50, seed=2))
    assert_array_equal(first.lda_.components_, second.lda_.components_)


@pytest.mark.filterwarnings("ignore:.* have no word of the vocabulary")
@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(ngram_range=(1, 2), min_df=2, stop_words=["river", "boat"]),
        CountVectorizer(vocabulary={"river": 1, "engine": 0, "violin": 2}, dtype=np.float32),
        CountVectorizer(vocabulary={"engine", "violin", "melody"}, binary=True),
        CountVectorizer(analyzer="char_wb", ngram_range=(2, 2), max_features=10),
        CountVectorizer(lowercase=False, token_pattern=r"\w+", strip_accents="ascii"),
    ],
)
def test_vectorizers_are_saved(vectorizer, tmp_path):
    fitted = topic_model(vectorizer=vectorizer).fit(texts())
    fitted.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    assert_array_equal(again.transform(texts(9)), fitted.transform(texts(9)))
    assert_array_equal(again.fit(texts()).lda_.components_, fitted.lda_.components_)


def test_models_of_tokens_are_saved(tmp_path):
    tokens = [text.split() for text in texts()]
    fitted = topic_model(vectorizer=CountVectorizer(stop_words=["river"])).fit(tokens)
    assert "river" not in fitted.feature_names_
    fitted.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    assert_array_equal(again.transform(tokens), fitted.transform(tokens))
    with pytest.raises(TypeError, match="document 0 is a text, but a list of tokens is needed"):
        again.transform(texts())


def test_a_function_is_not_saved(tmp_path):
    fitted = topic_model(vectorizer=CountVectorizer(analyzer=str.split)).fit(texts())
    with pytest.raises(ValueError, match=r"analyzer=.* of the vectorizer cannot be written"):
        fitted.save(tmp_path / "model.npz")
    joblib.dump(fitted, tmp_path / "model.pkl")
    again = joblib.load(tmp_path / "model.pkl")
    assert_array_equal(again.transform(texts()), fitted.transform(texts()))
    assert_tables_equal(again.topics_, fitted.topics_)


def test_a_model_with_a_topic_without_words_is_saved(tmp_path):
    texts = ["a river boat", "the river"]
    vectorizer = CountVectorizer(stop_words="english")
    model = TopicModel(2, random_state=0, vectorizer=vectorizer).fit(texts)
    model.save(tmp_path / "model.npz")
    assert_array_equal(load(tmp_path / "model.npz").transform(texts), model.transform(texts))


def test_the_file_of_a_model_has_the_same_bytes(tmp_path):
    one, two, again = (tmp_path / name for name in ("one", "two", "again"))
    topic_model(n_jobs=1).fit(texts()).update(texts(20)).save(one)
    topic_model(n_jobs=2).fit(texts()).update(iter(texts(20))).save(two)
    load(one).save(again)
    assert one.read_bytes() == two.read_bytes() == again.read_bytes()
    load(one).set_labels({0: "boats"}).save(again)
    assert one.read_bytes() != again.read_bytes()


def test_unknown_words_are_saved_and_stay_with_fewer_topics(tmp_path):
    updated = topic_model().fit(texts())
    with pytest.raises(AttributeError, match="no unknown_words_ before update"):
        _ = updated.unknown_words_
    updated.update([*texts(), "zebra zebra giraffe"]).save(tmp_path / "model")
    loaded = load(tmp_path / "model").merge_topics([0, 1]).unknown_words_
    assert (list(loaded["word"]), list(loaded["count"])) == (["zebra", "giraffe"], [2, 1])


def test_unknown_words_of_a_file_are_words_and_counts():
    assert _counted([["zebra", 2]]) == {"zebra": 2}
    for wrong in ([["zebra", 2], [3, 1]], [["zebra", 0]]):
        with pytest.raises(ValueError, match=r"must be pairs of words and counts|count == 0"):
            _counted(wrong)
