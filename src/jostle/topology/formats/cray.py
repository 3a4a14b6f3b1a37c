"""Reads Cray's `rtr --interconnect` (Gemini's torus, Aries' dragonfly) with `xtdb2proc`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from jostle.topology.builder import Builder
from jostle.topology.formats.source import Source
from jostle.topology.layout import some
from jostle.topology.model import Topology
from jostle.topology.parts import fabrics

_PLACE = r"(c\d{1,5}-\d{1,5}c\d{1,2}s\d{1,2}[ag]\d{1,2})l\d{1,3}"
_ARIES = re.compile(rf"{_PLACE}\((\d{{1,5}}):(\d{{1,5}}):(\d{{1,5}})\)")
_GEMINI = re.compile(rf"{_PLACE}\[\((\d{{1,5}}),(\d{{1,5}}),(\d{{1,5}})\)\]")
_RECORD = re.compile(r"(\w+)=('[^']*'|[^,]*)")
_NEEDED = ("cpu", "slot", "cage", "cab_position", "cab_row", "processor_id")
_FIX = "Create the file again with `rtr --interconnect`."


@dataclass
class _Routers:
    """Content of `rtr --interconnect`.

    Attributes:
        at: Router -> its three coordinates.
        cables: Router, router -> number of tiles from one to the other.
        is_aries: Whether the routers are of type Aries.
    """

    at: dict[str, tuple[int, int, int]]
    cables: Counter[tuple[str, str]]
    is_aries: bool


def recognises(source: Source) -> bool:
    """Return whether a file is an interconnect or a table of processors of a Cray."""
    return any(
        _ARIES.match(line)
        or _GEMINI.match(line)
        or ("processor_id=" in line[:1000] and line.startswith("cpu="))
        for line in source.lines
    )


def read(sources: Sequence[Source], name: str) -> list[Topology]:
    """Return the fabric of an interconnect and the processors of xtdb2proc.

    Raises:
        TopologyError: A line is malformed, or one of the two files is missing.
    """
    tables = [source for source in sources if any(line.startswith("cpu=") for line in source.lines)]
    others = [source for source in sources if source not in tables]
    if len(others) != 1 or not tables:
        raise sources[0].fault(
            0,
            "a Cray needs two files: the links, and the router of each node",
            "Name one output of `rtr --interconnect` and that of `xtdb2proc`.",
        )
    routers = _routers(others[0])
    builder = Builder()
    place = {}
    for router, at in routers.at.items():
        place[router] = (
            builder.vertex(router, group=at[0])
            if routers.is_aries
            else builder.vertex(router, at=at)
        )
    notes = _nodes(tables, routers, builder, place)
    uneven = builder.bundles({(place[a], place[b]): n for (a, b), n in routers.cables.items()})
    if uneven:
        notes.append(
            f"{uneven} pairs of routers have different numbers of cables in each direction."
        )
    sizes = (
        ()
        if routers.is_aries
        else tuple(max(at[k] for at in routers.at.values()) + 1 for k in range(3))
    )
    return fabrics(
        builder.build(
            name,
            dimensions=("x", "y", "z")[: len(sizes)],
            sizes=sizes,
            wraps=(False,) * len(sizes),
            origin="rtr --interconnect and xtdb2proc",
            notes=("The files do not contain rates.", *notes),
        )
    )


def _routers(source: Source) -> _Routers:
    at: dict[str, tuple[int, int, int]] = {}
    cables: Counter[tuple[str, str]] = Counter()
    pattern, is_aries = _GEMINI, False
    for line, text in source.numbered():
        if text.startswith("#") or "->" not in text:
            continue
        left, _, right = text.partition("->")
        if not at:
            is_aries = bool(_ARIES.match(left.strip()))
            pattern = _ARIES if is_aries else _GEMINI
        ends = []
        for side in (left.strip(), right.strip()):
            match = pattern.match(side)
            if match is None:
                if side == left.strip():
                    raise source.fault(line, f"`{text[:80]}` is not a link of a router", _FIX)
                break  # unused, or to a processor
            own = int(match[2]), int(match[3]), int(match[4])
            if at.setdefault(match[1], own) != own:
                raise source.fault(line, f"`{match[1]}` has two positions", _FIX)
            ends.append(match[1])
        if len(ends) == 2 and ends[0] != ends[1]:
            cables[ends[0], ends[1]] += 1
    if not cables:
        raise source.fault(0, "the file has no links between routers", _FIX)
    return _Routers(at, cables, is_aries)


def _nodes(
    tables: Sequence[Source], routers: _Routers, builder: Builder, place: dict[str, int]
) -> list[str]:
    """Add the nodes at their routers; return notes for the user."""
    nowhere, seen, doubled = [], set(), []
    for source in tables:
        for line, text in source.numbered():
            if text.startswith("#"):
                continue
            record = {key: value.strip("'") for key, value in _RECORD.findall(text)}
            if missing := [key for key in _NEEDED if key not in record]:
                raise source.fault(
                    line,
                    f"the record has no `{missing[0]}`",
                    "Create the file again with xtdb2proc.",
                )
            cpu, slot, cage, column, row, number = (
                source.whole(line, record[key], key, 0, 9_999_999) for key in _NEEDED
            )
            chip = "a0" if routers.is_aries else f"g{cpu // 2}"
            router, host = f"c{column}-{row}c{cage}s{slot}{chip}", f"nid{number:05d}"
            if host in seen:
                doubled.append(host)
            elif router not in place:
                nowhere.append(host)
            else:
                node = builder.vertex(host, host)
                builder.cable(node, place[router], "terminal", ports=("", f"n{cpu}"))
            seen.add(host)
    notes = ["Nodes are named by their number (nid00012); give other host names with --hosts."]
    if doubled:
        notes.append(f"{len(doubled)} nodes occur twice; the first line counts: {some(doubled)}.")
    if nowhere:
        notes.append(f"{len(nowhere)} nodes are at routers without links: {some(nowhere)}.")
    return notes
