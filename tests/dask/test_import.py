"""Without Dask the package says what to install."""

import subprocess
import sys

_PROGRAM = """
import sys
import topictemper
assert 'dask' not in sys.modules
sys.modules['distributed'] = None
import topictemper.dask
"""


def test_the_package_does_without_and_names_the_extra():
    failed = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False
    )
    assert "ImportError: topictemper.dask needs dask and distributed" in failed.stderr
    assert "pip install 'topictemper[dask]'" in failed.stderr
