"""A small corpus with texts, dates and groups, topics of it, and the data of a written page."""

import base64
import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from topictemper import report

WORDS = [
    *("orbit moon rocket launch planet comet astronaut gravity".split()),
    *("goal match referee league striker keeper stadium penalty".split()),
    *("flour oven butter sugar dough recipe yeast kitchen".split()),
    *("people time place thing".split()),
]
N_TOPICS, N_DOCUMENTS = 3, 60


class Corpus(NamedTuple):
    topics: Any
    proportions: Any
    counts: Any
    documents: list[str]
    names: list[str]
    dates: list[str]
    groups: list[str]


@cache
def corpus() -> Corpus:
    """Documents that are mostly of one topic, from 2020 to 2022; the last two have no words."""
    rng = np.random.default_rng(0)
    topics = np.full((N_TOPICS, len(WORDS)), 0.002)
    for k in range(N_TOPICS):
        topics[k, 8 * k : 8 * k + 8] = rng.uniform(0.05, 0.15, 8)
        topics[k, 24:] = 0.05
    topics /= topics.sum(axis=1, keepdims=True)
    proportions = rng.dirichlet(np.full(N_TOPICS, 0.3), N_DOCUMENTS)
    counts = np.stack([rng.multinomial(30, theta @ topics) for theta in proportions])
    counts[-2:] = 0
    texts = [" ".join(np.repeat(WORDS, row).tolist()).capitalize() + "." for row in counts]
    return Corpus(
        topics,
        proportions,
        sp.csr_array(counts),
        texts,
        [f"Title {row}" for row in range(N_DOCUMENTS)],
        [f"{2020 + row % 3}-{1 + row % 12:02d}-15" for row in range(N_DOCUMENTS)],
        ["north" if theta[0] > 0.5 else "south" for theta in proportions],
    )


def arguments(**changed: Any) -> dict[str, Any]:
    """What `write` takes of the corpus."""
    given = corpus()._asdict() | {"words": WORDS}
    return {name: value for name, value in (given | changed).items() if value is not None}


def data_of(path: Path) -> dict[str, Any]:
    """What is packed into a page."""
    match = re.search(r'id="data">([A-Za-z0-9+/=]*)</script>', path.read_text(encoding="utf-8"))
    assert match is not None
    content: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(match[1])))
    return content


def written(path: Path, **changed: Any) -> dict[str, Any]:
    """Write a page, and return what is packed into it."""
    return data_of(report.write(**arguments(path=path, **changed)))
