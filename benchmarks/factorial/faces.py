"""Yale faces (figure 3 of the paper): held-out pixels and temperatures over sweeps.

DATA/yaleb/yaleb.npz holds "images" (N, 192, 168), uint8. Pixels are standardised as a whole, as in
the paper; 500 images are held out (the paper's data had 2,000 in all). A random half of the pixels,
the same for all held-out images, gives q(Z), the other half is predicted.
"""

from __future__ import annotations

import csv
import time
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from topictemper._core._workers import Workers
from topictemper.factorial import FactorialMixture
from topictemper.factorial.fmm._config import config_of, critical_temperature
from topictemper.factorial.fmm._images import Images
from topictemper.factorial.fmm._prediction import density_of_pixels
from topictemper.factorial.fmm._training import Run, ascend_from, infer_assignments
from topictemper.factorial.fmm._updates import Components
from topictemper.plotting import ComponentsDisplay
from topictemper.tempering import Annealing, GlobalTempering

METHODS: dict[str, tuple[Annealing | None, str]] = {
    "VI": (None, "0.2"),
    "AVI, 5": (Annealing(schedule="linear", max_temperature=6, length=5), "#92c5de"),
    "AVI, 50": (Annealing(schedule="linear", max_temperature=6, length=50), "#4393c3"),
    "VT": (GlobalTempering(inertia=9.5), "#d6604d"),
}


def faces(options: Namespace) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[int, int]]:
    """Training and held-out images, standardised, and the shape of one."""
    pixels = np.load(options.data / "yaleb" / "yaleb.npz")["images"]
    step = options.shrink
    n, height, width = pixels.shape
    shape = (height // step, width // step)
    blocks = pixels[:, : shape[0] * step, : shape[1] * step].reshape(
        n, shape[0], step, shape[1], step
    )
    X = blocks.mean(axis=(2, 4)).reshape(n, -1)
    X -= X.mean()
    X /= X.std()
    X = X[np.random.default_rng(0).permutation(n)]
    return X[options.held_out :], X[: options.held_out], shape


def followed(
    train: NDArray[np.float64],
    test: NDArray[np.float64],
    options: Namespace,
    seed: int,
    tempering: Annealing | None,
) -> tuple[Run, list[tuple[int, float, float | None]], float]:
    """A fit; ELBO after every sweep and, every few sweeps, held-out score; seconds of the fit."""
    model = FactorialMixture(
        options.components,
        tempering=tempering,
        noise_var=0.5,
        prior_var=0.5,
        final_sweeps=None if tempering is None else options.sweeps // 3,
        max_iter=options.sweeps,
        tol=0.0,
        random_state=seed,
    )
    images = Images(train)
    config = config_of(model.get_params(deep=False), images)
    prior = config.prior
    hidden = np.random.default_rng(1).random(test.shape[1]) < 0.5
    given = Images(np.where(hidden, np.nan, test))
    targets = np.broadcast_to(hidden, test.shape)
    scores: list[tuple[int, float, float | None]] = []
    scoring = 0.0
    with Workers(options.jobs) as workers:

        def score(sweep: int, components: Components, elbo: float) -> None:
            nonlocal scoring
            value = None
            if sweep % options.every == 0 or sweep == options.sweeps - 1:
                began = time.perf_counter()
                nu = infer_assignments(given, prior, components, workers).nu
                value = density_of_pixels(test, targets, nu, components, prior.noise_var)
                scoring += time.perf_counter() - began
            scores.append((sweep, elbo / len(train), value))

        began = time.perf_counter()
        nu = config.random_state.random_sample((len(prior.pi), len(train)))
        run = ascend_from(images, config, nu, workers, after_sweep=score)
    return run, scores, time.perf_counter() - began - scoring


def yale(options: Namespace) -> None:
    """Fit all methods from the same starts; a table, a CSV and pictures of the first start."""
    train, test, shape = faces(options)
    name = f"yale-{shape[0]}x{shape[1]}"
    critical = critical_temperature(Images(train), 0.5)
    seeds = range(options.first_seed, options.first_seed + options.face_seeds)
    print(
        f"\n## Yale faces: {len(train):,} images of {shape[0]} x {shape[1]} pixels, {len(test)} "
        f"held out, K = {options.components}, variances 0.5, {options.sweeps} sweeps, "
        f"{len(seeds)} starts\n\n"
        f"Components are all the same above a temperature of at most {critical:,.0f}.\n"
    )
    print(
        "| method | ELBO an image | nats a held-out pixel | best | E[T] first | before T = 1 "
        "| s a sweep |"
    )
    print("|---|---|---|---|---|---|---|")
    figure, panels = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    best = -np.inf
    with (options.out / f"{name}.csv").open("w", newline="") as file:
        table = csv.writer(file)
        columns = ["method", "seed", "sweep", "temperature", "elbo_per_image", "nats_per_pixel"]
        table.writerow(columns)
        for method, (tempering, color) in METHODS.items():
            rows = []
            for seed in seeds:
                run, scores, seconds = followed(train, test, options, seed, tempering)
                course = run.temperature_history["temperature"]
                for (sweep, elbo, value), t in zip(scores, course, strict=True):
                    table.writerow([method, seed, sweep, t, elbo, "" if value is None else value])
                elbos = [elbo for _, elbo, _ in scores]
                known = [(sweep, value) for sweep, _, value in scores if value is not None]
                top = max(value for _, value in known)
                best = max(best, top)
                rows.append((elbos[-1], known[-1][1], top, course[0], run.temperature, seconds))
                for panel, curve in zip(
                    panels, (enumerate(elbos), known, enumerate(course)), strict=True
                ):
                    label = method if seed == seeds[0] else None
                    panel.plot(*np.array(list(curve)).T, color=color, label=label)
                if seed == seeds[0]:
                    ComponentsDisplay(run.components.m, shape).plot()
                    plt.gcf().suptitle(f"{method}, K = {options.components}")
                    plt.savefig(options.out / f"{name}-{method.replace(', ', '-')}.png", dpi=100)
                    plt.close(plt.gcf())
            means, errors = np.mean(rows, axis=0), standard_errors(np.array(rows))
            print(
                f"| {method} | {means[0]:,.2f} ± {errors[0]:.2f} "
                f"| {means[1]:.4f} ± {errors[1]:.4f} | {means[2]:.4f} ± {errors[2]:.4f} "
                f"| {means[3]:.2f} | {means[4]:.2f} | {means[5] / options.sweeps:.3f} |",
                flush=True,
            )
            last = means[0]
            low, high = panels[0].get_ylim() if method != "VI" else (last, last)
            panels[0].set_ylim(
                min(low, last - 0.05 * abs(last)), max(high, last + 0.01 * abs(last))
            )
    for panel, label in zip(
        panels,
        (
            "ELBO at T = 1, nats an image",
            "log predictive likelihood, nats a pixel",
            "expected temperature",
        ),
        strict=True,
    ):
        panel.set_xlabel("sweeps")
        panel.set_ylabel(label)
        panel.spines[["top", "right"]].set_visible(False)
    panels[2].legend(frameon=False)
    panels[1].set_ylim(best - 0.1, best + 0.01)  # below are the first sweeps only
    figure.suptitle(f"Yale faces {shape[0]} x {shape[1]}, K = {options.components}")
    figure.savefig(options.out / f"{name}.png", dpi=120)
    plt.close(figure)


def standard_errors(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the means over the first axis; NaN for a single row."""
    if len(rows) == 1:
        return np.full(rows.shape[1], np.nan)
    return rows.std(axis=0, ddof=1) / np.sqrt(len(rows))


def add_arguments(add: Callable[..., Any]) -> None:
    """Arguments of the part here."""
    add("--shrink", type=int, default=1, help="side of the blocks of pixels that are averaged")
    add("--held-out", type=int, default=500, help="faces held out")
    add("--components", type=int, default=16, help="components of the faces")
    add("--sweeps", type=int, default=150, help="sweeps over the faces")
    add("--face-seeds", type=int, default=1, help="starts of each method on the faces")
    add("--every", type=int, default=3, help="sweeps between scores of held-out faces")


PARTS = {"yale": yale}
