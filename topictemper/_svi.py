"""Stochastic variational inference with temperatures: the training loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._chunks import blocks
from ._documents import Gatherer, Minibatch, Workspace, infer
from ._normalizers import CorpusSize
from ._state import Stateful
from ._thermostat import Clock, Thermostat
from ._topics import Topics
from ._workers import Workers

# Smaller minibatches are learned from by one thread: to share them takes longer than it saves.
_LEAST_SHARED = 64
# Posterior tempering shrinks lambda by 1 - rho T, which must stay positive.
_LARGEST_DECAY = 0.9

#: Documents that a stream of unknown length is taken to have, until it has more
#: (benchmarks/streams.py).
STREAM_SAMPLES = 50_000.0


@dataclass(frozen=True)
class Settings:
    """What stays fixed while a model learns; names as in `TemperedLDA`."""

    expected_samples: float | None
    planned_passes: int
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


class Trainer(Stateful):
    """A model in training: the global state, its temperature and its clock.

    Parameters
    ----------
    topics : Topics
        The global state.
    alpha : ndarray of shape (n_components,)
        Prior of the topic proportions, of the precision of the topics.
    eta : float
        Prior of the topics.
    thermostat : Thermostat
        Sets the temperature.
    settings : Settings
        The rest.
    random_state : RandomState
        Shuffles.
    """

    STATE = (
        "topics",
        "alpha",
        "eta",
        "thermostat",
        "random_state",
        "n_updates",
        "documents_seen",
        "_tokens_seen",
        "total_samples",
        "_once",
        "_pass_length",
        "_passes_before",
        "_seen_before",
    )

    def __init__(
        self,
        topics: Topics,
        alpha: NDArray[Any],
        eta: float,
        thermostat: Thermostat,
        settings: Settings,
        random_state: np.random.RandomState,
    ) -> None:
        self.topics = topics
        self.alpha = alpha
        self.eta = eta
        self.thermostat = thermostat
        self.settings = settings
        self.random_state = random_state
        self.n_updates = 0
        self.documents_seen = 0
        self._tokens_seen = 0.0
        self._growing = False
        # Documents, each counted once: of the corpus, and of those that are known of so far.
        self.total_samples = settings.expected_samples or STREAM_SAMPLES
        self._once = settings.expected_samples or 0.0
        self._pass_length = self.total_samples
        self._passes_before, self._seen_before = 0.0, 0
        self._workspace = Workspace()

    def check_state(self) -> None:
        """Raise ValueError for a state that no training leads to."""
        topics = self.topics
        if not (
            np.isfinite(topics.totals).all()
            and topics.M.min() >= 0
            and topics.M.max() < np.inf
            and np.min(topics.base) > 0
            and self.alpha.min() > 0
            and np.min(self.eta) > 0
            and 0 < self.thermostat.learned <= 1
        ):
            raise ValueError("topics, priors and temperatures must be positive numbers")

    @property
    def passes(self) -> float:
        """Documents seen over documents in the corpus, or in what stands for a pass of a stream."""
        return self._passes_before + (self.documents_seen - self._seen_before) / self._pass_length

    def expect(self, total_samples: float | None) -> None:
        """Learn from now on for a corpus of so many documents; None: it grows as they come.

        The clock goes on from where it is.
        """
        self._growing = total_samples is None
        if total_samples is not None and total_samples != self.total_samples:
            self._passes_before, self._seen_before = self.passes, self.documents_seen
            self._pass_length = self._once = total_samples
            self._resize(total_samples)

    def _resize(self, total_samples: float) -> None:
        """Let the statistics stand for another number of documents, those seen before as well."""
        self.topics.rescale(total_samples / self.total_samples)
        self.total_samples = total_samples

    @property
    def temperature(self) -> float:
        """T of the next minibatch."""
        return 1.0 / self.thermostat.inverse_temperature(self._clock(self.settings.batch_size))

    def _clock(self, n_documents: int) -> Clock:
        return Clock(self.passes, n_documents / self._pass_length)

    def run(self, gatherer: Gatherer, order: NDArray[np.int64], workers: Workers) -> None:
        """Go through the given rows once, minibatch by minibatch."""
        size = self.settings.batch_size
        if size < _LEAST_SHARED:
            workers = Workers()
        # The next minibatch is cut out while this one is worked on.
        following = workers.start(gatherer.rows, order[:size])
        for start in range(0, len(order), size):
            batch = following()
            if start + size < len(order):
                following = workers.start(gatherer.rows, order[start + size : start + 2 * size])
            self._step(batch, workers)

    def _step(self, batch: Minibatch, workers: Workers) -> None:
        """E-step, temperature and natural-gradient step of one minibatch (VT eqs. 8 to 11)."""
        settings, clock = self.settings, self._clock(batch.n_documents)
        s = self.thermostat.inverse_temperature(clock)
        if self._growing:
            self._once += batch.n_documents
            if self._once > self.total_samples:
                self._resize(self._once)
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
        documents = self.documents_seen + batch.n_documents
        tokens = self._tokens_seen + batch.counts.sum(dtype=np.float64)
        size = CorpusSize(self.total_samples, self.total_samples * tokens / documents)
        weights = self.thermostat.weights(clock, self.topics, batch, local, size, workers)

        rho = (settings.learning_offset + self.n_updates + 1) ** -settings.learning_decay
        shrink, prior = rho, self.eta
        if settings.posterior_tempering:
            rho = min(rho, _LARGEST_DECAY / temperature)
            shrink, prior = rho * temperature, self.eta + temperature - 1.0
            weights = np.ones_like(weights)
        self.topics.step(
            batch,
            local,
            weights,
            decay=shrink,
            scale=rho * self.total_samples / batch.n_documents,
            offset=rho * prior,
            workers=workers,
        )
        self.n_updates += 1
        self.documents_seen, self._tokens_seen = documents, tokens


def train(
    trainer: Trainer,
    X: Any,
    n_passes: int,
    *,
    shuffle: bool,
    workers: Workers,
    before_pass: Callable[[], None],
    after_pass: Callable[[int], bool],
) -> None:
    """Make `n_passes` over a CSR matrix or `Chunks`, in a new random order each if wanted.

    ``before_pass`` is called before each of them, ``after_pass`` after it, with the number of
    passes made; learning ends early where that returns True.
    """
    random_state = trainer.random_state if shuffle else None
    for done in range(1, n_passes + 1):
        before_pass()
        for rows, order in blocks(X, trainer.settings.batch_size, random_state):
            trainer.run(Gatherer(rows, trainer.topics.M.dtype), order, workers)
        if after_pass(done):
            break
