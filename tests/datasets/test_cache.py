import os
from pathlib import Path

import numpy as np
import pytest

from topictemper.datasets import _cache

KEY = {"schema": 1, "python": "3.11"}
ARRAYS = {"data": np.arange(5, dtype=np.int32)}
RECORD = {"text": ["one", "zwölf"]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "folder" / "data.npz"


def test_what_is_written_is_read(path):
    _cache.write(path, KEY, ARRAYS, RECORD)
    arrays, record = _cache.read(path, KEY)
    assert record == RECORD
    assert list(arrays) == ["data"]
    np.testing.assert_array_equal(arrays["data"], ARRAYS["data"])
    assert arrays["data"].dtype == np.int32
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_absent_and_other_key(path):
    assert _cache.read(path, KEY) is None
    _cache.write(path, KEY, ARRAYS, RECORD)
    assert _cache.read(path, {**KEY, "python": "3.12"}) is None


def _damaged(path):
    content = bytearray(path.read_bytes())
    content[40::20] = bytes(byte ^ 0xFF for byte in content[40::20])
    path.write_bytes(content)


def _one_array(path):
    with open(path, "wb") as file:
        np.save(file, np.zeros(3))


SPOILED = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "damaged": _damaged,
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("not an archive"),
    "archive of another": lambda path: np.savez(path, x=np.zeros(3)),
    "one array": _one_array,
    "pickle": lambda path: np.savez(path, record=np.array([{"key": KEY}], dtype=object)),
    "json list": lambda path: np.savez(path, record=np.frombuffer(b"[1, 2]", np.uint8)),
}


@pytest.mark.parametrize("how", SPOILED)
def test_broken_and_foreign_files_are_no_cache(path, how):
    _cache.write(path, KEY, ARRAYS, RECORD)
    SPOILED[how](path)
    assert _cache.read(path, KEY) is None
    _cache.write(path, KEY, ARRAYS, RECORD)
    assert _cache.read(path, KEY) is not None


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    # A file in the way stops everybody, permissions would not stop root.
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "folder" / "data.npz"
    _cache.write(path, KEY, ARRAYS, RECORD)
    assert _cache.read(path, KEY) is None


def test_a_failed_write_leaves_the_old_file_and_no_rest(path, monkeypatch):
    _cache.write(path, KEY, ARRAYS, RECORD)

    def full_disk(file, **arrays):
        file.write(b"half")
        raise OSError("No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full_disk)
    _cache.write(path, KEY, ARRAYS, {"text": []})
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert _cache.read(path, KEY)[1] == RECORD


def test_an_interrupted_write_leaves_no_rest(path, monkeypatch):
    def interrupted(file, **arrays):
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _cache.write(path, KEY, ARRAYS, RECORD)
    assert list(path.parent.iterdir()) == []


def test_folder_precedence(monkeypatch, tmp_path):
    monkeypatch.setenv("TOPICTEMPER_DATA", str(tmp_path / "variable"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert _cache.cache_folder(tmp_path / "given") == tmp_path / "given"
    assert _cache.cache_folder() == tmp_path / "variable"
    monkeypatch.delenv("TOPICTEMPER_DATA")
    assert _cache.cache_folder() == tmp_path / "cache" / "topictemper"


@pytest.mark.skipif(os.name == "nt", reason="Windows has LOCALAPPDATA in place of ~/.cache")
def test_folder_in_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TOPICTEMPER_DATA", "")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert _cache.cache_folder() == tmp_path / ".cache" / "topictemper"
    assert _cache.cache_folder("~/data") == Path(tmp_path, "data")
