"""Changes of bytes that turn valid files into damaged or hostile ones."""

from __future__ import annotations

import gzip
import io
import random
import re
import zipfile
from collections.abc import Callable

import numpy as np

TOKENS = [
    b"", b"0", b"-1", b"1", b"+1", b"2147483647", b"2147483648", b"4294967297",
    b"9223372036854775807", b"9223372036854775808", b"99999999999999999999999", b"1e308", b"1e999",
    b"1e-400", b"nan", b"inf", b"-0", b"0x10", b"1_000", b"1.5", b".",
    b"1.", b"\xff", b"\x00", b"\xc2\xb2", b":", b"#", b"%",
    b"1000000000", b"100000", b"x", b" ", b"\t", b"\r", b"\n", b"\x0b", b"\x1c", b"true", b"null",
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 3, 255, 2**31 - 1, 2**31, -(2**31), 2**32, 2**40, 2**62, 2**63 - 1, 10**6]
REALS = [np.nan, np.inf, -np.inf, -1.0, 0.5, 1e15, 1e16, 1e300, 1e308]
DTYPES = [
    "?",
    "i1",
    "u1",
    "<i2",
    "<i4",
    ">i4",
    "<i8",
    "<u4",
    "<u8",
    "<f2",
    "<f4",
    "<f8",
    "<c16",
    "S3",
]


def mutate_bytes(rng: random.Random, content: bytes) -> bytes:
    """One to four random changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        content = rng.choice(_BYTE_CHANGES)(rng, content)
    return content


def mutate_text(rng: random.Random, content: bytes) -> bytes:
    """Changes of tokens and lines, more often than of bytes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(_TEXT_CHANGES)(rng, content)
    return content


def mutate_gzip(rng: random.Random, content: bytes) -> bytes:
    """Change the packed bytes, or the text inside."""
    if rng.random() < 0.4:
        return mutate_bytes(rng, content)
    packed = gzip.compress(mutate_text(rng, gzip.decompress(content)), 1)
    return packed if rng.random() < 0.9 else packed + mutate_bytes(rng, packed)


def mutate_npy(rng: random.Random, content: bytes) -> bytes:
    """Change an array, its header, or bytes."""
    what = rng.random()
    if what < 0.2:
        return mutate_bytes(rng, content)
    if what < 0.4:
        end = content.index(b"\n") + 1
        head = mutate_text(rng, content[:end])
        return head + content[end:]
    file = io.BytesIO()
    array = _changed_array(rng, np.load(io.BytesIO(content), allow_pickle=False))
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def mutate_npz(rng: random.Random, content: bytes) -> bytes:
    """Change one member, leave one out, add one twice, or change bytes of the archive."""
    if rng.random() < 0.15:
        return mutate_bytes(rng, content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    extra: list[tuple[str, bytes]] = []
    for place in rng.sample(range(len(members)), rng.choice((1, 1, 2))):
        name, member = members[place]
        what = rng.random()
        if what < 0.9:
            members[place] = (name, mutate_npy(rng, member) if member[:1] == b"\x93" else member)
        elif what < 0.95:
            members[place] = (rng.choice(("data.npy", "coords.npy", "row.npy", "x")), member)
        else:
            extra.append((rng.choice(members)[0], member))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, member in dict(members + extra).items():
            archive.writestr(name, member, rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
    return file.getvalue()


def _changed_array(rng: random.Random, array: np.ndarray) -> np.ndarray:
    what = rng.random()
    if what < 0.5 and array.size and array.dtype.kind in "iuf":
        array = array.copy()
        for _ in range(rng.choice((1, 1, 3))):
            place = rng.randrange(array.size)
            pool = NUMBERS if array.dtype.kind in "iu" else NUMBERS + REALS
            value = np.array(rng.choice(pool), np.float64)
            with np.errstate(all="ignore"):
                array.flat[place] = (
                    value.astype(np.int64).astype(array.dtype)
                    if (array.dtype.kind in "iu")
                    else value.astype(array.dtype)
                )
        return array
    if what < 0.6 and array.dtype.kind in "iuf":
        with np.errstate(all="ignore"):
            return array.astype(rng.choice(DTYPES))
    if what < 0.7:
        return np.concatenate([array.ravel(), array.ravel()[: rng.randrange(4)]])
    if what < 0.8:
        return array.ravel()[: rng.randrange(array.size + 1)]
    if what < 0.85:
        return array[None]
    if what < 0.9:
        return np.array(
            rng.choice((b"csr", b"csc", b"bsr", b"coo", b"dia", b"lil", "csr", b"\xff"))
        )
    if what < 0.95 and array.size:
        return array.ravel()[::-1].copy()
    return np.array(rng.choice(NUMBERS))


def _flip(rng: random.Random, content: bytes) -> bytes:
    if not content:
        return b"\x00"
    place = rng.randrange(len(content))
    return (
        content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :]
    )


def _overwrite(rng: random.Random, content: bytes) -> bytes:
    place = rng.randrange(len(content) + 1)
    new = rng.randbytes(rng.choice((1, 2, 4, 8)))
    return content[:place] + new + content[place + len(new) :]


def _cut(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _span(rng: random.Random, content: bytes) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.choice((1, 1, 2, 4, 16, 64)))


def _delete(rng: random.Random, content: bytes) -> bytes:
    start, stop = _span(rng, content)
    return content[:start] + content[stop:]


def _duplicate(rng: random.Random, content: bytes) -> bytes:
    start, stop = _span(rng, content)
    return content[:stop] + content[start:]


def _splice(rng: random.Random, content: bytes) -> bytes:
    start, stop = _span(rng, content)
    place = rng.randrange(len(content) + 1)
    return content[:place] + content[start:stop] + content[place:]


def _token(rng: random.Random, content: bytes) -> bytes:
    found = list(re.finditer(rb"[^\s:,(){}\[\]]+", content))
    start, stop = rng.choice(found).span() if found else (0, 0)
    return content[:start] + rng.choice(TOKENS) + content[stop:]


def _head_token(rng: random.Random, content: bytes) -> bytes:
    """Replace a number of the first lines, where sizes stand."""
    found = list(re.finditer(rb"[^\s:,(){}\[\]]+", content[:200]))[:12]
    start, stop = rng.choice(found).span() if found else (0, 0)
    return content[:start] + rng.choice(TOKENS) + content[stop:]


def _insert(rng: random.Random, content: bytes) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(TOKENS) + content[place:]


def _lines(rng: random.Random, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    place = rng.randrange(len(lines))
    what = rng.randrange(4)
    if what == 0:
        del lines[place]
    elif what == 1:
        lines.insert(rng.randrange(len(lines) + 1), lines[place])
    elif what == 2:
        lines.insert(place, rng.choice((b"\n", b"  \n", b"\r\n", b"% x\n", b"# x\n")))
    else:
        other = rng.randrange(len(lines))
        lines[place], lines[other] = lines[other], lines[place]
    return b"".join(lines)


def _end(rng: random.Random, content: bytes) -> bytes:
    return content.rstrip() + rng.choice((b"", b" ", b"\t", b"\r", b"\r\n", b"\n\n", b"\x00", b"%"))


_Change = Callable[[random.Random, bytes], bytes]
_BYTE_CHANGES: list[_Change] = [_flip, _overwrite, _cut, _delete, _duplicate, _splice]
_TEXT_CHANGES: list[_Change] = [
    *_BYTE_CHANGES, _token, _token, _token, _head_token, _head_token, _insert, _lines, _lines, _end,
]  # fmt: skip
