"""Files that once killed the process, took its memory, or were read wrongly."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

from topictemper.datasets import from_gensim, open_corpus, read_corpus, save_corpus

MTX = "%%MatrixMarket matrix coordinate integer general\n"
LARGE = 2**31 - 1


@pytest.mark.parametrize("end", ["", " ", "\t", "\r\n", "\n"])
def test_end_of_the_last_line(tmp_path, end):
    (tmp_path / "x.mtx").write_text(f"{MTX}8 6 1\n8 6 1{end}", newline="")
    assert read_corpus(tmp_path / "x.mtx").counts[7, 5] == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.mtx", "\nx coord", "line 1: not '%%MatrixMarket"),
        ("x.mtx", MTX + "8 6 99999999999\n1 1 1\n", "line 2: promises 99999999999 entries"),
        ("x.mtx", MTX + "8 6 1x\n1 1 1\n", "line 2: not 'rows columns entries', but '8 6 1x'"),
        ("x.mtx", MTX + "9000000000 3 1\n1 1 5\n", "line 3|9000000000 documents"),
        ("x.uci", "8000000000\n3\n1\n1 1 5\n", "8000000000 documents"),
        ("x.uci", "100000000\n3\n1\n1 1 5\n", "for so few entries at most 1000100 documents"),
        ("x.uci", "1\n9999999999\n1\n1 4294967297 5\n", "9999999999 words"),
        ("x.svm", "", r"x\.svm: no documents\.$"),
        ("x.svm", "0 9999999999:1\n", "line 1: word 9999999999 is not from 0 to"),
    ],
)
def test_sizes_that_the_file_does_not_hold(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read_corpus(tmp_path / name)
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"data": np.ones((2, 1, 1), int), "format": "bsr"}, "BSR matrix: indptr must rise"),
        ({"data": np.ones((1, 0, 1), int), "format": "bsr"}, "damaged"),
        ({"data": np.ones(2, int), "format": "csc"}, "CSC matrix: indptr must rise"),
        ({"data": np.ones(2, int), "indices": 1, "format": "csr"}, "damaged"),
        ({"data": [1, 1], "row": [0, 5], "col": [0, 1], "format": "coo"}, "entry 1 is in row 5"),
        ({"data": [1, 1], "coords": 3, "format": "coo"}, "coords must be two arrays, got 1"),
        ({"data": np.ones((1, 2), int), "offsets": [2], "format": "dia"}, "from -1 to 1, got 2"),
        ({"data": np.ones((1, 2), int), "offsets": [-2], "format": "dia"}, "from -1 to 1, got -2"),
        ({"data": np.ones((1, 2), int), "offsets": [2**32], "format": "dia"}, "from -1 to 1"),
        ({"data": [1, 1], "row": [0, 1], "col": [0, 1], "shape": [2**40, 2], "format": "coo"},
         "member 'shape'"),
        ({"data": [1, 1], "row": [0, 1], "col": [0, 1], "shape": [10**9, 2], "format": "coo"},
         "for so few entries at most"),
        ({"data": [1j, 1j], "format": "csr"}, "member 'data': complex128"),
        ({"data": [1, 1], "format": "lil"}, "member 'format': 'lil' is not one of csr, csc"),
        ({"data": [1, 1], "format": 3}, "member 'format': not a word"),
        ({"data": [1, 1], "indices": [0.0, 1.0], "format": "csr"}, "'indices': not whole numbers"),
        ({"data": [1, 1], "indices": np.uint64([2**63, 1]), "format": "csr"}, "not whole numbers"),
    ],
)  # fmt: skip
def test_matrices_that_are_none(tmp_path, members, message):
    rest = {"indices": [0, 1], "indptr": [0, 10**6, 0], "shape": [2, 2]}
    np.savez(tmp_path / "x.npz", **(rest | members))
    with pytest.raises(ValueError, match=message) as caught:
        read_corpus(tmp_path / "x.npz")
    assert "x.npz" in str(caught.value)


def test_sums_do_not_wrap(tmp_path):
    (tmp_path / "x.ldac").write_text(f"3 0:{LARGE} 0:{LARGE} 0:{LARGE}\n")
    (tmp_path / "x.uci").write_text("1\n1\n3\n" + f"1 1 {LARGE}\n" * 3)
    for X in (
        read_corpus(tmp_path / "x.ldac").counts,
        read_corpus(tmp_path / "x.uci").counts,
        from_gensim([[(0, LARGE)] * 3]),
    ):
        assert X.toarray().tolist() == [[3 * LARGE]]
        assert X.dtype == np.int64


def test_single_precision_does_not_hide_a_count_that_int32_cannot_hold(tmp_path):
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(np.array([[2.0**31]], dtype=np.float32)))
    X = read_corpus(tmp_path / "x.npz").counts
    assert X.toarray().tolist() == [[2**31]]


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array, sp.coo_array])
def test_counts_at_one_place_are_added_without_wrapping(make, tmp_path):
    X = make(([LARGE, LARGE, 1], ([0, 0, 1], [0, 0, 0])), shape=(2, 1))
    if make is not sp.coo_array:  # which adds them up where it is made
        X = make((np.array([LARGE, LARGE, 1]), [0, 0, 0 if make is sp.csr_array else 1], [0, 2, 3]))
    sp.save_npz(tmp_path / "x.npz", X)
    assert 2 * LARGE in read_corpus(tmp_path / "x.npz").counts.toarray()


def test_gzip_that_expands_without_end(tmp_path):
    path = tmp_path / "x.svm.gz"
    path.write_bytes(gzip.compress(b"#" + b" " * 2**26 + b"\n"))
    with pytest.raises(ValueError, match=r"x\.svm\.gz: .* packed bytes expand to"):
        read_corpus(path)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("indices", 10**9, r"indices\.npy: entry 0 is 1000000000, which is not from 0 to 49"),
        ("indices", -1, r"indices\.npy: entry 0 is -1"),
        ("data", -1, r"data\.npy: entry 0 is -1"),
    ],
)
def test_folder_whose_arrays_are_out_of_range(tmp_path, name, value, message):
    path = tmp_path / "c"
    save_corpus(path, sp.random(200, 50, 0.2, format="csr", random_state=0).ceil().astype(int))
    array = np.load(path / f"{name}.npy")
    array[:] = value
    np.save(path / f"{name}.npy", array)
    for read in (open_corpus, read_corpus):
        with pytest.raises(ValueError, match=message):
            read(path)
    assert open_corpus(path, verify=False).counts.shape == (200, 50)
