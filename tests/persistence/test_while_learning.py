"""A model that is saved while it learns, in another thread or from a signal handler."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import topictemper
from topictemper import TopicModel
from topictemper.lda import _fitted
from topictemper.lda._training import Trainer

from ..small_lda import corpus, small_lda

LEARNING = r"model is not written: the model is learning, .* between two calls of partial_fit"


@pytest.fixture
def lda():
    return small_lda().partial_fit(corpus())


def meanwhile(monkeypatch, place, name, action):
    """Do something once, as another thread may, when a function is called."""
    function, left = getattr(place, name), [action]

    def called(*args, **kwargs):
        if left:
            left.pop()()
        return function(*args, **kwargs)

    monkeypatch.setattr(place, name, called)


def assert_keeps_file(path, save):
    path.write_text("what was there")
    with pytest.raises(RuntimeError, match=LEARNING):
        save()
    assert path.read_text() == "what was there"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(("place", "name"), [(np, "savez_compressed"), (_fitted, "trainer_tree")])
def test_minibatches_that_are_learned_meanwhile(lda, place, name, monkeypatch, tmp_path):
    path = tmp_path / "model"
    meanwhile(monkeypatch, place, name, lambda: lda.partial_fit(corpus()))
    assert_keeps_file(path, lambda: lda.save(path))
    lda.save(path)
    assert_array_equal(topictemper.load(path).components_, lda.components_)


def test_numbers_of_two_moments(lda, monkeypatch, tmp_path):
    def fail(tree):
        lda.partial_fit(corpus())
        raise ValueError("does not belong to the rest")

    monkeypatch.setattr(_fitted, "check_trainer", fail)
    assert_keeps_file(tmp_path / "model", lambda: lda.save(tmp_path / "model"))


@pytest.mark.parametrize("name", ["_planned_step", "_temperature_update"])
def test_a_minibatch_that_is_being_learned(lda, name, monkeypatch, tmp_path):
    path = tmp_path / "model"
    meanwhile(monkeypatch, Trainer, name, lambda: assert_keeps_file(path, lambda: lda.save(path)))
    lda.partial_fit(corpus())
    lda.save(path)
    assert_array_equal(topictemper.load(path).components_, lda.components_)


@pytest.mark.parametrize("name", ["_planned_step", "_temperature_update"])
def test_a_minibatch_that_failed_is_no_longer_learned(lda, name, monkeypatch, tmp_path):
    def interrupt():
        raise KeyboardInterrupt

    meanwhile(monkeypatch, Trainer, name, interrupt)
    with pytest.raises(KeyboardInterrupt):
        lda.partial_fit(corpus())
    lda.save(tmp_path / "model")


def test_a_stream_may_save_between_its_chunks(lda, tmp_path):
    def chunks():
        for n in range(3):
            lda.save(tmp_path / f"{n}")
            yield corpus()

    lda.partial_fit(chunks())
    learned = [topictemper.load(tmp_path / f"{n}").n_batch_iter_ for n in range(3)]
    assert learned == sorted(set(learned))


def test_texts(monkeypatch, tmp_path):
    texts, path = ["cat dog", "dog bird", "car road", "road wheel"] * 10, tmp_path / "model"
    model = TopicModel(2, lda=small_lda(), random_state=0).fit(texts)
    meanwhile(monkeypatch, np, "savez_compressed", lambda: model.update(texts))
    assert_keeps_file(path, lambda: model.save(path))
    model.save(path)
    assert_array_equal(topictemper.load(path).transform(texts), model.transform(texts))
