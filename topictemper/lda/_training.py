"""Stochastic variational inference with temperatures: the training loop."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core._isa import description, going_on
from .._core._workers import Workers
from .._utils._chunks import blocks
from .._utils._rollback import complete, parts, snapshot
from .._utils._state import Stateful
from ._e_step import Gatherer, Locals, Minibatch, Workspace, infer, sample
from ._elbo import document_bound, topics_kl, topics_log_prior
from ._initialization import deal_out
from ._normalizers import CorpusSize, Eta
from ._prior_scale import PriorScale, times
from ._priors import PriorLearner
from ._thermostat import Clock, Thermostat
from ._topics import Topics, TopicsStep

# Smaller minibatches are learned from by one thread: to share them takes longer than it saves.
_LEAST_SHARED = 64
# Posterior tempering shrinks lambda by 1 - rho T, which must stay positive.
_LARGEST_DECAY = 0.9
# Hotter, topics are still on their way, and priors are left as they are.
_PRIORS_FROM = 0.9

# Passes before documents are sampled, and the share of the planned passes if they are few: samples
# find topics more slowly than they make them better.
_PLAIN_PASSES, _PLAIN_SHARE = 2.0, 2 / 3

#: Documents that a stream of unknown length is taken to have, until it has more
#: (benchmarks/streams.py).
STREAM_SAMPLES = 50_000.0


@dataclass(frozen=True)
class Settings:
    """What stays fixed while a model learns; names as in `TemperedLDA`."""

    expected_samples: float | None
    planned_passes: int
    given_topics: bool
    batch_size: int
    learning_decay: float
    learning_offset: float
    mean_change_tol: float
    max_doc_update_iter: int
    tempering: str
    n_temperatures: int
    sampling: bool

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
    eta : float or ndarray of shape (n_features, 1) or (n_features, n_components)
        Prior of the topics.
    thermostat : Thermostat
        Sets the temperature.
    priors : PriorLearner
        Learns alpha and eta, if they are to be learned.
    prior_scale : PriorScale
        Finds the multiple of alpha to predict with, if it is to be found.
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
        "priors",
        "prior_scale",
        "random_state",
        "sampling_seed",
        "isa",
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
        eta: Eta,
        thermostat: Thermostat,
        priors: PriorLearner,
        prior_scale: PriorScale,
        settings: Settings,
        random_state: np.random.RandomState,
    ) -> None:
        self.topics = topics
        self.alpha = self.first_alpha = alpha
        self.eta = self.first_eta = eta
        self.thermostat = thermostat
        self.priors = priors
        self.prior_scale = prior_scale
        self.settings = settings
        self.random_state = random_state
        # From a copy: what shuffles do does not depend on it.
        self.sampling_seed = int(deepcopy(random_state).randint(2**31 - 1)) << 32
        self.isa = description()
        self.n_updates = 0
        self.documents_seen = 0.0
        self._tokens_seen = 0.0
        self._growing = False
        # Documents, each counted once: of the corpus, and of those that are known of so far.
        self.total_samples = settings.expected_samples or STREAM_SAMPLES
        self._once = settings.expected_samples or 0.0
        self._pass_length = self.total_samples
        self._passes_before, self._seen_before = 0.0, 0.0
        self._workspace = Workspace()

    @cached_property
    def _parts(self) -> list[Stateful]:
        return list(parts(self))

    @property
    def predictive_alpha(self) -> NDArray[Any]:
        """The prior of the topic proportions of documents that are not learned from."""
        return times(self.alpha, self.prior_scale.scale)

    @property
    def passes(self) -> float:
        """Documents seen over documents in the corpus, or in what stands for a pass of a stream."""
        return self._passes_before + (self.documents_seen - self._seen_before) / self._pass_length

    def expect(self, total_samples: float | None) -> None:
        """Learn from now on for a corpus of so many documents; None: it grows as they come.

        The clock goes on from where it is.
        """
        restore = snapshot(self._parts)
        try:
            self._growing = total_samples is None
            if total_samples is not None and total_samples != self.total_samples:
                self._passes_before, self._seen_before = self.passes, self.documents_seen
                self._pass_length = self._once = total_samples
                self._resize(total_samples)
        except BaseException:
            complete(restore)
            raise

    def _resize(self, total_samples: float) -> None:
        """Let the statistics stand for another number of documents, those seen before as well."""
        self.topics.rescale(total_samples / self.total_samples)
        self.total_samples = total_samples

    @property
    def temperature(self) -> float:
        """T of the next minibatch."""
        return 1.0 / self.thermostat.inverse_temperature(self._clock(self.settings.batch_size))

    @property
    def settled(self) -> bool:
        """Whether it learns from the next minibatch as from all later ones."""
        return self.temperature == 1.0 and (self._late or not self.settings.sampling)

    @property
    def _late(self) -> bool:
        return self.passes >= min(_PLAIN_PASSES, _PLAIN_SHARE * self.settings.planned_passes)

    def _clock(self, n_documents: float) -> Clock:
        return Clock(self.passes, n_documents / self._pass_length)

    def run(self, gatherer: Gatherer, order: NDArray[np.int64], workers: Workers) -> None:
        """Go through the given rows once, minibatch by minibatch."""
        self.isa = going_on(self.isa)
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

    def step_in_full(self, batch: Minibatch, workers: Workers) -> tuple[float, float]:
        """A step of the whole corpus at once, to the topics that are best for its statistics.

        Returns the inverse temperature, and the bound before the topics changed, in nats: the
        tempered ELBO (VT eq. 4 with supplement B.2), or, for topics that are a point, what it is
        with their log-density under Dir(1 + eta), but for a constant of eta, in place of their
        divergence. For posterior tempering it is the ELBO of the model that has the same updates
        with its likelihood tempered alone, which differs from that of DASVI by a constant of the
        temperature.
        """
        s = self.thermostat.inverse_temperature(self._clock(batch.size))
        return s, self._step(batch, workers, whole=True)

    def release(self) -> None:
        """Give back the memory of E-steps; the next takes what it needs."""
        self._workspace = Workspace()

    def _step(self, batch: Minibatch, workers: Workers, *, whole: bool = False) -> float:
        """Learn from one minibatch; if that is interrupted, wholly or not at all.

        Returns the bound before the step, which is worked out for a whole corpus only.
        """
        restore, step = snapshot(self._parts), None
        try:
            step = self._planned(batch, workers, whole=whole)
            step.take()
        except BaseException:
            complete(restore if step is None else step.finish)
            raise
        return step.bound

    def _planned(self, batch: Minibatch, workers: Workers, *, whole: bool) -> _Step:
        """E-step and temperature of one minibatch, and the step to take (VT eqs. 8 to 11)."""
        settings, clock = self.settings, self._clock(batch.size)
        if self.n_updates == 0 and not settings.given_topics:
            deal_out(self.topics, batch, self.sampling_seed)
        s = self.thermostat.inverse_temperature(clock)
        if self._growing:
            self._once += batch.size
            if self._once > self.total_samples:
                self._resize(self._once)
        temperature = 1.0 / s
        # gamma = (alpha + sum n phi + T - 1) / T is the likelihood-tempered update of this prior.
        alpha = self.alpha
        sweeps: Any = {
            "tol": settings.mean_change_tol,
            "max_iter": settings.max_doc_update_iter,
            "workers": workers,
            "workspace": self._workspace,
        }
        if s == 1.0:
            self.prior_scale.note(self.topics, batch, alpha, **sweeps)
        if settings.posterior_tempering:
            alpha = alpha * alpha.dtype.type(s) + alpha.dtype.type(1.0 - s)
        # Learned temperatures go by energies, which samples do not have.
        sampled = settings.sampling and s == 1.0 and self._late
        learned = self.thermostat.learns(clock)
        if learned or not sampled:
            local = infer(self.topics, batch, alpha, s, want_energy=learned, **sweeps)
        else:
            local = self._sample(batch, workers)
        documents = self.documents_seen + batch.size
        tokens = self._tokens_seen + batch.total_tokens()
        size = CorpusSize(self.total_samples, self.total_samples * tokens / documents)
        weights = self.thermostat.weights(clock, self.topics, batch, local, size, workers)

        if learned and sampled:
            local = self._sample(batch, workers)

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
            weights = weights.astype(np.float64) * batch.weight
        of_topics = self.topics.step(
            batch,
            local,
            weights,
            decay=shrink,
            scale=rho * self.total_samples / batch.size,
            offset=rho * prior,
            workers=workers,
            rate=rho,
        )
        return _Step(self, of_topics, documents, tokens, rho if learns else None, bound)

    def _sample(self, batch: Minibatch, workers: Workers) -> Locals:
        return sample(
            self.topics,
            batch,
            self.alpha,
            self.sampling_seed + self.n_updates,
            workers=workers,
            workspace=self._workspace,
        )

    def _bound(self, batch: Minibatch, local: Locals, weights: NDArray[Any], s: float) -> float:
        """The tempered ELBO of a corpus after its E-step, in nats."""
        of_documents = document_bound(batch, local, local.alpha, s)
        if len(local.energy):  # documents have temperatures of their own
            of_documents += (weights.astype(np.float64) - s) * local.energy
        eta = self.eta
        if self.settings.posterior_tempering:
            eta = eta * s + (1.0 - s)
        of_topics = (
            topics_log_prior(self.topics, eta)
            if self.topics.point
            else -topics_kl(self.topics, eta)
        )
        return float(batch.total(of_documents)) + of_topics


class _Step:
    """What a step changes, from where it can be finished only: topics, eta and counters."""

    def __init__(
        self,
        trainer: Trainer,
        of_topics: TopicsStep,
        documents: float,
        tokens: float,
        eta_rate: float | None,
        bound: float,
    ) -> None:
        self.bound = bound
        self._trainer, self._of_topics, self._eta_rate = trainer, of_topics, eta_rate
        self._eta, self._restore_priors = trainer.eta, snapshot([trainer.priors])
        self._after = {
            "n_updates": trainer.n_updates + 1,
            "documents_seen": documents,
            "_tokens_seen": tokens,
        }

    def take(self) -> None:
        """Take the step."""
        self._of_topics.take()
        self._follow()

    def finish(self) -> None:
        """Take what is left of the step, once or several times."""
        self._of_topics.finish()
        self._restore_priors()
        self._follow()

    def _follow(self) -> None:
        """What comes after the step of the topics."""
        trainer = self._trainer
        if self._eta_rate is not None:
            eta = trainer.priors.eta(trainer.topics, self._eta, self._eta_rate)
            if eta is not self._eta:
                trainer.eta = eta
                trainer.topics.set_prior(eta)
        vars(trainer).update(self._after)


def train(
    trainer: Trainer,
    X: Any,
    n_passes: int,
    *,
    sample_weight: NDArray[np.float64] | None,
    shuffle: bool,
    workers: Workers,
    before_pass: Callable[[], None],
    after_pass: Callable[[int], bool],
) -> None:
    """Make `n_passes` over a CSR matrix or `Chunks`, in a new random order each if wanted.

    ``before_pass`` is called before each of them, ``after_pass`` after it, with the number of
    passes made; learning ends early where that returns True.
    """
    gathered = trainer.topics.M.dtype, sample_weight
    random_state = trainer.random_state if shuffle else None
    for done in range(1, n_passes + 1):
        before_pass()
        for rows, order in blocks(X, trainer.settings.batch_size, random_state, sample_weight):
            trainer.run(Gatherer(rows, *gathered), order, workers)
        if after_pass(done):
            break
