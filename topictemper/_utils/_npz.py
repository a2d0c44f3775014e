"""Safe reading of .npy and .npz files: sizes are checked before memory is allocated."""

from __future__ import annotations

import os
import zipfile
from math import prod
from typing import IO, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._memory import usable_memory

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}

# Deflate expands two bits to at most 258 bytes. Counts seldom shrink to a fifth.
_DEFLATE, _COUNTS = 1032, 100
_FREE_BYTES = 1 << 25
_BYTES_AT_ONCE = 1 << 20
_OTHER_METHODS = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "LZMA"}


class Header(NamedTuple):
    """The header of a .npy file, and the offset of its array."""

    dtype: np.dtype[Any]
    order: Literal["C", "F"]
    shape: tuple[int, ...]
    offset: int


def check_expansion(packed: int, plain: int) -> None:
    """Refuse counts that expand so much that they would only fill the memory."""
    if plain > max(_FREE_BYTES, _COUNTS * packed):
        raise ValueError(
            f"{packed} packed bytes expand to {plain} or more; at most {_COUNTS} times as many "
            "are unpacked"
        )


def read_header(file: IO[bytes], size: int) -> Header:
    """Read the header of a .npy file of `size` bytes.

    Raises
    ------
    ValueError
        If the header is invalid, or the array has another size than the rest of the file.
    """
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"version {version} of the .npy format")
    try:
        shape, fortran_order, dtype = _HEADERS[version](file)
    except Exception as error:
        # The parser raises errors of many types, such as MemoryError for nested brackets.
        raise ValueError(f"a damaged .npy header ({error or type(error).__name__})") from error
    if dtype.hasobject:
        raise ValueError("an array of objects")
    if dtype.itemsize == 0:  # no bytes would stand for any number of items
        raise ValueError(f"an array of {dtype}, whose items have no bytes")
    n_bytes = size - file.tell()
    if min(shape, default=0) < 0 or prod(shape) * dtype.itemsize != n_bytes:
        raise ValueError(f"{n_bytes} bytes are not an array of {dtype} of shape {shape}")
    return Header(dtype, "F" if fortran_order else "C", shape, file.tell())


def read_npz(file: IO[bytes], *, of_counts: bool = False) -> dict[str, NDArray[Any]]:
    """Read all arrays of a .npz file in C order, by the names of its members without ``.npy``.

    Parameters
    ----------
    file : binary file
        It is not closed.
    of_counts : bool, default=False
        Whether the arrays are counts, which expand less than others may; see `check_expansion`.

    Raises
    ------
    ValueError
        If the file is not a zip archive, or a member is not a whole array. The error names the
        member.
    MemoryError
        If the arrays take more bytes than there are. The error names the file.
    """
    packed = left = file.seek(0, os.SEEK_END)
    arrays: dict[str, NDArray[Any]] = {}
    where = ""
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if of_counts:
                check_expansion(packed, sum(member.file_size for member in members))
            # Not of members whose size is impossible: those are damaged, as is found below.
            plain = sum(member.file_size for member in members if _is_possible(member))
            memory, owner = usable_memory()
            if plain > memory:
                raise _too_large(file, plain, f"but {owner} has {memory / 2**30:,.1f} GiB")
            for member in members:
                where = f"member {member.filename!r}: "
                name, suffix = os.path.splitext(member.filename)
                # Members that share their bytes would expand a small file.
                left -= member.compress_size
                if suffix != ".npy":
                    raise ValueError("its name does not end with .npy")
                if name in arrays:
                    raise ValueError("there are two of that name")
                if left < 0:
                    raise ValueError("it does not fit into the file")
                arrays[name] = _read_member(archive, member)
    except _TooLargeError:
        raise
    except Exception as error:
        if isinstance(error, MemoryError) and where:  # of an array, by another limit
            raise _too_large(file, plain, "but this process cannot get as much memory") from error
        # zipfile raises errors of many types, MemoryError among them.
        what = str(error) or type(error).__name__
        raise ValueError(f"{where}{what}" if where else f"not a zip archive ({what})") from error
    return arrays


class _TooLargeError(MemoryError):
    """The arrays of a file do not fit into the memory."""


def _too_large(file: IO[bytes], n_bytes: int, why: str) -> _TooLargeError:
    return _TooLargeError(
        f"{getattr(file, 'name', 'the file')} holds arrays of {n_bytes / 2**30:,.1f} GiB, {why}; "
        "read it where there is more memory, or raise the limit"
    )


def _is_possible(member: zipfile.ZipInfo) -> bool:
    """Whether so many packed bytes can hold what the directory of the archive says."""
    return member.file_size <= _DEFLATE * member.compress_size


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    # Other methods may need any amount of memory.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        method = _OTHER_METHODS.get(member.compress_type, f"method {member.compress_type}")
        raise ValueError(
            f"compressed by {method}, not by deflate; write the file again with "
            "numpy.savez_compressed, or scipy.sparse.save_npz"
        )
    if not _is_possible(member):
        raise ValueError(f"{member.compress_size} bytes cannot stand for {member.file_size}")
    with archive.open(member) as stream:
        header = read_header(stream, member.file_size)
        content = np.empty(member.file_size - header.offset, np.uint8)
        filled = 0
        while piece := stream.read(_BYTES_AT_ONCE):
            content[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
            filled += len(piece)
        if filled != len(content):
            raise ValueError(f"{filled} bytes instead of {len(content)}")
    array: NDArray[Any] = np.ndarray(header.shape, header.dtype, content, order=header.order)
    return array.astype(header.dtype.newbyteorder("="), order="C", copy=False)
