"""Computes the memory that can still be used before the kernel kills processes."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple


class _Version(NamedTuple):
    """Files of one version of control groups.

    Attributes:
        controller: Name in /proc/self/cgroup, and the folder of its tree.
        limit: File with the limit.
        used: File with the use.
        cache: Fields of memory.stat with the file cache, which the kernel can release.
    """

    controller: str
    limit: str
    used: str
    cache: tuple[str, ...]


_VERSIONS = (
    _Version("", "memory.max", "memory.current", ("inactive_file", "active_file")),
    _Version(
        "memory",
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        ("total_inactive_file", "total_active_file"),
    ),
)


def free_bytes(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> int:
    """Return the bytes that are free on this machine and within limits of our control groups.

    Limits that cannot be read are ignored.

    Args:
        proc: Folder of the kernel's processes.
        groups: Mount point of the control groups.
    """
    free = [1 << 62]
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = (proc / "meminfo").read_text().splitlines()
        free += [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable")]
    with contextlib.suppress(OSError):
        for line in (proc / "self/cgroup").read_text().splitlines():
            controllers, path = line.split(":", 2)[1:]
            for version in _VERSIONS:
                if version.controller in controllers.split(","):
                    top = groups / version.controller
                    own = top / path.lstrip("/")
                    free += [
                        _left(group, version)
                        for group in (own, *own.parents)
                        if group.is_relative_to(top)
                    ]
    return min(free)


def _left(group: Path, version: _Version) -> int:
    with contextlib.suppress(OSError, ValueError):
        most = int((group / version.limit).read_text())  # ValueError for "max"
        lines = (group / "memory.stat").read_text().splitlines()
        facts = {name: int(value) for name, value in (line.split() for line in lines)}
        cached = sum(facts.get(name, 0) for name in version.cache)
        return most - int((group / version.used).read_text()) + cached
    return 1 << 62
