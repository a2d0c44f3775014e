"""Compressed files, as a stream of plain bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ..._utils._npz import check_expansion

_KINDS: dict[bytes, tuple[str, Any]] = {
    b"\x1f\x8b": ("gzip", lambda file: gzip.GzipFile(fileobj=file)),
    b"BZh": ("bzip2", bz2.BZ2File),
    b"\xfd7zXZ\x00": ("xz", lzma.LZMAFile),
}
_ZIP = b"PK\x03\x04"
# What some encoding would take for text: what it is, and what to do.
_NO_TEXT = {
    _ZIP: "a zip archive; unpack it first",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive; unpack it first",
    b"Rar!\x1a\x07": "a RAR archive; unpack it first",
    b"\x28\xb5\x2f\xfd": "packed by zstd; unpack it first, or pack it by gzip, bzip2 or xz",
    b"%PDF-": "a PDF; save its text in a file of its own",
}
_TAR_AT, _TAR = 257, (b"ustar\0", b"ustar  \0")
# Zip archives that nobody takes for archives.
_OFFICE = (".xlsx", ".xlsm", ".ods", ".docx", ".odt")

#: Ends of the names of packed files.
SUFFIXES = (".gz", ".bz2", ".xz")


class InputError(ValueError):
    """An error in a file of the user, in one line that names the file."""


def plain_name(path: Path) -> str:
    """Return the name of a file, plain or packed, in lower case and as if it was plain."""
    name = path.name.lower()
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name


@contextmanager
def unpacked(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file, plain or packed by gzip, bzip2 or xz, and give its plain bytes."""
    with open(path, "rb") as file, plain(file, path) as content:
        yield content


@contextmanager
def plain(file: Any, name: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Give the plain bytes of an open file, which errors call `name`."""
    # The content decides, not the name. `peek` works with pipes too.
    start = file.peek(8)
    kind, opener = next(
        (found for magic, found in _KINDS.items() if start.startswith(magic)), ("", None)
    )
    if opener is None:
        _refuse_no_text(file, name)
        yield file
        return
    try:
        packed = _Packed(file)
        with opener(packed) as content:
            whole = io.BufferedReader(_Plain(content, packed, kind), 1 << 20)
            _refuse_no_text(whole, name)
            yield whole
    except _Damaged as error:
        raise InputError(f"{name}: {error}.") from error


def _refuse_no_text(file: Any, name: str | os.PathLike[str]) -> None:
    """Refuse archives and PDFs, of which some encoding would make texts without a meaning."""
    start = file.peek(512)
    what = next((said for magic, said in _NO_TEXT.items() if start.startswith(magic)), None)
    if start.startswith(_ZIP) and os.fspath(name).lower().endswith(_OFFICE):
        what = "not text; save a workbook as CSV, and a document as text"
    if start[_TAR_AT:].startswith(_TAR):
        what = "a tar archive; unpack it first, and give the folder"
    if what is not None:
        raise InputError(f"{name}: {what}.")


def check_regular(path: Path) -> None:
    """Refuse a device or a pipe, which may have no end, where nobody has named it.

    A folder from elsewhere may have a link to one.
    """
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: not a regular file.")


class _Packed:
    """Packed bytes, counted here because a pipe has no position."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.n_bytes = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.n_bytes += len(data)
        return data


class _Plain(io.RawIOBase):
    """The plain bytes, up to a limit."""

    def __init__(self, file: Any, packed: _Packed, kind: str) -> None:
        self._file, self._packed, self._kind = file, packed, kind
        self._n_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._file.read(len(buffer))
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            raise _Damaged(f"a damaged {self._kind} file ({error})") from error
        buffer[: len(data)] = data
        self._n_bytes += len(data)
        try:
            check_expansion(self._packed.n_bytes, self._n_bytes)
        except ValueError as error:
            raise _Damaged(str(error)) from error
        return len(data)


class _Damaged(Exception):
    """The file is damaged, or expands to more than a file of its size may."""
