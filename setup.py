"""The compiled part of the package; everything else is in pyproject.toml."""

import os
import shutil
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from glob import glob
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CORE = "topictemper/_core"
SOURCES = f"{CORE}/src"
FORMATS = "topictemper/datasets/formats"

WINDOWS = sys.platform == "win32"
# One build for this and all later Pythons. Free-threaded ones have no stable ABI before 3.15.
STABLE_ABI = None if sysconfig.get_config_var("Py_GIL_DISABLED") else "cp311"

UNSUPPORTED = """
topictemper needs a 64-bit CPython, and this is a {bits}-bit {name} for {platform}.
Fits fail on 32-bit systems, where NumPy counts and indexes with 32 bits. For PyPy there are no
wheels of SciPy and scikit-learn. Use the CPython of a 64-bit system.
"""
NO_COMPILER = """
topictemper has to be compiled here, and the C compiler {compiler!r} is not there.
Either install a wheel, which needs no compiler:
    python -m pip install --only-binary topictemper topictemper
or install gcc or clang, and try again:
    Debian, Ubuntu:  apt install gcc libc6-dev
    Fedora:          dnf install gcc
    Alpine:          apk add gcc musl-dev
    macOS:           xcode-select --install
    anywhere:        python -m pip install ziglang, then set CC to "python -m ziglang cc"
"""
NO_CLANG = """
On Windows, topictemper is compiled by clang: gcc misaligns vectors of AVX on the stack there. Leave
CC unset, which takes the clang of the Python package ziglang, or set it to another clang.
"""
bits = sys.maxsize.bit_length() + 1
if bits < 64 or sys.implementation.name != "cpython":
    # At once: pip would go on with a build of SciPy from source.
    platform = sysconfig.get_platform()
    sys.exit(UNSUPPORTED.format(bits=bits, name=sys.implementation.name, platform=platform))
if WINDOWS:
    # Not MSVC, which does not know the vectors of GNU C. CC is read as by a shell: no backslashes.
    python = Path(sys.executable).as_posix()
    architecture = "aarch64" if sysconfig.get_platform() == "win-arm64" else "x86_64"
    os.environ.setdefault("CC", f'"{python}" -m ziglang cc -target {architecture}-windows-gnu')


class ParallelBuild(build_ext):
    """Compile the sources of all extensions side by side, if there is a compiler."""

    def finalize_options(self):
        super().finalize_options()
        if WINDOWS and self.compiler is None:
            self.compiler = "mingw32"  # the class for every compiler with the options of gcc

    def get_libraries(self, ext):
        libraries = super().get_libraries(ext)
        if WINDOWS and STABLE_ABI:
            return [*libraries[:-1], "python3"]  # not that of one version, which comes last
        return libraries

    def build_extensions(self):
        self.check_compiler()
        compile_serially = self.compiler.compile
        with ThreadPoolExecutor(os.cpu_count()) as pool:

            def compile_in_parallel(sources, **options):
                parts = pool.map(lambda source: compile_serially([source], **options), sources)
                return [object_file for part in parts for object_file in part]

            self.compiler.compile = compile_in_parallel
            self.parallel = len(self.extensions)  # threads that wait for those of the pool
            super().build_extensions()

    def check_compiler(self):
        """Say what to do before the first source is compiled."""
        if WINDOWS and not any(name in os.environ["CC"] for name in ("clang", "zig")):
            sys.exit(NO_CLANG)
        compiler = self.compiler.compiler_so[0]
        if shutil.which(compiler) is None:
            sys.exit(NO_COMPILER.format(compiler=compiler))


COMPILE_ARGS = [
    "-O3",
    # Whatever Python was built with: to write what debuggers read takes a quarter of the time.
    "-g0",
    "-std=gnu11",
    # Nothing here reads errno or floating-point flags; NaN, infinity and the order of sums
    # keep their meaning, which -ffast-math would take away.
    "-fno-math-errno",
    "-fno-trapping-math",
    # Vector types are passed between functions of one library only.
    "-Wno-psabi",
    # Last, so that they win: options for a sanitizer, for instance (tests/sanitize).
    *os.environ.get("TOPICTEMPER_CFLAGS", "").split(),
]
LIMITED_API = [("Py_LIMITED_API", "0x030B0000"), ("CYTHON_LIMITED_API", "1")]


def extension(name, sources, **options):
    """Build an extension of the package."""
    return Extension(
        f"topictemper.{name}",
        sources=sources,
        define_macros=LIMITED_API if STABLE_ABI else [],
        py_limited_api=bool(STABLE_ABI),
        extra_compile_args=COMPILE_ARGS,
        **options,
    )


def core(name, sources=(), libraries=()):
    """Build an extension of the core; `sources` are its part in C."""
    return extension(
        f"_core.{name}",
        [f"{CORE}/{name}.pyx", *sources],
        depends=HEADERS,
        include_dirs=[SOURCES, *sorted(glob(f"{SOURCES}/*/"))],
        libraries=list(libraries),
    )


# Sorted: the same link order, hence the same library, wherever it is built.
KERNELS = sorted(glob(f"{SOURCES}/*.c"))
HEADERS = sorted(glob(f"{SOURCES}/**/*.h", recursive=True))
ENTRIES = ["_lda", "_factorial", "_truncated", "_gather", "_team"]

setup(
    cmdclass={"build_ext": ParallelBuild},
    options={"bdist_wheel": {"py_limited_api": STABLE_ABI}} if STABLE_ABI else {},
    ext_modules=cythonize(
        [
            core("_dispatch", KERNELS, [] if WINDOWS else ["m"]),
            *map(core, ENTRIES),
            extension("datasets.formats._scan", [f"{FORMATS}/_scan.pyx"]),
        ],
        compiler_directives={
            "boundscheck": False,
            "cdivision": True,
            # Kernels share nothing but what their callers hand them (tests/core/test_threads.py).
            "freethreading_compatible": True,
            "initializedcheck": False,
            "language_level": 3,
            "wraparound": False,
        },
    ),
)
