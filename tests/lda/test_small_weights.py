"""Weights of documents that are too small to compute with."""

import numpy as np
import pytest

from topictemper import TemperedLDA
from topictemper.datasets import make_lda_corpus

X = make_lda_corpus(40, 30, 3, random_state=0).counts


@pytest.mark.parametrize("fit", [TemperedLDA.fit, TemperedLDA.partial_fit])
def test_weights_that_all_vanish_are_refused(fit):
    lda = TemperedLDA(3, random_state=0)
    with pytest.raises(ValueError, match=r"1e-200 for one row, got at most .*; divide all"):
        fit(lda, X, sample_weight=np.full(40, 1e-320))
    assert not hasattr(lda, "components_")


@pytest.mark.filterwarnings("ignore:sample_weight has the sum")
@pytest.mark.parametrize("tempering", [None, "avi", "vt", "lvt"])
def test_small_weights_give_topics(tempering):
    lda = TemperedLDA(3, tempering=tempering, batch_size=1, max_iter=2, random_state=0)
    assert np.isfinite(lda.fit(X, sample_weight=np.full(40, 1e-199)).components_).all()
    # A minibatch has one document, and the ratio of all to it would overflow.
    weights = np.repeat([1.0, 1e-320], 20)
    kept = weights.copy()
    lda.fit(X, sample_weight=weights)
    np.testing.assert_array_equal(weights, kept)
    none = lda.components_
    assert np.isfinite(none).all()
    lda.fit(X, sample_weight=np.repeat([1.0, 0.0], 20))
    np.testing.assert_array_equal(lda.components_, none)
