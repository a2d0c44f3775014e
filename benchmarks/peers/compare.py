"""Held-out score against training time: TemperedLDA and the LDA of other packages.

    python -m benchmarks.peers.compare --data DATA --settings 20news imdb arxiv-40k --jobs 2

Each fit has a process of its own, one at a time, and is scored by one referee: topics and alpha in,
documents completed by mean field and by sampling, the better of the two taken (see
`benchmarks._common.referee`). What has been measured is in
OUT/peers.csv and is not run again (delete its rows to repeat it); the tables and the figure,
OUT/peers.md and peers.png, are made from it. Several runs at once may have the same OUT. The
lengths of training are in `adapters.SYSTEMS`. The peers are the extra `topictemper[peers]`; those
that are not installed are left out. pyspark needs Java.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # packages have threads of their own

import numpy as np

from .._common.corpora import RESULTS, load, machine, parser
from .._common.referee import best_of_two
from .._common.table import append_row, read_rows
from . import report
from .adapters import SYSTEMS, System


@dataclass(frozen=True)
class Setting:
    """A corpus and a number of topics."""

    corpus: str
    rows: int | None
    n_components: int


SETTINGS = {
    "20news": Setting("20news", None, 50),
    "imdb": Setting("imdb", None, 100),
    "arxiv-40k": Setting("arxiv", 40_000, 100),
    "arxiv-200k": Setting("arxiv", 200_000, 300),
}
FIELDS = (
    "setting system length unit seed threads seconds score error inference factor note load "
    "version machine"
).split()
Row = dict[str, Any]


def fit(
    connection: Any,
    setting: Setting,
    name: str,
    lengths: Sequence[float],
    options: Any,
    seed: int,
    keep: list[Path | None],
) -> None:
    """Fit, in a process of its own, and send the seconds and the score of every length."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that its own workers end with it
    X, X_test = load(options.data, setting.corpus, setting.rows)
    fits = SYSTEMS[name].fit(
        X.astype(np.float32), setting.n_components, lengths, seed, options.jobs
    )
    next(fits)
    connection.send(None)
    seconds = 0.0
    for path in keep:
        start = time.perf_counter()
        topics, alpha = next(fits)  # type: ignore[misc]
        seconds += time.perf_counter() - start
        topics = np.asarray(topics, dtype=np.float32)
        if path is not None:
            np.savez(path, topics=topics, alpha=alpha)
        connection.send((seconds, best_of_two(topics, alpha, X, X_test, options.jobs)))
    fits.close()  # type: ignore[attr-defined]


class Bench:
    """The rows of the CSV, and how to add to them."""

    def __init__(self, options: Any) -> None:
        self.options = options
        self.path = options.out / "peers.csv"

    @property
    def rows(self) -> list[Row]:
        """All rows, with those that other runs have added."""
        return read_rows(self.path)

    def find(self, **wanted: Any) -> list[Row]:
        """Rows with these values."""
        return [row for row in self.rows if all(row[k] == str(v) for k, v in wanted.items())]

    def add(self, **values: Any) -> None:
        """Add a row."""
        row = {field: str(values.get(field, "")) for field in FIELDS}
        append_row(self.path, FIELDS, row)
        print(
            f"{row['setting']:11} {row['system']:20} {row['length']:>7} {row['unit']:10} "
            f"{row['seconds']:>8} s {row['score']:>9} {row['note']}",
            flush=True,
        )

    def measure(self, setting: str, name: str, seed: int) -> None:
        """Run what is missing of a system."""
        system = SYSTEMS[name]
        missing = [
            length
            for length in system.lengths
            if not self.find(setting=setting, system=name, length=f"{length:g}", seed=seed)
        ]
        if missing and system.version() is None:
            print(f"{name}: not installed (pip install {system.package})", flush=True)
            return
        groups = [missing] if system.goes_on else [[length] for length in missing]
        done = True
        for lengths in groups:
            if lengths and done:  # what is longer than one that was not done is not tried
                done = self.run(setting, name, system, lengths, seed)

    def run(
        self, setting: str, name: str, system: System, lengths: Sequence[float], seed: int
    ) -> bool:
        """One process; a row for every length that it reaches within the time limit.

        Returns whether it reached all.
        """
        options = self.options
        keep: list[Path | None] = [None] * len(lengths)
        if options.models is not None:
            options.models.mkdir(parents=True, exist_ok=True)
            names = (f"{setting}_{name}_{length:g}_{seed}.npz" for length in lengths)
            keep = [options.models / file.replace(" ", "-") for file in names]
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(
            target=fit, args=(theirs, SETTINGS[setting], name, lengths, options, seed, keep)
        )
        process.start()
        theirs.close()
        common = {
            "setting": setting,
            "system": name,
            "unit": system.unit,
            "seed": seed,
            "threads": options.jobs if system.threaded else 1,
            "version": system.version(),
            "machine": machine(options.jobs).replace(", ", " "),
        }
        clock = Clock()
        clock.wait(ours, float("inf"))
        done, note = 0, ""
        try:
            ours.recv()
            clock = Clock()
            while done < len(lengths):
                if not clock.wait(ours, options.limit):
                    note = f"not done in {options.limit:g} s"
                    break
                seconds, reading = ours.recv()
                self.add(
                    length=f"{lengths[done]:g}",
                    seconds=f"{seconds - clock.stopped:.2f}",
                    score=f"{reading.score:.4f}",
                    error=f"{reading.error:.4f}",
                    inference=reading.inference,
                    factor=f"{reading.factor:g}",
                    load=f"{os.getloadavg()[0]:.1f}",
                    **common,
                )
                done += 1
        except EOFError:
            note = "failed"
        if note:
            process.terminate()
        process.join(20)
        if process.is_alive():
            process.kill()
        for length in lengths[done:]:
            self.add(length=f"{length:g}", note=note, **common)
        return not note


class Clock:
    """Waits for a process; time in which all were stopped together (Ctrl-Z) does not count."""

    GAP = 3.0

    def __init__(self) -> None:
        self.awake = self.stopped = 0.0

    def wait(self, connection: Any, limit: float) -> bool:
        """Whether something came before the limit."""
        while self.awake < limit:
            start = time.perf_counter()
            ready = connection.poll(1.0)
            passed = time.perf_counter() - start
            if passed > self.GAP:
                self.stopped += passed
            else:
                self.awake += passed
            if ready:
                return True
        return False


def main() -> None:
    """Measure what is missing, then write the tables and the figure."""
    arguments = parser(__doc__, data="needed", seeds=1, jobs=2)
    arguments.add_argument(
        "--settings", nargs="*", choices=SETTINGS, default=list(SETTINGS), help="corpora"
    )
    arguments.add_argument(
        "--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS), help="what to compare"
    )
    arguments.add_argument("--limit", type=float, default=480.0, help="seconds of one fit")
    arguments.add_argument("--models", type=Path, help="folder that keeps all topics (topics.py)")
    arguments.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = arguments.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    bench = Bench(options)
    print(machine(options.jobs), flush=True)
    for setting in options.settings:
        for seed in range(options.seeds):
            for name in options.systems:
                bench.measure(setting, name, seed)
            report.write(bench.rows, options.out)


if __name__ == "__main__":
    main()
