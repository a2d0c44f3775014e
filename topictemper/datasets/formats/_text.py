"""Lines of text files, and files with one word per line."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ..._utils._npz import check_expansion

_GZIP_MAGIC = b"\x1f\x8b"


class InputError(ValueError):
    """An error in a file of the user, in one line that names the file."""


def read_vocabulary(path: Path) -> list[str]:
    """Read words, one per line.

    Raises
    ------
    InputError
        If there are none, or if one is empty or occurs twice, which would shift the columns.
    OSError
        If the file cannot be read.
    """
    found: dict[str, int] = {}
    for number, line in enumerate(lines(path), start=1):
        word = line.strip()
        if not word:
            raise InputError(f"{path}, line {number}: no word.")
        if word in found:
            raise InputError(f"{path}, line {number}: {word!r} is already in line {found[word]}.")
        found[word] = number
    if not found:
        raise InputError(f"{path}: no words.")
    return list(found)


def write_vocabulary(file: IO[bytes], words: Sequence[Any]) -> None:
    """Write words to a binary file for `read_vocabulary`.

    Raises
    ------
    TypeError, ValueError
        If a word is not a string, or would be read differently: empty, repeated, with a line break,
        or with blanks around it.
    """
    seen = set()
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"feature_names must hold strings, not {word!r}.")
        if not word or word != word.strip() or len(word.splitlines()) > 1 or word in seen:
            raise ValueError(f"feature_names cannot be written one per line: {word!r}.")
        seen.add(word)
    file.write("".join(f"{word}\n" for word in words).encode())


def lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the lines of a UTF-8 text file, plain or gzipped, without line ends."""
    with unpacked(path) as file:
        # Decoded line by line, so that an error can name the line.
        for number, line in enumerate(file, start=1):
            try:
                # The first line may begin with a byte order mark.
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path}, line {number}: not UTF-8 (byte {line[error.start]:#04x} "
                    f"at column {error.start + 1})."
                ) from error
            yield text.rstrip("\r\n")


@contextmanager
def unpacked(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file, plain or gzipped, and give its uncompressed bytes."""
    with open(path, "rb") as file:
        # The content decides, not the name. `peek` works with pipes too.
        if not file.peek(2).startswith(_GZIP_MAGIC):
            yield file
            return
        try:
            packed = _Packed(file)
            with gzip.GzipFile(fileobj=packed) as plain:  # type: ignore[call-overload]
                yield io.BufferedReader(_Plain(plain, packed), 1 << 20)
        except _Expanded as error:
            raise InputError(f"{path}: {error}.") from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(f"{path}: a damaged gzip file ({error}).") from error


class _Packed:
    """Compressed bytes, counted here because a pipe has no position."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.n_bytes = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.n_bytes += len(data)
        return data


class _Plain(io.RawIOBase):
    """The uncompressed bytes, up to a limit."""

    def __init__(self, file: gzip.GzipFile, packed: _Packed) -> None:
        self._file, self._packed = file, packed
        self._n_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._n_bytes += len(data)
        try:
            check_expansion(self._packed.n_bytes, self._n_bytes)
        except ValueError as error:
            raise _Expanded(str(error)) from error
        return len(data)


class _Expanded(Exception):
    """The file expands to more than a file of its size may."""
