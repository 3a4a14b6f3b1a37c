"""Show a lab for `jostle lab`: its parts, its traffic and its running commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, heading, table
from jostle.report.format.values import byte_count, duration, local_time

if TYPE_CHECKING:
    from jostle.topology import Topology
    from jostle_lab.cluster import Lab
    from jostle_lab.cluster.measure import Measured


def summary(lab: Lab, seconds: float) -> list[Any]:
    """Return the final lines of `lab up`."""
    return [
        heading(
            f"The lab `{lab.name}` is up", f" after {duration(seconds * 1e9)}: {_made_of(lab)}"
        ),
        f"  shared file system on every node: {lab.shared}",
    ]


def view(lab: Lab, now: Measured) -> list[Any]:
    """Return the lines that `lab status` prints."""
    begun = f", up since {local_time(lab.state.begun_ns)}"
    lines: list[Any] = [heading(f"lab `{lab.name}`", f"  {_made_of(lab)}{begun}")]
    room = f", {byte_count(now.used[0])} of {byte_count(now.used[1])} used" if now.used else ""
    lines.append(f"  shared file system: {lab.shared}{room}")
    lines += [f"  {label}: {text}" for label, text in _of_services(lab)]
    links = table(["=link", ">rate", ">in", ">now", ">out", ">now"])
    rates = lab.spec.server_rate_texts
    for server, rate in zip(lab.spec.server_names, rates, strict=True):
        _link(links, server, rate, now, f"{server}.in", f"{server}.out")
    fabric = lab.topology()
    if fabric is None:
        _link(links, "uplink of leaf 1", lab.spec.uplink_rate, now, "uplink.left", "uplink.right")
    else:
        _cables(links, fabric, now)
    at = ">switch" if fabric else ">leaf"
    nodes = table(
        ["=node", at, "=shared", ">processes", ">read", ">written", ">MPI in", ">MPI out"]
    )
    for node in lab.nodes:
        counts = now.counters
        nodes.add_row(
            node,
            _switch(lab, fabric, node),
            now.mounts[node] or "not mounted",
            str(now.processes.get(node, 0)),
            byte_count(counts[f"{node}.in"]),
            byte_count(counts[f"{node}.out"]),
            byte_count(counts[f"{node}.mpi.in"]),
            byte_count(counts[f"{node}.mpi.out"]),
        )
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
    where = f"a fabric {spec.topology}" if spec.topology else leaves
    media = {"ram": "memory", "disk": "a disk image", "both": "memory and a disk image"}
    parts = [
        f"{spec.nodes} node{'s' * (spec.nodes != 1)} on {where}",
        spec.fs
        + (f" with {spec.object_servers} object servers" if spec.object_servers else "")
        + f" in {media[spec.store]}"
        + (f" at {spec.storage_rate}" if spec.fs != "plain" else ""),
        f"{'links' if spec.topology else 'uplink'} {spec.uplink_rate}",
        spec.queue,
    ]
    parts += [f"storage at {spec.storage_at}"] if spec.storage_at else []
    parts += ["Slurm"] if spec.slurm else []
    parts += ["without root"] if lab.state.rootless else []
    return ", ".join(parts)


def _of_services(lab: Lab) -> list[tuple[str, str]]:
    from jostle_lab.cluster.registry import services

    lines = []
    for kind in services(lab.spec):
        lines += kind.status(lab.state.facts.get(kind.name, {}))
    return lines


def _link(frame: Any, name: str, rate: str, now: Measured, in_: str, out: str) -> None:
    frame.add_row(
        name,
        rate,
        byte_count(now.counters[in_]),
        f"{byte_count(now.rates[in_])}/s",
        byte_count(now.counters[out]),
        f"{byte_count(now.rates[out])}/s",
    )


def _cables(frame: Any, fabric: Topology, now: Measured) -> None:
    """Add the cables between switches; what the first switch receives came from the second."""
    names = fabric.link_place
    for name, link in names.items():
        first, second = fabric.sources[link], fabric.targets[link]
        back = f"{fabric.vertices[second]} > {fabric.vertices[first]}"
        if fabric.is_switch[first] and fabric.is_switch[second] and link < names[back]:
            cable = f"{fabric.vertices[first]} - {fabric.vertices[second]}"
            _link(frame, cable, f"{fabric.rates[link] / 1e6:.0f}mbit", now, back, name)


def _switch(lab: Lab, fabric: Topology | None, node: str) -> str:
    from jostle_lab.cluster.network import leaf_of

    if fabric is not None:
        return fabric.vertices[int(fabric.switch_of[fabric.place[node]])]
    return str(leaf_of(lab.nodes.index(node) + 1, lab.spec.nodes) + 1)
