"""Text in Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ._text import InputError


def iter_parquet_text(path: str | os.PathLike[str], column: str | None = None) -> Iterator[str]:
    """Documents in a column of a Parquet file, one after another.

    Only some are in memory at a time. Needs pyarrow (``pip install 'topictemper[parquet]'``).

    Parameters
    ----------
    path : str or path-like
        The file.
    column : str, default=None
        Column of text; may be left out if there is one only.

    Yields
    ------
    str
        A document; an empty one where the value is missing.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    ValueError
        If this is no Parquet file, or there is no such column of text.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from topictemper.datasets import iter_parquet_text
    >>> counts = CountVectorizer().fit_transform(
    ...     iter_parquet_text("posts.parquet", "body")
    ... )  # doctest: +SKIP
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError(
            "Parquet files need pyarrow: pip install 'topictemper[parquet]'"
        ) from error
    with open(path, "rb") as raw:
        try:
            file = pq.ParquetFile(raw)
            schema = file.schema_arrow
            texts = [
                field.name
                for field in schema
                if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
            ]
            if column is None and len(texts) != 1:
                raise InputError(f"{path}: one of its columns of text has to be named: {texts}.")
            name = texts[0] if column is None else column
            if name not in texts:
                raise InputError(f"{path}: {name!r} is none of its columns of text: {texts}.")
            for batch in file.iter_batches(columns=[name], batch_size=1000):
                for text in batch.column(0):
                    yield text.as_py() or ""
        except pa.ArrowException as error:
            raise InputError(f"{path}: not a Parquet file, or damaged ({error}).") from error
