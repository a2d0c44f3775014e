"""Words of topics by relevance, and those that the page needs for any place of its slider."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils._ranking import largest
from .._utils._typing import Floats

#: Words of a topic that the page shows, and the stops of its slider.
N_SHOWN = 30
STOPS = np.linspace(0.0, 1.0, 21)
#: Most probable words of a topic that the page has, to mark them in documents.
_N_MARKED = 100
# Log-probability of words that a topic does not have.
_LEAST = 1e-12


class Candidates(NamedTuple):
    """Words of one topic, the most probable first."""

    words: NDArray[np.intp]
    log_probability: Floats


def candidates(topic: Floats, marginal: Floats) -> Candidates:
    """Return the words that are among the first at some stop of the slider, or very probable."""
    log_p, log_marginal = np.log(np.maximum(topic, _LEAST)), np.log(marginal)
    places = [largest(topic, _N_MARKED)]
    shown = places[0][:N_SHOWN]
    for stop in STOPS[::-1]:
        # Relevance (Sievert and Shirley, 2014), as in `topictemper.topics.relevance`.
        values = log_p - (1.0 - stop) * log_marginal
        # As many words are as relevant as the least of the stop before: only these are ranked.
        near = np.flatnonzero(values >= values[shown].min())
        shown = near[largest(values[near], N_SHOWN)]
        places.append(shown)
    words = np.unique(np.concatenate(places))
    # By the probabilities, as in `top_words`: logarithms may be equal where those differ.
    words = words[np.argsort(-topic[words], kind="stable")]
    return Candidates(words, log_p[words])


def corpus_frequencies(topics: NDArray[Any], shares: Floats, totals: Floats | None) -> Floats:
    """Return p(w): of the counts, or of the mixture of all topics where there are none.

    Words without a count have half of one.
    """
    return mixture_of(topics, shares) if totals is None else np.maximum(totals, 0.5) / totals.sum()


def mixture_of(topics: NDArray[Any], shares: Floats) -> Floats:
    """Return p(w) of all topics together, > 0."""
    mixture = shares.astype(topics.dtype) @ topics
    return np.maximum(mixture.astype(np.float64), _LEAST)
