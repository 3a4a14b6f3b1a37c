"""Sums that the command shows with a digest: traffic of mounts, and shares of the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jostle.analysis.shares_of_time import share_of_time
from jostle.values.file_metrics import file_metrics

if TYPE_CHECKING:
    from jostle.analysis import JobDigest, MountDigest, Share

_TRAFFIC = ("read_bytes", "read_ops", "write_bytes", "write_ops", "meta_ops", "open_ops")


def mount_traffic(mount: MountDigest) -> dict[str, int]:
    """Return bytes and calls on a mount, POSIX and stdio together."""
    return {name: _posix_and_stdio(mount, name) for name in _TRAFFIC}


def _posix_and_stdio(mount: MountDigest, quantity: str) -> int:
    spreads = (mount.metrics.get(name) for name in file_metrics(quantity))
    return sum(spread.total for spread in spreads if spread)


def busy_mounts(digest: JobDigest) -> list[MountDigest]:
    """Return the mounts with at least one successful call or byte."""
    return [mount for mount in digest.mounts if any(mount_traffic(mount).values())]


def cpu_seconds(digest: JobDigest) -> float:
    """Return the CPU time of all processes, user and system, in seconds."""
    spent = (digest.metrics.get(name) for name in ("os_user_ns", "os_system_ns"))
    return sum(spread.total for spread in spent if spread) / 1e9


def gpu_wait(digest: JobDigest) -> Share:
    """Return the time in calls that wait for GPUs."""
    return next(share for share in digest.shares if share.name == "waiting for GPUs")


def own_share(digest: JobDigest) -> float:
    """Return the cost of jostle as a share of the processes' lifetime, 0 to 1; NaN: not known."""
    return share_of_time(digest.cost.total_s, digest.process_seconds)
