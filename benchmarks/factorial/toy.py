"""Toy data of the factorial mixture: a table over seeds, and the paper's figure 4."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.utils import Bunch

from topictemper._core._workers import Workers
from topictemper._utils._typing import Floats
from topictemper.datasets import make_shapes
from topictemper.factorial import FactorialMixture
from topictemper.factorial.fmm._config import Config, config_of
from topictemper.factorial.fmm._images import Images
from topictemper.factorial.fmm._training import ascend_from
from topictemper.factorial.fmm._updates import Components, update_assignments
from topictemper.plotting import ComponentsDisplay
from topictemper.plotting._components import matched
from topictemper.tempering import Annealing, GlobalTempering

from .._common.pairs import with_error

SWEEPS, FINAL = 400, 100
Outcome = tuple[float, Floats]
RECOVERED = 0.1  # largest distance to a true component, over its length


def methods(t_max: float) -> dict[str, dict[str, Any]]:
    """Parameters of what is compared; all have 400 sweeps, and the defaults temper 340 of them."""

    def avi(schedule: str, length: int) -> dict[str, Any]:
        annealing = Annealing(schedule=schedule, max_temperature=t_max, length=length)
        return {"tempering": annealing, "final_sweeps": FINAL}

    paper = GlobalTempering(max_temperature=t_max, inertia=0)
    return {
        "VI": {"tempering": None},
        "AVI, linear, 10": avi("linear", 10),
        "AVI, linear, 100": avi("linear", 100),
        "AVI, linear, 300": avi("linear", 300),
        "AVI, exponential, 300": avi("exponential", 300),
        "AVI, the default": {"tempering": "avi"},
        "VT, as in the paper": {"tempering": paper, "final_sweeps": FINAL},
        "VT, the default": {"tempering": "vt"},
        "LVT, the default": {"tempering": "lvt"},
    }


def model(noise_var: float, prior_var: float, seed: int, jobs: int, **how: Any) -> FactorialMixture:
    """An estimator of 400 sweeps."""
    return FactorialMixture(
        8, noise_var=noise_var, prior_var=prior_var, max_iter=SWEEPS, tol=0, random_state=seed,
        n_jobs=jobs, **how,
    )  # fmt: skip


def outcome(shapes: Bunch, *args: Any, **how: Any) -> Outcome:
    """ELBO of all images and components of one fit."""
    fitted = model(*args, **how).fit(shapes.data)
    return len(shapes.data) * fitted.elbo_, fitted.components_


def cold_config(shapes: Bunch, noise_var: float, prior_var: float) -> Config:
    """Configuration of plain inference."""
    cold = model(noise_var, prior_var, 0, 1, tempering=None)
    return config_of(cold.get_params(deep=False), Images(shapes.data))


def cold_ascent(shapes: Bunch, config: Config, nu: Floats) -> Outcome:
    """ELBO of all images and components of plain inference from a given nu."""
    with Workers() as workers:
        run = ascend_from(Images(shapes.data), config, nu, workers)
    return run.elbo, run.components.m


def nu_first(shapes: Bunch, config: Config, seed: int) -> Outcome:
    """Plain inference that begins with q(Z), from components drawn from their prior."""
    rng, prior = np.random.default_rng(seed), config.prior
    shape = (8, shapes.data.shape[1])
    drawn = Components(
        rng.normal(scale=np.sqrt(prior.prior_var), size=shape), np.full(shape, prior.prior_var)
    )
    n = len(shapes.data)
    with Workers() as workers:
        first = update_assignments(
            Images(shapes.data), prior, drawn, np.full((8, n), 0.3), np.ones(n), workers
        )
    return cold_ascent(shapes, config, first.nu)


def compare(
    options: Namespace, kind: str, n: int, noise_var: float, prior_var: float, t_max: float
) -> None:
    """Print the table of one setting."""
    seeds = range(options.seeds)
    names = [*methods(t_max), "VI, nu first"]
    gaps: dict[str, list[float]] = {name: [] for name in names}
    found: dict[str, list[int]] = {name: [] for name in names}
    seconds = dict.fromkeys(names, 0.0)
    for seed in seeds:
        shapes = make_shapes(n, kind, noise_var=noise_var, random_state=options.first_seed + seed)
        config = cold_config(shapes, noise_var, prior_var)
        best = cold_ascent(shapes, config, shapes.assignments.T.astype(float))[0]

        fits: dict[str, Callable[[], Any]] = {
            name: partial(outcome, shapes, noise_var, prior_var, seed, options.jobs, **how)
            for name, how in methods(t_max).items()
        }
        fits["VI, nu first"] = partial(nu_first, shapes, config, seed)
        for name, fit in fits.items():
            began = time.process_time()
            elbo, m = fit()
            seconds[name] += time.process_time() - began
            gaps[name].append((elbo - best) / n)
            found[name].append(int((matched(m, shapes.components)[2] < RECOVERED).sum()))
    print(
        f"\n## {kind}: N = {n:,}, noise variance {noise_var}, prior variance {prior_var}, "
        f"T0 = {t_max:g}, {SWEEPS} sweeps\n"
    )
    print("ELBO an image less that of the ascent from the truth; differences are paired by seed.\n")
    print(
        "| method | mean | sd | median | best | recovered of 8 | all 8 | less VI "
        "| less AVI, linear, 300 | seeds | CPU s |"
    )
    print("|---" * 11 + "|")
    for name in names:
        gap = np.array(gaps[name])
        paired = " | ".join(
            with_error(np.subtract(gap, gaps[other]), 3) for other in ("VI", "AVI, linear, 300")
        )
        print(
            f"| {name} | {gap.mean():.3f} | {gap.std():.3f} | {np.median(gap):.3f} "
            f"| {gap.max():.3f} | {np.mean(found[name]):.2f} "
            f"| {np.mean(np.array(found[name]) == 8):.0%} | {paired} | {len(gap)} "
            f"| {seconds[name] / len(gap):.1f} |",
            flush=True,
        )


def toy(options: Namespace) -> None:
    """The paper's toy, its sigmas taken for variances (its supplement C writes them so)."""
    for kind in options.kinds:
        compare(options, kind, options.images, 0.1, 0.35, 10.0)


def toy_sd(options: Namespace) -> None:
    """The same with its sigmas taken for standard deviations: little noise, a high critical T."""
    for kind in options.kinds:
        compare(options, kind, options.few_images, 0.01, 0.1225, 100.0)


def figure4(options: Namespace) -> None:
    """Tempered ELBO over sweeps, components of VI and VT: the first data on which VI fails."""
    shown = ("VI", "AVI, linear, 10", "AVI, linear, 100", "VT, the default")
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        shapes = make_shapes(options.images, options.kinds[0], random_state=seed)
        fits = {
            name: model(0.1, 0.35, seed, options.jobs, **methods(10.0)[name]).fit(shapes.data)
            for name in shown
        }
        errors = matched(fits["VI"].components_, shapes.components)[2]
        if (errors >= RECOVERED).any():
            break
    else:
        raise SystemExit("figure4: VI finds all components; more --seeds are needed")
    figure = plt.figure(figsize=(12, 4.2), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(5, 6))
    ax = left.subplots()
    for name, color in zip(shown, ("0.2", "#92c5de", "#4393c3", "#d6604d"), strict=True):
        ax.plot(fits[name].elbo_history_["elbo"], color=color, label=name)
    top = max(fits[name].elbo_ for name in shown)
    ax.set_ylim(top - 4, top + 0.2)
    ax.set_xlabel("sweeps")
    ax.set_ylabel("tempered ELBO, nats an image")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower right")
    for panel, name in zip(right.subplots(2, 1), (shown[0], shown[-1]), strict=True):
        ComponentsDisplay.from_estimator(fits[name], truth=shapes.components, ax=panel)
        panel.set_title(f"{name}, relative errors below", fontsize=10)
    figure.suptitle(
        f"{options.kinds[0]}, N = {len(shapes.data):,}, seed {seed}: "
        "the first on which VI misses any"
    )
    figure.savefig(options.out / "figure4.png", dpi=120)
    plt.close(figure)
    for name in shown:
        errors = matched(fits[name].components_, shapes.components)[2]
        print(
            f"figure 4, seed {seed}: {name}: ELBO {fits[name].elbo_:.3f}, "
            f"{(errors < RECOVERED).sum()} of 8 recovered"
        )


def add_arguments(add: Callable[..., Any]) -> None:
    """Arguments of the parts here."""
    add("--images", type=int, default=10_000, help="images of the toy")
    add("--few-images", type=int, default=2_000, help="images of toy-sd")
    add("--kinds", nargs="+", choices=("quads", "hand"), default=["quads", "hand"], help="shapes")
    add("--first-seed", type=int, default=0, help="seed of the first data")


PARTS = {"toy": toy, "toy-sd": toy_sd, "figure4": figure4}
