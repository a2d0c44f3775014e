"""What `TemperedLDA` takes: counts, in one matrix or chunks, and the words of their columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from .._utils import _counts
from .._utils import _validation as check
from .._utils._chunks import Chunks, is_chunks, rows_that_count
from .._utils._feature_names import agreed_names, columns_of, names_in, with_string_names
from .._utils._fractions import warn_of_fractions
from .._utils._missing import check_order
from .._utils._typing import Floats
from .._utils._warnings import warn
from ._config import check_parameters
from ._seeding import unseeded

_LEAST_WORDS = 5  # of a data frame; fewer columns are taken for those of a table of pairs


class CountsMixin:
    """Gives an estimator the checks of what it takes."""

    learning_method: str
    early_stopping: bool
    validation_fraction: float | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    #: Whether the names of the columns are those of a data frame.
    _names_of_frame: bool = False

    def __sklearn_tags__(self) -> Any:
        parent: Any = super()
        tags = parent.__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _checked_counts(self, X: Any, *, reset: bool, name: str = "X") -> Any:
        """Checked CSR counts."""
        X = _counts.acceptable(X, name)
        if not reset and hasattr(self, "feature_names_in_"):
            check.columns(name, X, counts=True)
            X = self._with_names(X)
        if not reset and _is_ready(X):
            _counts.check_width(X, self.n_features_in_, type(self).__name__, name)
            return _counts.without_vanishing(_counts.check_counts(X, name))
        wanted: dict[str, Any] = {
            "accept_sparse": "csr",
            "dtype": _counts.TYPES,
            "ensure_all_finite": False,  # `check_counts` names the row
        }
        with check.readable(name, X, counts=True):
            if reset:
                X = validate_data(self, X, reset=True, **wanted)
                self._names_of_frame = hasattr(self, "feature_names_in_")
            elif self._may_lack_names(X):
                # Not by `validate_data`, which warns that names are missing.
                X = check_array(X, estimator=self, input_name=name, **wanted)
                _counts.check_width(X, self.n_features_in_, type(self).__name__, name)
            else:
                X = validate_data(self, X, reset=False, **wanted)
        return _counts.without_vanishing(_counts.check_counts(X, name))

    def _with_names(self, X: Any) -> Any:
        """X, whose columns are named by strings if numbers stand for the names of the model."""
        names = self.feature_names_in_
        if self._names_of_frame:
            return with_string_names(X, names)
        # Names may have been given in place of numbers, which then say nothing.
        named = with_string_names(X)
        found = columns_of(named)
        return named if found is not None and set(found) == set(names) else X

    def _may_lack_names(self, X: Any) -> bool:
        """Whether X has no names for its columns, and needs none.

        No sparse matrix has names. An array has none either, so if the names were given beside an
        array, the next array may do without.
        """
        if sp.issparse(X):
            return True
        given = hasattr(self, "feature_names_in_") and not self._names_of_frame
        return given and names_in(X) is None

    def _training_counts(
        self, X: Any, *, reset: bool, feature_names: Any = None, name: str = "X"
    ) -> Any:
        """Checked CSR counts to learn from; given names take the place of numbers in a frame."""
        if reset and feature_names is None:
            X = with_string_names(X)
        X = self._checked_counts(X, reset=reset, name=name)
        warn_of_fractions(X)
        return X

    def _checked_documents(
        self, X: Any, sample_weight: Any, validation_X: Any, feature_names: Any
    ) -> tuple[Any, Any, Any]:
        """Checked documents, weights and held-out documents of a fit; takes the names of words."""
        if validation_X is not None and self.validation_fraction is not None:
            raise ValueError(
                "validation_fraction is a share of X: with validation_X it must be None"
            )
        if is_chunks(X):
            check_parameters(unseeded(self))  # before all documents are read
            _counts.no_weights_of_chunks(sample_weight)
            if self.learning_method == "batch":
                raise ValueError(
                    "learning_method='batch' takes all documents at once; for X in chunks use "
                    "'online'"
                )
            if self.early_stopping and validation_X is None:
                raise ValueError(
                    "early_stopping=True on chunks of documents needs validation_X: rows are not "
                    "held out of chunks"
                )
            X = Chunks(X, lambda chunk, reset: self._chunk_counts(chunk, reset, feature_names))
        else:
            check_order("X", X, sample_weight=sample_weight)
            X = self._training_counts(X, reset=True, feature_names=feature_names)
            sample_weight = _counts.sample_weights(sample_weight, X.shape[0])
            weighted = None if sample_weight is None else rows_that_count(X, sample_weight)
            _counts.check_words(X, "X", weighted)
        self._name_features(feature_names, X.shape[0])
        if validation_X is not None:
            validation_X = self._validation_counts(validation_X)
        return X, sample_weight, validation_X

    def _warn_of_pairs(self, n_components: int) -> None:
        """Warn of a data frame that has hardly any columns, and fewer than there are topics."""
        if self._names_of_frame and self.n_features_in_ < min(n_components, _LEAST_WORDS):
            # Nearly always a table of pairs, whose numbers give a model without meaning.
            columns = ", ".join(map(repr, self.feature_names_in_))
            warn(
                f"X has only the columns {columns}. It must have a row for each document and a "
                "column for each word. Make counts of a table of pairs first, such as "
                "pandas.crosstab(table.document, table.word)"
            )

    @staticmethod
    def _warn_of_ratios(sample_weight: Floats | None, n_components: int) -> None:
        """Warn of weights that make less than one document per topic of enough documents."""
        if sample_weight is None:
            return
        total, n_weighted = float(sample_weight.sum()), int(np.count_nonzero(sample_weight))
        # With a sum of 1, the score of 3,000 docstrings is 0.5 (K = 10) to 1.1 (K = 50) lower.
        # Those divided by their mean may, rounded, have a little less than the number of documents.
        if total < (1 - 1e-6) * n_components and n_components <= n_weighted:
            warn(
                f"sample_weight has the sum {total:.3g}, so {n_weighted:,} documents count as "
                f"{total:.3g}, for {n_components} topics, and the priors outweigh them: if the "
                "weights are ratios, divide them by their mean"
            )

    def _stream_counts(self, X: Any, reset: bool, feature_names: Any, name: str = "chunk") -> Any:
        """Checked CSR counts to learn from; the first ones set the number of columns."""
        X = _counts.acceptable_chunk(X, name)
        return self._training_counts(X, reset=reset, feature_names=feature_names, name=name)

    def _chunk_counts(self, chunk: Any, reset: bool, feature_names: Any) -> Any:
        if reset:
            return self._stream_counts(chunk, reset, feature_names)
        return self._checked_chunk(chunk)

    def _checked_chunk(self, chunk: Any) -> Any:
        """Checked CSR counts of a chunk, which has the columns of the model."""
        return self._checked_counts(_counts.acceptable_chunk(chunk), reset=False, name="chunk")

    def _validation_counts(self, X: Any) -> Any:
        """Checked CSR counts, or Chunks of them, that are scored while others are learned."""
        name = "validation_X"
        if not is_chunks(X):
            return self._checked_counts(X, reset=False, name=name)
        return Chunks(X, lambda chunk, reset: self._checked_chunk(chunk), name)

    def _name_features(self, feature_names: Any, n_rows: int | None = None) -> None:
        """Take the words of the columns, if they are given and do not contradict others."""
        if feature_names is not None:
            others = getattr(self, "feature_names_in_", None)  # of a data frame, or another call
            self.feature_names_in_ = agreed_names(
                feature_names, self.n_features_in_, others, n_rows
            )

    def _keep_names(self, words: NDArray[Any], *, of_frame: bool) -> None:
        """Take the names of the last fit, from which a warm start goes on."""
        found = getattr(self, "feature_names_in_", None)
        if found is None:
            self.feature_names_in_, self._names_of_frame = words, of_frame
        elif len(found) == len(words) and not np.array_equal(found, words):
            column = int(np.flatnonzero(found != words)[0])
            raise ValueError(
                f"warm_start=True goes on from topics of other words: column {column} is "
                f"{found[column]!r}, and was {words[column]!r}; fit with warm_start=False"
            )

    def _fitted_counts(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._checked_counts(X, reset=False)

    def _fitted_matrices(self, X: Any) -> tuple[Iterable[Any], int | None]:
        """Checked CSR counts, of chunks one after the other, and their rows if X is a matrix."""
        if is_chunks(X):
            check_is_fitted(self)
            return _counts.some_chunks(X, self._checked_chunk), None
        X = self._fitted_counts(X)
        return [X], X.shape[0]


def _is_ready(X: Any) -> bool:
    """Whether scikit-learn's checks would return X as it is.

    For a document that comes alone they take longer than all else.
    """
    csr = sp.issparse(X) and X.format == "csr"
    return csr and X.dtype in _counts.TYPES and min(X.shape) > 0
