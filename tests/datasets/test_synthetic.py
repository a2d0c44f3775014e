import numpy as np
import pytest
from scipy.sparse import issparse

from topictemper.datasets import make_lda_corpus
from topictemper.datasets._synthetic import _dirichlet, _draw_columns


def test_shapes_and_sums():
    corpus = make_lda_corpus(70, 40, 3, document_length=20, random_state=0)
    assert issparse(corpus.counts)
    assert corpus.counts.shape == (70, 40)
    assert corpus.counts.dtype == np.int32
    assert corpus.counts.has_canonical_format
    assert corpus.counts.data.min() >= 1
    assert corpus.components.shape == (3, 40)
    assert corpus.doc_topic.shape == (70, 3)
    np.testing.assert_allclose(corpus.components.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(corpus.doc_topic.sum(axis=1), 1, rtol=1e-12)


def test_random_state():
    first, again, other = (
        make_lda_corpus(30, 20, 2, random_state=seed) for seed in (3, np.random.RandomState(3), 4)
    )
    np.testing.assert_array_equal(first.counts.toarray(), again.counts.toarray())
    np.testing.assert_array_equal(first.components, again.components)
    assert (first.counts != other.counts).nnz > 0


def test_lengths():
    lengths = make_lda_corpus(4000, 50, 2, document_length=30, random_state=0).counts.sum(axis=1)
    # Mean and variance of a Poisson draw, within five standard errors.
    assert abs(lengths.mean() - 30) < 5 * np.sqrt(30 / 4000)
    assert abs(lengths.var() / 30 - 1) < 5 * np.sqrt(2 / 4000)
    shortest = make_lda_corpus(50, 5, 2, document_length=0.01, random_state=0)
    np.testing.assert_array_equal(shortest.counts.sum(axis=1), 1)


def test_words_come_from_the_topics():
    corpus = make_lda_corpus(500, 30, 4, document_length=200, topic_word_prior=0.5, random_state=0)
    lengths = corpus.counts.sum(axis=1)
    probabilities = corpus.doc_topic @ corpus.components
    expected = lengths @ probabilities
    deviation = np.sqrt(lengths @ (probabilities * (1 - probabilities)))
    assert (np.abs(corpus.counts.sum(axis=0) - expected) < 5 * deviation).all()


def test_one_of_each():
    corpus = make_lda_corpus(1, 1, 1, document_length=5, random_state=0)
    assert corpus.counts.shape == (1, 1)
    assert corpus.components.tolist() == corpus.doc_topic.tolist() == [[1.0]]


@pytest.mark.parametrize("prior", [1e-4, 0.05, 1.0, 1e6])
def test_dirichlet_of_any_prior(prior):
    draws = _dirichlet(np.random.RandomState(0), prior, (2000, 5))
    assert np.isfinite(draws).all()
    np.testing.assert_allclose(draws.sum(axis=1), 1, rtol=1e-12)
    variance = 0.2 * 0.8 / (5 * prior + 1)
    np.testing.assert_allclose(draws.mean(axis=0), 0.2, atol=5 * np.sqrt(variance / 2000))
    np.testing.assert_allclose(draws.var(axis=0), variance, rtol=0.2)


def test_draws_stay_in_their_row():
    class Largest:
        def random_sample(self, size):
            return np.full(size, np.nextafter(1, 0))

    probabilities = np.tile([0.5, 0.5, 0.0], (10_000, 1))
    rows = np.arange(10_000)
    columns = _draw_columns(Largest(), probabilities, rows)
    assert columns.min() >= 1
    assert columns.max() <= 2
    columns = _draw_columns(np.random.RandomState(0), probabilities, rows)
    assert set(columns) == {0, 1}


@pytest.mark.parametrize("name", ["n_samples", "n_features", "n_components"])
def test_bad_sizes(name):
    with pytest.raises(ValueError, match=f"{name} == 0, must be >= 1"):
        make_lda_corpus(**{name: 0})
    with pytest.raises(TypeError, match=f"{name} must be an instance of int"):
        make_lda_corpus(**{name: 2.5})


@pytest.mark.parametrize("name", ["document_length", "doc_topic_prior", "topic_word_prior"])
def test_bad_reals(name):
    for value, text in [(0, "== 0, must be > 0"), (np.inf, "must be finite"), (np.nan, "must")]:
        with pytest.raises(ValueError, match=f"{name} {text}"):
            make_lda_corpus(**{name: value})
    with pytest.raises(TypeError, match=name):
        make_lda_corpus(**{name: "1"})
