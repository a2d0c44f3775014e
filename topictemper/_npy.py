"""Arrays in .npy and .npz files of unknown origin: sizes are checked before memory is reserved."""

from __future__ import annotations

import os
import re
import zipfile
from math import prod
from typing import IO, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

_HEADER = re.compile(
    rb"\{'descr': '([<>|=][a-zA-Z]\d{1,6})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\),? ?\} *\n"
)
_LONGEST_HEADER = 10_000
# Numbers and strings; objects would be pickles.
_KINDS = "biufcSU"

# Counts are seldom packed to a fifth, bombs to a thousandth. Little is small even so.
_LARGEST_EXPANSION = 100
_FREE_BYTES = 1 << 25


class Header(NamedTuple):
    """What a .npy file says of its array, and where the array begins."""

    dtype: np.dtype[Any]
    order: Literal["C", "F"]
    shape: tuple[int, ...]
    offset: int


def check_expansion(packed: int, plain: int) -> None:
    """Refuse what is packed so much that it can only be meant to fill the memory."""
    if plain > max(_FREE_BYTES, _LARGEST_EXPANSION * packed):
        raise ValueError(
            f"{packed} packed bytes expand to {plain} or more; at most {_LARGEST_EXPANSION} times "
            "as many are unpacked"
        )


def read_header(file: IO[bytes], size: int) -> Header:
    """Read the header of a .npy file of `size` bytes.

    Raises
    ------
    ValueError
        If it is no header, or that of an array of another size than the rest of the file.
    """
    start = file.read(10)
    if len(start) < 10 or start[:6] != b"\x93NUMPY":
        raise ValueError("not a .npy array")
    length, offset = int.from_bytes(start[8:], "little"), 10
    if start[6] > 1:  # whose length takes four bytes
        length, offset = length + (int.from_bytes(file.read(2), "little") << 16), 12
    text = file.read(min(length, _LONGEST_HEADER))
    found = _HEADER.fullmatch(text)
    try:
        dtype = np.dtype(found[1].decode() if found else "O")
    except TypeError:
        dtype = np.dtype("O")
    if found is None or dtype.kind not in _KINDS:
        raise ValueError(f"{text[:80]!r} is not the .npy header of an array of numbers")
    shape = tuple(int(length) for length in re.findall(rb"\d+", found[3]))
    n_bytes = dtype.itemsize * prod(shape)
    if n_bytes != size - offset - length:
        raise ValueError(
            f"the .npy header promises {n_bytes} bytes, but {size - offset - length} follow it"
        )
    return Header(dtype, "F" if found[2] == b"True" else "C", shape, offset + length)


def read_members(file: IO[bytes]) -> dict[str, NDArray[Any]]:
    """Read the arrays of a .npz file, by the names of its members without ``.npy``.

    Raises
    ------
    ValueError
        If the file is no .npz file, or damaged; the error names the member.
    """
    where = ""
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            packed = file.seek(0, os.SEEK_END)
            check_expansion(packed, sum(member.file_size for member in members))
            arrays = {}
            for member in members:
                where = f"member {member.filename!r}: "
                arrays[member.filename.removesuffix(".npy")] = _read_member(archive, member)
            return arrays
    except Exception as error:
        # What zipfile and zlib raise is of many types. Sizes are checked: a lack of memory is one
        # of them where nothing was large.
        raise ValueError(f"{where}{error or type(error).__name__}") from error


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    # Others may take any amount of memory to unpack.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"packed by method {member.compress_type}, which .npz files do not use")
    with archive.open(member) as file:
        header = read_header(file, member.file_size)
        content = file.read()
    array = np.ndarray(header.shape, header.dtype, bytearray(content), order=header.order)
    return array.astype(header.dtype.newbyteorder("="), order="C", copy=False)
