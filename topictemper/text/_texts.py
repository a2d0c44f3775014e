"""Documents in any form: strings or lists of tokens, in lists, columns or streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import suppress
from itertools import chain
from operator import length_hint
from typing import Any

import scipy.sparse as sp

from .._utils._missing import is_missing

_KINDS = {False: "a text", True: "a list of tokens"}


class Texts:
    """Documents that are all texts, or all lists of tokens.

    Parameters
    ----------
    texts : iterable
        A list, an array, a column of pandas, polars or Arrow, or any iterable. A missing value is
        an empty document.
    tokens : bool, optional
        Whether documents have to be lists of tokens; None: as the first one is.

    Attributes
    ----------
    tokens : bool
        Whether documents are lists of tokens.
    is_stream : bool
        Whether their number is not known, so that they may be more than the memory holds.

    Raises
    ------
    TypeError
        If these are no texts; when a document is reached that is of another kind, too.
    ValueError
        If there are no documents.
    """

    def __init__(self, texts: Any, tokens: bool | None = None) -> None:
        self._source = iter(_column(texts))
        self.is_stream = not has_length(texts)
        self._n_documents = None if self.is_stream else len(texts)
        self._documents, kind = _first_kind(self._source)
        self.tokens = (kind or False) if tokens is None else tokens

    def n_left(self, n_done: int) -> int:
        """Return about how many documents are left after so many; 0 if nobody knows.

        A stream may know, by its ``__length_hint__``.
        """
        if self._n_documents is not None:
            return self._n_documents - n_done
        with suppress(Exception):  # in a hint that is wrong, which must not end a fit
            return length_hint(self._source)
        return 0

    def __iter__(self) -> Iterator[Any]:
        """Yield the documents, once."""
        for number, document in enumerate(self._documents):
            if _is_missing(document):
                yield [] if self.tokens else ""
                continue
            kind = _kind(document, number)
            if kind != self.tokens:
                raise TypeError(
                    f"document {number} is {_KINDS[kind]}, but {_KINDS[self.tokens]} is needed: "
                    "the documents of a model are all texts, or all lists of tokens"
                )
            if kind:
                _check_tokens(document, number)
            yield document


def has_length(texts: Any) -> bool:
    """Whether the number of documents is known; tqdm around a stream has a `__len__` that fails."""
    try:
        len(texts)
    except TypeError:
        return False
    return True


def _column(texts: Any) -> Iterable[Any]:
    """Return what the documents can be taken from, or raise TypeError."""
    if isinstance(texts, str | bytes):
        raise TypeError("texts is one string; give a list of texts, such as [text]")
    if sp.issparse(texts) or len(getattr(texts, "shape", ())) > 1:
        raise TypeError(
            f"texts is a {type(texts).__name__} of two dimensions; give one column of text, such "
            "as frame['text'], or 'text' without brackets in a ColumnTransformer. For counts of "
            "words use TemperedLDA"
        )
    if not _has_order(texts):
        raise TypeError(
            "texts must be an iterable of texts or of lists of tokens, in the order of the "
            f"documents; got {type(texts).__name__}"
        )
    if hasattr(texts, "iterchunks"):  # of Arrow
        return chain.from_iterable(chunk.to_pylist() for chunk in texts.iterchunks())
    if hasattr(texts, "to_pylist"):
        return texts.to_pylist()
    return texts


def _first_kind(documents: Iterator[Any]) -> tuple[Iterator[Any], bool | None]:
    """Return the documents, and the kind of the first that is not missing."""
    seen: list[Any] = []
    for document in documents:
        seen.append(document)
        if not _is_missing(document):
            return chain(seen, documents), _kind(document, len(seen) - 1)
    if not seen:
        raise ValueError("texts has no documents")
    return iter(seen), None


def _kind(document: Any, number: int) -> bool:
    """Whether a document is a list of tokens; else it is a text."""
    if isinstance(document, str | bytes):
        return False
    if isinstance(document, Iterator):
        raise TypeError(
            f"document {number} is an iterator, which can be read only once; give a list of tokens"
        )
    if _has_order(document):
        first = next(iter(document), "")
        if isinstance(first, str):
            return True
        if isinstance(first, tuple):
            raise TypeError(
                f"document {number} holds tuples, like a corpus of gensim; give its texts or "
                "tokens, or counts to TemperedLDA, with topictemper.datasets.from_gensim"
            )
        raise _no_string(first, number)
    hint = "; give its as_py()" if hasattr(document, "as_py") else ""  # a scalar of Arrow
    raise TypeError(
        f"document {number} is neither a text nor a list of tokens, but {type(document).__name__}, "
        f"{str(document)[:40]!r}{hint}"
    )


def _check_tokens(document: Iterable[Any], number: int) -> None:
    """Refuse a list of tokens that are not all strings."""
    try:
        "".join(document)  # many times faster than a look at each
    except TypeError:
        token = next(token for token in document if not isinstance(token, str))
        raise _no_string(token, number) from None


def _no_string(token: Any, number: int) -> TypeError:
    return TypeError(
        f"document {number} holds {type(token).__name__}, such as {str(token)[:40]!r}; tokens must "
        "be strings"
    )


def _has_order(values: Any) -> bool:
    """Whether values can be gone through in an order; not those of an array without dimensions."""
    is_scalar = getattr(values, "shape", None) == ()
    return isinstance(values, Iterable) and not (is_scalar or isinstance(values, Mapping | Set))


def _is_missing(document: Any) -> bool:
    return not isinstance(document, Iterable) and is_missing(document)
