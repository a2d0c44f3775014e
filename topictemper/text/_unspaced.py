"""A warning of texts without spaces between words."""

from __future__ import annotations

import re

from sklearn.feature_extraction.text import CountVectorizer

from .._utils._warnings import warn
from ._parameters import WORD
from ._vocabulary import GrowingVocabulary

# Letters of Chinese, Japanese, Thai, Lao, Burmese and Khmer; Tibetan has dots between syllables.
_UNSPACED = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]"
)
# With a smaller share of such words, the texts are quotations or names.
_LEAST_SHARE = 0.1


def warn_of_unspaced(growing: GrowingVocabulary, vectorizer: CountVectorizer) -> None:
    """Warn if whole clauses are counted as words; not with a tokenization of the user's own."""
    if (
        vectorizer.analyzer != "word"
        or vectorizer.tokenizer is not None
        or vectorizer.token_pattern != WORD
    ):
        return
    share, example = growing.share_of(_UNSPACED.search)
    if share >= _LEAST_SHARE:
        warn(
            f"{share:.0%} of the words, such as {example[:20]!r}, are in a script without spaces "
            "between words, so they may be whole clauses: split the texts with a tokenizer for the "
            "language, and give lists of tokens, or texts with a space between words and the "
            r"token_pattern '\S+'",
        )
