"""The bundle that the package ships is what the sources give, for what Python packs."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from topictemper import report

from .small_report import arguments, data_of

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


@pytest.mark.skipif(not PAGE.exists(), reason="these tests run without the source")
def test_the_page_knows_the_names_that_python_packs(tmp_path):
    content = data_of(report.write(**arguments(path=tmp_path / "report.html")))
    described = {}
    for block in (PAGE / "src" / "types.js").read_text("utf-8").split("@typedef ")[1:]:
        name = re.match(r"{object} (\w+)", block)
        described[name and name[1]] = set(re.findall(r"@property {.+} (\w+)", block))
    assert content.keys() == described["Content"]
    assert content["documents"].keys() == described["Documents"]
    assert content["groups"].keys() == content["periods"].keys() == described["Classes"]
    assert content["fit"].keys() == described["Fit"]
