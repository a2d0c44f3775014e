import io
import json
import os
import stat
from contextlib import suppress

import numpy as np
import pytest

from topictemper.persistence import _archive
from topictemper.persistence._archive import read_archive, write_archive

TREE = {
    "one": 1,
    "inner": {"array": np.arange(3.0), "nothing": None, "deeper": {"x": np.ones((2, 0), np.int32)}},
    "word": "wört",
    "pi": 0.1 + 0.2,
    "minus infinity": -np.inf,
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.npz"


def test_round_trip(path):
    write_archive(path, TREE)
    tree = read_archive(path)
    assert {"format", "schema", "version"} == tree.keys() - TREE.keys()
    assert {name: tree[name] for name in TREE if name != "inner"} == {
        name: TREE[name] for name in TREE if name != "inner"
    }
    array, deeper = tree["inner"]["array"], tree["inner"]["deeper"]["x"]
    assert (array.dtype, array.tolist()) == (np.float64, [0.0, 1.0, 2.0])
    assert (deeper.dtype, deeper.shape) == (np.int32, (2, 0))
    assert tree["inner"]["nothing"] is None


def test_other_things_than_files_are_refused():
    for action in (read_archive, lambda path: write_archive(path, TREE)):
        with pytest.raises(TypeError, match="path must be the name of a file, got BytesIO"):
            action(io.BytesIO())


def test_anybody_can_look_into_it(path):
    write_archive(path, TREE)
    with np.load(path, allow_pickle=False) as archive:
        assert sorted(archive.files) == ["header", "inner/array", "inner/deeper/x"]
        assert json.loads(archive["header"].tobytes())["word"] == "wört"


def test_name_is_taken_as_it_is_and_nothing_else_is_left(tmp_path):
    write_archive(tmp_path / "model", TREE)
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_a_link_is_followed(path, tmp_path):
    target = tmp_path / "target.npz"
    target.write_text("old")
    path.symlink_to(target)
    write_archive(path, TREE)
    assert path.is_symlink()
    read_archive(target)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_permissions_are_those_of_any_new_file(path, tmp_path):
    write_archive(path, TREE)
    other = tmp_path / "other"
    other.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def _text(path):
    path.write_text("not an archive")


def _other_archive(path):
    np.savez(path, x=np.zeros(3))


def _one_array(path):
    with open(path, "wb") as file:
        np.save(file, np.zeros(3))


def _pickle(path):
    np.savez(path, header=np.array([{}], dtype=object))


def _json_list(path):
    np.savez(path, header=np.frombuffer(b"[1, 2]", np.uint8))


@pytest.mark.parametrize("spoil", [_text, _other_archive, _one_array, _pickle, _json_list])
def test_foreign_files(path, spoil):
    spoil(path)
    with pytest.raises(ValueError, match=r"model\.npz is not a topictemper model, or damaged"):
        read_archive(path)


def test_cut_short_anywhere(path):
    write_archive(path, TREE)
    content = path.read_bytes()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"model\.npz is not a topictemper model, or damaged"):
            read_archive(path)


def test_damaged_anywhere(path):
    write_archive(path, {"array": np.random.default_rng(0).random(500)})
    content = bytearray(path.read_bytes())
    refused = 0
    for place in range(0, len(content), 31):
        spoilt = content.copy()
        spoilt[place] ^= 0xFF
        path.write_bytes(spoilt)
        with suppress(ValueError):  # and nothing but that
            read_archive(path)
            continue
        refused += 1
    # Some bytes of a zip archive mean nothing to a reader, such as times.
    assert refused > 0.9 * len(content) / 31


def test_a_header_that_expands_without_end(path):
    values = b"{}," * (12 << 20)  # a gigabyte of Python's dictionaries
    np.savez_compressed(path, header=np.frombuffer(b'{"x": [' + values + b"0]}", np.uint8))
    assert path.stat().st_size < 2**17
    with pytest.raises(
        ValueError, match=r"model\.npz .*damaged: header: .* packed bytes expand to"
    ):
        read_archive(path)


def test_file_of_a_later_version(path, monkeypatch):
    monkeypatch.setattr(_archive, "_SCHEMA", _archive._SCHEMA + 1)
    monkeypatch.setattr(_archive, "VERSION", "9.1")
    # Arrays in places that only a later version knows.
    write_archive(path, TREE)
    monkeypatch.undo()
    with pytest.raises(ValueError, match=r"model\.npz was written by topictemper 9\.1 \(format"):
        read_archive(path)


def test_absent_file(path):
    with pytest.raises(FileNotFoundError):
        read_archive(path)
