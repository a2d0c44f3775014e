"""Vectorizers of scikit-learn as plain values: how text is cut into words."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from .._utils._feature_names import feature_names_of
from .._utils._state import Tree, within

# In place of the functions of a vectorizer that takes tokens.
_TOKENS = "tokens"


def as_tokens(document: Any) -> Any:
    """Return a document that consists of tokens already; of a stop word its only token."""
    return [document] if isinstance(document, str) else document


def plain_vectorizer(vectorizer: CountVectorizer) -> Tree:
    """Return the parameters of a vectorizer as plain values.

    Raises
    ------
    ValueError
        If it is of another class, or a parameter is a function or a list of other values.
    """
    if type(vectorizer) is not CountVectorizer:
        raise ValueError(
            f"vectorizer={vectorizer!r} cannot be written to a file; a CountVectorizer can"
        )
    return {name: _plain(name, value) for name, value in vectorizer.get_params(deep=False).items()}


def vectorizer_of(tree: Tree) -> CountVectorizer:
    """Return the vectorizer from the result of `plain_vectorizer`."""
    parameters = dict(tree)
    for name in ("tokenizer", "preprocessor"):
        value = parameters.get(name)
        if value not in (None, _TOKENS):
            raise ValueError(f"{name} must be None or {_TOKENS!r}, got {value!r}")
        parameters[name] = None if value is None else as_tokens
    with within("ngram_range"):
        low, high = parameters["ngram_range"]
        if not (isinstance(low, int) and isinstance(high, int)):
            raise ValueError("no whole numbers")
        parameters["ngram_range"] = (low, high)
    with within("dtype"):
        parameters["dtype"] = np.dtype(str(parameters["dtype"])).type
        if not issubclass(parameters["dtype"], np.number):
            raise ValueError("no numbers")
    return checked(CountVectorizer(**parameters))


def checked(vectorizer: CountVectorizer) -> CountVectorizer:
    """Return the vectorizer, if scikit-learn accepts its parameters, and it takes texts.

    Raises
    ------
    TypeError, ValueError
        As `CountVectorizer.fit` does; if it takes files.
    """
    if vectorizer.input != "content":
        raise ValueError(f"input of the vectorizer must be 'content', got {vectorizer.input!r}")
    words = ["a"] if vectorizer.vocabulary is None else vectorizer.vocabulary
    stop_words = vectorizer.stop_words
    if isinstance(stop_words, list) or (isinstance(stop_words, str) and stop_words == "english"):
        # scikit-learn would split them into words, and `token_pattern` of a hostile file would not
        # come to an end of that.
        vectorizer.get_stop_words()
        stop_words = None
    # Apart from the words, among which capital letters would give a warning.
    _Quiet(vocabulary=words, lowercase=False).fit([])
    others = {"vocabulary": ["a"], "stop_words": stop_words}
    probe = _Quiet(**{**vectorizer.get_params(deep=False), **others}).fit([])
    probe.build_analyzer()
    return vectorizer


class _Quiet(CountVectorizer):
    """One that does not warn of parameters without effect: the vectorizer does when it counts.

    `warnings.catch_warnings` would change the filters of all threads: of two models that are loaded
    at once, the second would leave all warnings ignored.
    """

    def _warn_for_unused_params(self) -> None:
        pass


_Quiet.__name__ = CountVectorizer.__name__  # which errors of its parameters give


def _plain(name: str, value: Any) -> Any:
    if value is as_tokens:
        return _TOKENS
    if name == "dtype":
        return np.dtype(value).name
    if name == "vocabulary" and isinstance(value, Mapping):
        return feature_names_of(value, len(value), strings=True).tolist()
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | np.ndarray):
        values = [each.item() if isinstance(each, np.generic) else each for each in value]
        if all(each is None or isinstance(each, bool | int | float | str) for each in values):
            return values
    raise ValueError(
        f"{name}={value!r} of the vectorizer cannot be written to a file; numbers, strings, lists "
        "of strings and None can"
    )
