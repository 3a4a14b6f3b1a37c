"""Finds the links of zones, the parts of a fabric as users name them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from jostle.topology import Topology, TopologyError

Flags = NDArray[np.bool_]
#: Names that an error lists.
_LISTED = 8


def zone_links(topology: Topology, zone: str) -> Flags:
    """Return whether each link of a fabric is in a zone.

    A link is in the zone of some vertices if it begins or ends there, so that what enters and
    leaves them counts.

    Args:
        topology: The fabric.
        zone: `switch:NAME`, `subtree:NAME` (the switch and all below it), `group:N`, `plane:N`, or
            `link:A > B`.

    Raises:
        TopologyError: The fabric has no such zone; the hint lists its zones.
    """
    kind, _, name = zone.partition(":")
    name = name.strip()
    flags: Flags
    if kind == "link" and name in topology.link_place:
        flags = np.zeros(len(topology.sources), bool)
        flags[topology.link_place[name]] = True
        return flags
    inside = _vertices(topology, kind, name)
    if inside is None:
        raise TopologyError(
            f"Fabric `{topology.name}` has no zone `{zone}`.",
            hint=f"Its zones are {'; '.join(known_zones(topology))}.",
        )
    flags = inside[topology.sources] | inside[topology.targets]
    return flags


def known_zones(topology: Topology) -> list[str]:
    """Return texts that list the zones of a fabric: `switch:NAME (leaf1, leaf2, spine1)`."""
    switches = [topology.vertices[k] for k in np.flatnonzero(topology.is_switch)]
    zones = [f"switch:NAME ({_some(switches)})"]
    inner = np.unique(topology.levels[topology.is_switch])
    if len(inner) > 1 and inner[0] >= 0:
        high = topology.is_switch & (topology.levels > inner[0])
        zones.append(f"subtree:NAME ({_some(topology.vertices[k] for k in np.flatnonzero(high))})")
    for word, numbers in (("group", topology.groups), ("plane", topology.planes)):
        known = np.unique(numbers[numbers >= 0]).tolist()
        if len(known) > 1:
            zones.append(f"{word}:N ({_some(map(str, known))})")
    first = topology.link_name(0) if len(topology.sources) else ""
    return [*zones, f"link:A > B ({first}, …)"] if first else zones


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    more = ", …" if len(listed) > _LISTED else ""
    return ", ".join(listed[:_LISTED]) + more


def _vertices(topology: Topology, kind: str, name: str) -> Flags | None:
    """Return whether each vertex is in a zone; None: there is no such zone."""
    inside: Flags
    if kind in ("group", "plane"):
        numbers = topology.groups if kind == "group" else topology.planes
        inside = numbers == int(name) if _is_number(name) else numbers < -1
        return inside if inside.any() else None
    place = topology.place.get(name, -1)
    if kind not in ("switch", "subtree") or place < 0 or not topology.is_switch[place]:
        return None
    inside = np.zeros(len(topology.vertices), bool)
    inside[place] = True
    if kind == "switch":
        return inside
    falls = topology.levels[topology.targets] < topology.levels[topology.sources]
    falls &= topology.levels[topology.targets] >= 0
    while True:
        below = topology.targets[falls & inside[topology.sources]]
        if inside[below].all():
            return inside
        inside[below] = True


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
