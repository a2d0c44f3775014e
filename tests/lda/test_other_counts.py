"""Counts of other things than words: genes in cells, species at sites, items in baskets."""

import re
import tracemalloc
import warnings
from functools import partial

import numpy as np
import pytest
import scipy
import scipy.sparse as sp

from topictemper import load
from topictemper._utils._fractions import warn_of_fractions
from topictemper.datasets import open_corpus, save_corpus

from ..small_lda import corpus, small_lda


class AnnotatedData:
    """What an AnnData shows of itself."""

    shape = (80, 60)
    obs_names = var_names = ("a", "b")
    X = corpus()


class BiomTable:
    """What a table of the package biom-format shows of itself."""

    shape = (60, 80)
    matrix_data = corpus().T

    def ids(self, axis="sample"):
        return np.array([axis])

    def __iter__(self):
        return iter([self.matrix_data])


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (AnnotatedData(), r"X is an AnnData.*X\.layers\['counts'\].*feature_names=X\.var_names"),
        (BiomTable(), r"X is a BIOM table.*X\.matrix_data\.T.*X\.ids\('observation'\)"),
    ],
    ids=["AnnData", "BIOM"],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "transform"])
def test_tables_of_biology_are_refused_with_what_to_give(table, said, method):
    lda = small_lda().fit(corpus()) if method == "transform" else small_lda()
    with pytest.raises(TypeError, match=said):
        getattr(lda, method)(table)


class OnDisk:
    """What the sparse counts of a backed AnnData show of themselves."""

    shape = (80, 60)
    format = "csr"

    def to_memory(self):
        return corpus()

    def __getitem__(self, rows):
        return corpus()[rows]


class InMemory(np.ndarray):
    """As an array of xarray, which may be one of Dask, but is not."""

    def __dask_graph__(self):
        return None


def test_arrays_without_a_graph_of_dask_are_taken():
    X = corpus().toarray()
    found = small_lda().fit(X.view(InMemory))
    np.testing.assert_array_equal(found.components_, small_lda().fit(X).components_)


@pytest.mark.parametrize("method", ["fit", "partial_fit", "transform"])
def test_counts_on_a_disk_are_refused_with_what_to_give(method):
    lda = small_lda().fit(corpus()) if method == "transform" else small_lda()
    with pytest.raises(TypeError, match=r"X is a matrix on a disk \(OnDisk\).*to_memory\(\)"):
        getattr(lda, method)(OnDisk())


def test_chunks_with_their_places_are_refused_with_what_to_give(tmp_path):
    """As `chunked_X` of an AnnData gives them."""
    lda = small_lda().fit(corpus())
    for kind in (sp.csr_array, lambda X: X.toarray()):
        chunks = [(kind(corpus()[i : i + 40]), i, i + 40) for i in (0, 40)]
        for takes in (lda.partial_fit, lda.transform, partial(save_corpus, tmp_path / "corpus")):
            with pytest.raises(TypeError, match=r"^chunk 0 of X is a tuple that holds a matrix"):
                takes(iter(chunks))
        for takes in (lda.fit, lda.transform, partial(save_corpus, tmp_path / "corpus")):
            with pytest.raises(TypeError, match=r"^X\[0\] is a tuple that holds") as caught:
                takes(chunks)
        with pytest.raises(TypeError, match=r"^X is a tuple that holds a matrix"):
            lda.partial_fit(chunks[0])
        code = re.search(r"\[scipy.*\]", str(caught.value))[0]
        small_lda().fit(eval(code, {"scipy": scipy, "chunks": chunks}))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([AnnotatedData()] * 2, r"^X\[0\] is an AnnData.*such as X\[0\]\.X or"),
        ([corpus(), OnDisk()], r"^X\[1\] is a matrix on a disk"),
        ([None, corpus()], r"^X is a list of matrices, but X\[0\] is None$"),
        ([[corpus().toarray()] * 2], r"^X\[0\] is a list of matrices; give one, np\.vstack"),
        ((corpus().toarray(),) * 2, r"^X is a list of matrices; give one, np\.vstack\(X\)\."),
        ([corpus().toarray(), corpus()], r"list of .* one, scipy\.sparse\.vstack\(X\)\."),
    ],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_lists_of_what_is_no_sparse_matrix(tmp_path, given, message, method):
    for takes in (getattr(small_lda(), method), partial(save_corpus, tmp_path / "corpus")):
        with pytest.raises(TypeError, match=message):
            takes(given)


def test_the_parameter_that_has_two_columns_of_one_name_is_named():
    frame = frame_of([*range(59), 0])
    with pytest.raises(ValueError, match=r"^validation_X has more than one column 0"):
        small_lda().fit(corpus(), feature_names=list(map(str, range(60))), validation_X=frame)


def test_chunks_may_be_lists_of_rows_that_are_tuples(tmp_path):
    """As `fetchmany` of a database gives them."""
    X = corpus(80)
    rows = [tuple(row) for row in X.toarray().tolist()]
    chunks = [rows[:40], rows[40:]]
    save_corpus(tmp_path / "corpus", iter(chunks))
    assert (open_corpus(tmp_path / "corpus").counts != X).nnz == 0
    learned = small_lda().partial_fit(iter(chunks)).components_
    np.testing.assert_array_equal(learned, small_lda().partial_fit([X[:40], X[40:]]).components_)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_names_of_rows_are_taken_for_a_transpose(method):
    cells = [f"cell {d}" for d in range(80)]
    with pytest.raises(ValueError, match=r"60 names, one for each column, got 80; .*give X\.T"):
        getattr(small_lda(), method)(corpus(80), feature_names=cells)
    with pytest.raises(ValueError, match=r"60 names, one for each column, got 79$"):
        getattr(small_lda(), method)(corpus(80), feature_names=cells[1:])


def normalized(X):
    """Counts per 10,000."""
    return sp.csr_matrix(X.multiply(1e4 / X.sum(axis=1)))


def logs(X, dtype):
    """The logs of normalized counts, of some columns only."""
    return normalized(X).log1p().astype(dtype).tocsr()[:, 5:40]


def weighted_rows(X):
    return sp.csr_matrix(X.multiply(0.97 ** np.arange(X.shape[0])[:, np.newaxis]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_logs_of_counts_are_warned_of(dtype, method):
    with pytest.warns(UserWarning, match="logs of counts.*before normalization and logs"):
        getattr(small_lda(), method)(logs(corpus(), dtype))
    with pytest.warns(UserWarning, match="logs of counts"):
        getattr(small_lda(), method)(corpus().astype(dtype).log1p())


@pytest.mark.parametrize("base", [2, 10])
@pytest.mark.parametrize("given", [sp.csr_matrix.copy, normalized])
def test_logs_to_other_bases_are_warned_of(base, given):
    X = given(sparse_counts(np.random.default_rng(0), 200)).log1p() / np.log(base)
    for dtype in ("float32", "float64"):
        with pytest.warns(UserWarning, match="logs of counts"):
            warn_of_fractions(X.astype(dtype))


def sparse_counts(rng, mean, n_samples=300):
    """Some words each, of 500 that are about as frequent as genes are."""
    p = rng.gamma(0.3, size=500)
    X = sp.csr_matrix(rng.poisson(mean * p / p.sum(), size=(n_samples, 500)).astype(float))
    return X[X.getnnz(axis=1) > 0]


@pytest.mark.parametrize("given", [sp.csr_matrix.copy, normalized])
def test_logs_of_few_counts_are_warned_of(given):
    """Of 40 such tables 37 are seen; none was, while 100 rows and three multiples decided."""
    with pytest.warns(UserWarning, match="logs of counts"):
        warn_of_fractions(given(sparse_counts(np.random.default_rng(0), 8)).log1p())


@pytest.mark.parametrize("decimals", [2, 3])
def test_rounded_logs_are_warned_of(decimals):
    X = normalized(sparse_counts(np.random.default_rng(0), 200)).log1p()
    X.data = X.data.round(decimals)
    with pytest.warns(UserWarning, match="logs of counts"):
        warn_of_fractions(X)


@pytest.mark.parametrize("mean", [3, 40])
@pytest.mark.parametrize("kind", ["weights", "of counts", "by word", "by row"])
def test_fixed_weights_are_not_taken_for_logs(mean, kind):
    """None of 20,000 random tables of this kind gives the warning."""
    rng = np.random.default_rng(0)
    chance = np.log1p(0.3 * np.array([1.0, 2.02, 3.03, 5.04]))  # as if of logs, but for 1%
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for weights in (chance, *(rng.uniform(0.01, 5.0, k) for k in range(1, 7) for _ in "12")):
            X = sparse_counts(rng, mean, 120)
            if kind == "weights":
                X.data[:] = rng.choice(weights, X.nnz)
            elif kind == "of counts":
                X.data *= rng.choice(weights, X.nnz)
            else:
                shape = (1, 500) if kind == "by word" else (X.shape[0], 1)
                X = sp.csr_matrix(X.multiply(rng.choice(weights, shape)))
            warn_of_fractions(X)


def test_counts_that_are_no_logs_are_not_warned_of():
    X = corpus()
    noisy = X.astype(float)
    noisy.data *= np.random.default_rng(0).random(noisy.nnz)  # expected counts of reads
    ones = sp.csr_matrix(np.kron(np.eye(30), [1, 1, 1]))  # baskets of three
    two_weights = (X > 0).astype(float)  # of words in texts and in titles
    two_weights.data[::2], two_weights.data[1::2] = 0.4, 0.9
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "documents say little of the topics")  # 0.4 tokens do
        for given in (
            X,
            0.013 * X,
            noisy,
            normalized(X),
            weighted_rows(X),
            weighted_rows(X > 0),
            0.3 * ones,
            two_weights,
        ):
            small_lda().fit(given)


def test_the_look_for_logs_copies_few_rows():
    dense = np.random.default_rng(0).gamma(1.0, size=(1000, 1000)).astype(np.float32)
    X = sp.csr_matrix(dense)
    tracemalloc.start()
    warn_of_fractions(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * (X.data.nbytes + X.indices.nbytes)  # 1.1 times, and 3 if it copies them all


def test_nan_and_negative_values_say_what_to_give():
    X = corpus().toarray().astype(float)
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match=r"row 3 has nan in column 4.*pivot.*fillna\(0\)"):
        small_lda().fit(X)
    X[3, 4] = -0.5
    with pytest.raises(ValueError, match=r"row 3 has -0.5 .*before scaling or centering"):
        small_lda().fit(X)


# Names of columns


def frame_of(columns):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    return pandas.DataFrame(corpus().toarray(), columns=columns)


@pytest.mark.parametrize(
    "columns",
    [np.arange(1, 61), list(map(np.str_, np.arange(60))), [(v, "a") for v in range(60)]],
    ids=["numbers", "strings of NumPy", "pairs"],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_names_that_are_no_strings_are_kept(columns, method, tmp_path):
    frame = frame_of(columns)
    names = [str(name) for name in frame.columns]
    lda = getattr(small_lda(tempering=None), method)(frame)
    assert lda.feature_names_in_.tolist() == names
    assert {type(name) for name in lda.feature_names_in_} == {str}
    lda.save(tmp_path / "model.npz")
    for model in (lda, load(tmp_path / "model.npz"), lda.merge_topics([[0, 1]])):
        assert model.transform(frame).shape == (corpus().shape[0], model.n_components)
        assert model.partial_fit(frame).feature_names_in_.tolist() == names
        with pytest.raises(ValueError, match="feature names"):
            model.transform(frame[frame.columns[::-1]])
    assert frame.columns.tolist() == frame_of(columns).columns.tolist()


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_given_names_take_the_place_of_numbers(method):
    titles = [f"title {v}" for v in range(60)]
    frame = frame_of(np.arange(1, 61))
    lda = getattr(small_lda(tempering=None), method)(frame, feature_names=titles)
    assert lda.feature_names_in_.tolist() == titles
    assert lda.transform(frame).shape == (corpus().shape[0], lda.n_components)


def test_positions_in_another_order_than_the_names_are_refused():
    columns = np.arange(60)[::-1]
    lda = small_lda().fit(frame_of(columns))
    for positions in (np.arange(60), np.arange(60.0)):
        with pytest.raises(ValueError, match="feature names"):
            lda.transform(frame_of(positions))


def test_numbers_that_were_given_as_names_are_compared():
    frame = frame_of(np.arange(1, 61))
    lda = small_lda().fit(corpus(), feature_names=list(map(str, frame)))
    assert lda.transform(frame).shape == (corpus().shape[0], lda.n_components)
    with pytest.raises(ValueError, match="feature names"):
        lda.transform(frame[frame.columns[::-1]])
    lda.transform(frame_of(np.arange(60)))  # which are positions


def test_words_may_have_the_names_of_attributes():
    words = ["obs_names", "var_names", "matrix_data", "ids", *map(str, range(56))]
    lda = small_lda().fit(frame_of(words))
    assert lda.feature_names_in_.tolist() == words


def test_positions_are_no_names():
    lda = small_lda().fit(frame_of(np.arange(60)))
    assert not hasattr(lda, "feature_names_in_")


def test_a_table_of_pairs_is_warned_of():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X = corpus().tocoo()
    pairs = pandas.DataFrame({"user": X.row, "item": X.col, "count": X.data})
    with pytest.warns(UserWarning, match=r"only the columns 'user', 'item', 'count'.*crosstab"):
        small_lda().fit(pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small_lda().set_params(n_components=2).fit(pairs[["user", "item"]])
        small_lda().fit(pandas.crosstab(pairs["user"], pairs["item"]))


def test_a_stream_of_pairs_is_warned_of_once():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X = corpus().tocoo()
    pairs = pandas.DataFrame({"user": X.row, "item": X.col, "count": X.data})
    first, second = pairs[:40], pairs[40:80]
    lda = small_lda()
    with pytest.warns(UserWarning, match="only the columns 'user', 'item', 'count'"):
        lda.partial_fit(first)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lda.partial_fit(second)
    with pytest.warns(UserWarning, match="only the columns 'user', 'item', 'count'"):
        small_lda().partial_fit(iter([first, second]))
