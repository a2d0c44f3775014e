"""Which Pythons `make wheels` finds."""

import os
import sys
from pathlib import Path

import pytest

from .wheels import runs


@pytest.mark.skipif(os.name != "posix", reason="the name is a shell script")
def test_a_name_that_only_says_what_to_do_is_no_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = tmp_path / "python3.12"
    name.write_text("#!/bin/sh\necho 'command not found' >&2\nexit 127\n")
    name.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert not runs("python3.12")
    assert not runs("python-that-is-not-there")
    assert runs(sys.executable)
