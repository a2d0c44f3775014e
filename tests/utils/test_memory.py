"""The memory of a machine, and of a container that has less of it."""

import os

import pytest

from tests.small_lda import corpus, small_lda
from topictemper._utils import _memory

posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no such names of files")

MACHINE = (8 * 2**30, "the machine")


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """A machine with 8 GiB; returns what sets the groups of this process, and their limits."""
    sizes = {"SC_PAGE_SIZE": 2**12, "SC_PHYS_PAGES": 2**21}
    monkeypatch.setattr(_memory.os, "sysconf", sizes.get, raising=False)
    monkeypatch.setattr(_memory, "_OWN_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(_memory, "_GROUPS", tmp_path / "groups")

    def set_groups(own, limits):
        (tmp_path / "cgroup").write_text(own)
        for name, limit in limits.items():
            file = tmp_path / "groups" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{limit}\n")

    return set_groups


def test_no_control_groups(groups):
    assert _memory.usable_memory() == MACHINE


@pytest.mark.parametrize(
    ("own", "limits"),
    [
        ("0::/\n", {"memory.max": 2**29}),
        ("0::/a.slice/b.scope\n", {"a.slice/b.scope/memory.max": 2**29, "memory.max": "max"}),
        pytest.param("0::/a:b\x0cc\n", {"a:b\x0cc/memory.max": 2**29}, marks=posix),
        ("of no group\n0::/\n", {"memory.max": 2**29}),
        ("0::/a/b\n", {"a/b/memory.max": "max", "a/memory.max": 2**29}),
        ("0::/of/the/host\n", {"memory.max": 2**29}),
        ("9:cpu:/\n8:memory:/d\n0::/\n", {"memory/d/memory.limit_in_bytes": 2**29}),
        ("8:memory:/of/the/host\n", {"memory/memory.limit_in_bytes": 2**29}),
    ],
)
def test_the_smallest_limit_of_the_groups_holds(groups, own, limits):
    groups(own, limits)
    assert _memory.usable_memory() == (2**29, "its container or control group")


@pytest.mark.parametrize(
    ("own", "limits"),
    [
        ("0::/\n", {}),
        ("0::/a\n", {"a/memory.max": "max"}),
        ("8:memory:/\n", {"memory/memory.limit_in_bytes": 2**63 - 4096}),
        ("9:cpu:/c\n", {"memory/c/memory.limit_in_bytes": 2**29, "c/memory.max": 2**29}),
    ],
)
def test_groups_without_a_limit_have_what_the_machine_has(groups, own, limits):
    groups(own, limits)
    assert _memory.usable_memory() == MACHINE


def test_topics_that_a_container_cannot_hold(groups):
    X = corpus()
    lda = small_lda(n_components=2**20)
    groups("0::/\n", {"memory.max": 3 * 4 * lda.n_components * X.shape[1] - 1})
    message = r"n_components=1048576 needs .* its container or control group has 0\.7 GiB; choose a"
    with pytest.raises(ValueError, match=message):
        lda.fit(X)
