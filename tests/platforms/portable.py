"""The kernels on platforms that are not at hand: ``make check-portable``.

``selftest.c``, which compares all kernels with golden values, is compiled by zig and run: on this
machine, with the musl C library, for Windows under wine, for WebAssembly under Node, and for ARM
and big-endian s390x under qemu. For macOS it is compiled and linked only. A platform whose emulator
is not installed is named as not run.

    python -m tests.platforms.portable musl windows

tries some of them.
"""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from . import zig

HERE = Path(__file__).parent
FOLDER = zig.ROOT / "build" / "portable"
SOURCES = zig.ROOT / "topictemper" / "_core" / "src"
FLAGS = ["-O2", "-std=gnu11", "-fno-math-errno", "-fno-trapping-math", "-Wno-psabi", "-Wall"]

NODE = """
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";
const wasi = new WASI({ version: "preview1" });
const module = await WebAssembly.compile(await readFile(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
"""


@dataclass(frozen=True)
class Platform:
    """A target of the compiler, and what runs its programs."""

    name: str
    compiler: list[str]
    runner: tuple[str, ...] | None = ()
    flags: tuple[str, ...] = ()

    @property
    def program(self) -> Path:
        """What is built."""
        return FOLDER / f"selftest-{self.name}"

    def build(self) -> None:
        """Compile and link the kernels and their self-test."""
        folders = [SOURCES, *sorted(path for path in SOURCES.iterdir() if path.is_dir())]
        zig.run(
            [
                *self.compiler,
                *FLAGS,
                *self.flags,
                *(f"-I{folder}" for folder in folders),
                *map(str, [HERE / "selftest.c", *sorted(SOURCES.glob("*.c"))]),
                *("-o", str(self.program), "-lm"),
            ]
        )

    def run(self) -> str:
        """Run what was built; how that went, in a word."""
        if self.runner is None:
            return "compiled and linked, not run"
        if self.runner and shutil.which(self.runner[0]) is None:
            return f"compiled and linked, not run: {self.runner[0]} is not installed"
        quiet = {"WINEDEBUG": "-all", "NODE_NO_WARNINGS": "1"}
        command = [*self.runner, str(self.program)]
        finished = subprocess.run(
            command, check=False, capture_output=True, text=True, env=os.environ | quiet
        )
        print(finished.stdout, end="", flush=True)
        if finished.returncode or "0 failed" not in finished.stdout:
            print(finished.stderr)
            return "FAILED"
        return "passed"


PLATFORMS = [
    Platform("gcc", [os.environ.get("CC", "gcc")]),
    Platform("clang", zig.cc("x86_64-linux-gnu")),
    Platform("musl", zig.cc("x86_64-linux-musl"), flags=("-static",)),
    Platform("windows", zig.cc("x86_64-windows-gnu"), ("wine",)),
    Platform("wasm", zig.cc("wasm32-wasi"), ("node", str(FOLDER / "run.mjs"))),
    Platform("wasm-simd", zig.cc("wasm32-wasi"), ("node", str(FOLDER / "run.mjs")), ("-msimd128",)),
    Platform("arm64", zig.cc("aarch64-linux-musl"), ("qemu-aarch64-static",), ("-static",)),
    Platform("s390x", zig.cc("s390x-linux-musl"), ("qemu-s390x-static",), ("-static",)),
    Platform("macos-arm64", zig.cc("aarch64-macos"), None),
    Platform("macos-x86_64", zig.cc("x86_64-macos"), None),
]


def main() -> None:
    """Build and run; end with 1 if a platform has failed."""
    chosen = [p for p in PLATFORMS if not sys.argv[1:] or p.name in sys.argv[1:]]
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "run.mjs").write_text(NODE)
    results = {}
    for platform in chosen:
        started = time.monotonic()
        platform.build()
        results[platform.name] = platform.run()
        print(f"{platform.name}: {results[platform.name]} ({time.monotonic() - started:.0f} s)\n")
    for name, result in results.items():
        print(f"{name:13} {result}")
    sys.exit("FAILED" in results.values() or not results)


if __name__ == "__main__":
    main()
