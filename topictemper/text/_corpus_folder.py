"""What a folder of counts says of the texts that were counted: how they were cut into words."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sklearn.feature_extraction.text import CountVectorizer

from .._utils import _validation as check
from .._utils._state import Tree, within
from ..datasets.formats._mapped import HEADER, notes_of
from ..datasets.formats._packed import InputError
from ..persistence._vectorizers import plain_vectorizer, vectorizer_of


class Counting(NamedTuple):
    """How the texts of a folder were counted."""

    #: Not fitted. None if it cannot be written, such as one with a function of its own.
    vectorizer: CountVectorizer | None
    #: Share of the words that its limits left out.
    unknown_share: float


def plain_counting(vectorizer: CountVectorizer, unknown_share: float) -> Tree:
    """Return what `counting_of` reads, as plain values."""
    plain = None
    with suppress(ValueError):
        plain = plain_vectorizer(vectorizer)
    return {"vectorizer": plain, "unknown_share": unknown_share}


def counting_of(folder: Path) -> Counting | None:
    """Return how the texts of a folder were counted, or None if it does not say so.

    Raises
    ------
    InputError
        If what it says is damaged.
    """
    notes = notes_of(folder)
    if notes is None:
        return None
    try:
        with within("vectorizer"):
            plain = notes["vectorizer"]
            vectorizer = None if plain is None else vectorizer_of(plain)
        with within("unknown_share"):
            share = check.number("unknown_share", notes["unknown_share"], 0.0, 1.0)
    except ValueError as error:
        raise InputError(f"{folder / HEADER}: damaged; {str(error).rstrip('.')}.") from error
    return Counting(vectorizer, share)
