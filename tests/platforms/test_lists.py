"""What lists of tests name is there: some are read weeks after a test got another name."""

import re
import subprocess
import sys

from ..sanitize import run as sanitize
from . import arm64, zig


def of_make() -> list[str]:
    """Return the tests of `make test-oldest`."""
    makefile = (zig.ROOT / "Makefile").read_text("utf-8")
    (names,) = re.findall(r"^OLDEST := ((?:.*\\\n)*.*)", makefile, re.MULTILINE)
    return names.replace("\\", "").split()


# Those that are left out are to be there as well.
NAMES = [
    re.sub("^--.*=", "", name)
    for name in [*arm64.KERNELS, *arm64.FITS, *sanitize.KERNELS, *sanitize.ON_EACH, *of_make()]
]


def test_files() -> None:
    files = {name.partition("::")[0] for name in NAMES}
    assert len(files) > 30
    assert [file for file in files if not (zig.ROOT / file).exists()] == []


def test_tests_in_them() -> None:
    # Alone: pytest does not look for a test of a file that it is given as well.
    names = [name for name in NAMES if "::" in name]
    assert len(names) > 15
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider", *names],
        cwd=zig.ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
