"""Temporary names in a folder, and atomic renames of several files in it.

A writer locks its temporary file or folder. Later writers remove temporary files without a lock.

To rename several files, a writer first writes their names to a commit file,
``.topictemper.commit`` in the folder. From then on the new files are valid. If the writer is
killed, readers follow the commit file, and the next writer completes the renames. A lock on the
commit file serializes writers of several files.

In a folder like /tmp, where users may not rename the files of others, the commit file of another
user means nothing, unless he is root or owns the folder.
"""

from __future__ import annotations

import errno
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

_COMMIT = ".topictemper.commit"
_LARGEST_COMMIT = 1 << 16
_PART = re.compile(r"\.topictemper-[0-9a-f]{16}\.part")
_PATIENCE, _PAUSE = 60.0, 0.005  # seconds
_MOST_ATTEMPTS = 100
# Without locks, only the age of a temporary file says whether its writer is alive.
_OLD = 24 * 60 * 60.0
# Follow no links out of the folder, and wait for no pipe.
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Place(NamedTuple):
    """Where the content of a file is, with an identity that changes when it is replaced."""

    path: str | os.PathLike[str]
    identity: tuple[int, ...] | None


def new_part(folder: Path, create: Callable[[Path], int | None]) -> tuple[Path, int | None]:
    """Create something under a new temporary name, locked until it is closed.

    `create` makes it and returns a file descriptor, if the system has one.

    Raises
    ------
    OSError
        If nothing can be made there, or all of a hundred new files are removed at once.
    """
    _tidy(folder)
    for attempt in range(1, _MOST_ATTEMPTS + 1):
        path, descriptor = folder / f".topictemper-{secrets.token_hex(8)}.part", None
        try:
            descriptor = create(path)
            if descriptor is None or fcntl is None:
                return path, descriptor
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            # Another writer may have removed it before it was locked.
            if _is(descriptor, path):
                return path, descriptor
            os.close(descriptor)
        except FileNotFoundError:
            # Another writer may have removed it before it was opened. Some folders, such as /proc,
            # are there and say this of every new name.
            if attempt == _MOST_ATTEMPTS or not folder.is_dir():
                raise
        except BaseException:  # an interrupt may come when it is there
            with suppress(OSError):
                _remove(path)
            if descriptor is not None:
                with suppress(OSError):
                    os.close(descriptor)
            raise
    raise OSError(errno.EBUSY, "temporary files beside it keep being removed")


def discard(folder: Path, name: str) -> None:
    """Remove a temporary file, unless a commit file names it."""
    if name not in _pending(folder).values():
        with suppress(FileNotFoundError):
            os.unlink(folder / name)


def rename(folder: Path, names: dict[str, str]) -> None:
    """Rename temporary files, all or none; `names` maps final to temporary names."""
    if len(names) == 1:
        # Otherwise the commit file of a killed writer would restore an older file later.
        if _pending(folder):
            _complete(folder)
        _rename(folder, names)
        return
    sync(folder)
    record = json.dumps(names).encode()
    with _locked(folder) as commit:
        try:
            if os.write(commit, record) < len(record):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(commit)
        except OSError:
            os.ftruncate(commit, 0)  # or the renames would be made in spite of the error
            raise
        sync(folder)


def current(path: str | os.PathLike[str]) -> Place:
    """Return where the latest content of a file is."""
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
    """Sync the names in a folder to the disk."""
    with suppress(OSError):  # not every system can
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _locked(folder: Path) -> Iterator[int]:
    """Lock the commit file of a folder, and complete the renames in it.

    First those of a killed writer; at the end, those that the block has written.
    """
    path = folder / _COMMIT
    deadline = time.monotonic() + _PATIENCE
    while True:
        commit = os.open(path, os.O_CREAT | os.O_RDWR | _SAFE, 0o666)
        if _try_lock(commit) is not False and _is(commit, path):
            break
        os.close(commit)
        if time.monotonic() > deadline:
            raise TimeoutError(f"{folder}: another process has been writing there for a minute.")
        time.sleep(_PAUSE)
    try:
        if not _may_rename(commit, folder):
            raise PermissionError(
                f"{path} belongs to another user: have it removed, or write to another folder."
            )
        _rename(folder, _content(commit))
        os.ftruncate(commit, 0)
        try:
            yield commit
        finally:
            # Also after an interrupt: what the commit file says is valid.
            _rename(folder, _content(commit))
            if fcntl is not None:
                os.unlink(path)
    finally:
        os.close(commit)
    if fcntl is None:  # Windows removes no file that is open
        with suppress(OSError):
            os.unlink(path)


def _rename(folder: Path, names: dict[str, str]) -> None:
    """Complete renames, some of which may have been made."""
    left = {name: part for name, part in names.items() if (folder / part).exists()}
    # Other programs may see one file without the others, but never with older ones.
    for name in list(left)[1:]:
        with suppress(FileNotFoundError):
            os.unlink(folder / name)
    for name, part in left.items():
        os.replace(folder / part, folder / name)
    if left:
        sync(folder)


def _pending(folder: Path) -> dict[str, str]:
    """Return the renames in the commit file of a folder; none if it cannot be read."""
    try:
        commit = os.open(folder / _COMMIT, os.O_RDONLY | _SAFE)
    except OSError:
        return {}
    try:
        return _content(commit) if _may_rename(commit, folder) else {}
    finally:
        os.close(commit)


def _may_rename(commit: int, folder: Path) -> bool:
    """Whether the owner of a commit file, such as root, may rename all files of the folder."""
    above = os.stat(folder)
    if not above.st_mode & stat.S_ISVTX:
        return True
    return os.fstat(commit).st_uid in (0, os.geteuid(), above.st_uid)


def _content(commit: int) -> dict[str, str]:
    """Return the renames in a commit file; none if it is not complete."""
    if not stat.S_ISREG(os.fstat(commit).st_mode):
        return {}
    os.lseek(commit, 0, os.SEEK_SET)
    try:
        names = json.loads(os.read(commit, _LARGEST_COMMIT))
    except (ValueError, RecursionError):
        return {}
    # Anyone may have written the file: allow names in this folder only.
    valid = isinstance(names, dict) and all(
        isinstance(part, str)
        and _PART.fullmatch(part)
        and name not in ("", ".", "..")
        and os.path.basename(name) == name
        for name, part in names.items()
    )
    return names if valid else {}


def _complete(folder: Path) -> None:
    """Complete the renames in the commit file of a folder, unless another user owns it."""
    with suppress(OSError), _locked(folder):
        pass


def _tidy(folder: Path) -> None:
    """Complete the renames of killed writers, and remove their temporary files."""
    try:
        found = os.listdir(folder)
    except OSError:
        return
    if _COMMIT in found:
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
        # A dead writer may have written its commit file a moment ago.
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
    """Lock a file, if no other process has; None where locks do not exist."""
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
