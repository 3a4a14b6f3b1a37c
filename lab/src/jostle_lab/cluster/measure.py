"""Measures a running lab: traffic of its links, mounts, processes and commands."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jostle_lab.cluster.lab import Lab

#: Time between the two readings behind a rate, s.
_MEASURE_S = 0.25


@dataclass(frozen=True)
class NodeCommand:
    """A command that was started on a host from outside.

    Attributes:
        node: Host on which the command runs.
        pid: Process ID in the lab's namespace.
        seconds: Time since the start of the command, in seconds.
        words: Command line.
    """

    node: str
    pid: int
    seconds: float
    words: str


@dataclass(frozen=True)
class Measured:
    """The state of a lab at one time.

    Attributes:
        counters: Bytes since the start of the lab, by link and direction.
        rates: Bytes per second by link and direction, measured over a quarter of a second.
        mounts: Type and source of the shared file system on every node; empty if it is not mounted.
        used: (bytes used, bytes in all) of the shared file system, or None.
        processes: Number of processes on every host, without the one that keeps the host alive.
        commands: Commands that run, started by `lab exec`, `lab mpirun` or a study.
    """

    counters: dict[str, int]
    rates: dict[str, float]
    mounts: dict[str, str]
    used: tuple[int, int] | None
    processes: dict[str, int]
    commands: list[NodeCommand]

    def to_json(self) -> dict[str, Any]:
        """Return the measurement as plain values for --json."""
        return {
            "counters": self.counters,
            "rates": {key: round(value) for key, value in self.rates.items()},
            "mounts": self.mounts,
            "used": list(self.used) if self.used else None,
            "processes": self.processes,
            "commands": [vars(command) for command in self.commands],
        }


def facts(lab: Lab) -> dict[str, Any]:
    """Return the parts of a lab as plain values for --json."""
    return {
        "name": lab.name,
        "spec": lab.spec.to_json(),
        "nodes": lab.nodes,
        "shared": str(lab.shared),
        "folder": str(lab.folder),
        "rootless": lab.state.rootless,
        "supervisor": lab.state.pid,
        "begun_ns": lab.state.begun_ns,
    }


def measure(lab: Lab) -> Measured:
    """Measure a lab: counters, rates over a quarter of a second, mounts and processes."""
    before, begin = lab.counters(), time.monotonic()
    processes, commands = _processes(lab)
    mounts = {node: _mount(lab, node) for node in lab.nodes}
    time.sleep(_MEASURE_S)
    after, span = lab.counters(), time.monotonic() - begin
    rates = {key: (after[key] - before.get(key, 0)) / span for key in after}
    return Measured(after, rates, mounts, _room(lab), processes, commands)


def running(lab: Lab) -> list[NodeCommand]:
    """Return the commands that run in a lab, the oldest first."""
    return _processes(lab)[1]


def _proc(lab: Lab) -> Path:
    """Return the lab's own /proc, as this machine reaches it."""
    return Path(f"/proc/{lab.state.pid}/root/proc")


def _mount(lab: Lab, node: str) -> str:
    try:
        text = (_proc(lab) / str(lab.state.hosts[node]) / "mountinfo").read_text()
    except OSError:
        return ""
    for line in text.splitlines():
        fields = line.split()
        if fields[4] == str(lab.shared):
            kind, source = fields[fields.index("-") + 1 :][:2]
            return f"{kind} {source}"
    return ""


def _room(lab: Lab) -> tuple[int, int] | None:
    """Return used and total bytes of the store, which has the files of every node."""
    try:
        room = os.statvfs(f"/proc/{lab.state.pid}/root{lab.folder}/store")
    except OSError:
        return None
    return (room.f_blocks - room.f_bfree) * room.f_frsize, room.f_blocks * room.f_frsize


def _processes(lab: Lab) -> tuple[dict[str, int], list[NodeCommand]]:
    """Count the processes of every host, and find those that were started from outside."""
    proc = _proc(lab)
    where: dict[str, str] = {}
    for host, pid in lab.state.hosts.items():
        try:
            where[os.readlink(proc / str(pid) / "ns" / "uts")] = host
        except OSError:
            continue
    holders = set(lab.state.hosts.values())
    counts = dict.fromkeys(lab.state.hosts, 0)
    commands = []
    for entry in proc.iterdir():
        if not entry.name.isdigit() or int(entry.name) in holders:
            continue
        try:
            host = where.get(os.readlink(entry / "ns" / "uts"), "")
            if not host:
                continue
            counts[host] += 1
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if fields[1] == "0":  # its parent is not a process of the lab
                words = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
                commands.append(NodeCommand(host, int(entry.name), _age(fields[19]), words.strip()))
        except OSError:
            continue
    return counts, sorted(commands, key=lambda command: -command.seconds)


def _age(start: str) -> float:
    uptime = float(Path("/proc/uptime").read_text().split()[0])
    return max(0.0, uptime - int(start) / os.sysconf("SC_CLK_TCK"))
