"""Tables of topics, documents and words."""

import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from topictemper._utils._tables import Table

from .small_texts import THEMES, assert_tables_equal, texts, topic_model


@pytest.fixture(scope="module")
def model():
    """A fitted model, which is not to be changed."""
    return topic_model().fit(texts())


def test_topics(model):
    table = model.topics_
    assert list(table.columns) == [
        "topic", "label", "share", "documents", "coherence", "words", "distinctive"
    ]  # fmt: skip
    assert list(table.topic) == [0, 1, 2]
    assert {frozenset(words[:6]) for words in table.words} == {
        frozenset(theme.split()) for theme in THEMES
    }
    assert {frozenset(words[:6]) for words in table.distinctive} == {
        frozenset(theme.split()) for theme in THEMES
    }
    assert [label.split() for label in table.label] == [words[:3] for words in table.words]
    assert list(table.documents) == [40, 40, 40]
    assert table.share.sum() == pytest.approx(1)
    assert ((table.coherence >= -1) & (table.coherence <= 1)).all()
    assert model.feature_names_.tolist() == sorted(" ".join(THEMES).split())
    assert model.unknown_share_ == 0


def test_labels_of_the_model_are_shown(model):
    model = clone(model).fit(texts())
    model.set_labels(["a", "b", "c"])
    assert list(model.topics_.label) == ["a", "b", "c"]
    topic = model.documents(["river boat"]).topic[0]
    assert model.documents(["river boat"]).label[0] == "abc"[topic]


def test_word_topics(model):
    given = ["river boat boat", "unheard", None, "engine road"]
    table = model.word_topics(given)
    assert list(table.document) == [0, 0, 3, 3]
    assert list(table.word) == ["boat", "river", "engine", "road"]
    assert list(table["count"]) == [2, 1, 1, 1]
    main = dict(enumerate(model.documents(given).topic))
    assert list(table.topic) == [main[document] for document in table.document]
    assert list(table.label) == [model.labels_[topic] for topic in table.topic]
    counts = model.vectorizer_.transform(["river boat boat", "", "", "engine road"])
    assert_tables_equal(table, model.lda_.word_topics(counts))


def test_documents(model):
    given = ["river boat water fish sea", "", None, "unheard words", "engine road wheel violin"]
    table = model.documents(given, n_topics=2)
    assert list(table.columns) == [
        "document", "topic", "label", "share", "topics", "shares", "words", "unknown", "perplexity"
    ]  # fmt: skip
    assert list(table.words) == [4, 0, 0, 0, 4]
    assert list(table.unknown) == [1, 0, 0, 2, 0]
    assert list(table.topic == -1) == [False, True, True, True, False]
    assert list(np.isnan(table.perplexity)) == [False, True, True, True, False]
    assert list(np.isnan(table.share)) == [False, True, True, True, False]
    with pytest.warns(UserWarning, match="3 of 5 documents have no word of the vocabulary"):
        theta = model.transform(given)
    order = np.argsort(-theta[4])[:2]
    assert table.topics[4] == order.tolist()
    assert table.shares[4] == pytest.approx(theta[4][order])
    assert table.topic[0] == table.topics[0][0] == theta[0].argmax()
    assert table.label[0] == model.topics_.label[table.topic[0]]
    assert table.perplexity[4] > table.perplexity[0]


def test_a_known_word_that_is_repeated_is_not_unknown_where_counts_are_binary():
    model = topic_model(vectorizer=CountVectorizer(binary=True)).fit(texts())
    table = model.documents(["boat boat boat fish sea"])
    assert (list(table.words), list(table.unknown)) == ([2], [1])


def test_index_of_a_series(model):
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(["river boat", "engine road"], index=["x", "y"], dtype="string")
    assert list(model.documents(series).document) == ["x", "y"]
    assert list(model.documents(["river boat", "engine road"]).document) == [0, 1]
    assert list(model.word_topics(series).document) == ["x", "x", "y", "y"]
    table = clone(model).set_output(transform="pandas").fit(texts()).transform(series)
    assert list(table.index) == ["x", "y"]


def test_columns_of_documents_belong_to_the_rows_of_the_data_frame(model):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": [*texts(6), "", *texts(3)]})
    expected = model.documents(frame["text"].tolist())["topic"].tolist()
    for index in (
        pandas.RangeIndex(10),
        pandas.Index([5, 3, 1, 0, 2, 4, 9, 8, 7, 6], name="topic"),
        pandas.Index(list("aabbccddee")),
        pandas.MultiIndex.from_product([["x", "y"], range(5)], names=["document", "topic"]),
    ):
        frame.index = index
        table = model.documents(frame["text"])
        frame["topic"] = table["topic"]
        assert frame["topic"].tolist() == expected
        assert table["document"].tolist() == index.tolist()
        assert table.groupby("topic").size().sum() == 10  # no name is both an index and a column
        assert frame.index.names == index.names


class NoPandas:
    """What importing finds where pandas is not installed."""

    @staticmethod
    def find_spec(name, *_):
        if name == "pandas":
            raise ModuleNotFoundError(name)


def test_tables_without_pandas(model, monkeypatch):
    # None among the modules would do for the import, but scikit-learn looks there for its types.
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    monkeypatch.setattr(sys, "meta_path", [NoPandas, *sys.meta_path])
    assert isinstance(model.topics_, Table)
    assert isinstance(model.documents(texts(3)), Table)


def test_all_tables_are_as_set_output_says(model):
    polars = pytest.importorskip("polars")
    other = topic_model().set_output(transform="polars").fit(texts())
    dates = np.repeat(np.datetime64("2024-01-31"), len(texts()))
    for table in (
        other.topics_,
        other.documents(texts(3)),
        other.topics_over_time(texts(), dates, period="month"),
        other.topics_by_group(texts(), ["a", "b"] * (len(texts()) // 2)),
        other.update(texts()).unknown_words_,
    ):
        assert isinstance(table, polars.DataFrame)
    of_words = other.word_topics(texts(3))
    assert of_words["probability"].dtype == polars.Float64
    assert other.word_topics(["unheard"]).schema == of_words.schema
    no_words = other.update(texts()).unknown_words_
    assert no_words.schema == other.update([*texts(), "zebra"]).unknown_words_.schema
    other.set_output(transform="default")
    some_words = other.unknown_words_
    assert some_words.dtypes.equals(other.update(texts()).unknown_words_.dtypes)
    shares = model.topics_over_time(texts(), dates, period="month")
    assert shares.period[0] == np.datetime64("2024-01-01")
    assert np.asarray(shares.documents).dtype.kind == "i"


def test_a_warning_is_shown_once_however_many_requests_there_are(model):
    model.documents(["river boat"])  # topics are named, by functions of scikit-learn that reset
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        for _ in range(3):
            model.transform(["unheard"])
            model.documents(["river boat", "unheard"])
    assert [str(each.message)[:6] for each in shown] == ["1 of 1"]
