"""How much memory a fit needs."""

import numpy as np
import pytest
import scipy.sparse as sp

from topictemper import TemperedLDA
from topictemper.topics import _twins

from ..traced_memory import TracedMemory


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_fit_needs_memory_for_three_copies_of_the_topics(dtype, monkeypatch):
    # The documents hold few of very many words, so all topics are alike: a prior.
    X = sp.random_array((200, 40_000), density=5e-4, format="csr", rng=0, dtype=np.float32)
    X.data[:] = 1.0
    monkeypatch.setattr(_twins, "_ENTRIES", 2**17)  # as the vocabulary is not that large
    lda = TemperedLDA(60, batch_size=50, max_iter=2, random_state=0, dtype=dtype)
    same = "of 60 topics are nearly the same"
    with pytest.warns(UserWarning, match=same), TracedMemory() as memory:
        lda.fit(X)
    assert memory.peak < 3.3 * lda.components_.nbytes
