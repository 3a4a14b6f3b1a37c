"""Splits and joins fabrics: parts that no link joins, rails, planes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from jostle.topology.layout import lay_out, some
from jostle.topology.model import Ints, Topology

#: Share of common nodes from which on fabrics count as rails of one fabric.
_SAME_NODES = 0.9
_BY_VERTEX = ("vertices", "hosts", "adapters", "planes", "levels", "groups", "coordinates")
_BY_LINK = (
    "source_ports",
    "target_ports",
    "rates",
    "lanes",
    "link_kinds",
    "link_dimensions",
    "link_signs",
)


def fabrics(topology: Topology) -> list[Topology]:
    """Return the connected parts of a topology as separate topologies, each with its layout.

    Parts with the same nodes are rails: planes of one topology, if their layouts are equal. The
    largest keeps the name, the others get a number after it.

    Args:
        topology: All that some files describe; its planes are ignored.
    """
    label = labels(topology)
    parts = [select(topology, label == number) for number in np.unique(label)]
    alone = [part.vertices[0] for part in parts if not len(part.sources) and any(part.hosts)]
    bare = [part.vertices[0] for part in parts if not any(part.hosts)]
    with_nodes = [part for part in parts if len(part.sources) and any(part.hosts)]
    rails: list[list[Topology]] = []
    for part in sorted(with_nodes, key=lambda part: -len(part.vertices)):
        group = next((each for each in rails if _same_nodes(each[0], part)), None)
        if group is None:
            rails.append(group := [])
        group.append(lay_out(part))
    whole = [fabric for group in rails for fabric in _joined(group)]
    whole[1:] = sorted(whole[1:], key=lambda each: natural(each.vertices[0]))
    named = []
    for number, fabric in enumerate(whole):
        notes = list(fabric.notes)
        if number == 0 and bare:
            notes.append(
                f"{len(bare)} switches without nodes are linked to nothing of the rest "
                f"and were left out: {some(bare)}."
            )
        if number == 0 and alone:
            notes.append(
                f"{len(alone)} nodes are linked to nothing and were left out: {some(alone)}."
            )
        if len(whole) > 1:
            notes.append(f"The files describe {len(whole)} fabrics that no link joins.")
        name = fabric.name if number == 0 else f"{fabric.name}-{number + 1}"
        named.append(replace(fabric, name=name, notes=tuple(notes)))
    return named


def select(topology: Topology, chosen: NDArray[np.bool_]) -> Topology:
    """Return the part of a topology that has some of the vertices, and the links between them.

    Vertices are in the order of their names, switches first, and links in that of their ends: the
    same fabric gives the same topology, in whatever order a file lists it.

    Args:
        topology: The whole.
        chosen: Whether each vertex is in the part.
    """
    vertices = np.array(
        sorted(
            np.flatnonzero(chosen).tolist(),
            key=lambda v: (bool(topology.hosts[v]), natural(topology.vertices[v])),
        ),
        np.int64,
    )
    place = np.full(len(chosen), -1, np.int64)
    place[vertices] = np.arange(len(vertices))
    inside = np.flatnonzero(chosen[topology.sources] & chosen[topology.targets])
    links = np.array(
        sorted(
            inside.tolist(),
            key=lambda link: (
                place[topology.sources[link]],
                place[topology.targets[link]],
                natural(topology.source_ports[link]),
            ),
        ),
        np.int64,
    )
    link_place = np.full(len(topology.sources) + 1, -1, np.int64)  # the last one: for -1
    link_place[links] = np.arange(len(links))
    more = {name: _pick(getattr(topology, name), vertices) for name in _BY_VERTEX}
    more |= {name: _pick(getattr(topology, name), links) for name in _BY_LINK}
    forwarding = {
        int(place[switch]): link_place[table[vertices]]
        for switch, table in topology.forwarding.items()
        if chosen[switch]
    }
    return replace(
        topology,
        sources=place[topology.sources[links]],
        targets=place[topology.targets[links]],
        forwarding=forwarding,
        **more,  # type: ignore[arg-type]
    )


def natural(name: str) -> list[tuple[int, str]]:
    """Return a key that orders `node2` before `node10`."""
    pieces = re.split(r"([0-9]+)", name)
    return [(int(piece), "") if k % 2 else (-1, piece) for k, piece in enumerate(pieces)]


def _pick(values: object, places: NDArray[np.int64]) -> object:
    if isinstance(values, tuple):
        return tuple(values[place] for place in places)
    return values[places]  # type: ignore[index]


def join(planes: Sequence[Topology]) -> Topology:
    """Return topologies of equal layout as the planes of one, in their order."""
    first = planes[0]
    if len(planes) == 1:
        return first
    vertex_begin = np.cumsum([0, *(len(plane.vertices) for plane in planes)])
    link_begin = np.cumsum([0, *(len(plane.sources) for plane in planes)])
    numbered = [
        replace(plane, planes=np.full(len(plane.vertices), number, np.int64))
        for number, plane in enumerate(planes)
    ]
    more: dict[str, object] = {}
    for name in (*_BY_VERTEX, *_BY_LINK):
        columns = [getattr(plane, name) for plane in numbered]
        is_text = isinstance(columns[0], tuple)
        more[name] = sum(columns, ()) if is_text else np.concatenate(columns)
    forwarding = {}
    for number, plane in enumerate(planes):
        for switch, table in plane.forwarding.items():
            wide = np.full(vertex_begin[-1], -1, np.int64)
            here = np.where(table < 0, -1, table + link_begin[number])
            wide[vertex_begin[number] : vertex_begin[number + 1]] = here
            forwarding[int(switch + vertex_begin[number])] = wide
    return replace(
        first,
        sources=np.concatenate([p.sources + vertex_begin[k] for k, p in enumerate(planes)]),
        targets=np.concatenate([p.targets + vertex_begin[k] for k, p in enumerate(planes)]),
        forwarding=forwarding,
        notes=tuple(dict.fromkeys(note for plane in planes for note in plane.notes)),
        **more,  # type: ignore[arg-type]
    )


def labels(topology: Topology) -> Ints:
    """Return the number of each vertex's connected part."""
    ends = (topology.sources, topology.targets)
    size = len(topology.vertices)
    graph = coo_array((np.ones(len(topology.sources), np.int8), ends), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    return np.asarray(label, np.int64)


def _same_nodes(a: Topology, b: Topology) -> bool:
    ours, theirs = set(a.hosts) - {""}, set(b.hosts) - {""}
    return len(ours & theirs) >= _SAME_NODES * len(ours | theirs)


def _joined(group: list[Topology]) -> list[Topology]:
    """Return rails as planes of one topology; those of other layouts stay separate."""
    alike = [each for each in group if (each.kind, each.sizes) == (group[0].kind, group[0].sizes)]
    return [join(alike), *(each for each in group if each not in alike)]
