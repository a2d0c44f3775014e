"""What fits gain if q(Z) of training images is inferred anew at T = 1: with it, less without it.

    python -m benchmarks.factorial.fmm --parts renewals --data DATA --renewal-seeds 5

Data are those of `starts`, and patches with many components. A third of the images are held out.
Differences are paired by seed: the bound of a held-out image, in nats; the score of held-out
images, of which half of the pixels are hidden, in nats a hidden pixel. The third column is the
processor time of a fit with renewals over that of one without, each the least of two.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from topictemper._utils._typing import Floats
from topictemper.factorial import FactorialMixture
from topictemper.factorial.fmm._renewal import Renewals
from topictemper.factorial.fmm._updates import Assignments, Components

from .._common.pairs import with_error
from .starts import Case, cases, patches

MODES = ("vt", "avi", "lvt")
TURNS = 2


def kept(
    _self: Renewals, _sweep: int, _temperature: float, _: Components, present: Assignments
) -> Assignments:
    """Keep q(Z) as it is: a fit without renewals."""
    return present


def all_cases(options: Namespace) -> dict[str, Case]:
    """All data sets at hand; of the last, 1,300 images are learned from."""
    found = cases(options)
    if options.data is not None:
        many = {"n_components": 64, "noise_var": 0.1, "prior_var": 1.0}
        found["patches, K = 64"] = (partial(patches, options, n=1950), many)
    return found


def measured(X: Floats, parameters: dict[str, Any]) -> Floats:
    """Bound, score of hidden pixels, and seconds, without renewals and with them; (2, 3)."""
    new, old = X[::3], np.delete(X, slice(None, None, 3), axis=0)
    hidden = np.random.RandomState(1).random_sample(X.shape[1]) < 0.5
    turns = []
    for _ in range(TURNS):
        rows = []
        ways: tuple[AbstractContextManager[Any], ...] = (
            patch.object(Renewals, "renewed", kept),
            nullcontext(),
        )
        for way in ways:
            model = FactorialMixture(**parameters)
            began = time.process_time()
            with way:
                model.fit(old)
            seconds = time.process_time() - began
            rows.append((model.score(new), model.predictive_log_likelihood(new, hidden), seconds))
        turns.append(rows)
    return np.min(turns, axis=0)


def renewals(options: Namespace) -> None:
    """Print a row for each data set, and one for all."""
    seeds = range(options.renewal_seeds)
    print(f"\n## Renewals of q(Z), {len(seeds)} seeds\n")
    heads = " | ".join(f"{mode}: new images | hidden pixels | time" for mode in MODES)
    print(f"| data | {heads} |")
    print("|---" * (1 + 3 * len(MODES)) + "|", flush=True)
    found = []
    for case, (images_of, parameters) in all_cases(options).items():
        rows = np.array(
            [
                [
                    measured(
                        images_of(seed),
                        parameters
                        | {"tempering": mode, "random_state": seed, "n_jobs": options.jobs},
                    )
                    for mode in MODES
                ]
                for seed in seeds
            ]
        )
        found.append(rows)
        print(f"| {case} | {cells(rows)} |", flush=True)
    together = np.concatenate(found)
    print(f"| all | {cells(together)} |")
    gains = (together[:, :, 1] - together[:, :, 0])[..., 0]
    print(f"\n{gains.size} pairs: bound {with_error(gains.ravel(), 3)}, {(gains < 0).sum()} lower")


def cells(rows: Floats) -> str:
    """Differences and ratios of a row of the table, from numbers of shape (n, modes, 2, 3)."""
    without, with_renewals = rows[:, :, 0], rows[:, :, 1]
    gains = with_renewals - without
    ratios = with_renewals[..., 2].sum(axis=0) / without[..., 2].sum(axis=0)
    return " | ".join(
        f"{with_error(gains[:, mode, 0], 2)} | {with_error(gains[:, mode, 1], 3)} "
        f"| {ratios[mode]:.2f}"
        for mode in range(len(MODES))
    )


def add_arguments(add: Callable[..., Any]) -> None:
    """Arguments of the part here."""
    add("--renewal-seeds", type=int, default=3, help="seeds of the part renewals")


PARTS = {"renewals": renewals}
