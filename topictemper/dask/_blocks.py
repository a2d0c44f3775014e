"""Collections of documents as a list of blocks, each of which can be computed by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, NamedTuple
from uuid import uuid4

import dask.array as da
import numpy as np
from dask._task_spec import convert_legacy_graph
from dask.base import tokenize
from dask.delayed import Delayed
from dask.utils import ensure_dict, key_split
from numpy.typing import NDArray

from .._utils._chunks import is_matrix, naming_part
from .._utils._feature_names import names_in, with_string_names


class Blocks(NamedTuple):
    """The blocks of a collection, in its order."""

    #: `dask.delayed.Delayed` objects, or matrices in the memory of this process.
    parts: list[Any]
    #: Rows of each block; NaN where Dask does not know.
    n_rows: list[float]
    #: Columns that it is said to have; 0 of text.
    n_columns: int
    #: Whether the blocks are Delayed.
    lazy: bool


def is_lazy(X: Any) -> bool:
    """Whether X is a collection of Dask."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def refuse_delayed(name: str, X: Any) -> None:
    """Raise TypeError for a Delayed or a list of them, which seem to have every attribute."""
    for each in X if isinstance(X, list | tuple) else [X]:
        if isinstance(each, Delayed):
            raise TypeError(
                f"{name} is Delayed, so its size is not known; make a collection of it: of counts "
                "dask.array.from_delayed(block, shape=(numpy.nan, n_columns), "
                "meta=scipy.sparse.csr_matrix((0, n_columns))), and of several blocks "
                "dask.array.concatenate; of texts dask.bag.from_delayed"
            )


def blocks_of(X: Any) -> Blocks:
    """Return the blocks of a dask.array, a dask.dataframe or a dask.bag.

    Raises
    ------
    TypeError
        If X is Delayed.
    ValueError
        If an array is not two-dimensional, or if its columns lie in several blocks, or if nobody
        knows how many there are.
    """
    refuse_delayed("X", X)
    n_rows = None
    if hasattr(type(X), "chunks"):  # a data frame has its columns as attributes
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions, documents by words; got {X.ndim}")
        if len(X.chunks[1]) > 1:
            raise ValueError(
                f"the columns of X lie in {len(X.chunks[1])} blocks; every block must hold "
                "whole documents: X.rechunk({1: -1})"
            )
        if np.isnan(X.shape[1]):
            raise ValueError(
                "X must have a known number of columns, one for each word: "
                "da.from_delayed(block, shape=(np.nan, n_columns), ...)"
            )
        n_rows = [float(rows) for rows in X.chunks[0]]
    parts = list(np.ravel(X.to_delayed()))
    n_columns = int(X.shape[1]) if getattr(X, "ndim", 1) == 2 else 0
    return Blocks(_alone(X, parts), n_rows or [np.nan] * len(parts), n_columns, lazy=True)


def _alone(X: Any, parts: list[Delayed]) -> list[Delayed]:
    """Give each block a graph of its own, which is sent by itself.

    All blocks share the graph of the collection; with each of them Dask would go through all of it.
    """
    graph = convert_legacy_graph(ensure_dict(parts[0].dask)) if parts else {}
    # Optimization leaves out blocks that are in the memory of workers. Their futures keep them.
    persisted = {key: node for key, node in ensure_dict(X.dask).items() if key not in graph}
    found = []
    for part in parts:
        own: dict[Any, Any] = {}
        keys = [part.key]
        while keys:
            key = keys.pop()
            if key in graph and key not in own:
                own[key] = graph[key]
                keys += graph[key].dependencies
            elif key in persisted:
                own[key] = persisted[key]
        found.append(Delayed(part.key, own))
    return found


def renamed(blocks: Blocks) -> Blocks:
    """Give all tasks new names, but for those of persisted blocks.

    The scheduler remembers the tasks that a model was made by. If they had the names of tasks of
    the user, which Dask may optimize in another way each time, it would warn of the difference.
    """
    token = uuid4().hex
    parts = []
    for part in blocks.parts:
        tasks = {key: task for key, task in part.dask.items() if hasattr(task, "dependencies")}
        names = {key: f"{key_split(key)}-{token}-{tokenize(key)}" for key in tasks}
        graph = dict(part.dask) | {
            names[key]: task.substitute(names, key=names[key]) for key, task in tasks.items()
        }
        for key in tasks:
            del graph[key]
        parts.append(Delayed(names.get(part.key, part.key), graph))
    return blocks._replace(parts=parts)


def matrices_of(X: Any) -> Blocks:
    """Return the blocks of a collection of Dask, a list of matrices, or one matrix."""
    refuse_delayed("X", X)
    if is_lazy(X):
        blocks = blocks_of(X)
        if not blocks.n_columns:
            raise TypeError(
                "X must hold counts, documents by words; count the words of texts first"
            )
        return renamed(blocks)
    parts = list(X) if isinstance(X, list | tuple) and all(map(is_matrix, X)) else [X]
    if not parts or not all(map(is_matrix, parts)):
        raise TypeError(
            "X must be a dask.array or dask.dataframe of counts, a matrix, or a list of "
            f"matrices; got {type(X).__name__}"
        )
    n_rows = [float(part.shape[0]) for part in parts]
    return Blocks(parts, n_rows, int(parts[0].shape[1]), lazy=False)


def joined(parts: Iterable[Delayed], n_rows: Iterable[float], meta: Any) -> da.Array:
    """Return a lazy array of tasks that give so many rows each, of the kind of an empty `meta`."""
    return da.concatenate(
        [
            da.from_delayed(part, (rows, *meta.shape[1:]), meta=meta)
            for part, rows in zip(parts, n_rows, strict=True)
        ]
    )


def column_names(X: Any, *, numbers: bool) -> NDArray[Any] | None:
    """Return the names of the columns of data frames, or None; `numbers` may be names, too."""
    X = X[0] if isinstance(X, list | tuple) else X
    table = getattr(X, "_meta", X)
    return names_in(with_string_names(table) if numbers else table)


def plain(block: Any) -> Any:
    """Return a block in a form that scikit-learn takes: pydata/sparse becomes SciPy's CSR."""
    return block.to_scipy_sparse().tocsr() if hasattr(block, "to_scipy_sparse") else block


def naming_block(function: Callable[..., Any], name: str = "X") -> Callable[..., Any]:
    """Let errors name the block: the function takes its place as one more first argument."""

    @wraps(function)
    def named(place: int, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (TypeError, ValueError) as error:
            # Types of other packages may take other arguments.
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(naming_part(error, name, f"block {place} of {name}")) from error

    return named
