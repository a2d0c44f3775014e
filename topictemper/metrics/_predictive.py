"""Predictive likelihood of held-out words, for any topics."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core._workers import Workers
from .._utils import _counts
from .._utils import _validation as check
from ..lda._completion import Model, cold, document_completion
from ..lda._estimator import TemperedLDA
from ..lda._token_halves import split_tokens
from ..lda._topics import Topics
from ._checks import counts, topics_of


class _Sweeps(NamedTuple):
    mean_change_tol: float
    max_doc_update_iter: int


def predictive_log_likelihood(
    model: Any,
    X: Any,
    doc_topic_prior: float | ArrayLike | None = None,
    *,
    per_document: bool = False,
    mean_change_tol: float = 1e-3,
    max_doc_update_iter: int = 100,
    n_jobs: int | None = None,
) -> Any:
    r"""Predictive log-likelihood of held-out words, by document completion.

    The tokens of each document are split at random, always in the same way. One half gives gamma at
    T = 1; the other half is scored by :math:`\log \sum_k E[\theta_{dk}] E[\beta_{kv}]` [1]_. For a
    `TemperedLDA` this is its ``score``. Models of other libraries get the same split.

    Parameters
    ----------
    model : estimator or array-like of shape (n_components, n_features)
        A fitted estimator with `components_` and `doc_topic_prior_`, or the topics: Dirichlet
        parameters lambda, > 0, as in `components_`, or probabilities. Rows that sum to one are
        probabilities, and are taken as point estimates, like those of a `TemperedLDA` unless
        ``inference="vb"``. For other parameters documents see exp(E[log beta]).
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Counts.
    doc_topic_prior : float or array-like of shape (n_components,), optional
        Dirichlet prior alpha of the topics in a document, > 0. None takes the estimator's.
    per_document : bool, default=False
        Whether to return the score of each document instead of the mean over all tokens.
    mean_change_tol : float, default=1e-3
        Inference of a document ends when the mean change of its gamma is smaller.
    max_doc_update_iter : int, default=100
        Maximum number of updates of a document.
    n_jobs : int, default=None
        Threads. None is 1, -1 is all processors.

    Returns
    -------
    float or ndarray of shape (n_samples,)
        Nats a held-out token; higher is better. NaN for a document with fewer than two tokens.

    Raises
    ------
    ValueError
        If the topics, the prior or the counts are invalid, or if no document has two tokens.

    References
    ----------
    .. [1] Hoffman, Blei, Wang, Paisley (2013). Stochastic Variational Inference. JMLR 14,
       section 4.

    Examples
    --------
    >>> from sklearn.decomposition import LatentDirichletAllocation
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.metrics import predictive_log_likelihood
    >>> X = make_lda_corpus(300, 200, 5, random_state=0).counts
    >>> tempered = TemperedLDA(5, max_iter=20, batch_size=20, random_state=0).fit(X)
    >>> abs(predictive_log_likelihood(tempered, X) - tempered.score(X)) < 1e-5
    True
    >>> other = LatentDirichletAllocation(5, random_state=0).fit(X)
    >>> round(predictive_log_likelihood(other, X), 1)
    -3.4
    >>> topics = other.components_ / other.components_.sum(axis=1, keepdims=True)
    >>> predictive_log_likelihood(topics, X, 0.05, per_document=True).shape
    (300,)
    """
    lda = _model(model, doc_topic_prior, mean_change_tol, max_doc_update_iter)
    check.flag("per_document", per_document)
    observed, held_out = split_tokens(counts(X, lda.topics.n_features))
    _counts.check_held_out(held_out, "X")
    with Workers(n_jobs) as workers:
        by_document = document_completion(lda, observed, held_out, cold, workers)
    tokens = np.asarray(held_out.sum(axis=1)).ravel()
    if not per_document:
        return float(by_document.sum() / tokens.sum())
    return np.divide(by_document, tokens, out=np.full(len(tokens), np.nan), where=tokens > 0)


def perplexity(
    model: Any,
    X: Any,
    doc_topic_prior: float | ArrayLike | None = None,
    *,
    per_document: bool = False,
    mean_change_tol: float = 1e-3,
    max_doc_update_iter: int = 100,
    n_jobs: int | None = None,
) -> Any:
    """Perplexity of held-out words, ``exp(-predictive_log_likelihood)``.

    Parameters
    ----------
    model, X, doc_topic_prior, per_document, mean_change_tol, max_doc_update_iter, n_jobs
        As for `predictive_log_likelihood`.

    Returns
    -------
    float or ndarray of shape (n_samples,)
        Lower is better: the model is as uncertain as a fair choice among this many words. Not
        comparable with the ``perplexity`` of scikit-learn's LDA, which comes from its bound.

    Raises
    ------
    ValueError
        As for `predictive_log_likelihood`.

    Examples
    --------
    Under one uniform topic all 50 words are equally probable:

    >>> import numpy as np
    >>> from topictemper.metrics import perplexity
    >>> round(perplexity(np.ones((1, 50)), np.ones((3, 50)), 0.1), 6)
    50.0
    """
    score = predictive_log_likelihood(
        model,
        X,
        doc_topic_prior,
        per_document=per_document,
        mean_change_tol=mean_change_tol,
        max_doc_update_iter=max_doc_update_iter,
        n_jobs=n_jobs,
    )
    return np.exp(-score) if per_document else float(np.exp(-score))


def _model(model: Any, doc_topic_prior: Any, tol: float, max_iter: int) -> Model:
    topics = topics_of(model, "model")
    if topics.min() == 0:
        row, column = np.argwhere(topics == 0)[0]
        raise ValueError(
            f"model has topics with zeros (row {row}, column {column}), which make a word "
            "impossible; add a small number to all weights"
        )
    # Dirichlet parameters sum to far more than one as soon as a topic has seen words.
    sums = topics.sum(axis=1, dtype=np.float64)
    point = np.abs(sums - 1.0).max() < 1e-3
    if isinstance(model, TemperedLDA):
        point = point or model._trainer.topics.point
    if doc_topic_prior is None:
        doc_topic_prior = getattr(model, "doc_topic_prior_", None)
        if doc_topic_prior is None:
            raise ValueError(
                "doc_topic_prior must be given for an array of topics, or for an estimator "
                "without doc_topic_prior_"
            )
    alpha = np.asarray(doc_topic_prior, dtype=topics.dtype)
    if alpha.shape not in ((), (len(topics),)) or not (np.isfinite(alpha) & (alpha > 0)).all():
        raise ValueError(
            f"doc_topic_prior must be > 0, one number or {len(topics)}, one for each topic; "
            f"got {doc_topic_prior!r}"
        )
    sweeps = _Sweeps(
        check.number("mean_change_tol", tol, 0.0),
        check.integer("max_doc_update_iter", max_iter, 1),
    )
    return Model(
        Topics(topics.T, 0.0, point=bool(point)),
        np.ascontiguousarray(np.broadcast_to(alpha, len(topics))),
        sweeps,
    )
