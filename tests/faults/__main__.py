"""Interrupts, kills, full disks, two writers at once (``python -m tests.faults``).

An interrupted `partial_fit` must leave the model as before any step ("old") or after one ("new").
After a fault of a writer what stands there must be old or new, and whole, and the next writer must
sweep what was left. Prints a table; the exit status is 1 if anything else was found.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from .interrupts import interrupted
from .writers import WHICH, WRITERS, Writer, Wrong

SIZES = [0, 1, 100, 1000, 10_000, 32_000, 100_000, 10**9]
# Calls of the system around which a file takes its name.
RENAMES = ("fsync", "rename", "replace", "unlink", "ftruncate")
ROWS = (*WHICH, "wrong")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=300, help="of each writer")
    parser.add_argument("--interrupts", type=int, default=1000, help="of partial_fit")
    parser.add_argument("--pairs", type=int, default=150, help="of writers at once")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    trials: list[tuple[str, Callable[[Writer, int], str], int]] = [
        ("killed at a random moment", _killed_at_random, options.kills // 3),
        ("killed around the rename", _killed_around_the_rename, options.kills - options.kills // 3),
        ("full disk", _full_disk, 2 * len(SIZES)),
        ("two writers at once", _two_writers, options.pairs),
    ]
    start, n_wrong = time.monotonic(), 0
    _print("writer", "fault", ROWS)
    for n_jobs in (1, 2):
        counts = interrupted(n_jobs, options.interrupts // 2, options.seed)
        n_wrong += counts["wrong"]
        _print("partial_fit", f"interrupted, n_jobs={n_jobs}", [counts[row] for row in ROWS])
    for name, writer in WRITERS.items():
        for fault, trial, n in trials:
            counts = Counter[str]()
            for seed in range(options.seed, options.seed + n):
                counts[_judged(trial, writer, seed, f"{name}, {fault}, {seed}")] += 1
            n_wrong += counts["wrong"]
            _print(name, fault, [counts[row] for row in ROWS])
    total = sum(n for *_, n in trials) * len(WRITERS) + options.interrupts // 2 * 2
    print(f"{total} trials in {(time.monotonic() - start) / 60:.1f} minutes, {n_wrong} wrong")
    return 1 if n_wrong else 0


def _print(writer: str, fault: str, columns: Iterable[object]) -> None:
    print(f"{writer:<14}{fault:<28}" + "".join(f"{column:>8}" for column in columns), flush=True)


def _judged(trial: Callable[[Writer, int], str], writer: type[Writer], seed: int, name: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        home = writer(Path(folder))
        try:
            found = trial(home, seed)
            # What is left is swept by the next writer of the folder, and is not missed.
            home.write_another()
            left = sorted(path.name for path in home.folder.iterdir() if path.name[0] == ".")
            if left:
                raise Wrong(f"left behind: {', '.join(left)}")
            if home.found() != found:
                raise Wrong("the next writer has changed what was there")
        except Wrong as error:
            print(f"WRONG {name}: {error}", flush=True)
            return "wrong"
    return found


def _killed_at_random(writer: Writer, seed: int) -> str:
    start = time.monotonic()
    writer.write("old")
    # The first is slower than those that follow.
    moment = random.Random(seed).uniform(0.0, 1.1 * (time.monotonic() - start))
    if not writer.has_old:
        writer.remove()
    child = _forked(lambda: writer.write("new"))
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return writer.found()


def _killed_around_the_rename(writer: Writer, seed: int) -> str:
    rng = random.Random(seed)
    if writer.has_old:
        writer.write("old")
    reader, announcer = os.pipe()

    def announced() -> None:
        # Tells of every such call and goes on at once: the kill comes in it or soon after.
        for name in RENAMES:
            setattr(os, name, _announcing(getattr(os, name), announcer))
        writer.write("new")

    child = _forked(announced)
    os.close(announcer)
    last = writer.renames
    for _ in range(rng.randint(last - 3 if rng.random() < 0.7 else 1, last)):
        if not os.read(reader, 1):
            break
    time.sleep(rng.choice((0.0, 0.0, rng.uniform(0.0, 2e-3))))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reader)
    return writer.found()


def _announcing(function: Callable[..., None], announcer: int) -> Callable[..., None]:
    def call(*arguments: object, **more: object) -> None:
        os.write(announcer, b".")
        function(*arguments, **more)

    return call


def _full_disk(writer: Writer, seed: int) -> str:
    if writer.has_old:
        writer.write("old")
    size = SIZES[seed % len(SIZES)]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        writer.write("new")

    child = _forked(limited)
    failed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    found = writer.found()
    if found != ("old" if failed else "new"):
        raise Wrong(f"status {failed}, but found was the {found} one")
    return found


def _two_writers(writer: Writer, seed: int) -> str:
    rng = random.Random(seed)
    if writer.has_old:
        writer.write("old")
    begin = time.monotonic() + 0.01
    delays = [rng.uniform(0.0, 0.01) for _ in range(2)]

    def delayed(which: str, delay: float) -> None:
        time.sleep(max(0.0, begin + delay - time.monotonic()))
        writer.write(which)

    children = [
        _forked(lambda which=which, delay=delay: delayed(which, delay))  # type: ignore[misc]
        for which, delay in zip(("new", "other"), delays, strict=True)
    ]
    failed = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    found = writer.found()
    # Of two that make something new the second is told that it is there.
    expected = [0, 0] if writer.has_old else [2 * (found != "new"), 2 * (found == "new")]
    if failed != expected or found == "old":
        raise Wrong(f"statuses {failed}, and found was the {found} one")
    return found


def _forked(work: Callable[[], None]) -> int:
    """Run in a child; its status is 1 after an OSError, 2 if something is there already."""
    child = os.fork()
    if child:
        return child
    status = 3
    try:
        work()
        status = 0
    except FileExistsError:
        status = 2
    except OSError:
        status = 1
    finally:
        os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
