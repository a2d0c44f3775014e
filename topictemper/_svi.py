"""Stochastic variational inference with temperatures: the training loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._documents import Gatherer, Locals, Minibatch, Workspace, infer
from ._normalizers import CorpusSize, Eta
from ._priors import PriorLearner
from ._scoring import document_bound, topics_kl
from ._thermostat import Clock, Thermostat
from ._topics import Topics
from ._workers import Workers

# Posterior tempering shrinks lambda by 1 - rho T, which must stay positive.
_LARGEST_DECAY = 0.9
# Hotter, topics are still on their way, and priors are left as they are.
_PRIORS_FROM = 0.9


@dataclass(frozen=True)
class Settings:
    """What stays fixed while a model learns; names as in `TemperedLDA`."""

    total_samples: float
    batch_size: int
    learning_decay: float
    learning_offset: float
    mean_change_tol: float
    max_doc_update_iter: int
    tempering: str
    n_temperatures: int

    @property
    def posterior_tempering(self) -> bool:
        """Whether priors are tempered too."""
        return self.tempering == "dasvi"


class Trainer:
    """A model in training: the global state, its temperature and its clock.

    Parameters
    ----------
    topics : Topics
        The global state.
    alpha : ndarray of shape (n_components,)
        Prior of the topic proportions, of the precision of the topics.
    eta : float or ndarray of shape (n_features, 1) or (n_features, n_components)
        Prior of the topics.
    thermostat : Thermostat
        Sets the temperature.
    priors : PriorLearner
        Learns alpha and eta, if they are to be learned.
    settings : Settings
        The rest.
    random_state : RandomState
        Shuffles.
    """

    def __init__(
        self,
        topics: Topics,
        alpha: NDArray[Any],
        eta: Eta,
        thermostat: Thermostat,
        priors: PriorLearner,
        settings: Settings,
        random_state: np.random.RandomState,
    ) -> None:
        self.topics = topics
        self.alpha = alpha
        self.eta = eta
        self.thermostat = thermostat
        self.priors = priors
        self.settings = settings
        self.random_state = random_state
        self.n_updates = 0
        self.documents_seen = 0.0
        self._tokens_seen = 0.0
        self._workspace = Workspace()

    @property
    def passes(self) -> float:
        """Documents seen over documents in the corpus."""
        return self.documents_seen / self.settings.total_samples

    @property
    def temperature(self) -> float:
        """T of the next minibatch."""
        return 1.0 / self.thermostat.inverse_temperature(self._clock(self.settings.batch_size))

    def _clock(self, n_documents: float) -> Clock:
        return Clock(self.passes, n_documents / self.settings.total_samples)

    def run(self, gatherer: Gatherer, order: NDArray[np.int64], workers: Workers) -> None:
        """Go through the given rows once, minibatch by minibatch."""
        size = self.settings.batch_size
        # The next minibatch is cut out while this one is worked on.
        following = workers.start(gatherer.rows, order[:size])
        for start in range(0, len(order), size):
            batch = following()
            if start + size < len(order):
                following = workers.start(gatherer.rows, order[start + size : start + 2 * size])
            self._step(batch, workers)

    def step_in_full(self, batch: Minibatch, workers: Workers) -> tuple[float, float]:
        """A step of the whole corpus at once, to the topics that are best for its statistics.

        Returns the inverse temperature, and the bound before the topics changed, in nats: the
        tempered ELBO (VT eq. 4 with supplement B.2). For posterior tempering it is the ELBO of
        the model that has the same updates with its likelihood tempered alone, which differs
        from that of DASVI by a constant of the temperature.
        """
        s = self.thermostat.inverse_temperature(self._clock(batch.size))
        return s, self._step(batch, workers, whole=True)

    def release(self) -> None:
        """Give back the memory of E-steps; the next takes what it needs."""
        self._workspace = Workspace()

    def _step(self, batch: Minibatch, workers: Workers, *, whole: bool = False) -> float:
        """E-step, temperature and natural-gradient step of one minibatch (VT eqs. 8 to 11).

        Returns the bound before the step, which is worked out for a whole corpus only.
        """
        settings, clock = self.settings, self._clock(batch.size)
        s = self.thermostat.inverse_temperature(clock)
        temperature = 1.0 / s
        # gamma = (alpha + sum n phi + T - 1) / T is the likelihood-tempered update of this prior.
        alpha = self.alpha
        if settings.posterior_tempering:
            alpha = alpha * alpha.dtype.type(s) + alpha.dtype.type(1.0 - s)
        local = infer(
            self.topics,
            batch,
            alpha,
            s,
            tol=settings.mean_change_tol,
            max_iter=settings.max_doc_update_iter,
            workers=workers,
            want_energy=self.thermostat.learns(clock),
            workspace=self._workspace,
        )
        documents = self.documents_seen + batch.size
        tokens = self._tokens_seen + batch.total_tokens()
        size = CorpusSize(settings.total_samples, settings.total_samples * tokens / documents)
        weights = self.thermostat.weights(clock, self.topics, batch, local, size, workers)

        bound = self._bound(batch, local, weights, s) if whole else np.nan

        rho = (settings.learning_offset + self.n_updates + 1) ** -settings.learning_decay
        if whole:
            rho = s if settings.posterior_tempering else 1.0
        learns = s == 1.0 or (s > _PRIORS_FROM and not settings.posterior_tempering)
        if learns:
            self.alpha = self.priors.alpha(batch, local, self.alpha, rho)
        shrink, prior = rho, self.topics.smallest_prior(self.eta)
        if settings.posterior_tempering:
            rho = rho if whole else min(rho, _LARGEST_DECAY / temperature)
            shrink, prior = rho * temperature, prior + temperature - 1.0
            weights = np.ones_like(weights)
        if batch.weight is not None:
            weights = weights * batch.weight.astype(weights.dtype)
        self.topics.step(
            batch,
            local,
            weights,
            decay=shrink,
            scale=rho * settings.total_samples / batch.size,
            offset=rho * prior,
            workers=workers,
            rate=rho,
        )
        if learns:
            eta = self.priors.eta(self.topics, self.eta, rho)
            if eta is not self.eta:
                self.eta = eta
                self.topics.set_prior(eta)
        self.n_updates += 1
        self.documents_seen, self._tokens_seen = documents, tokens
        return bound

    def _bound(self, batch: Minibatch, local: Locals, weights: NDArray[Any], s: float) -> float:
        """The tempered ELBO of a corpus after its E-step, in nats."""
        of_documents = document_bound(batch, local, local.alpha, s)
        if len(local.energy):  # documents have temperatures of their own
            of_documents += (weights.astype(np.float64) - s) * local.energy
        eta = self.eta
        if self.settings.posterior_tempering:
            eta = eta * s + (1.0 - s)
        return float(batch.total(of_documents)) - topics_kl(self.topics, eta)


def train(
    trainer: Trainer,
    X: Any,
    n_passes: int,
    *,
    sample_weight: NDArray[np.float64] | None,
    shuffle: bool,
    workers: Workers,
    after_pass: Callable[[int], None],
) -> None:
    """Make `n_passes` over the rows of a CSR matrix, in a new random order each if wanted.

    ``after_pass`` is called with the number of passes made, after each of them.
    """
    gatherer = Gatherer(X, trainer.topics.M.dtype, sample_weight)
    order = rows = rows_that_count(X, sample_weight)
    for done in range(1, n_passes + 1):
        if shuffle:
            order = trainer.random_state.permutation(rows)
        trainer.run(gatherer, order, workers)
        after_pass(done)


def rows_that_count(X: Any, sample_weight: NDArray[np.float64] | None) -> NDArray[np.int64]:
    """Rows of X but those of weight zero, which are as good as absent."""
    if sample_weight is None:
        return np.arange(X.shape[0], dtype=np.int64)
    return np.flatnonzero(sample_weight).astype(np.int64)
