"""How a `TopicModel` was made, for the page of a report."""

from __future__ import annotations

from typing import Any

from ..persistence._vectorizers import as_tokens
from ._parameters import WORD

# What says how texts are read, not which words are counted.
_OF_INPUT = ("input", "encoding", "decode_error", "dtype")
# What chooses words where no vocabulary is given, and what has no effect beside a function.
_OF_VOCABULARY = ("min_df", "max_df", "max_features")
_BESIDE = {
    "analyzer": (
        *("tokenizer", "preprocessor", "token_pattern", "stop_words"),
        *("ngram_range", "lowercase", "strip_accents"),
    ),
    "tokenizer": ("token_pattern",),
    "preprocessor": ("lowercase", "strip_accents"),
}


def made_by(model: Any) -> dict[str, str]:
    """Return the class of a fitted model of texts, and what its vectorizer counts."""
    given = model.vectorizer_.get_params(deep=False)
    out = {name for name, value in given.items() if value is None} | set(_OF_INPUT)
    if given["vocabulary"] is not None:
        out.update(_OF_VOCABULARY)
    if not given["binary"]:
        out.add("binary")
    for name, others in _BESIDE.items():
        if callable(given[name]):
            out.update(others)
    made = {"model": type(model).__name__}
    if given["tokenizer"] is as_tokens:
        made["documents"] = "lists of words"
        out |= {"tokenizer", "preprocessor"}
    if given["token_pattern"] == WORD:  # a long line of scripts
        given["token_pattern"] = "three or more letters"
    return made | {name: _short(value) for name, value in given.items() if name not in out}


def _short(value: Any) -> str:
    """Return a parameter as text; of collections of words only their size."""
    if isinstance(value, str):
        return value
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    is_words = hasattr(value, "__len__") and not isinstance(value, tuple)
    return f"{len(value):,} words" if is_words else repr(value)
