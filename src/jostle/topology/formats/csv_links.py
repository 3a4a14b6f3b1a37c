"""Reads a CSV of links, and optionally a second one of vertices."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from jostle.topology.builder import Builder
from jostle.topology.formats.source import Source
from jostle.topology.formats.xnames import xname
from jostle.topology.model import LINK_KINDS, LinkKind, Topology
from jostle.topology.parts import fabrics

ORIGIN = "a CSV of links"
_LINK_COLUMNS = ("source", "target", "source_port", "target_port", "rate", "lanes", "kind")
_VERTEX_COLUMNS = ("vertex", "host", "adapter", "group")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MOST_DIMENSIONS = 16
_Rows = Iterator[tuple[int, dict[str, str]]]


def recognises(source: Source) -> bool:
    """Return whether a file is such a CSV: by the names of its columns."""
    first = next((line for _, line in source.numbered()), "")
    names = {name.strip().strip('"').lower() for name in first.split(",")}
    return {"source", "target"} <= names or "vertex" in names


def read(sources: Sequence[Source], name: str) -> list[Topology]:
    """Return the fabrics of CSVs of links and of vertices.

    Args:
        sources: One CSV with the columns source and target, and at most one with the column vertex.
        name: Name of the fabric.

    Raises:
        TopologyError: A file is malformed.
    """
    links = [source for source in sources if "target" in _header(source)]
    vertices = [source for source in sources if source not in links]
    if len(links) != 1 or len(vertices) > 1:
        raise sources[0].fault(
            0,
            "one CSV of links is needed, and at most one of vertices",
            "Name one of each; import other fabrics one by one.",
        )
    builder = Builder()
    place: dict[str, int] = {}
    dimensions = _vertices(vertices[0], builder, place) if vertices else ()
    cables = list(_cables(links[0], place if vertices else None))
    notes = []
    if not vertices:
        notes = _nodes_by_links(builder, place, cables)
    for there, back, ports, rate, lanes, kind in cables:
        builder.cable(place[there], place[back], kind, rate=rate, ports=ports, lanes=lanes)
    sizes = tuple(max(at[k] for at in builder.coordinates) + 1 for k in range(len(dimensions)))
    whole = builder.build(
        name,
        dimensions=dimensions,
        sizes=sizes,
        notes=tuple(notes),
        wraps=(False,) * len(sizes),
        origin=ORIGIN,
    )
    return fabrics(whole)


def _header(source: Source) -> list[str]:
    first = next((line for _, line in source.numbered()), "")
    return [name.strip().lower() for name in next(csv.reader([first]), [])]


def _rows(source: Source) -> _Rows:
    """Yield the rows by column, with their line numbers."""
    header = _header(source)
    if len(set(header)) != len(header) or not all(header):
        raise source.fault(
            1, "two columns have the same name, or one has none", "Give each column its own name."
        )
    reader = csv.reader(source.lines)
    try:
        for row in reader:
            if not any(row) or [cell.strip().lower() for cell in row] == header:
                continue
            if len(row) != len(header):
                raise source.fault(
                    reader.line_num,
                    f"the row has {len(row)} cells, but the header has {len(header)}",
                    "Give each row a cell for each column; an empty one is fine.",
                )
            yield reader.line_num, dict(zip(header, map(str.strip, row), strict=True))
    except csv.Error as error:
        raise source.fault(reader.line_num, f"it is not CSV: {error}", "Fix the quotes.") from None


def _vertices(source: Source, builder: Builder, place: dict[str, int]) -> tuple[str, ...]:
    """Add the vertices of a CSV; return the dimensions: its other columns, all whole numbers."""
    dimensions = tuple(name for name in _header(source) if name not in _VERTEX_COLUMNS)
    if len(dimensions) > _MOST_DIMENSIONS or not all(map(_NAME.fullmatch, dimensions)):
        raise source.fault(
            1,
            f"there is a column that is not a dimension: {', '.join(dimensions)}",
            "Columns: vertex, host, adapter, group, and one per dimension.",
        )
    for line, row in _rows(source):
        name = row["vertex"]
        if not name or name in place:
            raise source.fault(
                line,
                f"the vertex `{name}` has no name or occurs twice",
                "Give each vertex one row.",
            )
        at = tuple(source.whole(line, row[each], each, 0, 99_999) for each in dimensions)
        group = row.get("group", "")
        place[name] = builder.vertex(
            name,
            row.get("host", ""),
            adapter=row.get("adapter", ""),
            at=at,
            group=source.whole(line, group, "group", -1) if group else -1,
        )
    if not place:
        raise source.fault(0, "it has no vertices", "Add a row for each node and switch.")
    return dimensions


_Cable = tuple[str, str, tuple[str, str], float, int, LinkKind]


def _cables(source: Source, known: dict[str, int] | None) -> Iterator[_Cable]:
    """Yield the cables of a CSV; each row is a cable with both directions."""
    unknown = [name for name in _header(source) if name not in _LINK_COLUMNS]
    if unknown:
        raise source.fault(
            1, f"there is no column `{unknown[0]}`", f"Columns: {', '.join(_LINK_COLUMNS)}."
        )
    empty = True
    for line, row in _rows(source):
        ends = [_end(row, side) for side in ("source", "target")]
        names = [vertex for vertex, _ in ends]
        if not all(names) or names[0] == names[1]:
            raise source.fault(line, "a cable needs two different ends", "Name both vertices.")
        for end in names:
            if known is not None and end not in known:
                fix = "Add its row there, or correct the name."
                raise source.fault(line, f"`{end}` is not in the CSV of vertices", fix)
        kind = row.get("kind", "") or "other"
        if kind not in LINK_KINDS:
            raise source.fault(
                line, f"there is no kind `{kind}`", f"One of: {', '.join(LINK_KINDS)}."
            )
        lanes = source.whole(line, row.get("lanes", "") or "1", "number of lanes", 1, 4096)
        rate = source.rate(line, row.get("rate", ""))
        yield names[0], names[1], (ends[0][1], ends[1][1]), rate, lanes, kind
        empty = False
    if empty:
        raise source.fault(0, "it has no links", "Add a row for each cable.")


def _end(row: dict[str, str], side: str) -> tuple[str, str]:
    """Return the vertex and the port of an end; names of Slingshot's ports contain both."""
    own, port = xname(row[side]), row.get(f"{side}_port", "")
    return (own.vertex, port or own.port) if own is not None else (row[side], port)


def _nodes_by_links(builder: Builder, place: dict[str, int], cables: list[_Cable]) -> list[str]:
    """Add the vertices that links name; return notes on which of them are nodes."""
    partners: dict[str, set[str]] = {}
    for there, back, *_ in cables:
        partners.setdefault(there, set()).add(back)
        partners.setdefault(back, set()).add(there)
    names = {name: xname(name.replace("/", "")) for name in partners}
    hosts = {name: own.host for name, own in names.items() if own is not None and own.host}
    nodes = {there for there, *_, kind in cables if kind == "terminal"} | set(hosts)
    by_links = not nodes
    if by_links:
        nodes = {name for name, others in partners.items() if len(others) == 1}
    for name in partners:
        own = names[name]
        place[name] = builder.vertex(
            name,
            hosts.get(name, name) if name in nodes else "",
            adapter=own.adapter if own is not None else "",
        )
    if hosts:
        return ["Nodes are named by their xnames; give their host names with --hosts."]
    if not by_links:
        return []
    return [
        f"No file says which vertices are nodes: the {len(nodes)} that are linked to one other "
        "vertex alone were taken as nodes."
    ]
