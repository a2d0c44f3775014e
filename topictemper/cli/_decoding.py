"""Lines of text in any encoding."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any

from ..datasets.formats._packed import InputError

_BYTES_AT_ONCE = 1 << 20
# UTF-32 first: its mark begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
_UTF8 = ("utf-8", "utf-8-sig")


def text_lines(file: Any, name: str, encoding: str | None = None) -> Iterator[str]:
    """Yield the lines of an open binary file, with their ends.

    Without an encoding the byte order mark decides; without a mark it is UTF-8. Null characters,
    which UTF-16 without a mark seems to have, are an error unless the encoding is given.

    Raises
    ------
    InputError
        If the bytes are not of that encoding; it names the line.
    """
    codec = _codec(file, encoding)
    decoder = codecs.getincrementaldecoder(codec)()
    begins = True
    number, begun = 1, list[str]()
    whole: list[str] = []  # where a long line is not held on to
    ended = False
    while not ended:
        data = file.read(_BYTES_AT_ONCE)
        ended = not data
        try:
            text = decoder.decode(data, final=ended)
        except UnicodeError as error:
            # Of UTF-16 and UTF-32; from Python 3.13 on it is a UnicodeDecodeError, too.
            if not isinstance(error, UnicodeDecodeError) or "BOM" in error.reason:
                raise InputError(
                    f"{name}: no byte order mark; give --encoding {codec}-le or {codec}-be."
                ) from error
            advice = _advice(data, encoding is None and codec in _UTF8)
            raise InputError(f"{_undecodable(error, name, number, codec)}; {advice}.") from error
        if begins and text:  # a mark that the encoding has not taken
            text, begins = text.removeprefix("\ufeff"), False
        if encoding is None and codec in _UTF8 and "\0" in text:
            number += text[: text.index("\0")].count("\n")
            raise InputError(
                f"{name}, line {number}: a null character; if this is UTF-16, give --encoding "
                "utf-16-le or utf-16-be, and if it is UTF-8 with null characters, give --encoding "
                "utf-8."
            )
        first, *lines = text.split("\n")
        begun.append(first)
        for line in lines:
            whole.append("".join([*begun, "\n"]))
            begun = [line]
            number += 1
            yield whole.pop()
    if last := "".join(begun):
        yield last


def encodable(text: str) -> str:
    """Return a text that UTF-8 can hold: JSON and names of files may have halves of characters."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _codec(file: Any, encoding: str | None) -> str:
    if encoding is not None:
        codec = codecs.lookup(encoding).name
        return "utf-8-sig" if codec == "utf-8" else codec
    start = file.peek(4)[:4]
    return next((codec for mark, codec in _MARKS.items() if start.startswith(mark)), "utf-8")


def _undecodable(error: UnicodeDecodeError, name: str, number: int, codec: str) -> str:
    before = error.object[: error.start]
    line = number + before.decode(codec, "ignore").count("\n")
    where = f"byte {error.object[error.start]:#04x}"
    if b"\n" in before or line == 1:
        column = len(before) - before.rfind(b"\n")
        where += f" at column {column}"
    known = codec.removesuffix("-sig").upper()
    return f"{name}, line {line}: not {known} ({where})"


def _advice(data: bytes, may_be_another: bool) -> str:
    """Return what to do about bytes that are not of an encoding."""
    if may_be_another and b"\0" in data:  # every byte is a letter of Latin-1, also of pictures
        return (
            "it has null characters: leave it out if it is no text; if it is UTF-16, give "
            "--encoding utf-16-le or utf-16-be"
        )
    return (
        "give its --encoding, such as cp1252 (Western Europe), cp1251 (Cyrillic), cp1254 "
        "(Turkish), cp1256 (Arabic), shift_jis (Japanese), cp949 (Korean) or gb18030 (Chinese)"
    )
