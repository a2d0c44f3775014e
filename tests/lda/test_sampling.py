"""Documents that are sampled at T = 1: when, by which draws, and what for."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper import TemperedLDA
from topictemper.datasets import load_docstrings, make_lda_corpus
from topictemper.lda import _training
from topictemper.lda._e_step import sample

from ..small_lda import (
    MODES,
    ONE_THREAD,
    corpus,
    learned_state,
    minibatch,
    random_counts,
    random_topics,
    small_lda,
)

# 200 documents in minibatches of 20: the last four of six passes are 40 steps.
SIX_PASSES = {"max_iter": 6, "max_temperature": 1.5, "length": 1.0}
# Of a document of `corpus`, rounded down.
TOKENS = corpus().sum() // 200


@pytest.fixture
def sampled(monkeypatch):
    """Sizes of the minibatches that were sampled."""
    sizes = []

    def note(topics, batch, *arguments, **more):
        sizes.append(batch.n_documents)
        return sample(topics, batch, *arguments, **more)

    monkeypatch.setattr(_training, "sample", note)
    return sizes


# When


@pytest.mark.parametrize("mode", MODES)
def test_from_the_third_pass(mode, sampled):
    small_lda(tempering=mode, **SIX_PASSES).fit(corpus())
    assert sampled == [20] * 40


def test_from_two_thirds_of_fewer_passes(sampled):
    small_lda(max_iter=1, max_temperature=1.5, length=0.2).fit(corpus())
    assert sampled == [20] * 3


def test_in_the_last_third_of_a_stream_and_ever_after(sampled):
    lda = small_lda(total_samples=200, max_temperature=1.5, length=0.2)
    for start in range(0, 200, 20):
        lda.partial_fit(corpus()[start : start + 20])
    assert sampled == [20] * 3
    lda.partial_fit(corpus())
    assert sampled == [20] * 13


@pytest.mark.filterwarnings("ignore:fit ended at the temperature")
def test_never_while_it_is_hot(sampled):
    small_lda(tempering="avi", schedule=lambda passes: 1.1, max_iter=4).fit(corpus())
    assert sampled == []


@pytest.mark.parametrize(
    "parameters", [{"inference": "point"}, {"inference": "vb"}, {"learning_method": "batch"}]
)
def test_auto_is_for_steps_by_minibatch_and_the_mean_of_topics(parameters, sampled):
    small_lda(**SIX_PASSES, **parameters).fit(corpus())
    assert sampled == []


def test_batch_learning_has_a_bound_to_go_by():
    lda = small_lda(inference="gibbs", learning_method="batch")
    with pytest.raises(ValueError, match="inference='gibbs' is for learning_method='online'"):
        lda.fit(corpus())
    assert not hasattr(lda, "components_")


@pytest.mark.parametrize(
    ("doc_topic_prior", "longer"),
    [(None, [1, 0, 0, 0] * 10), ("auto", [1, 0, 0, 0] * 10), (0.3, 40 * [0])],
)
def test_every_fourth_is_sampled_for_longer_to_learn_alpha(doc_topic_prior, longer, monkeypatch):
    kept, alphas = [], []

    def note(topics, batch, alpha, *arguments, sweeps, want_drawn, **more):
        kept.append(int(want_drawn))
        assert sweeps == (17 if want_drawn else 3, 4)
        alphas.append(alpha)
        return sample(
            topics, batch, alpha, *arguments, sweeps=sweeps, want_drawn=want_drawn, **more
        )

    monkeypatch.setattr(_training, "sample", note)
    small_lda(doc_topic_prior=doc_topic_prior, **SIX_PASSES).fit(corpus())
    assert kept == longer
    changed = [i for i in range(1, 40) if (alphas[i] != alphas[i - 1]).any()]
    assert all(longer[i - 1] for i in changed)
    assert bool(changed) == any(longer)


@pytest.fixture
def without_own(monkeypatch):
    """Whether minibatches were sampled without the own counts of tokens; 4 passes are usual."""
    wanted = []

    def note(*arguments, want_own, **more):
        wanted.append(want_own)
        return sample(*arguments, want_own=want_own, **more)

    monkeypatch.setattr(_training, "sample", note)
    monkeypatch.setattr(_training, "usual_passes", lambda n_documents, length: 4.0)
    monkeypatch.setattr(_training, "OWN_TOKENS", TOKENS)
    return wanted


def test_without_own_counts_of_tokens_of_short_documents(without_own, monkeypatch):
    monkeypatch.setattr(_training, "OWN_TOKENS", TOKENS + 1)
    small_lda(**SIX_PASSES).fit(corpus())
    assert without_own == [True] * 40


@pytest.mark.parametrize(
    ("usual", "least", "passes_with"),
    [(4, 10, 4), (6, 5, 5), (6, 3, 4)],  # all of few; some; two thirds of many
)
def test_without_own_counts_of_tokens_in_the_end(
    usual, least, passes_with, without_own, monkeypatch
):
    monkeypatch.setattr(_training, "usual_passes", lambda _, length: usual * length / TOKENS)
    monkeypatch.setattr(_training, "OWN_PASSES", least)
    small_lda(**SIX_PASSES).fit(corpus())
    n_with = 10 * (passes_with - 2)
    assert without_own == [False] * n_with + [True] * (40 - n_with)


@pytest.mark.parametrize(("of_short", "n_with"), [(5, 20), (7, 27)])  # 2/3 of 6 passes, or of 7
def test_without_own_counts_of_tokens_in_fits_of_fewer_passes_than_long_documents_get(
    of_short, n_with, without_own, monkeypatch
):
    def passes(n_documents, length):
        return 9 if length else of_short

    monkeypatch.setattr(_training, "usual_passes", passes)
    monkeypatch.setattr(_training, "OWN_PASSES", 1)
    small_lda(**SIX_PASSES).fit(corpus())
    assert without_own == [False] * n_with + [True] * (40 - n_with)


def test_with_own_counts_of_tokens_in_a_stream_of_new_documents(without_own):
    lda = small_lda(max_temperature=1.5, length=0.0001).partial_fit(corpus()[:20])
    clock = lda._trainer.clock
    # As in a stream that is longer than was expected.
    clock._passes_before, clock.total_samples = 10.0, 20.0
    lda.partial_fit(corpus()[20:])
    assert clock.total_samples == clock.documents_seen == 200
    assert without_own == [False] * 9


@pytest.mark.parametrize(
    ("n_updates", "size", "kappa", "sampled", "rate"),
    [
        (0, 20, None, True, 11**-0.7),
        (1000, 20, None, True, 0.05),  # of a fifth of a pass
        (1000, 200, None, True, 0.25),  # the largest
        (1000, 20, None, False, 1011**-0.7),
        (1000, 20, 0.9, True, 1011**-0.9),
    ],
)
def test_the_rate_does_not_fall_below_that_of_a_short_memory(n_updates, size, kappa, sampled, rate):
    trainer = small_lda(inference="gibbs", learning_decay=kappa).partial_fit(corpus())._trainer
    trainer.clock.n_updates, trainer.clock.total_samples = n_updates, 2000.0
    batch = minibatch(np.ones((size, 2)))
    assert trainer._learning_rate(batch, sampled=sampled) == pytest.approx(rate, rel=1e-12)


# By which draws


def draws(X, seed=0):
    """Gamma of documents by topics that are the same for all."""
    alpha = np.full(4, 0.1)
    return sample(random_topics(), minibatch(X), alpha, seed, workers=ONE_THREAD).gamma


def test_seed_changes_them_and_nothing_else_does():
    X = random_counts(200)
    order = np.random.default_rng(0).permutation(200)
    assert_array_equal(draws(X)[order], draws(X[order]))
    assert (draws(X) != draws(X, seed=1)).any()
    first, again, other = (
        learned_state(small_lda(random_state=seed, **SIX_PASSES).fit(corpus()))
        for seed in (0, 0, 1)
    )
    assert first == again != other


def test_documents_of_the_same_words_are_the_same():
    X = random_counts(5)
    twice = draws(X[[0, 0, 1]])
    assert_array_equal(twice[0], twice[1])


# What for


def test_sampled_documents_make_better_topics_where_words_are_many():
    # Over seeds 0 to 11 the gain is 0.000 to 0.015 nats per token, mean 0.0072, standard deviation
    # 0.0043, of a mean of eight 0.0015: the margin is three deviations below the mean.
    gains = []
    for seed in range(8):
        X = make_lda_corpus(700, 2000, 20, document_length=60, random_state=seed).counts
        gibbs, mean_field = (
            TemperedLDA(20, inference=inference, max_iter=20, random_state=seed)
            .fit(X[:500])
            .score(X[500:])
            for inference in ("gibbs", "point")
        )
        gains.append(gibbs - mean_field)
    assert np.mean(gains) > 0.0027


def test_without_own_counts_short_documents_make_better_topics(monkeypatch):
    # Over seeds 0 to 11 the gain is 0.011 to 0.052 nats per token, mean 0.033, standard deviation
    # 0.010, of the mean of two 0.007: the margin is three deviations below the mean.
    def scores():
        for seed in range(2):
            X = make_lda_corpus(3000, 500, 20, document_length=8, random_state=seed).counts
            yield TemperedLDA(40, max_iter=35, random_state=seed).fit(X[:2600]).score(X[2600:])

    without = np.mean(list(scores()))
    monkeypatch.setattr(_training, "OWN_TOKENS", 0.0)
    assert without - np.mean(list(scores())) > 0.012


def test_minibatches_of_few_documents_are_a_20th_of_them():
    # Else topics remember the documents that alpha and eta are learned from: both come out too
    # small, and new documents are predicted worse.
    counts = load_docstrings().counts
    train, test = counts[:200], counts[4000:5000]
    words = np.asarray((train > 0).sum(axis=0)).ravel() >= 3
    train, test = train[:, words], test[:, words]

    few = TemperedLDA(20, random_state=0).fit(train)
    many = TemperedLDA(20, batch_size=64, random_state=0).fit(train)

    assert few.topic_word_prior_ > 2 * many.topic_word_prior_
    # With ten seeds it is 0.065 to 0.122 higher, 0.097 on average.
    assert few.score(test) > many.score(test) + 0.03
