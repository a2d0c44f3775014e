"""The bundle that the package ships is what the sources give."""

import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "page"


def test_the_bundle_is_up_to_date():
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm")
    if not (PAGE / "node_modules").exists():
        pytest.skip("needs `npm ci` in page/")
    command = [npm, "run", "--silent", "check"]
    run = subprocess.run(command, cwd=PAGE, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
