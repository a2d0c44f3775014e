"""Files that are replaced as a whole or stay as they were."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Open a binary file to write, which takes its name when the block ends without an error."""
    target = writable_path(path)
    file = _temporary(target)
    try:
        with file:
            yield file
            file.flush()
            # Else the name may come to stand for what has not yet reached the disk.
            os.fsync(file.fileno())
        os.replace(file.name, target)
    except BaseException:
        os.unlink(file.name)
        raise


def writable_path(path: str | os.PathLike[str]) -> Path:
    """Return the file that writing to `path` replaces or makes; raise OSError if none can be.

    Links are followed. Nothing is left behind.
    """
    target = Path(os.path.realpath(path))
    if target.exists():
        mode = target.stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(f"{os.fspath(path)} is a folder.")
        # A device or a pipe would be replaced by a file.
        if not stat.S_ISREG(mode):
            raise OSError(f"{os.fspath(path)} is not a regular file.")
    try:
        with _temporary(target) as file:
            os.unlink(file.name)
    except OSError as error:
        raise type(error)(f"{os.fspath(path)} cannot be written: {error.strerror}.") from error
    return target


def _temporary(target: Path) -> Any:
    """Open a new file beside `target`, with the permissions of any new file."""
    # Not by tempfile, whose files nobody else may read.
    return open(target.parent / f".{secrets.token_hex(8)}.part", "xb")
