"""A sigmoid belief network of binarized MNIST, beside table 1 of Lücke, Dai, Exarchakis (2018).

    python -m benchmarks.factorial.mnist --data DATA --work WORK
    python -m benchmarks.factorial.mnist --data DATA --work WORK --test test --test-marginal both

As in the paper's data, 50,000 of the training images are learned from and 10,000 are held back;
settings are compared on these. `--test test` measures the test images, once all is chosen. Runs
resume: WORK has a checkpoint and a log for each setting, and `--epochs` may be raised later.

DATA has mnist/mnist.npz ("train" and "test", gray values up to 255). Images are binarized by
drawing every pixel once with a fixed seed; the paper's own binary set was not at hand.
"""

from __future__ import annotations

import os
import pickle
import time
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from topictemper._core._workers import Workers
from topictemper._utils._typing import Floats
from topictemper.factorial import SigmoidBeliefNetwork
from topictemper.factorial.truncated._belief_network import _best_start, _Training
from topictemper.factorial.truncated._config import belief_network_config, inference_of
from topictemper.factorial.truncated._inference import infer_units

from .._common.corpora import machine, parser

PAPER = {100: -121.91, 200: -111.23}
N_LEARNED = 50_000


def digits(data: Path, part: str) -> Floats:
    """Binary images of a part, a row each."""
    images = np.load(data / "mnist" / "mnist.npz")
    rng = np.random.default_rng(0)
    for name in ("train", "test"):
        binary = rng.random(images[name].shape) * 255 < images[name]
        if name == part:
            break
    return binary.reshape(len(binary), -1).astype(np.float64)


@dataclass
class Run:
    """A network in training, with what it has cost."""

    training: _Training
    seconds: float = 0.0

    @property
    def epoch(self) -> int:
        """Epochs that are done."""
        return len(self.training.history.rows)


def model_of(options: Namespace) -> SigmoidBeliefNetwork:
    """The estimator with the settings that were asked for."""
    return SigmoidBeliefNetwork(
        options.components,
        n_states=options.states,
        n_prior_samples=10,
        n_marginal_samples=20,
        marginal=options.marginal,
        mlp_hidden=None if options.marginal == "truncated" else 500,
        learning_rate=options.rate,
        batch_size=options.batch,
        n_gradient_steps=options.steps,
        n_init=options.starts,
        bias_init=-2.0,
        pi_init=0.1,
        max_iter=options.epochs,
        random_state=options.seed,
    )


def name_of(options: Namespace) -> str:
    """Settings that a checkpoint belongs to."""
    starts = "" if options.starts == 1 else f"-n{options.starts}"
    return (
        f"mnist-{options.digits}-{options.components}-{options.marginal}-s{options.states}-b{options.batch}"
        f"x{options.steps}-r{options.rate:g}-h{options.halving}{starts}-seed{options.seed}"
    )


def start(options: Namespace, Y: Floats, workers: Workers) -> Run:
    """A new run, or the one of the checkpoint."""
    checkpoint = options.work / f"{name_of(options)}.pickle"
    if checkpoint.exists():
        run: Run = pickle.loads(checkpoint.read_bytes())
        run.training.workers, run.training.Y = workers, Y[run.training.sets.keys.astype(np.int64)]
        return run
    config = belief_network_config(model_of(options).get_params(), Y)
    if options.starts == 1:
        return Run(_Training(config, Y, workers))
    began = time.process_time()  # of several, the best after a fifth of the epochs goes on
    return Run(_best_start(config, Y, workers), time.process_time() - began)


def keep(options: Namespace, run: Run) -> None:
    """Replace the checkpoint, without the data."""
    training, path = run.training, options.work / f"{name_of(options)}.pickle"
    workers, Y = training.workers, training.Y
    del training.workers, training.Y
    part = path.with_suffix(".part")
    part.write_bytes(pickle.dumps(run))
    part.replace(path)
    training.workers, training.Y = workers, Y


def free_energy(options: Namespace, run: Run, Y: Floats, n_iter: int, marginal: str) -> Floats:
    """Of new images, in nats an image."""
    network = run.training.network
    parameters = model_of(options).get_params()
    inference = inference_of({**parameters, "n_inference_iter": n_iter, "marginal": marginal})
    guesses = None if network is None or marginal == "truncated" else network.marginals
    with Workers(options.jobs) as workers:
        return infer_units(run.training._joint(), Y, inference, workers, guesses)[0]


def learn(options: Namespace) -> None:
    """Epochs that are missing, with the free energy of held-back images on the way."""
    images = digits(options.data, "train")
    Y, held = images[: options.digits], images[N_LEARNED : N_LEARNED + options.held]
    log = options.work / f"{name_of(options)}.csv"
    print("epoch,seconds,ELBO of training images,ELBO of held-back images,active units")
    with Workers(options.jobs) as workers:
        run = start(options, Y, workers)
        while run.epoch < options.epochs:
            began = time.process_time()
            if options.halving:
                run.training.adam.learning_rate = options.rate * 0.5 ** (
                    run.epoch / options.halving
                )
            run.training.iterate(run.epoch)
            run.seconds += time.process_time() - began
            line = f"{run.epoch},{run.seconds:.0f},{run.training.history.last:.3f},"
            if run.epoch % options.every == 0 or run.epoch == options.epochs:
                line += f"{free_energy(options, run, held, 50, options.marginal).mean():.3f}"
                keep(options, run)
            line += f",{run.training.pi.sum():.2f}"
            with log.open("a") as file:
                file.write(line + "\n")
            print(line, flush=True)


def test(options: Namespace) -> None:
    """The free energy of the test images under the network of the checkpoint."""
    with Workers(1) as workers:
        run = start(options, digits(options.data, "train")[: options.digits], workers)
    if options.test == "test":
        Y = digits(options.data, "test")
    else:
        Y = digits(options.data, "train")[N_LEARNED:][: options.held]
    marginal = options.test_marginal or options.marginal
    values = free_energy(options, run, Y, options.test_steps, marginal)
    error = values.std() / np.sqrt(len(values))
    print(
        f"H = {options.components}, {options.marginal}, seed {options.seed}: {run.epoch} epochs in "
        f"{run.seconds / 3600:.2f} hours of processor time, F of training "
        f"{run.training.history.last:.2f}, F of {len(values)} {options.test} images after "
        f"{options.test_steps} E-steps ({marginal}) {values.mean():.2f} +- {error:.2f} over "
        f"images; paper {PAPER.get(options.components, '')}"
    )


def main() -> None:
    """Learn, or test."""
    arguments = parser(__doc__, data="needed", seeds=None)
    add = arguments.add_argument
    add("--work", type=Path, default=Path("factorial-results"), help="folder of checkpoints")
    add("--digits", type=int, default=N_LEARNED, help="to learn from")
    add("--components", type=int, default=200, help="H")
    add("--marginal", choices=("truncated", "mlp", "both"), default="mlp", help="approximation")
    add("--states", type=int, default=50, help="S")
    add("--epochs", type=int, default=35, help="in all")
    add("--batch", type=int, default=250, help="digits of a batch")
    add("--steps", type=int, default=1, help="gradient steps of an M-step")
    add("--rate", type=float, default=0.005, help="learning rate")
    add("--starts", type=int, default=1, help="networks to begin with")
    add("--halving", type=int, default=20, help="epochs in which the rate halves; 0: never")
    add("--seed", type=int, default=0, help="of the network")
    add("--every", type=int, default=5, help="epochs between measurements")
    add("--held", type=int, default=2000, help="held-back images to measure")
    add("--test", choices=("test", "held"), help="measure the test images, or held-back ones")
    add("--test-steps", type=int, default=200, help="their E-steps")
    add("--test-marginal", choices=("truncated", "mlp", "both"), help="their approximation")
    options = arguments.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    print(machine(options.jobs))
    (test if options.test else learn)(options)


if __name__ == "__main__":
    main()
