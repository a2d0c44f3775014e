"""Fuzzing at large: ``python -m tests.fuzz [TARGET ...] [--inputs N] [--first S]``.

Workers take batches of seeds in processes of their own, so that a crash is only theirs. The seed
of an input says all about it: ``python -m tests.fuzz TARGET --seed S --keep FOLDER`` writes the
input of a seed and reads it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .target import Target, judge, make_samples, write_input
from .targets import TARGETS

BATCH = 10_000
SECONDS_AN_INPUT = 20
# Beyond what the imports take: an input of a few kilobytes has no claim to more.
MEMORY = 1 << 30


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=" ".join(sorted(TARGETS)))
    parser.add_argument("--inputs", type=int, default=10**6, help="over all targets")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, help="read the input of this seed only")
    parser.add_argument("--keep", type=Path, help="with --seed: where to leave its files")
    parser.add_argument("--batch", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = options.targets or sorted(TARGETS)
    if unknown := set(names) - set(TARGETS):
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    if options.seed is not None:
        return _one(TARGETS[names[0]], options.seed, options.keep)
    if options.batch:
        _batch(TARGETS[names[0]], *options.batch)
        return 0
    return _all(names, options.first, options.inputs, options.jobs)


def _all(names: list[str], first: int, inputs: int, jobs: int) -> int:
    start = time.monotonic()
    share = -(-inputs // len(names))
    batches = [
        (name, begin, min(begin + BATCH, first + share))
        for begin in range(first, first + share, BATCH)
        for name in names
    ]
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in names}
    n_wrong = 0
    with ThreadPoolExecutor(jobs) as pool:
        for (name, *_), (counts, wrong) in zip(
            batches, pool.map(lambda batch: _supervised(*batch), batches), strict=True
        ):
            outcomes[name].update(counts)
            n_wrong += len(wrong)
            for seed, what in wrong:
                print(f"WRONG {name} --seed {seed}: {what}", flush=True)
    print(f"{'target':<16}{'accepted':>10}{'refused':>10}{'wrong':>10}")
    for name in names:
        counts = outcomes[name]
        print(f"{name:<16}" + "".join(f"{counts[x]:>10}" for x in ("accepted", "refused", "wrong")))
    total = sum(sum(counts.values()) for counts in outcomes.values())
    print(f"{total} inputs in {(time.monotonic() - start) / 60:.1f} minutes, {n_wrong} wrong")
    return 1 if n_wrong else 0


def _supervised(name: str, begin: int, end: int) -> tuple[Counter[str], list[tuple[int, str]]]:
    """Run a batch in a process; after a crash name the seed and go on behind it."""
    counts: Counter[str] = Counter()
    wrong: list[tuple[int, str]] = []
    while begin < end:
        command = [sys.executable, "-m", "tests.fuzz", name, "--batch", str(begin), str(end)]
        done = subprocess.run(command, capture_output=True, text=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        for seed, outcome in lines:
            kind = outcome if outcome in ("accepted", "refused") else "wrong"
            counts[kind] += 1
            if kind == "wrong":
                wrong.append((seed, outcome))
        begin += len(lines)
        if done.returncode > 0:
            raise RuntimeError(f"the target {name} itself fails:\n{done.stderr}")
        if begin < end:  # the process has died of this seed
            how = (
                "of a hang" if done.returncode == -signal.SIGALRM else f"signal {-done.returncode}"
            )
            wrong.append((begin, f"the process died, {how} {done.stderr[-300:]}"))
            counts["wrong"] += 1
            begin += 1
    return counts, wrong


def _batch(target: Target, begin: int, end: int) -> None:
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "input"
        home.mkdir()
        samples = make_samples(target, Path(folder))
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
        for seed in range(begin, end):
            signal.alarm(SECONDS_AN_INPUT)  # ends the process
            outcome = judge(target, write_input(target, samples, seed, home))
            # Unbuffered: what was printed before a crash counts.
            os.write(1, (json.dumps([seed, outcome]) + "\n").encode())
        signal.alarm(0)


def _one(target: Target, seed: int, keep: Path | None) -> int:
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        home = keep or Path(folder) / "input"
        home.mkdir(parents=True, exist_ok=True)
        samples = make_samples(target, Path(folder))
        outcome = judge(target, write_input(target, samples, seed, home))
    print(outcome)
    return 0 if outcome in ("accepted", "refused") else 1


if __name__ == "__main__":
    sys.exit(main())
