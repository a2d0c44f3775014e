"""What tempering gains in training images and in new ones, by how many there are to learn from.

    python -m benchmarks.factorial.fmm --parts few-images --data DATA --few-seeds 6

Gains over plain inference in the ELBO, in nats per image, paired by seed. New images are 1,000
others. Digits and patches are those of `starts`.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import Any

import numpy as np

from topictemper._utils._typing import Floats
from topictemper.factorial import FactorialMixture
from topictemper.tempering import Annealing

from .._common.pairs import with_error
from .starts import cases, patches, small_digits

SIZES = (300, 667, 3000)
N_NEW = 1000
SHORT = 10  # sweeps
COURSES: dict[str, Any] = {
    "vt": "vt",
    "avi": "avi",
    f"avi, {SHORT} sweeps": Annealing(length=SHORT),
}


def many_digits(options: Namespace, seed: int, n: int) -> Floats:
    """Digits of 14 x 14 pixels, others for each seed."""
    return small_digits(options, np.random.RandomState(seed).permutation(60_000)[:n])


def few_images(options: Namespace) -> None:
    """Print a row for each kind and number of images."""
    print(f"\n## Gains by the number of images: {options.few_seeds} seeds\n")
    names = [f"{name}: {of}" for name in COURSES for of in ("fit", "new images")]
    print(f"| data | images | {' | '.join(names)} |")
    print("|---" * (2 + len(names)) + "|", flush=True)
    kinds: dict[str, Callable[[int, int], Floats]] = {
        "digits, K = 32": lambda seed, n: many_digits(options, seed, n),
        "patches, K = 16": lambda seed, n: patches(options, seed, n=n),
    }
    for case, images_of in kinds.items():
        _, parameters = cases(options)[case]
        for n in SIZES:
            rows = []
            for seed in range(options.few_seeds):
                X = images_of(seed, n + N_NEW)
                plain, *tempered = (
                    bounds(X, parameters | {"tempering": course, "random_state": seed})
                    for course in (None, *COURSES.values())
                )
                rows.append([each - plain for each in tempered])
            gains = np.array(rows).reshape(len(rows), -1).T
            print(f"| {case} | {n:,} | {' | '.join(with_error(each, 2) for each in gains)} |")


def bounds(X: Floats, parameters: dict[str, Any]) -> Floats:
    """The bound of a fit, and that of new images."""
    model = FactorialMixture(**parameters).fit(X[N_NEW:])
    return np.array([model.elbo_, model.score(X[:N_NEW])])


def add_arguments(add: Callable[..., Any]) -> None:
    """Arguments of the part here."""
    add("--few-seeds", type=int, default=3, help="seeds of the part few-images")


PARTS = {"few-images": few_images}
