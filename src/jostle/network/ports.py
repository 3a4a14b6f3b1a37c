"""Converts counters of ports to loads of the links to which the ports belong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jostle.network.axis import on_axis
from jostle.network.demands import Names
from jostle.topology import Topology
from jostle.values.arrow_columns import ints

#: Bits that a port sends in one tick of its wait counter, by assumption: the unit in which
#: InfiniBand counts data. Devices may count in other ticks.
_TICK_BITS = 32


@dataclass(frozen=True, eq=False)
class PortLoads:
    """Loads of links as their ports counted them.

    Attributes:
        bytes: Number of bytes per slice of the axis and link.
        waiting: Part of the time in which data waited at the beginning of the link; an estimate.
        is_known: Whether each link has a port with counters.
    """

    bytes: csr_array
    waiting: csr_array
    is_known: NDArray[np.bool_]

    @classmethod
    def nothing(cls, topology: Topology, axis: tuple[int, int, int]) -> PortLoads:
        """Return the loads for a fabric without counters of ports."""
        links = len(topology.sources)
        nothing = csr_array((axis[2], links), dtype=np.float32)
        return cls(nothing, nothing, np.zeros(links, bool))


def port_loads(topology: Topology, ports: pa.Table, axis: tuple[int, int, int]) -> PortLoads:
    """Return the loads of links from the counters of their ports.

    A link is counted at its beginning; where that port has no counters, at its end.

    Args:
        topology: The fabric.
        ports: Columns host, name, slice, slice_ns, span, sent, received (bytes), wait_ticks.
        axis: Start ns, length ns and number of the slices.
    """
    count, links = axis[2], len(topology.sources)
    words = Names()
    host, name = words.column(ports, "host"), words.column(ports, "name")
    width = max(len(words.known), 1)
    seen, number = np.unique(host * width + name, return_inverse=True)
    names = list(words.known)
    per_host = np.bincount(seen // width, minlength=width)
    begins, ends = _ports_of(topology)
    out: dict[int, int] = {}
    back: dict[int, int] = {}
    for place, key in enumerate(seen.tolist()):
        only = bool(per_host[key // width] == 1)
        for port in _readings(topology, names[key // width], names[key % width], only):
            out |= dict.fromkeys(begins.get(port, ()), place)
            back |= dict.fromkeys(ends.get(port, ()), place)
    row, at, part = on_axis(ports, axis)

    def counted(column: str) -> csr_array:
        values = (ints(ports, column).astype(np.float64)[row] * part).astype(np.float32)
        return csr_array((values, (at, number[row])), shape=(count, len(seen)))

    def to_links(chosen: dict[int, int]) -> csr_array:
        ones = np.ones(len(chosen), np.float32)
        places = np.array(list(chosen.values()), np.int64), np.array(list(chosen), np.int64)
        return csr_array((ones, places), shape=(len(seen), links))

    back = {link: port for link, port in back.items() if link not in out}
    moved = counted("sent") @ to_links(out) + counted("received") @ to_links(back)
    seconds = axis[1] / 1e9
    tick = np.where(topology.rates > 0, _TICK_BITS / np.maximum(topology.rates, 1), 0) / seconds
    waiting = (counted("wait_ticks") @ to_links(out)).tocoo()
    waiting.data = np.minimum(waiting.data * tick[waiting.coords[1]], 1).astype(np.float32)
    known = np.zeros(links, bool)
    known[[*out, *back]] = True
    return PortLoads(csr_array(moved), csr_array(waiting), known)


def _ports_of(
    topology: Topology,
) -> tuple[dict[tuple[int, str], list[int]], dict[tuple[int, str], list[int]]]:
    """Return the links that begin and that end at each port of each vertex.

    A node's vertex is one adapter: all its links are at its one port, whose name is "".
    """
    begins: dict[tuple[int, str], list[int]] = {}
    ends: dict[tuple[int, str], list[int]] = {}
    for places, ports, into in (
        (topology.sources, topology.source_ports, begins),
        (topology.targets, topology.target_ports, ends),
    ):
        for link, (vertex, port) in enumerate(zip(places.tolist(), ports, strict=True)):
            key = (vertex, port if topology.is_switch[vertex] else "")
            into.setdefault(key, []).append(link)
    return begins, ends


def _readings(topology: Topology, host: str, name: str, only: bool) -> Iterator[tuple[int, str]]:
    """Yield the ports that a component with counters may be: (vertex, name of the port).

    They are a port of the switch that the host or the name denotes, and the port of a node's
    adapter.

    Args:
        topology: The fabric.
        host: Host of the component.
        name: Name of the component.
        only: Whether the host has no other component.
    """
    place = topology.place.get(host)
    if place is not None and topology.is_switch[place]:
        yield place, name
    for dot in (k for k, letter in enumerate(name) if letter == "."):
        vertex = topology.place.get(name[:dot])
        if vertex is not None and topology.is_switch[vertex]:
            yield vertex, name[dot + 1 :]
    adapters = topology.adapters_of.get(host, ())
    for vertex in adapters:
        device = topology.adapters[vertex]
        if device == name.partition("/")[0] or (not device and only and len(adapters) == 1):
            yield vertex, ""
