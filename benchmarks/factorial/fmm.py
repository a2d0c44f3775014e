"""Factorial models: the experiments of Mandt et al. (2016), "Variational Tempering".

    python -m benchmarks.factorial.fmm --parts toy toy-sd speed yale figure4 --data DATA --out OUT

Every module listed in MODULES has PARTS, functions of the options by their names, and adds
arguments of its own. Pictures and tables go to OUT.
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import matplotlib as mpl

from .._common.corpora import machine, parser
from . import faces, few_images, inference, renewals, speed, starts, toy

mpl.use("Agg")

MODULES = (toy, speed, faces, starts, inference, renewals, few_images)
PARTS = {name: part for module in MODULES for name, part in module.PARTS.items()}


def main() -> None:
    """Run the parts that were asked for."""
    arguments = parser(__doc__, seeds=20)
    add = arguments.add_argument
    add(
        "--parts", nargs="+", choices=PARTS, default=["toy", "speed", "figure4"], help="what to run"
    )
    add("--out", type=Path, default=Path("factorial-results"), help="folder for pictures")
    for module in MODULES:
        module.add_arguments(add)
    options = arguments.parse_args()
    if {"yale", "yale-range"} & set(options.parts) and options.data is None:
        arguments.error("--data is needed for faces")
    options.out.mkdir(parents=True, exist_ok=True)
    print(machine(options.jobs))
    for part in options.parts:
        PARTS[part](options)


if __name__ == "__main__":
    main()
