"""A warning of texts in another language, of which only English stop words are left out."""

from __future__ import annotations

from sklearn.feature_extraction.text import CountVectorizer

from .._utils._warnings import warn
from ._vocabulary import GrowingVocabulary

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
_LEAST_SHARE = 0.04


def warn_of_other_languages(growing: GrowingVocabulary, vectorizer: CountVectorizer) -> None:
    """Warn if many words are common ones of another language, and English stop words are left out.

    Who keeps all stop words, or leaves out those of the language, has chosen, and gets no warning.
    """
    if vectorizer.analyzer != "word" or "the" not in (vectorizer.get_stop_words() or ()):
        return
    share, example = growing.share_of(_COMMON.__contains__)
    # One word alone may be English after all, and a subject: a van, a die.
    if share - growing.share_of(example.__eq__)[0] >= _LEAST_SHARE:
        warn(
            f"{share:.0%} of the words, such as {example!r}, are function words of another "
            "language, but only English stop words are left out, so topics may be made of such "
            "words: give all stop words of the language, as stop_words of the "
            "vectorizer or by --stop-words",
        )
