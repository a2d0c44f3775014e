"""A warning of long texts, most of whose words are in too many documents to be kept."""

from __future__ import annotations

from sklearn.feature_extraction.text import CountVectorizer

from .._utils._warnings import warn
from ._vocabulary import GrowingVocabulary, document_limit

# Texts of 2,000 words lose less than this by the default `max_df`, which is no reason to warn;
# topics of much longer ones are made of what little is left (benchmarks/lda/passages.py).
_LEAST_SHARE = 0.5
# Words per text, without stop words. What is in most short texts are set phrases.
_LEAST_WORDS = 1000


def warn_of_frequent_words(growing: GrowingVocabulary, vectorizer: CountVectorizer) -> None:
    """Warn if texts are long, and `max_df` leaves out most of their words."""
    if growing.n_words < _LEAST_WORDS * growing.n_documents:
        return
    high = document_limit(vectorizer.max_df, growing.n_documents)
    share, example = growing.share_in_more_than(high)
    if share >= _LEAST_SHARE:
        warn(
            f"{share:.0%} of the words, such as {example!r}, are left out, because each is in more "
            f"than {high:g} of {growing.n_documents:,} documents (max_df={vectorizer.max_df}): cut "
            "long texts into passages of some 300 words, or choose a larger max_df",
        )
