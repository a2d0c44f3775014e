import json
import os

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from topictemper._utils._files import new_folder
from topictemper.datasets import open_corpus, read_corpus, save_corpus, write_corpus
from topictemper.datasets.formats import _mapped

COUNTS = sp.csr_array([[1, 0, 2], [0, 0, 0], [0, 3, 0]])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "corpus"


@settings(max_examples=30, deadline=None)
@given(
    dense=hnp.arrays(
        np.int32, st.tuples(st.integers(1, 9), st.integers(1, 5)), elements=st.integers(0, 3)
    ),
    cuts=st.lists(st.integers(0, 9), max_size=3),
)
def test_round_trip_in_chunks(tmp_path_factory, dense, cuts):
    path = tmp_path_factory.mktemp("mapped") / "corpus"
    chunks = [sp.csr_array(part) for part in np.split(dense, sorted(cuts)) if len(part)]
    save_corpus(path, iter(chunks))
    counts = open_corpus(path).counts
    assert (counts.shape, counts.dtype) == (dense.shape, np.int32)
    assert_array_equal(counts.toarray(), dense)


@pytest.mark.parametrize("dtype", [np.int64, np.uint32, np.float64])
def test_counts_that_32_bits_do_not_hold(path, dtype):
    dense = np.array([[2**31, 1], [0, 2**32 - 1]]).astype(dtype)
    save_corpus(path, dense)
    counts = open_corpus(path).counts
    assert_array_equal(counts.toarray(), dense)
    assert counts.dtype == np.float64


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_kinds_of_matrices(path, kind):
    save_corpus(path, kind(COUNTS.toarray()), ["a", "b", "ç"])
    corpus = open_corpus(path)
    assert_array_equal(corpus.counts.toarray(), COUNTS.toarray())
    assert corpus.feature_names.tolist() == ["a", "b", "ç"]


@pytest.mark.parametrize(
    ("given_type", "stored"),
    [("bool", "int32"), ("uint8", "int32"), ("int64", "int32"), ("float32", "float32"),
     ("float64", "float64"), ("longdouble", "float64")],
)  # fmt: skip
def test_types(path, given_type, stored):
    save_corpus(path, COUNTS.astype(given_type))
    corpus = open_corpus(path)
    assert corpus.counts.dtype == stored
    assert corpus.feature_names is None


def test_it_is_mapped_and_read_only(path):
    save_corpus(path, COUNTS)
    counts = open_corpus(path).counts
    for array in (counts.indptr, counts.indices, counts.data):
        assert isinstance(array, np.memmap)
        assert array.dtype == np.int32
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert sorted(file.name for file in path.iterdir()) == [
        "corpus.json", "data.npy", "indices.npy", "indptr.npy",
    ]  # fmt: skip


def test_more_entries_than_int32_counts(path, monkeypatch):
    monkeypatch.setattr(_mapped, "_SMALL", 2)
    save_corpus(path, COUNTS)
    counts = open_corpus(path).counts
    assert counts.indices.dtype == counts.indptr.dtype == np.int64
    assert_array_equal(counts.toarray(), COUNTS.toarray())


class Broken:
    def __iter__(self):
        yield COUNTS
        raise OSError("the network is down")


@pytest.mark.parametrize(
    ("X", "names", "error", "message"),
    [
        (Broken(), None, OSError, "network"),
        (iter([]), None, ValueError, "no chunks"),
        ([COUNTS[:0]], None, ValueError, "no chunks"),
        ([3, 0, 1], None, ValueError, r"^X must be a 2D array, got a 1D array.*np.reshape\(X"),
        (np.array([[3, "a"]], object), None, ValueError, "X must hold numbers: row 0 has 'a'"),
        (-COUNTS, None, ValueError, "Negative values in data passed to X: row 0"),
        ([COUNTS[:0], -COUNTS], None, ValueError, "^Negative values .* chunk 1 of X: row 0"),
        ([COUNTS, COUNTS[:, :2]], None, ValueError, "chunk 1 of X has 2 columns, those before 3"),
        ([COUNTS, COUNTS * 0.5], None, ValueError, "chunk 1 of X has counts that int32 of chunk 0"),
        ([COUNTS, COUNTS * 10**10], None, ValueError, "chunk 1 of X has counts that int32"),
        ([COUNTS, COUNTS * 1e10], None, ValueError, "chunk 1 of X has counts that int32"),
        (np.array([["a"]]), None, (TypeError, ValueError), "X holds text, such as 'a'"),
        (COUNTS, ["a", "b"], ValueError, "feature_names must have 3 names"),
        (COUNTS, ["a", "b", "a"], ValueError, "cannot be written one per line: 'a'"),
        (COUNTS, ["a", "b", "c\nd"], ValueError, "cannot be written one per line"),
        (COUNTS, ["a", "b", ""], ValueError, "cannot be written one per line"),
        (COUNTS, ["a", "b", 3], TypeError, "must hold strings, not 3"),
    ],
)
def test_nothing_is_left_of_what_cannot_be_written(path, X, names, error, message):
    with pytest.raises(error, match=message):
        save_corpus(path, X, names)
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize(
    ("chunk", "code"),
    [
        ([COUNTS.toarray()] * 2, "np.vstack(chunk)"),
        (np.ma.masked_equal(COUNTS.toarray(), 0), "chunk.filled(0)"),
        ({"counts": COUNTS}, "chunk.counts"),
        (sp.coo_array(np.arange(3)), "chunk[[0]]"),
        (np.ones(3), "np.reshape(chunk, (1, -1))"),
        ([COUNTS, COUNTS], "vstack([scipy.sparse.csr_array(each) for each in chunk])"),
    ],
)
def test_code_in_errors_of_chunks_can_be_copied(path, chunk, code):
    with pytest.raises((TypeError, ValueError)) as caught:
        save_corpus(path, (each for each in [COUNTS, chunk]))
    text = str(caught.value)
    assert text.startswith("chunk 1 of X ")
    assert code in text


def test_numbers_among_objects_are_counts(path):
    save_corpus(path, COUNTS.toarray().astype(object))
    assert_array_equal(open_corpus(path).counts.toarray(), COUNTS.toarray())


def test_what_is_there_stays(path):
    save_corpus(path, COUNTS)
    with pytest.raises(FileExistsError, match="exists"):
        save_corpus(path, COUNTS[:1])
    assert open_corpus(path).counts.shape == (3, 3)
    with pytest.raises(FileExistsError, match="exists"), new_folder(path):
        pytest.fail("nothing is worked out for it")


class Meanwhile:
    """Chunks in whose middle something else happens."""

    def __init__(self, happens):
        self.happens = happens

    def __iter__(self):
        yield COUNTS
        self.happens()


def test_the_first_of_two_writers_of_one_name_wins(path):
    other = COUNTS[:2]
    with pytest.raises(FileExistsError, match=r"corpus exists; .*a new folder"):
        save_corpus(path, Meanwhile(lambda: save_corpus(path, other)))
    assert_array_equal(open_corpus(path).counts.toarray(), other.toarray())
    assert [file.name for file in path.parent.iterdir()] == ["corpus"]


def test_a_writer_leaves_what_others_are_writing(path):
    other = path.with_name("other")
    save_corpus(path, Meanwhile(lambda: save_corpus(other, COUNTS[:2])))
    assert_array_equal(open_corpus(path).counts.toarray(), COUNTS.toarray())
    assert_array_equal(open_corpus(other).counts.toarray(), COUNTS[:2].toarray())
    assert sorted(file.name for file in path.parent.iterdir()) == ["corpus", "other"]


def _cut(path):
    data = path / "indices.npy"
    data.write_bytes(data.read_bytes()[:-4])


def _shorter(path):
    np.save(path / "data.npy", np.zeros(2, np.int32))


def _ends(*indptr):
    return lambda path: np.save(path / "indptr.npy", np.array(indptr, np.int32))


def _other_type(path):
    np.save(path / "indices.npy", np.zeros(3, np.int64))


def _other_byte_order(path):
    data = np.load(path / "data.npy")
    np.save(path / "data.npy", data.astype(data.dtype.newbyteorder()))


def _change(**changes):
    def change(path):
        header = json.loads((path / "corpus.json").read_text())
        (path / "corpus.json").write_text(json.dumps(header | changes))

    return change


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_cut, "indices.npy: 8 bytes are not an array of int32 of shape .3,."),
        (
            _other_byte_order,
            "data.npy: its numbers have the byte order of other processors. Open it",
        ),
        (_shorter, r"data.npy: an array of shape \(2,\) of int32, instead of 3 of int32"),
        (_other_type, "indptr.npy is of int32 and indices.npy of int64"),
        (_ends(1, 2, 2, 3), "indptr.npy: does not go from 0 to 3"),
        (_ends(0, 2, 2, 2), "indptr.npy: does not go from 0 to 3"),
        (_ends(0, 3, 2, 3), "indptr.npy: decreases after row 1"),
        (_change(shape=[4, 3]), "indptr.npy: an array of shape"),
        (_change(shape=3), "damaged"),
        (_change(format="other"), "corpus.json: not the header"),
        (_change(schema=2, shape=None), "of format 2, made by a later version"),
        (lambda path: (path / "corpus.json").write_text("{"), "corpus.json: not the header"),
        (
            lambda path: (path / "vocab.txt").write_text("a\nb\n"),
            "vocab.txt: 2 words, but the corpus has 3 columns",
        ),
        (lambda path: (path / "vocab.txt").write_text("a\nb\nb\n"), "is already in line 2"),
    ],
)
def test_damaged_folders(path, spoil, message):
    save_corpus(path, COUNTS)
    spoil(path)
    with pytest.raises(ValueError, match=message):
        open_corpus(path)


@pytest.mark.skipif(os.name != "posix", reason="devices of POSIX")
@pytest.mark.parametrize("name", ["corpus.json", "indices.npy", "vocab.txt"])
def test_a_link_to_a_device_is_not_read(path, name):
    save_corpus(path, COUNTS, ["a", "b", "c"])
    (path / name).unlink()
    (path / name).symlink_to(os.devnull)  # or /dev/zero, which has no end
    with pytest.raises(ValueError, match=rf"{name}: not a regular file"):
        open_corpus(path)


@pytest.mark.skipif(os.name != "posix", reason="devices of POSIX")
def test_words_beside_counts_are_not_read_from_a_device(tmp_path):
    write_corpus(tmp_path / "counts.mtx", COUNTS)
    (tmp_path / "vocab.txt").symlink_to(os.devnull)
    with pytest.raises(ValueError, match=r"vocab.txt: not a regular file"):
        read_corpus(tmp_path / "counts.mtx")


def test_what_is_no_corpus(path):
    path.mkdir()
    with pytest.raises(ValueError, match=r"holds no corpus: save_corpus makes .*corpus\.json"):
        open_corpus(path)
    file = path / "counts.mtx"
    file.write_text("")
    with pytest.raises(ValueError, match="is a file, not a folder of save_corpus; read_corpus"):
        open_corpus(file)


def test_absent_folder(path):
    with pytest.raises(FileNotFoundError):
        open_corpus(path)
