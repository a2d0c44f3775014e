"""Ctrl-C in fit with ``on_interrupt="keep"``; test_interrupts.py has all other interrupts."""

import re

import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from topictemper.lda import _fitted
from topictemper.lda._training import Trainer
from topictemper.tempering import ConstantSchedule

from ..small_lda import corpus, learned_state, small_lda

STEPS = 10  # minibatches in a pass of `corpus`


class Interrupt:
    """Raises KeyboardInterrupt before one of the steps of a fit."""

    def __init__(self, monkeypatch, at):
        self.at, self.steps, self.step = at, 0, Trainer.step
        monkeypatch.setattr(Trainer, "step", lambda *args, **kwargs: self(*args, **kwargs))

    def __call__(self, *args, **kwargs):
        self.steps += 1
        if self.steps == self.at:
            raise KeyboardInterrupt
        return self.step(*args, **kwargs)


def interrupted(monkeypatch, at, **parameters):
    lda = small_lda(**{"max_iter": 6, "max_temperature": 2.0, **parameters})
    with monkeypatch.context() as patch:
        Interrupt(patch, at)
        with pytest.warns(ConvergenceWarning, match="interrupted after") as caught:
            lda.fit(corpus(), on_interrupt="keep")
    assert [warning.filename == __file__ for warning in caught] == [True]
    return lda, str(caught[0].message)


def test_the_last_whole_pass_is_kept(monkeypatch):
    lda, message = interrupted(monkeypatch, 4 * STEPS + 3)
    assert "after 4 of 6 whole passes" in message
    assert lda.n_iter_ == 4
    assert lda.n_batch_iter_ == 4 * STEPS

    # The same bits as a fit of which the fourth pass is the last.
    states = []
    step = Trainer.step

    def watching(self, *args, **kwargs):
        result = step(self, *args, **kwargs)
        if self.clock.n_updates == 4 * STEPS:
            states.append(self.predictive_topics.components().tobytes())
        return result

    monkeypatch.setattr(Trainer, "step", watching)
    small_lda(max_iter=6, max_temperature=2.0).fit(corpus())
    assert states == [lda.components_.tobytes()]


def test_a_hot_model_is_said_to_be_hot(monkeypatch):
    lda, message = interrupted(monkeypatch, STEPS + 1)
    assert lda.temperature_ > 1
    assert float(re.search(r"T = ([\d.]+),", message)[1]) == pytest.approx(lda.temperature_, 0.01)
    lda, message = interrupted(monkeypatch, 4 * STEPS + 1)
    assert lda.temperature_ == 1
    assert "T =" not in message


@pytest.mark.parametrize(("T", "said"), [(1.0004, ""), (1.002, "still hot, at T = 1.002,")])
def test_a_temperature_that_is_nearly_1_is_not_said_to_be_hot(monkeypatch, T, said):
    schedule = {"max_temperature": "auto", "schedule": ConstantSchedule(T)}
    lda, message = interrupted(monkeypatch, STEPS + 1, tempering="avi", **schedule)
    assert lda.temperature_ == pytest.approx(T)
    assert said in message
    assert ("hot" in message) == bool(said)


def test_topics_of_a_hot_model_are_not_said_to_be_too_many(monkeypatch):
    _, message = interrupted(monkeypatch, STEPS + 1, n_components=60)  # its only warning
    assert "still hot" in message


def test_an_interrupt_in_the_first_pass_leaves_the_estimator_unchanged(monkeypatch):
    lda = small_lda()
    Interrupt(monkeypatch, STEPS)
    with pytest.raises(KeyboardInterrupt):
        lda.fit(corpus(), on_interrupt="keep")
    with pytest.raises(NotFittedError):
        check_is_fitted(lda)


def test_without_it_an_interrupt_is_raised(monkeypatch):
    lda = small_lda().fit(corpus())
    before = learned_state(lda)
    Interrupt(monkeypatch, 2 * STEPS)
    with pytest.raises(KeyboardInterrupt):
        lda.fit(corpus())
    assert learned_state(lda) == before


def test_histories_end_with_the_kept_pass(monkeypatch):
    lda, _ = interrupted(monkeypatch, 4, learning_method="batch", batch_size=None)
    assert lda.elbo_history_["pass"].tolist() == [0, 1, 2]
    lda, message = interrupted(monkeypatch, 4 * STEPS, early_stopping=True)
    assert len(lda.score_history_) == lda.n_iter_
    assert "after 4 of 6 whole passes, and keeps the best model of these passes" in message


def test_it_goes_on_from_there(monkeypatch):
    lda, _ = interrupted(monkeypatch, 3 * STEPS)
    assert lda.partial_fit(corpus()).n_iter_ == 3
    assert lda.set_params(warm_start=True).fit(corpus(), on_interrupt="keep").n_iter_ == 6


def test_refuses():
    with pytest.raises(ValueError, match="on_interrupt"):
        small_lda().fit(corpus(), on_interrupt="stop")


def test_an_interrupt_while_twins_are_looked_for_keeps_the_model(monkeypatch):
    settings = {"n_components": 50, "max_iter": 1}
    with pytest.warns(UserWarning, match="topics are nearly the same"):
        whole = small_lda(**settings).fit(corpus())

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_fitted, "groups_within", interrupted)
    lda = small_lda(**settings)
    with pytest.raises(KeyboardInterrupt):
        lda.fit(corpus())
    with pytest.raises(NotFittedError):
        check_is_fitted(lda)
    with pytest.warns(ConvergenceWarning, match="interrupted after its passes, while it compared"):
        lda.fit(corpus(), on_interrupt="keep")
    assert learned_state(lda) == learned_state(whole)
