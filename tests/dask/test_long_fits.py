"""How many passes rounds make, and how long they learn alpha."""

import pytest

from topictemper import TemperedLDA
from topictemper.lda._priors import PriorLearner

from .documents import counts, estimator


def test_rounds_learn_alpha_as_long_fits_do(monkeypatch):
    # Few documents would take as many passes as a sample does.
    monkeypatch.setattr("topictemper.lda._config.default.SEEN_OF_FEW", 0)
    lda = estimator(max_iter=1, rounds_per_pass=1).fit(counts()[:60])
    assert lda.to_local()._trainer.plan.is_long


def test_rounds_make_the_passes_of_a_plain_fit(monkeypatch):
    def passes(n_documents, length):
        return 4.0 if (n_documents, length) == (60, X.sum() / 60) else 2.0

    X = counts()[:60]
    monkeypatch.setattr("topictemper.lda._plan.default_passes", passes)
    assert TemperedLDA(3, random_state=0).fit(X).n_iter_ == 4
    assert estimator(max_iter=None, rounds_per_pass=1).fit([X[:20], X[20:]]).n_iter_ == 4


def test_alpha_is_learned_in_the_last_of_all_passes(monkeypatch):
    def spy(learner, clock, batch):
        planned.add(learner.plan.planned_passes)
        return wants(learner, clock, batch)

    planned, wants = set(), PriorLearner.wants_samples
    monkeypatch.setattr(PriorLearner, "wants_samples", spy)
    trainer = estimator(max_iter=4).fit(counts()).to_local()._trainer
    of_sample = trainer.plan.planned_passes
    assert planned == {of_sample, of_sample + 4}
    assert trainer.clock.passes == pytest.approx(of_sample + 4)


def test_the_temperature_does_not_rise_again_in_rounds():
    lda = estimator(max_iter=100, rounds_per_pass=1, n_shards=1, batch_size=10).fit(counts())
    history = lda.to_local().temperature_history_
    in_rounds = history["temperature"][history["pass"] > 40.1]  # a small sample takes 40
    assert history["temperature"].max() > 1.1
    assert len(in_rounds) > 50
    assert (in_rounds == 1).all()
