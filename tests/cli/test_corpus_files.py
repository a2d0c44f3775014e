import gzip
import os
import threading

import numpy as np
import pytest
import scipy.sparse as sp

from topictemper.cli import _corpus_files
from topictemper.cli._corpus_files import read_matrix, read_text
from topictemper.datasets.formats._text import InputError, read_vocabulary

EVERYTHING = {"min_df": 1, "max_df": 1.0}


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "docs.txt"
    path.write_bytes("The Ärzte read; ärzte WRITE!\r\n\r\nread 12 it x3x no_thing\n".encode())
    return path


def test_text_is_counted_by_the_line(text):
    counts, words = read_text(text, **EVERYTHING)
    assert words == ["read", "thing", "write", "ärzte"]
    np.testing.assert_array_equal(counts.toarray(), [[1, 0, 1, 2], [0, 0, 0, 0], [1, 1, 0, 0]])
    assert counts.dtype == np.int32


def test_stop_words_stay_if_wanted(text):
    assert "the" in read_text(text, stop_words=None, **EVERYTHING).vocabulary


def test_gzip_is_recognised_by_its_content(text, tmp_path):
    packed = tmp_path / "docs"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    counts, words = read_text(packed, **EVERYTHING)
    plain = read_text(text, **EVERYTHING)
    assert words == plain.vocabulary
    np.testing.assert_array_equal(counts.toarray(), plain.counts.toarray())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_will_do(text, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(text.read_bytes()))
    writer.start()
    counts, _ = read_text(pipe, **EVERYTHING)
    writer.join()
    assert counts.shape == (3, 4)


def test_byte_order_mark_is_no_letter(tmp_path):
    path = tmp_path / "docs.txt"
    path.write_bytes(b"\xef\xbb\xbfword\n")
    assert read_text(path, **EVERYTHING).vocabulary == ["word"]


def test_given_vocabulary_decides(text):
    counts, words = read_text(text, vocabulary=["write", "the", "unseen"])
    assert words == ["write", "the", "unseen"]
    np.testing.assert_array_equal(counts.toarray(), [[1, 1, 0], [0, 0, 0], [0, 0, 0]])


def test_unfindable_words():
    words = ["fine", "ärzte", "Big", "co2", "it", "two words", "x-ray"]
    assert _corpus_files.unfindable(words) == words[2:]


def test_line_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "docs.txt"
    path.write_bytes(b"fine\nals\xe9\n")
    with pytest.raises(InputError, match=r"docs\.txt, line 2: not UTF-8 \(byte 0xe9 at column 4\)"):
        read_text(path)


@pytest.mark.parametrize("length", [5, 25, -6])
def test_damaged_gzip(tmp_path, length):
    path = tmp_path / "docs.gz"
    lines = "\n".join(f"word{i:x} alpha beta" for i in range(999)).encode()
    path.write_bytes(gzip.compress(lines)[:length])
    with pytest.raises(InputError, match=r"docs\.gz: a damaged gzip file"):
        read_text(path)


@pytest.mark.parametrize("content", ["", "\n", "the and\n", "once\nonly\n"])
def test_text_without_words(tmp_path, content):
    path = tmp_path / "docs.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=r"docs\.txt: "):
        read_text(path)


def test_text_without_words_of_the_vocabulary(text):
    with pytest.raises(InputError, match=r"docs\.txt: no document has a word of the vocabulary"):
        read_text(text, vocabulary=["unseen"])


def test_absent_text(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_text(tmp_path / "docs.txt")


COUNTS = np.array([[1, 0, 2], [0, 3, 0]])


@pytest.fixture
def matrix(tmp_path):
    path = tmp_path / "X.npz"
    sp.save_npz(path, sp.csr_array(COUNTS))
    (tmp_path / "vocab.txt").write_text("one\ntwo\nthree\n")
    return path


@pytest.mark.parametrize(
    "kind", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array, sp.bsr_array, sp.dia_array]
)
def test_any_sparse_matrix(matrix, kind):
    sp.save_npz(matrix, kind(COUNTS))
    counts, words = read_matrix(matrix)
    assert isinstance(counts, sp.csr_array)
    np.testing.assert_array_equal(counts.toarray(), COUNTS)
    assert words == ["one", "two", "three"]


def test_matrix_with_other_words_and_without(matrix, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("un\ndeux\ntrois\n")
    assert read_matrix(matrix, other).vocabulary == ["un", "deux", "trois"]
    (tmp_path / "vocab.txt").unlink()
    assert read_matrix(matrix).vocabulary is None


def test_number_of_words_must_be_that_of_columns(matrix, tmp_path):
    (tmp_path / "vocab.txt").write_text("one\ntwo\n")
    with pytest.raises(InputError, match=r"vocab\.txt: 2 words, but .*X\.npz has 3 columns"):
        read_matrix(matrix)


def _text_file(path):
    path.write_text("not an archive")


def _other_archive(path):
    np.savez(path, x=np.zeros(3))


def _cut_short(path):
    path.write_bytes(path.read_bytes()[:-30])


def _out_of_bounds(path):
    counts = sp.csc_array(COUNTS)
    counts.indices[0] = 10**6
    sp.save_npz(path, counts)


def _of_objects(path):
    np.savez(path, format=np.array([{}], dtype=object))


@pytest.mark.parametrize(
    "spoil", [_text_file, _other_archive, _cut_short, _out_of_bounds, _of_objects]
)
def test_what_is_no_matrix(matrix, spoil):
    spoil(matrix)
    with pytest.raises(InputError, match=r"X\.npz: not a sparse matrix"):
        read_matrix(matrix)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no words"),
        ("one\n\ntwo\n", "line 2: no word"),
        ("one\ntwo\none\n", "line 3: 'one' is already in line 1"),
    ],
)
def test_vocabulary_that_would_shift_columns(tmp_path, content, message):
    path = tmp_path / "vocab.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_vocabulary(path)


def test_vocabulary_may_lack_its_last_line_end(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_bytes("zwölf\r\ntwo words".encode())
    assert read_vocabulary(path) == ["zwölf", "two words"]
