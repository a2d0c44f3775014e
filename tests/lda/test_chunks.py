"""`fit` on documents that come in chunks, and in less memory than they would need."""

import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone

from topictemper import TemperedLDA, TopicModel
from topictemper._utils import _chunks
from topictemper.datasets import open_corpus, save_corpus
from topictemper.lda._normalizers import PosteriorNormalizer
from topictemper.metrics import coherence

from ..small_lda import MODES, Again, corpus, fitted, learned_state, small_lda
from ..traced_memory import TracedMemory


def cut(X, *places):
    ends = [0, *places, X.shape[0]]
    return [X[a:b] for a, b in pairwise(ends)]


class Unread:
    def __iter__(self):
        raise AssertionError("the chunks were read")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learning_method": "batch"}, "takes all documents at once; for X in chunks use 'online'"),
        ({"early_stopping": True}, "on chunks of documents needs validation_X"),
        ({"n_components": 0}, "n_components == 0, must be >= 1"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_settings_that_chunks_cannot_have(settings, message):
    with pytest.raises(ValueError, match=message):
        small_lda(**settings).fit(Unread())


@pytest.mark.parametrize("places", [(), (20, 100), (7, 8, 9, 50, 133), range(1, 210)])
@pytest.mark.parametrize("mode", MODES)
def test_chunks_are_learned_as_the_whole(mode, places):
    X = corpus(210)
    parameters = {"tempering": mode, "shuffle": False}
    whole = small_lda(**parameters).fit(X)
    assert learned_state(small_lda(**parameters).fit(cut(X, *places))) == learned_state(whole)


def test_chunks_without_rows_are_left_out(tmp_path):
    X = corpus(210)
    chunks = [X[:0], X[:90], X[:0], X[90:], X[:0]]
    whole = small_lda(shuffle=False).fit(X)
    assert learned_state(small_lda(shuffle=False).fit(chunks)) == learned_state(whole)
    assert_array_equal(whole.transform(chunks), whole.transform(X))
    assert whole.score(chunks) == whole.score(X)
    stream, same = (small_lda(total_samples=210) for _ in range(2))
    stream.partial_fit(iter(chunks))
    assert learned_state(stream) == learned_state(same.partial_fit(iter([X[:90], X[90:]])))
    save_corpus(tmp_path / "corpus", chunks)
    assert (open_corpus(tmp_path / "corpus").counts != X).nnz == 0
    with pytest.raises(ValueError, match="gives no rows"):
        whole.transform([X[:0], X[:0]])


def test_kinds_of_iterables_and_of_chunks():
    X = corpus()
    whole = learned_state(small_lda(shuffle=False).fit(X))
    parts = cut(X, 60, 130)
    for chunks in (tuple(parts), Again(*parts), Again(*(part.toarray() for part in parts))):
        assert learned_state(small_lda(shuffle=False).fit(chunks)) == whole
    assert not _chunks.is_chunks([])
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
        (lambda: iter([corpus()]), TypeError, "can be read only once"),
        (lambda: (corpus() for _ in range(3)), TypeError, "can be read only once"),
        (Spent, ValueError, "gave 200 rows when it was first read and 0 later"),
        (Shrinking, ValueError, "gave 200 rows when it was first read and 100 later"),
        (lambda: Again(), ValueError, "X has no chunks"),
        (lambda: [sp.csr_array((5, 60))], ValueError, "X has no words: all 5 rows"),
        (lambda: [corpus(), corpus()[:, :50]], ValueError, "50 features, but TemperedLDA is exp"),
        (lambda: cut(NEGATIVE, 100), ValueError, "^Negative.* to chunk 1 of X: row 50 has -1"),
    ],
)
def test_chunks_that_make_no_sense(chunks, error, message):
    lda = small_lda().fit(corpus())
    before, state = dict(vars(lda)), learned_state(lda)
    with pytest.raises(error, match=message):
        lda.fit(chunks())
    assert vars(lda).keys() == before.keys()
    assert learned_state(lda) == state


# Memory

_USED = """
import resource, sys
import numpy as np
from topictemper import TemperedLDA
from topictemper.datasets import open_corpus

path, = sys.argv[1:]
X = open_corpus(path).counts

def used():
    for line in open("/proc/self/status"):
        if line.startswith("VmData"):
            return 1024 * int(line.split()[1])

def leave(room):
    resource.setrlimit(resource.RLIMIT_DATA, (used() + room,) * 2)
"""

_LIMITED = """
class Chunks:
    def __iter__(self):
        for start in range(0, X.shape[0], 2500):
            yield X[start : start + 2500]

lda = TemperedLDA(4, max_iter=1, batch_size=500, random_state=0, max_doc_update_iter=2)
lda.fit(X[:5000])  # all that is made but once
leave(16_000_000)
for documents, shuffle in ((X, True), (Chunks(), False)):
    lda.set_params(shuffle=shuffle).fit(documents)
    assert lda.n_batch_iter_ == 120, lda.n_batch_iter_
try:
    np.array(X.data), np.array(X.indices)
except MemoryError:
    sys.exit(9)
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A corpus of 38 MB in a folder: 60,000 documents of 80 words."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("large") / "corpus"

    def chunks():
        for _ in range(6):
            words = rng.integers(0, 2, size=(10_000, 80), dtype=np.int32)
            words += 2 * np.arange(80, dtype=np.int32)  # each once in a document
            indptr = np.arange(0, words.size + 1, 80, dtype=np.int32)
            counts = np.ones(words.size, dtype=np.int32)
            yield sp.csr_array((counts, words.ravel(), indptr), shape=(10_000, 160))

    save_corpus(path, chunks())
    return path


def ends_with(script, path):
    """The status of a process, and what it complains of."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _USED + script, path]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    return result.returncode, result.stderr


limits_memory = pytest.mark.skipif(
    sys.platform != "linux", reason="a limit that leaves out mapped files"
)


@limits_memory
def test_corpus_larger_than_the_memory(large):
    assert sum(file.stat().st_size for file in large.iterdir()) > 2 * 16_000_000
    assert ends_with(_LIMITED, large) == (9, "")  # it is learned from, but cannot be read


def test_mapped_counts_are_learned_as_others(tmp_path):
    save_corpus(tmp_path / "corpus", corpus())
    mapped = open_corpus(tmp_path / "corpus").counts
    lda = small_lda().fit(mapped)
    assert learned_state(lda) == learned_state(small_lda().fit(corpus()))
    assert lda.score(mapped) == lda.score(corpus())
    assert isinstance(TemperedLDA(4, max_iter=1).fit(cut(mapped, 60)), TemperedLDA)


# Prediction


@pytest.mark.parametrize("places", [(), (20, 100), (7, 8, 9, 50, 133), range(1, 210)])
def test_chunks_are_predicted_as_the_whole(places):
    lda, X = small_lda().fit(corpus()), corpus(210, seed=1)
    for tempered in (False, True):
        whole = lda.transform(X, tempered=tempered)
        np.testing.assert_array_equal(lda.transform(cut(X, *places), tempered=tempered), whole)
        assert lda.score(cut(X, *places), tempered=tempered) == lda.score(X, tempered=tempered)
    assert lda.perplexity(chunk for chunk in cut(X, *places)) == lda.perplexity(X)
    assert lda.elbo(Again(*cut(X, *places))) == lda.elbo(X)
    temperatures = lda.document_temperatures(cut(X, *places))
    np.testing.assert_array_equal(temperatures, lda.document_temperatures(X))


def test_moments_of_the_topics_are_worked_out_once_for_all_chunks(monkeypatch):
    """They take longer than a small chunk."""
    lda, X, made = fitted(), corpus(), []
    refresh = PosteriorNormalizer.refresh
    monkeypatch.setattr(
        PosteriorNormalizer, "refresh", lambda *given: made.append(0) or refresh(*given)
    )
    assert_array_equal(lda.transform(cut(X, 50), tempered=True), lda.transform(X, tempered=True))
    assert len(made) == 2


def test_no_chunk_is_taken_where_inference_is_wrong():
    stream = iter(cut(corpus(), 50))
    with pytest.raises(ValueError, match="inference must be one of"):
        fitted().transform(stream, inference="sampling")
    assert len(list(stream)) == 2


def test_proportions_are_in_memory_once():
    X = corpus()
    words = [f"word{'abcdefghij'[v // 10]}{'abcdefghij'[v % 10]}" for v in range(X.shape[1])]
    lda = TemperedLDA(49, max_iter=1, random_state=0).fit(X, feature_names=words)
    model = TopicModel(49, lda=TemperedLDA(max_iter=1), random_state=0)
    model.set_params(vectorizer__min_df=1, vectorizer__max_df=1.0).fit(words)
    n = 40_000
    for transform, documents in (
        (lda.transform, (X for _ in range(n // 200))),
        (model.transform, (words[v % len(words)] for v in range(n))),
    ):
        with TracedMemory() as memory:
            theta = transform(documents)
        assert memory.peak < 1.6 * theta.nbytes


def test_tables_of_chunks():
    pandas = pytest.importorskip("pandas")
    lda = small_lda().fit(corpus()).set_output(transform="pandas")
    table = lda.transform(cut(corpus(), 50))
    pandas.testing.assert_frame_equal(table, lda.transform(corpus()))


def test_few_entries_are_halved_at_once(monkeypatch):
    lda, X = small_lda().fit(corpus()), corpus(210, seed=1)
    score = lda.score(X)
    monkeypatch.setattr(_chunks, "_MOST_ENTRIES", 100)
    assert lda.score(X) == score
    weights = np.arange(210) % 3
    repeated = lda.score(X, sample_weight=weights)
    monkeypatch.undo()
    assert lda.score(X, sample_weight=weights) == repeated
    assert lda.score(cut(X, 50), sample_weight=weights) == repeated


def test_validation_documents_in_chunks():
    whole = small_lda().fit(corpus(), validation_X=corpus(50, seed=1)).score_history_
    chunks = small_lda().fit(corpus(), validation_X=cut(corpus(50, seed=1), 20)).score_history_
    np.testing.assert_array_equal(whole, chunks)


@pytest.mark.parametrize(
    ("validation", "error", "message"),
    [
        (iter([corpus()]), TypeError, "validation_X is an iterator"),
        ([corpus(5), corpus()[:, :50]], ValueError, "^chunk 1 of validation_X has 50 features"),
        ([sp.csr_array((5, 60))], ValueError, "validation_X has no words"),
        ([sp.csr_array(np.eye(5, 60))], ValueError, "validation_X has no document with two tokens"),
    ],
)
def test_validation_chunks_that_make_no_sense(validation, error, message):
    with pytest.raises(error, match=message):
        small_lda().fit(corpus(), validation_X=validation)


def test_single_documents_of_a_stream_make_full_minibatches():
    X = corpus()
    whole = small_lda().partial_fit(X)
    for chunks in (cut(X, 33, 34, 35, 150), (X[d] for d in range(X.shape[0])), Again(X)):
        lda = small_lda().partial_fit(chunks)
        assert learned_state(lda) == learned_state(whole)
    one_by_one = small_lda()
    for d in range(X.shape[0]):
        one_by_one.partial_fit(X[d])
    assert (whole.n_batch_iter_, one_by_one.n_batch_iter_) == (10, 200)


def test_chunks_make_full_minibatches_where_these_are_joined():
    X = sp.csr_array(np.tile([[2, 0, 1], [0, 3, 0]], (4000, 1)))
    lda = TemperedLDA(2, tempering="svi", max_iter=3, shuffle=False, random_state=0)
    chunks = [X[start : start + 100] for start in range(0, 8000, 100)]
    whole = clone(lda).fit(X)
    assert whole.n_batch_iter_ < 3 * 8000 / 64  # once documents are sampled
    assert learned_state(clone(lda).fit(chunks)) == learned_state(whole)
    lda.set_params(total_samples=8000)
    whole = clone(lda).partial_fit(X)
    # When sampling begins, a minibatch may have been cut out already.
    assert abs(lda.partial_fit(chunks).n_batch_iter_ - whole.n_batch_iter_) <= 1


class InTheSameArrays:
    """Rows of a matrix, each written over the one before."""

    def __init__(self, X):
        self.rows = X.toarray()

    def __iter__(self):
        row = sp.csr_array(np.ones((1, self.rows.shape[1]), dtype=np.float32))
        for row.data[:] in self.rows:
            yield row


@pytest.mark.parametrize("settings", [{}, {"topic_word_prior": {"seeded": ["w1", "w2"]}}])
def test_chunks_in_the_same_arrays_are_not_mixed_up(settings):
    X = corpus()
    words = [f"w{v}" for v in range(X.shape[1])]
    for fit in (TemperedLDA.partial_fit, TemperedLDA.fit):
        apart, over = (
            fit(small_lda(**settings), chunks, feature_names=words)
            for chunks in (Again(*(X[d] for d in range(X.shape[0]))), InTheSameArrays(X))
        )
        assert learned_state(apart) == learned_state(over)


def test_chunks_of_a_stream_are_checked_one_by_one():
    lda = small_lda()
    with pytest.raises(ValueError, match=r"^Negative values in data passed to chunk 1 of X"):
        lda.partial_fit(chunk for chunk in cut(NEGATIVE, 100))
    assert lda.n_batch_iter_ == 5
    for chunks, message in ((iter([]), "X has no chunks"), ([NEGATIVE], "Negative values")):
        other = small_lda()
        with pytest.raises(ValueError, match=message):
            other.partial_fit(chunks)
        assert not hasattr(other, "n_features_in_")


def test_the_chunk_that_is_bad_is_named():
    chunks = [corpus(50), sp.csr_array((0, 60)), NEGATIVE]
    lda = fitted()
    for method in (lda.transform, lda.score, lda.document_temperatures, lda.elbo):
        with pytest.raises(ValueError, match=r"^Negative values .* chunk 2 of X: row 150 has -1"):
            method(iter(chunks))
    with pytest.raises(ValueError, match=r"^Negative values .* chunk 2 of X: row 150 has -1"):
        coherence(lda, chunks)
    with pytest.raises(
        TypeError, match=r"^chunk 1 of X is a list of pairs, like a document of gensim"
    ):
        lda.score(iter([corpus(50), [(0, 1), (3, 2)]]))


def test_what_chunks_cannot_have():
    lda, chunks = small_lda().fit(corpus()), cut(corpus(), 50)
    with pytest.raises(ValueError, match="sample_weight must be None"):
        lda.partial_fit(chunks, sample_weight=np.ones(200))
    with pytest.raises(ValueError, match="one weight for each of the 200 rows"):
        lda.score(chunks, sample_weight=np.ones(50))
    with pytest.raises(ValueError, match="sample_weight must have one weight for each row"):
        lda.score(chunks, sample_weight=2.0)
    for X in (chunks, corpus()):
        with pytest.raises(ValueError, match="sample_weight must hold numbers"):
            lda.score(X, sample_weight=[[1.0], [1.0, 2.0]])
    for method in (lda.transform, lda.score, lda.document_temperatures, lda.elbo):
        with pytest.raises(ValueError, match="X has no chunks"):
            method(iter([]))
        with pytest.raises(ValueError, match="50 features, but TemperedLDA is expecting 60"):
            method([corpus()[:, :50]])


_SCORED = """
from topictemper._utils import _chunks
from topictemper.metrics import coherence

_chunks._MOST_ENTRIES = 2**17  # at once: fewer, as the corpus is small
lda = TemperedLDA(4, max_iter=1, batch_size=500, random_state=0, max_doc_update_iter=2)
lda.fit(X[:5000])
for part in (X[:5000], [X[:5000]]):
    lda.score(part), lda.transform(part), coherence(lda, part)
leave(24_000_000)
for documents in (X, [X]):
    lda.score(documents), lda.transform(documents), coherence(lda, documents)
"""


@limits_memory
def test_corpus_larger_than_the_memory_is_scored(large):
    assert ends_with(_SCORED, large) == (0, "")


def test_values_of_mapped_counts_are_never_all_in_memory(large, monkeypatch):
    monkeypatch.setattr(_chunks, "_MOST_ENTRIES", 2**17)  # fewer, as the corpus is small
    X, words = open_corpus(large).counts, [f"w{v}" for v in range(160)]
    lda = TemperedLDA(2, max_iter=1, batch_size=2000, random_state=0, max_doc_update_iter=2)
    seeded = clone(lda).set_params(topic_word_prior={"first": words[:2]})
    lda.fit(X[:4000])
    for use in (
        lambda: clone(lda).fit(X, sample_weight=np.ones(X.shape[0])),
        lambda: seeded.fit(X, feature_names=words),
        lambda: clone(lda).set_params(early_stopping=True).fit(X),
        lambda: lda.elbo(X),
        lambda: lda.topics_over_time(X, np.full(X.shape[0], 2020)),
    ):
        with TracedMemory() as memory:
            use()
        assert memory.peak < 8 * X.nnz  # what they take as doubles, or with their columns


@pytest.mark.parametrize(
    ("wrong", "begun"),
    [
        ({"dtype": "int8"}, False),
        ({"max_iter": 0}, False),
        ({"batch_size": 10}, True),  # another one than before
        ({"total_samples": 0}, True),
    ],
)
def test_a_stream_keeps_its_chunks_where_a_parameter_is_wrong(wrong, begun):
    stream = iter(cut(corpus(), 20))
    lda = small_lda().partial_fit(corpus()) if begun else small_lda()
    with pytest.raises(ValueError, match=next(iter(wrong))):
        lda.set_params(**wrong).partial_fit(stream)
    assert len(list(stream)) == 2
