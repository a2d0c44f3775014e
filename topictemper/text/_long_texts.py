"""Words of long texts, some at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer

from ._composed import composer
from ._parameters import WORD

#: Characters of a long text. The list of its words takes ten times as much memory as the text.
LONG = 1 << 20
_WORDS_AT_ONCE = 1 << 16
# Their words are the same in the whole text and in pieces that end at white space.
_PATTERNS_WITHIN_WORDS = (WORD, CountVectorizer().token_pattern)
# strip_accents="ascii" removes other white space, which joins the words around it.
_SPACE = re.compile(r"[ \t\n\r\u00a0\u3000]")


def words_in_pieces(
    vectorizer: CountVectorizer,
) -> Callable[[Any], Iterator[list[str]]] | None:
    """Return a function that does what the analyzer of a vectorizer does, some words at a time.

    None if the vectorizer makes more of a text than its single words, or has an analyzer or a
    tokenizer of its own, which need the whole text.
    """
    if (
        type(vectorizer) is not CountVectorizer
        or vectorizer.analyzer != "word"
        or vectorizer.tokenizer is not None
        or tuple(vectorizer.ngram_range) != (1, 1)
    ):
        return None
    compose, preprocess = composer(vectorizer), vectorizer.build_preprocessor()
    pattern = re.compile(vectorizer.token_pattern)
    stop_words = vectorizer.get_stop_words() or ()
    group = pattern.groups  # 0 is the whole match; scikit-learn allows no more than one group
    of_the_user = vectorizer.preprocessor is not None or callable(vectorizer.strip_accents)
    is_cut = not of_the_user and pattern.pattern in _PATTERNS_WITHIN_WORDS

    def words(document: Any) -> Iterator[list[str]]:
        text = vectorizer.decode(document)
        for piece in _cut(text) if is_cut else [text]:
            matches = pattern.finditer(preprocess(compose(piece)))
            while found := [match[group] or "" for match in islice(matches, _WORDS_AT_ONCE)]:
                yield [word for word in found if word not in stop_words]

    return words


def _cut(text: str) -> Iterator[str]:
    """Yield pieces that end before white space, where neither words nor lower case depend on it."""
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + LONG)
        end = space.start() if space else len(text)
        yield text[start:end]
        start = end
