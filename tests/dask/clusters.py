"""A cluster of processes that tests share, until one of them fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle
import dask
import distributed
import pytest
from distributed.utils import get_mp_context

from . import documents

SECONDS = 100  # for a worker to start on a busy machine


class LocalCluster(distributed.LocalCluster):
    """A cluster that may lose a worker before it has heard of it.

    That of Dask would stop to follow its workers, and raise the KeyError when it is closed.
    """

    def _update_worker_status(self, op: str, msg: Any) -> None:
        if op != "remove" or msg in self.scheduler_info["workers"]:
            super()._update_worker_status(op, msg)


class Clusters:
    """One cluster at a time."""

    def __init__(self) -> None:
        self._cluster: LocalCluster | None = None

    def current(self) -> LocalCluster:
        """One worker process, and more when tests ask for them."""
        if self._cluster is None:
            self._cluster = LocalCluster(
                n_workers=1,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=":0",
                silence_logs="CRITICAL",
            )
        return self._cluster

    def close(self) -> None:
        """Close it; the next is another one."""
        cluster, self._cluster = self._cluster, None
        if cluster is not None:
            cluster.close()


@contextmanager
def clusters_of(module: ModuleType) -> Iterator[Clusters]:
    """The clusters of a module of tests: one, if no test fails."""
    # Workers find the modules of tests as this process does, or need not find them.
    cloudpickle.register_pickle_by_value(documents)
    cloudpickle.register_pickle_by_value(module)
    with (
        pytest.MonkeyPatch.context() as patch,
        dask.config.set(
            {
                # The cluster gives up a worker that is not there so long after one of its name was
                # lost, even while it starts. The default is too short for busy machines.
                "distributed.deploy.lost-worker-timeout": "1h",
                "distributed.worker.multiprocessing-method": "forkserver",
            }
        ),
    ):
        patch.syspath_prepend(str(Path(__file__).parents[2]))
        # Workers are forks of a process that has the modules, and so start at once.
        get_mp_context().set_forkserver_preload(["distributed", "topictemper.dask"])
        clusters = Clusters()
        try:
            yield clusters
        finally:
            clusters.close()
