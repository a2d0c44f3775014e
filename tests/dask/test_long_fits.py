"""How long rounds learn alpha."""

from .documents import counts, estimator


def test_rounds_learn_alpha_as_long_fits_do(monkeypatch):
    # Few documents would take as many passes as a sample does.
    monkeypatch.setattr("topictemper.lda._config.default.SEEN_OF_FEW", 0)
    lda = estimator(max_iter=1, rounds_per_pass=1).fit(counts()[:60])
    assert lda.to_local()._trainer.plan.is_long(20)
