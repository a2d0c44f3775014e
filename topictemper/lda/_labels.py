"""Labels of topics: given by people, or by any function of their words and documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted

from .._utils import _validation as check
from .._utils._missing import as_list, check_order
from .._utils._topics import lda_of
from .._utils._typing import Column, Strings
from .._utils._warnings import warn
from ..report._saved_labels import SavedLabels, check_topics
from ..topics._matching import same_topics


class _Labeled(Protocol):
    """A model with labels."""

    @property
    def labels_(self) -> NDArray[Any]: ...


# The keys of a mapping are invariant, so that each kind has to be named.
Labels = (
    Strings
    | Mapping[int, str]
    | Mapping[str, str]
    | Mapping[int | str, str]
    | Callable[[list[str], list[Any]], str]
    | _Labeled
)

# What a function gets of a topic.
_N_WORDS, _N_DOCUMENTS = 10, 5


class LabelsMixin(ClassNamePrefixFeaturesOutMixin):
    """Gives an estimator `labels_`, `set_labels`, and output features that are named by them.

    It has to have ``components_``, ``top_words``, ``top_documents``, ``_fitted_counts(X)``, which
    checks counts, and ``_learned`` and ``_names_beside`` of `FittedMixin`.
    """

    #: The labels that were set, by topic.
    _labels: Mapping[int, str] = {}

    @property
    def labels_(self) -> NDArray[Any]:
        """Labels of the topics, (n_components,).

        Where none was set it is "topic 3", or the three most probable words if words have names,
        and more words if another topic has the same three, or is labeled so.
        """
        estimator: Any = self
        n_components = estimator._learned("labels_").topics.n_components
        labels = self._labels  # another thread may set others meanwhile
        usual = [f"topic {k}" for k in range(n_components)]
        if hasattr(self, "feature_names_in_") and len(labels) < n_components:
            usual = estimator._names_beside(labels)
        return np.array([labels.get(k, usual[k]) for k in range(n_components)], object)

    def set_labels(
        self,
        labels: Labels | None,
        *,
        X: Any = None,
        documents: Column | None = None,
        feature_names: Any = None,
        n_words: int | None = None,
        n_documents: int | None = None,
    ) -> Self:
        """Label topics, or let a function label them.

        Tables, plots and `get_feature_names_out` use the labels. `save` and `partial_fit` keep
        them. A new `fit` removes them, because it makes new topics, unless `warm_start` is set.
        Then only labels of new seed words take the place of others.

        Parameters
        ----------
        labels : sequence of str, mapping, callable, fitted model or None
            - A label for each topic.
            - A mapping of topics, by number or by present label, to labels. The other topics keep
              theirs; "" or None removes one. A number may be a string, as in JSON, unless a topic
              has that label. `topictemper.report.read_labels` reads what the page of a report has
              saved.
            - A function ``label(words, documents)``, which returns the label of a topic. It gets a
              list of the words of the topic, and a list of the documents with the largest
              proportions of it (empty without `documents`). It may ask a language model. If it
              returns the same label for two topics, " (2)" is added to the second.
            - Another `TemperedLDA` or `TopicModel`, such as one of an earlier fit, whose words may
              differ. Its labels go to the topics here that are the same: each is the nearest to the
              other (Hellinger distance), and they are at most 0.55 apart. A topic that has a label
              here keeps it. A warning names the labels that no topic here has. A label such as
              "topic 3" is not taken over: here it is the name of another topic.
            - None removes all labels.
        X : array-like or sparse matrix of shape (n_samples, n_features), optional
            Counts of `documents`, only for a function.
        documents : sequence of length n_samples, optional
            What the function gets for the rows of `X`: texts, titles. Only with `X`.
        feature_names : array-like of shape (n_features,), mapping or vectorizer, optional
            Names of the columns for a function, as for `top_words`.
        n_words : int, default=None
            Words that a function gets. None: 10.
        n_documents : int, default=None
            Documents that a function gets, only with `documents`. None: 5.

        Returns
        -------
        TemperedLDA
            The estimator itself.

        Raises
        ------
        TypeError
            If a label is not a string, or if `labels` is a model of another kind.
        ValueError
            If there is no such topic, if the number of labels is not that of topics, if a label is
            empty or belongs to two topics, if labels of `read_labels` are those of other topics, if
            another model has no labels or no word in common with this one, if the index of
            `documents` has another order than that of `X`, or if `labels` is no function but other
            arguments are given.

        Examples
        --------
        >>> import numpy as np
        >>> from topictemper import TemperedLDA
        >>> X = np.repeat([[6, 5, 4, 0, 0], [6, 0, 0, 5, 4]], 20, axis=0)
        >>> lda = TemperedLDA(2, max_iter=50, batch_size=10, random_state=0).fit(X)
        >>> names = ["said", "goal", "team", "vote", "law"]
        >>> lda = lda.set_labels(lambda words, _: "/".join(words), feature_names=names, n_words=2)
        >>> sorted(lda.labels_)
        ['said/goal', 'said/vote']
        >>> lda.set_labels({"said/goal": "sports"}).get_feature_names_out().tolist().count("sports")
        1
        """
        check_is_fitted(self)
        of_function = {
            "X": X,
            "documents": documents,
            "feature_names": feature_names,
            "n_words": n_words,
            "n_documents": n_documents,
        }
        if callable(labels):
            labels = self._called(labels, **of_function)
        else:
            refuse_without_function(of_function)
            if isinstance(labels, BaseEstimator):
                labels = self._of_model(labels)
        self._labels = self._checked(labels)
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns of `transform`: labels, or "temperedlda3" where none was set.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str of shape (n_components,)
            The names.
        """
        names = super().get_feature_names_out(input_features)
        for k, label in self._labels.items():
            names[k] = label
        return names

    def _called(
        self,
        label: Callable[[list[str], list[Any]], str],
        X: Any,
        documents: Column | None,
        feature_names: Any,
        n_words: int | None,
        n_documents: int | None,
    ) -> list[str]:
        """Labels from a function."""
        estimator: Any = self
        check_order("X", X, documents=documents)
        n_words = check.integer("n_words", _N_WORDS if n_words is None else n_words, 1)
        words = estimator.top_words(n_words, feature_names)
        if (X is None) != (documents is None):
            raise ValueError("X, the counts, and documents must be given together")
        if documents is None and n_documents is not None:
            raise ValueError(f"n_documents={n_documents!r} needs the documents to choose from")
        examples: list[list[Any]] = [[] for _ in words]
        if documents is not None:
            documents, X = as_list(documents), estimator._fitted_counts(X)
            if len(documents) != X.shape[0]:
                raise ValueError(
                    f"documents must have one entry for each row of X, {X.shape[0]}, got "
                    f"{len(documents)}"
                )
            n = check.integer(
                "n_documents", _N_DOCUMENTS if n_documents is None else n_documents, 1
            )
            rows = estimator.top_documents(X, n)
            examples = [[documents[row] for row in of_topic] for of_topic in rows]
        return _distinct([label(*each) for each in zip(words, examples, strict=True)])

    def _of_model(self, model: Any) -> dict[int, str]:
        """Labels of another model, by the topics here that are the same and have none."""
        check_is_fitted(model)
        labels = getattr(lda_of(model), "_labels", None)
        if labels is None:
            raise TypeError(
                "labels must be those of a TemperedLDA or a TopicModel, got a "
                f"{type(model).__name__}, which has none"
            )
        # Names by number, such as "topic 3", are those of other topics here.
        labels = {k: label for k, label in labels.items() if not self._is_number(label)}
        if not labels:
            raise ValueError("labels is a model without labels: give its topics some first")
        here = same_topics(model, self, ("labels", "this model"))
        own = set(self._labels.values())
        taken = {
            here[k]: label
            for k, label in labels.items()
            if k in here and here[k] not in self._labels and label not in own
        }
        left = [label for label in labels.values() if label not in own.union(taken.values())]
        if left:
            warn(
                f"labels that no topic of this model has: {', '.join(map(repr, left))}. "
                "Their topics have no counterpart here, or one that has another label"
            )
        return taken

    def _checked(self, labels: Any) -> dict[int, str]:
        """All labels that are set now, by topic."""
        if labels is None:
            return {}
        n_components: int = self._n_features_out
        if isinstance(labels, Mapping):
            if isinstance(labels, SavedLabels) and hasattr(self, "feature_names_in_"):
                check_topics(labels, self.components_, self.feature_names_in_)
            new = self._with(labels)
            new = {k: label for k, label in new.items() if label is not None and label != ""}
        else:
            no_list = isinstance(labels, set | frozenset) or not hasattr(labels, "__len__")
            if no_list or not check.has_entries(labels) or len(labels) != n_components:
                raise ValueError(
                    f"labels must have one label for each of the {n_components} topics, or be a "
                    f"mapping of topics to labels; got {labels!r}"
                )
            new = dict(enumerate(as_list(labels)))
        check_labels(new)
        self._check_others(new, n_components)
        return new

    def _with(self, labels: Mapping[Any, Any]) -> dict[int, Any]:
        """The present labels by topic, and in their place those of a mapping."""
        present = self.labels_
        numbers = [topic_number(_key(key, present), present) for key in labels]
        return {**self._labels, **dict(zip(numbers, labels.values(), strict=True))}

    def _is_number(self, label: str) -> bool:
        """Whether a label is what a topic without one is called, by its number."""
        return re.fullmatch(rf"({'|'.join(self._number_prefixes)})\d+", label) is not None

    @property
    def _number_prefixes(self) -> tuple[str, str]:
        """What stands before the number of a topic, in `get_feature_names_out` and `labels_`."""
        return type(self).__name__.lower(), "topic "

    def _check_others(self, new: Mapping[int, str], n_components: int) -> None:
        """Raise an error if a label is the name of a topic that has none."""
        prefixes = self._number_prefixes
        topic_of = {f"{prefix}{j}": j for prefix in prefixes for j in range(n_components)}
        for k, label in new.items():
            j = topic_of.get(label, k)
            if j not in new:
                raise ValueError(
                    f"labels: {label!r} cannot be the label of topic {k}, because topic {j}, "
                    "which has no label, is called that"
                )

    def _begin_labels(
        self, labels: dict[int, str], n_components: int, before: dict[int, str] | None = None
    ) -> None:
        """Take the labels that seed words give.

        New topics have no others. In a warm start the labels of seeds are compared with those
        `before`, of the last fit: a topic takes one that is new, and keeps its label otherwise.
        """
        if before is not None:
            labels = self._with_seeded(labels, before)
        if labels:  # else names are not made of all topics, which may be very many
            self._check_others(labels, n_components)
        self.__dict__.pop("_labels", None)
        if labels:
            self._labels = labels

    def _with_seeded(self, seeded: dict[int, str], before: dict[int, str]) -> dict[int, str]:
        """All labels when seeds change, which take those labels along that were theirs before."""
        new = {k: label for k, label in seeded.items() if label != before.get(k)}
        kept = {
            k: label
            for k, label in self._labels.items()
            if k not in new and not (label == before.get(k) and label in new.values())
        }
        for k, label in kept.items():
            if label in new.values():
                raise ValueError(
                    f"topic_word_prior has seed words of {label!r}, but topic {k} has this label "
                    "from set_labels: give one of them another label"
                )
        return {**kept, **new}

    def _labels_state(self) -> list[str | None] | None:
        """The labels for a file: one for each topic, or None."""
        labels = self._labels  # as for `labels_`
        return [labels.get(k) for k in range(self._n_features_out)] if labels else None

    def _set_labels_state(self, state: Any) -> None:
        """Take the labels of a file."""
        if state is None:
            return
        if not isinstance(state, list) or len(state) != self._n_features_out:
            raise ValueError(f"must be a list of {self._n_features_out} labels")
        labels = {k: label for k, label in enumerate(state) if label is not None}
        check_labels(labels)
        self._labels = labels


def refuse_without_function(given: Mapping[str, Any]) -> None:
    """Refuse arguments for a function that gives labels, where there is none."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} is for labels given by a function; else it must be None")


def check_labels(labels: Mapping[int, str]) -> None:
    """Raise an error unless labels are distinct strings."""
    seen: dict[str, int] = {}
    for k, label in labels.items():
        if not isinstance(label, str):
            raise TypeError(f"labels must be strings, but topic {k} gets {label!r}")
        if not label.strip():
            raise ValueError(f"labels must not be empty, but topic {k} gets {label!r}")
        if label in seen:
            raise ValueError(f"labels must differ, but topics {seen[label]} and {k} get {label!r}")
        seen[label] = k


def _distinct(labels: list[Any]) -> list[Any]:
    """Labels with a number behind those that have been there before."""
    seen: set[Any] = set()
    for k, label in enumerate(labels):
        n = 2
        while isinstance(label, str) and labels[k] in seen:
            labels[k], n = f"{label} ({n})", n + 1
        seen.add(labels[k])
    return labels


def _key(key: Any, labels: NDArray[Any]) -> Any:
    """The key of a mapping, as a number if it is one in a string and no label."""
    is_number = isinstance(key, str) and key.isdecimal() and key not in labels.tolist()
    return int(key) if is_number else key


def topic_number(key: Any, labels: NDArray[Any]) -> int:
    """The number of a topic that is given by its number or its label."""
    if isinstance(key, str):
        places = np.flatnonzero(labels == key)
        if not len(places):
            raise ValueError(f"no topic has the label {key!r}")
        if len(places) > 1:
            numbers = ", ".join(map(str, places))
            raise ValueError(f"topics {numbers} have the label {key!r}; give the number of one")
        return int(places[0])
    if isinstance(key, bool | np.bool_) or not isinstance(key, int | np.integer):
        raise TypeError(f"a topic must be a number or a label, got {key!r}")
    if not 0 <= key < len(labels):
        raise ValueError(f"topics are 0 to {len(labels) - 1}, got {key}")
    return int(key)
