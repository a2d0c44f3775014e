"""All that the page shows, as plain lists and numbers.

`page/src/types.js` describes the same from the side of the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils import _names
from .._utils._chunks import parts, row_sums
from .._utils._dates import unit_of
from .._utils._distances import hellinger
from .._utils._typing import Floats
from . import _documents
from ._coherence import Coherence, coherence_of
from ._dates import periods_of
from ._doubts import distance_to_corpus, doubts_about
from ._geometry import map_of, match_distance, neighbors
from ._survey import Classes, Proportions, Shares, Survey, survey
from ._words import N_SHOWN, STOPS, candidates, corpus_frequencies, mixture_of

_N_NEIGHBORS = 5
# Examples of a topic: fewer where there are many topics.
_N_EXAMPLES, _MOST_EXAMPLES = 10, 2_500
# Groups that the page shows, the largest; the others are one more.
_MOST_GROUPS = 30
_MOST_POINTS = 400
_LONGEST_NAME = 200


class Inputs(NamedTuple):
    """Checked arguments of `write`."""

    topics: NDArray[Any]
    proportions: Any
    words: list[str]
    counts: Any
    documents: list[str] | None
    names: list[str] | None
    days: NDArray[np.datetime64] | None
    groups: list[str] | None
    group_order: NDArray[Any] | None
    labels: list[str]
    others: list[NDArray[Any]]
    score: float | None
    history: Mapping[str, NDArray[Any]]
    parameters: dict[str, str]


def content_of(inputs: Inputs) -> dict[str, Any]:
    """Gather everything, in one pass over the proportions."""
    n_topics = len(inputs.topics)
    lengths = totals = None
    if inputs.counts is not None:
        lengths, totals = _sums(inputs.counts)
    proportions = Proportions(inputs.proportions, lengths)
    given = {
        "periods": None if inputs.days is None else periods_of(inputs.days),
        "groups": None if inputs.groups is None else _groups(inputs.groups, inputs.group_order),
    }
    classes = {name: each for name, each in given.items() if each is not None}
    n_examples = max(3, min(_N_EXAMPLES, _MOST_EXAMPLES // n_topics))
    found = survey(proportions, classes, n_examples)
    for name, shares in found.classes.items():
        if not shares.n_documents.any():
            given[name] = None  # nothing to show
    marginal = corpus_frequencies(inputs.topics, found.share, totals)
    documents, own_score, coherence = _of_documents(
        inputs, proportions, found, lengths, given["groups"]
    )
    return {
        "documents_given": proportions.n_documents,
        "documents_counted": int(found.with_words.sum()),
        "vocabulary": len(inputs.words),
        "tokens": None if totals is None else round(float(totals.sum())),
        "sampled": totals is not None and proportions.n_documents > _documents.SAMPLE,
        "sample": _documents.SAMPLE,
        "fit": _fit(inputs.score, own_score, totals),
        "parameters": inputs.parameters,
        "history": {name: _course(array, name) for name, array in inputs.history.items()},
        **_of_topics(inputs, found, marginal, coherence),
        **documents,
        **{name: each and _classes(each, found.classes[name]) for name, each in given.items()},
    }


def _sums(counts: Any) -> tuple[Floats, Floats]:
    """Return the words of each document, and how often each word occurs."""
    totals = np.zeros(counts.shape[1])
    for part in parts(counts):  # sums of a whole matrix copy its values
        totals += part.sum(axis=0, dtype=np.float64)
    return row_sums(counts), totals


def _of_topics(
    inputs: Inputs,
    found: Survey,
    marginal: Floats,
    coherence: Coherence | None,
) -> dict[str, Any]:
    distance = hellinger(inputs.topics, inputs.topics)
    to_partners = match_distance(inputs.topics, inputs.others)
    doubts = doubts_about(
        found.share, coherence, distance, distance_to_corpus(inputs.topics, marginal), to_partners
    )
    drawn = map_of(distance, found.share)
    near = neighbors(distance, _N_NEIGHBORS)
    lists = [candidates(topic.astype(np.float64), marginal) for topic in inputs.topics]
    first = [[inputs.words[v] for v in each.words[: _names.MOST_WORDS]] for each in lists]
    used, place = np.unique(np.concatenate([each.words for each in lists]), return_inverse=True)
    ends = np.cumsum([len(each.words) for each in lists])[:-1]
    mixture = mixture_of(inputs.topics, found.token_share)
    labels = {topic: label for topic, label in enumerate(inputs.labels) if label}
    return {
        "labels": inputs.labels,
        "name_words": _names.numbers_of_words(first, labels),
        "share": _rounded(found.share, 6),
        "token_share": _rounded(found.token_share, 6),
        "led": found.n_led.tolist(),
        "coherence": None if coherence is None else _rounded(coherence.of_topics, 4),
        "coherence_by_chance": None if coherence is None else _rounded(coherence.by_chance, 4),
        "fits": len(inputs.others),
        "words": [inputs.words[v] for v in used],
        "log_frequency": _rounded(np.log(marginal[used]), 5),
        "log_mixture": _rounded(np.log(mixture[used]), 5),
        "topic_words": [part.tolist() for part in np.split(place, ends)],
        "topic_log": [_rounded(each.log_probability, 5) for each in lists],
        "shown": N_SHOWN,
        "stops": len(STOPS),
        "neighbors": [
            [[int(j), round(1 - float(distance[k, j]), 3)] for j in row]
            for k, row in enumerate(near)
        ],
        "map": np.round(drawn.places, 4).tolist(),
        "radius": _rounded(drawn.radii, 5),
        "doubts": [[each.topic, each.kind, round(each.value, 4), each.other] for each in doubts],
    }


def _of_documents(
    inputs: Inputs,
    proportions: Proportions,
    found: Survey,
    lengths: Floats | None,
    groups: Classes | None,
) -> tuple[dict[str, Any], float | None, Coherence | None]:
    """Return what the page has of documents; the score of a sample, in nats per token; NPMI."""
    rng = np.random.default_rng(0)
    needed, own_score, coherence = np.concatenate(found.examples), None, None
    worst = np.empty(0, dtype=np.intp)
    perplexity = np.empty(0)
    sample = _documents.sample_rows(proportions.n_documents, rng)
    if lengths is not None:
        coherence = coherence_of(inputs.topics, inputs.counts[sample])
        sample = sample[found.with_words[sample]]
        perplexity = _documents.perplexities(inputs.topics, proportions, inputs.counts, sample)
        if len(sample):
            own_score = -float(np.average(np.log(perplexity), weights=lengths[sample]))
        worst = _documents.worst(perplexity, lengths, sample)
        needed = np.concatenate([needed, worst])
    if inputs.documents is None and inputs.names is None:
        return {"documents": None}, own_score, coherence
    chosen = _documents.choose(needed, inputs.documents, proportions.n_documents, rng)
    rows = chosen.rows
    place = {int(row): i for i, row in enumerate(rows)}
    of_row = dict(zip(sample.tolist(), perplexity.tolist(), strict=False))
    documents = {
        "row": rows.tolist(),
        "name": None if inputs.names is None else [inputs.names[i][:_LONGEST_NAME] for i in rows],
        "text": chosen.texts,
        "topics": _documents.main_topics(proportions, rows),
        "length": None if lengths is None else lengths[rows].astype(int).tolist(),
        "group": None if groups is None else groups.codes[rows].tolist(),
        "date": None if inputs.days is None else _iso(inputs.days[rows]),
        "date_unit": None if inputs.days is None else unit_of(inputs.days),
        "perplexity": None if lengths is None else [_number(of_row.get(int(k))) for k in rows],
        "examples": [[place[int(row)] for row in some] for some in found.examples],
        "worst": [place[int(row)] for row in worst],
        "complete": chosen.complete,
        "cut": chosen.n_cut,
        "least_words": _documents.LEAST_WORDS,
    }
    return {"documents": documents}, own_score, coherence


def _fit(
    score: float | None, own_score: float | None, totals: Floats | None
) -> dict[str, Any] | None:
    """Return a perplexity, how it was measured, and that of the frequencies of words alone."""
    baseline = None
    if totals is not None:
        p = totals[totals > 0] / totals.sum()
        baseline = round(float(np.exp(-(p @ np.log(p)))), 1)
    kind = "held-out"
    if score is None:
        if own_score is None:
            return None
        kind, score = "own", own_score
    return {
        "kind": kind,
        "score": round(score, 4),
        "perplexity": round(float(np.exp(-score)), 1),
        "baseline": baseline,
    }


def _groups(groups: list[str], places: NDArray[Any] | None) -> Classes:
    """Number the groups: in their order, if `places` are given or they are numbers such as ratings.

    Of others the largest is the first. -1 is none.
    """
    names, first, codes, sizes = np.unique(
        np.array(groups, dtype=object), return_index=True, return_inverse=True, return_counts=True
    )
    order = sorted(range(len(names)), key=lambda i: (-int(sizes[i]), names[i]))
    order = [i for i in order if names[i] != ""]
    shown = order[:_MOST_GROUPS]
    if places is not None:
        place_of = places[first]
        shown.sort(key=lambda i: int(place_of[i]))
    else:
        with suppress(ValueError):
            numbers = {i: float(names[i]) for i in shown}
            # "nan", which texts of pandas may be, is neither more nor less than a number.
            shown.sort(key=lambda i: (np.isnan(numbers[i]), numbers[i]))
    number = np.full(len(names), -1, dtype=np.intp)
    number[shown] = np.arange(len(shown))
    labels = [str(names[i])[:_LONGEST_NAME] for i in shown]
    if len(order) > len(shown):
        number[order[_MOST_GROUPS:]] = len(shown)
        labels.append(f"Other groups ({len(order) - len(shown)})")
    return Classes(labels, number[codes])


def _classes(classes: Classes, shares: Shares) -> dict[str, Any]:
    return {
        "unit": classes.unit,
        "names": classes.names,
        "documents": shares.n_documents.tolist(),
        "share": [_rounded(row, 6) for row in np.nan_to_num(shares.mean.T)],
        "low": [_rounded(row, 6) for row in shares.low.T],
        "high": [_rounded(row, 6) for row in shares.high.T],
        "change": shares.change
        and {
            "later": shares.change.later,
            "mean": _rounded(shares.change.mean, 6),
            "low": _rounded(shares.change.low, 6),
            "high": _rounded(shares.change.high, 6),
        },
    }


def _course(history: NDArray[Any], value: str) -> list[list[float | None]]:
    """Return pairs (pass, value), thinned out, of the values that are known."""
    history = history[np.isfinite(history[value])]
    some = np.unique(np.linspace(0, len(history) - 1, min(_MOST_POINTS, len(history))).astype(int))
    return [[_number(history["pass"][i]), _number(history[value][i])] for i in some]


def _rounded(values: NDArray[Any], digits: int) -> list[float | None]:
    return [None if np.isnan(value) else round(float(value), digits) for value in values]


def _number(value: Any) -> float | None:
    """Return a number with five digits; None if it is none."""
    return None if value is None or not np.isfinite(value) else float(f"{value:.5g}")


def _iso(days: NDArray[np.datetime64]) -> list[str]:
    return ["" if np.isnat(day) else str(day) for day in days]
