"""Seeded topics: topics that are given by a few words each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Any
from unicodedata import normalize

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .._utils import _validation as check
from .._utils._chunks import parts, row_sums
from .._utils._counts import TYPES, count_matrix, sample_weights, without_vanishing
from .._utils._feature_names import feature_names_of
from .._utils._missing import check_order
from .._utils._typing import Floats
from .._utils._warnings import warn
from ..persistence._models import savable_part

#: Share of the tokens of a seeded topic that its prior stands for: benchmarks/lda/seeds.py.
STRENGTH = 0.05


@savable_part
class SeedTopics(BaseEstimator):
    """Topics that are given by words, for the parameter `topic_word_prior` of `TemperedLDA`.

    The first topics of the model are about these words, and have the labels given with them. The
    prior of a seeded topic consists of pseudo-counts, which act like occurrences of words in the
    topic. They are a share of the tokens of the seed words in the corpus, and the same share of
    what is typical of the documents with at least two of the words: the tokens that these
    documents have beyond the average of the corpus. A document counts by the share of the seed
    words that it has, whatever its length. The pseudo-counts hold the topic together while
    temperatures are high and topics are alike. They are few compared with the counts that the
    topic has in the end.

    Parameters
    ----------
    topics : mapping of str to sequence of str
        Labels, and the words of each topic. Three to ten words that occur in the same documents are
        best. There is a warning for words that are not in the vocabulary, and for topics whose
        words no document has.
    strength : float, default=0.05
        The share of the tokens, in (0, 1]. More makes seeded topics wider.
    base : float, default=None
        The prior of all other words. None is 0.05, or 0.1 with ``inference="vb"``.

    Examples
    --------
    >>> from topictemper import TemperedLDA
    >>> from topictemper.datasets import make_lda_corpus
    >>> from topictemper.topics import SeedTopics
    >>> corpus = make_lda_corpus(300, 200, 5, random_state=0)
    >>> names = [f"word{v}" for v in range(200)]
    >>> words = [names[v] for v in corpus.components[2].argsort()[-3:]]
    >>> prior = SeedTopics({"mine": words}).prior(corpus.counts, names, n_components=5)
    >>> lda = TemperedLDA(5, topic_word_prior=prior, max_iter=20, batch_size=20, random_state=0)
    >>> set(lda.fit(corpus.counts).top_words(3, names)[0]) == set(words)
    True

    Where the columns have names, `TemperedLDA` takes the words, and keeps the label:

    >>> import pandas as pd
    >>> X = pd.DataFrame(corpus.counts.toarray(), columns=names)
    >>> lda.set_params(topic_word_prior={"mine": words}).fit(X).get_feature_names_out()[0]
    'mine'
    """

    def __init__(
        self,
        topics: Mapping[str, Sequence[str]],
        *,
        strength: float = STRENGTH,
        base: float | None = None,
    ) -> None:
        self.topics = topics
        self.strength = strength
        self.base = base

    def prior(
        self, X: Any, feature_names: Any, n_components: int, sample_weight: Any = None
    ) -> Floats:
        """The prior as an array.

        The prior of all other words is `base`, or 0.05 where that is None: for a model with
        ``inference="vb"`` give ``base=0.1``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts of the corpus.
        feature_names : array-like of shape (n_features,), mapping or vectorizer
            Words of the columns, as for ``TemperedLDA.top_words``.
        n_components : int
            Number of topics of the model.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts.

        Returns
        -------
        ndarray of shape (n_components, n_features)
            For the parameter `topic_word_prior`.

        Raises
        ------
        TypeError, ValueError
            If a topic has no words, or none that is in the vocabulary, or if there are more seeded
            topics than `n_components`.
        """
        check_order("X", X, sample_weight=sample_weight)
        X = sp.csr_matrix(without_vanishing(count_matrix(X, "X", TYPES)))
        weights = sample_weights(sample_weight, X.shape[0])
        return self.prior_of([(X, weights)], feature_names, n_components, X.shape[1])

    def prior_of(
        self,
        matrices: Iterable[tuple[Any, Floats | None]],
        feature_names: Any,
        n_components: int,
        n_features: int,
        *,
        scale: float = 1.0,
        base: float = 0.05,
    ) -> Floats:
        """The prior of a corpus that comes as CSR matrices with weights of their rows.

        Parameters
        ----------
        matrices : iterable of pairs
            CSR counts of shape (n_samples, n_features), and the weights of their rows or None.
        feature_names : array-like of shape (n_features,), mapping or vectorizer
            As for `prior`.
        n_components : int
            Number of topics of the model.
        n_features : int
            Number of words in the vocabulary.
        scale : float, default=1.0
            How many documents each of these stands for.
        base : float, default=0.05
            Prior of all other words if that of the object is None.

        Returns
        -------
        ndarray of shape (n_components, n_features)
            As from `prior`.

        Raises
        ------
        TypeError, ValueError
            As for `prior`.
        """
        strength = check.number("strength", self.strength, 0.0, 1.0, boundaries="right")
        if self.base is not None:
            base = check.number("base", self.base, 0.0, boundaries="neither")
        columns = self._columns(feature_names_of(feature_names, n_features))
        self.check_number(n_components)
        typical = strength * scale * _typical_counts(matrices, columns, n_features)
        without = [
            repr(label) for label, row in zip(self.topics, typical, strict=True) if not row.any()
        ]
        if without:
            warn(
                f"no document has a word of the seeded topics {', '.join(without)}, so nothing "
                "leads these topics to their words; give documents with them, in a stream to the "
                "first partial_fit"
            )
        prior = np.full((n_components, n_features), base)
        prior[: len(columns)] += typical
        return prior

    def check_number(self, n_components: int) -> None:
        """Refuse more seeded topics than a model has topics.

        Parameters
        ----------
        n_components : int
            Topics of the model.

        Raises
        ------
        TypeError, ValueError
            If a topic has no words, or if there are more seeded topics than `n_components`.
        """
        n_seeded = len(_checked(self.topics))
        if n_seeded > check.integer("n_components", n_components, 1):
            raise ValueError(
                f"there are {n_seeded} seeded topics, but n_components={n_components}; a model "
                "needs a topic for each, and some for what they are not about"
            )

    def labels(self) -> dict[int, str]:
        """Labels of the seeded topics, by number."""
        return dict(enumerate(_checked(self.topics)))

    def _columns(self, names: NDArray[Any]) -> list[NDArray[np.intp]]:
        """Columns of the words of every topic."""
        place = {str(name): column for column, name in enumerate(names)}
        result, unknown = [], []
        for label, words in _checked(self.topics).items():
            known = [place[word] for word in dict.fromkeys(words) if word in place]
            unknown += [word for word in words if word not in place]
            if not known:
                raise ValueError(
                    f"none of the words of the seeded topic {label!r} is in the vocabulary: "
                    f"{_unknown(words, place)}; give words that are, or leave the topic out"
                )
            result.append(np.array(known))
        if unknown:
            warn(f"seed words that are not in the vocabulary: {_unknown(unknown, place)}")
        return result


def _unknown(words: Sequence[str], place: Mapping[str, int]) -> str:
    """Return words that are not in the vocabulary, and those that are there in a usual form."""
    there = [usual for word in words if (usual := normalize("NFC", word.lower())) in place]
    has = f"; in lower case and Unicode's NFC it has {', '.join(there)}" if there else ""
    return ", ".join(words) + has


def _checked(topics: Any) -> Mapping[str, Sequence[str]]:
    example = '{"space": ["space", "nasa", "orbit"]}'
    if not isinstance(topics, Mapping):
        raise TypeError(
            f"seeded topics must be a mapping of labels to words, such as {example}, got {topics!r}"
        )
    if not topics:
        raise ValueError(
            "seeded topics, as in topic_word_prior, are an empty mapping; give labels and words, "
            f"such as {example}, or topic_word_prior=None for a model without them"
        )
    checked: dict[str, list[str]] = {}
    for label, given in topics.items():
        if not isinstance(label, str) or not label.strip():
            raise TypeError(f"the label of a seeded topic must be a string, got {label!r}")
        if isinstance(given, Mapping):
            raise TypeError(
                f"the seeded topic {label!r} has a mapping, got {shorten(repr(given), 80)}; all "
                "its words count alike: give a list of them. For weights of your own, give "
                "topic_word_prior an array of a value for each topic and word"
            )
        is_list = isinstance(given, Iterable) and not isinstance(given, str | bytes | Iterator)
        words = list(given) if is_list else []
        if not words or not all(isinstance(word, str) for word in words):
            raise TypeError(f"the seeded topic {label!r} must have a list of words, got {given!r}")
        checked[label] = words
    return checked


def _typical_counts(
    matrices: Iterable[tuple[Any, Floats | None]],
    columns: list[NDArray[np.intp]],
    n_features: int,
) -> Floats:
    """Tokens of the seed words, and those of their documents beyond the average, by topic."""
    totals, n_documents = np.zeros(n_features), 0.0
    # Of all documents with a seed word, and of those with two: mean distributions of their words.
    of_one, of_two = np.zeros((len(columns), n_features)), np.zeros((len(columns), n_features))
    for X, weights in matrices:
        lengths = row_sums(X)
        weights = (lengths > 0) * (np.ones(X.shape[0]) if weights is None else weights)
        n_documents += weights.sum()
        each = np.divide(weights, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        start = 0
        for part in parts(X):
            rows = slice(start, start + part.shape[0])
            _add_rows(totals, weights[rows], part)
            for k, words in enumerate(columns):
                found = np.asarray((part[:, words] > 0).sum(axis=1)).ravel()
                _add_rows(of_one[k], each[rows] * found / len(words), part)
                several = np.where(found > 1, found, 0)
                _add_rows(of_two[k], each[rows] * several / len(words), part)
            start = rows.stop
    length = totals.sum() / (n_documents or 1.0)  # the sum of weights, which may be below 1
    result = np.zeros_like(of_one)
    for k, words in enumerate(columns):
        own = of_two[k] if of_two[k].any() else of_one[k]
        excess = length * (own - own.sum() * totals / (totals.sum() or 1.0))
        result[k] = np.maximum(excess, 0.0)
        result[k, words] = np.maximum(result[k, words], totals[words])
    return result


def _add_rows(totals: Floats, weights: Floats, X: Any) -> None:
    """Add the rows of a CSR matrix to `totals`, each times its weight."""
    # In the order of the entries: where parts end makes no difference.
    np.add.at(totals, X.indices, np.repeat(weights, np.diff(X.indptr)) * X.data)
