"""One training step, and a pass of such steps over documents."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core._isa import description, going_on
from .._core._workers import Workers
from .._utils._rollback import complete, snapshot, stateful_parts
from .._utils._state import Stateful
from ..tempering._control import Clock, Evidence, TemperatureControl
from ._average import TopicsAverage
from ._clock import StreamClock
from ._comparison import times
from ._config import Config
from ._defaults import (
    KAPPA,
    LARGEST_RATE,
    MEMORY,
    OWN_PASSES,
    OWN_SHARE,
    OWN_TOKENS,
    PLAIN_PASSES,
    PLAIN_SHARE,
)
from ._e_step import OF_ALPHA, TRAINING, Workspace, infer, log_likelihood, sample
from ._elbo import document_elbo, topics_kl, topics_log_prior
from ._initialization import add_documents
from ._minibatch import Gatherer, LocalParameters, Minibatch
from ._normalizers import PosteriorNormalizer, PriorNormalizer, corpus_evidence
from ._plan import Plan, usual_passes
from ._posterior_tempering import LikelihoodTempering
from ._predictive_eta import PredictiveEta, first_eta, unlearned_eta
from ._prior_scale import PredictiveScale, PriorScale
from ._priors import PriorLearner
from ._topics import Eta, Topics, TopicsStep

_NEARLY_COLD = 1.001  # learned temperatures may not come to 1 exactly
# Smaller minibatches are learned from by one thread: to share them takes longer than it saves.
_LEAST_SHARED = 16


class Trainer(Stateful):
    """A model in training: the global state, its temperature and its clock.

    Parameters
    ----------
    config : Config
        The parameters of the estimator.
    plan : Plan
        What depends on the number of documents.
    topics : Topics
        The global state.
    alpha : ndarray of shape (n_components,)
        Prior of the topic proportions, of the precision of the topics.
    eta : float or ndarray of shape (n_features, 1) or (n_features, n_components)
        Prior of the topics.
    control : TemperatureControl
        Decides the temperature.
    normalizer : PosteriorNormalizer, PriorNormalizer or None
        Energy and log C(T), if a temperature is learned.
    tempered : LikelihoodTempering
        What is tempered.
    random_state : RandomState
        Shuffles.
    given_topics : bool
        Whether training starts from given topics, to which no documents are added first.
    """

    STATE = (
        "topics",
        "average",
        "alpha",
        "eta",
        "control",
        "normalizer",
        "priors",
        "prior_scale",
        "predictive_eta",
        "predictive_scale",
        "clock",
        "random_state",
        "sampling_seed",
        "isa",
    )
    PARTS = ("normalizer",)
    #: For other threads: steps that have begun, and whether the last one is still being taken.
    n_begun, in_step = 0, False

    def __init__(
        self,
        config: Config,
        plan: Plan,
        topics: Topics,
        alpha: NDArray[Any],
        eta: Eta,
        control: TemperatureControl,
        normalizer: PosteriorNormalizer | PriorNormalizer | None,
        tempered: LikelihoodTempering,
        random_state: np.random.RandomState,
        *,
        given_topics: bool,
    ) -> None:
        self.config, self.plan = config, plan
        self.topics = topics
        self.average = TopicsAverage()
        self.alpha = self.first_alpha = alpha
        self.eta = self.first_eta = eta
        self.control, self.normalizer, self.tempered = control, normalizer, tempered
        # A document that is never forgotten cannot tell how new ones are predicted.
        of_samples = config.alpha_is_default and plan.forgets
        self.priors = PriorLearner(
            config.alpha.learned,
            config.eta.learned,
            config.alpha.floor,
            config.eta.floor,
            of_samples=of_samples,
            plan=plan,
        )
        of_mean_field = of_samples or (config.alpha_is_default and not config.sampling)
        self.prior_scale = PriorScale(of_mean_field)
        self.predictive_scale = PredictiveScale(of_samples)
        self.predictive_eta = PredictiveEta()
        self.clock = StreamClock(plan.expected_samples)
        self.random_state = random_state
        self.given_topics = given_topics
        # From a copy: what shuffles do does not depend on it.
        self.sampling_seed = int(deepcopy(random_state).randint(2**31 - 1)) << 32
        self.isa = description()
        self._workspace = Workspace()

    @property
    def predictive_topics(self) -> Topics:
        """The topics for documents that are not learned from: averaged ones, if there are any."""
        return self.average.topics or self.topics

    @property
    def has_sampled(self) -> bool:
        """Whether the topics follow samples."""
        return self.average.n_added > 0

    @property
    def predictive_alpha(self) -> NDArray[Any]:
        """The prior of the topic proportions of documents that are not learned from."""
        return self.collapsed_alpha if self.has_sampled else self.mean_field_alpha

    @property
    def collapsed_alpha(self) -> NDArray[Any]:
        """The prior with which collapsed inference and sampling predict best."""
        return times(self.alpha, self.predictive_scale.scale)

    @property
    def mean_field_alpha(self) -> NDArray[Any]:
        """The prior with which mean-field inference predicts best."""
        return times(self.alpha, self.prior_scale.scale)

    @property
    def temperature(self) -> float:
        """T of the next minibatch."""
        return 1.0 / self.control.inverse_temperature(self.clock.passes)

    @property
    def is_hot(self) -> bool:
        """Whether T is so much above 1 that predictions are worse."""
        return self.temperature > _NEARLY_COLD

    @property
    def settled(self) -> bool:
        """Whether it learns from the next minibatch as from all later ones of a default fit."""
        return self.temperature == 1.0 and (self._past_plain_passes or not self.config.sampling)

    @property
    def _past_plain_passes(self) -> bool:
        """Whether the passes are over in which no document is sampled."""
        return self.clock.passes >= min(PLAIN_PASSES, PLAIN_SHARE * self.plan.planned_passes)

    @property
    def _next_size(self) -> int:
        """Documents to cut out for the next minibatch."""
        sampled = self._samples_at(1.0 / self.temperature)
        return self.plan.largest_batch if sampled else self.plan.batch_size

    def expect(self, total_samples: float | None) -> None:
        """Learn from now on for a corpus of so many documents; None: it grows as they come."""
        self._rescale(self.clock.expect(total_samples))

    def _rescale(self, factor: float) -> None:
        self.topics.rescale(factor)
        self.average.rescale(factor)

    def run(
        self,
        gatherer: Gatherer,
        order: NDArray[np.int64],
        workers: Workers,
        after_step: Callable[[int], None] | None = None,
    ) -> None:
        """Go through the given rows once, minibatch by minibatch."""
        self.isa = going_on(self.isa)
        self.average.resume(self.topics)
        if self.plan.largest_batch < _LEAST_SHARED:
            workers = Workers()
        # The next minibatch is cut out while this one is worked on.
        start, stop = 0, self._next_size
        following = workers.start(gatherer.rows, order[:stop])
        while start < len(order):
            batch = following()
            start, stop = stop, stop + self._next_size
            if start < len(order):
                following = workers.start(gatherer.rows, order[start:stop])
            self.step(batch, workers)
            if after_step is not None:
                after_step(batch.n_documents)

    def step_in_full(self, batch: Minibatch, workers: Workers) -> tuple[float, float]:
        """Step of the whole corpus at once, to the topics that are best for its statistics.

        Returns
        -------
        s : float
            The inverse temperature.
        elbo : float
            The annealed ELBO before the step, in nats (VT eq. 4 with supplement B.2): without the
            terms of q(T), which VT eq. 5 has, where temperatures are learned. For topics
            that are a point it has ``log Dir(beta | 1 + eta)``, up to a constant of eta, in place
            of their divergence. For posterior tempering it is DASVI eq. 8 over T, up to a constant
            of T: the ELBO of the model that has the same updates with its likelihood alone
            tempered.
        """
        s = self.control.inverse_temperature(self.clock.passes)
        return s, self.step(batch, workers, whole=True)

    def adopt_average(self) -> None:
        """End a fit: the averaged topics take the place of the last ones."""
        if self.average.topics is not None:
            vars(self.topics).update(vars(self.average.topics))
            self.average.topics = None

    def release(self) -> None:
        """Give back the memory of E-steps; the next takes what it needs."""
        self._workspace = Workspace()

    def step(self, batch: Minibatch, workers: Workers, *, whole: bool = False) -> float:
        """Learn from one minibatch; if that is interrupted, wholly or not at all.

        Returns
        -------
        float
            The ELBO before the step, in nats, which is computed for a whole corpus only.
        """
        restore, step = snapshot(stateful_parts(self)), None
        try:
            self.n_begun, self.in_step = self.n_begun + 1, True
            step = self._planned_step(batch, workers, whole=whole)
            step.take()
        except BaseException:
            complete(restore if step is None else step.finish)
            raise
        return step.elbo

    def _planned_step(self, batch: Minibatch, workers: Workers, *, whole: bool) -> _Step:
        """E-step and temperature of one minibatch, and the step to take.

        VT algorithm 1 and, with tempered priors, DASVI algorithm 2.
        """
        clock = self.clock.now(batch.size)
        sweeps = self.config.sweeps | {"workers": workers, "workspace": self._workspace}
        if self.config.predicts_eta:
            self.eta = self._predicted_eta(batch, sweeps)
            self.topics.set_prior(self.eta)
        if self.clock.n_updates == 0 and not self.given_topics:
            add_documents(self.topics, batch, self.sampling_seed)
        s = self.control.inverse_temperature(clock.passes)
        self._rescale(self.clock.grow(batch.size))
        if s == 1.0:
            self.prior_scale.update(self.topics, batch, self.alpha, **sweeps)
        learns, sampled = self.control.learns(clock), self._samples_at(s)
        if sampled and self.has_sampled:
            self.predictive_scale.update(self.topics, batch, self.alpha, self.clock, **sweeps)
        if sampled and not learns:
            q = self._sample(batch, workers)
        else:
            alpha = self.tempered.alpha(self.alpha, s)
            q = infer(self.topics, batch, alpha, s, want_energy=learns, **sweeps)  # VT eq. 19
        weights = self._temperature_update(clock, batch, q, workers, learns=learns)  # eqs. 9, 10
        if learns and sampled:
            # Temperatures are learned from energies, which samples do not have.
            q = self._sample(batch, workers)
        elbo = self._elbo(batch, q, weights, s) if whole else np.nan
        rate, decay, prior, weights = self.tempered.step_size(
            self._learning_rate(batch, sampled=sampled),
            s,
            self.topics.smallest_prior(self.eta),
            weights,
            whole=whole,
        )
        learns_priors = self.tempered.learns_priors(s)
        if learns_priors and (len(q.drawn) or not sampled):
            self.alpha = self.priors.alpha(batch, q, self.alpha, rate)
        elif sampled:
            self.alpha = self.priors.evened(self.alpha, self.clock, batch)
        if batch.weight is not None:
            weights = weights.astype(np.float64) * batch.weight
        of_topics = self.topics.step(  # VT eqs. 8, 11
            batch,
            q,
            weights,
            decay=decay,
            scale=rate * self.clock.total_samples / batch.size,
            offset=rate * prior,
            workers=workers,
            rate=rate,
        )
        eta_rate = rate if learns_priors else None
        return _Step(self, of_topics, batch, eta_rate, elbo, workers, averages=sampled)

    def _learning_rate(self, batch: Minibatch, *, sampled: bool) -> float:
        """rho, which falls (DASVI eq. 24), but stays higher where documents are sampled.

        Topics that follow samples keep a short memory, and are averaged: documents have to be
        sampled under topics of their last few samples, not of all.
        """
        kappa = self.config.learning_decay
        steps = self.plan.learning_offset + self.clock.n_updates + 1
        rate = steps ** -(kappa or KAPPA)
        if kappa is None and sampled:
            of_memory = batch.size / (MEMORY * self.clock.total_samples)
            rate = max(rate, min(of_memory, LARGEST_RATE))
        return rate

    def _predicted_eta(self, batch: Minibatch, sweeps: dict[str, Any]) -> float:
        size = self.clock.corpus_size(batch).tokens, *self.topics.M.shape
        if not self.plan.forgets:
            return unlearned_eta(*size)
        if not self.has_sampled:
            return first_eta(*size)
        eta = float(self.eta)
        return self.predictive_eta.update(self.topics, batch, self.alpha, eta, self.clock, **sweeps)

    def _samples_at(self, s: float) -> bool:
        return self.config.sampling and s == 1.0 and self._past_plain_passes

    def _leaves_out_own(self, batch: Minibatch) -> bool:
        """Whether the own counts of tokens leave the statistics.

        Of short documents always, of others once topics have parted.
        """
        size = self.clock.corpus_size(batch)
        # A fit of fewer passes than long documents get leaves them out as early as short ones.
        planned = max(self.plan.planned_passes, usual_passes(size.documents, 0.0))
        usual = round(min(usual_passes(size.documents, size.length), planned))
        passes = min(usual, max(OWN_PASSES, OWN_SHARE * usual))
        return size.length < OWN_TOKENS or self.clock.documents_seen >= passes * size.documents

    def _sample(self, batch: Minibatch, workers: Workers) -> LocalParameters:
        for_alpha = self.priors.wants_samples(self.clock, batch)
        return sample(
            self.topics,
            batch,
            self.alpha,
            self.sampling_seed + self.clock.n_updates,
            sweeps=OF_ALPHA if for_alpha else TRAINING,
            workers=workers,
            want_drawn=for_alpha,
            want_own=self._leaves_out_own(batch),
            workspace=self._workspace,
        )

    def _temperature_update(
        self, clock: Clock, batch: Minibatch, q: LocalParameters, workers: Workers, *, learns: bool
    ) -> NDArray[Any]:
        """Tell the temperature control about a minibatch; the weight s_d of each document."""
        order = self._order_parameter(batch, q, workers) if self.control.probing else None
        evidence = self._evidence(clock, batch, q, workers) if learns else None
        weights = self.control.update(clock, evidence, order)
        return q.s if weights is None else weights.astype(q.s.dtype)

    def _evidence(
        self, clock: Clock, batch: Minibatch, q: LocalParameters, workers: Workers
    ) -> Evidence | None:
        if self.config.tempering.mode == "lvt":
            assert isinstance(self.normalizer, PosteriorNormalizer)
            return self.normalizer.of_documents(self.topics, batch, q, workers, clock.passes)
        if not len(batch.counts):
            return None
        assert self.normalizer is not None
        size = self.clock.corpus_size(batch)
        energy, log_c = self.normalizer.corpus(self.topics, batch, q, size, workers)
        return corpus_evidence(self.normalizer.nodes, energy, log_c)

    def _order_parameter(
        self, batch: Minibatch, q: LocalParameters, workers: Workers
    ) -> float | None:
        """How much its own mixture of topics explains of a document beyond the average one.

        In nats per token; None without tokens.
        """
        tokens = batch.total_tokens
        if tokens == 0:
            return None
        totals = self.topics.totals
        average = (totals / totals.sum())[None, :]
        gain = log_likelihood(self.topics, batch, q.theta(), workers) - log_likelihood(
            self.topics, batch, average, workers
        )
        return float(batch.total(gain) / tokens)

    def _elbo(self, batch: Minibatch, q: LocalParameters, weights: NDArray[Any], s: float) -> float:
        """The annealed ELBO of a corpus after its E-step, in nats (VT eq. 4)."""
        of_documents = document_elbo(batch, q, s)
        if len(q.energy):  # documents have temperatures of their own
            of_documents += (weights.astype(np.float64) - s) * q.energy
        eta = self.tempered.eta(self.eta, s)
        of_topics = (
            topics_log_prior(self.topics, eta)
            if self.topics.point
            else -topics_kl(self.topics, eta)
        )
        return float(batch.total(of_documents)) + of_topics


class _Step:
    """What a step changes once it can only be finished: topics, eta, clock and averages."""

    def __init__(
        self,
        trainer: Trainer,
        of_topics: TopicsStep,
        batch: Minibatch,
        eta_rate: float | None,
        elbo: float,
        workers: Workers,
        *,
        averages: bool,
    ) -> None:
        self.elbo, self._workers = elbo, workers
        self._trainer, self._of_topics, self._eta_rate = trainer, of_topics, eta_rate
        self._averages = averages
        self._eta, self._restore = trainer.eta, snapshot([trainer.priors, trainer.average])
        self._clock_after = trainer.clock.after(batch)

    def take(self) -> None:
        """Take the step."""
        self._of_topics.take()
        self._follow()

    def finish(self) -> None:
        """Take what is left of the step, once or several times."""
        self._of_topics.finish()
        self._restore()
        self._follow()

    def _follow(self) -> None:
        """What comes after the step of the topics."""
        trainer = self._trainer
        if self._eta_rate is not None:
            eta = trainer.priors.eta(trainer.topics, self._eta, self._eta_rate)
            if eta is not self._eta:
                trainer.eta = eta
                trainer.topics.set_prior(eta)
        vars(trainer.clock).update(self._clock_after)
        if self._averages:
            trainer.average.follow(trainer.topics, trainer.clock, self._workers)
        trainer.in_step = False
