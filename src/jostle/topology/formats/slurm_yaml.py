"""Reads Slurm's `topology.yaml`: trees, blocks, rings and three-dimensional tori."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jostle.topology.formats.slurm import NO_SPEED, SwitchRows, of_rows
from jostle.topology.formats.source import Source
from jostle.topology.model import Topology
from jostle.topology.shapes import torus

ORIGIN = "Slurm's topology.yaml"
_MOST_NODES = 1_000_000
_FIX = "Compare it with `man topology.yaml`."


def recognises(source: Source) -> bool:
    """Return whether a file is a topology.yaml: a list whose entries name a topology."""
    return bool(re.search(r"^[ \t\[]*(?:-[ \t]+)?[{ \t]*\"?topology\"?[ \t]*:", source.text, re.M))


def read(sources: Sequence[Source], name: str) -> list[Topology]:
    """Return the fabrics of a topology.yaml.

    Args:
        sources: The file, as the only entry.
        name: Name of the fabric, if the file has one topology; else the file's names are used.

    Raises:
        TopologyError: The file is malformed, or describes no fabric.
    """
    if len(sources) != 1:
        raise sources[1].fault(0, "there are two topology.yaml", "Import them one by one.")
    source = sources[0]
    entries = _list(source, _load(source), "the file")
    fabrics: list[Topology] = []
    flat = []
    for entry in entries:
        own = str(_dict(source, entry, "an entry of the file").get("topology", ""))
        if entry.get("flat"):
            flat.append(own)
        fabrics += _entry(source, entry, own if len(entries) > 1 and own else name)
    if not fabrics:
        raise source.fault(
            0,
            "it describes no switch, block, ring or torus"
            + (f"; flat: {', '.join(flat)[:100]}" if flat else ""),
            "Describe the fabric there, or import a file of another kind.",
        )
    return fabrics


def _load(source: Source) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in yaml.parse(source.text, Loader=loader):
            # Aliases would let a few bytes expand to any size.
            if isinstance(event, yaml.events.AliasEvent):
                raise source.fault(
                    event.start_mark.line + 1,
                    "the file has an alias (`*name`)",
                    "Write the part out.",
                )
        return yaml.load(source.text, Loader=loader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it is nested too deeply or malformed"
        raise source.fault(
            mark.line + 1 if mark else 0, f"it is not YAML: {problem}", _FIX
        ) from None


def _entry(source: Source, entry: dict[str, Any], name: str) -> list[Topology]:
    rows = SwitchRows()
    for row in _part(source, entry, "tree", "switches"):
        switch = _name(source, row, "switch")
        if switch in rows.switches:
            raise source.fault(0, f"the switch `{switch}` is described twice", "Join the two.")
        rows.switches[switch] = (0, _text(row, "nodes"), _text(row, "children"))
    for row in _part(source, entry, "block", "blocks"):
        rows.blocks[_name(source, row, "block")] = (0, _text(row, "nodes"))
    for row in _part(source, entry, "ring", "rings"):
        rows.rings[_name(source, row, "ring")] = (0, _text(row, "nodes"))
    fabrics = of_rows(source, rows, name, ORIGIN)
    toruses = _part(source, entry, "torus3d", "toruses")
    for row in toruses:
        own = str(row.get("name", "")) or name
        fabrics.append(_torus(source, row, own if len(toruses) > 1 else name))
    return fabrics


def _torus(source: Source, row: dict[str, Any], name: str) -> Topology:
    """Return a torus; its nodes are ordered with x fastest, region by region if there are any."""
    what = f"the torus `{row.get('name', '')}`"
    sizes = _triple(source, row.get("dims"), f"dims of {what}", least=1)
    if sizes[0] * sizes[1] * sizes[2] > _MOST_NODES:
        raise source.fault(0, f"{what} is larger than any supported fabric", "Correct its dims.")
    regions = row.get("regions") or [{"dims": row.get("dims"), "nodes": row.get("nodes", "")}]
    hosts: dict[tuple[int, int, int], str] = {}
    for region in _list(source, regions, f"regions of {what}"):
        _dict(source, region, f"a region of {what}")
        anchor = _triple(source, region.get("anchor", {"x": 0, "y": 0, "z": 0}), "anchor")
        size = _triple(source, region.get("dims"), f"dims of a region of {what}", least=1)
        names = source.node_list(0, _text(region, "nodes"))
        if any(a + s > whole for a, s, whole in zip(anchor, size, sizes, strict=True)):
            raise source.fault(0, f"a region of {what} goes beyond it", "Correct its dims.")
        if len(names) != size[0] * size[1] * size[2]:
            raise source.fault(
                0,
                f"{what} has {size[0] * size[1] * size[2]} positions and {len(names)} nodes",
                "Correct dims or nodes.",
            )
        places = itertools.product(*(range(n) for n in reversed(size)))
        for host, (z, y, x) in zip(names, places, strict=True):
            hosts[anchor[0] + x, anchor[1] + y, anchor[2] + z] = host
    order = [(x, y, z) for x, y, z in itertools.product(*map(range, sizes))]
    missing = [at for at in order if at not in hosts]
    if missing or len(set(hosts.values())) != len(order):
        raise source.fault(
            0,
            f"{what} has {len(missing)} positions without a node, or a node twice",
            "Name each node once.",
        )
    whole = torus(sizes, names=("x", "y", "z"), hosts=[hosts[at] for at in order], name=name)
    return replace(whole, notes=(NO_SPEED,), origin=ORIGIN)


def _triple(source: Source, value: object, what: str, least: int = 0) -> tuple[int, int, int]:
    numbers = [value.get(letter) for letter in "xyz"] if isinstance(value, dict) else []
    if len(numbers) != 3 or not all(
        isinstance(n, int) and not isinstance(n, bool) and least <= n <= _MOST_NODES
        for n in numbers
    ):
        raise source.fault(0, f"{what} has no whole x, y and z", _FIX)
    return tuple(numbers)  # type: ignore[return-value]


def _part(source: Source, entry: dict[str, Any], part: str, rows: str) -> list[dict[str, Any]]:
    """Return the rows of a part of a topology; none if it has no such part."""
    if entry.get(part) is None:
        return []
    inner = _dict(source, entry[part], f"`{part}`").get(rows)
    return [
        _dict(source, row, f"an entry of `{rows}`")
        for row in _list(source, inner, f"`{rows}` of `{part}`")
    ]


def _list(source: Source, value: object, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise source.fault(0, f"{what} is not a list", _FIX)
    return value


def _dict(source: Source, value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise source.fault(0, f"{what} is not a table of names and values", _FIX)
    return value


def _name(source: Source, row: dict[str, Any], key: str) -> str:
    if not row.get(key):
        raise source.fault(0, f"an entry has no `{key}`", _FIX)
    return str(row[key])


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    return ",".join(map(str, value)) if isinstance(value, list) else str(value or "")
