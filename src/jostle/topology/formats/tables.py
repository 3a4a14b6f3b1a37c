"""Reads the tables of visualisers: DragonView's CSVs, and Boxfish's tables with a YAML header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jostle.topology.builder import Builder
from jostle.topology.formats.source import Source
from jostle.topology.model import Topology
from jostle.topology.parts import fabrics

_LINKS = ("sg", "sr", "sc", "dg", "dr", "dc")
_NODES = ("g", "r", "c", "n")
_COLUMN = re.compile(r"-\s*\[\s*([A-Za-z_][A-Za-z0-9_]*)\s*,\s*\w+\s*\]")
_DIM = re.compile(r"\bdim\s*:\s*\{([^{}]{1,200})\}")
_FIX = "Compare it with docs/reference/topology.md."
NO_HOSTS = "The tables name no hosts: nodes are named by their position; give names with --hosts."


def recognises_dragonview(source: Source) -> bool:
    """Return whether a file is a table of links or jobs of DragonView."""
    header = set(_csv_header(source))
    return header.issuperset(_LINKS) or (header.issuperset(_NODES) and "jobid" in header)


def read_dragonview(sources: Sequence[Source], name: str) -> list[Topology]:
    """Return the dragonfly of DragonView's tables: one of links, any number of jobs.

    Raises:
        TopologyError: A row is malformed, or a table is missing.
    """
    links = [source for source in sources if "sg" in _csv_header(source)]
    jobs = [source for source in sources if source not in links]
    if len(links) != 1 or not jobs:
        raise sources[0].fault(
            0,
            "DragonView has two tables: links, and the nodes of jobs",
            "Name one table of links and the table of jobs.",
        )
    builder = Builder()
    place: dict[tuple[int, ...], int] = {}

    def router(at: tuple[int, ...]) -> int:
        if at not in place:
            place[at] = builder.vertex("g{}r{}c{}".format(*at), group=at[0])
        return place[at]

    cables: Counter[tuple[int, int]] = Counter()
    for _, numbers in _csv_numbers(links[0], _LINKS):
        ends = router(numbers[:3]), router(numbers[3:])
        if ends[0] != ends[1]:
            cables[ends] += 1
    uneven = builder.bundles(cables)
    seen = set()
    for source in jobs:
        for line, numbers in _csv_numbers(source, _NODES):
            if numbers in seen:
                continue  # a row per core
            seen.add(numbers)
            if numbers[:3] not in place:
                raise source.fault(line, "a node is at a router without links", _FIX)
            host = "g{}r{}c{}n{}".format(*numbers)
            builder.cable(
                builder.vertex(host, host),
                place[numbers[:3]],
                "terminal",
                ports=("", f"n{numbers[3]}"),
            )
    notes = [NO_HOSTS, "Only nodes that jobs ran on are in the tables."]
    if uneven:
        notes.append(
            f"{uneven} pairs of routers have different numbers of cables in each direction."
        )
    return fabrics(builder.build(name, notes=tuple(notes), origin="DragonView's tables"))


def _csv_header(source: Source) -> list[str]:
    first = next((line for _, line in source.numbered()), "")
    return [cell.strip().lower() for cell in first[:4096].split(",")]


def _csv_numbers(source: Source, columns: Sequence[str]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the whole numbers of some columns, with their line numbers."""
    header = _csv_header(source)
    if missing := [name for name in columns if name not in header]:
        raise source.fault(1, f"there is no column `{missing[0]}`", _FIX)
    places = [header.index(name) for name in columns]
    reader = csv.reader(source.lines)
    try:
        for row in reader:
            line = reader.line_num
            if not any(row) or [cell.strip().lower() for cell in row] == header:
                continue
            if len(row) != len(header):
                raise source.fault(
                    line,
                    f"the row has {len(row)} cells, but the header has {len(header)}",
                    "Give each row a cell for each column.",
                )
            yield line, tuple(source.whole(line, row[k], header[k], 0, 99_999) for k in places)
    except csv.Error as error:
        raise source.fault(reader.line_num, f"it is not CSV: {error}", "Fix it.") from None


# ---- Boxfish ----


@dataclass
class _Table:
    """A table of Boxfish: its columns, and its rows with their line numbers."""

    source: Source
    columns: list[str]
    rows: list[tuple[int, list[str]]]

    @property
    def dimensions(self) -> list[str]:
        """The dimensions of a table of links: x if there are columns sx and tx."""
        return [
            name[1:]
            for name in self.columns
            if len(name) > 1 and name[0] == "s" and f"t{name[1:]}" in self.columns
        ]

    def numbers(self, columns: Sequence[str]) -> Iterator[tuple[int, ...]]:
        """Yield the whole numbers of some columns.

        Raises:
            TopologyError: A row is malformed.
        """
        places = [self.columns.index(name) for name in columns]
        for line, row in self.rows:
            if len(row) != len(self.columns):
                raise self.source.fault(
                    line,
                    f"the row has {len(row)} values, but the header has {len(self.columns)} "
                    "columns",
                    _FIX,
                )
            yield tuple(self.source.whole(line, row[k], self.columns[k], 0, 99_999) for k in places)


def recognises_boxfish(source: Source) -> bool:
    """Return whether a file is a table or the meta file of Boxfish."""
    head = "\n".join(source.lines[:200])
    return source.text.lstrip().startswith("---") and (
        bool(_COLUMN.search(head)) or bool(_DIM.search(head))
    )


def read_boxfish(sources: Sequence[Source], name: str) -> list[Topology]:
    """Return the torus of Boxfish's tables: links, with nodes and the meta file if there are any.

    Raises:
        TopologyError: A row is malformed, or there is no table of links.
    """
    tables = [table for table in map(_boxfish_table, sources) if table is not None]
    links = [table for table in tables if table.dimensions]
    if len(links) != 1:
        raise sources[0].fault(
            0,
            f"there are {len(links)} tables of links (columns sx, tx, ...)",
            "Name one, and the table of nodes if there is one.",
        )
    dimensions = links[0].dimensions
    nodes = [
        table for table in tables if table is not links[0] and set(dimensions) <= set(table.columns)
    ]
    builder = Builder()
    place: dict[tuple[int, ...], int] = {}
    cables: dict[tuple[int, int], int] = {}
    columns = [f"s{d}" for d in dimensions] + [f"t{d}" for d in dimensions]
    for numbers in links[0].numbers(columns):
        ends = []
        for at in (numbers[: len(dimensions)], numbers[len(dimensions) :]):
            if at not in place:
                place[at] = builder.vertex("s" + "-".join(map(str, at)), at=at)
            ends.append(place[at])
        if ends[0] != ends[1]:
            cables[ends[0], ends[1]] = 1
    builder.bundles(cables)
    notes = [NO_HOSTS, "The tables do not contain rates."]
    _boxfish_nodes(nodes, dimensions, builder, place)
    if not nodes:
        notes.append("There is no table of nodes, so one node is assumed at each position.")
    sizes = _sizes(sources, dimensions, list(place))
    return fabrics(
        builder.build(
            name,
            dimensions=tuple(dimensions),
            sizes=sizes,
            wraps=(False,) * len(sizes),
            notes=tuple(notes),
            origin="Boxfish's tables",
        )
    )


def _boxfish_nodes(
    tables: Sequence[_Table],
    dimensions: Sequence[str],
    builder: Builder,
    place: dict[tuple[int, ...], int],
) -> None:
    """Add a node per row of the table of nodes; one per coordinates if there is no table."""
    rows = [at for table in tables for at in table.numbers(dimensions)] or list(place)
    count: Counter[tuple[int, ...]] = Counter()
    for at in rows:
        if at not in place:
            raise tables[0].source.fault(0, f"the node at {at} has no links", _FIX)
        host = "n" + "-".join(map(str, at)) + (f".{count[at]}" if count[at] else "")
        count[at] += 1
        builder.cable(builder.vertex(host, host, at=at), place[at], "terminal")


def _boxfish_table(source: Source) -> _Table | None:
    """Return the table of a file; None for a meta file."""
    columns: list[str] = []
    end = 0
    for number, line in enumerate(source.lines, 1):
        if match := _COLUMN.match(line.strip()[:200]):
            columns.append(match[1])
        if line.strip() == "..." and columns:
            end = number
            break
    if not end:
        return None
    if len(set(columns)) < len(columns):
        raise source.fault(0, "two columns have the same name", _FIX)
    rows = [(number, line.split()) for number, line in source.numbered() if number > end]
    return _Table(source, columns, rows)


def _sizes(
    sources: Sequence[Source], dimensions: Sequence[str], places: Sequence[tuple[int, ...]]
) -> tuple[int, ...]:
    """Return the lengths that a meta file gives, else those of the links' coordinates."""
    reached = [max(at[k] for at in places) + 1 for k in range(len(dimensions))] if places else []
    for source in sources:
        if match := _DIM.search("\n".join(source.lines[:200])):
            said = dict(re.findall(r"(\w+)\s*:\s*(\d{1,5})", match[1]))
            return tuple(
                max(int(said.get(d, 0)), n) for d, n in zip(dimensions, reached, strict=True)
            )
    return tuple(reached)
