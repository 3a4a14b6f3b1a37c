"""Show a lab for `jostle lab`: its parts, its traffic and its running commands."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, heading, table
from jostle.report.format.values import byte_count, duration, local_time

if TYPE_CHECKING:
    from jostle.lab import Lab

_MEASURE_S = 0.25


@dataclass(frozen=True)
class NodeCommand:
    """A command that was started on a host from outside.

    Attributes:
        node: On which host.
        pid: As the lab numbers processes.
        seconds: How long it has run.
        words: Its command line.
    """

    node: str
    pid: int
    seconds: float
    words: str


@dataclass(frozen=True)
class Measured:
    """A lab at this moment.

    Attributes:
        counters: Bytes so far, by link and direction.
        rates: Bytes per second over a quarter of a second, likewise.
        mounts: Type and source of the shared file system on every node; empty where it is gone.
        used: (bytes used, bytes of room) of the shared file system, or None.
        processes: Number of processes on every host, without the one that holds it.
        commands: What runs, started by `lab exec`, `lab mpirun` or a study.
    """

    counters: dict[str, int]
    rates: dict[str, float]
    mounts: dict[str, str]
    used: tuple[int, int] | None
    processes: dict[str, int]
    commands: list[NodeCommand]

    def to_json(self) -> dict[str, Any]:
        """Return the same for programs."""
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


def summary(lab: Lab, seconds: float) -> list[Any]:
    """Return the lines that `lab up` ends with."""
    return [
        heading(
            f"The lab `{lab.name}` is up", f" after {duration(seconds * 1e9)}: {_made_of(lab)}"
        ),
        f"  shared file system on every node: {lab.shared}",
    ]


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
    """Return the commands that run in a lab."""
    return _processes(lab)[1]


def view(lab: Lab, now: Measured) -> list[Any]:
    """Return what `lab status` prints."""
    begun = f", up since {local_time(lab.state.begun_ns)}"
    lines: list[Any] = [heading(f"lab `{lab.name}`", f"  {_made_of(lab)}{begun}")]
    room = f", {byte_count(now.used[0])} of {byte_count(now.used[1])} used" if now.used else ""
    lines.append(f"  shared file system: {lab.shared}{room}")
    lines += [f"  {label}: {text}" for label, text in _of_services(lab)]
    links = table(["=link", ">rate", ">in", ">now", ">out", ">now"])
    _link(links, "storage", lab.spec.storage_rate, now, "storage.in", "storage.out")
    _link(links, "uplink of leaf 1", lab.spec.uplink_rate, now, "uplink.left", "uplink.right")
    nodes = table(["=node", ">leaf", "=shared", ">processes", ">read", ">written", ">MPI in",
                   ">MPI out"])  # fmt: skip
    for node in lab.nodes:
        counts = now.counters
        nodes.add_row(
            node, str(_leaf(lab, node)), now.mounts[node] or "not mounted",
            str(now.processes.get(node, 0)), byte_count(counts[f"{node}.in"]),
            byte_count(counts[f"{node}.out"]), byte_count(counts[f"{node}.mpi.in"]),
            byte_count(counts[f"{node}.mpi.out"]),
        )  # fmt: skip
    lines += ["", fit(links), "", fit(nodes, "shared", "processes")]
    if now.commands:
        commands = table(["=running on", ">pid", ">for", "command"])
        for command in now.commands:
            commands.add_row(
                command.node, str(command.pid), duration(command.seconds * 1e9), command.words
            )
        lines += ["", commands]
    return lines


def _made_of(lab: Lab) -> str:
    spec = lab.spec
    leaves = "two leaf switches" if spec.nodes > 1 else "one leaf switch"
    parts = [
        f"{spec.nodes} node{'s' * (spec.nodes != 1)} on {leaves}",
        f"{spec.fs} in {'memory' if spec.store == 'ram' else 'a disk image'}"
        + (f" at {spec.storage_rate}" if spec.fs != "plain" else ""),
        f"uplink {spec.uplink_rate}",
        spec.queue,
    ]
    parts += ["Slurm"] if spec.slurm else []
    parts += ["without root"] if lab.state.rootless else []
    return ", ".join(parts)


def _of_services(lab: Lab) -> list[tuple[str, str]]:
    from jostle.lab.registry import services

    lines = []
    for kind in services(lab.spec):
        lines += kind.status(lab.state.facts.get(kind.name, {}))
    return lines


def _link(frame: Any, name: str, rate: str, now: Measured, in_: str, out: str) -> None:
    frame.add_row(
        name, rate, byte_count(now.counters[in_]), f"{byte_count(now.rates[in_])}/s",
        byte_count(now.counters[out]), f"{byte_count(now.rates[out])}/s",
    )  # fmt: skip


def _leaf(lab: Lab, node: str) -> int:
    from jostle.lab.network import leaf_of

    return leaf_of(lab.nodes.index(node) + 1, lab.spec.nodes) + 1


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
    """Return used bytes and room of the store, which is where the files of every node are."""
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
            if fields[1] == "0":  # its parent is none of ours
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
