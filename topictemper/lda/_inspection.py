"""Topics that people can read: top words, top documents, words of documents, pyLDAvis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._utils import _validation as check
from .._utils._chunks import parts, row_sums
from .._utils._distances import distributions
from .._utils._feature_names import feature_names_of
from .._utils._missing import objects
from .._utils._ranking import Largest, largest
from .._utils._tables import output_of, table
from .._utils._warnings import warn
from ..topics._words import Measure, word_scores
from ._word_topics import word_topic_columns


def names_of_columns(model: Any, feature_names: Any) -> list[str]:
    """The names given, or `feature_names_in_` of a fitted model, or else the columns' numbers."""
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", None)
    if feature_names is None:
        warn(
            "the model has no names for its columns, so their numbers stand for the words; give "
            "feature_names, such as vectorizer.get_feature_names_out()",
        )
        feature_names = np.arange(model.n_features_in_)
    return [str(name) for name in feature_names_of(feature_names, model.n_features_in_)]


class InspectionMixin:
    """Gives an estimator of topics `top_words`, `top_documents`, `word_topics`, `prepare_pyldavis`.

    It has to have ``_fitted_counts(X)`` and ``_fitted_matrices(X)``, which check counts,
    ``_proportions(X)``, theta of checked ones, ``_warn_if_hot()``, ``_trainer``, ``components_``,
    ``labels_`` and ``_n_features_out``, the number of topics.
    """

    def top_words(
        self,
        n: int = 10,
        feature_names: Any = None,
        *,
        by: Measure = "probability",
        weight: float | None = None,
    ) -> list[list[str]]:
        """Words that describe each topic: the most probable ones, or the most distinctive.

        Parameters
        ----------
        n : int, default=10
            Words of each topic.
        feature_names : array-like of shape (n_features,), mapping or vectorizer, optional
            Names of the columns: a sequence; a mapping of words to columns or of columns to
            words, such as ``vocabulary_`` or a gensim ``Dictionary``; or a fitted vectorizer. By
            default `feature_names_in_`, or else their numbers, with a warning.
        by : {"probability", "relevance", "frex", "lift"}, default="probability"
            What ranks the words. All but "probability" prefer words that are rarer in other topics:
            see `topictemper.topics.relevance`, `frex` and `lift`.
        weight : float, default=None
            Weight of probability against distinctiveness, in [0, 1]. None is 0.6 for "relevance"
            and 0.5 for "frex". The other measures have none.

        Returns
        -------
        list of list of str
            One list for each topic, the best word first.

        Examples
        --------
        >>> import numpy as np
        >>> from topictemper import TemperedLDA
        >>> X = np.repeat([[6, 5, 4, 0, 0], [6, 0, 0, 5, 4]], 20, axis=0)
        >>> lda = TemperedLDA(2, max_iter=50, batch_size=10, random_state=0).fit(X)
        >>> names = ["said", "goal", "team", "vote", "law"]
        >>> sorted(lda.top_words(2, names))
        [['said', 'goal'], ['said', 'vote']]
        >>> sorted(lda.top_words(2, names, by="relevance", weight=0.3))
        [['goal', 'team'], ['vote', 'law']]
        """
        model: Any = self
        check_is_fitted(model)
        n, names = check.integer("n", n, 1), names_of_columns(self, feature_names)
        scores = word_scores(model.components_, by, weight)
        return [[names[v] for v in largest(topic, n)] for topic in scores]

    def top_documents(self, X: Any, n: int = 10) -> NDArray[np.intp]:
        """Documents with the largest proportion of each topic.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts. Documents without a word of the vocabulary come last.
        n : int, default=10
            Documents of each topic.

        Returns
        -------
        ndarray of shape (n_components, min(n, n_samples))
            Rows of X, the one with the largest proportion first.

        Examples
        --------
        >>> import numpy as np
        >>> from topictemper import TemperedLDA
        >>> X = np.kron(np.eye(2), np.full((3, 4), 5))  # two topics, three documents each
        >>> lda = TemperedLDA(2, max_iter=50, batch_size=6, random_state=0).fit(X)
        >>> sorted(np.sort(lda.top_documents(X, n=3)).tolist())
        [[0, 1, 2], [3, 4, 5]]
        """
        model: Any = self
        X, n = model._fitted_counts(X), check.integer("n", n, 1)
        model._warn_if_hot()
        best, start = Largest(model._n_features_out, n), 0
        for part in parts(X):
            # Proportions of all documents may take far more memory than their counts.
            theta = model._proportions(part)
            # They have the mean of the prior, which may be more than rare topics have elsewhere.
            theta[row_sums(part) == 0] = -1.0
            best.add(start, theta)
            start += part.shape[0]
        return np.stack(best.rows())

    def word_topics(self, X: Any, feature_names: Any = None) -> Any:
        r"""Table of the words of documents, with the most probable topic of each.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or iterable of such
            Counts, or chunks of them.
        feature_names : array-like of shape (n_features,), mapping or vectorizer, optional
            Names of the columns, as for `top_words`.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or Table
            As `set_output` says. A row for each word of each document, in the order of the columns:
            ``document``, the row of X; ``word``; ``count``; ``topic``, the most probable one, with
            its ``label``; and its ``probability``.

        Raises
        ------
        TypeError, ValueError
            If the counts or the names are invalid.

        Notes
        -----
        The probability of topic k is :math:`\phi_{dvk} \propto \theta_{dk} \beta_{kv}`, with the
        proportions of `transform` and the means of the topics, in place of the exp(E[log theta]) of
        Blei, Ng, Jordan (2003), eq. 6. The order of the words does not matter, so all occurrences
        of a word in a document have the same topic.

        Examples
        --------
        >>> import numpy as np
        >>> from topictemper import TemperedLDA
        >>> X = np.repeat([[6, 5, 4, 0, 0], [6, 0, 0, 5, 4]], 20, axis=0)
        >>> lda = TemperedLDA(2, max_iter=50, batch_size=10, random_state=0).fit(X)
        >>> words = lda.word_topics(X[:1], ["said", "goal", "team", "vote", "law"])
        >>> words["word"].tolist()
        ['said', 'goal', 'team']
        >>> len(set(words["topic"]))  # "said" is in both topics, but the document in one
        1
        """
        model: Any = self
        matrices, _ = model._fitted_matrices(X)
        model._warn_if_hot()
        columns = word_topic_columns(
            model._trainer.predictive_topics,
            matrices,
            model._proportions,
            objects(names_of_columns(self, feature_names)),
            model.labels_,
        )
        return table(columns, output_of(self))

    def prepare_pyldavis(self, X: Any, feature_names: Any = None) -> dict[str, Any]:
        """What ``pyLDAvis.prepare`` takes, by its names: ``prepare(**lda.prepare_pyldavis(X))``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts.
        feature_names : array-like of shape (n_features,), mapping or vectorizer, optional
            Names of the columns, as for `top_words`.

        Returns
        -------
        dict
            Arrays: ``topic_term_dists`` (n_components, n_features) and ``doc_topic_dists``
            (n_samples, n_components), whose rows sum to one; ``doc_lengths`` (n_samples,) and
            ``term_frequency`` (n_features,), in tokens; ``vocab`` (n_features,). And
            ``sort_topics``, which is False.

        Notes
        -----
        pyLDAvis counts topics from 1, so topic 0 is "1" on its page. (``start_index=0`` would call
        it "0", which the page takes for no topic.) By itself pyLDAvis numbers topics by their
        sizes; ``sort_topics`` keeps them in the order of the model.

        With NumPy 2.5 or newer, pyLDAvis 3.4 computes complex coordinates for topics, and fails.
        Then ``prepare(**lda.prepare_pyldavis(X), mds="mmds")`` lets scikit-learn place them.

        Examples
        --------
        >>> import numpy as np
        >>> from topictemper import TemperedLDA
        >>> X = np.array([[3, 1, 0], [0, 2, 2]])
        >>> lda = TemperedLDA(2, max_iter=2, random_state=0).fit(X)
        >>> lda.prepare_pyldavis(X, ["red", "blue", "sky"])["term_frequency"]
        array([3., 3., 2.])
        """
        model: Any = self
        X, names = model._fitted_counts(X), names_of_columns(self, feature_names)
        model._warn_if_hot()
        return {
            # pyLDAvis wants sums of one in double precision.
            "topic_term_dists": distributions(model.components_),
            "doc_topic_dists": distributions(model._proportions(X)),
            "doc_lengths": row_sums(X),
            "vocab": np.array(names),
            "term_frequency": np.asarray(X.sum(axis=0, dtype=np.float64)).ravel(),
            "sort_topics": False,
        }
