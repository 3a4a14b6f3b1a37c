"""Builds the fabric of a lab with a topology: switches that route, and links of one data rate.

    node1 ── leaf1 ══ spine1 ══ leaf2 ── node4      eth0, 10.7.0.0/24: every cable has the rate

RATIONALE: bridges would close loops, and learn their own routes. A switch here is a routing table
of the supervisor's network namespace: what comes in at a port of the switch (`ip rule iif`) is
looked up in it, and leaves by the port that the fabric's forwarding tables say. Those tables are
part of the topology that the lab writes, so that routed loads take the routes that packets took.
Hardware addresses are fixed, and every next hop is a permanent neighbour: no ARP is on any link.
"""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import numpy as np

from jostle.topology import LINK_KINDS, Topology, dragonfly, fat_tree, torus
from jostle_lab.cluster import network
from jostle_lab.cluster.spec import LabSpec, parse_rate, parse_topology

_FIRST_TABLE = 100
#: The other end of every cable, as an address.
_NEXT_HOP = "169.254.0.1"
_SWITCH_MAC = "02:00:00:00:01:00"


@functools.cache
def _regular(text: str) -> Topology:
    """Return the switches and links that a text describes, without data rates and storage."""
    kind, sizes = parse_topology(text)
    if kind == "torus":
        return torus(sizes, name="lab")
    if kind == "dragonfly":
        return dragonfly(*sizes, name="lab")
    *trees, leaves, nodes = sizes
    pods = trees[0] if trees else 1
    return fat_tree(pods * leaves, nodes, 1, cores=len(trees), leaves_per_pod=leaves, name="lab")


def switches(text: str) -> tuple[str, ...]:
    """Return the names of a topology's switches, the highest level first."""
    shape = _regular(text)
    order = np.argsort(-shape.levels[shape.is_switch], kind="stable")
    return tuple(shape.vertices[place] for place in np.flatnonzero(shape.is_switch)[order])


@functools.cache
def wiring(spec: LabSpec) -> Topology:
    """Return all cables of the fabric, with the storage's, which carries no files by default."""
    at = spec.storage_at or switches(spec.topology)[0]
    return _with_forwarding(_with_storage(_at_rate(spec), at, parse_rate(spec.storage_rate)))


@functools.cache
def topology(spec: LabSpec) -> Topology:
    """Return the fabric for analyses, with the storage if file traffic crosses the fabric."""
    if spec.storage_at:
        return wiring(spec)
    return _with_forwarding(_at_rate(spec))


def _at_rate(spec: LabSpec) -> Topology:
    shape = _regular(spec.topology)
    return dataclasses.replace(
        shape,
        adapters=tuple("eth0" if host else "" for host in shape.hosts),
        rates=np.full(len(shape.sources), float(parse_rate(spec.uplink_rate))),
        origin=f"jostle lab up --topology {spec.topology}",
    )


def _with_storage(shape: Topology, switch: str, rate: int) -> Topology:
    """Connect the storage to a switch."""
    at, new = shape.place[switch], len(shape.vertices)
    terminal = LINK_KINDS.index("terminal")
    return dataclasses.replace(
        shape,
        vertices=(*shape.vertices, "storage"),
        hosts=(*shape.hosts, "storage"),
        adapters=(*shape.adapters, "eth0"),
        planes=np.append(shape.planes, 0),
        levels=np.append(shape.levels, 0),
        groups=np.append(shape.groups, shape.groups[at]),
        coordinates=np.vstack([shape.coordinates, shape.coordinates[at : at + 1]]),
        sources=np.append(shape.sources, [new, at]),
        targets=np.append(shape.targets, [at, new]),
        source_ports=(*shape.source_ports, "", "store"),
        target_ports=(*shape.target_ports, "store", ""),
        rates=np.append(shape.rates, [float(rate)] * 2),
        lanes=np.append(shape.lanes, [1, 1]),
        link_kinds=np.append(shape.link_kinds, [terminal] * 2),
        link_dimensions=np.append(shape.link_dimensions, [-1, -1]),
        link_signs=np.append(shape.link_signs, [0, 0]),
    )


def _with_forwarding(shape: Topology) -> Topology:
    """Add its forwarding table to each switch."""
    out: dict[int, list[int]] = {}
    for link, source in enumerate(shape.sources.tolist()):
        out.setdefault(source, []).append(link)
    ends = np.flatnonzero(~shape.is_switch).tolist()
    tables: dict[int, np.ndarray] = {}
    for switch in np.flatnonzero(shape.is_switch).tolist():
        tables[switch] = np.full(len(shape.vertices), -1, np.int64)
        for end in ends:
            tables[switch][end] = _next_link(shape, out, switch, end)
    return dataclasses.replace(shape, forwarding=tables)


def _next_link(shape: Topology, out: dict[int, list[int]], switch: int, end: int) -> int:
    """Return the link by which a switch forwards packets for a node."""
    target = int(shape.switch_of[end])
    leads = {int(shape.targets[link]): link for link in out[switch]}
    if switch == target:
        return leads[end]
    if shape.kind in ("torus", "mesh"):
        return leads[_torus_step(shape, switch, target)]
    if shape.kind == "dragonfly":
        return leads[_dragonfly_step(shape, out, switch, target)]
    below = [at for at in leads if shape.levels[at] < shape.levels[switch]]
    down = [at for at in below if _is_below(shape, out, at, target)]
    up = [at for at in leads if shape.levels[at] > shape.levels[switch]]
    return leads[(down or up)[0]]


def _torus_step(shape: Topology, switch: int, target: int) -> int:
    """Return the next switch: in the first differing dimension, by the shorter route, else up."""
    here, there = shape.coordinates[switch], shape.coordinates[target]
    dimension = int(np.flatnonzero(here != there)[0])
    size = shape.sizes[dimension]
    ahead = int(there[dimension] - here[dimension]) % size
    wanted = here.copy()
    wanted[dimension] = (here[dimension] + (1 if 2 * ahead <= size else -1)) % size
    same = np.all(shape.coordinates == wanted, axis=1) & shape.is_switch
    return int(np.flatnonzero(same)[0])


def _dragonfly_step(shape: Topology, out: dict[int, list[int]], switch: int, target: int) -> int:
    """Return the next switch of the minimal route: local, global, local."""
    group, wanted = shape.groups[switch], shape.groups[target]
    if group == wanted:
        return target
    for entry in [switch, *np.flatnonzero(shape.is_switch & (shape.groups == group)).tolist()]:
        for link in out[entry]:
            beyond = int(shape.targets[link])
            if shape.is_switch[beyond] and shape.groups[beyond] == wanted:
                return beyond if entry == switch else entry
    raise AssertionError("two groups of a dragonfly are not joined")


def _is_below(shape: Topology, out: dict[int, list[int]], top: int, target: int) -> bool:
    """Return whether the switch `target` of a tree is the switch `top`, or below it."""
    if top == target:
        return True
    below = (int(shape.targets[link]) for link in out[top])
    return any(
        shape.is_switch[at]
        and shape.levels[at] < shape.levels[top]
        and _is_below(shape, out, at, target)
        for at in below
    )


def device(shape: Topology, link: int) -> str:
    """Return the interface at which a link begins: `leaf1.up1`, or a host's `eth0`."""
    source = shape.sources[link]
    if not shape.is_switch[source]:
        return "eth0"
    return f"{shape.vertices[source]}.{shape.source_ports[link]}"


def _vertex(shape: Topology, number: int) -> int:
    return shape.place["storage" if number == network.STORAGE_NUMBER else f"node{number}"]


def _number(shape: Topology, vertex: int) -> int:
    name = shape.vertices[vertex]
    return network.STORAGE_NUMBER if name == "storage" else int(name.removeprefix("node"))


def _host_mac(number: int) -> str:
    return f"02:00:00:00:00:{number:02x}"


def let_forward() -> None:
    """Let this network namespace forward packets, whichever route the replies take."""
    for key, value in (
        ("ip_forward", "1"),
        ("conf/all/rp_filter", "0"),
        ("conf/default/rp_filter", "0"),
    ):
        Path(f"/proc/sys/net/ipv4/{key}").write_text(value)


def switch_commands(spec: LabSpec) -> list[str]:
    """Return the commands for `ip -batch` that make the switches and the cables between them."""
    shape = wiring(spec)
    lines = [f"addr add {network.SWITCHES_ADDRESS}/24 dev {network.STORAGE_SWITCH}"]
    for link, back in _cables(shape):
        ends = device(shape, link), device(shape, back)
        lines.append(
            f"link add {ends[0]} address {_SWITCH_MAC} type veth "
            f"peer name {ends[1]} address {_SWITCH_MAC}"
        )
        for each in (link, back):
            lines += _port_commands(shape, each, _SWITCH_MAC)
    return lines


def switch_devices(spec: LabSpec) -> list[str]:
    """Return the ports of all cables between switches."""
    shape = wiring(spec)
    return [device(shape, link) for pair in _cables(shape) for link in pair]


def _cables(shape: Topology) -> list[tuple[int, int]]:
    """Return the two links of each cable between switches."""
    between = shape.is_switch[shape.sources] & shape.is_switch[shape.targets]
    links = np.flatnonzero(between).tolist()
    return list(zip(links[::2], links[1::2], strict=True))


def _port_commands(shape: Topology, link: int, next_mac: str) -> list[str]:
    """Return the commands for `ip -batch` that bring up a switch's port.

    Packets that enter the port are routed by the switch's table, and the hardware address at the
    other end of its cable is set, so that no ARP is needed.
    """
    port = device(shape, link)
    return [
        f"link set {port} up",
        f"rule add iif {port} lookup {_table(shape, int(shape.sources[link]))}",
        f"neigh add {_NEXT_HOP} lladdr {next_mac} dev {port} nud permanent",
    ]


def _table(shape: Topology, switch: int) -> int:
    return _FIRST_TABLE + int(np.count_nonzero(shape.is_switch[:switch]))


def port(spec: LabSpec, number: int) -> str:
    """Return the switch's end of a host's cable to the fabric."""
    shape = wiring(spec)
    return device(shape, _link_to(shape, _vertex(shape, number)))


def _link_to(shape: Topology, end: int) -> int:
    return int(np.flatnonzero(shape.targets == end)[0])


def cable_commands(spec: LabSpec, number: int, pid: int) -> list[str]:
    """Return the commands for `ip -batch` that connect the host `pid` and set all routes to it."""
    shape = wiring(spec)
    end = _vertex(shape, number)
    link = _link_to(shape, end)
    mac = _host_mac(number)
    lines = [
        f"link add {device(shape, link)} address {_SWITCH_MAC} type veth "
        f"peer name eth0 address {mac} netns {pid}",
        *_port_commands(shape, link, mac),
    ]
    return lines + [
        f"route add {network.address(number)}/32 via {_NEXT_HOP} "
        f"dev {device(shape, int(table[end]))} onlink table {_table(shape, switch)}"
        for switch, table in shape.forwarding.items()
    ]


def host_commands(number: int) -> list[str]:
    """Return the commands for `ip -batch` on the host: its switch is the gateway to all others."""
    ip = network.address(number)
    return [
        f"addr add {ip}/24 dev eth0 noprefixroute",
        "link set eth0 up",
        f"neigh add {_NEXT_HOP} lladdr {_SWITCH_MAC} dev eth0 nud permanent",
        f"route add 10.7.0.0/24 via {_NEXT_HOP} dev eth0 onlink src {ip}",
    ]


def shape_ports(spec: LabSpec) -> list[str]:
    """Return the commands for `tc -batch` on the switches: the rate of every link from a port.

    Hosts must be connected: their cables end here, too.
    """
    shape = wiring(spec)
    lines: list[str] = []
    for link, sources in enumerate(_sources(shape)):
        if shape.is_switch[shape.sources[link]]:
            hosts = [(number, network.address(number)) for number in sources]
            lines += network.shape(spec, device(shape, link), int(shape.rates[link]), "src", hosts)
    return lines


def shape_host(spec: LabSpec, number: int) -> list[str]:
    """Return the commands for `tc -batch` on a host: an equal share for each host it sends to."""
    shape = wiring(spec)
    link = int(np.flatnonzero(shape.sources == _vertex(shape, number))[0])
    others = [_number(shape, end) for end in np.flatnonzero(~shape.is_switch).tolist()]
    hosts = [(other, network.address(other)) for other in others if other != number]
    return network.shape(spec, "eth0", int(shape.rates[link]), "dst", hosts)


def _sources(shape: Topology) -> list[list[int]]:
    """Return for each link the numbers of the hosts whose packets can cross the link."""
    crossing: list[set[int]] = [set() for _ in shape.sources]
    ends = np.flatnonzero(~shape.is_switch).tolist()
    for source in ends:
        for target in ends:
            for link in way(shape, source, target):
                crossing[link].add(_number(shape, source))
    return [sorted(numbers) for numbers in crossing]


def way(shape: Topology, source: int, target: int) -> list[int]:
    """Return the links from one host's vertex to another's, by the forwarding tables."""
    if source == target:
        return []
    links = [int(np.flatnonzero(shape.sources == source)[0])]
    while (at := int(shape.targets[links[-1]])) != target:
        links.append(int(shape.forwarding[at][target]))
    return links


def link_counters(spec: LabSpec, ports: dict[str, tuple[int, int]]) -> dict[str, int]:
    """Return the bytes on each link by name, from (received, sent) bytes of the switches' ports."""
    shape = wiring(spec)
    counts = {}
    for link in range(len(shape.sources)):
        if shape.is_switch[shape.sources[link]]:
            count = ports[device(shape, link)][1]
        else:  # a host's own end is on the host; the switch receives what it sends
            count = ports[port(spec, _number(shape, int(shape.sources[link])))][0]
        counts[shape.link_name(link)] = count
    return counts
