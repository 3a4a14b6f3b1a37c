"""Reads Slurm's `topology.conf`: switches, blocks, rings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from jostle.topology.builder import Builder
from jostle.topology.formats.source import Source
from jostle.topology.layout import some
from jostle.topology.model import Topology
from jostle.topology.parts import fabrics
from jostle.topology.shapes import torus

ORIGIN = "Slurm's topology.conf"
_PAIR = re.compile(r"(\w+)\s*=\s*(\S*)")
_FIRST = ("switchname", "blockname", "blocksizes", "ringname")
_KNOWN = {*_FIRST, "switches", "nodes", "linkspeed"}
_DRAGONFLY = re.compile(r"^\s*TopologyParam\s*=.*\bdragonfly\b", re.I | re.M)
NO_SPEED = "Slurm's file contains neither rates nor the number of cables between two switches."


@dataclass
class SwitchRows:
    """Switches, blocks and rings in a file of Slurm.

    Attributes:
        switches: Line, node list, and list of switches below, by name of the switch.
        blocks: Line and node list, by name of the block.
        rings: Line and node list, by name of the ring.
    """

    switches: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    blocks: dict[str, tuple[int, str]] = field(default_factory=dict)
    rings: dict[str, tuple[int, str]] = field(default_factory=dict)


def recognises(source: Source) -> bool:
    """Return whether a file is a topology.conf, or the slurm.conf that belongs to it."""
    return any(
        match and match[1].lower() in (*_FIRST, "clustername", "topologyplugin", "topologyparam")
        for match in (_PAIR.match(line.split("#")[0].strip()) for line in source.lines)
    )


def read(sources: Sequence[Source], name: str) -> list[Topology]:
    """Return the fabrics of a topology.conf, with a slurm.conf if there is one.

    Raises:
        TopologyError: A line is malformed, or the file names no switch, block or ring.
    """
    described = [source for source in sources if _describes(source)]
    if len(described) != 1:
        raise sources[0].fault(
            0,
            f"{len(described)} files name switches, blocks or rings",
            "Name one topology.conf, and optionally its slurm.conf.",
        )
    rows = _rows(described[0])
    read_fabrics = of_rows(described[0], rows, name, ORIGIN)
    if any(_DRAGONFLY.search(source.text) for source in sources):
        note = (
            "slurm.conf says that this is a dragonfly; topology.conf does not say which "
            "switches are a group, nor where the links between groups are."
        )
        read_fabrics = [replace(each, notes=(*each.notes, note)) for each in read_fabrics]
    return read_fabrics


def of_rows(source: Source, rows: SwitchRows, name: str, origin: str) -> list[Topology]:
    """Return the fabrics of the switches, blocks and rings in a file of Slurm.

    Args:
        source: The file, for errors.
        rows: Switches, blocks and rings in it.
        name: Name of the fabric; a second and third get a number after it.
        origin: Source of the fabric, as text.

    Raises:
        TopologyError: A node list is malformed, or a ring has less than three nodes.
    """
    read_fabrics: list[Topology] = []
    if rows.switches:
        read_fabrics += _tree(source, rows.switches, name, origin)
    if rows.blocks:
        read_fabrics.append(_blocks(source, rows.blocks, name, origin))
    for ring, (line, nodes) in rows.rings.items():
        read_fabrics.append(_ring(source, line, nodes, ring, origin))
    return read_fabrics


def _describes(source: Source) -> bool:
    lines = (line.split("#")[0].strip().lower() for line in source.lines)
    return any(line.startswith(("switchname", "blockname", "ringname")) for line in lines)


def _rows(source: Source) -> SwitchRows:
    rows = SwitchRows()
    for line, text in _joined(source):
        pairs = {key.lower(): value for key, value in _PAIR.findall(text)}
        first = next(iter(pairs), "")
        if first not in _FIRST or _PAIR.sub("", text).strip():
            raise source.fault(
                line,
                f"`{text[:80]}` is not a line of a topology.conf",
                "A line begins with SwitchName=, BlockName= or RingName=.",
            )
        if unknown := set(pairs) - _KNOWN:
            raise source.fault(
                line,
                f"there is no `{min(unknown)}`",
                "Known keys are Nodes=, Switches= and LinkSpeed=.",
            )
        if first == "blocksizes":
            continue
        nodes, below = pairs.get("nodes", ""), pairs.get("switches", "")
        others = {"blockname": rows.blocks, "ringname": rows.rings}.get(first, {})
        for name in source.node_list(line, pairs[first]):
            if name in rows.switches or name in others:
                raise source.fault(line, f"`{name}` is described twice", "Join its two lines.")
            if first == "switchname":
                rows.switches[name] = (line, nodes, below)
            else:
                others[name] = (line, nodes)
    return rows


def _joined(source: Source) -> list[tuple[int, str]]:
    """Return the lines without comments, those with a final backslash joined with the next."""
    joined: list[tuple[int, str]] = []
    begun = ""
    for number, line in enumerate(source.lines, 1):
        text = begun + line.split("#")[0].strip()
        begun = ""
        if text.endswith("\\"):
            begun = text[:-1] + " "
        elif text:
            joined.append((number, text))
    return joined


def _tree(
    source: Source, switches: dict[str, tuple[int, str, str]], name: str, origin: str
) -> list[Topology]:
    builder, place = Builder(), dict[str, int]()
    for switch in switches:
        place[switch] = builder.vertex(switch)
    at: dict[str, str] = {}
    doubled, undescribed = [], []
    for switch, (line, nodes, below) in switches.items():
        for node in source.node_list(line, nodes):
            if node in at:
                doubled.append(f"{node} on {at[node]} and {switch}")
                continue
            if node in place:
                raise source.fault(line, f"`{node}` is a node and a switch", "Rename one of them.")
            at[node] = switch
            vertex = builder.vertex(node, node)
            builder.cable(vertex, place[switch], "terminal")
        for lower in source.node_list(line, below):
            if lower == switch:
                raise source.fault(line, f"`{switch}` is below itself", "Name another switch.")
            if lower not in switches and lower not in place:
                undescribed.append(lower)
                place[lower] = builder.vertex(lower)
            builder.cable(place[lower], place[switch])
    notes = [NO_SPEED]
    if doubled:
        notes.append(f"{len(doubled)} nodes occur twice; the first line counts: {some(doubled)}.")
    if undescribed:
        notes.append(
            f"{len(undescribed)} switches are named but not described: {some(undescribed)}."
        )
    if not at:
        raise source.fault(0, "no switch has nodes", "Add Nodes= to the leaf switches.")
    return fabrics(builder.build(name, notes=tuple(notes), origin=origin))


def _blocks(source: Source, blocks: dict[str, tuple[int, str]], name: str, origin: str) -> Topology:
    builder = Builder()
    at: dict[str, str] = {}
    doubled = []
    for number, (block, (line, nodes)) in enumerate(blocks.items()):
        switch = builder.vertex(block, level=1, group=number)
        for node in source.node_list(line, nodes):
            if node in at:
                doubled.append(f"{node} in {at[node]} and {block}")
                continue
            at[node] = block
            builder.cable(builder.vertex(node, node, level=0, group=number), switch, "terminal")
    notes = ["Each block is shown as one switch; the file does not say how blocks are joined."]
    if doubled:
        notes.append(f"{len(doubled)} nodes occur twice; the first line counts: {some(doubled)}.")
    if not at:
        raise source.fault(0, "no block has nodes", "Add Nodes= to the blocks.")
    return builder.build(name, "graph", notes=tuple(notes), origin=origin)


def _ring(source: Source, line: int, nodes: str, name: str, origin: str) -> Topology:
    hosts = source.node_list(line, nodes)
    if len(hosts) < 3 or len(set(hosts)) != len(hosts):
        raise source.fault(line, "a ring needs three nodes or more, each once", "Fix its Nodes=.")
    ring = torus((len(hosts),), names=("ring",), hosts=hosts, name=name)
    return replace(ring, notes=(NO_SPEED,), origin=origin)
