"""Binary sparse coding of natural image patches: figure 2 of Lücke, Dai, Exarchakis (2018).

    python -m benchmarks.factorial.natural --data DATA --work WORK

As in the paper: 100,000 patches of 16 x 16 pixels, 2,000 iterations, 200 samples, which change from
the prior to the marginals between iterations 100 and 200. Its text gives neither the number of
components nor that of states: here H = 300 and S = 200. A run resumes: WORK has a checkpoint and a
log. `--picture FILE` draws what the checkpoint has learned. `--speed 5` times the next iteration
five times, or the first one if there is no checkpoint, and keeps nothing.

DATA has natural/natural.npz (an array "vanhateren", linear intensities).
"""

from __future__ import annotations

import os
import time
from argparse import Namespace
from pathlib import Path
from typing import Any
from unittest.mock import patch

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import matplotlib as mpl
import numpy as np

from topictemper._core._workers import Workers
from topictemper.factorial import BinarySparseCoding
from topictemper.factorial.truncated._config import sparse_coding_config
from topictemper.factorial.truncated._e_step import EStep
from topictemper.factorial.truncated._sparse_coding import GaussianJoint, _Training

from .._common.corpora import machine, parser

mpl.use("Agg")
import matplotlib.pyplot as plt

from topictemper._utils._typing import Floats

PATCH, UNITS = 16, 300
# The cut-off of Olshausen and Field's filter, 200 cycles in 512 pixels.
CUT_OFF = 200 / 512


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


def model_of(options: Namespace) -> BinarySparseCoding:
    """The estimator with the settings of the paper."""
    return BinarySparseCoding(
        UNITS,
        tempering=None,
        n_states=200,
        n_prior_samples=0,
        n_marginal_samples=200,
        sampler_schedule=(options.hold, 2 * options.hold),
        max_iter=options.iterations,
        dtype=options.dtype,
        random_state=options.seed,
    )


def start(options: Namespace, Y: Floats, workers: Workers) -> _Training:
    """A new run, or the one of the checkpoint."""
    config = sparse_coding_config(model_of(options).get_params(deep=False), Y)
    training = _Training(config, Y, workers)
    if (checkpoint := checkpoint_of(options)).exists():
        with np.load(checkpoint) as saved:
            training.joint = GaussianJoint(saved["W"], *saved["variance_pi"].tolist())
            training.course = [tuple(row) for row in saved["course"].tolist()]
            training.history.rows = [tuple(row) for row in saved["history"].tolist()]
            training.sets.states = saved["states"]
    return training


def keep(options: Namespace, training: _Training) -> None:
    """Replace the checkpoint."""
    joint, checkpoint = training.joint, checkpoint_of(options)
    part = checkpoint.with_suffix(".part.npz")
    np.savez(
        part,
        W=joint.W,
        variance_pi=np.array([joint.variance, joint.pi]),
        course=np.array(training.course),
        history=np.array(training.history.rows),
        states=training.sets.states,
    )
    part.replace(checkpoint)


def checkpoint_of(options: Namespace) -> Path:
    """Where the run is kept."""
    name = f"natural-{options.patches}-{options.dtype}-hold{options.hold}-seed{options.seed}.npz"
    path: Path = options.work / name
    return path


def learn(options: Namespace) -> None:
    """Iterations that are missing."""
    Y = whitened_patches(options.data, options.patches).astype(options.dtype)
    log = checkpoint_of(options).with_suffix(".csv")
    with Workers(options.jobs) as workers:
        training = start(options, Y, workers)
        for iteration in range(len(training.course), options.iterations):
            began = time.process_time()
            training.iterate(iteration)
            taken, (sigma, pi) = time.process_time() - began, training.course[-1]
            with log.open("a") as file:
                file.write(
                    f"{iteration + 1},{taken:.3f},{training.history.last:.4f},{sigma:.5f},"
                    f"{UNITS * pi:.4f}\n"
                )
            if (iteration + 1) % options.every == 0 or iteration + 1 == options.iterations:
                keep(options, training)


def speed(options: Namespace) -> None:
    """Time of E-step and M-step, in both precisions and with one and two threads, in turns."""
    Y = whitened_patches(options.data, options.patches)
    with Workers(2) as two:
        runs = {dtype: start(options, Y.astype(dtype), two) for dtype in ("float64", "float32")}
        states = runs["float64"].sets.states
        kept = states.copy()
        runs["float32"].sets.states = states
        taken: dict[tuple[str, int], list[Floats]] = {}
        for _ in range(options.speed):
            for dtype, training in runs.items():
                for workers in (Workers(1), two):
                    states[:] = kept
                    training.workers = workers
                    times = iteration_times(training)
                    taken.setdefault((dtype, workers.n_jobs), []).append(times / len(Y) * 1e6)
    print(
        f"\n{len(Y):,} patches, state after {len(runs['float64'].course)} iterations, "
        f"{options.speed} turns; microseconds a patch: median of elapsed time (least), median of "
        "processor time\n"
    )
    print("| precision | threads | E-step | M-step | both |")
    print("|---|---|---|---|---|")
    for (dtype, jobs), rounds in taken.items():
        elapsed, processor = np.median(rounds, axis=0).T
        least = np.min(rounds, axis=0)[:, 0]
        cells = [
            f"{middle:.2f} ({shortest:.2f}), {work:.2f}"
            for middle, shortest, work in zip(elapsed, least, processor, strict=True)
        ]
        print(f"| {dtype} | {jobs} | {' | '.join(cells)} |")


def iteration_times(training: _Training) -> Floats:
    """Elapsed and processor seconds of E-step, M-step and both; parameters stay as they were."""

    def now() -> Floats:
        return np.array([time.perf_counter(), time.process_time()])

    def timed_update(*arguments: Any, **options: Any) -> EStep:
        nonlocal e_step
        began = now()
        result = update(*arguments, **options)
        e_step += now() - began
        return result

    e_step, joint, update = np.zeros(2), training.joint, training.sets.update
    began = now()
    with patch.object(training.sets, "update", timed_update):
        training.iterate(len(training.course))
    both = now() - began
    training.joint = joint
    training.course.pop()
    training.history.rows.pop()
    return np.array([e_step, both - e_step, both])


def picture(options: Namespace) -> None:
    """Fields and curves, and what there is to say of them."""
    seconds = np.loadtxt(checkpoint_of(options).with_suffix(".csv"), delimiter=",")[:, 1]
    with np.load(checkpoint_of(options)) as saved:
        W, course, history = saved["W"], saved["course"], saved["history"][:, 2]
        _, pi = saved["variance_pi"]
        sizes = np.bitwise_count(saved["states"]).sum(axis=2, dtype=np.int64)
    n_iter = len(history)
    print(
        f"{n_iter} iterations, {seconds[:n_iter].sum() / 3600:.2f} hours of processor time, "
        f"{np.median(seconds[:n_iter]):.2f} s an iteration\n"
        f"F {history[0]:.2f} to {history[-1]:.2f} nats a patch, least dF "
        f"{np.diff(history).min():.1e}; sigma {course[-1, 0]:.4f}, pi H {UNITS * pi:.3f}; "
        f"units in the states kept: mean {sizes.mean():.2f}, at most {sizes.max()}"
    )
    figure, (left, *curves) = plt.subplots(
        1, 4, figsize=(15, 5), width_ratios=(2.2, 1, 1, 1), layout="constrained"
    )
    left.imshow(mosaic(W, PATCH, PATCH, 20), cmap="gray", vmin=-1, vmax=1)
    left.set(title="components, each scaled by its largest value", xticks=[], yticks=[])
    for axes, values, title in zip(
        curves,
        (history, course[:, 0], UNITS * course[:, 1]),
        ("free energy (nats a patch)", "sigma", "pi H"),
        strict=True,
    ):
        axes.plot(np.arange(1, n_iter + 1), values)
        axes.set(title=title, xlabel="iteration")
    figure.savefig(options.picture, dpi=72)


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


def main() -> None:
    """Learn, or draw."""
    arguments = parser(__doc__, data="none", seeds=None)
    add = arguments.add_argument
    add("--data", type=Path, help="folder of corpora; --picture needs none")
    add("--work", type=Path, default=Path("factorial-results"), help="folder of checkpoints")
    add("--patches", type=int, default=100_000, help="to learn from")
    add("--iterations", type=int, default=2000, help="in all")
    add("--hold", type=int, default=100, help="iterations with samples of the prior alone")
    add("--dtype", choices=("float32", "float64"), default="float32", help="of the patches")
    add("--seed", type=int, default=0, help="of the start")
    add("--every", type=int, default=100, help="iterations between checkpoints")
    add("--picture", type=Path, help="draw what the checkpoint has learned")
    add("--speed", type=int, help="turns of timing")
    options = arguments.parse_args()
    if options.data is None and not options.picture:
        arguments.error("--data is needed")
    if options.picture and not (checkpoint := checkpoint_of(options)).exists():
        arguments.error(f"--picture draws {checkpoint}, which is not there: learn first")
    options.work.mkdir(parents=True, exist_ok=True)
    print(machine(options.jobs))
    (picture if options.picture else speed if options.speed else learn)(options)


if __name__ == "__main__":
    main()
