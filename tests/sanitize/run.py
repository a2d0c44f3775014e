"""Build the extensions with a sanitizer and run them: ``make sanitize``, ``make sanitize-threads``.

Needs gcc on Linux, whose sanitizers come with it. The build has a folder of its own below
``build/sanitize``; the ordinary one stays as it is.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CC = os.environ.get("CC", "gcc")

# Tests that switch the instruction set themselves, and tests to be run on each of them.
KERNELS = [
    "tests/core",
    # They start threads and processes, and no kernel that the others leave out.
    "--ignore=tests/core/test_isa.py",
    "--ignore=tests/core/test_workers.py",
]
ON_EACH = [
    "tests/lda/test_estimator.py",
    "tests/lda/test_bad_input.py",
    "tests/lda/test_sampling.py",
    "tests/lda/test_batch.py",
    "tests/lda/test_scoring.py",
    "tests/lda/test_priors.py",
    "tests/lda/test_chunks.py",
    "tests/factorial/test_contract.py",
    "tests/factorial/test_missing.py",
    "tests/factorial/test_sparse_coding.py",
    "tests/factorial/test_belief_network.py",
    "tests/factorial/test_e_step.py",
    "tests/datasets",
    # It limits the address space, of which AddressSanitizer takes terabytes.
    "--deselect=tests/lda/test_chunks.py::test_corpus_larger_than_the_memory",
]


@dataclass(frozen=True)
class Sanitizer:
    """How to build with a sanitizer, how to run with it, and what it must report."""

    name: str
    flags: str
    libraries: tuple[str, ...]
    options: dict[str, str]
    plants: dict[str, str]

    @property
    def folder(self) -> Path:
        """What is built."""
        return ROOT / "build" / "sanitize" / self.name

    def build(self) -> None:
        """Compile the extensions, and put them beside a copy of the package's Python files."""
        started = time.monotonic()
        package = self.folder / "topictemper"
        shutil.rmtree(package, ignore_errors=True)
        skipped = shutil.ignore_patterns("*.so", "*.c", "*.h", "__pycache__")
        shutil.copytree(ROOT / "topictemper", package, ignore=skipped)
        flags = f"-O1 -g -fno-omit-frame-pointer {self.flags}"
        environment = {"CC": CC, "TOPICTEMPER_CFLAGS": flags, "LDFLAGS": self.flags}
        setup = [sys.executable, "setup.py", "--quiet", "build_ext"]
        folders = ["--build-lib", str(self.folder), "--build-temp", str(self.folder / "objects")]
        finished = subprocess.run(
            [*setup, *folders],
            cwd=ROOT,
            env=os.environ | environment,
            check=False,
            capture_output=True,
            text=True,
        )
        if finished.returncode:
            sys.exit(finished.stdout + finished.stderr)
        command = [CC, *flags.split(), "-shared", "-fPIC", "-o", str(self.planted)]
        subprocess.run([*command, str(HERE / "planted.c")], check=True)
        print(f"built in {time.monotonic() - started:.0f} s", flush=True)

    @property
    def planted(self) -> Path:
        """The library of planted faults."""
        return self.folder / "planted.so"

    def run(self, arguments: list[str], isa: str) -> subprocess.CompletedProcess[str]:
        """Run Python on what was built, with that instruction set ("": the best)."""
        libraries = [_library(name) for name in self.libraries]
        environment = {
            "LD_PRELOAD": " ".join(libraries),
            "PYTHONPATH": str(self.folder),
            "PYTHONSAFEPATH": "1",  # not the package of the checkout
            "TOPICTEMPER_ISA": isa,
            **self.options,
        }
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=os.environ | environment,
            check=False,
            capture_output=True,
            text=True,
        )

    def see_plants(self) -> None:
        """Fail unless every planted fault is reported."""
        for plant, report in self.plants.items():
            finished = self.run([str(HERE / "plant.py"), str(self.planted), plant], "")
            if finished.returncode == 0 or report not in finished.stderr:
                sys.exit(f"planted {plant} was not seen:\n{finished.stdout}{finished.stderr}")
        print(f"planted faults seen: {', '.join(self.plants)}", flush=True)

    def check(self, runs: Iterable[tuple[str, str, list[str]]]) -> bool:
        """Make runs (title, instruction set, arguments) side by side; whether all are clean."""

        def one(run: tuple[str, str, list[str]]) -> bool:
            title, isa, arguments = run
            started = time.monotonic()
            finished = self.run(arguments, isa)
            # Reports do not always end the process: they are looked for as well.
            clean = finished.returncode == 0 and not _reports(finished.stderr)
            result = finished.stdout.strip().splitlines()[-1:]
            if not clean:
                result = [f"FAILED, status {finished.returncode}", finished.stdout, finished.stderr]
            print(f"{title}:", *result, f"({time.monotonic() - started:.0f} s)", flush=True)
            return clean

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return all([*pool.map(one, runs)])


MEMORY = Sanitizer(
    "memory",
    # CPython is built with -fwrapv, which would hide overflows of signed integers.
    "-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-wrapv",
    # libstdc++: exceptions of SciPy's C++ would otherwise end in the sanitizer.
    ("libasan.so", "libstdc++.so.6"),
    {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"},
    {
        "overflow_heap": "heap-buffer-overflow",
        "overflow_int": "signed integer overflow",
        "cast_double": "outside the range of representable values",
    },
)
THREADS = Sanitizer(
    "threads",
    "-fsanitize=thread",
    ("libtsan.so",),
    # CPython and NumPy are not built with it: what they do is not judged.
    {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1 exitcode=66"},
    {"race": "data race"},
)


def _library(name: str) -> str:
    command = [CC, f"-print-file-name={name}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _reports(stderr: str) -> bool:
    return "Sanitizer" in stderr or "runtime error:" in stderr


def main() -> None:
    """Check memory or threads, as the argument says."""
    sanitizer = {"memory": MEMORY, "threads": THREADS}[sys.argv[1]]
    started = time.monotonic()
    sanitizer.build()
    sanitizer.see_plants()
    names = ["-c", "import topictemper; print(*topictemper.available_isas())"]
    isas = sanitizer.run(names, "").stdout.split()
    if not isas:
        sys.exit("the package cannot be imported")
    if sanitizer is MEMORY:
        # --capture=sys: reports are written to the file descriptor, which pytest is to leave alone.
        pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--capture=sys"]
        runs = [("kernels, every instruction set", "", [*pytest, *KERNELS])]
        runs += [(isa, isa, [*pytest, *ON_EACH]) for isa in isas]
    else:
        runs = [(isa, isa, [str(HERE / "threads.py")]) for isa in isas]
    clean = sanitizer.check(runs)
    print(f"{(time.monotonic() - started) / 60:.1f} minutes")
    sys.exit(not clean)


if __name__ == "__main__":
    main()
