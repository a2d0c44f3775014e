"""Lazy prediction: what a fitted model says of documents in collections of Dask."""

from __future__ import annotations

import os
import warnings
from typing import Any

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from .._utils._chunks import stacked
from .._utils._counts import nothing_held_out, sample_weights
from .._utils._topics import lda_of
from .._utils._typing import Floats
from ..lda._completion import score_of
from ..lda._estimator import TemperedLDA
from ..lda._prediction import Inference, way_of
from ..persistence._models import load
from ..text._model import TopicModel
from ._blocks import Blocks, blocks_of, is_lazy, joined, naming_block, plain
from ._preflight import check_workers

# Log-likelihood and number of the held-out tokens of each document of a block.
_Completions = tuple[Floats, Floats]


def transform(model: Any, X: Any, *, meta: Any = None, **options: Any) -> da.Array:
    """Transform a collection of Dask, block by block, when the result is computed.

    Parameters
    ----------
    model : estimator, str or path-like
        Any fitted object with a method ``transform``, or the file of a model that
        `topictemper.load` reads. An object is sent with the graph of each computation; a file is
        read by the workers, which suits large models.
    X : dask.array.Array of shape (n_samples, n_features), dask.dataframe or dask.bag
        What ``model.transform`` takes, in blocks: counts, or texts if the model takes texts. Arrays
        may have NumPy, SciPy sparse or pydata sparse blocks, and blocks of unknown length.
    meta : array-like of shape (0, n_components), optional
        An empty array of the kind that ``model.transform`` returns. None: the kind that it returns
        for an empty document.
    **options
        Passed on to ``model.transform``, such as ``tempered=True``.

    Returns
    -------
    dask.array.Array of shape (n_samples, n_components)
        Lazy. Its values have the same bits as ``model.transform`` of all documents at once, if that
        treats every document by itself, as `topictemper.TemperedLDA` does.

    Raises
    ------
    TypeError
        If X is not a collection of Dask, if the model has no ``transform``, or if ``out`` is given.
    ValueError
        If the columns of X lie in several blocks. When it is computed: if a block is invalid.
    RuntimeError
        If a worker of the current client lacks the package, or has another version of it.

    Examples
    --------
    >>> import dask.array as da
    >>> import topictemper
    >>> from topictemper.dask import transform
    >>> from topictemper.datasets import make_lda_corpus
    >>> counts = make_lda_corpus(300, 50, 3, random_state=0).counts.toarray()
    >>> lda = topictemper.TemperedLDA(3, max_iter=2, random_state=0).fit(counts)
    >>> theta = transform(lda, da.from_array(counts, chunks=(100, 50)))
    >>> bool((theta.compute() == lda.transform(counts)).all())
    True
    """
    if "out" in options:
        raise TypeError(
            "transform of a collection has no out: write the result block by block, for example "
            "with to_zarr"
        )
    blocks, task = _blocks_and_model(X, model)
    if meta is None:
        meta = _meta(model, X, options)
    parts = [
        dask.delayed(_transformed)(place, block, task, meta, options)
        for place, block in enumerate(blocks.parts)
    ]
    return joined(parts, blocks.n_rows, meta)


def document_temperatures(model: Any, X: Any) -> da.Array:
    """Temperatures of documents in a collection of Dask, when the result is computed.

    Parameters
    ----------
    model, X
        As for `score`.

    Returns
    -------
    dask.array.Array of shape (n_samples,)
        Lazy; see `topictemper.TemperedLDA.document_temperatures`.

    Examples
    --------
    >>> import dask.array as da
    >>> import topictemper
    >>> from topictemper.dask import document_temperatures
    >>> from topictemper.datasets import make_lda_corpus
    >>> counts = make_lda_corpus(300, 50, 3, random_state=0).counts.toarray()
    >>> lda = topictemper.TemperedLDA(3, max_iter=2, random_state=0).fit(counts)
    >>> X = da.from_array(counts, chunks=(100, 50))
    >>> document_temperatures(lda, X).shape
    (300,)
    """
    blocks, task = _blocks_and_model(X, model)
    _topic_model(model)
    parts = [
        dask.delayed(_temperatures)(place, block, task) for place, block in enumerate(blocks.parts)
    ]
    return joined(parts, blocks.n_rows, np.empty(0))


def score(
    model: Any,
    X: Any,
    *,
    sample_weight: Any = None,
    inference: Inference = "auto",
    tempered: bool = False,
) -> da.Array:
    """Predictive log-likelihood of held-out words in a collection of Dask, by completion.

    Parameters
    ----------
    model : topictemper.TemperedLDA, topictemper.TopicModel, str or path-like
        A fitted model, or its file.
    X : dask.array.Array of shape (n_samples, n_features), dask.dataframe or dask.bag
        Counts; for a `topictemper.TopicModel` texts, in a bag or a column of a data frame.
    sample_weight : array-like or dask.array.Array of shape (n_samples,), optional
        How often the tokens of each document count in the mean, >= 0.
    inference, tempered
        As for `topictemper.TemperedLDA.score`.

    Returns
    -------
    dask.array.Array of shape ()
        Lazy; ``float(score(model, X))`` computes it. The same bits as ``model.score`` of all
        documents at once, for counts that are whole numbers. One worker gathers two numbers for
        each document, and the weights.

    Raises
    ------
    TypeError
        If the model has no topics.
    ValueError
        If `sample_weight`, `inference` or `tempered` is invalid. When it is computed: if weights of
        Dask or a block are invalid, or if no document has two tokens.
    RuntimeError
        As for `transform`.

    Examples
    --------
    >>> import dask.array as da
    >>> import topictemper
    >>> from topictemper.dask import score
    >>> from topictemper.datasets import make_lda_corpus
    >>> counts = make_lda_corpus(300, 50, 3, random_state=0).counts.toarray()
    >>> lda = topictemper.TemperedLDA(3, max_iter=2, random_state=0).fit(counts)
    >>> X = da.from_array(counts, chunks=(100, 50))
    >>> float(score(lda, X)) == lda.score(counts)
    True
    """
    blocks, task = _blocks_and_model(X, model)
    _topic_model(model)
    way_of(inference, tempered)  # here, not on a worker
    if not is_lazy(sample_weight):
        n_rows = sum(blocks.n_rows)
        sample_weight = sample_weights(sample_weight, None if np.isnan(n_rows) else int(n_rows))
    parts = [
        dask.delayed(_completed)(place, block, task, inference, tempered)
        for place, block in enumerate(blocks.parts)
    ]
    mean = dask.delayed(_mean)(parts, sample_weight)
    return da.from_delayed(mean, shape=(), dtype=np.float64)


def perplexity(
    model: Any,
    X: Any,
    *,
    sample_weight: Any = None,
    inference: Inference = "auto",
    tempered: bool = False,
) -> da.Array:
    """Perplexity of held-out words in a collection of Dask, ``exp(-score(model, X))``.

    Parameters
    ----------
    model, X, sample_weight, inference, tempered
        As for `score`.

    Returns
    -------
    dask.array.Array of shape ()
        Lazy; lower is better.

    Examples
    --------
    >>> import dask.array as da
    >>> import topictemper
    >>> from topictemper.dask import perplexity
    >>> from topictemper.datasets import make_lda_corpus
    >>> counts = make_lda_corpus(300, 50, 3, random_state=0).counts.toarray()
    >>> lda = topictemper.TemperedLDA(3, max_iter=2, random_state=0).fit(counts)
    >>> X = da.from_array(counts, chunks=(100, 50))
    >>> float(perplexity(lda, X)) == lda.perplexity(counts)
    True
    """
    found = score(model, X, sample_weight=sample_weight, inference=inference, tempered=tempered)
    return da.exp(-found)


def _blocks_and_model(X: Any, model: Any) -> tuple[Blocks, Any]:
    """The arguments of the tasks for a collection, on workers that can run them."""
    if not is_lazy(X):
        raise TypeError(
            "X must be a dask.array, dask.dataframe or dask.bag; for a matrix in memory use the "
            f"method of the model; got {type(X).__name__}"
        )
    blocks, task = blocks_of(X), _task_of(model)
    check_workers()
    return blocks, task


def _task_of(model: Any) -> Any:
    """The model as an argument of tasks: one task for all of them."""
    if isinstance(model, str | os.PathLike):
        return dask.delayed(load)(os.path.abspath(model))
    if hasattr(model, "to_local"):
        raise TypeError(
            "the model is on the cluster: use its own methods, such as model.score(X), or give "
            "model.to_local()"
        )
    if hasattr(model, "key"):  # the result of another task, such as a Future
        return model
    if not hasattr(model, "transform"):
        raise TypeError(f"model must have a method transform, or name a file; got {model!r}")
    return dask.delayed(model, traverse=False)


def _topic_model(model: Any) -> Any:
    """The same model; refused if it is an estimator, but no fitted topic model."""
    if hasattr(model, "fit"):
        if not isinstance(model, TemperedLDA | TopicModel):
            raise TypeError(
                "model must be a topictemper.TemperedLDA or a topictemper.TopicModel, got "
                f"{type(model).__name__}"
            )
        check_is_fitted(model)
    return model


def _meta(model: Any, X: Any, options: dict[str, Any]) -> Any:
    """An empty result: what an empty document gives, without that document."""
    if isinstance(model, str | os.PathLike):
        model = load(model)
    if hasattr(type(X), "chunks"):  # "chunks" may be a column of a data frame
        example = sp.csr_matrix((1, X.shape[1]), dtype=np.float64)
        if isinstance(X._meta, np.ndarray):
            example = example.toarray()
    elif getattr(X, "ndim", 1) == 2:
        example = sp.csr_matrix((1, len(X.columns)), dtype=np.float64)
    else:
        example = [""]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the example has no names of columns
        result = model.transform(example, **options)
    return _array(result)[:0]


@naming_block
def _transformed(block: Any, model: Any, meta: Any, options: dict[str, Any]) -> Any:
    block = plain(block)
    if not hasattr(block, "shape"):
        block = list(block)  # of a bag, which may be an iterator
    if not (len(block) if isinstance(block, list) else block.shape[0]):
        return meta
    return _array(model.transform(block, **options))


@naming_block
def _temperatures(block: Any, model: Any) -> Any:
    X = _counts(block, model)
    return lda_of(model).document_temperatures(X) if X.shape[0] else np.empty(0)


def _counts(block: Any, model: Any) -> Any:
    """Checked counts of a block, which may hold texts if the model has words."""
    lda, parts = lda_of(_topic_model(model)), [plain(block)]
    if lda is not model:
        texts = list(block)
        parts = list(model._matrices(texts)) if texts else []
    filled = [lda._fitted_counts(part) for part in parts if part.shape[0]]
    return stacked(filled or [sp.csr_matrix((0, lda.n_features_in_))])


@naming_block
def _completed(block: Any, model: Any, inference: Inference, tempered: bool) -> _Completions:
    X = _counts(block, model)
    if not X.shape[0]:
        return np.empty(0), np.empty(0)
    return lda_of(model)._completions([X], inference, tempered)


def _mean(parts: list[_Completions], sample_weight: Any) -> Floats:
    likelihoods, n_tokens = map(np.concatenate, zip(*parts, strict=True))
    weights = sample_weights(sample_weight, len(n_tokens))
    mean = score_of(likelihoods, n_tokens, weights)
    if np.isnan(mean):
        raise nothing_held_out("X")
    return np.asarray(mean)


def _array(result: Any) -> Any:
    """A result as an array, also of an estimator that returns data frames."""
    return result if sp.issparse(result) else np.asarray(result)
