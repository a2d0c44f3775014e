"""How much memory a fit needs."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from topictemper import TemperedLDA
from topictemper.tempering import GlobalTempering
from topictemper.topics import _twins

from ..traced_memory import TracedMemory
from .test_bad_input import Unchanged


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


# Two documents take no memory to speak of, so that topics alone are counted, as each mode does.
@pytest.mark.filterwarnings("ignore:.*topics are nearly the same")
@pytest.mark.parametrize(
    ("n_samples", "settings"),
    [
        *((n, {"tempering": mode}) for n in (2, 40) for mode in ("svi", "dasvi", "vt", "lvt")),
        (40, {"tempering": GlobalTempering(normalizer="prior"), "topic_word_prior": 0.1}),
        (40, {"inference": "vb", "dtype": "float64"}),
        (2, {"learning_method": "batch"}),
        (40, {"learning_method": "batch"}),
        (2, {"init": np.ones((4000, 6)), "tempering": "svi"}),
    ],
    ids=str,
)
def test_no_fit_is_refused_that_has_the_memory(settings, n_samples, monkeypatch):
    """Of few words and many topics, of which the documents of a minibatch take most."""
    X = np.random.default_rng(0).integers(0, 3, (n_samples, 6))
    X[:, 0] = 1
    lda = TemperedLDA(4000, max_iter=2, random_state=0, **settings)
    with TracedMemory() as memory:
        lda.fit(X)
    where = "topictemper._utils._validation.usable_memory"
    monkeypatch.setattr(where, lambda: (memory.peak, "the machine"))
    lda.fit(X)


def test_very_many_topics_of_few_documents_are_refused_if_their_start_needs_more(monkeypatch):
    """Each gets words of four documents, which take more memory than topics of six words."""
    X = np.random.default_rng(0).integers(0, 3, (4, 6))
    X[:, 0] = 1
    lda = TemperedLDA(70_000, tempering="svi", random_state=0, max_doc_update_iter=1)
    with TracedMemory() as memory:
        clone(lda).partial_fit(X)
    where, limit = "topictemper._utils._validation.usable_memory", 2 * memory.peak // 3
    monkeypatch.setattr(where, lambda: (memory.peak, "the machine"))
    clone(lda).partial_fit(X)
    monkeypatch.setattr(where, lambda: (limit, "the machine"))
    with Unchanged(lda, "n_components=70000 needs .* GiB for 6 features.* a smaller n_components$"):
        lda.partial_fit(X)
