"""A program that learns on Dask, as typed code has it: mypy checks it, and it runs."""

from __future__ import annotations

from typing import assert_type

import numpy as np
import pytest

import topictemper
from topictemper.datasets import make_lda_corpus

da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")


def test_counts_in_blocks() -> None:
    counts = make_lda_corpus(60, 30, 3, random_state=0).counts.toarray()
    X = da.from_array(counts, chunks=(20, 30))
    rounds = topictemper.dask.TemperedLDA(3, max_iter=2, n_shards=2, random_state=0).fit(X)
    assert_type(rounds, topictemper.dask.TemperedLDA)
    assert_type(rounds.n_rounds_, int)
    assert_type(rounds.n_iter_, float)
    lda = rounds.to_local()
    assert_type(lda, topictemper.TemperedLDA)
    theta = topictemper.dask.transform(lda, X)
    assert np.array_equal(theta.compute(), lda.transform(counts))
    topictemper.dask.perplexity(lda, X, inference="mean_field")
    topictemper.dask.document_temperatures(lda, X)
    with pytest.raises(ValueError, match="inference"):
        topictemper.dask.score(lda, X, inference="meanfield")  # type: ignore[arg-type]
    topictemper.dask.TemperedLDA(tempering="lvvt")  # type: ignore[arg-type]
