"""What is checked and planned first: the client, instruction sets, memory, minibatches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dask
import distributed

from .._core._isa import ISAS
from ..lda._config import Config
from ..lda._plan import Plan
from ._corpus import Corpus, ShardMap
from ._executors import Cluster, Executor, Local, check_client, machines_of
from ._tasks import Job, Machine

# A worker holds the topics that it gets, those that it learns, and a copy while it checks them; of
# its documents the blocks, the rows of its part or of the sample, and minibatches of them.
_COPIES_OF_TOPICS, _COPIES_OF_ROWS = 3.0, 3.0
# benchmarks/dask/rounds.py: documents in a minibatch, and the steps that a shard should make in a
# round, which matter more.
_BATCH_RANGE, _LEAST_STEPS = (250.0, 500.0), 6
# Dask pauses a worker at 0.8 of its memory.
_SHARE_OF_MEMORY = 0.75


def executor_for(client: Any, *, lazy: bool) -> Executor:
    """Return the cluster of a client, or of the current one; without any, this process."""
    if client is None:
        try:
            client = distributed.default_client()
        except ValueError:
            return Local()
        if not lazy:
            return Local()
    if not isinstance(client, distributed.Client):
        raise TypeError(f"client must be a distributed.Client or None, got {client!r}")
    if client.asynchronous:
        raise TypeError(
            "client is asynchronous, but fit waits for results; connect another one, without "
            "asynchronous=True"
        )
    check_client(client)
    if not lazy:
        raise TypeError(
            "X is in the memory of this process, from where workers would have to get it. Give a "
            "dask.array whose blocks workers load; or client=None, and learn in this process"
        )
    return Cluster(client)


def check_workers() -> None:
    """Refuse the cluster of the current client, if there is one, unless all workers can predict.

    A task that a worker cannot read, because it lacks the package, ends the worker, and Dask waits
    for another one without end.
    """
    try:
        client = distributed.default_client()
    except ValueError:
        return
    # A client sets this; the user may set another scheduler since.
    if not client.asynchronous and dask.config.get("scheduler", None) == "dask.distributed":
        machines_of(client)


def common_isa(machines: dict[str, Machine], wanted: str | None) -> str:
    """Return the instruction set that all workers are to use.

    Raises
    ------
    RuntimeError
        If workers have different processors.
    ValueError
        If they use different instruction sets and none is chosen, or one lacks the one chosen.
    """
    architectures = {machine.architecture for machine in machines.values()}
    if len(architectures) > 1:
        raise RuntimeError(
            f"workers have processors of different architectures, {sorted(architectures)}, which "
            "round differently; let workers of one architecture learn"
        )
    common = [isa for isa in ISAS if all(isa in m.available for m in machines.values())]
    if wanted is not None:
        if wanted not in common:
            raise ValueError(
                f"isa={wanted!r} must be an instruction set that all workers have: {common}"
            )
        return wanted
    used = {machine.isa: name for name, machine in machines.items()}
    if len(used) > 1:
        raise ValueError(
            "workers use different instruction sets, which round differently: "
            + ", ".join(f"{name} {isa}" for isa, name in sorted(used.items()))
            + f". isa={common[0]!r} lets all of them use the best that they have in common"
        )
    return next(iter(used))


def check_memory(
    executor: Executor, job: Job, corpus: Corpus, shards: ShardMap, n_sample: int
) -> None:
    """Refuse a model that workers have too little memory for."""
    n_part = corpus.n_rows / (shards.n_shards * shards.rounds_per_pass)
    part = max(n_part, n_sample) * corpus.bytes_per_row
    what, cure = "its documents of a round", "more rounds_per_pass"
    if n_sample > n_part:
        what, cure = "the documents of the sample", "a smaller sample_size"
    needed = _COPIES_OF_TOPICS * job.bytes_of_topics + _COPIES_OF_ROWS * part
    for name, memory in executor.memory().items():
        if needed > _SHARE_OF_MEMORY * memory:
            raise MemoryError(
                f"a worker needs about {_gib(needed)} for this fit: {_COPIES_OF_TOPICS:.0f} times "
                f"the topics, which take {_gib(job.bytes_of_topics)}, and "
                f"{_COPIES_OF_ROWS:.0f} times {what}, {_gib(part)}. Worker "
                f"{name} has a limit of {_gib(memory)}, of which {_SHARE_OF_MEMORY:.0%} may be "
                "used. Start workers with a larger memory_limit, or choose fewer n_components, a "
                f"smaller vocabulary, or {cure}"
            )


def plan_of_a_shard(config: Config, shards: ShardMap, passes: int) -> Plan:
    """Minibatches and learning rate as for a corpus of the size of a shard."""
    n_rows = shards.n_rows / shards.n_shards
    plan = Plan.of(config, n_rows, passes)
    if config.batch_size is None:
        least, most = _BATCH_RANGE
        least = min(least, n_rows / shards.rounds_per_pass / _LEAST_STEPS)
        size = int(min(max(plan.batch_size, least), most))
        plan = Plan.of(replace(config, batch_size=size), n_rows, passes)
    return plan


def _gib(n_bytes: float) -> str:
    return f"{n_bytes / 2**30:.2f} GiB"
