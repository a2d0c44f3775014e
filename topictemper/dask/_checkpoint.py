"""A folder with the last complete round of a fit.

Workers write the topics of a round into files of its own. The round counts once the driver has
replaced `checkpoint.json`, which names it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._utils._files import replacing
from .._utils._npz import read_npz
from .._utils._state import Tree
from .._utils._version import VERSION
from ..persistence._archive import read_archive, write_archive
from ._executors import Executor
from ._tasks import Block

_MANIFEST = "checkpoint.json"
_FORMAT, _SCHEMA = "topictemper rounds", 1
_ROUND, _ROUNDS = "round-{:06d}", "round-" + 6 * "[0-9]"


class State(NamedTuple):
    """The model after a round: results of tasks, which stay where they are."""

    n_rounds: int
    tree: Any
    blocks: list[Any]
    #: The averages over rounds.
    averages: list[Any]


class Checkpoint:
    """Writes and reads the rounds of one fit.

    Parameters
    ----------
    folder : path-like
        On a file system that the workers and this process share.
    fit : dict
        What must be the same when a fit goes on: a tree of plain values.
    """

    def __init__(self, folder: str | os.PathLike[str], fit: Tree) -> None:
        self._folder = Path(folder).absolute()
        self._fit = {"format": _FORMAT, "schema": _SCHEMA, "version": VERSION, **fit}

    @staticmethod
    def check_new(folder: str | os.PathLike[str]) -> None:
        """Refuse a folder with an earlier fit, which is not to go on."""
        if (Path(folder) / _MANIFEST).exists():
            raise FileExistsError(
                f"{os.fspath(folder)} has the checkpoint of an earlier fit. fit(..., resume=True) "
                "goes on with it; to begin anew, delete the folder or name another one"
            )

    def begin(self) -> Tree | None:
        """Return the record of the last round of an earlier fit; None without one.

        Raises
        ------
        ValueError
            If the earlier fit is another one, or its files are damaged.
        """
        path = self._folder / _MANIFEST
        if not path.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            return None
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
            fit, record = manifest["fit"], manifest["record"]
            differing = [name for name in self._fit if fit.get(name) != self._fit[name]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path} is damaged: {error}") from error
        if differing:
            raise ValueError(
                f"the checkpoint in {self._folder} is of another fit: "
                + "; ".join(
                    f"{name} was {fit.get(name)!r} and is {self._fit[name]!r} now"
                    for name in differing
                )
                + ". Give the same data and settings, or another folder"
            )
        return record

    def read(self, executor: Executor, n_rounds: int, n_blocks: int) -> State:
        """Let workers read a round."""
        folder = self._round(n_rounds)
        places = [str(folder / f"topics-{i:05d}.npz") for i in range(n_blocks)]
        return State(
            n_rounds,
            executor.submit(_read_tree, str(folder / "state.npz")),
            [executor.submit(_read_block, place, "topics") for place in places],
            [executor.submit(_read_block, place, "average") for place in places],
        )

    def write(self, executor: Executor, state: State, record: Tree) -> State:
        """Write a round and what is to be known of it; the older rounds are deleted.

        Returns
        -------
        State
            The same round, read from the files: what is lost with a worker is read again.
        """
        folder = self._round(state.n_rounds)
        folder.mkdir(exist_ok=True)
        writes = [executor.submit(_write_tree, str(folder / "state.npz"), state.tree)]
        for i, (block, average) in enumerate(zip(state.blocks, state.averages, strict=True)):
            place = str(folder / f"topics-{i:05d}.npz")
            writes.append(executor.submit(_write_block, place, block, average))
        for place in executor.gather(writes):
            if not os.path.exists(place):
                raise FileNotFoundError(
                    f"a worker has written {place}, which this process does not see; checkpoint "
                    "must name a folder that the workers and this process share"
                )
        with replacing(self._folder / _MANIFEST) as [file]:
            file.write(json.dumps({"fit": self._fit, "record": record}, indent=1).encode())
        kept = {self._round(n).name for n in (state.n_rounds, record["best_round"])}
        for other in self._folder.glob(_ROUNDS):
            if other.name not in kept:
                shutil.rmtree(other, ignore_errors=True)
        return self.read(executor, state.n_rounds, len(state.blocks))

    def _round(self, n_rounds: int) -> Path:
        return self._folder / _ROUND.format(n_rounds)


def as_json(value: Any) -> Any:
    """A parameter as JSON has it; of arrays a hash."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, dict):
        return {name: as_json(each) for name, each in value.items()}
    return json.loads(json.dumps(value))


def _write_tree(place: str, tree: Tree) -> str:
    write_archive(place, tree)
    return place


def _read_tree(place: str) -> Tree:
    tree = read_archive(place)
    return {name: tree[name] for name in tree.keys() - {"format", "schema", "version"}}


def _write_block(place: str, block: Block, average: Block) -> str:
    with replacing(place) as [file]:
        np.savez(file, topics=block, average=average)
    return place


def _read_block(place: str, name: str) -> Block:
    with open(place, "rb") as file:
        try:
            block: Block = read_npz(file)[name]
        except (ValueError, KeyError) as error:
            raise ValueError(f"{place} is damaged: {error}") from error
    return block
