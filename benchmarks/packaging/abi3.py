"""What the stable ABI costs: small steps and predictions, built for it and for one Python alone.

Each build is loaded by a process of its own, the second one by two from two copies, because a file
that two processes share stays in the cache: their ratio says how far equal builds differ. The
processes take turns, and are started several times. A time is the fastest tenth of the CPU times of
one process, which other work on the machine has not disturbed; what is printed are medians over the
starts. Small calls show most: the kernels themselves do not touch the ABI.

    python -m benchmarks.packaging.abi3

builds both below ``build/abi3`` (two minutes on one core), unless they are there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import IO, Any

ROOT = Path(__file__).parents[2]
BUILDS = ROOT / "build" / "abi3"
FLAGS = {"abi3": "", "specific": "-UPy_LIMITED_API -UCYTHON_LIMITED_API"}
BUILD_FILES = ("setup.py", "pyproject.toml", "README.md", "LICENSE")
CALLS = {"a step of 100 documents": 1, "transform of 1 document": 10}  # in one measurement


def build(name: str) -> Path:
    """Return the folder of a build, which is made if it is not there."""
    folder = BUILDS / name
    if not folder.exists():
        made = folder.with_suffix(".new")
        shutil.rmtree(made, ignore_errors=True)
        skipped = shutil.ignore_patterns("*.so", "*.c", "__pycache__")
        shutil.copytree(ROOT / "topictemper", made / "topictemper", ignore=skipped)
        source = "topictemper/_core/src"
        shutil.copytree(ROOT / source, made / source, dirs_exist_ok=True)
        for file in BUILD_FILES:
            shutil.copy(ROOT / file, made)
        subprocess.run(
            [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
            cwd=made,
            env=os.environ | {"TOPICTEMPER_CFLAGS": FLAGS[name]},
            check=True,
        )
        made.rename(folder)
    return folder


def copy_of_specific() -> Path:
    """Return the folder with a copy of a build."""
    folder = BUILDS / "specific-again"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(BUILDS / "specific", folder)
    return folder


def serve(folder: str, n_components: int) -> None:
    """In a process of its own: measure what the lines of standard input name."""
    sys.path.insert(0, folder)
    import topictemper
    from topictemper.datasets import load_docstrings

    assert topictemper.__file__.startswith(folder), topictemper.__file__
    counts = load_docstrings().counts
    lda = topictemper.TemperedLDA(n_components, random_state=0).fit(counts[:2000])
    batch, document = counts[2000:2100], counts[2100:2101]
    calls: dict[str, Callable[[], Any]] = {
        "a step of 100 documents": lambda: lda.partial_fit(batch),
        "transform of 1 document": lambda: lda.transform(document),
    }
    print("ready", flush=True)
    for line in sys.stdin:
        task = line.strip()
        started = time.process_time()
        for _ in range(CALLS[task]):
            calls[task]()
        print((time.process_time() - started) / CALLS[task], flush=True)


def start(folder: Path, n_components: int) -> subprocess.Popen[str]:
    """Start the process of one build, and wait until it is ready."""
    process = subprocess.Popen(
        [sys.executable, __file__, "--serve", str(folder), "--components", str(n_components)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": ""},
    )
    assert pipe(process.stdout).readline() == "ready\n"
    return process


def pipe(stream: IO[str] | None) -> IO[str]:
    """Return a pipe that was asked for, and is there."""
    assert stream is not None
    return stream


def measured(process: subprocess.Popen[str], task: str) -> float:
    """Return the seconds of CPU time of one call."""
    pipe(process.stdin).write(task + "\n")
    pipe(process.stdin).flush()
    return float(pipe(process.stdout).readline())


def one_start(n_components: int, n_rounds: int) -> dict[str, list[float]]:
    """Return the times of each task, in microseconds: stable ABI, one Python, the latter again."""
    folders = [*(build(name) for name in FLAGS), copy_of_specific()]
    processes = [start(folder, n_components) for folder in folders]
    result = {}
    for task in CALLS:
        rounds = []
        for i in range(n_rounds):
            order = processes[i % 3 :] + processes[: i % 3]
            times = {process: measured(process, task) for process in order}
            rounds.append([times[process] for process in processes])
        columns = zip(*rounds, strict=True)
        result[task] = [1e6 * quantiles(column, n=10)[0] for column in columns]
    for process in processes:
        pipe(process.stdin).close()
        process.wait()
    return result


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--components", type=int, default=50, help="topics")
    options.add_argument("--starts", type=int, default=10, help="starts of each process")
    options.add_argument("--rounds", type=int, default=100, help="of one start")
    options.add_argument("--serve", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve:
        serve(given.serve, given.components)
        return
    starts = [one_start(given.components, given.rounds) for _ in range(given.starts)]
    print("| task | stable ABI (us) | one Python (us) | ratio | ratio of equal builds |")
    print("|---|---|---|---|---|")
    for task in CALLS:
        times = [of_start[task] for of_start in starts]
        stable, specific, _ = (median(column) for column in zip(*times, strict=True))
        ratio, equal = median(a / b for a, b, _ in times), median(c / b for _, b, c in times)
        print(f"| {task} | {stable:.0f} | {specific:.0f} | {ratio:.3f} | {equal:.3f} |")


if __name__ == "__main__":
    main()
