"""The vectorizer and the model that the parameters of a `TopicModel` ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from types import FunctionType
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import (
    ENGLISH_STOP_WORDS,
    CountVectorizer,
    TfidfVectorizer,
)

from ..lda._config import OF_TRAINING, check_parameters
from ..lda._estimator import TemperedLDA
from ..lda._seeding import kept_seeds, unseeded
from ..lda._trained_with import refusal, same
from ..persistence._vectorizers import as_tokens, checked
from ..topics import SeedTopics
from ._composed import with_words_as_in_texts

_LETTER = r"[^\W\d_]"
# Combining marks, perhaps with letters in between: accents written as characters of their own
# (Unicode NFD), points of Hebrew and Arabic, vowel signs from Devanagari to Khmer, and kana marks.
_MARK = (
    r"[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    r"\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07b0"
    r"\u0900-\u0963\u0981-\u09e3\u0a01-\u0a51\u0a70-\u0a75\u0a81-\u0ae3\u0b01-\u0b63"
    r"\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0ce3\u0d00-\u0d4d\u0d57\u0d62\u0d63\u0d81-\u0ddf"
    r"\u0df2\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u0f35\u0f37\u0f39\u0f71-\u0f84"
    r"\u0f8d-\u0fbc\u102b-\u103e\u1056-\u108f\u17b4-\u17d3\u302a-\u302f\u3099\u309a]"
    # Joiners between a mark and a letter: all Sinhala has them, and loanwords of Telugu.
    r"(?:[\u200c\u200d](?=[^\W\d_]))?"
)
# The apostrophe of Ukrainian and Belarusian, as in "об'єкт", and the marks of Hebrew abbreviations
# and borrowed sounds, which are mostly written as quotation marks. English contractions have theirs
# between Latin letters.
_SIGN = (
    r"[\"'\u2019\u05f3\u05f4](?:(?<=[\u0400-\u052f]['\u2019])(?=[\u0400-\u052f])"
    r"|(?<=[\u05d0-\u05ea].)(?=[\u05d0-\u05ea]))"
)
_INNER = f"(?:{_MARK}|{_SIGN})"
#: Runs of three or more letters of any script, with their combining marks and signs. Python's
#: ``\w`` has no marks, so that it cuts the words of most scripts of India. All this is
#: ``L(?:L|M){2,}`` of letters L, and marks and signs M, twice as fast in text without these.
WORD = (
    f"{_LETTER}(?:{_LETTER}{{2,}}+|(?:{_LETTER}|{_INNER}){{2}}{_LETTER}*)(?:{_INNER}{_LETTER}*+)*+"
)
MIN_DF, MAX_DF = 5, 0.5
# What is left of contractions, such as "don" of "don't".
_OF_CONTRACTIONS = (
    "ain aren couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren "
    "wouldn"
).split()
#: Words that carry no topic: those of scikit-learn, and what is left of contractions.
STOP_WORDS = sorted(ENGLISH_STOP_WORDS.union(_OF_CONTRACTIONS))
#: Parameters that take the place of those of `lda`.
OF_LDA = ("n_components", "random_state", "n_jobs", "verbose")


def default_vectorizer() -> CountVectorizer:
    """Return the vectorizer of models that are given none."""
    return CountVectorizer(
        token_pattern=WORD, stop_words=STOP_WORDS, min_df=MIN_DF, max_df=MAX_DF, dtype=np.int32
    )


def default_lda() -> TemperedLDA:
    """Return the `lda` of models that are given none."""
    return TemperedLDA(10)


def with_parts(model: Any, params: dict[str, Any], usual_lda: Callable[[], Any]) -> dict[str, Any]:
    """Return parameters to set, with the default of a part that is None but has its own set."""
    for part, default in (("vectorizer", default_vectorizer), ("lda", usual_lda)):
        nested = any(name.startswith(f"{part}__") for name in params)
        if nested and params.get(part, getattr(model, part)) is None:
            params[part] = default()
    # What is set last counts.
    for name in OF_LDA:
        if f"lda__{name}" in params:
            params.setdefault(name, None)
    return params


def unfitted_lda(model: Any, usual_lda: Callable[[], Any]) -> Any:
    """Return a copy of `lda`, or its default, with those parameters that the model itself has."""
    lda = usual_lda() if model.lda is None else clone(model.lda)
    given = {name: getattr(model, name) for name in OF_LDA}
    return lda.set_params(**{name: value for name, value in given.items() if value is not None})


def new_lda(model: Any) -> TemperedLDA:
    """Return the unfitted model of counts that a `TopicModel` asks for."""
    if model.lda is not None and not isinstance(model.lda, TemperedLDA):
        raise TypeError(f"lda must be a TemperedLDA or None, got {type(model.lda).__name__}")
    lda = unfitted_lda(model, default_lda)
    if model.seed_topics is not None:
        if not isinstance(model.seed_topics, Mapping | SeedTopics):
            raise TypeError(
                "seed_topics must be a mapping of labels to words, such as "
                f'{{"space": ["space", "nasa", "orbit"]}}, or SeedTopics; got {model.seed_topics!r}'
            )
        if lda.topic_word_prior is not None:
            raise ValueError(
                "seed_topics takes the place of topic_word_prior of lda: give only one"
            )
        lda.set_params(topic_word_prior=model.seed_topics)
    return lda


def refuse_changes(model: Any) -> None:
    """Refuse parameters that `update` would ignore, because a `TopicModel` began with others.

    Raises
    ------
    TypeError, ValueError
        If one is invalid, or differs.
    """
    asked, trained = new_lda(model), copy(model.lda_)
    trained.set_params(**{name: getattr(asked, name) for name in OF_TRAINING})
    of_lda = model.lda is not None and model.lda.topic_word_prior is not None
    here = {name: name for name in OF_LDA} | ({} if of_lda else {"topic_word_prior": "seed_topics"})
    trained._refuse_changes("update", lambda name: here.get(name, f"lda__{name}"))
    if model.vectorizer is None:
        return  # the version that fitted a loaded model may have had another default
    fitted = model.vectorizer_
    vectorizer = new_vectorizer(model.vectorizer, fitted.tokenizer is as_tokens)
    if type(vectorizer) is not type(fitted):
        raise refusal("vectorizer", vectorizer, fitted, "update")
    before = fitted.get_params(deep=False)
    for name, value in vectorizer.get_params(deep=False).items():
        if not _same(value, before[name]):
            raise refusal(f"vectorizer__{name}", value, before[name], "update")


def _same(value: Any, before: Any) -> bool:
    """Whether two values of a parameter of a vectorizer are the same, as far as can be told.

    `clone` copies objects other than functions. If these cannot be compared, their class is.
    """
    value, before = (getattr(each, "__func__", each) for each in (value, before))  # of methods
    kind: Any = type(value)
    copied = kind.__eq__ is object.__eq__ and not isinstance(value, FunctionType | type)
    return kind is type(before) if copied else same(value, before)


def check_before_counting(lda: TemperedLDA) -> None:
    """Check the parameters of a model of counts, of words that are not known yet.

    Arrays with an entry for each word are checked when they are used.

    Raises
    ------
    TypeError, ValueError
        If one is invalid.
    """
    check_parameters(unseeded(lda))
    seeds = kept_seeds(lda.topic_word_prior)
    if seeds is not None:
        seeds.check_number(lda.n_components)
    if lda.warm_start:
        raise ValueError(
            "warm_start=True of lda has no effect in a TopicModel, whose fit chooses the words "
            "anew: it must be False; update learns from more texts"
        )


def new_vectorizer(given: Any, tokens: bool) -> CountVectorizer:
    """Return an unfitted vectorizer for texts, or for lists of tokens.

    Raises
    ------
    TypeError, ValueError
        If it counts no words or takes no texts, if a parameter is invalid, or if it counts
        characters, which lists of tokens have not.
    """
    if given is None:
        vectorizer = default_vectorizer()
    elif isinstance(given, CountVectorizer) and not isinstance(given, TfidfVectorizer):
        vectorizer = clone(given)
    else:
        raise TypeError(
            "vectorizer must be a CountVectorizer, which counts words and keeps them; got "
            f"{type(given).__name__}"
        )
    if tokens and vectorizer.analyzer in ("char", "char_wb"):
        raise TypeError(
            f"analyzer={vectorizer.analyzer!r} of the vectorizer counts characters of texts, but "
            "the documents are lists of tokens: give texts, such as ' '.join(tokens), or set "
            "analyzer='word'"
        )
    if tokens and vectorizer.analyzer == "word":
        vectorizer.set_params(
            tokenizer=as_tokens, preprocessor=as_tokens, token_pattern=None, lowercase=False
        )
    return with_words_as_in_texts(checked(vectorizer))
