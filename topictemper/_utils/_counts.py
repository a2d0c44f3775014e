"""Checks of counts: each refuses what is no matrix of counts, and says what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array

from . import _validation as check
from ._chunks import each_checked, has_rows, is_chunks, is_matrix, no_chunks, row_sums
from ._sparse_checks import check_structure, row_of, spans
from ._typing import Floats

#: Larger counts would overflow in sums.
LARGEST_COUNT = 1e15
#: Types of counts that need no conversion.
TYPES = [np.float64, np.float32, np.int64, np.int32]
# Smaller values may underflow in single precision, alone or in a product.
_SMALLEST_COUNT = 1e-30
# The ratio of a sum of weights to a smaller one may overflow.
_SMALLEST_WEIGHT = 1e-200
# Kernels index words with 32 bits.
_MOST_COLUMNS = int(np.iinfo(np.int32).max)
_FROM_GENSIM = (
    "make counts of the corpus with "
    "topictemper.datasets.from_gensim(corpus, n_features=len(dictionary))"
)
_IF_NEGATIVE = (
    "; give them as they were before scaling or centering. Those of a HashingVectorizer are >= 0 "
    "with alternate_sign=False and norm=None"
)
_IF_NAN = "; if NaN stands for none, as after a pivot, fill it with 0: fillna(0)"


class NothingHeldOutError(ValueError):
    """Document completion has nothing to predict."""


def nothing_held_out(name: str) -> NothingHeldOutError:
    """Return the error of documents that all have less than two tokens."""
    # The class makes no text: an error of another process is made again of its text.
    return NothingHeldOutError(
        f"{name} has no document with two tokens, so there is nothing to predict"
    )


def acceptable(X: Any, name: str) -> Any:
    """Refuse text, tokens, chunks and malformed sparse matrices, before any check of arrays.

    Returns
    -------
    object
        X, or the result of `check_structure` if X is sparse.

    Raises
    ------
    TypeError, ValueError
        The message says what to do instead.
    """
    if sp.issparse(X):
        return check_structure(X, name)
    # An array of xarray that is in memory has no graph.
    if hasattr(X, "__dask_graph__") and X.__dask_graph__() is not None:
        raise TypeError(
            f"{name} is a collection of Dask: learn with topictemper.dask.TemperedLDA, predict "
            f"with topictemper.dask.transform, or bring it to this process with {name}.compute()"
        )
    kind = type(X)  # a data frame has the names of its columns as attributes of its own
    if hasattr(kind, "obs_names") and hasattr(kind, "var_names"):
        raise TypeError(
            f"{name} is an AnnData, not a matrix; give its counts, such as {name}.X or "
            f"{name}.layers['counts'], and to fit feature_names={name}.var_names"
        )
    if hasattr(kind, "matrix_data") and hasattr(kind, "ids"):
        raise TypeError(
            f"{name} is a BIOM table, not a matrix; give its counts with samples in rows, "
            f"{name}.matrix_data.T, and to fit feature_names={name}.ids('observation')"
        )
    if hasattr(kind, "to_memory") and is_matrix(X):
        raise TypeError(
            f"{name} is a matrix on a disk ({kind.__name__}); read it with to_memory(), or, if it "
            "is too large, give an iterable of parts of it, such as the rows [:10_000]"
        )
    check.unmasked(name, X, "0")
    if isinstance(X, dict) and "counts" in X:
        raise TypeError(f"{name} is a corpus, not a matrix; give its counts, {name}.counts")
    if is_chunks(X):
        raise TypeError(
            f"{name} is an iterable of chunks, which is not possible here; give one chunk at a "
            "time, or one matrix, such as "
            f"scipy.sparse.vstack([scipy.sparse.csr_array(each) for each in {name}])"
        )
    first = _first(X)
    if isinstance(first, dict) and "counts" in first:
        raise TypeError(
            f"{name} holds corpora, not matrices; give their counts, [each.counts for each in "
            f"{name}]"
        )
    if isinstance(first, str | bytes):
        raise TypeError(
            f"{name} holds text, such as {first[:40]!r}; count the words first, with "
            "make_pipeline(CountVectorizer(), TemperedLDA(...)).fit(texts), or with "
            "model.vectorizer_.transform(texts) of a TopicModel"
        )
    if isinstance(X, list | tuple) and (is_matrix(first) or is_matrix(_first(first))):
        _refuse_matrices(X, name)
    word = _first(first)
    if isinstance(word, str | bytes):
        raise TypeError(
            f"{name} holds lists of tokens, such as {word[:40]!r}; count them first, with "
            "make_pipeline(CountVectorizer(analyzer=lambda tokens: tokens), TemperedLDA(...))"
            ".fit(documents), or from_gensim(dictionary.doc2bow(tokens) for each document)"
        )
    if isinstance(word, tuple):
        raise TypeError(f"{name} holds lists of tuples, like a corpus of gensim; {_FROM_GENSIM}")
    return X


def _refuse_matrices(X: list[Any] | tuple[Any, ...], name: str) -> None:
    """Refuse a list of matrices, or of what comes in place of matrices."""
    if isinstance(X, tuple) and not all(map(is_matrix, X)):
        raise TypeError(
            f"{name} is a tuple that holds a matrix, as chunked_X of an AnnData gives it; give the "
            "matrices alone, [scipy.sparse.csr_array(matrix) for matrix, *_ in chunks]"
        )
    for i, each in enumerate(X):
        acceptable(each, f"{name}[{i}]")
        if not is_matrix(each):
            raise TypeError(f"{name} is a list of matrices, but {name}[{i}] is {each!r:.60}")
    package = "scipy.sparse" if any(map(sp.issparse, X)) else "np"
    raise TypeError(
        f"{name} is a list of matrices; give one, {package}.vstack({name}). Chunks in a list must "
        "be sparse, each a scipy.sparse.csr_array"
    )


def holds_text(values: Any) -> bool:
    """Whether `values` holds strings, or lists of strings."""
    return isinstance(_first(_first(values)), str | bytes)


def acceptable_chunk(chunk: Any, name: str = "chunk") -> Any:
    """Refuse the documents of gensim that iterables give in place of chunks."""
    # Longer tuples are rows, such as those of a database.
    if isinstance(chunk, list) and all(isinstance(x, tuple) and len(x) == 2 for x in chunk):
        what = "a list of pairs" if chunk else "an empty list"
        raise TypeError(f"{name} is {what}, like a document of gensim; {_FROM_GENSIM}")
    return chunk


def some_chunks(X: Iterable[Any], checked: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield ``checked(chunk)`` of the chunks that have rows, of which there has to be one."""

    def some() -> Iterator[Any]:
        empty = True
        for chunk in X:
            empty = empty and not has_rows(chunk)
            yield chunk
        if empty:
            raise no_chunks("X")

    return each_checked(some(), checked)


def count_matrix(X: Any, name: str, dtype: Any = "numeric") -> Any:
    """Return checked CSR counts of one of some types, by default of any that files can hold."""
    X = acceptable(X, name)
    with check.readable(name, X, counts=True):
        X = check_array(
            X,
            accept_sparse="csr",
            dtype=dtype,
            ensure_all_finite=False,  # `check_counts` names the row
            input_name=name,
        )
        if X.dtype.kind not in "biuf":
            raise TypeError(f"{name} must hold numbers, got {X.dtype}")
    if X.dtype.kind == "f" and X.dtype not in TYPES:  # of half or extended precision, or swapped
        X = X.astype(np.float64)
    elif not X.dtype.isnative:
        X = X.astype(X.dtype.newbyteorder("="))
    return check_counts(X, name)


def check_counts(X: Any, name: str) -> Any:
    """Return CSR counts, none of them negative, huge or not finite.

    `acceptable` has checked the rest. Values are read in parts, since a mapped corpus may be larger
    than the memory.
    """
    if not sp.issparse(X):
        X = sp.csr_matrix(X)
    if X.shape[1] > _MOST_COLUMNS:
        raise ValueError(
            f"{name} has {X.shape[1]} columns; at most {_MOST_COLUMNS} are possible, one for each "
            "word"
        )
    for span in spans(len(X.data)):
        data = X.data[span]
        if not (data.min() >= 0 and data.max() <= LARGEST_COUNT):  # also of NaN
            wrong = int(np.flatnonzero(~((data >= 0) & (data <= LARGEST_COUNT)))[0])
            raise _no_count(X, name, span.start + wrong)
    # The same counts have the same bits: sums and random splits follow the words in order, once.
    if X.has_canonical_format:
        return X
    X = X.astype(X.dtype if X.dtype.kind == "f" else np.int64)  # a copy, of a type for sums
    X.sum_duplicates()
    return check_counts(X, name)  # of the sums


def _no_count(X: Any, name: str, entry: int) -> ValueError:
    value = X.data[entry]
    if np.isnan(value):
        kind, what = "NaN", f"finite{_IF_NAN}"
    elif np.isinf(value):
        kind, what = "Infinite", "finite"
    elif value < 0:
        kind, what = "Negative", f">= 0{_IF_NEGATIVE}"
    else:
        kind, what = "Huge", f"at most {LARGEST_COUNT:g}"
    return ValueError(
        f"{kind} values in data passed to {name}: row {row_of(X.indptr, entry)} has {value} in "
        f"column {X.indices[entry]}; counts must be {what}"
    )


def without_vanishing(X: Any) -> Any:
    """Set counts that are too small for a model to 0; copies X only if there are any."""
    if X.dtype.kind == "f" and any(
        ((X.data[span] > 0) & (X.data[span] < _SMALLEST_COUNT)).any() for span in spans(X.nnz)
    ):
        X = X.copy()
        X.data[X.data < _SMALLEST_COUNT] = 0
    return X


def check_width(X: Any, n_features: int, estimator: str, name: str) -> None:
    """Refuse counts whose number of columns is not that of the training data."""
    if X.shape[1] != n_features:
        raise ValueError(
            f"{name} has {X.shape[1]} features, but {estimator} is expecting {n_features} features "
            "as input."
        )


def no_weights_of_chunks(value: Any) -> None:
    """Refuse weights, which chunks cannot have."""
    if value is not None:
        raise ValueError("sample_weight must be None where X is an iterable of chunks")


def sample_weights(value: Any, n_samples: int | None) -> Floats | None:
    """Return checked weights of so many rows, or None if every row has weight 1.

    Without `n_samples`, which chunks have only at the end, there may be any number of weights.
    Those below 1e-200 become 0.
    """
    if value is None:
        return None
    weights = check.numbers("sample_weight", value)
    if weights.ndim == 1 and not np.isfinite(weights).all():
        row = int(np.argmin(np.isfinite(weights)))
        raise ValueError(
            f"sample_weight must be finite, got {weights[row]} for row {row}; 0 leaves a row out"
        )
    if weights.ndim != 1 or not len(weights) or n_samples not in (None, len(weights)):
        rows = "row" if n_samples is None else f"of the {n_samples} rows"
        raise ValueError(
            f"sample_weight must have one weight for each {rows}, got an array of shape "
            f"{weights.shape}"
        )
    if weights.min() < 0:
        row = int(np.argmin(weights))
        raise ValueError(
            f"sample_weight must be >= 0, got {weights[row]} for row {row}; 0 leaves a row out"
        )
    if weights.max() > LARGEST_COUNT:
        row = int(np.argmax(weights))
        raise ValueError(
            f"sample_weight must be at most {LARGEST_COUNT:g}, got {weights[row]} for row {row}"
        )
    if not weights.any():
        raise ValueError("sample_weight must be positive for at least one row, got only zeros")
    if weights.max() < _SMALLEST_WEIGHT:
        raise ValueError(
            f"sample_weight must be at least {_SMALLEST_WEIGHT:g} for one row, got at most "
            f"{weights.max():g}; divide all by the largest one"
        )
    vanishing = (weights > 0) & (weights < _SMALLEST_WEIGHT)
    return np.where(vanishing, 0.0, weights) if vanishing.any() else weights


def check_words(X: Any, name: str, rows: NDArray[np.int64] | None = None) -> None:
    """Refuse counts without a word in any of some rows; None: of all."""
    # Not by a copy of the rows, which may be almost all.
    if not (X.data if rows is None else row_sums(X)[rows]).any():
        which = f"{X.shape[0]} rows" if rows is None else f"{len(rows)} rows that count"
        raise ValueError(f"{name} has no words: all {which} are empty")


def check_held_out(held_out: Iterable[Any], name: str) -> None:
    """Refuse documents whose held-out halves, in one or more matrices, are all empty."""
    if not any(X.data.any() for X in held_out):
        raise nothing_held_out(name)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | bytes | list | tuple) and not value)


def _first(values: Any) -> Any:
    """Return the first value that is not empty: of a string the string, of a table None."""
    if isinstance(values, str | bytes):
        return values
    if isinstance(values, np.ndarray):
        if values.dtype.kind not in "OSU":
            return None
        values = values.flat
    elif (
        not isinstance(values, Iterable)
        or isinstance(values, Mapping | Set)
        or len(getattr(values, "shape", (0,))) != 1
    ):
        return None
    first: Any = next((value for value in values if not _is_empty(value)), None)
    return first.as_py() if hasattr(first, "as_py") else first  # of an Arrow array
