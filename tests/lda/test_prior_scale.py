"""The multiple of alpha that documents are predicted with."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from topictemper import TemperedLDA, load
from topictemper.datasets import make_lda_corpus
from topictemper.lda._comparison import peak
from topictemper.lda._e_step import Workspace, infer, log_likelihood
from topictemper.lda._minibatch_halves import halves, some_rows
from topictemper.lda._prior_scale import PriorScale
from topictemper.lda._topics import Topics
from topictemper.metrics import predictive_log_likelihood

from ..small_lda import ONE_THREAD, corpus, fitted, minibatch, small_lda

SWEEPS = {"tol": 1e-6, "max_iter": 200, "workers": ONE_THREAD}


def counts(batch):
    """The counts of a minibatch as a dense table."""
    table = np.zeros((batch.n_documents, 60))
    documents = np.repeat(np.arange(batch.n_documents), np.diff(batch.doc_ptr))
    np.add.at(table, (documents, batch.words[batch.word_of]), batch.counts)
    return table


# Halves of documents


def test_halves_add_up_and_are_about_equal():
    X = corpus()
    seen, unseen = (counts(half) for half in halves(minibatch(X, np.float64)))
    assert_array_equal(seen + unseen, X.toarray())
    assert seen.min() == 0
    assert unseen.min() >= 0
    assert_array_equal(seen, np.floor(seen))
    # Heads of as many throws as there are tokens, within five standard deviations.
    assert abs(seen.sum() - unseen.sum()) < 5 * np.sqrt(X.sum())


def test_two_tokens_of_a_word_part_as_two_coins_do():
    X = sp.csr_matrix(np.full((3000, 1), 2.0) + np.arange(3000)[:, None] % 7)
    X = sp.hstack([X, sp.identity(3000)], format="csr")  # documents that are not the same
    batch = minibatch(X, np.float64)
    first = halves(batch)[0].counts[::2]
    for n in range(2, 9):
        heads = first[batch.counts[::2] == n]
        assert abs(heads.mean() - n / 2) < 5 * np.sqrt(n / 4 / len(heads))
        assert abs(heads.var() - n / 4) < 0.3 * n / 4


def test_more_tokens_of_a_word_than_there_are_bits_part_as_63_coins_do():
    X = sp.hstack([np.full((3000, 1), 70.0), sp.identity(3000)], format="csr")
    heads = halves(minibatch(X, np.float64))[0].counts[::2]
    assert abs(heads.mean() - 35) < 5 * np.sqrt(63 / 4 / 3000)
    assert heads.var() == pytest.approx(63 / 4, rel=5 * np.sqrt(2 / 3000))


def test_many_tokens_and_fractions_go_to_either_half():
    X = sp.csr_matrix(np.tile([[200.0, 0.25, 3.5, 1e6]], (40, 1)) + np.arange(40)[:, None])
    first, second = halves(minibatch(X, np.float64))
    assert_allclose(first.counts + second.counts, X.data, rtol=1e-12)
    assert first.counts.min() >= 0
    assert second.counts.min() >= 0
    assert_allclose(first.counts[::4], X.data[::4] / 2, atol=40)
    assert_allclose(first.total_tokens, first.counts.sum())


def test_a_fraction_goes_to_one_half_as_a_coin_does():
    X = sp.hstack([np.full((2000, 1), 0.25), sp.identity(2000)], format="csr")
    parts = [half.counts[::2] for half in halves(minibatch(X, np.float64))]
    for part in parts:
        assert set(part) == {0.0, 0.25}
        assert abs((part > 0).mean() - 0.5) < 0.06  # five standard deviations


def test_halves_do_not_hang_on_the_order_of_documents():
    X = corpus(50)
    order = np.random.default_rng(0).permutation(50)
    first = counts(halves(minibatch(X, np.float32))[0])
    assert_array_equal(counts(halves(minibatch(X[order], np.float32))[0]), first[order])


def test_some_rows_are_as_many_as_wanted_and_whole():
    batch = minibatch(corpus(), np.float64)._replace(weight=np.arange(1.0, 201.0))
    table, found = counts(batch), some_rows(batch, 3000, 1)
    assert 0.1 < found.n_documents / 200 < 0.2  # of a total weight of 20,100
    for row, weight in zip(counts(found), found.weight, strict=True):
        assert_array_equal(row, table[int(weight) - 1])
    assert_array_equal(np.unique(found.word_of), np.arange(len(found.words)))
    assert len(found.words) < len(batch.words)
    assert some_rows(batch, 20_100, 1) is batch


# The best multiple


def test_peak_is_that_of_a_parabola_or_the_end():
    x = np.arange(-2.0, 4.0)
    for best in (-1.3, 0.0, 0.5, 2.2):
        assert peak(x, 5.0 - 3.0 * (x - best) ** 2) == pytest.approx(best)
    assert peak(x, x) == 3.0
    assert peak(x, -x) == -2.0
    assert peak(x, np.zeros(6)) == -2.0
    assert peak(x, np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0])) == 0.5


@pytest.mark.parametrize("true_alpha", [0.05, 1.5])
def test_finds_how_mixed_documents_are(true_alpha):
    made = make_lda_corpus(
        2000, 200, 8, document_length=80, doc_topic_prior=true_alpha, random_state=1
    )
    topics = 1000.0 * made.components
    lda = TemperedLDA(8, tempering="svi", inference="point", init=topics, random_state=0)
    lda.fit(made.counts)
    assert_allclose(lda.doc_topic_prior_, lda.doc_topic_prior_[0])
    assert lda._trainer.alpha[0] == np.float32(0.1)
    # By design twice what predicts the training documents best.
    assert true_alpha / 1.5 < lda.doc_topic_prior_[0] < true_alpha * 4


def test_compares_at_doubling_distances_and_only_where_it_is_to():
    topics, batch = fitted()._trainer.topics, minibatch(corpus(), np.float32)
    alpha = np.full(4, 0.1, dtype=np.float32)
    scale = PriorScale(True)
    looked = []
    for step in range(1, 600):
        before = scale._gains
        scale.update(topics, batch, alpha, workspace=Workspace(), **SWEEPS)
        if scale._gains is not before:
            looked.append(step)
    assert looked == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    fixed = PriorScale(False)
    fixed.update(topics, batch, alpha, workspace=Workspace(), **SWEEPS)
    assert fixed.scale == 1.0
    assert not fixed._gains.any()


@pytest.mark.parametrize("prior", [0.3, [0.1, 0.2, 0.3, 0.4], "auto"])
def test_a_given_or_learned_prior_is_the_one_of_prediction(prior):
    lda = small_lda(doc_topic_prior=prior).fit(corpus())
    assert lda._trainer.prior_scale.scale == 1.0
    assert_array_equal(lda.doc_topic_prior_, lda._trainer.alpha)


@pytest.mark.filterwarnings("ignore:.* no word of the vocabulary")
def test_documents_are_transformed_and_scored_with_it():
    lda = fitted(dtype="float64")
    alpha = lda.doc_topic_prior_
    assert lda._trainer.prior_scale.scale != 1.0
    theta = lda.transform(sp.csr_matrix((1, 60)))
    assert_allclose(theta, alpha[None] / alpha.sum())
    score = predictive_log_likelihood(lda, corpus(), alpha)
    assert lda.score(corpus()) == pytest.approx(score, rel=1e-9)


def test_it_does_not_move_the_topics():
    lda = small_lda(inference="point").fit(corpus())
    fixed = small_lda(inference="point", doc_topic_prior=float(lda._trainer.alpha[0]))
    assert_array_equal(fixed.fit(corpus()).components_, lda.components_)


def test_warm_start_and_files_keep_it(tmp_path):
    lda = small_lda(warm_start=True).fit(corpus())
    lda.save(tmp_path / "model.npz")
    loaded = load(tmp_path / "model.npz")
    assert_array_equal(loaded.doc_topic_prior_, lda.doc_topic_prior_)
    for model in (lda, loaded):
        model.partial_fit(corpus(60, seed=1))
    assert_array_equal(loaded.doc_topic_prior_, lda.doc_topic_prior_)
    steps = lda._trainer.prior_scale._steps
    lda.fit(corpus())
    assert lda._trainer.prior_scale._steps > steps


def test_a_prior_that_is_given_to_a_warm_start_is_the_one_of_prediction():
    lda = small_lda(warm_start=True, inference="point").fit(corpus())
    assert lda._trainer.prior_scale.scale != 1.0
    lda.set_params(doc_topic_prior=0.3).fit(corpus())
    assert_array_equal(lda.doc_topic_prior_, np.full(4, 0.3, dtype=np.float32))


def test_a_prior_that_a_warm_start_goes_on_with_is_of_its_dtype():
    lda = small_lda(warm_start=True, doc_topic_prior="auto").fit(corpus())
    assert lda.set_params(dtype="float64").fit(corpus()).doc_topic_prior_.dtype == np.float64


def test_it_is_twice_the_multiple_with_which_halves_of_documents_predict_the_others_best():
    made = make_lda_corpus(200, 60, 4, document_length=40, doc_topic_prior=0.2, random_state=0)
    alpha, scale = np.full(4, 0.1), PriorScale(True)
    topics = Topics(2000.0 * made.components.T, 0.05, point=True)
    exponents, gains = np.arange(-2.0, 4.0), np.zeros(6)
    for batch in (minibatch(made.counts[:100]), minibatch(made.counts[100:])):
        seen, unseen = halves(batch)
        gains *= 0.8  # of earlier documents
        for i, exponent in enumerate(exponents):
            theta = infer(topics, seen, 2.0**exponent * alpha, 1.0, **SWEEPS).theta()
            gains[i] += log_likelihood(topics, unseen, theta, ONE_THREAD).sum()
        assert 0 < np.argmax(gains) < 5
        scale.update(topics, batch, alpha, **SWEEPS)
        assert scale.scale == pytest.approx(2.0 ** (peak(exponents, gains) + 1), rel=1e-9)


def test_after_256_steps_it_compares_every_256():
    scale = PriorScale(True)
    due = [step for step in range(1, 1200) if scale._is_due()]
    assert due == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768, 1024]
