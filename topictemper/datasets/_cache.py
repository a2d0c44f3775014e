"""Keep what took long to make in the user's cache folder."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils._files import replacing
from .._utils._npz import read_npz


def cache_folder(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder to keep data in; it need not exist.

    That is `data_home`, else the environment variable TOPICTEMPER_DATA, else the folder
    `topictemper` in XDG_CACHE_HOME, LOCALAPPDATA (on Windows) or `~/.cache`.
    """
    chosen = data_home if data_home is not None else os.environ.get("TOPICTEMPER_DATA")
    if chosen:
        # Not Path.expanduser, which raises an error where there is no home.
        return Path(os.path.expanduser(chosen))
    base = os.environ.get("XDG_CACHE_HOME")
    if not base and os.name == "nt":
        base = os.environ.get("LOCALAPPDATA")
    return Path(base or os.path.expanduser("~/.cache")) / "topictemper"


def read(
    path: Path, key: Mapping[str, Any]
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
    """Return the arrays and the record that `write` put there with the same key, or None."""
    try:
        with open(path, "rb") as file:
            arrays = read_npz(file)
        record = json.loads(arrays.pop("record").tobytes())
        if record.pop("key") != key:
            return None
    except Exception:
        # Absent, cut short, not ours: many kinds of error, and one remedy for all of them.
        return None
    return arrays, record


def write(
    path: Path, key: Mapping[str, Any], arrays: Mapping[str, Any], record: dict[str, Any]
) -> None:
    """Write numeric arrays and a record that JSON can hold, whole or not at all.

    A folder that cannot be written to is no error: the data is made again next time.
    """
    text = json.dumps({"key": key, **record}).encode()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as [file]:
            np.savez_compressed(file, record=np.frombuffer(text, np.uint8), **arrays)
