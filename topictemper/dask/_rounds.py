"""Learning by rounds: shards learn from the same topics, whose mean begins the next round."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from .._utils._state import Tree
from . import _tasks as tasks
from ._checkpoint import Checkpoint, State
from ._corpus import Corpus, ShardMap, drawn, rows_of, seed_of
from ._executors import Executor, repeated
from ._tasks import Job


class Rounds:
    """Makes the rounds of a fit, and keeps the best state.

    Parameters
    ----------
    executor : Executor
        Where tasks run.
    job : Job
        What all tasks have in common.
    corpus, shards, blocks
        The documents, which shard has which, and the blocks that they lie in.
    validation : CSR matrix or None
        Documents to score after each round.
    patience : int or None
        Rounds in a row without a better score after which to stop; None: make all.
    checkpoint : Checkpoint or None
        Where to write each round.
    report : callable
        Called with a line about each round.

    Attributes
    ----------
    scores : list of list of float
        Passes made and nats per token, after each round.
    """

    def __init__(
        self,
        executor: Executor,
        job: Job,
        corpus: Corpus,
        shards: ShardMap,
        blocks: list[Any],
        *,
        validation: Any,
        patience: int | None,
        checkpoint: Checkpoint | None,
        report: Callable[[str], None],
    ) -> None:
        self._executor, self._corpus, self._shards = executor, corpus, shards
        self._blocks, self._validation, self._patience = blocks, validation, patience
        self._checkpoint, self._report = checkpoint, report
        self._job = job
        self._send()
        self.scores: list[list[float]] = []
        self._best_score, self._waited = -float("inf"), 0

    def run(self, n_rounds: int, sample_size: int, record: Tree | None) -> State:
        """Make the rounds that are left; returns the last state, or the best one.

        `record` is what the checkpoint has of the rounds that have been made.
        """
        if record is None:
            state = self._repeated(lambda _: self._annealed(sample_size), "the sample")
            state = best = self._written(state, state)
        else:
            self.scores = record["scores"]
            self._best_score, self._waited = record["best_score"], record["waited"]
            state, best = (self._read(record[name]) for name in ("n_rounds", "best_round"))
        while state.n_rounds < n_rounds and not self._is_over():
            began = perf_counter()
            state, best = self._next(state, best)
            self._tell(state, n_rounds, perf_counter() - began)
        return best

    def _is_over(self) -> bool:
        return self._patience is not None and self._waited >= self._patience

    def _next(self, state: State, best: State) -> tuple[State, State]:
        """Make a round, score it, and write it; returns the state and the best one."""
        what = f"round {state.n_rounds + 1}"
        new, score = self._repeated(lambda again: self._made(state, again=again), what)
        if score is not None:
            self.scores.append([new.n_rounds / self._shards.rounds_per_pass, score])
            better = score > self._best_score
            self._best_score = max(score, self._best_score)
            self._waited = 0 if better else self._waited + 1
        if self._patience is None or self._waited == 0:
            new = self._written(new, new)
            return new, new
        return self._written(new, best), best

    def _made(self, state: State, *, again: bool) -> tuple[State, float | None]:
        """The state after one more round, and its score."""
        if again and self._checkpoint is not None:
            state = self._read(state.n_rounds)  # nothing of it needs to be in memory
        elif again:
            self._executor.check_kept([state.tree, *state.blocks, *state.averages])
        new = self._round(state)
        if self._validation is None:
            return new, None
        arguments = self._sent_job, new.tree, new.averages, self._held_out
        [score] = self._executor.gather([self._executor.submit(tasks.score, *arguments)])
        return new, float(score)

    def _annealed(self, sample_size: int) -> State:
        """Anneal on a sample, which is drawn by hashes of the places of documents."""
        submit, job = self._executor.submit, self._job
        share = sample_size / self._corpus.n_rows
        seed = seed_of(job.seed)
        offsets = self._corpus.offsets.tolist()
        samples = [
            submit(drawn, place, self._executor.load(block), offsets[place], seed, share)
            for place, block in enumerate(self._blocks)
            if self._corpus.has_rows(place)
        ]
        shard = submit(tasks.anneal, self._sent_job, samples)
        tree = submit(tasks.tree_of, shard)
        blocks = [submit(tasks.part, shard, i) for i in range(job.n_blocks)]
        self._executor.wait([tree, *blocks])
        return State(0, tree, blocks, blocks)

    def _round(self, state: State) -> State:
        """Let all shards learn from the topics, and take their mean."""
        submit, job = self._executor.submit, self._job
        self._executor.begin()
        totals: list[Any] = [None] * job.n_blocks
        trees = []
        for shard in range(self._shards.n_shards):
            rows = self._rows(shard, state.n_rounds)
            arguments = self._sent_job, state.n_rounds, shard, state.tree, state.blocks, rows
            learned = submit(tasks.train, *arguments, shard=shard)
            trees.append(submit(tasks.tree_of, learned))
            totals = [
                submit(tasks.add, total, submit(tasks.part, learned, i))
                for i, total in enumerate(totals)
            ]
            del learned, rows  # they take memory no longer than others need them
        n_rounds, dtype = state.n_rounds + 1, np.dtype(job.parameters["dtype"]).name
        blocks = [submit(tasks.mean, total, self._shards.n_shards, dtype) for total in totals]
        averages = [
            submit(tasks.averaged, average, block, n_rounds)
            for average, block in zip(state.averages, blocks, strict=True)
        ]
        tree = submit(tasks.merged, state.tree, trees)
        self._executor.wait([tree, *blocks, *averages])
        return State(n_rounds, tree, blocks, averages)

    def _rows(self, shard: int, n_rounds: int) -> list[Any]:
        """The documents that a shard learns from in a round."""
        executor, offsets = self._executor, self._corpus.offsets.tolist()
        start, stop = self._shards.rows(shard, n_rounds % self._shards.rounds_per_pass)
        found = []
        for place, first, last in self._corpus.pieces(start, stop):
            block = executor.load(self._blocks[place], shard=shard)
            n_rows = offsets[place + 1] - offsets[place]
            found.append(executor.submit(rows_of, place, block, first, last, n_rows, shard=shard))
        return found

    def _read(self, n_rounds: int) -> State:
        assert self._checkpoint is not None
        return self._checkpoint.read(self._executor, n_rounds, self._job.n_blocks)

    def _written(self, state: State, best: State) -> State:
        """Write a state to the checkpoint, if there is one."""
        if self._checkpoint is None:
            return state
        record = {
            "seed": self._job.seed,
            "n_rounds": state.n_rounds,
            "best_round": best.n_rounds,
            "best_score": self._best_score,
            "waited": self._waited,
            "scores": self.scores,
        }
        checkpoint = self._checkpoint
        return self._repeated(
            lambda _: checkpoint.write(self._executor, state, record), "the checkpoint"
        )

    def _repeated(self, attempt: Callable[[bool], Any], what: str) -> Any:
        """Do something again from its start if workers are lost."""

        def sent(again: bool) -> Any:
            if again:
                self._send()
            return attempt(again)

        return repeated(self._executor, sent, what, self._report)

    def _send(self) -> None:
        """Send what all tasks need, once for all of them."""
        self._sent_job = self._executor.submit(tasks.itself, self._job)
        self._held_out = self._executor.submit(tasks.itself, self._validation)

    def _tell(self, state: State, n_rounds: int, seconds: float) -> None:
        passes = state.n_rounds / self._shards.rounds_per_pass
        score = f", validation score {self.scores[-1][1]:.4f} nats per token" if self.scores else ""
        rate = self._shards.n_rows / self._shards.rounds_per_pass / max(seconds, 1e-9)
        self._report(
            f"round {state.n_rounds}/{n_rounds}: pass {passes:.2f}, {rate:.0f} documents a "
            f"second{score}"
        )
