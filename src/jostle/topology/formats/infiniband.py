"""Reads `ibnetdiscover`, and forwarding tables as `dump_lfts` and `ibroute` print them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from jostle.topology.builder import Builder
from jostle.topology.formats.source import Source
from jostle.topology.layout import some
from jostle.topology.model import Ints, Topology
from jostle.topology.parts import fabrics, labels

ORIGIN = "ibnetdiscover"
_HEAD = re.compile(r'(Switch|Ca|Rt)\s+\d+\s+"([SHR]-[0-9a-fA-F]{1,16})"\s*#\s*"(.*)"(.*)')
_PORT = re.compile(
    r'\[(?:ext )?(\d{1,3})\](?:\[ext \d+\])?(?:\([0-9a-fA-F]+\))?\s+"([SHR]-[0-9a-fA-F]{1,16})"'
    r"\[(?:ext )?(\d{1,3})\](?:\[ext \d+\])?(?:\([0-9a-fA-F]+\))?\s*(#.*)?"
)
_SPEED = re.compile(r"\b(\d{1,2})x(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)\b")
#: Data of one lane, bit/s, without the line code.
_LANE = {
    "SDR": 2e9,
    "DDR": 4e9,
    "QDR": 8e9,
    "FDR10": 10e9,
    "FDR": 13.64e9,
    "EDR": 25e9,
    "HDR": 50e9,
    "NDR": 100e9,
    "XDR": 200e9,
}
_OWN_LID = re.compile(r"#\s*lid (\d+) lmc (\d+)")
_TABLE = re.compile(r"Unicast lids .*of switch .*?guid (0x[0-9a-fA-F]{1,16})")
_ROW = re.compile(r"(0x[0-9a-f]{4}) (\d{3})\b")
_LONGEST = 4096
#: Default names of adapters.
_NAMELESS = re.compile(r"|localhost|\(none\)|MT\d+|Mellanox|ConnectX.*|Infiniscale.*", re.I)
_AGGREGATION = "Aggregation Node"


@dataclass
class _Device:
    """A switch or an adapter, as a file describes it.

    Attributes:
        source, line: Its file and line.
        kind: "Switch", "Ca" or "Rt".
        name: Its description.
        lid: Address (LID) of each port of an adapter.
        ports: For each port, the other end of its cable: (other device, the other's port, rate).
    """

    source: Source
    line: int
    kind: str
    name: str
    lid: dict[str, int] = field(default_factory=dict)
    ports: dict[str, tuple[str, str, float]] = field(default_factory=dict)


def recognises(source: Source) -> bool:
    """Return whether a file is a discovery (output of ibnetdiscover) or has forwarding tables."""
    return any(_HEAD.match(line) or _TABLE.match(line[:_LONGEST]) for line in source.lines)


def read(sources: Sequence[Source], name: str) -> list[Topology]:
    """Return the fabrics of discoveries, one per fabric or rail, with their forwarding tables.

    Args:
        sources: Outputs of ibnetdiscover, and any number of dump_lfts or ibroute.
        name: Name of the fabric.

    Raises:
        TopologyError: A line is malformed, or there is no discovery.
    """
    devices: dict[str, _Device] = {}
    with_lmc = False
    for source in sources:
        with_lmc |= _devices(source, devices)
    if not devices:
        raise sources[0].fault(
            0,
            "there are forwarding tables but no discovery",
            "Name the output of ibnetdiscover as well.",
        )
    whole, lids, switches, notes = _graph(devices, name)
    tables, lost = _tables(sources, whole, lids, switches)
    if with_lmc:
        notes.append("Nodes have several addresses (LMC); the tables of the first ones count.")
    if lost:
        notes.append(
            f"Forwarding tables of {len(lost)} switches are of switches that the "
            f"discovery does not have: {some(lost)}."
        )
    missing = int(whole.is_switch.sum()) - len(tables)
    if tables and missing:
        notes.append(f"{missing} switches have no forwarding table.")
    return fabrics(replace(whole, forwarding=tables, notes=tuple(notes), origin=ORIGIN))


def _devices(source: Source, devices: dict[str, _Device]) -> bool:
    """Add the devices of a discovery; return whether one of them has several addresses."""
    here: _Device | None = None
    with_lmc = False
    for line, text in source.numbered():
        if text[0] == "0":  # tables have millions of lines
            continue
        if match := _HEAD.match(text):
            guid = match[2]
            if guid in devices and devices[guid].source is source:
                raise source.fault(
                    line,
                    f"`{guid}` is described twice",
                    "Create the file again with ibnetdiscover.",
                )
            here = devices[guid] = _Device(source, line, match[1], match[3])
        elif text.startswith("["):
            match = _PORT.match(text)
            if match is None or here is None:
                raise source.fault(
                    line,
                    f"`{text[:60]}` is not a port of a device",
                    "Create the file again with ibnetdiscover.",
                )
            comment = match[4] or ""
            speed = _SPEED.search(comment.rpartition('"')[2])
            rate = int(speed[1]) * _LANE[speed[2]] if speed else 0.0
            here.ports[match[1]] = (match[2], match[3], rate)
            if here.kind == "Ca" and (lid := _OWN_LID.match(comment)):
                here.lid[match[1]] = int(lid[1])
                with_lmc |= int(lid[2]) > 0
    return with_lmc


def _graph(
    devices: dict[str, _Device], name: str
) -> tuple[Topology, dict[int, int], dict[int, int], list[str]]:
    """Return vertices and links, addresses (LID) of nodes, switches by GUID, and notes."""
    builder = Builder()
    place, notes = _vertices(devices, builder)
    lids: dict[int, int] = {}
    done: set[tuple[int, str]] = set()
    unknown = []
    for guid, device in devices.items():
        for port, (other, other_port, rate) in device.ports.items():
            here, there = place.get((guid, port)), place.get((other, other_port))
            if here is None or there is None:
                if other not in devices:
                    unknown.append(other)
                continue
            if (here, port) in done:
                continue
            done |= {(here, port), (there, other_port)}
            builder.cable(here, there, rate=rate, ports=(port, other_port))
    for (guid, port), vertex in place.items():
        if devices[guid].kind == "Ca" and port in devices[guid].lid:
            lids[vertex] = devices[guid].lid[port]
    if unknown:
        notes.append(
            f"{len(set(unknown))} devices are linked but not described: "
            f"{some(sorted(set(unknown)))}."
        )
    switches = {
        int(guid[2:], 16): vertex
        for (guid, _), vertex in place.items()
        if devices[guid].kind == "Switch"
    }
    return builder.build(name), lids, switches, notes


def _vertices(
    devices: dict[str, _Device], builder: Builder
) -> tuple[dict[tuple[str, str], int], list[str]]:
    """Add a vertex per switch and per connected port of an adapter; return those, and notes."""
    place: dict[tuple[str, str], int] = {}
    nameless, left_out = [], 0
    taken: set[str] = set()
    ends: dict[str, list[tuple[str, str]]] = defaultdict(list)  # host -> GUID, adapter
    for guid, device in devices.items():
        if device.kind != "Ca":
            own = device.name if device.name and device.name not in taken else guid
            taken.add(own)
            vertex = builder.vertex(own)
            place |= {(guid, port): vertex for port in device.ports}
            continue
        if _AGGREGATION in device.name:
            left_out += 1
            continue
        host, _, adapter = device.name.strip().strip("'\"").partition(" ")
        if _NAMELESS.fullmatch(host):
            nameless.append(guid)
            host, adapter = guid, ""
        ends[host].append((guid, adapter.strip()))
    doubled = []
    for host, adapters in ends.items():
        apart = len({adapter for _, adapter in adapters}) == len(adapters)
        ports = [
            (guid, port, adapter) for guid, adapter in adapters for port in devices[guid].ports
        ]
        if not apart:
            doubled.append(host)
        for guid, port, adapter in ports:
            own = adapter if apart else f"{adapter}/{guid}".strip("/")
            own += f":{port}" if len(devices[guid].ports) > 1 else ""
            name = f"{host}/{own}" if len(ports) > 1 or host in taken else host
            place[guid, port] = builder.vertex(name, host, adapter=own)
    notes = []
    if nameless:
        notes.append(
            f"{len(nameless)} adapters have no node name and are named by number: "
            f"{some(nameless)}; name their hosts with --hosts."
        )
    if doubled:
        notes.append(
            f"{len(doubled)} names are those of several adapters that cannot be "
            f"distinguished: {some(doubled)}. Two nodes may have the same name."
        )
    if left_out:
        notes.append(f"{left_out} aggregation nodes within switches were left out.")
    return place, notes


def _tables(
    sources: Sequence[Source], whole: Topology, lids: dict[int, int], switches: dict[int, int]
) -> tuple[dict[int, Ints], list[str]]:
    """Return the forwarding tables by switch, and the switches that the discovery does not have."""
    part = labels(whole).tolist()
    at: dict[int, dict[str, int]] = defaultdict(dict)  # part of the fabric -> address -> node
    for vertex, lid in lids.items():
        at[part[vertex]][f"0x{lid:04x}"] = vertex
    leaving: dict[int, dict[str, int]] = defaultdict(dict)  # switch -> port -> link
    for link, port in enumerate(whole.source_ports):
        leaving[int(whole.sources[link])][port.zfill(3)] = link
    tables: dict[int, Ints] = {}
    lost = []
    for source in sources:
        table: Ints | None = None
        nodes: dict[str, int] = {}
        ports: dict[str, int] = {}
        for line, text in source.numbered():
            if text[0] == "0":
                row = _ROW.match(text)
                if row is None or table is None:
                    raise source.fault(
                        line,
                        f"`{text[:60]}` is not a row of a forwarding table",
                        "Create the file again with dump_lfts.",
                    )
                address, port = row.groups()
                if address in nodes:
                    table[nodes[address]] = ports.get(port, -1)
            elif match := _TABLE.match(text[:_LONGEST]):
                switch = switches.get(int(match[1], 16), -1)
                table = np.full(len(whole.vertices), -1, np.int64)
                nodes, ports = (at[part[switch]], leaving[switch]) if switch >= 0 else ({}, {})
                if switch < 0:
                    lost.append(match[1])
                else:
                    tables[switch] = table
    return tables, lost
