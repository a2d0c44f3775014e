"""Zig, whose C compiler builds for every platform: what the checks of this folder share."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def cc(target: str) -> list[str]:
    """Return the command of the compiler for a target, never just for the processor at hand."""
    return [sys.executable, "-m", "ziglang", "cc", "-target", target]


def run(command: list[str], **variables: str) -> None:
    """Show and run a command; end if it fails."""
    print("$", *command, flush=True)
    if subprocess.run(command, check=False, cwd=ROOT, env=os.environ | variables).returncode:
        sys.exit(1)
