"""`fit` on documents that come in chunks, and in less memory than they would need."""

import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from topictemper import TemperedLDA
from topictemper.datasets import open_corpus, save_corpus

from ..small_lda import MODES, corpus, learned_state, small_lda


class Again:
    """Goes over chunks from the start whenever it is asked to."""

    def __init__(self, *chunks):
        self.chunks = chunks

    def __iter__(self):
        return iter(self.chunks)


def cut(X, *places):
    ends = [0, *places, X.shape[0]]
    return [X[a:b] for a, b in pairwise(ends)]


@pytest.mark.parametrize("places", [(), (20, 100), (7, 8, 9, 50, 133), range(1, 210)])
@pytest.mark.parametrize("mode", MODES)
def test_chunks_are_learned_as_the_whole(mode, places):
    X = corpus(210)
    parameters = {"tempering": mode, "shuffle": False}
    whole = small_lda(**parameters).fit(X)
    assert learned_state(small_lda(**parameters).fit(cut(X, *places))) == learned_state(whole)


def test_kinds_of_iterables_and_of_chunks():
    X = corpus()
    whole = learned_state(small_lda(shuffle=False).fit(X))
    parts = cut(X, 60, 130)
    for chunks in (tuple(parts), Again(*parts), Again(*(part.toarray() for part in parts))):
        assert learned_state(small_lda(shuffle=False).fit(chunks)) == whole
    mixed = [parts[0].astype(np.float32), sp.csc_array(parts[1]), parts[2].astype(np.int64)]
    assert learned_state(small_lda(shuffle=False).fit(mixed)) == whole


def test_names_of_data_frames_in_chunks():
    pandas = pytest.importorskip("pandas")
    names = [f"word{v}" for v in range(60)]
    frames = [pandas.DataFrame(part.toarray(), columns=names) for part in cut(corpus(), 70)]
    lda = small_lda(shuffle=False).fit(Again(*frames))
    assert lda.feature_names_in_.tolist() == names
    assert learned_state(lda) == learned_state(small_lda(shuffle=False).fit(corpus()))
    with pytest.raises(ValueError, match="feature names"):
        small_lda().fit(Again(frames[0], frames[1][names[::-1]]))


def test_shuffling_within_chunks():
    chunks = cut(corpus(), 100)
    shuffled = learned_state(small_lda().fit(chunks))
    assert learned_state(small_lda().fit(chunks)) == shuffled
    assert learned_state(small_lda(shuffle=False).fit(chunks)) != shuffled
    assert learned_state(small_lda(n_jobs=2).fit(chunks)) == shuffled


def test_validation_beside_chunks():
    lda = small_lda().fit(cut(corpus(), 100), validation_X=corpus(50))
    assert len(lda.score_history_) == 3


class Spent:
    """Hands out the same generator every time."""

    def __init__(self):
        self.generator = (corpus() for _ in range(1))

    def __iter__(self):
        return self.generator


class Shrinking:
    def __init__(self):
        self.parts = cut(corpus(), 50, 100)

    def __iter__(self):
        yield from self.parts
        del self.parts[-1]


NEGATIVE = corpus().copy()
NEGATIVE.data[NEGATIVE.indptr[150]] = -1


@pytest.mark.parametrize(
    ("chunks", "error", "message"),
    [
        (lambda: iter([corpus()]), TypeError, "can be gone through only once"),
        (lambda: (corpus() for _ in range(3)), TypeError, "can be gone through only once"),
        (Spent, ValueError, "gave 200 rows when it was first gone through and 0 later"),
        (Shrinking, ValueError, "gave 200 rows when it was first gone through and 100 later"),
        (lambda: Again(), ValueError, "X has no words: all 0 rows"),
        (lambda: [sp.csr_array((5, 60))], ValueError, "X has no words: all 5 rows"),
        (lambda: [corpus(), corpus()[:, :50]], ValueError, "50 features, but TemperedLDA is exp"),
        (lambda: cut(NEGATIVE, 100), ValueError, "Negative values in data .* row 50 has -1"),
    ],
)
def test_chunks_that_make_no_sense(chunks, error, message):
    lda = small_lda().fit(corpus())
    before, state = dict(vars(lda)), learned_state(lda)
    with pytest.raises(error, match=message):
        lda.fit(chunks())
    assert vars(lda).keys() == before.keys()
    assert learned_state(lda) == state


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": (17, 60)}, "row 1 has an entry in column 60 of 60"),
        ({"indices": (17, -1)}, "row 1 has an entry in column -1 of 60"),
        ({"indptr": (3, 0)}, "indptr must rise"),
        ({"indptr": (200, 10**6)}, "indptr ends at 1000000, but there are"),
    ],
)
def test_matrix_that_points_nowhere(change, message):
    X = corpus().copy()
    for name, (place, value) in change.items():
        if place == 17:
            place = X.indptr[1]
        getattr(X, name)[place] = value
    with pytest.raises(ValueError, match=message):
        small_lda().fit(X)


# Memory

_LIMITED = """
import resource, sys
import numpy as np
from topictemper import TemperedLDA
from topictemper.datasets import open_corpus

path, how = sys.argv[1:]

def used():
    for line in open("/proc/self/status"):
        if line.startswith("VmData"):
            return 1024 * int(line.split()[1])

class Chunks:
    def __iter__(self):
        X = open_corpus(path).counts
        for start in range(0, X.shape[0], 2500):
            yield X[start : start + 2500]

lda = TemperedLDA(4, max_iter=2, batch_size=500, random_state=0,
                  mean_change_tol=0.1, shuffle=how != "chunks")
lda.fit(open_corpus(path).counts[:5000])  # all that is made but once
limit = used() + 40_000_000
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
if how == "read":
    try:
        X = np.load(path + "/indices.npy"), np.load(path + "/data.npy")
    except MemoryError:
        sys.exit(9)
else:
    lda.fit(Chunks() if how == "chunks" else open_corpus(path).counts)
    assert lda.n_batch_iter_ == 240, lda.n_batch_iter_
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A corpus of 96 MB in a folder: 60,000 documents of 200 words."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("large") / "corpus"

    def chunks():
        for _ in range(6):
            words = rng.integers(0, 300, size=(10_000, 200), dtype=np.int32)
            indptr = np.arange(0, words.size + 1, 200, dtype=np.int32)
            counts = np.ones(words.size, dtype=np.int32)
            yield sp.csr_array((counts, words.ravel(), indptr), shape=(10_000, 300))

    save_corpus(path, chunks())
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="a limit that leaves out mapped files")
@pytest.mark.parametrize(("how", "status"), [("mapped", 0), ("chunks", 0), ("read", 9)])
def test_corpus_larger_than_the_memory(large, how, status):
    size = sum(file.stat().st_size for file in large.iterdir())
    assert size > 2 * 40_000_000
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _LIMITED, large, how]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == status, result.stderr


def test_mapped_counts_are_learned_as_others(tmp_path):
    save_corpus(tmp_path / "corpus", corpus())
    mapped = open_corpus(tmp_path / "corpus").counts
    lda = small_lda().fit(mapped)
    assert learned_state(lda) == learned_state(small_lda().fit(corpus()))
    assert lda.score(mapped) == lda.score(corpus())
    assert isinstance(TemperedLDA(4, max_iter=1).fit(cut(mapped, 60)), TemperedLDA)
