"""What an interrupt or an error in the middle leaves of a `TopicModel`."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from topictemper import TemperedLDA, TopicModel, load
from topictemper.datasets import open_corpus
from topictemper.lda._clock import StreamClock
from topictemper.lda._training import Trainer
from topictemper.text._summaries import LearnedDocuments, TopicStatistics

from .small_texts import texts, topic_model


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_what_an_interrupt_does_is_checked_before_texts_are_read(method):
    with pytest.raises(ValueError, match="on_interrupt must be one of"):
        getattr(topic_model(), method)(iter(()), on_interrupt="stop")


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_an_interrupted_fit_keeps_its_topics(method, monkeypatch):
    step, steps = Trainer.step, iter(range(40))

    def interrupted(*args, **kwargs):
        if next(steps, None) is None:
            raise KeyboardInterrupt
        return step(*args, **kwargs)

    monkeypatch.setattr(Trainer, "step", interrupted)
    model = topic_model()
    with pytest.warns(ConvergenceWarning, match="interrupted after 6 of 30 whole passes"):
        result = getattr(model, method)(texts(), on_interrupt="keep")
    assert model.topics_.documents.sum() == 120
    if method == "fit_transform":
        np.testing.assert_array_equal(result, model.transform(texts()))


def test_an_interrupt_after_the_passes_can_keep_the_topics(monkeypatch, tmp_path):
    whole = topic_model().fit(texts())

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(TopicStatistics, "add", interrupted)
    model = topic_model()
    with pytest.raises(KeyboardInterrupt):
        model.fit(texts())
    assert not hasattr(model, "lda_")
    with pytest.warns(UserWarning, match="interrupted after its passes"):
        model.fit(texts(), on_interrupt="keep")
    model.save(tmp_path / "model")
    monkeypatch.undo()
    loaded = load(tmp_path / "model")
    for kept in (model, loaded, loaded.merge_topics([0, 1])):
        assert np.isnan(kept.topics_.coherence).all()
        assert np.isnan(kept.topics_.documents).all()
        kept.update(texts(10))  # what is added to a number that is not known is not known either
        assert np.isnan(kept.topics_.documents).all()
    np.testing.assert_array_equal(loaded.lda_.components_, whole.update(texts(10)).lda_.components_)
    monkeypatch.setattr(TopicStatistics, "add", interrupted)
    model.set_params(vectorizer__max_df=1.0)
    with pytest.warns(UserWarning, match="interrupted after its passes"):
        model.fit([["word"]] * 10, on_interrupt="keep")
    assert np.isnan(model.topics_.coherence).all()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_ends_the_proportions_of_fit_transform_leaves_the_model_fitted(
    error, monkeypatch, tmp_path
):
    add, model = TopicStatistics.add, topic_model()

    def failing(*_):
        raise error

    with monkeypatch.context() as patch:

        def then_failing(*arguments):
            add(*arguments)
            patch.setattr(TopicModel, "_transformed", failing)

        patch.setattr(TopicStatistics, "add", then_failing)
        with pytest.raises(error):
            model.fit_transform(texts(), corpus_folder=tmp_path / "corpus", on_interrupt="keep")
    assert model.topics_.documents.sum() == 120
    assert open_corpus(tmp_path / "corpus").counts.shape[0] == 120
    whole = topic_model().fit(texts())
    np.testing.assert_array_equal(model.transform(texts()), whole.transform(texts()))


def test_an_update_that_learns_nothing_leaves_nothing():
    updated = topic_model().fit(texts())
    before = list(updated.topics_.documents)

    def interrupted():
        yield from texts(10)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        updated.update(interrupted())
    updated.lda_.set_params(total_samples=-1)
    with pytest.raises(ValueError, match="total_samples"):
        updated.update(texts(10))
    assert list(updated.topics_.documents) == before
    updated.lda_.set_params(total_samples=None)
    assert updated.update(texts(10)).topics_.documents.sum() == sum(before) + 10


@pytest.mark.parametrize("weights", [None, [0.0, 0.5] * 20])
def test_an_interrupted_update_counts_what_it_has_learned(weights, monkeypatch):
    lda, step = TemperedLDA(3, max_iter=20, batch_size=8), Trainer.step
    updated = topic_model(lda=lda).fit(texts())
    before, largest = updated.topics_.documents, updated.transform(texts(40)).argmax(axis=1)
    steps = iter(range(2))

    def interrupted(*args, **kwargs):
        if next(steps, None) is None:
            raise KeyboardInterrupt
        return step(*args, **kwargs)

    monkeypatch.setattr(Trainer, "step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        updated.update(texts(40), sample_weight=weights)
    n_learned = 16 if weights is None else 33  # up to the next one that counts
    more = np.bincount(largest[:n_learned], minlength=3)
    assert_array_equal(updated.topics_.documents, before + more)


def test_many_weights_whose_sums_are_rounded_count_each_document():
    n_documents, clock = 100_000, StreamClock(None)
    lda, before = SimpleNamespace(_trainer=SimpleNamespace(clock=clock)), np.zeros((1, 3), np.int64)
    weights = np.full(n_documents, 0.1)  # one after the other they add up to more than 10,000
    documents = LearnedDocuments(lda, TopicStatistics(before, np.zeros(1)), weights)
    documents.read(sp.csr_array(np.ones((n_documents, 1))), np.ones((n_documents, 1)))
    clock.documents_seen = weights[:50_000].sum()
    assert documents.statistics().documents == 50_000
    clock.documents_seen = weights.sum()
    assert documents.statistics().documents == n_documents


def test_an_interrupt_at_the_end_of_an_update_is_raised(monkeypatch):
    updated, statistics = topic_model().fit(texts()), LearnedDocuments.statistics
    calls = iter(range(1))  # after that of `read`

    def interrupted(self):
        if next(calls, None) is None:
            monkeypatch.undo()
            raise KeyboardInterrupt
        return statistics(self)

    monkeypatch.setattr(LearnedDocuments, "statistics", interrupted)
    with pytest.raises(KeyboardInterrupt):
        updated.update(texts(10))
    assert updated.topics_.documents.sum() == 130
