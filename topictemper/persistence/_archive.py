"""Files of plain values and arrays: one .npz with a JSON header, without pickles."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils._files import replacing
from .._utils._npz import check_expansion, read_npz
from .._utils._state import Tree, within
from .._utils._version import VERSION

_FORMAT = "topictemper model"

# Raise it when older versions could no longer read the file.
_SCHEMA = 1

_HEADER = "header"


def write_archive(
    path: str | os.PathLike[str], tree: Tree, check: Callable[[], None] | None = None
) -> None:
    """Write a tree to a file, which is replaced as a whole or not at all.

    Arrays become members of the archive, named by their path in the tree, such as
    ``state/topics/M``. All other values go into the header. If `check` raises an error when all is
    written, the file is not replaced.
    """
    arrays: dict[str, Any] = {}
    head = {"format": _FORMAT, "schema": _SCHEMA, "version": VERSION}
    header = json.dumps({**head, **_taken_out(tree, "", arrays)}).encode()
    arrays[_HEADER] = np.frombuffer(header, np.uint8)
    with replacing(_name_of_file(path)) as [file]:
        np.savez_compressed(file, **arrays)
        if check is not None:
            check()


def _name_of_file(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(
            f"path must be the name of a file, got {type(path).__name__}; models are written to a "
            "file and read from one, which can be copied from and to other places"
        )
    return path


def read_archive(path: str | os.PathLike[str]) -> Tree:
    """Read a file of `write_archive`.

    Raises
    ------
    TypeError
        If `path` is not the name of a file.
    ValueError
        If the file is damaged, is not a model, or has a later format.
    MemoryError
        If its arrays take more bytes than there are.
    OSError
        If the file cannot be opened.
    """
    with open(_name_of_file(path), "rb") as file:
        try:
            arrays = read_npz(file)
            with within(_HEADER):
                header = arrays.pop(_HEADER).tobytes()
                # Python takes many times as much memory for its values.
                check_expansion(os.fstat(file.fileno()).st_size, len(header))
                tree: Tree = json.loads(header)
                if tree["format"] != _FORMAT:
                    raise ValueError("another format")
                later = bool(tree["schema"] > _SCHEMA)
            # A later schema may store arrays differently.
            for name, array in () if later else arrays.items():
                with within(f"member {name!r}"):
                    _put_back(tree, name, array)
        except ValueError as error:
            raise ValueError(
                f"{os.fspath(path)} is not a topictemper model, or damaged: {error}."
            ) from error
    if later:
        raise ValueError(
            f"{os.fspath(path)} was written by topictemper {tree.get('version')} (format "
            f"{tree['schema']}); this is topictemper {VERSION}, which reads "
            f"formats up to {_SCHEMA}."
        )
    return tree


def _taken_out(tree: Tree, place: str, arrays: dict[str, NDArray[Any]]) -> Tree:
    """Return the tree without its arrays, which are moved to `arrays`."""
    rest: Tree = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            rest[name] = _taken_out(value, f"{place}{name}/", arrays)
        elif isinstance(value, np.ndarray):
            arrays[place + name] = value
        else:
            rest[name] = value
    return rest


def _put_back(tree: Tree, place: str, array: NDArray[Any]) -> None:
    *above, name = place.split("/")
    for step in above:
        tree = tree[step]
    tree[name] = array
