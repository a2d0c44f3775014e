"""Truncated variational sampling: the paper's experiments, and the speed of an E-step.

Lücke, Dai, Exarchakis (2018), "Truncated Variational Sampling for 'Black Box' Optimization of
Generative Models": bars (figures 1 and 3), natural image patches (figure 2), MNIST (table 1).

    python -m benchmarks.factorial.truncated --parts bars sbn-bars natural mnist speed \
        --data DATA --out OUT

DATA has natural/natural.npz (an array "vanhateren", linear intensities) and mnist/mnist.npz
("train" and "test", grey values up to 255). Pictures and fitted parameters go to OUT.
"""

from __future__ import annotations

import os
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from topictemper._core._workers import Workers
from topictemper.datasets import make_bars
from topictemper.factorial import BinarySparseCoding, SigmoidBeliefNetwork
from topictemper.factorial.truncated._belief_network import BernoulliJoint
from topictemper.factorial.truncated._e_step import (
    Samples,
    StateSets,
    UnitPrior,
    exact_log_likelihood,
)
from topictemper.factorial.truncated._sparse_coding import GaussianJoint

from .._common.corpora import machine, parser
from .numpy_tvs import NumpyStates

mpl.use("Agg")
import matplotlib.pyplot as plt

Floats = NDArray[np.float64]

# Truths of the data of `make_bars`.
SIGMA, PI, BIAS = 2.0, 0.2, -4.0
PATCH = 16
# The cut-off of Olshausen and Field's filter, 200 cycles in 512 pixels.
CUT_OFF = 200 / 512
PAPER_MNIST = {100: -121.91, 200: -111.23}


def bars(options: Namespace) -> None:
    """Binary sparse coding on linear bars (figure 1): 200 iterations, S = 64, 32 + 32 samples."""
    print(f"\n## BSC on bars: N = {options.bars}, H = 10, D = 25\n")
    print("| seed | largest column error | sigma | pi H | F | exact LL | LL of truth | least dF |")
    print("|---|---|---|---|---|---|---|---|")
    passed = 0
    for seed in range(options.bars_seeds):
        data = make_bars(options.bars, random_state=seed)
        model = BinarySparseCoding(10, random_state=seed, n_jobs=options.jobs).fit(data.data)
        distances = np.linalg.norm(model.components_[:, None] - data.components, axis=2)
        distances /= np.linalg.norm(data.components, axis=1)
        error = distances[linear_sum_assignment(distances)].max()
        exact = model.exact_log_likelihood(data.data)
        truth = exact_log_likelihood(GaussianJoint(data.components, SIGMA**2, PI), data.data).mean()
        history = model.elbo_history_["elbo"][model.elbo_history_["temperature"] == 1]
        gap = exact - history[-1]
        passed += (
            error < 0.03
            and abs(model.sigma_ - SIGMA) < 0.05
            and abs(10 * model.pi_ - 10 * PI) < 0.05
            and 0 <= gap < 0.35
            and abs(exact - truth) < 0.05
        )
        print(
            f"| {seed} | {error:.4f} | {model.sigma_:.4f} | {10 * model.pi_:.4f} "
            f"| {history[-1]:.4f} | {exact:.4f} | {truth:.4f} | {np.diff(history).min():.1e} |",
            flush=True,
        )
    print(f"\nacceptance figures reached: {passed} of {options.bars_seeds}")


def sbn_bars(options: Namespace) -> None:
    """Sigmoid belief network on bars (figure 3): N = 2,000, S = 50, 5 + 5 samples."""
    print(
        f"\n## SBN on bars: N = 2,000, H = 10, D = 25, 250 iterations, the best of "
        f"{options.sbn_starts} starts\n"
    )
    print("| marginals | seed | bars of 10 | F | exact LL | LL of truth | least dF |")
    print("|---|---|---|---|---|---|---|")
    for marginal in ("truncated", "mlp"):
        rows = []
        for seed in range(options.sbn_first, options.sbn_first + options.sbn_seeds):
            data = make_bars(2000, kind="sigmoid", random_state=seed)
            model = SigmoidBeliefNetwork(
                10,
                marginal=marginal,
                n_init=options.sbn_starts,
                random_state=seed,
                n_jobs=options.jobs,
            ).fit(data.data)
            likeness = np.corrcoef(model.components_, data.components)[:10, 10:]
            found = int((likeness[linear_sum_assignment(-likeness)] > 0.8).sum())
            weights = np.vstack([data.components, np.full(25, BIAS)])
            truth = BernoulliJoint(weights, np.full(10, PI))
            history = model.elbo_history_["elbo"]
            rows.append(
                (
                    found,
                    history[-1],
                    model.exact_log_likelihood(data.data),
                    exact_log_likelihood(truth, data.data).mean(),
                    np.diff(history).min(),
                )
            )
            print(
                f"| {marginal} | {seed} | {found} | {rows[-1][1]:.4f} | {rows[-1][2]:.4f} "
                f"| {rows[-1][3]:.4f} | {rows[-1][4]:.1e} |",
                flush=True,
            )
        table = np.array(rows)
        means = table.mean(axis=0)
        print(
            f"\n{marginal}: all bars on {int((table[:, 0] == 10).sum())} of {len(table)} seeds; "
            f"mean F {means[1]:.4f}, exact LL {means[2]:.4f}, truth {means[3]:.4f}, "
            f"LL - F {means[2] - means[1]:.4f}\n"
        )


def whitened_patches(data: Path, n_patches: int) -> Floats:
    """Patches of the logarithm of one van Hateren image, whitened as by Olshausen and Field.

    The spectrum of the whole image is multiplied by ``f exp(-(f / f0)^4)``, and the result is
    divided by its standard deviation; patches lie anywhere and overlap.
    """
    image = np.log(np.load(data / "natural" / "natural.npz")["vanhateren"].astype(np.float64))
    rows, columns = (np.fft.fftfreq(n) for n in image.shape)
    frequency = np.hypot(rows[:, None], columns)
    spectrum = np.fft.fft2(image - image.mean()) * frequency * np.exp(-((frequency / CUT_OFF) ** 4))
    image = np.fft.ifft2(spectrum).real
    image /= image.std()
    windows = np.lib.stride_tricks.sliding_window_view(image, (PATCH, PATCH))
    rng = np.random.default_rng(0)
    at = [rng.integers(0, n, n_patches) for n in windows.shape[:2]]
    return windows[tuple(at)].reshape(n_patches, -1)


def natural(options: Namespace) -> None:
    """Binary sparse coding of natural image patches (figure 2): H = 300, S = 200, 200 samples."""
    patches = whitened_patches(options.data, options.patches)
    # The paper adjusts its samplers between iterations 100 and 200 of 2,000: the same shares here.
    n_iter = options.iterations
    adjustment = (n_iter // 20, n_iter // 10)
    model = BinarySparseCoding(
        300,
        tempering=None,
        n_states=200,
        n_prior_samples=0,
        n_marginal_samples=200,
        sampler_schedule=adjustment,
        max_iter=n_iter,
        random_state=0,
        n_jobs=options.jobs,
    )
    print(f"\n## BSC on natural patches: N = {len(patches)}, D = {PATCH**2}, H = 300, S = 200\n")
    start = time.perf_counter()
    model.fit(patches)
    taken = time.perf_counter() - start
    history = model.elbo_history_["elbo"]
    print(
        f"{n_iter} iterations, samplers adjusted from {adjustment[0]} to {adjustment[1]}: "
        f"{taken:.0f} s with {options.jobs} threads, {taken / n_iter:.2f} s an iteration; "
        f"2,000 would take {taken / n_iter * 2000 / 3600:.1f} h\n"
        f"F {history[0]:.2f} to {history[-1]:.2f} nats a patch, least dF "
        f"{np.diff(history).min():.1e}; sigma {model.sigma_:.4f}, pi H {300 * model.pi_:.2f}"
    )
    options.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        options.out / "natural.npz",
        components=model.components_,
        elbo=history,
        sigma=model.sigma_history_,
        pi=model.pi_history_,
    )
    figure, (left, *curves) = plt.subplots(
        1, 4, figsize=(20, 5), width_ratios=(2, 1, 1, 1), layout="constrained"
    )
    left.imshow(mosaic(model.components_, PATCH, PATCH, 20), cmap="gray", vmin=-1, vmax=1)
    left.set(title="components, each scaled by its largest value", xticks=[], yticks=[])
    for axes, values, title in zip(
        curves,
        (history, model.sigma_history_, 300 * model.pi_history_),
        ("free energy (nats a patch)", "sigma", "pi H"),
        strict=True,
    ):
        axes.plot(np.arange(1, n_iter + 1), values)
        axes.set(title=title, xlabel="iteration")
    save(figure, options.out / "natural.png")


def mnist(options: Namespace) -> None:
    """Sigmoid belief network on binarised MNIST (table 1): S = 50, 10 + 20 samples, an MLP."""
    images = np.load(options.data / "mnist" / "mnist.npz")
    # Stochastic binarisation with a fixed seed; the paper's own binary set was not at hand.
    rng = np.random.default_rng(0)
    train, test = (
        (rng.random(images[part].shape) * 255 < images[part]).reshape(len(images[part]), -1)
        for part in ("train", "test")
    )
    train = train[: options.digits].astype(np.float64)
    test = test[: options.test_digits].astype(np.float64)
    print(f"\n## SBN on MNIST: {len(train)} digits, {len(test)} for the test\n")
    print("| H | epochs | F of training, last epoch | F of test, 50 E-steps | paper | hours |")
    print("|---|---|---|---|---|---|")
    for n_components in options.mnist_components:
        model = SigmoidBeliefNetwork(
            n_components,
            n_prior_samples=10,
            n_marginal_samples=20,
            marginal="mlp",
            mlp_hidden=500,
            learning_rate=options.rate,
            batch_size=options.batch,
            n_gradient_steps=options.steps,
            bias_init=-2.0,
            pi_init=0.1,
            max_iter=options.epochs,
            random_state=0,
            n_jobs=options.jobs,
        )
        start = time.perf_counter()
        model.fit(train)
        hours = (time.perf_counter() - start) / 3600
        print(
            f"| {n_components} | {options.epochs} | {model.elbo_history_['elbo'][-1]:.2f} "
            f"| {model.elbo(test, 50):.2f} "
            f"| {PAPER_MNIST.get(n_components, '')} | {hours:.2f} |",
            flush=True,
        )
        options.out.mkdir(parents=True, exist_ok=True)
        figure, (left, right) = plt.subplots(
            1, 2, figsize=(14, 6), width_ratios=(2, 1), layout="constrained"
        )
        left.imshow(mosaic(model.components_, 28, 28, 20), cmap="gray", vmin=-1, vmax=1)
        left.set(title=f"SBN, H = {n_components}", xticks=[], yticks=[])
        right.plot(np.arange(1, options.epochs + 1), model.elbo_history_["elbo"])
        right.set(title="free energy of training data (nats a digit)", xlabel="epoch")
        save(figure, options.out / f"mnist-{n_components}.png")


def speed(options: Namespace) -> None:
    """One E-step at H = 100, S = 64, beside the same update in vectorised numpy."""
    n_data, n_units, n_features, samples = 1000, 100, 256, Samples(32, 32)
    rng = np.random.default_rng(0)
    print(f"\n## E-step: N = {n_data}, H = {n_units}, D = {n_features}, S = 64, 32 + 32 samples\n")
    print("| model | kernel, us a datum | numpy, us a datum | ratio | at least | F of both |")
    print("|---|---|---|---|---|---|")
    W = rng.normal(size=(n_units, n_features))
    states = (rng.random((n_data, n_units)) < 0.05).astype(np.float64)
    gaussian = GaussianJoint(W, 1.0, 0.05)
    weights = np.vstack([0.5 * W, np.full(n_features, -2.0)])
    bernoulli = BernoulliJoint(weights, np.full(n_units, 0.05))
    clear = states @ weights[:-1] + weights[-1]
    cases: dict[str, tuple[Any, Floats]] = {
        "BSC": (gaussian, states @ W + rng.normal(size=(n_data, n_features))),
        "SBN": (bernoulli, (rng.random(clear.shape) < 1 / (1 + np.exp(-clear))).astype(float)),
    }
    for name, (joint, Y) in cases.items():
        keys = np.arange(n_data, dtype=np.uint64)
        with Workers(options.jobs) as workers:
            sets = StateSets(keys, 64, UnitPrior(np.full(n_units, 0.05)), 0, workers)
            theirs = NumpyStates(joint, Y, sets.states, rng)
            times: list[list[float]] = [[], []]
            for iteration in range(options.rounds):
                start = time.perf_counter()
                ours = sets.update(slice(None), joint, Y, iteration, samples, workers)
                times[0].append(time.perf_counter() - start)
                start = time.perf_counter()
                free_energy = theirs.update(samples)
                times[1].append(time.perf_counter() - start)
        taken = np.array(times) / n_data * 1e6
        print(
            f"| {name} | {np.median(taken[0]):.1f} | {np.median(taken[1]):.0f} "
            f"| {np.median(taken[1] / taken[0]):.0f}x | 20x "
            f"| {ours.elbo.mean():.2f}, {free_energy.mean():.2f} |",
            flush=True,
        )


def mosaic(components: Floats, height: int, width: int, columns: int) -> Floats:
    """Images side by side, those with the largest norms first, each scaled to [-1, 1]."""
    order = np.argsort(-np.linalg.norm(components, axis=1))
    rows = -(-len(components) // columns)
    canvas = np.full((rows * (height + 1) + 1, columns * (width + 1) + 1), 1.0)
    for i, component in enumerate(components[order]):
        top, left = i // columns * (height + 1) + 1, i % columns * (width + 1) + 1
        scaled = component / (np.abs(component).max() or 1.0)
        canvas[top : top + height, left : left + width] = scaled.reshape(height, width)
    return canvas


def save(figure: Any, path: Path) -> None:
    """Write a picture and say so."""
    figure.savefig(path, dpi=90)
    plt.close(figure)
    print(f"written: {path.name}", flush=True)


PARTS = {"bars": bars, "sbn-bars": sbn_bars, "natural": natural, "mnist": mnist, "speed": speed}


def main() -> None:
    """Run the parts that were asked for."""
    arguments = parser(__doc__.splitlines()[0])
    add = arguments.add_argument
    add("--parts", nargs="+", choices=PARTS, default=["bars", "sbn-bars", "speed"])
    add("--out", type=Path, default=Path("factorial-results"), help="folder for pictures")
    add("--bars", type=int, default=10_000, help="images of linear bars")
    add("--bars-seeds", type=int, default=4, help="runs on linear bars")
    add("--sbn-seeds", type=int, default=8, help="runs on sigmoid bars")
    add("--sbn-first", type=int, default=0, help="the first seed of them")
    add("--sbn-starts", type=int, default=6, help="starts of each run on sigmoid bars")
    add("--patches", type=int, default=100_000, help="natural patches")
    add("--iterations", type=int, default=100, help="on natural patches; 2,000 in the paper")
    add("--digits", type=int, default=60_000, help="MNIST digits to learn from")
    add("--test-digits", type=int, default=10_000, help="MNIST digits to test on")
    add("--mnist-components", type=int, nargs="+", default=[100, 200], help="H on MNIST")
    add("--epochs", type=int, default=100, help="on MNIST")
    add("--batch", type=int, default=500, help="digits of a batch")
    add("--steps", type=int, default=1, help="gradient steps of an M-step on MNIST")
    add("--rate", type=float, default=0.01, help="learning rate on MNIST")
    add("--rounds", type=int, default=7, help="measurements of speed")
    options = arguments.parse_args()
    needed = {"natural", "mnist"}.intersection(options.parts)
    if needed and options.data is None:
        arguments.error(f"--data is needed for {', '.join(sorted(needed))}")
    print(machine(options.jobs))
    for part in options.parts:
        PARTS[part](options)


if __name__ == "__main__":
    main()
