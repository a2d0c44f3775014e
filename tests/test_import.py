"""`import topictemper` is enough for its packages, and costs no more than the estimators need."""

import re
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import topictemper

#: Those whose `__init__.py` lists names.
PACKAGES = sorted(
    path.parent.name
    for path in Path(topictemper.__file__).parent.glob("[a-z]*/__init__.py")
    if "__all__" in path.read_text("utf-8")
)


def run(program):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )


def test_packages_are_attributes():
    pytest.importorskip("distributed")
    program = f"import topictemper; print([getattr(topictemper, n).__name__ for n in {PACKAGES}])"
    assert run(program).stdout.strip() == str([f"topictemper.{name}" for name in PACKAGES])


def test_nothing_is_imported_before_it_is_used_and_another_name_is_an_error():
    lazy = ["dask", "factorial", "metrics", "mixture", "plotting"]
    ended = run(
        "import sys, topictemper; dir(topictemper); from topictemper import *; "
        f"print([name for name in {lazy} if 'topictemper.' + name in sys.modules]); "
        "topictemper.metric"
    )
    assert ended.stdout.strip() == "[]"
    assert "AttributeError: module 'topictemper' has no attribute 'metric'" in ended.stderr
    assert re.search("Did you mean.*metrics", ended.stderr)


def test_source_that_is_not_compiled_says_what_to_do(tmp_path):
    source = Path(topictemper.__file__).parent
    compiled = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(source, tmp_path / "topictemper", ignore=compiled)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import topictemper"
    failed = run(program).stderr
    assert f"the compiled code of topictemper is not in {tmp_path / 'topictemper'}" in failed
    assert "run Python in another folder" in failed
    # A file that is there keeps the error of the system, which says why it cannot be loaded.
    (tmp_path / "topictemper" / "_core" / f"_dispatch{EXTENSION_SUFFIXES[0]}").write_bytes(b"ELF")
    failed = run(program).stderr
    assert "ImportError" in failed
    assert "compiled code of topictemper is not in" not in failed


def test_dir_lists_what_is_public():
    assert len(PACKAGES) > 8
    assert dir(topictemper) == sorted((*topictemper.__all__, *PACKAGES))


def test_without_an_extra_there_is_no_such_attribute():
    program = """
import inspect, sys, topictemper
print("dask" in sys.modules)
sys.modules["distributed"] = None
print("dask" in dict(inspect.getmembers(topictemper)))
try:
    import topictemper.dask
except ImportError as error:
    print("ImportError:", error)
topictemper.dask.transform
"""
    failed = run(program)
    assert failed.stdout.startswith(
        "False\nFalse\nImportError: topictemper.dask needs dask and distributed"
    )
    assert "AttributeError: topictemper.dask needs dask and distributed" in failed.stderr
    for told in (failed.stdout, failed.stderr):
        assert "pip install 'topictemper[dask]'" in told
