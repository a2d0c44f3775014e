"""Damaged .npz files, through the reader that models and corpora share."""

import io
import struct
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper._utils import _npz as npz
from topictemper._utils._npz import read_npz

from ..traced_memory import TracedMemory

ARRAYS = {
    "number": np.float64(3.0),
    "inner/matrix": np.arange(6.0).reshape(2, 3),
    "fortran": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "records": np.array([(1.0, 2.0)], dtype=[("pass", float), ("score", float)]),
    "empty": np.zeros((0, 4), np.float32),
    "name": np.array(b"csr"),
}


def _npz(save=np.savez, **arrays):
    file = io.BytesIO()
    save(file, **arrays)
    return file


def _with_member(content, name="x.npy", **how):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **how) as archive:
        archive.writestr(name, content)
    return file


def _npy(header, data=b"", version=b"\x01\x00"):
    header = header.encode() + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(header)) + header + data


def _header(shape, descr="'<f8'"):
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_round_trip(save):
    arrays = read_npz(_npz(save, **ARRAYS))
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].flags.c_contiguous
        assert_array_equal(arrays[name], array)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (io.BytesIO(b""), "not a zip archive"),
        (io.BytesIO(b"PK\x05\x06" + b"\xff" * 18), "not a zip archive|does not fit"),
        (_with_member(b"text", "x.txt"), "'x.txt': its name"),
        (_with_member(b"text"), "'x.npy': .*magic"),
        (_with_member(_npy(_header("(2,)"), b"8 bytes!")), "8 bytes are not .* of shape"),
        (_with_member(_npy(_header("(10**12,)"))), "'x.npy'"),
        (_with_member(_npy(_header("(1000000000000,)"))), r"0 bytes are not .*\(1000000000000,\)"),
        (_with_member(_npy(_header("(-1, -1)"), b"8 bytes!")), "8 bytes are not"),
        (_with_member(_npy(_header("(1,)", "'|O'"), b"8 bytes!")), "objects"),
        (_with_member(_npy(_header("(1000000000000,)", "'|V0'"))), "'x.npy': .*no bytes"),
        (_with_member(_npy(_header("(1000000000000,)", "[]"))), "'x.npy': .*no bytes"),
        (_with_member(_npy("-" * 9000)), "'x.npy'"),
        (_with_member(_npy("{'descr")), "'x.npy'"),
        (_with_member(_npy(_header("(1,)"), b"8 bytes!", b"\x03\x00")), r"version \(3, 0\)"),
        (
            _with_member(_npy(_header("(1,)"), b"8 bytes!"), compression=zipfile.ZIP_LZMA),
            r"by LZMA, not by deflate; write the file again with numpy\.savez_compressed",
        ),
        (_npz(x=np.array([{}], dtype=object)), "'x.npy'"),
    ],
)
def test_what_is_no_array(file, message):
    with pytest.raises(ValueError, match=message):
        read_npz(file)


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_member_that_ends_before_its_array(compression):
    # Only 60 bytes of 80 are there, but the list of members says that all are.
    member = _npy(_header("(10,)"), bytes(80))
    content = _with_member(member[:-20], compression=compression).getvalue()
    size = content.index(b"PK\x01\x02") + 24
    content = content[:size] + struct.pack("<L", len(member)) + content[size + 4 :]
    with pytest.raises(ValueError, match=r"x.npy.*bytes instead of"):
        read_npz(io.BytesIO(content))


def test_members_of_one_name():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x.npy", _npy(_header("(1,)"), b"8 bytes!"))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("x.npy", _npy(_header("(1,)"), b"8 bytes!"))
    with pytest.raises(ValueError, match="two of that name"):
        read_npz(file)


def test_members_of_more_bytes_than_the_file():
    # As of members that share their bytes.
    content = bytearray(_with_member(_npy(_header("(1,)"), b"8 bytes!")).getvalue())
    struct.pack_into("<L", content, content.index(b"PK\x01\x02") + 20, len(content) + 1)
    with pytest.raises(ValueError, match=r"'x\.npy': it does not fit into the file"):
        read_npz(io.BytesIO(content))


@pytest.mark.parametrize("there_is", [2**10, 2**40])
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_small_file_takes_little_memory(monkeypatch, compression, there_is):
    """A size that is impossible is damage, whatever memory there is."""
    monkeypatch.setattr(npz, "usable_memory", lambda: (there_is, "the machine"))
    content = _npy(_header("(137438953472,)"), b"8 bytes!")
    file = _with_member(content, compression=compression)
    # The directory of the archive tells the same lie.
    text = bytearray(file.getvalue())
    at = text.index(b"PK\x01\x02")
    text[at + 24 : at + 28] = struct.pack("<I", 2**32 - 2)
    with (
        TracedMemory() as memory,
        pytest.raises(ValueError, match=r"'x\.npy': \d+ bytes cannot stand for 4294967294"),
    ):
        read_npz(io.BytesIO(bytes(text)))
    assert memory.peak < 2**22


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_more_than_the_memory_is_not_damage(tmp_path, monkeypatch, save):
    path = tmp_path / "x.npz"
    save(path, x=np.zeros(2**18), y=np.zeros(2**18))
    content = path.read_bytes()
    memory = 2**22
    monkeypatch.setattr(npz, "usable_memory", lambda: (memory, "its container or control group"))
    message = r"x\.npz holds arrays of 0\.0 GiB, but its container .* has 0\.0 GiB; read it where"
    with open(path, "rb") as file, pytest.raises(MemoryError, match=message):
        read_npz(file)
    assert path.read_bytes() == content
    memory += 2**10  # for headers
    with open(path, "rb") as file:
        assert read_npz(file).keys() == {"x", "y"}


def test_arrays_that_the_process_does_not_get_are_not_damage(monkeypatch):
    def exhaust(*_):
        raise MemoryError("Unable to allocate 3 GiB")

    monkeypatch.setattr(npz, "_read_member", exhaust)
    with pytest.raises(MemoryError, match=r"the file holds .* this process cannot get as much"):
        read_npz(_npz(x=np.ones(3)))
