import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

# Matrices of tests are small: threads of BLAS would wait for each other, at full load, for longer
# than they compute. NumPy reads this when it is imported, and other processes inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Otherwise pytest (`--import-mode=importlib`) executes a module with doctests twice if it is the
# first that is imported of the package: its classes are then others than those of `topictemper`.
import topictemper  # noqa: F401

# What needs an extra that is not installed.
collect_ignore_glob = [] if find_spec("matplotlib") else ["tests/plotting"]
if find_spec("dask") is None or find_spec("distributed") is None:
    collect_ignore_glob += ["topictemper/dask/*", "tests/dask/*", "docs/guide/machines.rst"]
elif find_spec("pandas") is None or find_spec("pyarrow") is None:  # of dask.dataframe
    collect_ignore_glob += ["tests/dask/*"]


@pytest.fixture(scope="session", autouse=True)
def session_data_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep data sets parsed by tests and doctests out of the user's cache: once a session."""
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOPICTEMPER_DATA", str(folder))
        yield folder
