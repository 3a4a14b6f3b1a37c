"""Limits block devices by control groups: blkio of version 1, or io.max of version 2.

Version 1: one rule in the root of the hierarchy, for a device that only the lab uses. Direct writes
count for the group of their process, buffered ones for the group of the kernel's flushers. In the
root both share one limit; in a group of its own, buffered writes would escape it. Version 2 has no
rules in the root, but counts buffered writes for the group that wrote them.

The hierarchies are mounted again in the lab's mount namespace: its own sysfs hides those of the
machine, and containers often do not show them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jostle_lab.cluster import namespaces
from jostle_lab.cluster.spec import LabError

_RULES = ("blkio.throttle.write_bps_device", "blkio.throttle.read_bps_device")
_FIX = "Boot with a kernel that has CONFIG_BLK_DEV_THROTTLING, or use --fs sshfs."


@dataclass(frozen=True)
class Throttle:
    """A rate limit of block devices that is in force.

    Attributes:
        version: Version of the control groups, 1 or 2.
        root: Path of the hierarchy's root in this mount namespace.
        devices: Number of each device, `MAJOR:MINOR`.
        rate: Limit for each device, bytes per second, for reads and for writes.
        group: Name of the lab's control group below the root; empty for the root itself.
    """

    version: int
    root: Path
    devices: tuple[str, ...]
    rate: int
    group: str

    def facts(self) -> dict[str, Any]:
        """Return the data that `remove` and `groups_to_join` need, as plain values for JSON."""
        return {
            "version": self.version,
            "devices": list(self.devices),
            "rate": self.rate,
            "group": self.group,
        }

    def lift(self) -> None:
        """Remove the limit; its control group remains until it is empty."""
        _lift(self.root, self.facts())


def limit(devices: Sequence[int], rate: int, name: str, where: Path) -> Throttle:
    """Limit block devices for this process and every process that it starts from now on.

    Args:
        devices: Device numbers, as stat gives them.
        rate: Limit for each device, bytes per second, for reads and for writes.
        name: Name of the lab's control group.
        where: Path of an empty folder, on which the hierarchy is mounted.

    Raises:
        LabError: This machine cannot limit block devices.
    """
    numbers = tuple(f"{os.major(device)}:{os.minor(device)}" for device in devices)
    try:
        namespaces.mount("jostle-lab", where, "cgroup", 0, "blkio")
    except OSError:
        return _limit_2(numbers, rate, name, where)
    if not (where / _RULES[0]).exists():
        raise LabError("This kernel cannot limit block devices (blkio has no throttle).", hint=_FIX)
    try:
        for number in numbers:
            for rule in _RULES:
                (where / rule).write_text(f"{number} {rate}")
        if _own_group("blkio") != "/":
            (where / "cgroup.procs").write_text("0")
    except OSError as error:
        raise LabError(f"The disk cannot be limited: {error}.", hint=_FIX) from error
    return Throttle(1, where, numbers, rate, "")


def _limit_2(numbers: tuple[str, ...], rate: int, name: str, where: Path) -> Throttle:
    group = where / name
    try:
        namespaces.mount("jostle-lab", where, "cgroup2")
        if "io" not in (where / "cgroup.controllers").read_text().split():
            raise LabError(
                "The disk cannot be limited, because control groups have neither blkio nor io.",
                hint=_FIX,
            )
        if "io" not in (where / "cgroup.subtree_control").read_text().split():
            (where / "cgroup.subtree_control").write_text("+io")
        group.mkdir(exist_ok=True)
        for number in numbers:
            (group / "io.max").write_text(f"{number} rbps={rate} wbps={rate}")
        (group / "cgroup.procs").write_text("0")
    except OSError as error:
        raise LabError(f"The disk cannot be limited: {error}.", hint=_FIX) from error
    return Throttle(2, where, numbers, rate, name)


def _own_group(controller: str) -> str:
    """Return the group of this process in a hierarchy of version 1."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path
    return "/"


def why_not() -> str | None:
    """Return why block devices cannot be limited here, or None if they can. Runs on the machine."""
    root = _root(1)
    if root is not None:
        if (root / _RULES[0]).exists():
            return None
        return "this kernel cannot limit block devices (CONFIG_BLK_DEV_THROTTLING)"
    root = _root(2)
    if root is not None and "io" in (root / "cgroup.controllers").read_text().split():
        return None
    table = Path("/proc/cgroups")
    if table.exists() and any(line.startswith("blkio\t") for line in table.open()):
        return None  # not mounted yet; `limit` mounts it
    return "this kernel cannot limit block devices (control groups have neither blkio nor io)"


def remove(facts: Mapping[str, Any]) -> list[str]:
    """Remove the limits that a killed lab left; return a sentence for each. Runs on the machine."""
    root = _root(facts["version"])
    return _lift(root, facts) if root is not None else []


def groups_to_join(facts: Mapping[str, Any]) -> list[Path]:
    """Return the files to which a process writes `0` to be limited. Runs on the machine."""
    root = _root(facts["version"])
    if root is None or (not facts["group"] and _own_group("blkio") == "/"):
        return []
    return [root / facts["group"] / "cgroup.procs"]


def _lift(root: Path, facts: Mapping[str, Any]) -> list[str]:
    """Remove the lab's rules, and no others."""
    done = []
    rate, group = facts["rate"], facts["group"]
    for device in facts["devices"]:
        # The device may no longer exist, and the group neither.
        with contextlib.suppress(OSError):
            if facts["version"] == 1:
                for rule in _RULES:
                    if f"{device} {rate}" in (root / rule).read_text().splitlines():
                        (root / rule).write_text(f"{device} 0")
                        done.append(f"removed the limit of block device {device} ({rule})")
            elif f"{device} " in (root / group / "io.max").read_text():
                (root / group / "io.max").write_text(f"{device} rbps=max wbps=max")
                done.append(f"removed the limit of block device {device} (io.max of {group})")
    if facts["version"] == 2:
        with contextlib.suppress(OSError):  # it may not be empty
            (root / group).rmdir()
    return done


def _root(version: int) -> Path | None:
    """Return where the machine has mounted the hierarchy that limits block devices."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ")[:3]
        path = left.split(" ")[4]
        if (version == 1 and kind == "cgroup" and "blkio" in options.split(",")) or (
            version == 2 and kind == "cgroup2"
        ):
            return Path(path)
    return None
