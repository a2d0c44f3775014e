"""What follows from the number of documents: passes, minibatches, and the course of T."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from ..tempering._control import AnnealingCourse
from ..tempering._modes import TemperingSettings
from . import _defaults as default
from ._config import Config


def shortness(length: float) -> float:
    """1 for documents without tokens, 1/2 for those of `SHORT`, near 0 for long ones."""
    return 1.0 / (1.0 + (length / default.SHORT) ** 2)


def seen_of_few(length: float) -> float:
    """Return how many documents a fit of few of them sees: of long ones twice as many."""
    return (1.0 - 0.5 * shortness(length)) * default.SEEN_OF_FEW


def usual_passes(n_documents: float, length: float) -> float:
    """Return the passes that see enough documents, which have so many tokens each."""
    least, most = default.PASSES_RANGE
    of_few, many = seen_of_few(length) / n_documents, default.MANY_PASSES
    if of_few > many:
        of_few = min(sqrt(of_few * many), default.MOST_PASSES)
    return max(of_few, min(max(default.SEEN / n_documents, least), most))


def default_passes(n_documents: float, length: float) -> float:
    """Return the passes of a fit that gives none.

    A short document says little about its topics, so it takes more passes to find them. Of twenty
    tokens it gets twice the usual ones, of hundreds no more than these.
    """
    more = (default.TIMES_OF_SHORT - 1.0) / (1.0 + (length / default.SHORT) ** 6)
    usual = usual_passes(n_documents, length)
    return min((1.0 + more) * usual, default.MOST_PASSES)


def planned_passes(config: Config, n_documents: float, length: float) -> int:
    """Return the passes that a fit of so many documents of some length is to make."""
    if config.max_iter is not None:
        return config.max_iter
    if config.whole:
        return round(default.PASSES_RANGE[1])
    # By E[beta] alone, many topics of short documents predict worse with more passes.
    passes = usual_passes if config.point and not config.sampling else default_passes
    return round(passes(n_documents, length))


@dataclass(frozen=True)
class Plan:
    """What depends on how many documents there are, and how often they are to be seen."""

    expected_samples: float | None
    planned_passes: int
    batch_size: int
    #: Such minibatches in one where documents are sampled.
    n_joined: int
    learning_offset: float
    #: Of a pass, of which minibatches are made; the documents, unless these have weights.
    n_rows: float
    #: Tokens of a document; None: nobody knows, and then the fit is not a long one.
    length: float | None = None

    @classmethod
    def of(
        cls,
        config: Config,
        expected_samples: float | None,
        planned_passes: int,
        n_rows: float | None = None,
        length: float | None = None,
    ) -> Plan:
        """Plan to see `expected_samples` documents (None: nobody knows) so many times."""
        documents = expected_samples or default.STREAM_SAMPLES
        batch_size, n_joined = config.batch_size, 1
        if batch_size is None:
            # Of few documents it is the least, of whatever length they are.
            size = documents / (default.STEPS * usual_passes(documents, 0.0))
            least, largest = default.BATCH_RANGE
            if config.sampling and documents > least:
                # A larger share of few documents would be remembered for longer than `MEMORY`.
                least = min(least, default.MEMORY * default.LARGEST_RATE * documents)
            batch_size = round(min(max(size, least), largest))
            if config.sampling:
                most = min(default.SAMPLED_SHARE * documents, default.SAMPLED_MOST)
                n_joined = max(1, int(most / batch_size))
        offset = config.learning_offset
        if offset is None:
            updates = planned_passes * documents / batch_size
            low, high = default.OFFSET_RANGE
            offset = min(max(default.OFFSET_SHARE * updates, low), high)
        n_rows = n_rows or documents
        return cls(expected_samples, planned_passes, batch_size, n_joined, offset, n_rows, length)

    @property
    def largest_batch(self) -> int:
        """Documents in a minibatch that is sampled; all minibatches are parts of such."""
        return self.n_joined * self.batch_size

    @property
    def forgets(self) -> bool:
        """Whether a document is forgotten between passes, as no minibatch is the whole corpus."""
        return self.batch_size < self.n_rows

    @property
    def excess(self) -> float:
        """The passes over `LONG` times the usual ones; 1 if there are fewer."""
        if self.expected_samples is None or self.length is None:
            return 1.0
        usual = usual_passes(self.expected_samples, self.length)
        return max(self.planned_passes / (default.LONG * usual), 1.0)

    @property
    def is_long(self) -> bool:
        """Whether the fit makes clearly more passes than the usual ones of such documents."""
        return self.excess > 1.0

    def ends(self, passes: float) -> bool:
        """Whether the fit is in its last passes."""
        return (1.0 - default.LAST_SHARE) * self.planned_passes <= passes < self.planned_passes

    def course(self, config: Config, *, given_topics: bool) -> AnnealingCourse:
        """Return the course of the temperature, of which the user has set some part."""
        t = config.tempering
        start, auto = t.max_temperature, t.max_temperature is None
        if t.mode == "svi":
            return AnnealingCourse(1.0, "linear", 0.0)
        if auto and t.mode == "dasvi":
            start = default.DASVI_START
        lowest, least = default.LOWEST, default.LEAST_STEPS
        if config.sampling:
            lowest, least = default.LOWEST_OF_SAMPLED, default.LEAST_STEPS_OF_SAMPLED
        of_a_pass = 1.0 if config.whole else max(1.0, self.n_rows / self.batch_size)
        of_default = start is None and t.schedule is None and t.length is None
        too_few = of_default and of_a_pass * self.planned_passes < least
        # Given topics are not melted down.
        if too_few or (auto and given_topics):
            start = 1.0
        share, probe_share = default.ANNEALING_SHARE, default.PROBE_SHARE
        if self.planned_passes <= default.FEW_PASSES:
            share, probe_share = default.ANNEALING_SHARE_OF_FEW, default.PROBE_SHARE_OF_FEW
        passes = float(self.planned_passes)
        if config.sampling and self.length is not None:
            # Samples of short documents go on parting topics at T = 1: long fits need not be hot
            # for longer than others.
            passes /= self.excess ** shortness(self.length)
        length = share * passes if t.length is None else t.length
        probe_length = probe_share * passes
        if config.whole and config.point:
            probe_length = min(probe_length, default.PROBE_IN_FULL)
        return AnnealingCourse(start, t.schedule or "linear", length, probe_length, lowest)

    def inertia(self, tempering: TemperingSettings) -> float:
        """Return the passes over which a learned temperature is averaged."""
        if tempering.inertia is not None:
            return tempering.inertia
        return default.INERTIA_SHARE.get(tempering.mode, 0.0) * self.planned_passes
