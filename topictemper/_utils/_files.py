"""Atomic writes: files and folders that are replaced as a whole, or not at all.

A writer fills a temporary file in the same folder, syncs it to the disk, and renames it. One rename
is atomic. A commit file in the folder makes several renames atomic (see `_renames`).
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from . import _renames as renames

_MOST_ATTEMPTS = 100
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

Result = TypeVar("Result")


def path_of(value: Any, name: str = "path", kind: str = "file") -> Path:
    """Return the path that a parameter gives.

    Raises
    ------
    TypeError
        If it is not the name of a file or folder; the message says what to do instead.
    """
    if isinstance(value, str | os.PathLike):
        return Path(value)
    remedy = ""
    if isinstance(value, bytes):
        remedy = f"; give os.fsdecode({name})"
        if "file" in kind:  # a folder has no content that might have been meant
            remedy += " if it is a name, or write it to a file if it is not"
    elif hasattr(value, "read") or hasattr(value, "write"):
        remedy = "; give the name in place of the open file"
    raise TypeError(f"{name} must be the name of a {kind}, got {type(value).__name__}{remedy}")


@contextmanager
def replacing(*paths: str | os.PathLike[str]) -> Iterator[list[Any]]:
    """Open binary files to write. They take their names if the block ends without an error.

    Either all of them are replaced or none, even if the process is killed; so they must lie in one
    folder. A new file takes the permissions of the file that it replaces.

    Raises
    ------
    OSError
        If a file cannot be written. No file has changed, and no temporary file remains.
    """
    targets = [_target(path) for path in paths]
    folder = targets[0].parent
    if any(target.parent != folder for target in targets):
        raise OSError(
            f"{' and '.join(os.fspath(path) for path in paths)} are links into different folders. "
            "Files that belong together must lie in one folder; write to that folder."
        )
    with _named(paths[0]), ExitStack() as stack:
        parts, files = [], []
        for target, path in zip(targets, paths, strict=True):
            part, file = _new_part(target, path)
            stack.callback(renames.discard, folder, part.name)
            files.append(stack.enter_context(file))
            parts.append(part.name)
        yield files
        for file in files:
            file.flush()
            # The content must reach the disk before the name does.
            os.fsync(file.fileno())
            if renames.fcntl is None:  # Windows renames no file that is open
                file.close()
        renames.rename(folder, dict(zip((target.name for target in targets), parts, strict=True)))


@contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Make a folder to fill. It takes its name if the block ends without an error.

    Raises
    ------
    FileExistsError
        If the name exists, at the start or at the end.
    OSError
        If it cannot be written. No temporary folder remains.
    """
    target = new_path(path)
    with _named(path), ExitStack() as stack:
        part, descriptor = _created(target, path, _create_folder)
        if descriptor is not None:
            stack.callback(os.close, descriptor)
        stack.callback(shutil.rmtree, part, ignore_errors=True)
        yield part
        for file in part.iterdir():
            with open(file, "r+b") as content:
                os.fsync(content.fileno())
        renames.sync(part)
        try:
            os.rename(part, target)
        except OSError as error:
            # Another process was first: a rename does not replace a folder that is not empty.
            raise _exists(target) if os.path.lexists(target) else error from None
        renames.sync(target.parent)


def new_path(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Return the path of a folder that is to be made.

    Raises
    ------
    TypeError
        If it is no path.
    FileExistsError
        If there is something of that name.
    FileNotFoundError
        If the folder that it is to be in does not exist.
    NotADirectoryError
        If that is a file.
    """
    target = path_of(path, name, "folder")
    if os.path.lexists(target):
        raise _exists(target)
    if not target.parent.exists():
        raise FileNotFoundError(f"{target} cannot be written: No such file or directory.")
    if not target.parent.is_dir():
        raise NotADirectoryError(f"{target} cannot be written: Not a directory.")
    return target


def _exists(target: Path) -> FileExistsError:
    return FileExistsError(f"{target} exists; a corpus is written to a new folder.")


def whole(read: Callable[..., Result], *paths: str | os.PathLike[str]) -> Result:
    """Return ``read(*paths)`` of files that one writer has written together.

    A file that a killed writer did not yet rename is read under its temporary name. If a file
    is replaced meanwhile, all files are read again.

    Raises
    ------
    OSError
        If the files are replaced again and again.
    """
    for _ in range(_MOST_ATTEMPTS):
        places = [renames.current(path) for path in paths]
        error = None
        try:
            result = read(*(place.path for place in places))
        except (OSError, ValueError) as reason:
            error = reason
        if [renames.current(path) for path in paths] == places:
            if error is not None:
                raise error
            return result
    raise OSError(f"{os.fspath(paths[0])} keeps being replaced; read it when that has ended.")


def writable_path(path: str | os.PathLike[str]) -> Path:
    """Return the file that a write to `path` replaces or makes, with links followed.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    target = _target(path)
    part, file = _new_part(target, path)
    with file:
        renames.discard(target.parent, part.name)
    return target


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Add the name of the file to errors of the system, such as a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = os.fspath(path)
        raise


def _target(path: str | os.PathLike[str]) -> Path:
    target = Path(os.path.realpath(path))
    if target.exists():
        mode = target.stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(f"{os.fspath(path)} is a folder.")
        # A device or a pipe would be replaced by a file.
        if not stat.S_ISREG(mode):
            raise OSError(f"{os.fspath(path)} is not a regular file.")
    return target


def _new_part(target: Path, path: str | os.PathLike[str]) -> tuple[Path, Any]:
    """Open a temporary file beside `target`, with its permissions if it exists."""
    old = target.stat() if target.exists() else None

    def create(name: Path) -> int:
        # Not by tempfile, whose files nobody else may read.
        return os.open(name, _CREATE, 0o666 if old is None else 0o600)

    part, descriptor = _created(target, path, create)
    assert descriptor is not None
    with ExitStack() as stack:  # an interrupt may come before the caller has it
        stack.callback(renames.discard, target.parent, part.name)
        file = stack.enter_context(os.fdopen(descriptor, "wb"))
        if old is not None and os.name == "posix":
            _take_permissions(descriptor, old)
        stack.pop_all()
    return part, file


def _created(
    target: Path, path: str | os.PathLike[str], create: Callable[[Path], int | None]
) -> tuple[Path, int | None]:
    try:
        return renames.new_part(target.parent, create)
    except OSError as error:
        raise type(error)(f"{os.fspath(path)} cannot be written: {error.strerror}.") from error


def _create_folder(path: Path) -> int | None:
    os.mkdir(path)
    return None if renames.fcntl is None else os.open(path, os.O_RDONLY)


def _take_permissions(descriptor: int, old: os.stat_result) -> None:
    """Copy permissions, so that no new reader gains access."""
    mode = stat.S_IMODE(old.st_mode)
    with suppress(OSError):  # a file system without permissions
        try:
            os.fchown(descriptor, -1, old.st_gid)
        except OSError:
            mode &= ~stat.S_IRWXG  # its group is another
        os.fchmod(descriptor, mode)
