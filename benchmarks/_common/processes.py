"""Measurements in processes of their own, also with the topictemper of another checkout."""

from __future__ import annotations

import json
import multiprocessing
import resource
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

MB = 1e6

# Submodules come from where the package does.
_CHILD = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
import topictemper
sys.path[0] = ""
function = getattr(importlib.import_module(sys.argv[2]), sys.argv[3])
print(json.dumps(function(*json.loads(sys.argv[4]))))
"""


def alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """The value of a call in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *arguments).result()


def peak() -> float:
    """Largest resident size of this process so far, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MB


def called(checkout: Path, module: str, function: str, *arguments: object) -> Any:
    """What a function of a benchmark returns in a process of its own, with that topictemper.

    The checkout is built in place. Arguments and result are what JSON holds.
    """
    command = [sys.executable, "-c", _CHILD, str(checkout.resolve()), module, function]
    command.append(json.dumps(arguments))
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
