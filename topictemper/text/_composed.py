"""Texts in one of the ways in which Unicode can write them."""

from __future__ import annotations

from collections.abc import Callable
from unicodedata import normalize

from sklearn.feature_extraction.text import CountVectorizer


def composer(vectorizer: CountVectorizer) -> Callable[[str], str]:
    """Return what makes a text the one that a vectorizer counts: in NFC, with one small dotted i.

    Accents and letters may be one character or two, and which it is differs by keyboard, system and
    program: without this, words that look alike would be different ones. A capital "İ" of Turkish
    would become two characters in lower case, and "İklim" another word than "iklim". Functions of
    the user's get texts as they are.
    """
    if callable(vectorizer.analyzer) or vectorizer.preprocessor is not None:
        return as_it_is
    return _composed_for_lower_case if vectorizer.lowercase else composed


def as_it_is(text: str) -> str:
    """Return a text that a function of the user's gets."""
    return text


def composed(text: str) -> str:
    """Return a text in NFC."""
    return normalize("NFC", text)


def with_words_as_in_texts(vectorizer: CountVectorizer) -> CountVectorizer:
    """Return a vectorizer whose stop words are in the case, and without the accents, of its texts.

    Lists of stop words have accents, which `strip_accents` takes off the words of texts.

    Raises
    ------
    ValueError
        If a word of its vocabulary is not, and so cannot occur.
    """
    compose = composer(vectorizer)
    if compose is as_it_is:
        return vectorizer
    if isinstance(vectorizer.stop_words, list):
        preprocess = vectorizer.build_preprocessor()
        words = [
            preprocess(compose(word)) if isinstance(word, str) else word
            for word in vectorizer.stop_words
        ]
        vectorizer.set_params(stop_words=words)
    # scikit-learn tells of capital letters.
    in_case = str.lower if vectorizer.lowercase else str
    for word in () if vectorizer.vocabulary is None else vectorizer.vocabulary:
        if isinstance(word, str) and in_case(word) == word != compose(word):
            raise ValueError(
                f"vocabulary of the vectorizer has {word!r}, whose accents are characters of their "
                f"own; texts have {compose(word)!r}, because they are read in NFC and in lower "
                "case have 'i' for 'İ'. Give "
                "unicodedata.normalize('NFC', word.replace('i\\u0307', 'i'))"
            )
    return vectorizer


def _composed_for_lower_case(text: str) -> str:
    # In lower case before: "H̱" is two characters, but "ẖ" is one.
    return normalize("NFC", text.lower().replace("i\u0307", "i"))
