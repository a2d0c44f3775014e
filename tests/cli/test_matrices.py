"""Counts and vocabularies that the command line reads."""

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from topictemper.cli._arguments import FILE_HELP
from topictemper.cli._inputs import read_matrix
from topictemper.datasets.formats._formats import FORMATS, format_of
from topictemper.datasets.formats._packed import InputError
from topictemper.datasets.formats._text import read_vocabulary

COUNTS = np.array([[1, 0, 2], [0, 3, 0]])


@pytest.fixture
def matrix(tmp_path):
    path = tmp_path / "X.npz"
    sp.save_npz(path, sp.csr_array(COUNTS))
    (tmp_path / "vocab.txt").write_text("one\ntwo\nthree\n")
    return path


def test_matrix_with_its_words_others_and_none(matrix, tmp_path):
    counts, words = read_matrix(matrix)
    np.testing.assert_array_equal(counts.toarray(), COUNTS)
    assert words == ["one", "two", "three"]
    other = tmp_path / "other.txt"
    other.write_text("un\ndeux\ntrois\n")
    assert read_matrix(matrix, other).vocabulary == ["un", "deux", "trois"]
    (tmp_path / "vocab.txt").unlink()
    assert read_matrix(matrix).vocabulary is None


def test_number_of_words_must_be_that_of_columns(matrix, tmp_path):
    (tmp_path / "vocab.txt").write_text("one\ntwo\n")
    with pytest.raises(InputError, match=r"vocab\.txt: 2 words, but .*X\.npz has 3 columns"):
        read_matrix(matrix)


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


@pytest.mark.parametrize("spoil", [_other_archive, _cut_short, _out_of_bounds, _of_objects])
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
        (f"{'a' * 999}\n" * 2, f"line 2: '{'a' * 60}' is already in line 1"),
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


def test_the_help_names_every_format_of_counts():
    names = re.findall(r"\.[a-z-]{2,}|docword\.\*", FILE_HELP)
    found = {format_of(Path(name if name.startswith("d") else f"x{name}")) for name in names}
    assert found - {None} == set(FORMATS)
