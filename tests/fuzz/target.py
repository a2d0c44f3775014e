"""A target of fuzzing, and the judgement of one mutated input."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

N_SAMPLES = 12


class Wrong(Exception):
    """An input was accepted, but what was read is not valid."""


class Target(NamedTuple):
    """One kind of file or folder.

    make(folder, rng)
        Writes a valid sample into an empty folder; returns the path that `read` takes.
    mutate(rng, name, content)
        Returns the changed bytes of the file `name` of a sample.
    read(path)
        Reads the sample through the public interface; raises `Wrong` where the result is invalid.
    """

    name: str
    make: Callable[[Path, random.Random], Path]
    mutate: Callable[[random.Random, str, bytes], bytes]
    read: Callable[[Path], Any]


class Sample(NamedTuple):
    """A valid input in memory: its files, and which path is read."""

    files: dict[str, bytes]
    read_from: str


def make_samples(target: Target, folder: Path) -> list[Sample]:
    """Valid inputs of a target, always the same."""
    samples = []
    for number in range(N_SAMPLES):
        home = folder / "sample"
        home.mkdir()
        path = target.make(home, random.Random(number))
        files = {
            str(file.relative_to(home)): file.read_bytes()
            for file in sorted(home.rglob("*"))
            if file.is_file()
        }
        samples.append(Sample(files, str(path.relative_to(home))))
        target.read(path)
        shutil.rmtree(home)
    return samples


def write_input(target: Target, samples: list[Sample], seed: int, home: Path) -> Path:
    """Write the input of a seed to an existing folder; return the path to read."""
    rng = random.Random(f"{target.name} {seed}")
    files, read_from = samples[seed % len(samples)]
    victim = rng.choice(sorted(files))
    for left in home.rglob("*"):
        if left.is_file() and str(left.relative_to(home)) not in files:
            left.unlink()
    for name, content in files.items():
        file = home / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(target.mutate(rng, name, content) if name == victim else content)
    return home / read_from


def judge(target: Target, path: Path) -> str:
    """Return "accepted", "refused", or what is wrong with how the input was taken."""
    try:
        target.read(path)
    except (ValueError, OSError) as error:
        # It names the file that is read, or one that belongs to it.
        if str(path.parent) in str(error):
            return "refused"
        return f"{type(error).__name__} that does not name the file: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "accepted"
