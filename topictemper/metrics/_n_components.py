"""How many topics: models of several sizes, fitted with several seeds, side by side."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import clone

from .._utils import _counts
from .._utils import _validation as check
from .._utils._feature_names import columns_of, with_string_names
from .._utils._log import counted, say
from .._utils._tables import format_table, table
from .._utils._typing import Floats, Integers
from ..lda._estimator import TemperedLDA
from ..lda._held_out import split_tokens
from ..topics._checks import same_names
from ._coherence import coherence
from ._comparison import match_topics, topic_diversity
from ._predictive import error_of_ratio, predictive_log_likelihood

_FRACTION = 0.1  # of the documents, held out
# Scored documents. Of fewer, a standard error is itself known to no better than a quarter.
_FEW = 10


class NComponentsComparison:
    """Models of several sizes, and which one to take.

    Attributes
    ----------
    table_ : pandas.DataFrame or Table
        A row for each size, ascending. Columns: ``n_components``; ``score``, the held-out score in
        nats per token; ``below_best``, how far it is below the highest; ``coherence`` (NPMI);
        ``diversity``; ``stability``, how alike the topics of two seeds are; and the standard error
        of each, in ``score_error`` and so on. All sizes score the same documents, so the error of
        ``below_best`` is far smaller than that of ``score``: compare sizes by it.
    n_components_ : int
        The size to take for prediction.
    reason_ : str
        Why, and what speaks for other sizes.

    See Also
    --------
    compare_n_components : Makes it.

    Examples
    --------
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.metrics import compare_n_components
    >>> X = make_lda_corpus(300, 100, 4, random_state=0).counts
    >>> lda = TemperedLDA(max_iter=10, batch_size=20)
    >>> compare_n_components(X, [2, 4], estimator=lda, n_seeds=2).n_components_
    4
    """

    def __init__(self, columns: dict[str, Any], n_components: int, reason: str) -> None:
        self.table_: Any = table(columns)
        self.n_components_ = n_components
        self.reason_ = reason

    def __repr__(self) -> str:
        return f"{format_table(self.table_)}\n{self.reason_}"


def compare_n_components(
    X: Any,
    n_components: Integers,
    *,
    estimator: Any = None,
    n_seeds: int = 3,
    validation_X: Any = None,
    validation_fraction: float | None = None,
    n_top_words: int = 10,
    tolerance: float = 0.01,
    random_state: int = 0,
    feature_names: Any = None,
) -> NComponentsComparison:
    """Fit models of several sizes with several seeds, and say which size to take.

    The size to take is the smallest one whose held-out score is lower than the best by no more than
    `tolerance`, or than one standard error of the difference. The error has two parts: which
    documents are held out, and which seeds are used. If fewer than 10 documents are scored,
    `reason_` says that this is too few. If people are to read the topics, look at
    coherence and stability too, and prefer fewer topics.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Counts.
    n_components : sequence of int
        Numbers of topics, at least two different ones.
    estimator : estimator, default=None
        What to fit, with the parameters `n_components` and `random_state`: a `TemperedLDA`, or an
        LDA of scikit-learn. None is ``TemperedLDA()``. If its `verbose` is set, there is a line
        before every fit, too.
    n_seeds : int, default=3
        Fits of each size. With one fit there is no stability, and no error but that of the score.
        With two, the stability has no error.
    validation_X : array-like or sparse matrix of shape (n_validation, n_features), optional
        Documents to score. None holds some of X out.
    validation_fraction : float, default=None
        Share of X that is held out, in (0, 1). None is 0.1. Not with `validation_X`.
    n_top_words : int, default=10
        Top words for the coherence; for the diversity it is 25.
    tolerance : float, default=0.01
        Difference of scores that does not matter, in nats per token, >= 0. 0.01 makes every word 1%
        more probable.
    random_state : int, default=0
        Seed of the first fits, and of what is held out. The next fits have the next integers.
    feature_names : array-like of shape (n_features,), mapping or vectorizer, optional
        Words of the columns, for the ``fit`` of a `TemperedLDA`, which needs them if it has seed
        words. None takes those of a data frame.

    Returns
    -------
    NComponentsComparison
        The table, the size to take, and why. `topictemper.plotting.NComponentsDisplay` draws it.

    Raises
    ------
    TypeError, ValueError
        If a parameter or the counts are invalid, or if no held-out document has two tokens.

    Notes
    -----
    Each size is fitted `n_seeds` times, the smallest size first. The time of a fit grows with its
    topics, so try a few sizes that are far apart, such as 10, 30 and 100, and then more between
    them. The models of one size are in memory together.

    Stability is one minus the Hellinger distance of the topics of two seeds that `match_topics`
    pairs, as a mean over pairs of topics and of seeds. Its standard error is that of the jackknife
    over seeds, which tends to be too large: with three seeds by a third or a half.

    Examples
    --------
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.metrics import compare_n_components
    >>> X = make_lda_corpus(300, 100, 4, random_state=0).counts
    >>> lda = TemperedLDA(max_iter=10, batch_size=20)
    >>> comparison = compare_n_components(X, [2, 4, 8], estimator=lda, n_seeds=2)
    >>> comparison.table_["n_components"].tolist()
    [2, 4, 8]
    >>> print(comparison.reason_)  # doctest: +ELLIPSIS
    Take 4 topics: ...
    """
    if not check.has_entries(n_components):
        raise TypeError(f"n_components must be several numbers of topics, got {n_components!r}")
    n_components = list(n_components)
    sizes = sorted({check.integer("n_components", size, 1) for size in n_components})
    if len(sizes) < 2:
        raise ValueError(f"n_components must have at least two sizes, got {n_components!r}")
    n_seeds = check.integer("n_seeds", n_seeds, 1)
    check.integer("n_top_words", n_top_words, 2)
    random_state = check.integer("random_state", random_state, 0, 2**32 - 1 - n_seeds)
    tolerance = check.number("tolerance", tolerance, 0.0)
    estimator = TemperedLDA() if estimator is None else estimator
    columns_of_X = columns_of(with_string_names(X))
    if feature_names is None and isinstance(estimator, TemperedLDA):
        feature_names = columns_of_X
    words = {} if feature_names is None else {"feature_names": feature_names}
    same_names(validation_X, "validation_X", columns_of_X, "X")
    X = _counts.count_matrix(X, "X")
    train, test = _split(X, validation_X, validation_fraction, random_state)
    whose = "what is held out of X" if validation_X is None else "validation_X"
    tokens = _held_out_tokens(test, whose)
    seeds = range(random_state, random_state + n_seeds)
    shape = len(sizes), n_seeds
    # Log-likelihood of every document; the other measures of every fit.
    scores = np.empty((*shape, test.shape[0]))
    values = {"coherence": np.empty(shape), "diversity": np.empty(shape)}
    stability = []
    for i, size in enumerate(sizes):
        models = []
        for j, seed in enumerate(seeds):
            if getattr(estimator, "verbose", 0):
                done = f"fit {i * n_seeds + j + 1} of {len(sizes) * n_seeds}"
                say(f"compare_n_components: {done}, {counted(size, 'topic')}, seed {seed}")
            model = clone(estimator).set_params(n_components=size, random_state=seed)
            models.append(model.fit(train, **words))
        for j, model in enumerate(models):
            by_document = predictive_log_likelihood(model, test, per_document=True)
            scores[i, j] = np.where(tokens > 0, by_document * tokens, 0.0)
            values["coherence"][i, j] = coherence(model, train, n_top_words=n_top_words)
            values["diversity"][i, j] = topic_diversity(model)
        stability.append(_stability(models))
    return _compared(sizes, scores, values, stability, tokens, tolerance)


def _split(X: Any, validation_X: Any, fraction: float | None, seed: int) -> tuple[Any, Any]:
    if validation_X is not None:
        if fraction is not None:
            raise ValueError(
                "validation_fraction is a share of X: with validation_X it must be None"
            )
        test = _counts.count_matrix(validation_X, "validation_X")
        if test.shape[1] != X.shape[1]:
            raise ValueError(f"validation_X has {test.shape[1]} features, but X has {X.shape[1]}")
        return X, test
    fraction = _FRACTION if fraction is None else fraction
    fraction = check.number("validation_fraction", fraction, 0.0, 1.0, boundaries="neither")
    order = np.random.default_rng(seed).permutation(X.shape[0])
    n_test = round(fraction * X.shape[0])
    if not 0 < n_test < X.shape[0]:
        raise ValueError(
            f"validation_fraction={fraction} of n_samples={X.shape[0]} leaves no document to learn "
            "from or none to score; give validation_X"
        )
    return X[np.sort(order[n_test:])], X[np.sort(order[:n_test])]


def _held_out_tokens(test: Any, whose: str) -> Floats:
    """How many tokens of each document are scored."""
    held_out = split_tokens(test)[1]
    tokens = np.asarray(held_out.sum(axis=1), dtype=np.float64).ravel()
    if not tokens.any():
        raise _counts.nothing_held_out(whose)
    return tokens


def _compared(
    sizes: list[int],
    scores: Floats,
    values: dict[str, Floats],
    stability: list[tuple[float, float]],
    tokens: Floats,
    tolerance: float,
) -> NComponentsComparison:
    """The table of what has been measured, and the size to take.

    `scores` are log-likelihoods by size, seed and document, `values` the other measures by size and
    seed, and `stability` has an error for each size.
    """
    of_fits = scores.sum(axis=2) / tokens.sum()
    error = error_of_ratio(scores.mean(axis=1), tokens)
    chosen, below, below_error = _choice(scores, tokens, tolerance)
    columns: dict[str, Any] = {
        "n_components": np.array(sizes),
        "score": of_fits.mean(axis=1),
        "score_error": np.hypot(np.nan_to_num(_error(of_fits)), error),
        "below_best": below,
        "below_best_error": below_error,
    }
    for name, measured in values.items():
        columns |= {name: measured.mean(axis=1), f"{name}_error": _error(measured)}
    columns["stability"], columns["stability_error"] = np.array(stability).T
    reason = _reason(columns, chosen, int((tokens > 0).sum()))
    return NComponentsComparison(columns, sizes[chosen], reason)


def _stability(models: list[Any]) -> tuple[float, float]:
    """How alike the topics of two models are, and the standard error of that.

    A model is in several pairs, which are then not independent. So the error is that of the
    jackknife: from how far the mean moves when a model is left out with its pairs. On average it is
    not too small; with three models of docstrings it was 1.3 to 1.5 times the true error.
    """
    n = len(models)
    pairs = list(combinations(range(n), 2))
    if not pairs:
        return np.nan, np.nan
    alike = np.array([1.0 - match_topics(models[i], models[j]).distance.mean() for i, j in pairs])
    mean = float(alike.mean())
    if n < 3:
        return mean, np.nan
    without = np.array([alike[[i not in pair for pair in pairs]].mean() for i in range(n)])
    return mean, float(np.sqrt(without.var() * (n - 1)))


def _error(values: Floats) -> Floats:
    """Standard errors of the means of rows; NaN of single values."""
    n = values.shape[1]
    if n < 2:
        return np.full(len(values), np.nan)
    return values.std(axis=1, ddof=1) / np.sqrt(n)


def _choice(scores: Floats, tokens: Floats, tolerance: float) -> tuple[int, Floats, Floats]:
    """The place of the size to take; how far each is below the best, and the errors of that."""
    by_document = scores.mean(axis=1)
    best = int(by_document.sum(axis=1).argmax())
    lead = by_document[best] - by_document
    below = lead.sum(axis=1) / tokens.sum()
    of_seeds = np.nan_to_num(_error(scores.sum(axis=2) / tokens.sum()))
    seeds = np.hypot(of_seeds, of_seeds[best])
    seeds[best] = 0.0
    error = np.hypot(error_of_ratio(lead, tokens), seeds)
    # The error is NaN if there is only one document.
    chosen = int((below <= np.fmax(error, tolerance)).argmax())
    return chosen, below, error


def _reason(columns: dict[str, Any], chosen: int, n_scored: int) -> str:
    """Why a size is taken, in sentences."""
    sizes, scores = columns["n_components"], columns["score"]
    best = int(scores.argmax())
    if chosen == best:
        why = f"no size has a higher held-out score ({scores[best]:.3f} nats per token)"
    else:
        below, error = columns["below_best"][chosen], columns["below_best_error"][chosen]
        why = (
            f"{sizes[best]} have the highest held-out score ({scores[best]:.3f} nats per token), "
            f"but {sizes[chosen]} are only {below:.3f} below it (standard error {error:.3f})"
        )
    sentences = [f"Take {sizes[chosen]} topics: {why}."]
    if n_scored < _FEW:
        sentences.append(
            f"But only {counted(n_scored, 'document')} could be scored, too few to rely on: see "
            "whether other values of random_state give the same size, or score more documents with "
            "validation_fraction or validation_X."
        )
    if chosen == len(sizes) - 1:
        sentences.append("More topics than were tried may predict still better.")
    elif chosen == 0:
        how = "still better" if chosen == best else "as well"
        sentences.append(f"Fewer topics than were tried may predict {how}.")
    for name in ("coherence", "stability"):
        if not np.isnan(columns[name]).all():
            place = int(np.nanargmax(columns[name]))
            highest, its = (f"{columns[name][i]:.2f}" for i in (place, chosen))
            if highest != its:
                sentences.append(
                    f"The {name} is highest with {sizes[place]} ({highest}; {its} with "
                    f"{sizes[chosen]})."
                )
    return " ".join(sentences)
