"""Where should a course of temperatures start? ELBOs over data sets and starts.

    python -m benchmarks.factorial.fmm --parts starts --data DATA --start-seeds 6

T0 is a multiple of the critical temperature, lambda_max(Cov X) / noise_var, but at least 2. All
methods have the same starts and 400 sweeps; gains over plain inference, in nats an image, are
paired by start. Without --data there are shapes only. "sparse" are sums of squares of 2 x 2 pixels
at random places, digits are of MNIST at 14 x 14 pixels, patches of 12 x 12 pixels are of the
natural images (logarithms, each patch centered), and faces have 24 x 21 pixels. The variance of
their pixels is 1, that of digits about 0.1.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from topictemper._utils._typing import Floats
from topictemper.datasets import make_shapes
from topictemper.factorial import FactorialMixture
from topictemper.factorial.fmm._config import critical_temperature
from topictemper.factorial.fmm._images import Images
from topictemper.tempering import Annealing, GlobalTempering

from .._common.pairs import with_error
from .faces import faces

SWEEPS = 400
SHARES = (1.2, 0.2, 1 / 30)
#: Images of a seed, and parameters of the model.
Case = tuple[Callable[[int], Floats], dict[str, Any]]


def squares(n_components: int, side: int, seed: int) -> Floats:
    """Sums of three small squares on average, with noise."""
    random = np.random.RandomState(seed)
    shapes = np.zeros((n_components, side, side))
    for shape in shapes:
        y, x = random.randint(side - 1, size=2)
        shape[y : y + 2, x : x + 2] = random.uniform(0.5, 1.0)
    bits = random.random_sample((1500, n_components)) < 3 / n_components
    X = bits @ shapes.reshape(n_components, -1)
    return X + random.normal(scale=np.sqrt(0.1), size=X.shape)


def digits(options: Namespace, seed: int) -> Floats:
    """A thousand digits, others for each seed."""
    return small_digits(options, slice(1000 * seed, 1000 * (seed + 1)))


def small_digits(options: Namespace, chosen: Any) -> Floats:
    """Some of the digits, of 14 x 14 pixels from 0 to 1."""
    images = np.load(options.data / "mnist" / "mnist.npz")["train"][chosen] / 255.0
    return images.reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4)).reshape(-1, 14 * 14)


def patches(options: Namespace, seed: int, side: int = 12, n: int = 1000) -> Floats:
    """Patches of natural images."""
    images = np.load(options.data / "natural" / "natural.npz")["bsds"]
    random = np.random.RandomState(seed)
    X = np.empty((n, side * side))
    for row in X:
        image = images[random.randint(len(images))]
        y, x = (random.randint(size - side) for size in image.shape)
        row[:] = np.log1p(image[y : y + side, x : x + side].astype(float)).ravel()
    X -= X.mean(axis=1, keepdims=True)
    return X / X.std()


def small_faces(options: Namespace, seed: int) -> Floats:
    """The training faces; the seed is that of the start only."""
    return faces(Namespace(data=options.data, shrink=8, held_out=options.held_out))[0]


def cases(options: Namespace) -> dict[str, Case]:
    """All data sets at hand."""

    def model(n_components: int, noise: float, prior: float, pi: float = 0.3) -> dict[str, Any]:
        return {"n_components": n_components, "noise_var": noise, "prior_var": prior, "pi": pi}

    def shapes(kind: Any, noise: float) -> Callable[[int], Floats]:
        return lambda seed: make_shapes(1000, kind, noise_var=noise, random_state=seed).data

    found: dict[str, Case] = {
        "quads": (shapes("quads", 0.1), model(8, 0.1, 0.35)),
        "quads, noise 0.01": (shapes("quads", 0.01), model(8, 0.01, 0.1225)),
        "hand": (shapes("hand", 0.1), model(8, 0.1, 0.35)),
        "hand, noise 0.01": (shapes("hand", 0.01), model(8, 0.01, 0.1225)),
        "sparse, K = 16": (partial(squares, 16, 6), model(16, 0.1, 0.35, 3 / 16)),
        "sparse, K = 32": (partial(squares, 32, 8), model(32, 0.1, 0.35, 3 / 32)),
    }
    if options.data is not None:
        found |= {
            "digits, K = 8": (partial(digits, options), model(8, 0.05, 0.35)),
            "digits, K = 32": (partial(digits, options), model(32, 0.03, 0.35, 0.15)),
            "patches, K = 16": (partial(patches, options), model(16, 0.3, 1.0)),
            "faces, K = 8": (partial(small_faces, options), model(8, 0.5, 0.5)),
            "faces, K = 16": (partial(small_faces, options), model(16, 0.5, 0.5)),
            "faces, K = 16, noise 0.05": (partial(small_faces, options), model(16, 0.05, 0.5)),
        }
    return found


def starts(options: Namespace) -> None:
    """Print gains over plain inference."""
    print(f"\n## Starts of courses: {SWEEPS} sweeps, {options.start_seeds} seeds\n")
    names = [f"{mode} from {share:.3g} Tc" for mode in ("AVI", "VT") for share in SHARES]
    names.append("VT, no inertia")
    print(f"| data | Tc | VI | {' | '.join(names)} |")
    print("|---" * (3 + len(names)) + "|", flush=True)
    for case, (images_of, parameters) in cases(options).items():
        rows, critical = [], []
        for seed in range(options.start_seeds):
            X = images_of(seed)
            critical.append(critical_temperature(Images(X), parameters["noise_var"]))
            hot = [max(2.0, share * critical[-1]) for share in SHARES]
            courses: list[Annealing | None] = [None]
            courses += [Annealing(max_temperature=t) for t in hot]
            courses += [GlobalTempering(max_temperature=t) for t in hot]
            courses.append(GlobalTempering(max_temperature=max(10.0, hot[1]), inertia=0))
            fits = [
                FactorialMixture(
                    tempering=course,
                    max_iter=SWEEPS,
                    tol=0,
                    random_state=seed,
                    n_jobs=options.jobs,
                    **parameters,
                ).fit(X)
                for course in courses
            ]
            rows.append([fit.elbo_ for fit in fits])
        plain, *others = np.array(rows).T
        gains = " | ".join(with_error(other - plain, 2) for other in others)
        print(f"| {case} | {np.mean(critical):.1f} | {plain.mean():.2f} | {gains} |", flush=True)


def add_arguments(add: Callable[..., Any]) -> None:
    """Arguments of the part here."""
    add("--start-seeds", type=int, default=6, help="seeds of the part starts")


PARTS = {"starts": starts}
