"""The cluster of a test. Without Dask this file is read too, but no test is."""

from collections.abc import Iterator
from typing import Any

import pytest

_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Note that a test has failed, for the fixtures that it leaves."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
    return report


@pytest.fixture(scope="module")
def clusters(request: pytest.FixtureRequest) -> Iterator[Any]:
    from .clusters import clusters_of

    with clusters_of(request.module) as clusters:
        yield clusters


@pytest.fixture
def cluster(clusters: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The cluster, which no later test shares if this one fails: nobody knows what is left of it.

    Its workers may be paused, for instance, and every later test would wait for them.
    """
    yield clusters.current()
    if request.node.stash.get(_FAILED, False):
        clusters.close()


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    """A client of three workers, one of which may still start."""
    import distributed

    from .clusters import SECONDS

    cluster.scale(3)
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=SECONDS)
        yield client


@pytest.fixture(scope="module")
def reference() -> Any:
    """The bits of a fit of one matrix."""
    from .documents import bits, counts, estimator

    return bits(estimator().fit(counts()))
