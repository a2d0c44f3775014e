"""Files of `TopicModel`."""

from __future__ import annotations

import os
from typing import Any

from .._utils import _validation as check
from .._utils._state import Tree, within
from ..lda._estimator import TemperedLDA
from ..persistence._models import estimator_of, save_model, tree_of
from ..persistence._vectorizers import plain_vectorizer, vectorizer_of
from ._counting import set_vocabulary
from ._summaries import TopicStatistics


class SaveTextsMixin:
    """Gives a `TopicModel` the method `save`, and its state."""

    vectorizer_: Any
    lda_: TemperedLDA
    unknown_share_: float
    _statistics: TopicStatistics
    _unknown: dict[str, int] | None
    _unknown_in_fit: float | None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the fitted model to a file, for `topictemper.load`.

        The file holds the words, how texts are cut into words, the topics and the state of
        training. It has no pickled objects, and is safe to load from anywhere; see
        `TemperedLDA.save`.

        Parameters
        ----------
        path : str or path-like
            The file. The name is used as given.

        Raises
        ------
        ValueError
            If a parameter cannot be saved, such as a vectorizer with a function of its own.
        sklearn.exceptions.NotFittedError
            If the model is not fitted.
        OSError
            If the file cannot be written.
        RuntimeError
            If the model learns meanwhile in another thread, as for `TemperedLDA.save`.
        """
        save_model(self, path)

    def _moment(self) -> Any:
        return self.lda_._moment()

    def _get_state(self) -> Tree:
        """What `save` writes."""
        unknown = None if self._unknown is None else [list(pair) for pair in self._unknown.items()]
        return {
            "vectorizer": plain_vectorizer(self.vectorizer_),
            "lda": tree_of(self.lda_),
            "statistics": self._statistics.get_state(),
            "unknown_share": self.unknown_share_,
            "unknown_words": unknown,
            "unknown_in_fit": self._unknown_in_fit,
        }

    def _set_state(self, tree: Tree) -> None:
        """Continue from what `_get_state` returned."""
        with within("lda"):
            self.lda_ = estimator_of(tree["lda"])
            if not isinstance(self.lda_, TemperedLDA):
                raise ValueError("no TemperedLDA")
            words = self.lda_.feature_names_in_.tolist()
        with within("vectorizer"):
            self.vectorizer_ = vectorizer_of(tree["vectorizer"])
            set_vocabulary(self.vectorizer_, words)
        with within("statistics"):
            self._statistics = TopicStatistics.blank(self.lda_)
            self._statistics.set_state(tree["statistics"])
        with within("unknown_share"):
            self.unknown_share_ = check.number("unknown_share", tree["unknown_share"], 0.0, 1.0)
        with within("unknown_words"):
            self._unknown = _counted(tree["unknown_words"])
        with within("unknown_in_fit"):
            in_fit = tree["unknown_in_fit"]
            if in_fit is not None:
                self._unknown_in_fit = check.number("unknown_in_fit", in_fit, 0.0, 1.0)


def _counted(pairs: Any) -> dict[str, int] | None:
    """Words and counts of a file."""
    if pairs is None:
        return None
    if not all(isinstance(word, str) for word, _ in pairs):
        raise ValueError("must be pairs of words and counts")
    return {word: check.integer("count", count, 1) for word, count in pairs}
