"""Topics of texts in collections of Dask, in one process; see test_cluster for a cluster."""

import gc
import pickle
import weakref

import dask
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import topictemper
from topictemper import metrics
from topictemper.dask import TemperedLDA, TopicModel, _text_tasks, _topic_model
from topictemper.tempering import Annealing

from .documents import TEXTS, rounds_of_texts


class Mine(Annealing):
    """A subclass, which no file holds."""


@pytest.fixture(scope="module", autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


def bag(n=5):
    return db.from_sequence(TEXTS, npartitions=n)


@pytest.fixture(scope="module")
def model():
    """A fitted model, which is not to be changed."""
    return rounds_of_texts().fit(bag())


def same(model, other):
    one, two = model.to_local(), other.to_local()
    np.testing.assert_array_equal(one.lda_.components_, two.lda_.components_)
    assert one.topics_.equals(two.topics_)
    return True


def test_the_words_are_those_of_one_machine(model):
    local = topictemper.TopicModel(3, lda=topictemper.TemperedLDA(max_iter=1)).fit(TEXTS)
    assert model.feature_names_.tolist() == local.feature_names_.tolist()
    assert model.unknown_share_ == pytest.approx(local.unknown_share_)
    assert 0 < model.unknown_share_ < 1


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(max_features=10),
        CountVectorizer(min_df=0.1, max_df=0.3, ngram_range=(1, 2)),
        CountVectorizer(vocabulary=["boat", "engine", "tin", "violin"]),
        CountVectorizer(binary=True),
    ],
)
def test_vectorizers(vectorizer):
    rounds = rounds_of_texts(vectorizer=vectorizer).fit(bag())
    lda = topictemper.TemperedLDA(max_iter=1)
    local = topictemper.TopicModel(3, vectorizer=vectorizer, lda=lda).fit(TEXTS)
    assert rounds.feature_names_.tolist() == local.feature_names_.tolist()
    assert rounds.unknown_share_ == pytest.approx(local.unknown_share_)


def test_a_given_vocabulary_stays_where_it_is(monkeypatch):
    """What a block says of words is small, however many are given."""
    words = [f"word{i}" for i in range(2000)]
    sizes = []
    words_of = _text_tasks.words_of

    def measured(*arguments):
        found = words_of(*arguments)
        sizes.append(len(pickle.dumps(found)))
        return found

    monkeypatch.setattr(_text_tasks, "words_of", measured)
    vectorizer = CountVectorizer(vocabulary=["boat", "engine", *words])
    rounds_of_texts(vectorizer=vectorizer).fit(bag())
    assert max(sizes) < 2000


def test_words_of_a_block_are_freed_at_once():
    """Workers would hold the words of many blocks until the collector of cycles runs."""
    gc.disable()
    try:
        words = _text_tasks.words_of(0, TEXTS, CountVectorizer(), False)
        freed = weakref.ref(words)
        del words
        assert freed() is None
    finally:
        gc.enable()


def test_topics_and_statistics(model):
    local = model.to_local()
    table = local.topics_
    themes = {label.split()[0][0] for label in table.label}
    assert len(themes) == 3
    counts = local.vectorizer_.transform(TEXTS)
    assert table.documents.sum() == (counts.sum(axis=1) > 0).sum() == len(TEXTS) - 4
    expected = metrics.coherence(local.lda_, counts, per_topic=True)
    np.testing.assert_allclose(table.coherence, expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.* have no word of the vocabulary")
@pytest.mark.parametrize(
    "texts",
    [
        lambda: bag(20),  # more than are put together at a time
        lambda: db.concat([bag(3).filter(lambda text: False), bag(7)]),
        lambda: bag(4).map(str),
        lambda: dd.from_pandas(pd.DataFrame({"text": TEXTS}), npartitions=3)["text"],
    ],
)
def test_blocks_do_not_matter(model, texts):
    other = rounds_of_texts().fit(texts())
    assert same(model, other)
    theta = other.transform(texts())
    assert theta.shape[1] == 3
    local = model.to_local()
    np.testing.assert_array_equal(theta.compute(), local.transform(TEXTS))
    assert float(other.score(texts())) == local.score(TEXTS)
    assert float(other.perplexity(texts())) == local.perplexity(TEXTS)
    weights = np.arange(len(TEXTS)) % 2
    assert float(other.score(texts(), None, weights)) == local.score(TEXTS, None, weights)
    perplexity = float(other.perplexity(texts(), sample_weight=weights))
    assert perplexity == local.perplexity(TEXTS, None, weights)


def test_tokens():
    tokens = [text.split() for text in TEXTS]
    rounds = rounds_of_texts().fit(db.from_sequence([None, *tokens], npartitions=4))
    local = topictemper.TopicModel(3, lda=topictemper.TemperedLDA(max_iter=1)).fit(tokens)
    assert rounds.feature_names_.tolist() == local.feature_names_.tolist()
    with pytest.raises(TypeError, match="block 1 of X: document 0 is a text"):
        rounds.transform(db.from_sequence([["boat"], "boat"], npartitions=2)).compute()


def test_validation_and_checkpoints(model, tmp_path):
    lda = TemperedLDA(n_shards=2, max_iter=2, batch_size=20, checkpoint=tmp_path / "rounds")
    safe = TopicModel(3, lda=lda, random_state=0).fit(bag(), validation_texts=TEXTS[:40])
    scores = safe.lda_.score_history_["score"]
    assert len(scores) == 8
    assert scores[-1] == pytest.approx(safe.to_local().score(TEXTS[:40]))
    again = clone(safe).fit(bag(3), validation_texts=TEXTS[:40], resume=True)
    assert same(safe, again)


def test_the_local_model(model, tmp_path):
    local = model.to_local()
    local.save(tmp_path / "model.npz")
    loaded = topictemper.load(tmp_path / "model.npz")
    assert loaded.topics_.equals(local.topics_)
    assert loaded.documents(TEXTS[:3]).equals(local.documents(TEXTS[:3]))
    local.set_params(lda__max_iter=7)  # for the next fit
    local.update(TEXTS[:50])
    local.set_params(vectorizer__lowercase=False)
    assert model.vectorizer_.lowercase
    with pytest.raises(ValueError, match="vectorizer__lowercase is False"):
        local.update(TEXTS[:50])


def test_parameters_of_the_lda():
    lda = TemperedLDA(7, n_jobs=2, n_shards=2, max_iter=1)
    model = TopicModel(3, lda=lda, random_state=5, n_jobs=1).fit(bag())
    fitted = model.lda_.get_params()
    assert (fitted["n_components"], fitted["random_state"], fitted["n_jobs"]) == (3, 5, 1)
    assert lda.n_components == 7
    assert TopicModel(lda=lda).fit(bag()).to_local().lda_.components_.shape[0] == 7
    parts = TopicModel(3).set_params(lda__max_iter=1, vectorizer__min_df=2)
    assert (parts.lda.max_iter, parts.vectorizer.min_df) == (1, 2)


@pytest.mark.parametrize(
    ("texts", "error", "what"),
    [
        (lambda: TEXTS, TypeError, "for texts in memory use topictemper.TopicModel"),
        (lambda: [dask.delayed(TEXTS)], TypeError, "texts is Delayed.*; of texts dask.bag.from"),
        (lambda: dd.from_pandas(pd.DataFrame({"a": TEXTS}), npartitions=2), TypeError, "one col"),
        (lambda: bag().filter(lambda text: False), ValueError, "texts has no documents"),
        (lambda: bag().map(lambda text: ""), ValueError, "texts has no words"),
        (
            lambda: db.from_sequence([*TEXTS, 3.5], npartitions=4),
            TypeError,
            r"block \d of texts: document \d+ is neither a text",
        ),
    ],
)
def test_bad_texts(texts, error, what):
    model = rounds_of_texts()
    with pytest.raises(error, match=what):
        model.fit(texts())
    assert not hasattr(model, "lda_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components == 0"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"random_state": "0"}, "random_state must be"),
        ({"verbose": -1}, "verbose == -1"),
        ({"lda": TemperedLDA(tempering="hot")}, "tempering must be one of"),
        ({"lda": TemperedLDA(max_iter=0, init=np.ones((3, 9)))}, "max_iter == 0"),
        ({"lda": TemperedLDA(topic_word_prior={"water": ["boat"]})}, "must be numbers on Dask"),
        ({"lda": TemperedLDA(n_shards=0)}, "n_shards == 0"),
        ({"lda": TemperedLDA(rounds_per_pass=0)}, "rounds_per_pass == 0"),
        ({"lda": TemperedLDA(sample_size=0)}, "sample_size == 0"),
        ({"lda": TemperedLDA(early_stopping=True)}, "early_stopping=True needs .*validation_texts"),
        ({"lda": TemperedLDA(checkpoint=5)}, "checkpoint must be the path of a folder"),
        ({"lda": TemperedLDA(tempering=Mine(), checkpoint="none")}, r"Mine\(\) cannot be written"),
        ({"resume": True}, "resume=True goes on with a checkpoint"),
        ({"resume": 1}, "resume must be True or False"),
        ({"validation_texts": "boat"}, "texts is one string"),
    ],
)
def test_parameters_are_checked_before_words_are_counted(parameters, message, monkeypatch):
    def unread(*_):
        raise AssertionError("words were counted")

    monkeypatch.setattr(_topic_model, "_words", unread)
    of_fit = {
        name: parameters[name] for name in parameters if name in ("resume", "validation_texts")
    }
    own = {name: value for name, value in parameters.items() if name not in of_fit}
    with pytest.raises((TypeError, ValueError), match=message):
        TopicModel(**own).fit(bag(), **of_fit)


def test_bad_parameters():
    with pytest.raises(TypeError, match=r"lda must be a topictemper\.dask\.TemperedLDA"):
        TopicModel(lda=topictemper.TemperedLDA()).fit(bag())
    with pytest.raises(TypeError, match="vectorizer must be a CountVectorizer"):
        TopicModel(vectorizer=TfidfVectorizer()).fit(bag())
    with pytest.raises(ValueError, match="validation_texts has no document with two tokens"):
        rounds_of_texts().fit(bag(), validation_texts=["", "boat"])
    with pytest.raises(ValueError, match="not fitted"):
        TopicModel().transform(bag())


WORDS = [f"word{first}{second}" for first in "abcdefghij" for second in "abcdefghij"]
WITH_WORDS = [" ".join(np.random.default_rng(i).choice(WORDS, 30)) for i in range(60)]


def test_many_documents_without_words_warn():
    said = "^15 of 75 documents have no word of the vocabulary.* see whether min_df, max_df, max_"
    texts = [*WITH_WORDS, *["", "of the", None] * 5]
    with pytest.warns(UserWarning, match=said) as got:
        rounds_of_texts().fit(db.from_sequence(texts, npartitions=3))
    assert [warning.filename for warning in got] == [__file__]
