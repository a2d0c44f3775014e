"""Corpora drawn from latent Dirichlet allocation."""

from __future__ import annotations

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import softmax
from sklearn.utils import Bunch

from .._utils import _validation as check
from .._utils._numerics import ignoring_underflow
from .._utils._typing import Floats


class _Corpus(Bunch):
    counts: csr_array
    components: Floats
    doc_topic: Floats


def make_lda_corpus(
    n_samples: int = 1000,
    n_features: int = 1000,
    n_components: int = 10,
    *,
    document_length: float = 100,
    doc_topic_prior: float = 0.1,
    topic_word_prior: float = 0.05,
    random_state: int | RandomState | None = None,
) -> _Corpus:
    """Draw a corpus from latent Dirichlet allocation, with its true topics.

    Each topic is a Dirichlet draw over the words, and each document a Dirichlet draw over the
    topics. Each token draws a topic from its document, then a word from that topic [1]_.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of documents, D.
    n_features : int, default=1000
        Number of words in the vocabulary, V.
    n_components : int, default=10
        Number of topics, K.
    document_length : float, default=100
        Mean number of tokens of a document. Lengths are Poisson draws, but at least 1.
    doc_topic_prior : float, default=0.1
        Concentration of the symmetric Dirichlet prior of a document's topics.
    topic_word_prior : float, default=0.05
        Concentration of the symmetric Dirichlet prior of a topic's words.
    random_state : int, RandomState or None, default=None
        An int gives the same corpus in every call.

    Returns
    -------
    corpus : :class:`~sklearn.utils.Bunch`
        counts : csr_array of shape (n_samples, n_features), int32
            Counts of the words in each document.
        components : ndarray of shape (n_components, n_features)
            Probabilities of the words in each topic; rows sum to 1.
        doc_topic : ndarray of shape (n_samples, n_components)
            Probabilities of the topics in each document; rows sum to 1.

    Raises
    ------
    TypeError
        If a size is not an integer, or a length or prior not a real number.
    ValueError
        If a size is less than 1, or a length or prior not positive and finite.

    References
    ----------
    .. [1] D. M. Blei, A. Y. Ng, M. I. Jordan (2003). Latent Dirichlet Allocation. Journal of
       Machine Learning Research 3, section 3.

    Examples
    --------
    >>> from topictemper.datasets import make_lda_corpus
    >>> corpus = make_lda_corpus(200, 50, 5, document_length=30, random_state=0)
    >>> corpus.counts.shape, corpus.components.shape, corpus.doc_topic.shape
    ((200, 50), (5, 50), (200, 5))
    """
    for name, size in [
        ("n_samples", n_samples),
        ("n_features", n_features),
        ("n_components", n_components),
    ]:
        check.integer(name, size, 1)
    for name, value in [
        ("document_length", document_length),
        ("doc_topic_prior", doc_topic_prior),
        ("topic_word_prior", topic_word_prior),
    ]:
        check.number(name, value, 0.0, boundaries="neither")

    rng = check.random_state(random_state)
    components = _dirichlet(rng, topic_word_prior, (n_components, n_features))
    doc_topic = _dirichlet(rng, doc_topic_prior, (n_samples, n_components))
    lengths = np.maximum(rng.poisson(document_length, n_samples), 1)
    document = np.repeat(np.arange(n_samples), lengths)
    word = _draw_columns(rng, components, _draw_columns(rng, doc_topic, document))
    counts = csr_array(
        (np.ones(len(word), dtype=np.int32), (document, word)), shape=(n_samples, n_features)
    )
    return _Corpus(counts=counts, components=components, doc_topic=doc_topic)


@ignoring_underflow
def _dirichlet(rng: RandomState, prior: float, shape: tuple[int, int]) -> Floats:
    """Draw rows of the symmetric Dirichlet distribution, however small the prior."""
    # G(a) = G(a + 1) U^(1/a) in logarithms, because gamma variates of a small shape underflow to
    # rows of zeros.
    log_gamma = np.log(rng.standard_gamma(prior + 1.0, shape))
    log_gamma -= rng.standard_exponential(shape) / prior
    return softmax(log_gamma, axis=1)


def _draw_columns(
    rng: RandomState, probabilities: Floats, rows: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Draw a column for each entry of `rows`, with the probabilities of that row."""
    cumulative = np.cumsum(probabilities, axis=1)
    cumulative /= cumulative[:, -1:]
    # Row r takes the interval from r to r + 1, so that one binary search serves all rows.
    n_rows, n_columns = probabilities.shape
    cumulative += np.arange(n_rows)[:, None]
    drawn = cumulative.ravel().searchsorted(rows + rng.random_sample(len(rows)), side="right")
    # A sum that rounds up to r + 1 would fall into the next row.
    return np.minimum(drawn - rows * n_columns, n_columns - 1)
