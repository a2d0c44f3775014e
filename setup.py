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

kernels = Extension(
    "topictemper._core._kernels",
    # Sorted: the same link order, hence the same library, wherever it is built.
    sources=[f"{CORE}/_kernels.pyx", *sorted(glob(f"{CORE}/src/*.c"))],
    depends=sorted(glob(f"{CORE}/src/*.h")),
    include_dirs=[f"{CORE}/src"],
    extra_compile_args=COMPILE_ARGS,
)

truncated = Extension(
    "topictemper._core._truncated",
    sources=[f"{CORE}/_truncated.pyx", *sorted(glob(f"{CORE}/src_truncated/*.c"))],
    depends=sorted(glob(f"{CORE}/src*/*.h")),
    include_dirs=[f"{CORE}/src_truncated", f"{CORE}/src"],
    extra_compile_args=COMPILE_ARGS,
)

factorial = Extension(
    "topictemper._core._factorial",
    sources=[f"{CORE}/_factorial.pyx", f"{CORE}/src_factorial/factorial.c"],
    depends=sorted(glob(f"{CORE}/src*/*.h")),
    include_dirs=[f"{CORE}/src_factorial", f"{CORE}/src"],
    extra_compile_args=COMPILE_ARGS,
)

scan = Extension("topictemper.datasets._scan", sources=["topictemper/datasets/_scan.pyx"])

setup(
    cmdclass={"build_ext": ParallelBuild},
    ext_modules=cythonize(
        [kernels, truncated, factorial, scan],
        compiler_directives={
            "boundscheck": False,
            "cdivision": True,
            "initializedcheck": False,
            "language_level": 3,
            "wraparound": False,
        },
    ),
)
