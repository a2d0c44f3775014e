"""What a `TopicModel` tells scikit-learn, and texts to predict: its `transform` and `score`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import TransformerTags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from .._utils._missing import check_order
from ..lda._estimator import TemperedLDA

Model = TypeVar("Model")


def texts_by_name(kind: type[Model]) -> type[Model]:
    """Let the methods that scikit-learn has wrapped for `set_output` take ``texts=``, too.

    Its wrapper calls their first argument X, whatever its name.
    """
    for name in ("transform", "fit_transform"):
        setattr(kind, name, _with_texts(getattr(kind, name)))
    return kind


def _with_texts(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def named(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not args and "texts" in kwargs:
            args = (kwargs.pop("texts"),)
        return method(self, *args, **kwargs)

    return named


class TextsMixin:
    """Tells scikit-learn that an estimator takes texts, and is fitted once it has `lda_`."""

    # What others call X is no metadata that could be routed.
    __metadata_request__fit: ClassVar = {"texts": UNUSED}
    __metadata_request__transform: ClassVar = {"texts": UNUSED}
    __metadata_request__score: ClassVar = {"texts": UNUSED}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "lda_")

    def __sklearn_tags__(self) -> Any:
        parent: Any = super()
        tags = parent.__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags


class PredictionMixin(TextsMixin, TransformerMixin):
    """Gives a `TopicModel` `transform`, `score` and `perplexity`."""

    lda_: TemperedLDA
    _matrices: Callable[[Any], Iterator[Any]]

    def transform(self, texts: Any) -> Any:
        """Proportions of the topics in documents.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Rows sum to one. The row of a document without a known word is the mean of the prior,
            which says nothing about the document. A warning says how many such documents there are,
            and `documents` marks them.
        """
        check_is_fitted(self)
        return self._transformed(self._matrices(texts))

    def _transformed(self, matrices: Iterable[Any]) -> NDArray[Any]:
        """Proportions as an array, whatever `set_output` of `lda_`."""
        lda = self.lda_
        cure = "documents(texts) has the topic -1 for them"
        return lda._transformed(map(lda._fitted_counts, matrices), cure=cure)

    def score(self, texts: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Predictive log-likelihood of held-out words, in nats per word; see `TemperedLDA.score`.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            The documents.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            How often the words of each document count in the mean, >= 0.

        Returns
        -------
        float
            Higher is better. Unknown words do not count.
        """
        check_is_fitted(self)
        check_order("texts", texts, sample_weight=sample_weight)
        name = "texts, without unknown words,"
        return self.lda_._score(self._matrices(texts), sample_weight, name=name)

    def perplexity(self, texts: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Perplexity of held-out words, ``exp(-score(texts))``.

        Parameters
        ----------
        texts, y, sample_weight
            As for `score`.

        Returns
        -------
        float
            Lower is better.
        """
        return float(np.exp(-self.score(texts, None, sample_weight)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the topics, the columns of `transform`.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
            As from `lda_`.
        """
        check_is_fitted(self)
        return self.lda_.get_feature_names_out()
