"""A build without a compiler ends at once, and says what to do."""

import os
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
