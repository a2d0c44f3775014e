"""How many passes rounds make, and how long they learn alpha."""

import pytest

from topictemper import TemperedLDA

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
    monkeypatch.setattr("topictemper.lda._config.usual_passes", passes)
    assert TemperedLDA(3, random_state=0).fit(X).n_iter_ == 4
    assert estimator(max_iter=None, rounds_per_pass=1).fit([X[:20], X[20:]]).n_iter_ == 4


def test_the_plan_has_the_passes_over_the_sample_and_those_by_rounds():
    # Alpha is learned in the last of all.
    trainer = estimator(max_iter=4).fit(counts()).to_local()._trainer
    assert trainer.plan.planned_passes > 4
    assert trainer.clock.passes == pytest.approx(trainer.plan.planned_passes)
