"""How alpha follows the samples of documents."""

import warnings
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from topictemper import TemperedLDA
from topictemper.datasets import make_lda_corpus
from topictemper.lda import _fitted
from topictemper.lda._clock import StreamClock
from topictemper.lda._plan import usual_passes
from topictemper.lda._priors import PriorLearner
from topictemper.lda._training import Trainer

from ..small_lda import minibatch, plan_of, random_counts, small_lda


def learner_of_samples(plan=None):
    return PriorLearner(False, False, 1e-3, 0.1, of_samples=True, plan=plan or plan_of(1000))


def sampled(words, alpha, rng):
    """Topics of the tokens of documents (D, N), sampled from two topics with alpha, as counts."""
    likelihood = np.array([[0.9, 0.1], [0.1, 0.9]])  # of two words in the topics
    z = rng.integers(0, 2, words.shape)
    for _ in range(20):
        for i in range(words.shape[1]):
            others = np.delete(z, i, axis=1)
            n = np.column_stack([(others == k).sum(axis=1) for k in range(2)])
            p = (n + alpha) * likelihood[:, words[:, i]].T
            z[:, i] = rng.random(len(z)) * p.sum(axis=1) > p[:, 0]
    return np.column_stack([(z == k).sum(axis=1) for k in range(2)]).astype(float)


def test_alpha_of_short_documents_is_found_in_few_minibatches():
    # Samples of five tokens follow the alpha that they were drawn with, so that EM crawls.
    rng = np.random.default_rng(0)
    batch = minibatch(np.ones((300, 2)))
    learner, alpha = learner_of_samples(), np.full(2, 1.5)
    sums = []
    for _ in range(200):
        theta = rng.dirichlet([0.15, 0.15], 300) @ [[0.9, 0.1], [0.1, 0.9]]
        words = (rng.random((300, 5)) > theta[:, :1]).astype(int)
        drawn = sampled(words, alpha, rng)
        local = SimpleNamespace(gamma=drawn + alpha, drawn=drawn)
        alpha = learner.alpha(batch, local, alpha, 0.05)
        sums.append(alpha.sum())
    # It was 3 at first. (A running mean of the steps of EM is at 1.6 by now.)
    assert np.mean(sums[180:]) == pytest.approx(0.3, abs=0.05)
    assert np.std(sums[180:]) < 0.05


@pytest.mark.parametrize("weight", [1e-6, 0.5, 1.0])
def test_alpha_of_samples_does_not_hang_on_small_weights(weight):
    rng = np.random.default_rng(0)
    drawn = 5.0 * rng.multinomial(1, [0.7, 0.3], 300)
    local = SimpleNamespace(gamma=drawn + 0.5, drawn=drawn)
    batch = minibatch(np.ones((300, 2)))
    some = batch._replace(weight=np.full(300, weight))
    one, other = (learner_of_samples().alpha(x, local, np.full(2, 0.5), 0.1) for x in (batch, some))
    assert_allclose(one, other, rtol=1e-6)
    assert one.sum() < 0.99


def test_alpha_of_samples_is_bounded_in_its_sum():
    rng = np.random.default_rng(0)
    truth = np.array([12.0, 6.0, 3.0])
    drawn = np.array([rng.multinomial(50, theta) for theta in rng.dirichlet(truth, 3000)])
    batch = minibatch(np.ones((3000, 2)))
    learner, alpha = learner_of_samples(), np.full(3, 0.5)
    for _ in range(50):
        local = SimpleNamespace(gamma=drawn + alpha, drawn=drawn.astype(float))
        alpha = learner.alpha(batch, local, alpha, 1.0)
    assert alpha.sum() == pytest.approx(4.0)
    # The largest under a bound are a little more alike than those without: 0.52, 0.30, 0.18.
    assert_allclose(alpha / alpha.sum(), truth / truth.sum(), rtol=0.3)


def test_alpha_is_learned_from_samples_for_as_long_as_default_fits_last(monkeypatch):
    for size in (1, 100, 2_000, 4_000, 6_000, 70_000, 300_000, 10_000_000):
        for length in (2, 200):
            learner = learner_of_samples()
            clock, batch = StreamClock(size), minibatch(np.full((3, 2), length / 2))
            learner._n_sampled = 0.25 * (usual_passes(size, length) - 0.5) * size
            assert learner.wants_samples(clock, batch)
    # A small corpus would take many passes.
    monkeypatch.setattr("topictemper.lda._config.default.SEEN_OF_FEW", 0)
    X = random_counts(200)
    lda = small_lda(tempering="svi", total_samples=200, batch_size=10)
    alphas = [lda.partial_fit(X)._trainer.alpha for _ in range(30)]
    changed = [bool((old != new).any()) for old, new in pairwise(alphas)]
    assert all(changed[:14])
    assert not any(changed[17:])


@pytest.mark.parametrize(("n_tokens", "share"), [(2, 0.99), (20, 0.5), (200, 0.01)])
def test_shares_come_closer_once_alpha_is_learned(n_tokens, share):
    learner, clock = learner_of_samples(), StreamClock(300)
    batch, alpha = minibatch(np.full((300, 2), n_tokens / 2)), np.array([0.3, 0.1], np.float32)
    assert learner.evened(alpha, clock, batch) is alpha
    learner._n_sampled = 1e6
    even = learner.evened(alpha, clock, batch)
    assert even.dtype == np.float32
    assert even.sum() == pytest.approx(0.4)
    assert even[0] - even[1] == pytest.approx((1 - share) * 0.2, rel=0.02)
    # Once, and again when the corpus has twice as many documents.
    for n_documents in (300, 590):
        clock.expect(n_documents)
        assert learner.evened(even, clock, batch) is even
    clock.expect(600)
    assert learner.evened(even, clock, batch) is not even


def test_topics_of_short_documents_have_like_shares_in_long_fits(monkeypatch):
    # A small corpus would take many passes.
    monkeypatch.setattr("topictemper.lda._config.default.SEEN_OF_FEW", 0)
    X = make_lda_corpus(600, 60, 12, document_length=5, random_state=0).counts
    lda = small_lda(n_components=12, tempering="svi", total_samples=600, batch_size=100)
    spread = []
    for _ in range(18):
        alpha = lda.partial_fit(X)._trainer.alpha
        spread.append(alpha.std() / alpha.mean())
    assert spread[13] > 0.15
    assert spread[17] < 0.1 * spread[13]


@pytest.mark.parametrize(("n_tokens", "passes"), [(2, 6), (20, 10), (200, 14)])
def test_long_fits_stop_learning_alpha_earlier_where_documents_are_short(n_tokens, passes):
    learner = learner_of_samples(plan_of(100_000, n_tokens, passes=100))
    clock, batch = StreamClock(100_000), minibatch(np.full((300, 2), n_tokens / 2))
    alpha = np.array([0.3, 0.1])
    learner._n_sampled = 0.25 * passes * 100_000
    assert learner.wants_samples(clock, batch)
    assert learner.evened(alpha, clock, batch) is alpha
    learner._n_sampled += 0.25 * 100_000
    assert not learner.wants_samples(clock, batch)
    assert learner.evened(alpha, clock, batch) is not alpha
    assert learner_of_samples().wants_samples(clock, batch)
    # Their last passes, but no later ones, learn it again.
    learns = []
    for seen in (79.9, 80, 99.9, 100, 1000):
        clock.documents_seen = seen * 100_000
        learns.append(learner.wants_samples(clock, batch))
    assert learns == [False, True, True, False, False]
    # Nor do shares come closer after that, even in a corpus that has become much larger.
    clock.expect(1_000_000)
    learner._n_sampled *= 10
    assert not learner.wants_samples(clock, batch)
    assert learner.evened(alpha, clock, batch) is alpha


def test_documents_after_a_long_fit_do_not_make_shares_equal(monkeypatch):
    # A small corpus would take many passes.
    monkeypatch.setattr("topictemper.lda._config.default.SEEN_OF_FEW", 0)
    X = make_lda_corpus(600, 60, 12, document_length=5, random_state=0).counts
    lda = small_lda(n_components=12, tempering="svi", batch_size=100, max_iter=100).fit(X)
    alpha = lda._trainer.alpha
    lda.partial_fit(X)  # now twice as many
    assert lda._trainer.clock.total_samples == 1200
    assert lda._trainer.alpha.std() / lda._trainer.alpha.mean() > 0.05
    np.testing.assert_array_equal(lda._trainer.alpha, alpha)


def test_shares_come_closer_in_the_middle_of_long_fits(monkeypatch):
    # A small corpus would take many passes.
    monkeypatch.setattr("topictemper.lda._config.default.SEEN_OF_FEW", 0)
    spread, step = {}, Trainer.step

    def watched(trainer, *batch, **how):
        spread[trainer.clock.passes] = trainer.alpha.std() / trainer.alpha.mean()
        return step(trainer, *batch, **how)

    monkeypatch.setattr(Trainer, "step", watched)
    X = make_lda_corpus(600, 60, 12, document_length=5, random_state=0).counts
    lda = small_lda(n_components=12, tempering="svi", batch_size=100)
    clone(lda).set_params(max_iter=18).fit(X)
    assert min(value for passes, value in spread.items() if passes > 4) > 0.1
    spread.clear()
    clone(lda).set_params(max_iter=25).fit(X)
    even = [passes for passes, value in spread.items() if passes > 4 and value < 0.02]
    assert even[0] == pytest.approx(8.5, abs=1)
    assert even[-1] == pytest.approx(20, abs=1)
    assert spread[max(spread)] > 0.05


def test_documents_that_say_nothing_of_topics_are_warned_of():
    # All topics predict alike. Of twelve such fits (six sets of documents, two seeds) the smallest
    # prior weighs 9.7 tokens.
    X = np.random.default_rng(0).multinomial(4, np.full(30, 1 / 30), size=1000)
    lda = TemperedLDA(10, batch_size=64, random_state=0)
    with pytest.warns(UserWarning, match=r"weighs 1\d.* tokens, and a document has 4\.") as found:
        lda.fit(X)
    assert len(found) == 1
    assert found[0].filename == __file__
    with pytest.warns(UserWarning, match=r"a document has 4\."):
        clone(lda).set_params(max_iter=20).fit([csr_array(X[:300]), csr_array(X[300:])])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(lda).set_params(doc_topic_prior=0.5, max_iter=5).fit(X)  # as was wished
        lda.fit(np.hstack([np.vstack([X, 0 * X]), np.vstack([0 * X, X])]))  # two kinds


def test_an_interrupt_while_the_prior_is_compared_keeps_the_model(monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    X = np.random.default_rng(0).multinomial(4, np.full(30, 1 / 30), size=1000)
    lda = TemperedLDA(10, max_iter=20, batch_size=64, random_state=0)
    monkeypatch.setattr(_fitted, "row_sums", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lda.fit(X)
    with pytest.warns(ConvergenceWarning, match="interrupted after its passes, while it compared"):
        lda.fit(X, on_interrupt="keep")
    assert lda.transform(X).shape == (1000, 10)


@pytest.mark.parametrize("n_components", [11, 20, 25, 30])  # whose alpha is rounded upwards
def test_an_alpha_that_is_not_learned_is_not_warned_of(n_components):
    X = np.eye(30)[np.random.default_rng(0).integers(30, size=100)]  # one word each
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TemperedLDA(n_components, max_iter=2, random_state=0).fit(X)


@pytest.mark.parametrize("weighted", [False, True])
def test_documents_without_words_do_not_count_as_short_ones(weighted):
    # A document with words has 8 tokens, and the prior weighs 1.4 to 2.6 (four seeds). That is more
    # than the 0.8 tokens of all documents, and the 0.3 with weights.
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.full(4, 0.5), 1000) @ np.kron(np.eye(4), np.full(10, 0.1))
    X = np.vstack([rng.multinomial(8, theta), np.zeros((9000, 40), int)])
    weight = np.repeat([1.0, 3.0], [1000, 9000]) if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lda = TemperedLDA(4, random_state=0).fit(X, sample_weight=weight)
    assert lda._trainer.predictive_alpha.sum() > lda._trainer.clock.length
