"""A build that cannot give a package that works ends at once, and says what to do."""

import os
import platform
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    not (ROOT / "topictemper").exists() or find_spec("Cython") is None,
    reason="needs the sources and what builds them",
)


SOURCES = ROOT / "topictemper/_core/src"


def build(folder: Path, compiler: str) -> subprocess.CompletedProcess[str]:
    """Build below a folder with a compiler; Cython has nothing to do after an ordinary build."""
    folders = [f"--build-lib={folder / 'lib'}", f"--build-temp={folder / 'objects'}"]
    return subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", *folders],
        cwd=ROOT,
        env=os.environ | {"CC": compiler},
        check=False,
        capture_output=True,
        text=True,
    )


def test_no_compiler(tmp_path: Path) -> None:
    finished = build(tmp_path, "no-such-compiler -O2")
    assert finished.returncode == 1
    assert "the C compiler 'no-such-compiler' is not there" in finished.stderr
    assert "--only-binary topictemper" in finished.stderr
    assert "apt install gcc" in finished.stderr
    assert "Traceback" not in finished.stderr
    assert not list(tmp_path.rglob("*.o"))


@pytest.mark.parametrize(
    ("pretence", "named"),
    [("maxsize = 2**31 - 1", "32-bit cpython"), ("implementation.name = 'pypy'", "64-bit pypy")],
)
def test_a_python_that_is_not_supported(pretence: str, named: str) -> None:
    # Before metadata, too: pip would build SciPy from source next.
    code = f"import runpy, sys; sys.{pretence}; runpy.run_path('setup.py')"
    finished = subprocess.run(
        [sys.executable, "-c", code, "egg_info"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 1
    assert f"needs a 64-bit CPython, and this is a {named}" in finished.stderr
    assert "Traceback" not in finished.stderr


def preprocess(*flags: str) -> subprocess.CompletedProcess[str]:
    """Run the preprocessor over the table of instruction sets, which every build compiles."""
    folders = [f"-I{folder}" for folder in [SOURCES, *SOURCES.glob("*/")]]
    return subprocess.run(
        ["cc", "-E", *folders, *flags, str(SOURCES / "dispatch.c")],
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
@pytest.mark.parametrize("flags", [["-ffast-math"], ["-O2", "-ffinite-math-only"]], ids=str)
def test_flags_with_which_results_are_wrong(flags: list[str]) -> None:
    assert preprocess().returncode == 0
    finished = preprocess(*flags)
    assert finished.returncode != 0
    assert "wrong results with -ffast-math or parts of it: take them out of CFLAGS" in (
        finished.stderr
    )


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the x87 is a part of x86")
def test_x87_arithmetic_is_refused() -> None:
    # What cc -m32 defines; freestanding, as the C library for it may be missing.
    flags = ["-ffreestanding", "-U__x86_64__", "-D__i386__"]
    assert preprocess(*flags).returncode == 0
    finished = preprocess(*flags, "-U__SSE2_MATH__")
    assert finished.returncode != 0
    assert "add -msse2 -mfpmath=sse to CFLAGS" in finished.stderr
