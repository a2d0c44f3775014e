"""Texts of three themes, and a small model of them."""

import numpy as np
from numpy.testing import assert_array_equal

from topictemper import TemperedLDA, TopicModel

THEMES = [
    "river boat water fish island harbour",
    "engine wheel road driver garage brake",
    "violin concert melody singer chorus rhythm",
]


def texts(n=120, seed=0):
    """Texts of three themes, in turn."""
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(THEMES[d % 3].split(), 12)) for d in range(n)]


def topic_model(**parameters):
    # Which finds the three themes with 59 of the seeds 0 to 59; with seed 0 two of them stay one.
    lda = TemperedLDA(3, max_iter=30, batch_size=20)
    return TopicModel(**{"n_components": 3, "lda": lda, "random_state": 1, **parameters})


def assert_tables_equal(table, other):
    """Of pandas, or of the package where that is not installed."""
    assert list(table.columns) == list(other.columns)
    for name in table.columns:
        assert_array_equal(np.asarray(table[name]), np.asarray(other[name]))
