"""Text in Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..._utils._files import path_of
from ._packed import InputError


class ColumnNeededError(InputError):
    """A file has several columns of text, and none of them is named."""


def iter_parquet_text(path: str | os.PathLike[str], column: str | None = None) -> Iterator[str]:
    """Iterate over the texts in a column of a Parquet file, or of all Parquet files of a folder.

    Only a part is in memory at a time. Needs pyarrow (``pip install 'topictemper[parquet]'``).

    Parameters
    ----------
    path : str or path-like
        The file, or a folder, such as a partitioned data set. Of a folder, all ``.parquet`` files
        in it and in its folders are read, in the order of their names. Those that begin with
        "." or "_", or are in such folders, are left out.
    column : str, default=None
        Column of text. None takes the only one.

    Yields
    ------
    str
        A text; empty for a missing value.

    Raises
    ------
    TypeError
        If `path` is not the name of a file or folder.
    ImportError
        If pyarrow is not installed.
    ValueError
        If a file is not a Parquet file, or has no such column of text, or if a folder has no
        Parquet files.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> from topictemper import TopicModel
    >>> from topictemper.datasets import iter_parquet_text
    >>> model = TopicModel(50).fit(iter_parquet_text("posts.parquet", "body"))  # doctest: +SKIP
    """
    path = path_of(path)
    pyarrow()
    for name in _files_of(path) if path.is_dir() else [path]:
        with open(name, "rb") as file:
            for [text] in parquet_rows(file, name, column):
                yield text or ""


def _files_of(folder: Path) -> list[Path]:
    """Return the Parquet files below a folder, without those that Spark and others hide."""
    files = [path for path in sorted(folder.rglob("*.parquet")) if path.is_file()]
    files = visible(files, folder, "._")
    if not files:
        raise InputError(f"{folder}: a folder without .parquet files.")
    return files


def visible(files: Iterable[Path], folder: Path, hidden: str) -> list[Path]:
    """Return files below a folder, if no part of their names there begins with such a character."""
    return [
        path
        for path in files
        if not any(part[0] in hidden for part in path.relative_to(folder).parts)
    ]


def parquet_rows(
    file: Any, name: str | os.PathLike[str], column: str | None, others: Sequence[str] = ()
) -> Iterator[list[Any]]:
    """Yield the values of a column of text, and of other columns, of an open Parquet file."""
    pa, pq = pyarrow()
    try:
        table = pq.ParquetFile(file)
        schema = table.schema_arrow
        texts = [
            field.name
            for field in schema
            # Where all texts are missing, writers do not know that they would be texts.
            if _is_text(pa.types, field.type)
            or (field.name == column and pa.types.is_null(field.type))
        ]
        if not texts:
            types = {field.name: str(field.type) for field in schema}
            raise InputError(f"{name} has no column of text (string), but {types}.")
        if column is None and len(texts) != 1:
            raise ColumnNeededError(f"{name}: name one of its columns of text: {texts}.")
        chosen = texts[0] if column is None else column
        if chosen not in texts:
            raise InputError(f"{name}: {chosen!r} is not one of its columns of text: {texts}.")
        absent = [other for other in others if other not in schema.names]
        if absent:
            raise InputError(f"{name}: {absent[0]!r} is not one of its columns: {schema.names}.")
        wanted = [chosen, *others]
        twice = next((each for each in wanted if schema.names.count(each) > 1), None)
        if twice is not None:
            raise InputError(f"{name}: two of its columns are {twice!r}: {schema.names}.")
        for batch in table.iter_batches(columns=list(dict.fromkeys(wanted)), batch_size=1000):
            columns = [batch.column(batch.schema.get_field_index(each)) for each in wanted]
            for row in zip(*(values.to_pylist() for values in columns), strict=True):
                yield list(row)
    except UnicodeDecodeError as error:  # some writers do not check what they call text
        raise InputError(
            f"{name}: a text that is not UTF-8 ({error.object[:40]!r}); write the file again, with "
            "texts as UTF-8."
        ) from error
    except (pa.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:  # of the system, not of the content
            raise
        what = " ".join(str(error).split())  # some errors have several lines
        raise InputError(f"{name}: not a Parquet file, or damaged ({what}).") from error


def _is_text(types: Any, type: Any) -> bool:
    """Whether a column holds strings, as they are or by their numbers in a dictionary."""
    if types.is_dictionary(type):
        return _is_text(types, type.value_type)
    return types.is_string_view(type) or types.is_string(type) or types.is_large_string(type)


def pyarrow() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet, or raise ImportError that names the extra."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError(
            "Parquet files need pyarrow: pip install 'topictemper[parquet]'"
        ) from error
    return pa, pq
