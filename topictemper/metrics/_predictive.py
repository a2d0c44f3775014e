"""Predictive likelihood of held-out words, for any topics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core._workers import Workers
from .._utils import _validation as check
from .._utils._counts import nothing_held_out
from .._utils._topics import lda_of, names_of, topics_of
from .._utils._typing import Floats
from ..lda._completion import completions, score_of, scores_of_documents
from ..lda._estimator import TemperedLDA
from ..lda._prediction import Inference, Model, Way, cold, inference_of, predictor
from ..lda._topics import Topics
from ..topics._checks import matrices


def predictive_log_likelihood(
    model: Any,
    X: Any,
    doc_topic_prior: float | ArrayLike | None = None,
    *,
    inference: Inference = "auto",
    per_document: bool = False,
    standard_error: bool = False,
    mean_change_tol: float | None = None,
    max_doc_update_iter: int | None = None,
    n_jobs: int | None = None,
) -> Any:
    r"""Predictive log-likelihood of held-out words, by document completion.

    The tokens of each document are split at random, the same document always in the same way. One
    half gives the topic proportions at T = 1; the other half is scored by
    :math:`\log \sum_k E[\theta_{dk}] E[\beta_{kv}]` [1]_. Models of other libraries get the same
    split.

    The score is proper: topics that do not predict cannot gain, whatever finds the proportions.
    Mean-field inference favors topics that were learned for it. To compare topics of different
    origin, score each with the `inference` that suits it best, and with the multiple of alpha that
    is best for some training documents.

    Parameters
    ----------
    model : estimator or array-like of shape (n_components, n_features)
        A fitted estimator with `components_` and `doc_topic_prior_`, or a `TopicModel` (with
        counts, ``model.vectorizer_.transform(texts)``), or the topics: Dirichlet
        parameters lambda, > 0, as in `components_`, or probabilities. Rows that sum to one are
        probabilities, and are taken as point estimates, like those of a `TemperedLDA` unless
        ``inference="vb"``. In all other cases mean-field inference uses exp(E[log beta]).
    X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
        Counts. An iterable yields chunks of documents; one is in memory at a time.
    doc_topic_prior : float or array-like of shape (n_components,), optional
        Dirichlet prior alpha of the topics in a document, > 0. None takes the estimator's.
    inference : {"auto", "mean_field", "collapsed", "gibbs"}, default="auto"
        How the observed half gives the proportions: "mean_field" by the fixed point of gamma,
        "collapsed" by zero-order collapsed inference (Asuncion et al. 2009), "gibbs" by collapsed
        Gibbs sampling at the given topics, as a mean over 60 sweeps after 30 that are left out.
        Draws depend on the document alone. "auto" takes what the ``score`` of a `TemperedLDA`
        takes, and mean-field inference for all other topics.
    per_document : bool, default=False
        Whether to return the score of each document instead of the mean over all tokens. The score
        of a document depends on which of its words are held out.
    standard_error : bool, default=False
        Whether to return the standard error of the mean too: how far the mean is likely to be from
        the mean of very many such documents (by the jackknife), for this model. It is a little too
        small for fewer than 50 documents, far too small where documents are copies or parts of one
        text, and NaN if only one is scored.
    mean_change_tol : float, default=None
        Mean-field inference of a document ends when the mean change of its gamma is smaller.
        Collapsed inference ends then too, if it has not done so before. None takes that of a
        `TemperedLDA`, and 1e-3 for all other topics. Not for "gibbs", which has a fixed number of
        sweeps.
    max_doc_update_iter : int, default=None
        Maximum number of updates of gamma; collapsed inference adds four. None takes that of a
        `TemperedLDA`, and 100 for all other topics. Not for "gibbs".
    n_jobs : int, default=None
        Threads. None is 1, -1 is all processors. The score has the same bits for any number.

    Returns
    -------
    score : float or ndarray of shape (n_samples,)
        Nats per held-out token; higher is better. NaN for a document with fewer than two tokens.
    error : float
        Its standard error, in nats, if asked for.

    Raises
    ------
    TypeError, ValueError
        If the topics, the prior or the counts are invalid, if `X` is a table whose columns are not
        those that the model was fitted with, if no document has two tokens, or if
        ``inference="gibbs"`` is given `mean_change_tol` or `max_doc_update_iter`.

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
    >>> score, error = predictive_log_likelihood(
    ...     tempered, X, inference="gibbs", standard_error=True
    ... )
    >>> bool(-3.4 < score < -3.3), round(error, 2)
    (True, 0.02)
    >>> other = LatentDirichletAllocation(5, random_state=0).fit(X)
    >>> bool(-3.4 < predictive_log_likelihood(other, X) < -3.3)
    True
    >>> topics = other.components_ / other.components_.sum(axis=1, keepdims=True)
    >>> predictive_log_likelihood(topics, X, 0.05, per_document=True).shape
    (300,)
    """
    way = inference_of(inference)
    sweeps = _sweeps(mean_change_tol, max_doc_update_iter, way)
    lda = _model(model, doc_topic_prior, way, sweeps)
    check.flag("per_document", per_document)
    if check.flag("standard_error", standard_error) and per_document:
        raise ValueError("standard_error=True is of the mean; per_document must be False")
    with Workers(n_jobs) as workers, np.errstate(under="ignore"):
        parts = matrices(X, lda.topics.n_features, names_of(model))
        by_document, tokens = completions(lda, parts, cold, workers)
    if not tokens.any():
        raise nothing_held_out("X")
    if per_document:
        return scores_of_documents(by_document, tokens)
    score = score_of(by_document, tokens)
    if not standard_error:
        return score
    return score, float(error_of_ratio(by_document, tokens))


def perplexity(
    model: Any,
    X: Any,
    doc_topic_prior: float | ArrayLike | None = None,
    *,
    inference: Inference = "auto",
    per_document: bool = False,
    standard_error: bool = False,
    mean_change_tol: float | None = None,
    max_doc_update_iter: int | None = None,
    n_jobs: int | None = None,
) -> Any:
    """Perplexity of held-out words, ``exp(-predictive_log_likelihood)``.

    Parameters
    ----------
    model, X, doc_topic_prior, inference, per_document, standard_error, mean_change_tol
        As for `predictive_log_likelihood`.
    max_doc_update_iter, n_jobs
        As for `predictive_log_likelihood`.

    Returns
    -------
    perplexity : float or ndarray of shape (n_samples,)
        Lower is better: the model is as uncertain as a fair choice among this many words. Not
        comparable with the ``perplexity`` of scikit-learn's LDA, which comes from its bound.
    error : float
        Its standard error, if asked for.

    Raises
    ------
    TypeError, ValueError
        As for `predictive_log_likelihood`.

    Examples
    --------
    Under one uniform topic all 50 words are equally probable:

    >>> import numpy as np
    >>> from topictemper.metrics import perplexity
    >>> round(perplexity(np.ones((1, 50)), np.ones((3, 50)), 0.1), 6)
    50.0
    """
    found = predictive_log_likelihood(
        model,
        X,
        doc_topic_prior,
        inference=inference,
        per_document=per_document,
        standard_error=standard_error,
        mean_change_tol=mean_change_tol,
        max_doc_update_iter=max_doc_update_iter,
        n_jobs=n_jobs,
    )
    if per_document:
        return np.exp(-found)
    if standard_error:
        value = float(np.exp(-found[0]))
        return value, value * found[1]
    return float(np.exp(-found))


def error_of_ratio(totals: Floats, tokens: Floats) -> Floats:
    """Standard errors of sums of documents, the last axis, over those of their tokens.

    Of ratios of two means: documents are drawn, not tokens. NaN of a single document. It is the
    jackknife: from how far the ratio moves when a document is left out. A few long documents pull
    the ratio towards themselves, so that their residuals in it are too small.
    """
    n = np.count_nonzero(tokens)
    if n < 2:
        return np.full(totals.shape[:-1], np.nan)
    ratio = totals.sum(axis=-1, keepdims=True) / tokens.sum()
    moves = (totals - ratio * tokens) / (tokens.sum() - tokens)
    return np.asarray(np.sqrt((moves**2).sum(axis=-1) * (n - 1) / n))


def _sweeps(tol: float | None, max_iter: int | None, way: Way | None) -> dict[str, Any]:
    """Those settings of the sweeps that are given."""
    sweeps: dict[str, Any] = {}
    if tol is not None:
        sweeps["tol"] = check.number("mean_change_tol", tol, 0.0)
    if max_iter is not None:
        sweeps["max_iter"] = check.integer("max_doc_update_iter", max_iter, 1)
    if sweeps and way == "gibbs":
        raise ValueError(
            "mean_change_tol and max_doc_update_iter must be None with inference='gibbs', which "
            "has a fixed number of sweeps"
        )
    return sweeps


def _model(model: Any, doc_topic_prior: Any, way: Way | None, sweeps: dict[str, Any]) -> Model:
    topics = topics_of(model, "model")
    model = lda_of(model)
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
        own = predictor(model._trainer, way)
        way, point = own.inference, point or own.topics.point
        sweeps = own.sweeps | sweeps
        doc_topic_prior = own.alpha if doc_topic_prior is None else doc_topic_prior
    if doc_topic_prior is None:
        doc_topic_prior = getattr(model, "doc_topic_prior_", None)
        if doc_topic_prior is None:
            raise ValueError(
                "doc_topic_prior must be given for an array of topics, or for an estimator "
                "without doc_topic_prior_"
            )
    alpha = check.numbers("doc_topic_prior", doc_topic_prior).astype(topics.dtype)
    if alpha.shape not in ((), (len(topics),)) or not (np.isfinite(alpha) & (alpha > 0)).all():
        raise ValueError(
            f"doc_topic_prior must be > 0, one number or {len(topics)}, one for each topic; "
            f"got {doc_topic_prior!r}"
        )
    return Model(
        # Only mean-field inference is with anything but the mean of the topics.
        Topics(topics.T, 0.0, point=way in ("collapsed", "gibbs") or bool(point)),
        np.ascontiguousarray(np.broadcast_to(alpha, len(topics))),
        {"tol": 1e-3, "max_iter": 100} | sweeps,
        way or "mean_field",
    )
