"""What workers do: pure functions, whose results depend on their arguments alone.

A model in training travels as a tree of its state (`Stateful`) without the topics, and the topics
in blocks of some words each.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core._isa import available_isas, description, get_isa, set_isa
from .._core._workers import Workers
from .._utils._chunks import stacked
from .._utils._state import Tree
from .._utils._version import VERSION
from ..lda._average import weight_of
from ..lda._estimator import TemperedLDA
from ..lda._minibatch import Gatherer
from ._corpus import seed_of

BYTES_OF_A_BLOCK = 1 << 24
# Documents and tokens of the shards of a round are those of the corpus together.
_COUNTS = (("clock", "documents_seen"), ("clock", "tokens_seen"), ("priors", "n_sampled"))

# One task that needs all topics at a time in a process: their memory, and the instruction set.
_alone = Lock()

Block = NDArray[Any]


@dataclass(frozen=True)
class Job:
    """What all tasks of a fit have in common."""

    #: Parameters of `topictemper.TemperedLDA` in rounds, and of the fit of the sample.
    parameters: dict[str, Any]
    sample_parameters: dict[str, Any]
    n_rows: int
    n_columns: int
    #: By rounds.
    passes: int
    seed: int
    #: The version of the package, the instruction set to work with, and what `description` says of
    #: it: workers that join a fit later have not been asked for theirs.
    version: str
    isa: str
    machine: str
    n_jobs: int | None

    @property
    def bytes_of_topics(self) -> int:
        """Memory of all topics."""
        return self.n_columns * self._bytes_of_a_word

    @property
    def words_in_a_block(self) -> int:
        """Words of a block of topics."""
        return max(1, BYTES_OF_A_BLOCK // self._bytes_of_a_word)

    @property
    def n_blocks(self) -> int:
        """Blocks of topics."""
        return ceil(self.n_columns / self.words_in_a_block)

    @property
    def _bytes_of_a_word(self) -> int:
        return self.parameters["n_components"] * np.dtype(self.parameters["dtype"]).itemsize


class Shard(NamedTuple):
    """What a shard makes of the topics in a round."""

    tree: Tree
    blocks: list[Block]


class _OfTheSample(TemperedLDA):
    """The estimator that anneals on the sample."""

    def _warn_of_heat(self) -> None:
        """Say nothing: in the rounds T may go on to fall."""


class Machine(NamedTuple):
    """The kernels of a process."""

    version: str
    isa: str
    available: tuple[str, ...]
    architecture: str


def machine_of() -> Machine:
    """Return the kernels of this process."""
    return Machine(VERSION, get_isa(), available_isas(), platform.machine())


def itself(value: Any) -> Any:
    """Return what many tasks need, so that it is sent once."""
    return value


def anneal(job: Job, samples: list[Any]) -> Shard:
    """Fit the sample, and take its topics for those of the whole corpus."""
    sample = stacked(samples)
    if not sample.data.any():
        raise ValueError(
            f"the sample of X has no words in its {sample.shape[0]} documents; choose a larger "
            "sample_size"
        )
    with _working(job):
        lda = _OfTheSample(**job.sample_parameters, n_jobs=job.n_jobs).fit(sample)
        lda._trainer.expect(float(job.n_rows))
        tree = lda._get_state()
        # The learning rate starts anew. Step 0 would add documents to the topics.
        tree["trainer"]["clock"]["n_updates"] = 1
        tree["expected_samples"] = tree["n_rows"] = float(job.n_rows)
        tree["parameters"] = {}
        return _shard(job, tree)


def train(
    job: Job, n_round: int, shard: int, tree: Tree, blocks: list[Block], rows: list[Any]
) -> Shard:
    """Learn from a part of a shard as if it stood for the whole corpus."""
    with _working(job):
        trainer = model(job, tree, blocks)._trainer
        seed = seed_of(job.seed, n_round, shard)
        trainer.sampling_seed = seed
        X = stacked(rows)
        order = np.arange(X.shape[0], dtype=np.int64)
        if trainer.config.shuffle:
            order = np.random.default_rng(seed).permutation(order)
        # Minibatches of the same size: a small last one would have too large a step.
        steps = max(1, round(len(order) / trainer.plan.batch_size))
        # Alpha is learned in the last passes of all, but T follows the plan of the sample: that of
        # all passes would be hot for longer, and make topics hot again that have come to T = 1.
        trainer.plan = trainer.priors.plan = replace(
            trainer.plan,
            batch_size=ceil(len(order) / steps),
            planned_passes=trainer.plan.planned_passes + job.passes,
        )
        with Workers(job.n_jobs) as workers:
            trainer.run(Gatherer(X, trainer.topics.M.dtype), order, workers)
        trainer.average.topics = None  # rounds are averaged, by `averaged`
        new = dict(tree, trainer=trainer.get_state())
        return _shard(job, new)


def model(
    job: Job, tree: Tree, blocks: list[Block], words: NDArray[Any] | None = None
) -> TemperedLDA:
    """Return the estimator of the rounds, with the state of a tree and blocks of topics."""
    lda = TemperedLDA(**job.parameters, n_jobs=job.n_jobs)
    return restored(lda, job.n_columns, tree, blocks, words)


def restored(
    lda: TemperedLDA,
    n_columns: int,
    tree: Tree,
    blocks: list[Block],
    words: NDArray[Any] | None = None,
) -> TemperedLDA:
    """Give an estimator the state of a tree and blocks of topics, and names of its columns."""
    M = np.concatenate(blocks)
    topics = dict(tree["trainer"]["topics"], M=M, column_sums=M.sum(axis=0, dtype=np.float64))
    lda.n_features_in_ = n_columns
    if words is not None:
        lda.feature_names_in_ = words
    lda._set_state(dict(tree, trainer=dict(tree["trainer"], topics=topics)))
    return lda


def score(job: Job, tree: Tree, blocks: list[Block], held_out: Any) -> float:
    """Return the score of held-out documents."""
    with _working(job):
        return model(job, tree, blocks).score(held_out)


def part(shard: Shard, i: int) -> Block:
    """Return one block of topics of a shard."""
    return shard.blocks[i]


def tree_of(shard: Shard) -> Tree:
    """Return what a shard has beside its topics."""
    return shard.tree


def add(total: Block | None, block: Block) -> Block:
    """Add a block of topics of one more shard, in double precision."""
    block = block.astype(np.float64)
    return block if total is None else total + block


def mean(total: Block, n: int, dtype: str) -> Block:
    """Return the mean of the shards."""
    return (total / n).astype(dtype)


def averaged(average: Block, block: Block, n: int) -> Block:
    """Return the average over rounds once the n-th is in it."""
    return (average + weight_of(n) * (block.astype(np.float64) - average)).astype(block.dtype)


def merged(tree: Tree, shards: list[Tree]) -> Tree:
    """Return the state after a round from the one before it and those of its shards.

    Numbers that are not whole are means over shards, in their order, but for counts, which add up.
    All else is that of the first shard, but for the clock, and for what shuffles and samples.
    """
    trees = [shard["trainer"] for shard in shards]
    before = tree["trainer"]
    after = _mean(trees)
    after["clock"]["n_updates"] = max(each["clock"]["n_updates"] for each in trees)
    for where, name in _COUNTS:
        start = before[where][name]
        after[where][name] = start + sum(each[where][name] - start for each in trees)
    for name in ("random_state", "sampling_seed"):
        after[name] = before[name]
    return dict(tree, trainer=after)


def _mean(values: list[Any]) -> Any:
    first = values[0]
    if isinstance(first, dict):
        return {name: _mean([value[name] for value in values]) for name in first}
    is_array = isinstance(first, np.ndarray) and first.dtype.kind == "f"
    if is_array and all(value.shape == first.shape for value in values):
        total = values[0].astype(np.float64)
        for value in values[1:]:
            total = total + value
        return (total / len(values)).astype(first.dtype)
    if isinstance(first, float) and all(isinstance(value, float) for value in values):
        return sum(values) / len(values)
    return first


def _shard(job: Job, tree: Tree) -> Shard:
    """Take the topics out of a tree, with their factor in them."""
    topics = tree["trainer"]["topics"]
    M, a = topics["M"], topics["a"]
    if a != 1.0:
        M *= M.dtype.type(a)
    rest = dict(topics, M=None, a=1.0, column_sums=None)
    size = job.words_in_a_block
    blocks = [M[start : start + size] for start in range(0, len(M), size)]
    return Shard(dict(tree, trainer=dict(tree["trainer"], topics=rest)), blocks)


@contextmanager
def _working(job: Job) -> Iterator[None]:
    """Work alone in this process, with the version and the instruction set of the fit."""
    if job.version != VERSION:
        raise RuntimeError(
            f"this worker has topictemper {VERSION}, but the fit began with {job.version}; install "
            "one version everywhere"
        )
    with _alone:
        before = get_isa()
        set_isa(job.isa)
        try:
            if description() != job.machine:
                raise RuntimeError(
                    f"this worker has {description()}, but the fit began with {job.machine}; its "
                    "bits would differ: let workers of one architecture learn"
                )
            yield
        finally:
            set_isa(before)
