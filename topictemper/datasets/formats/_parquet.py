"""Text in Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ._text import InputError


def iter_parquet_text(path: str | os.PathLike[str], column: str | None = None) -> Iterator[str]:
    """Iterate over the texts in a column of a Parquet file.

    Only a part is in memory at a time. Needs pyarrow (``pip install 'topictemper[parquet]'``).

    Parameters
    ----------
    path : str or path-like
        The file.
    column : str, default=None
        Column of text. None takes the only one.

    Yields
    ------
    str
        A text; empty for a missing value.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    ValueError
        If the file is not a Parquet file, or has no such column of text.
    OSError
        If the file cannot be read.

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
                raise InputError(f"{path}: name one of its columns of text: {texts}.")
            name = texts[0] if column is None else column
            if name not in texts:
                raise InputError(f"{path}: {name!r} is not one of its columns of text: {texts}.")
            for batch in file.iter_batches(columns=[name], batch_size=1000):
                for text in batch.column(0):
                    yield text.as_py() or ""
        except pa.ArrowException as error:
            raise InputError(f"{path}: not a Parquet file, or damaged ({error}).") from error
