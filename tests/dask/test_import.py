"""Without Dask the package says what to install."""

import subprocess
import sys


def test_the_extra_is_named():
    program = "import sys; sys.modules['distributed'] = None; import topictemper.dask"
    failed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "ImportError: topictemper.dask needs dask and distributed" in failed.stderr
    assert "pip install 'topictemper[dask]'" in failed.stderr


def test_the_package_itself_does_without():
    program = "import sys, topictemper; assert 'dask' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
