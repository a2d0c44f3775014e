"""Warnings of texts that make poor topics, by their words."""

from __future__ import annotations

import re

from sklearn.feature_extraction.text import CountVectorizer

from .._utils._warnings import warn
from ._parameters import WORD
from ._vocabulary import GrowingVocabulary, document_limit

# Letters of Chinese and Japanese, and long runs of those of Thai, Lao, Burmese and Khmer: where
# these have blanks or zero-width spaces between words, 6% of the words are as long, and else 66%.
# Tibetan has dots between syllables.
_UNSPACED = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
    r"|[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]{9}"
)
# With a smaller share of such words, the texts are quotations or names.
_LEAST_UNSPACED = 0.1
# Function words that are rare in English; a word of several languages stands once.
_COMMON = frozenset(
    # German, French, Spanish, Portuguese, Italian
    "der die und das den nicht ist ich wir sie mit für auf ein eine dass des dem von auch sich "
    "werden les une pour dans que qui pas nous vous sur avec sont cette los las por del para como "
    "está puede más pero não uma são dos pela che della sono gli alla dei anche questo nel "
    # Dutch, Swedish, Danish and Norwegian
    "het een van niet voor zijn met dat ook maar wordt och att som för inte det till har ett jag "
    "eller ikke til jeg skal hvis "
    # Catalan; Polish, Czech, Slovak, Croatian and Serbian, Slovenian
    "amb els dels però més "
    "nie się jest jak tak dla czy jsem jako není jsou při být alebo ako nije koji kao ili što "
    "tudi lahko "
    # Russian, Ukrainian, Serbian, Bulgarian
    "что это как для она они так или если при когда был было быть только "
    "які але був було бути він його коли щоб якщо није који као што това като които може "
    # Lithuanian, Latvian, Estonian, Albanian
    "yra kad buvo nėra iki vai kas lai kui või ning ole për një është nuk "
    # Turkish, Finnish, Hungarian, Romanian, Greek, Indonesian
    "bir için ile çok daha olarak veya että oli mutta kun niin tai voi nem hogy egy csak vagy meg "
    "este pentru din sunt dacă sau και του της την από που δεν είναι "
    "yang dan untuk dari dengan tidak dalam ini "
    # Vietnamese, Arabic, Persian, Hebrew, Hindi
    "không được của các những này cho على إلى التي هذا هذه الذي ذلك كان این است برای "
    "הוא היא אני אבל אתה זאת नहीं लिए किया करने हैं".split()
)
# English texts have at most a tenth of this share; speeches in German, Dutch and Spanish have five
# to seven times as much. Prose in other languages was not measured: some may give no warning.
_LEAST_COMMON = 0.04
_OF_ADDRESSES = frozenset(("http", "https", "www"))
# As of posts with fifty words and one address each. Articles and manuals have a tenth of this.
_LEAST_OF_ADDRESSES = 0.02
# Names of HTML that are no words of a language. They are 3% to 6% of the words of mails and pages
# with their markup, and at most 0.3% of those of plain mails, manual pages and docstrings.
_OF_MARKUP = frozenset("nbsp href bgcolor colspan rowspan cellpadding cellspacing valign".split())
_LEAST_OF_MARKUP = 0.01
# Names of header fields of mails and newsgroups. Nearly all mails with headers have the first and
# one of the others; in other collections at most a third of the documents have the first, unless
# they are long: articles in groups of a hundred have them all.
_OF_ALL_HEADERS, _OF_HEADERS = "subject", ("received", "mime", "organization", "newsgroups")
_LEAST_WITH_HEADERS = 0.8
# Texts of 2,000 words lose less than this by the default `max_df`, which is no reason to warn;
# topics of much longer ones are made of what little is left (benchmarks/lda/passages.py).
_LEAST_LEFT_OUT = 0.5
# Words of a long text, without stop words. What is in most short texts are set phrases.
_LEAST_WORDS = 1000


def warn_of_words(growing: GrowingVocabulary, vectorizer: CountVectorizer) -> None:
    """Warn if many words are whole clauses, of another language, or parts of what is no text."""
    _warn_of_unspaced(growing, vectorizer)
    _warn_of_other_languages(growing, vectorizer)
    _warn_of_web_addresses(growing)
    _warn_of_markup(growing)
    _warn_of_headers(growing)


def warn_of_frequent_words(growing: GrowingVocabulary, vectorizer: CountVectorizer) -> None:
    """Warn if texts are long, and `max_df` leaves out most of their words."""
    if not _are_long(growing):
        return
    high = document_limit(vectorizer.max_df, growing.n_documents)
    share, example = growing.share_in_more_than(high)
    if share >= _LEAST_LEFT_OUT:
        warn(
            f"{share:.0%} of the words, such as {example!r}, are left out, because each is in more "
            f"than {high:g} of {growing.n_documents:,} documents (max_df={vectorizer.max_df}): cut "
            "long texts into passages of some 300 words, or choose a larger max_df",
        )


def _warn_of_unspaced(growing: GrowingVocabulary, vectorizer: CountVectorizer) -> None:
    """Warn if whole clauses are counted as words; not with a tokenization of the user's own."""
    if (
        vectorizer.analyzer != "word"
        or vectorizer.tokenizer is not None
        or vectorizer.token_pattern != WORD
    ):
        return
    share, example = growing.share_of(filter(_UNSPACED.search, growing.strings))
    if share >= _LEAST_UNSPACED:
        warn(
            f"{share:.0%} of the words, such as {example[:20]!r}, are in a script without spaces "
            "between words, so they may be whole clauses: split the texts with a tokenizer for the "
            "language, and give lists of tokens, or texts with a space between words and the "
            r"token_pattern '\S+'",
        )


def _warn_of_other_languages(growing: GrowingVocabulary, vectorizer: CountVectorizer) -> None:
    """Warn if many words are common ones of another language, and English stop words are left out.

    Who keeps all stop words, or leaves out those of the language, has chosen, and gets no warning.
    """
    if vectorizer.analyzer != "word" or "the" not in (vectorizer.get_stop_words() or ()):
        return
    share, example = growing.share_of(_COMMON)
    # One word alone may be English after all, and a subject: a van, a die.
    if share - growing.share_of([example])[0] >= _LEAST_COMMON:
        warn(
            f"{share:.0%} of the words, such as {example!r}, are function words of another "
            "language, but only English stop words are left out, so topics may be made of such "
            "words: give all stop words of the language, as stop_words of the "
            "vectorizer or by --stop-words",
        )


def _warn_of_web_addresses(growing: GrowingVocabulary) -> None:
    """Warn if many words are parts of web addresses."""
    share, example = growing.share_of(_OF_ADDRESSES)
    if share >= _LEAST_OF_ADDRESSES:
        warn(
            f"{share:.0%} of the words are {example!r} or the like, so the texts seem to be full "
            "of web addresses, whose other parts, such as 'com', may become words of topics: "
            r"remove the addresses first, such as by re.sub(r'https?://\S+', ' ', text)",
        )


def _warn_of_markup(growing: GrowingVocabulary) -> None:
    """Warn if many words are names of tags and attributes of HTML."""
    share, example = growing.share_of(_OF_MARKUP)
    if share >= _LEAST_OF_MARKUP:
        warn(
            f"{share:.0%} of the words are {example!r} or the like, so the texts seem to have "
            "markup of HTML, whose other names, such as 'font', may become words of topics: remove "
            "it first, such as by bs4.BeautifulSoup(text, 'html.parser').get_text(' ')",
        )


def _warn_of_headers(growing: GrowingVocabulary) -> None:
    """Warn if nearly all texts have the words of headers of mails."""
    there = [name for name in _OF_HEADERS if _in_nearly_all(growing, name)]
    if there and _in_nearly_all(growing, _OF_ALL_HEADERS) and not _are_long(growing):
        warn(
            f"nearly all texts have the words {_OF_ALL_HEADERS!r} and {there[0]!r}, so they seem "
            "to be mails with their headers, whose names of people and computers may become words "
            "of topics: learn from the body alone, such as text.partition('\\n\\n')[2], and "
            "perhaps the subject",
        )


def _are_long(growing: GrowingVocabulary) -> bool:
    return growing.n_words >= _LEAST_WORDS * growing.n_documents


def _in_nearly_all(growing: GrowingVocabulary, word: str) -> bool:
    return growing.n_documents_with(word) >= _LEAST_WITH_HEADERS * growing.n_documents
