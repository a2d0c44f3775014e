"""Coherence of topics: whether their top words occur together."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .._utils import _validation as check
from .._utils._cooccurrence import EPSILON, mean_npmi, npmi_matrix, shares_together
from .._utils._ranking import top_columns
from .._utils._topics import names_of, topics_of
from .._utils._typing import Floats
from ..topics._checks import matrices


def coherence(
    components: Any,
    X: Any,
    measure: Literal["npmi", "umass", "cv"] = "npmi",
    *,
    n_top_words: int = 10,
    per_topic: bool = False,
) -> Any:
    """Coherence of topics: whether their top words occur in the same documents.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features), or fitted model
        Weights of the words in the topics, >= 0; an estimator with `components_`; or a model of
        gensim or tomotopy.
    X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
        Counts of the reference corpus, or chunks of them; only one chunk is in memory at a time. A
        word is in a document if its count is > 0.
    measure : {"npmi", "umass", "cv"}, default="npmi"
        - "npmi": normalized pointwise mutual information of the pairs of top words, in
          [-1, 1] [1]_ [2]_;
        - "umass": log conditional probability of a top word given each more probable one,
          at most 0 [3]_;
        - "cv": cosine between the vector of NPMI values of each top word and their sum over all
          top words [2]_.
    n_top_words : int, default=10
        Number of top words of each topic, at least 2.
    per_topic : bool, default=False
        Whether to return the coherence of each topic instead of their mean.

    Returns
    -------
    float or ndarray of shape (n_components,)
        Higher is better.

    Raises
    ------
    ValueError
        If the components or the counts are invalid, or if `X` is a table whose columns are not
        those that the model was fitted with.

    Notes
    -----
    For all measures, words occur together if they are in the same document. All rows of `X` are
    documents, also those without words: NPMI rises with their number. "npmi" and "cv" are
    often computed in sliding windows of 10 and 110 tokens instead, for which counts do not suffice.
    The values then differ, but the ranking of topics is similar. Pairs that never occur together
    have probability 1e-12, as in gensim. A pair with a word that is in no document has the value 0.

    References
    ----------
    .. [1] Bouma (2009). Normalized (Pointwise) Mutual Information in Collocation Extraction. GSCL.
    .. [2] Röder, Both, Hinneburg (2015). Exploring the Space of Topic Coherence Measures. WSDM.
    .. [3] Mimno, Wallach, Talley, Leenders, McCallum (2011). Optimizing Semantic Coherence in
       Topic Models. EMNLP. Computed as in [2]_: a mean over pairs, from shares of documents.

    Examples
    --------
    >>> import numpy as np
    >>> from topictemper.metrics import coherence
    >>> X = np.array([[1, 1, 0, 0], [2, 1, 0, 0], [0, 0, 1, 3], [0, 0, 1, 1]])
    >>> together = np.array([[5, 5, 1, 1], [1, 1, 5, 5]])
    >>> apart = np.array([[5, 1, 5, 1], [1, 5, 1, 5]])
    >>> round(coherence(together, X, n_top_words=2), 6)
    1.0
    >>> coherence(apart, X, n_top_words=2, per_topic=True).round(2)
    array([-0.95, -0.95])
    """
    topics = topics_of(components)
    check.choice("measure", measure, _MEASURES)
    check.integer("n_top_words", n_top_words, 2)
    check.flag("per_topic", per_topic)
    if topics.shape[1] < 2:
        raise ValueError("coherence is for pairs of words, but components have only one word")
    top = top_columns(topics, n_top_words)
    shares = shares_together(matrices(X, topics.shape[1], names_of(components)), top)
    values = np.array([_MEASURES[measure](of_topic) for of_topic in shares])
    return values if per_topic else float(values.mean())


# Each measure takes p (n, n), the shares of documents with both of two words; the diagonal has the
# shares of documents with one word.


def _umass(p: Floats) -> float:
    later, earlier = np.tril_indices(len(p), -1)
    single, both = p.diagonal()[earlier], p[later, earlier]
    known = (single > 0) & (p.diagonal()[later] > 0)
    ratios = np.minimum((both[known] + EPSILON) / single[known], 1.0)
    return float(np.log(ratios).sum() / len(known))


def _cv(p: Floats) -> float:
    vectors = npmi_matrix(p)
    total = vectors.sum(axis=0)
    norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(total)
    products = vectors @ total
    return float(np.divide(products, norms, out=np.zeros(len(p)), where=norms > 0).mean())


_MEASURES = {"npmi": mean_npmi, "umass": _umass, "cv": _cv}
