"""Temporary names in a folder, and renames in it that belong together.

A temporary file or folder is locked while its writer lives. Later writers sweep those without a
lock.

A writer that is to rename several files first puts their names into a note, the file
``.topictemper.commit`` of the folder. From then on the new files are valid: readers follow the note
of a writer that was killed, and the next writer makes the renames that are missing. Writers of
several files take turns by a lock on the note.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_NOTE = ".topictemper.commit"
_LARGEST_NOTE = 1 << 16
_PART = re.compile(r"\.topictemper-[0-9a-f]{16}\.part")
_PATIENCE, _PAUSE = 60.0, 0.005  # seconds
# Where there are no locks only its age tells whether the writer of a temporary file lives.
_OLD = 24 * 60 * 60.0
# No link to a file elsewhere is followed, and no pipe is waited for.
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Place(NamedTuple):
    """Where the content of a file is, and what differs once it has been replaced."""

    path: str | os.PathLike[str]
    identity: tuple[int, ...] | None


def new_part(folder: Path, create: Callable[[Path], int | None]) -> tuple[Path, int | None]:
    """Create something under a new temporary name, which is locked until it is closed.

    `create` makes it and returns a file descriptor, if the system has one.
    """
    _tidy(folder)
    while True:
        path = folder / f".topictemper-{secrets.token_hex(8)}.part"
        descriptor = create(path)
        if descriptor is None or fcntl is None:
            return path, descriptor
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Another writer may have swept it before it was locked.
        if _is(descriptor, path):
            return path, descriptor
        os.close(descriptor)


def discard(folder: Path, name: str) -> None:
    """Remove a temporary file, if it is there and not yet the new file of a note."""
    if name not in _pending(folder).values():
        with suppress(FileNotFoundError):
            os.unlink(folder / name)


def rename(folder: Path, names: dict[str, str]) -> None:
    """Give temporary files their names, all of them or none; `names` is by the final name."""
    if len(names) == 1:
        # Else the note of a killed writer would bring back an older file later.
        if _pending(folder):
            _complete(folder)
        _rename(folder, names)
        return
    sync(folder)
    with _locked(folder) as note:
        os.write(note, json.dumps(names).encode())
        os.fsync(note)
        sync(folder)


def current(path: str | os.PathLike[str]) -> Place:
    """Where the content of a file is that was written last."""
    target = Path(os.path.realpath(path))
    part = target.parent / _pending(target.parent).get(target.name, "")
    if part != target.parent and part.exists():
        path = part
    try:
        status = os.stat(path)
    except OSError:
        return Place(path, None)
    identity: tuple[int, ...] = status.st_dev, status.st_ino
    if stat.S_ISREG(status.st_mode):  # a pipe changes while it is read
        identity += status.st_size, status.st_mtime_ns
    return Place(path, identity)


def sync(folder: Path) -> None:
    """Let the names in a folder reach the disk."""
    with suppress(OSError):  # not every system can
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _locked(folder: Path) -> Iterator[int]:
    """Open the note of a folder while other writers wait; make the renames that it holds.

    Those of a killed writer at first, and in the end those that have been written into it.
    """
    path = folder / _NOTE
    deadline = time.monotonic() + _PATIENCE
    while True:
        note = os.open(path, os.O_CREAT | os.O_RDWR | _SAFE, 0o666)
        if _try_lock(note) is not False and _is(note, path):
            break
        os.close(note)
        if time.monotonic() > deadline:
            raise TimeoutError(f"{folder}: another process has been writing there for a minute.")
        time.sleep(_PAUSE)
    try:
        _rename(folder, _content(note))
        os.ftruncate(note, 0)
        try:
            yield note
        finally:
            # An interrupt makes no difference to what has been written down.
            _rename(folder, _content(note))
            if fcntl is not None:
                os.unlink(path)
    finally:
        os.close(note)
    if fcntl is None:  # Windows removes no file that is open
        with suppress(OSError):
            os.unlink(path)


def _rename(folder: Path, names: dict[str, str]) -> None:
    """Make those renames that have not been made."""
    left = {name: part for name, part in names.items() if (folder / part).exists()}
    # A program that knows of no note finds a file without the others, never with older ones.
    for name in list(left)[1:]:
        with suppress(FileNotFoundError):
            os.unlink(folder / name)
    for name, part in left.items():
        os.replace(folder / part, folder / name)
    if left:
        sync(folder)


def _pending(folder: Path) -> dict[str, str]:
    """The renames in the note of a folder, if there is one that can be read."""
    try:
        note = os.open(folder / _NOTE, os.O_RDONLY | _SAFE)
    except OSError:
        return {}
    try:
        return _content(note)
    finally:
        os.close(note)


def _content(note: int) -> dict[str, str]:
    """The renames in a note; none if it is not complete."""
    if not stat.S_ISREG(os.fstat(note).st_mode):
        return {}
    os.lseek(note, 0, os.SEEK_SET)
    try:
        names = json.loads(os.read(note, _LARGEST_NOTE))
    except (ValueError, RecursionError):
        return {}
    # Names in this folder only, whoever wrote the note.
    valid = isinstance(names, dict) and all(
        isinstance(part, str)
        and _PART.fullmatch(part)
        and name not in ("", ".", "..")
        and os.path.basename(name) == name
        for name, part in names.items()
    )
    return names if valid else {}


def _complete(folder: Path) -> None:
    """Make the renames in the note of a folder, unless it belongs to another user."""
    with suppress(OSError), _locked(folder):
        pass


def _tidy(folder: Path) -> None:
    """Complete what killed writers have begun in a folder, and sweep what else they left."""
    try:
        found = os.listdir(folder)
    except OSError:
        return
    if _NOTE in found:
        _complete(folder)
    for name in found:
        if _PART.fullmatch(name):
            with suppress(OSError):
                _sweep(folder, name)


def _sweep(folder: Path, name: str) -> None:
    path = folder / name
    if fcntl is None:
        newest = max(file.stat().st_mtime for file in [path, *path.glob("*")])
        if time.time() - newest > _OLD:
            _remove(path)
        return
    descriptor = os.open(path, os.O_RDONLY | _SAFE)
    try:
        # A dead writer may have written its note a moment ago.
        if _try_lock(descriptor) and name not in _pending(folder).values():
            _remove(path)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)


def _try_lock(descriptor: int) -> bool | None:
    """Lock a file unless somebody else has; None: it cannot be locked here."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (AttributeError, OSError):
        return None
    return True


def _is(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False
