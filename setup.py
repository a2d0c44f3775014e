"""The compiled part of the package; everything else is in pyproject.toml."""

import os
from concurrent.futures import ThreadPoolExecutor
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CORE = "topictemper/_core"


class ParallelBuild(build_ext):
    """Compile the sources of an extension side by side, as setuptools does only for extensions."""

    def build_extensions(self):
        compile_serially = self.compiler.compile

        def compile_in_parallel(sources, **options):
            with ThreadPoolExecutor(self.parallel or os.cpu_count()) as pool:
                parts = pool.map(lambda source: compile_serially([source], **options), sources)
                return [object_file for part in parts for object_file in part]

        self.compiler.compile = compile_in_parallel
        super().build_extensions()


COMPILE_ARGS = [
    "-O3",
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


SOURCES = f"{CORE}/src"


def core(name, sources=()):
    """An extension of the core; `sources` are its part in C."""
    return Extension(
        f"topictemper._core.{name}",
        sources=[f"{CORE}/{name}.pyx", *sources],
        depends=HEADERS,
        include_dirs=[SOURCES, *sorted(glob(f"{SOURCES}/*/"))],
        extra_compile_args=COMPILE_ARGS,
    )


# Sorted: the same link order, hence the same library, wherever it is built.
KERNELS = sorted(glob(f"{SOURCES}/*.c"))
HEADERS = sorted(glob(f"{SOURCES}/**/*.h", recursive=True))
ENTRIES = ["_lda", "_factorial", "_truncated", "_gather", "_spin"]

FORMATS = "topictemper/datasets/formats"
scan = Extension("topictemper.datasets.formats._scan", sources=[f"{FORMATS}/_scan.pyx"])

setup(
    cmdclass={"build_ext": ParallelBuild},
    ext_modules=cythonize(
        [core("_dispatch", KERNELS), *map(core, ENTRIES), scan],
        compiler_directives={
            "boundscheck": False,
            "cdivision": True,
            "initializedcheck": False,
            "language_level": 3,
            "wraparound": False,
        },
    ),
)
