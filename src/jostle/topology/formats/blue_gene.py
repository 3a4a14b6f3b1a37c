"""Reads node coordinates of Blue Gene: a line per node or rank, A to E and T, or X, Y, Z and T."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import prod

from jostle.topology.formats.source import Source
from jostle.topology.model import Topology
from jostle.topology.parts import natural
from jostle.topology.shapes import torus

_LINE = re.compile(
    r"(?:([^\s<(,#]{0,80}[A-Za-z][^\s<(,#]{0,80})[\s,]+)?"
    r"[<(]?(\d{1,4}(?:[\s,]+\d{1,4}){2,5})[>)]?\s*"
)
#: Number of numbers in a line -> dimensions; the last number may be the core, T.
_DIMENSIONS = {3: ("x", "y", "z"), 4: ("x", "y", "z"), 5: tuple("abcde"), 6: tuple("abcde")}
_NO_LINKS = (
    "Links are not in the file: each position is assumed to be linked to its neighbours, and the "
    "ends of each dimension to each other. This is wrong for a block that is a mesh."
)
_MOST_PLACES = 1_000_000


def recognises(source: Source) -> bool:
    """Return whether the lines of a file are coordinates."""
    lines = [line.strip()[:200] for line in source.lines[:200]]
    lines = [line for line in lines if line and not line.startswith("#")]
    return bool(lines) and all(_LINE.fullmatch(line) for line in lines)


def read(sources: Sequence[Source], name: str) -> list[Topology]:
    """Return the torus of coordinates: `HOST A B C D E`, or a map file with lines `A B C D E T`.

    Raises:
        TopologyError: A line is malformed, or two hosts have the same coordinates.
    """
    hosts: dict[tuple[int, ...], str] = {}
    length = 0
    for source in sources:
        for line, text in source.numbered():
            if text.lstrip().startswith("#"):
                continue
            match = _LINE.fullmatch(text.strip()[:200])
            numbers = tuple(map(int, re.findall(r"\d+", match[2]))) if match else ()
            if match is None or length not in (0, len(numbers)):
                fix = "Write HOST A B C D E, or A B C D E T, on each line."
                raise source.fault(line, f"`{text[:60]}` has another format than other lines", fix)
            length = len(numbers)
            at = numbers[: len(_DIMENSIONS[length])]
            own = match[1] or "n" + "-".join(map(str, at))
            if hosts.setdefault(at, own) != own:
                raise source.fault(
                    line,
                    f"`{hosts[at]}` and `{own}` have the same position",
                    "Correct one of them.",
                )
    if not hosts:
        raise sources[0].fault(0, "the file has no coordinates", "Write a line for each node.")
    return [_torus(sources[0], hosts, _DIMENSIONS[length], name)]


def _torus(
    source: Source, hosts: dict[tuple[int, ...], str], dimensions: tuple[str, ...], name: str
) -> Topology:
    sizes = tuple(max(at[k] for at in hosts) + 1 for k in range(len(dimensions)))
    if prod(sizes) > _MOST_PLACES:
        raise source.fault(
            0,
            f"the coordinates span {' x '.join(map(str, sizes))} positions",
            "Correct the largest ones.",
        )
    if len(set(hosts.values())) < len(hosts):
        raise source.fault(0, "one host has two positions", "Give each position its own host.")
    whole = torus(sizes, names=dimensions, name=name)
    places = [tuple(at) for at in whole.coordinates.tolist()]
    own = [hosts.get(at, f"n{'-'.join(map(str, at))}?") for at in places]
    named = [(host and name, name) for host, name in zip(whole.hosts, own, strict=True)]
    notes = [_NO_LINKS]
    missing = sorted((name for host, name in named if host and name.endswith("?")), key=natural)
    if missing:
        notes.append(f"{len(missing)} positions have no line; nodes there are named by position.")
    return replace(
        whole,
        hosts=tuple(host for host, _ in named),
        vertices=tuple(
            name if host else vertex
            for (host, name), vertex in zip(named, whole.vertices, strict=True)
        ),
        notes=tuple(notes),
        origin="coordinates of Blue Gene",
    )
