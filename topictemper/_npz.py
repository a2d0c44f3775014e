"""Arrays in .npz files of unknown origin: every size is checked before memory is reserved."""

from __future__ import annotations

import math
import os
import zipfile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

# Deflate makes at most 258 bytes of two bits.
_LARGEST_RATIO = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
_BYTES_AT_ONCE = 1 << 20
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npz(file: IO[bytes]) -> dict[str, NDArray[Any]]:
    """Read all arrays of an .npz file, in C order and without pickles.

    Raises
    ------
    ValueError
        If the file is not a zip archive, or a member is not a whole array. The error names the
        member.
    """
    size = file.seek(0, os.SEEK_END)
    try:
        archive = zipfile.ZipFile(file)
    except Exception as error:
        raise ValueError(f"not a zip archive ({error})") from error
    arrays: dict[str, NDArray[Any]] = {}
    with archive:
        for member in archive.infolist():
            name, suffix = os.path.splitext(member.filename)
            # Members that share their bytes would make much of a small file.
            size -= member.compress_size
            try:
                if suffix != ".npy":
                    raise ValueError("its name does not end with .npy")
                if name in arrays:
                    raise ValueError("there are two of that name")
                if size < 0:
                    raise ValueError("it does not fit into the file")
                arrays[name] = _array(archive, member)
            except Exception as error:
                raise ValueError(f"member {member.filename!r}: {error}") from error
    return arrays


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    ratio = _LARGEST_RATIO.get(member.compress_type)
    if ratio is None:
        raise ValueError(f"compressed by method {member.compress_type}, not by deflate")
    if member.file_size > ratio * member.compress_size:
        raise ValueError(f"{member.compress_size} bytes cannot stand for {member.file_size}")
    with archive.open(member) as stream:
        shape, fortran_order, dtype = _header(stream)
        n_bytes = member.file_size - stream.tell()
        if dtype.hasobject:
            raise ValueError("an array of objects")
        if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != n_bytes:
            raise ValueError(f"{n_bytes} bytes are not an array of {dtype} of shape {shape}")
        content = np.empty(n_bytes, np.uint8)
        filled = 0
        while piece := stream.read(_BYTES_AT_ONCE):
            content[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
            filled += len(piece)
        if filled != n_bytes:
            raise ValueError(f"{filled} bytes instead of {n_bytes}")
    array = content.view(dtype).reshape(shape, order="F" if fortran_order else "C")
    return np.ascontiguousarray(array) if shape else array


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(f"version {version} of the .npy format")
    try:
        return _HEADERS[version](stream)
    except MemoryError as error:
        # Python's parser raises it for an expression that is nested too deeply.
        raise ValueError("a damaged .npy header") from error
