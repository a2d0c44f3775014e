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


def kernels(name):
    """The extension of the kernels of one kind of model."""
    return Extension(
        f"topictemper._core._{name}",
        # Sorted: the same link order, hence the same library, wherever it is built.
        sources=[f"{CORE}/_{name}.pyx", *sorted(glob(f"{CORE}/src/{name}/*.c"))],
        depends=sorted(glob(f"{CORE}/src/*/*.h")),
        include_dirs=[f"{CORE}/src/{name}", f"{CORE}/src/common"],
        extra_compile_args=COMPILE_ARGS,
    )


FORMATS = "topictemper/datasets/formats"
scan = Extension("topictemper.datasets.formats._scan", sources=[f"{FORMATS}/_scan.pyx"])

setup(
    cmdclass={"build_ext": ParallelBuild},
    ext_modules=cythonize(
        [kernels("lda"), kernels("truncated"), kernels("factorial"), scan],
        compiler_directives={
            "boundscheck": False,
            "cdivision": True,
            "initializedcheck": False,
            "language_level": 3,
            "wraparound": False,
        },
    ),
)
