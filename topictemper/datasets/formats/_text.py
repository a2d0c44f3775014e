"""Lines of text files, and files with one word per line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from ._packed import InputError, unpacked


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
            raise InputError(
                f"{path}, line {number}: {word[:60]!r} is already in line {found[word]}."
            )
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
        with blanks around it, or the first one with a byte order mark.
    """
    seen: set[str] = set()
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"feature_names must hold strings, not {word!r}.")
        # The first would be read without its mark.
        marked = not seen and word.startswith("\ufeff")
        if not word or word != word.strip() or len(word.splitlines()) > 1 or word in seen or marked:
            raise ValueError(f"feature_names cannot be written one per line: {word[:60]!r}.")
        seen.add(word)
    file.write("".join(f"{word}\n" for word in words).encode())


def lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the lines of a UTF-8 text file, plain or packed, without line ends."""
    with unpacked(path) as file:
        # Decoded line by line, so that an error can name the line.
        for number, line in enumerate(file, start=1):
            try:
                # The first line may begin with a byte order mark.
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path}, line {number}: not UTF-8 (byte {line[error.start]:#04x} "
                    f"at column {error.start + 1}); save it as UTF-8."
                ) from error
            yield text.rstrip("\r\n")
