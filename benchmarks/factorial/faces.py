"""Yale faces (figure 3 of the paper): held-out pixels and temperatures over sweeps.

    python -m benchmarks.factorial.fmm --parts yale --data DATA --face-seeds 4
    python -m benchmarks.factorial.fmm --parts yale-range --data DATA --shrink 8 --face-seeds 10

DATA/yaleb/yaleb.npz holds "images" (N, 192, 168), uint8. Pixels are standardised as a whole, as in
the paper; 500 images are held out (the paper's data had 2,000 in all). A random half of the pixels,
the same for all held-out images, gives q(Z), the other half is predicted. All methods have the same
starts and as many sweeps, and gains over plain inference are paired by start.

The paper gives neither the number of components, nor pi, nor the start of q(Z). "yale-range" varies
these, the noise and the pixels, one at a time. A noise variance of 0.5 / 64 at 24 x 21 pixels is
that of the full size: there 64 pixels, nearly the same, have a variance of 0.5 each.
"""

from __future__ import annotations

import csv
import time
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from topictemper._core._workers import Workers
from topictemper._utils._typing import Floats
from topictemper.factorial import FactorialMixture
from topictemper.factorial.fmm._config import config_of, critical_temperature
from topictemper.factorial.fmm._images import Images
from topictemper.factorial.fmm._inference import infer_assignments
from topictemper.factorial.fmm._prediction import density_of_pixels
from topictemper.factorial.fmm._training import Run, ascend_from
from topictemper.factorial.fmm._updates import Components
from topictemper.plotting import ComponentsDisplay
from topictemper.plotting._components import matched
from topictemper.tempering import Annealing, GlobalTempering

from .._common.pairs import with_error

Tempering = Annealing | str | None
METHODS: dict[str, tuple[Tempering, str]] = {
    "VI": (None, "0.2"),
    "AVI, 5": (Annealing(schedule="linear", max_temperature=6, length=5), "#92c5de"),
    "AVI, 50": (Annealing(schedule="linear", max_temperature=6, length=50), "#4393c3"),
    "VT, as in the paper": (GlobalTempering(max_temperature=10, inertia=0), "#f4a582"),
    "AVI, the default": ("avi", "#053061"),
    "VT, the default": ("vt", "#b2182b"),
}
#: Final sweeps at T = 1 of all methods, as a share of all sweeps.
FINAL = 1 / 3


@dataclass(frozen=True)
class Setting:
    """What "yale-range" varies: parameters of the model, pixels, start, and sweeps."""

    parameters: dict[str, Any] = field(default_factory=dict)
    pixels: str = "as a whole"
    start: str = "uniform"
    longer: int = 1


SETTINGS = {
    "as in the paper, K = 16": Setting(),
    "K = 4": Setting({"n_components": 4}),
    "K = 8": Setting({"n_components": 8}),
    "K = 32": Setting({"n_components": 32}),
    "pi = 0.1": Setting({"pi": 0.1}),
    "pi = 0.5": Setting({"pi": 0.5}),
    "noise variance 4": Setting({"noise_var": 4.0}),
    "noise variance 0.25": Setting({"noise_var": 0.25, "prior_var": 0.25}),
    "noise variance 0.05": Setting({"noise_var": 0.05}),
    "noise variance 0.5 / 64": Setting({"noise_var": 0.5 / 64, "prior_var": 0.5 / 64}),
    "the same, K = 32": Setting({"noise_var": 0.5 / 64, "prior_var": 0.5 / 64, "n_components": 32}),
    "each pixel centered": Setting(pixels="each pixel centered"),
    "not centered": Setting(pixels="not centered"),
    "each image standardised": Setting(pixels="each image standardised"),
    "start: bits": Setting(start="bits"),
    "start: nearly equal": Setting(start="nearly equal"),
    "4 times the sweeps": Setting(longer=4),
}


def faces(options: Namespace, how: str = "as a whole") -> tuple[Floats, Floats, tuple[int, int]]:
    """Training and held-out images, standardised, and the shape of one."""
    pixels = np.load(options.data / "yaleb" / "yaleb.npz")["images"]
    step = options.shrink
    n, height, width = pixels.shape
    shape = (height // step, width // step)
    blocks = pixels[:, : shape[0] * step, : shape[1] * step].reshape(
        n, shape[0], step, shape[1], step
    )
    X = blocks.mean(axis=(2, 4)).reshape(n, -1)
    if how == "each image standardised":
        X -= X.mean(axis=1, keepdims=True)
        X /= X.std(axis=1, keepdims=True)
    elif how == "each pixel centered":
        X -= X.mean(axis=0)
    elif how == "as a whole":
        X -= X.mean()
    X /= X.std()
    X = X[np.random.default_rng(0).permutation(n)]
    return X[options.held_out :], X[: options.held_out], shape


def first_assignments(start: str, random: np.random.RandomState, shape: Any) -> Any:
    """The start of q(Z), of shape (K, N)."""
    uniform = random.random_sample(shape)
    return {
        "uniform": uniform,
        "bits": (uniform < 0.3).astype(float),
        "nearly equal": 0.3 + 0.01 * (uniform - 0.5),
    }[start]


def followed(
    train: Floats,
    test: Floats,
    options: Namespace,
    seed: int,
    tempering: Tempering,
    setting: Setting = SETTINGS["as in the paper, K = 16"],
) -> tuple[Run, list[tuple[int, float, float | None]], float]:
    """A fit; ELBO after every sweep and, every few sweeps, held-out score; seconds of the fit."""
    sweeps = setting.longer * options.sweeps
    parameters = {"n_components": options.components, "noise_var": 0.5, "prior_var": 0.5}
    model = FactorialMixture(
        tempering=tempering,
        final_sweeps=None if tempering is None else round(FINAL * sweeps),
        max_iter=sweeps,
        tol=0.0,
        random_state=seed,
        **parameters | setting.parameters,
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
            if sweep % options.every == 0 or sweep == sweeps - 1:
                began = time.process_time()
                nu = infer_assignments(given, prior, components, workers).nu
                value = density_of_pixels(test, targets, nu, components, prior.noise_var)
                scoring += time.process_time() - began
            scores.append((sweep, elbo / len(train), value))

        began = time.process_time()
        nu = first_assignments(setting.start, config.random_state, (len(prior.pi), len(train)))
        run = ascend_from(images, config, nu, workers, after_sweep=score)
    return run, scores, time.process_time() - began - scoring


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
        "| method | ELBO an image | gain | nats a held-out pixel | gain | at the best sweep "
        "| E[T] first | before T = 1 | CPU s a sweep |"
    )
    print("|---" * 9 + "|")
    figure, panels = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    best = -np.inf
    plain = np.empty(0)
    first: dict[str, Floats] = {}
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
                file.flush()
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
                    first[method] = run.components.m
            results = np.array(rows)
            if tempering is None:
                plain = results
            means, gains = results.mean(axis=0), results - plain
            print(
                f"| {method} | {means[0]:,.1f} | {with_error(gains[:, 0], 1)} "
                f"| {means[1]:.4f} | {with_error(gains[:, 1], 4)} | {means[2]:.4f} "
                f"| {means[3]:,.2f} | {means[4]:.2f} | {means[5] / options.sweeps:.3f} |",
                flush=True,
            )
            last = means[0]
            low, high = panels[0].get_ylim() if method != "VI" else (last, last)
            panels[0].set_ylim(
                min(low, last - 0.05 * abs(last)), max(high, last + 0.01 * abs(last))
            )
    side_by_side(first, shape, f"Yale faces {shape[0]} x {shape[1]}, first start")
    plt.savefig(options.out / f"{name}-components.png", dpi=100)
    plt.close(plt.gcf())
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
    panels[2].set_yscale("log")
    panels[1].set_ylim(best - 0.1, best + 0.01)  # below are the first sweeps only
    figure.suptitle(f"Yale faces {shape[0]} x {shape[1]}, K = {options.components}")
    figure.savefig(options.out / f"{name}.png", dpi=120)
    plt.close(figure)


def side_by_side(found: dict[str, Floats], shape: tuple[int, int], title: str) -> None:
    """Draw a row of components for each method, in the order of those of the first one."""
    figure, panels = plt.subplots(
        len(found), 1, figsize=(13, 1.25 * len(found)), layout="constrained"
    )
    reference = next(iter(found.values()))
    for ax, (method, components) in zip(panels, found.items(), strict=True):
        ordered = components[matched(components, reference)[0]]
        ComponentsDisplay(ordered, shape).plot(ax, n_columns=len(ordered))
        ax.set_ylabel(method, rotation=0, ha="right", va="center")
    figure.suptitle(title)


def yale_range(options: Namespace) -> None:
    """Gains over plain inference, in nats an image and a held-out pixel, over settings."""
    seeds = range(options.first_seed, options.first_seed + options.face_seeds)
    options.every = 10**6  # scores of the last sweep only
    tempered = [method for method in METHODS if method != "VI"]
    heads = " | ".join(f"{method} | a held-out pixel" for method in tempered)
    _, _, shape = faces(options)
    print(f"\n## Yale faces of {shape[0]} x {shape[1]} pixels, {len(seeds)} starts\n")
    print(f"| setting | critical T | VI | {heads} |")
    print("|---" * (3 + 2 * len(tempered)) + "|")
    for name, setting in SETTINGS.items():
        train, test, _ = faces(options, setting.pixels)
        critical = critical_temperature(Images(train), setting.parameters.get("noise_var", 0.5))
        found = {}
        for method, (tempering, _) in METHODS.items():
            rows = []
            for seed in seeds:
                _, scores, _ = followed(train, test, options, seed, tempering, setting)
                rows.append(scores[-1][1:])
            found[method] = np.array(rows, dtype=float)
        plain = found.pop("VI")
        gains = " | ".join(
            f"{with_error((values - plain)[:, 0], 2)} | {with_error((values - plain)[:, 1], 4)}"
            for values in found.values()
        )
        print(f"| {name} | {critical:,.0f} | {plain[:, 0].mean():,.1f} | {gains} |", flush=True)


def add_arguments(add: Callable[..., Any]) -> None:
    """Arguments of the part here."""
    add("--shrink", type=int, default=1, help="side of the blocks of pixels that are averaged")
    add("--held-out", type=int, default=500, help="faces held out")
    add("--components", type=int, default=16, help="components of the faces")
    add("--sweeps", type=int, default=150, help="sweeps over the faces")
    add("--face-seeds", type=int, default=1, help="starts of each method on the faces")
    add("--every", type=int, default=3, help="sweeps between scores of held-out faces")


PARTS = {"yale": yale, "yale-range": yale_range}
