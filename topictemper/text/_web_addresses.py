"""A warning of web addresses, whose parts would be words of topics."""

from __future__ import annotations

from .._utils._warnings import warn
from ._vocabulary import GrowingVocabulary

_OF_ADDRESSES = frozenset(("http", "https", "www"))
# As of posts with fifty words and one address each. Articles and manuals have a tenth of this.
_LEAST_SHARE = 0.02


def warn_of_web_addresses(growing: GrowingVocabulary) -> None:
    """Warn if many words are parts of web addresses."""
    share, example = growing.share_of(_OF_ADDRESSES.__contains__)
    if share >= _LEAST_SHARE:
        warn(
            f"{share:.0%} of the words are {example!r} or the like, so the texts seem to be full "
            "of web addresses, whose other parts, such as 'com', may become words of topics: "
            r"remove the addresses first, such as by re.sub(r'https?://\S+', ' ', text)",
        )
