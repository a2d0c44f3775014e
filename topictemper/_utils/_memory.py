"""The memory that this process may use: that of the machine, or of its container if less."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

_OWN_GROUPS = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")


def usable_memory() -> tuple[int, str]:
    """Return the number of bytes, and what has no more than these."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        memory = 2**40
    limit = min(_limits(), default=memory)
    return (limit, "its container or control group") if limit < memory else (memory, "the machine")


def _limits() -> Iterator[int]:
    """The limits of the control groups of Linux that this process is in, in bytes."""
    groups = ""
    with suppress(OSError):  # not Linux
        groups = os.fsdecode(_OWN_GROUPS.read_bytes())
    # Names of groups may hold all but "/" and the end of a line.
    for controllers, group in re.findall(r"^\d+:([^:\n]*):(.*)$", groups, re.MULTILINE):
        if controllers == "":  # version 2
            root, file = _GROUPS, "memory.max"
        elif "memory" in controllers.split(","):
            root, file = _GROUPS / "memory", "memory.limit_in_bytes"
        else:
            continue
        path = PurePosixPath(group.lstrip("/"))
        # The limit of every group above holds, too. A container may see its own group as the root
        # only, while its name here is that on the host.
        for each in (path, *path.parents):
            with suppress(OSError, ValueError):  # not there, or "max", which is none
                yield int((root / each / file).read_text())
