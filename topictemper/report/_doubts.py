"""Topics to distrust, and why."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils._distances import hellinger
from .._utils._typing import Floats
from ._coherence import Coherence

# A topic with a smaller part of an equal share is empty.
_EMPTY = 0.1
# A topic is incoherent if its NPMI is nearer to that of random words in place of its own than to
# the median of all topics: a topic of two subjects, of whose pairs of words half are random, is
# about there. `python -m benchmarks.lda.doubts` shows what speaks for the limits.
_INCOHERENT_PART = 0.5
# Different topics of a fit seldom have a Hellinger distance below 0.6, and most topics are closer
# than that to their like in another fit; half of them are closer than 0.4 to 0.5. So two topics
# below the first limit are as alike as one topic found twice, and a topic above the second is as
# far from its partners in the other fits as from a different topic. It may have something nearer
# there, which is the partner of another topic.
_DUPLICATE, _UNSTABLE = 0.4, 0.65
# A topic is general if it is an outlier towards p(w) by Tukey's rule, and by this part of the
# median. An absolute limit would depend on the number of topics.
_FENCE, _GENERAL_PART = 1.5, 0.9


class Doubt(NamedTuple):
    """A reason to distrust a topic."""

    topic: int
    kind: str  # "empty", "incoherent", "duplicate", "general" or "unstable"
    value: float  # share, coherence, or a distance
    other: int | None = None  # the topic that it repeats


def doubts_about(
    shares: Floats,
    coherence: Coherence | None,
    distance: Floats,
    to_corpus: Floats,
    to_partners: Floats | None,
) -> list[Doubt]:
    """Return the reasons to distrust topics, by topic; for an empty topic that alone.

    Parameters
    ----------
    shares : ndarray of shape (n_components,)
        Shares of the topics.
    coherence : Coherence, optional
        NPMI of the topics, and of random words.
    distance : ndarray of shape (n_components, n_components)
        Hellinger distances between topics.
    to_corpus : ndarray of shape (n_components,)
        Hellinger distances to the frequencies of words in the corpus.
    to_partners : ndarray of shape (n_components,), optional
        Mean Hellinger distances to the same topics of other fits.
    """
    n = len(shares)
    empty = shares < _EMPTY / n
    used = np.flatnonzero(~empty)
    doubts = [Doubt(int(k), "empty", float(shares[k])) for k in np.flatnonzero(empty)]
    if coherence is not None:
        own = coherence.of_topics
        lowest = lowest_coherence(coherence, float(np.median(own[used])))
        doubts += [Doubt(int(k), "incoherent", float(own[k])) for k in used if own[k] < lowest[k]]
    if len(used) > 1:
        others = distance[np.ix_(used, used)] + np.diag(np.full(len(used), np.inf))
        nearest = others.argmin(axis=1)
        for k, other, least in zip(used, used[nearest], others.min(axis=1), strict=True):
            if least < _DUPLICATE:
                doubts.append(Doubt(int(k), "duplicate", float(least), int(other)))
        low, median, high = np.quantile(to_corpus[used], (0.25, 0.5, 0.75))
        limit = min(low - _FENCE * (high - low), _GENERAL_PART * median)
        general = used[to_corpus[used] < limit]
        doubts += [Doubt(int(k), "general", float(to_corpus[k])) for k in general]
    if to_partners is not None:
        far = used[to_partners[used] > _UNSTABLE]
        doubts += [Doubt(int(k), "unstable", float(to_partners[k])) for k in far]
    return sorted(doubts, key=lambda doubt: doubt.topic)


def lowest_coherence(coherence: Coherence, median: float) -> Floats:
    """Return the NPMI of each topic below which it is incoherent; NaN if chance is not known.

    Where all topics are poor, their median is no better than chance. So a topic must also have
    more than most sets of random words.
    """
    halfway = coherence.by_chance + _INCOHERENT_PART * (median - coherence.by_chance)
    return np.maximum(halfway, coherence.high_by_chance)


def distance_to_corpus(topics: NDArray[Any], marginal: Floats) -> Floats:
    """Return Hellinger distances of topics to p(w): small for topics of common words."""
    return hellinger(topics, marginal[None].astype(topics.dtype))[:, 0]
