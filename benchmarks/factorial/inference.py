"""Inference of given images with fixed components: annealed, and plain as a comparison.

    python -m benchmarks.factorial.fmm --parts inference --data DATA --inference-seeds 3

A third of the images of `starts` are new; the model learns from the others. Gaps are the bound of a
new image less that of the best q(Z) known, in nats: the sum over all states, which no q(Z) exceeds,
for up to 12 components, and the best of 50 random starts for more. Errors are the mean distance of
a probability from that of all states. Half of the pixels are hidden for the predictive density, in
nats a hidden pixel. The last columns are the bound of the images of training, less that of the fit,
and the processor time of the annealed inference over that of the plain one.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from scipy.special import logsumexp

from topictemper._core._workers import Workers
from topictemper._utils._typing import Floats
from topictemper.factorial import FactorialMixture
from topictemper.factorial.fmm._images import Images
from topictemper.factorial.fmm._inference import infer_assignments
from topictemper.factorial.fmm._prediction import density_of_pixels
from topictemper.factorial.fmm._updates import Components, Part, Prior, components_bound, parts_of

from .._common.pairs import with_error
from .starts import cases

SWEEPS, STARTS, MOST_UNITS = 50, 50, 12


class Inference:
    """The ways to find q(Z) of images; each returns nu, of shape (K, N), and bounds."""

    def __init__(self, X: Floats, prior: Prior, components: Components, workers: Workers) -> None:
        self.images, self.prior, self.components = Images(X), prior, components
        self.workers = workers
        self.scale = prior.log_scale(self.images.observed)

    def annealed(self) -> tuple[Floats, Floats]:
        """As the package does."""
        found = infer_assignments(self.images, self.prior, self.components, self.workers)
        return found.nu, found.energies + found.entropies + self.scale

    def plain(self) -> tuple[Floats, Floats]:
        """Sweeps at T = 1 from pi."""
        return self._from(np.repeat(self.prior.pi[:, np.newaxis], len(self.scale), axis=1))

    def best_start(self) -> Floats:
        """Bounds of the best of several random starts."""
        random, shape = np.random.RandomState(0), (len(self.prior.pi), len(self.scale))
        return np.max([self._from(random.random_sample(shape))[1] for _ in range(STARTS)], axis=0)

    def all_states(self) -> tuple[Floats, Floats]:
        """The largest bound that any q(z_n) can have, and its probabilities."""
        part, prior = self._part(), self.prior
        states = np.array(list(product((0.0, 1.0), repeat=len(prior.pi))))
        gram = part.gram[0] - np.diag(np.diag(part.gram[0]))
        shared = states @ part.bias[0] - np.einsum(
            "sk,kl,sl->s", states, gram, states, optimize=True
        ) * (part.precision / 2)
        joint = shared[:, np.newaxis] + part.precision * states @ part.projections
        logs = logsumexp(joint, axis=0)
        return states.T @ np.exp(joint - logs), logs + part.constants + self.scale

    def _from(self, nu: Floats) -> tuple[Floats, Floats]:
        ones = np.ones(len(self.scale))
        energies, entropies = self._part().sweep(nu, ones, self.workers, SWEEPS)
        return nu, energies + entropies + self.scale

    def _part(self) -> Part:
        (part,) = parts_of(self.images, self.prior, self.components)
        return part


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """The result, and the least processor time of three calls."""
    seconds = []
    for _ in range(3):
        began = time.process_time()
        result = function()
        seconds.append(time.process_time() - began)
    return result, min(seconds)


def measured(X: Floats, parameters: dict[str, Any], seed: int, workers: Workers) -> list[float]:
    """Numbers of one fit, in the order of the columns."""
    new, old = X[::3], np.delete(X, slice(None, None, 3), axis=0)
    model = FactorialMixture(random_state=seed, n_jobs=workers.n_jobs, **parameters).fit(old)
    prior = Prior(model.pi_, model.noise_var, model.prior_var)
    q = Components(model.components_, model.component_variances_)
    how = Inference(new, prior, q, workers)
    (plain_nu, plain), plain_seconds = timed(how.plain)
    (nu, annealed), seconds = timed(how.annealed)
    errors = [np.nan, np.nan]
    if len(nu) <= MOST_UNITS:
        means, best = how.all_states()
        errors = [np.abs(one - means).mean() for one in (plain_nu, nu)]
    else:
        best = how.best_start()
    hidden = np.random.RandomState(1).random_sample(X.shape[1]) < 0.5
    targets = np.broadcast_to(hidden, new.shape)
    given = Inference(np.where(hidden, np.nan, new), prior, q, workers)
    scores = [
        density_of_pixels(new, targets, one, q, prior.noise_var)
        for one in (given.plain()[0], given.annealed()[0])
    ]
    in_training = model.elbo_ - components_bound(prior, q) / len(old)
    both = Inference(old, prior, q, workers)
    return [
        (plain - best).mean(),
        (annealed - best).mean(),
        *errors,
        *scores,
        both.plain()[1].mean() - in_training,
        both.annealed()[1].mean() - in_training,
        seconds / plain_seconds,
    ]


def inference(options: Namespace) -> None:
    """Print a row for each data set."""
    seeds = range(options.inference_seeds)
    columns = ("gap", "error", "hidden pixels", "less the fit")
    heads = [f"{column}, {way}" for column in columns for way in ("plain", "annealed")]
    print(f"\n## Inference of given images, {len(seeds)} seeds\n")
    print(f"| data | {' | '.join(heads)} | time |")
    print("|---" * (2 + len(heads)) + "|", flush=True)
    digits, signs = (2, 2, 3, 3, 3, 3, 2, 2, 1), ("+", "+", "", "", "", "", "+", "+", "")
    with Workers(options.jobs) as workers:
        for case, (images_of, parameters) in cases(options).items():
            rows = np.array(
                [measured(images_of(seed), parameters, seed, workers) for seed in seeds]
            )
            cells = [
                "" if np.isnan(column).any() else with_error(column, n, sign)
                for column, n, sign in zip(rows.T, digits, signs, strict=True)
            ]
            print(f"| {case} | {' | '.join(cells)} |", flush=True)


def add_arguments(add: Callable[..., Any]) -> None:
    """Arguments of the part here."""
    add("--inference-seeds", type=int, default=3, help="seeds of the part inference")


PARTS = {"inference": inference}
