"""Speed of a sweep of the factorial mixture, beside numpy in the same run."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from timeit import repeat
from typing import Any

import numpy as np
from scipy.special import entr, expit

from topictemper._core import _factorial
from topictemper._core._workers import Workers
from topictemper._utils._typing import Floats


def numpy_sweep(
    projections: Floats, gram: Floats, bias: Floats, s: Floats, precision: float, nu: Floats
) -> None:
    """Update nu component after component, all images at once."""
    for k in range(len(nu)):
        others = gram[k] @ nu
        others -= gram[k, k] * nu[k]
        np.subtract(projections[k], others, out=others)
        others *= precision
        others += bias[k]
        others *= s
        expit(others, out=nu[k])


def numpy_energy(
    projections: Floats, gram: Floats, bias: Floats, precision: float, nu: Floats
) -> tuple[Floats, Floats]:
    """Energies and entropies, which the kernel gives as well."""
    pairs = gram - np.diag(np.diag(gram))
    linear = (bias[:, np.newaxis] + precision * projections) * nu
    energy = linear.sum(axis=0) - 0.5 * precision * (pairs @ nu * nu).sum(axis=0)
    return energy, (entr(nu) + entr(1 - nu)).sum(axis=0)


def problem(n: int, n_components: int) -> tuple[Any, ...]:
    """Images of 64 pixels, from the model."""
    rng = np.random.default_rng(0)
    m = rng.normal(scale=0.6, size=(n_components, 64))
    X = (rng.random((n, n_components)) < 0.3) @ m + rng.normal(scale=0.3, size=(n, 64))
    gram = m @ m.T
    bias = -0.85 - np.diag(gram) / 0.2
    return m @ X.T, gram, bias, np.ones(n), 10.0, rng.random((n_components, n))


def median(call: Callable[[], None], rounds: int) -> float:
    """Milliseconds of a call."""
    return float(np.median(repeat(call, number=1, repeat=rounds))) * 1e3


def cost(n: int, n_components: int, jobs: int, rounds: int) -> tuple[float, float, float]:
    """Milliseconds of our sweep, of numpy's, and of numpy's with energies and entropies."""
    projections, gram, bias, s, precision, nu = problem(n, n_components)
    ours, theirs = nu.copy(), nu.copy()
    energy, entropy = np.empty((2, n))
    pattern = np.zeros(n, dtype=np.int64)

    with Workers(jobs) as workers:

        def kernel() -> None:
            workers.run(
                _factorial.bernoulli_sweep, projections, gram[np.newaxis], bias[np.newaxis],
                pattern, s, precision, 1, ours, energy, entropy,
            )  # fmt: skip

        def update() -> None:
            numpy_sweep(projections, gram, bias, s, precision, theirs)

        def whole() -> None:
            update()
            numpy_energy(projections, gram, bias, precision, theirs)

        kernel()
        update()
        if not np.allclose(ours, theirs, atol=1e-9):
            raise SystemExit("numpy and the kernel do not agree")
        return median(kernel, rounds), median(update, rounds), median(whole, rounds)


def speed(options: Namespace) -> None:
    """Print the table."""
    print("\n## A sweep, milliseconds\n")
    print("| N | K | threads | kernel | numpy | ratio | numpy, energies too | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for n, n_components, jobs in (
        (10_000, 8, 1), (10_000, 16, 1), (10_000, 32, 1), (10_000, 64, 1), (1_000, 32, 1),
        (100_000, 32, 1), (10_000, 32, 2),
    ):  # fmt: skip
        ours, update, whole = cost(n, n_components, jobs, options.rounds)
        print(
            f"| {n:,} | {n_components} | {jobs} | {ours:.2f} | {update:.2f} | {update / ours:.1f} "
            f"| {whole:.2f} | {whole / ours:.1f} |",
            flush=True,
        )


def add_arguments(add: Callable[..., Any]) -> None:
    """Arguments of the part here."""
    add("--rounds", type=int, default=31, help="measurements of speed")


PARTS = {"speed": speed}
