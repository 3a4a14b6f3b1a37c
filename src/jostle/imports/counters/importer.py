"""Imports slices of components into the tables that agents fill, each slice once."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.imports.counters.components import ComponentSlices
from jostle.imports.counters.slices import Flags, Grid, Ints
from jostle.repository import Repository
from jostle.repository.writing import (
    DAY_NS,
    HOUR_NS,
    TABLES,
    Change,
    ConflictError,
    Log,
    PartitionChunk,
    Position,
    Reached,
    dictionary,
    mount_identity,
    order,
    plain_errors,
    process_id,
    publish,
    split_by_partition,
    without_zeros,
    write_chunks,
)

#: Sources of imported counters: beginnings of column `library` of table machines.
SOURCES = ("prometheus", "ldms")
_ROUNDS = 5
_KEYS = ("kind", "host", "name", "source", "mount", "job")
#: Kinds of mounts whose identity, as jobs see it, follows from their source.
_MOUNT_TYPES = {"nfs_mount": "nfs4", "lustre_mount": "lustre"}


@dataclass
class CounterReport:
    """Result of an import of counters.

    Attributes:
        series: Number of series that were read.
        samples: Number of samples that were read.
        components: Number of components with new slices, by kind.
        hosts: Machines with new slices.
        rows: Number of new rows of table component_slices.
        known: Number of slices of machines that the repository had already.
        watched: Machines that are left out, since an agent of jostle records them.
        usual_ns: The usual time between two samples, in ns.
        slice_ns: Length of the slices.
        missing: Metrics of the map without any series, by kind of component.
        commits: Number of commits.
        seconds: Duration of the import, in seconds.
    """

    series: int = 0
    samples: int = 0
    components: Counter[str] = field(default_factory=Counter)
    hosts: set[str] = field(default_factory=set)
    rows: int = 0
    known: int = 0
    watched: set[str] = field(default_factory=set)
    usual_ns: int = 0
    slice_ns: int = 0
    missing: dict[str, list[str]] = field(default_factory=dict)
    commits: int = 0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return plain | {
            "components": dict(self.components),
            "hosts": sorted(self.hosts),
            "watched": sorted(self.watched),
        }


@dataclass(frozen=True)
class _Unit:
    """The slices of one machine on one day, which get one row of table machines.

    Attributes:
        machine: Id of the row.
        host: Name of the machine.
        role: Role of the machine: node or server.
        day: Number of the day since the epoch.
        components: Components of the machine, with their slices.
    """

    machine: int
    host: str
    role: str
    day: int
    components: list[ComponentSlices]


@dataclass(frozen=True)
class _Begin:
    """The first slice that the repository has of one machine on one day.

    Attributes:
        revision: Revision of the machine's stored position when `first` was read.
        first: Number of the first slice.
        before: Value of `first` when this import began, so that all earlier slices are new.
    """

    revision: int = 0
    first: int = (1 << 63) - 1
    before: int = -1


class CounterImport:
    """Imports counters of one source into one repository."""

    def __init__(self, store: Repository, source: str, title: str) -> None:
        """Create the import without reading any series.

        Args:
            store: The repository.
            source: Source: prometheus or ldms.
            title: Name of the source for users.
        """
        self._store, self._root = store, store.path
        self._source, self._title = source, title
        self._log = Log(self._root)
        self._agents = _watched(store)
        self._named: dict[int, set[int]] = {}
        self._begins: dict[int, _Begin] = {}
        self._counted: set[tuple[str, ...]] = set()

    def add(self, components: Sequence[ComponentSlices], grid: Grid, report: CounterReport) -> None:
        """Import some slices of components.

        Args:
            components: The components, with their slices.
            grid: Grid of the slices, all of one day.
            report: The report to which the numbers are added.

        Raises:
            RepositoryError: The repository cannot be read or written.
        """
        if not grid.count:
            return
        lo, hi = int(grid.edges[0]), int(grid.edges[-1])
        by_host: dict[tuple[str, str], list[ComponentSlices]] = defaultdict(list)
        for each in components:
            if any(lo < end and hi > start for start, end in self._agents.get(each.host, ())):
                report.watched.add(each.host)
            else:
                by_host[each.host, each.role].append(each)
        units = []
        for (host, role), several in sorted(by_host.items()):
            day = lo // DAY_NS
            boot = f"{self._source}:{self._title}:{host}:{role}:{grid.slice_ns}"
            units.append(_Unit(process_id(None, boot, 0, day, 0), host, role, day, several))
        with plain_errors(self._root):
            self._publish(units, grid, report)

    def _publish(self, units: Sequence[_Unit], grid: Grid, report: CounterReport) -> None:
        for _ in range(_ROUNDS):
            state = self._log.refresh()
            ids = [unit.machine for unit in units]
            done = state.done_of(ids)
            base = dict(zip(ids, state.positions(ids), strict=True))
            named, begins = self._names(ids), self._begins_of(base)
            taken = _Taken(self._source, self._title, grid, state.horizon_ns)
            for unit in units:
                if unit.machine in done:
                    report.known += grid.count
                else:
                    here = unit.machine
                    report.known += taken.add(unit, base[here], named[here], begins[here])
            if not taken.advance:
                return
            files = write_chunks(self._root, taken.chunks())
            try:
                publish(self._root, self._log, Change("ingest", files, [], taken.advance))
            except ConflictError:
                continue  # another process imports the same: check again
            report.commits += 1
            report.rows += taken.rows
            for unit in taken.units:
                report.hosts.add(unit.host)
                for each in unit.components:
                    key = (each.host, each.kind, each.name, each.job)
                    if key not in self._counted:
                        self._counted.add(key)
                        report.components[each.kind] += 1
            self._named |= named
            self._begins |= taken.begins
            return

    def _names(self, machines: Sequence[int]) -> dict[int, set[int]]:
        """Return the numbers of the components that are stored for each machine and day."""
        known: dict[int, set[int]] = {
            machine: set(self._named.get(machine, ())) for machine in machines
        }
        fresh = [machine for machine in machines if machine not in self._named]
        rows = self._store.query(
            "SELECT machine, component FROM components WHERE list_contains($1, machine)", [fresh]
        )
        pairs = zip(rows["machine"].to_pylist(), rows["component"].to_pylist(), strict=True)
        for machine, number in pairs:
            known[machine].add(number)
        return known

    def _begins_of(self, base: Mapping[int, Position]) -> dict[int, _Begin]:
        """Return the first stored slice of each machine and day.

        It is read again from the repository if another import has stored slices in the meantime.
        """
        begins = {machine: self._begins.get(machine, _Begin()) for machine in base}
        stale = [machine for machine, at in base.items() if at.revision != begins[machine].revision]
        if stale:
            rows = self._store.query(
                "SELECT machine, first_slice FROM machines WHERE list_contains($1, machine)",
                [stale],
            ).to_pylist()
            for row in rows:
                machine, first = row["machine"], row["first_slice"]
                begins[machine] = _Begin(base[machine].revision, first, first)
        return begins


class _Taken:
    """The rows that one commit adds to the repository."""

    def __init__(self, source: str, title: str, grid: Grid, horizon_ns: int) -> None:
        self._source, self._title, self._grid, self._horizon_ns = source, title, grid, horizon_ns
        self.advance: dict[int, tuple[Position, Reached]] = {}
        self.begins: dict[int, _Begin] = {}
        self.units: list[_Unit] = []
        self.named: list[dict[str, Any]] = []
        self.rows = 0
        self._machines: list[dict[str, Any]] = []
        self._parts: list[tuple[dict[str, Any], ComponentSlices, Ints]] = []

    def add(self, unit: _Unit, base: Position, named: set[int], begin: _Begin) -> int:
        """Add the new slices of a machine; return the number of those that are stored already."""
        grid = self._grid
        slices = grid.first + np.arange(grid.count)
        fresh = (slices > base.row_slice) | (slices < begin.before)
        fresh &= grid.edges[1:] > self._horizon_ns
        # The newest slices still lack some metrics: the next import takes them.
        whole = [slices[np.flatnonzero(_whole(each))] for each in unit.components]
        last = max((int(some[-1]) for some in whole if len(some)), default=-1)
        parts = [
            (each, np.flatnonzero(_with_row(each) & fresh & (slices <= last)))
            for each in unit.components
        ]
        old = int((~fresh).sum())
        if not any(len(at) for _, at in parts):
            return min(old, grid.count)
        for each, at in parts:
            row = _name(unit.machine, each)
            if row["component"] not in named:
                named.add(row["component"])
                self.named.append(row)
            if len(at):
                self._parts.append((row, each, at))
                self.rows += len(at)
        until = max(last, base.row_slice)
        to = Position(base.records + int(fresh.sum()), base.revision + 1, until, len(named))
        first = min(begin.first, *(int(slices[at[0]]) for _, at in parts if len(at)))
        self._machines.append(self._machine(unit, to, first))
        self.advance[unit.machine] = (base, to)
        self.begins[unit.machine] = _Begin(to.revision, first, begin.before)
        self.units.append(unit)
        return old

    def _machine(self, unit: _Unit, to: Position, first: int) -> dict[str, Any]:
        slice_ns = self._grid.slice_ns
        note = (
            f"Counters by {self._title} ({self._source.title()}): a counter's increase "
            "is spread evenly between two samples."
        )
        return {
            "machine": unit.machine,
            "host": unit.host,
            "role": unit.role,
            "boot_id": f"{self._source}:{unit.host}",
            "pid": 0,
            "part": 0,
            "library": f"{self._source} {self._title}",
            "slice_ns": slice_ns,
            "start_ns": unit.day * DAY_NS,
            "end_ns": (to.row_slice + 1) * slice_ns,
            "end_reason": "exit",
            "complete": True,
            "first_slice": first,
            "last_slice": to.row_slice,
            "records": to.records,
            "clock_state": 0,
            "clock_error_us": 0,
            "clock_steps": 0,
            "notes": [note],
            "warnings": [],
            "revision": to.revision,
        }

    def chunks(self) -> Iterator[PartitionChunk]:
        """Return the rows of all tables."""
        for table, rows in (("machines", self._machines), ("components", self.named)):
            if rows:
                schema = pa.schema(list(TABLES[table].keys.items()))
                yield PartitionChunk(table, pa.Table.from_pylist(rows, schema), 0, 0)
        yield from self._slices()

    def _slices(self) -> Iterable[PartitionChunk]:
        if not self._parts:
            return
        parts, slice_ns = self._parts, self._grid.slice_ns
        which = np.repeat(np.arange(len(parts)), [len(at) for _, _, at in parts])
        at = np.concatenate([at for _, _, at in parts])
        slices = self._grid.first + at
        hour = slices * slice_ns // HOUR_NS
        names = sorted(range(len(parts)), key=lambda k: [parts[k][0][key] for key in _KEYS])
        rank = np.argsort(names)
        by = order(hour, rank[which], slices)
        which, slices, hour = which[by], slices[by], hour[by]
        texts = {key: [row[key] for row, _, _ in parts] for key in _KEYS}
        never = [" ".join(each.unknown[1]) for _, each, _ in parts]
        table: dict[str, Any] = {key: _texts(values, which) for key, values in texts.items()}
        metrics = sorted({name for _, each, _ in parts for name in each.amounts})
        lacking = np.concatenate([_lacking(each, at) for _, each, at in parts])[by]
        columns = {
            name: np.concatenate(
                [
                    each.amounts[name].values[at]
                    if name in each.amounts
                    else np.zeros(len(at), np.int64)
                    for _, each, at in parts
                ]
            )[by]
            for name in metrics
        }
        words = [f"{never[k]} {some}".strip() for k, some in zip(which, lacking, strict=True)]
        table |= {
            "slice": slices,
            "slice_ns": np.full(len(slices), slice_ns),
            "span": np.ones(len(slices), dtype=np.int32),
            "machine": np.array([row["machine"] for row, _, _ in parts])[which],
            "component": np.array([row["component"] for row, _, _ in parts])[which],
            "epoch": np.zeros(len(slices), dtype=np.int64),
            "unknown": pa.array(words, pa.string()),
            **columns,
        }
        start = slices * slice_ns
        rows = without_zeros("component_slices", pa.table(_ordered(table, metrics)))
        yield from split_by_partition("component_slices", rows, hour, start, start + slice_ns)


def _ordered(table: dict[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    names = [*TABLES["component_slices"].keys, "epoch", "unknown"]
    known = [name for name in TABLES["component_slices"].values if name in metrics]
    return {name: table[name] for name in (*names, *known)}


def _whole(each: ComponentSlices) -> Flags:
    """Return whether each slice has all metrics that are known in at least one slice."""
    known = [amounts.known for amounts in each.amounts.values() if amounts.known.any()]
    return np.asarray(np.all(known, axis=0) if known else np.zeros(0, dtype=bool), dtype=bool)


def _with_row(each: ComponentSlices) -> Flags:
    """Return whether each slice of a component gets a row.

    A slice with a value other than 0 gets a row. A slice with an unknown value gets one if it lies
    between the first and the last slice with a known value. All others get none, as with agents.
    """
    lives = np.any([amounts.known for amounts in each.amounts.values()], axis=0)
    some = np.any([amounts.values != 0 for amounts in each.amounts.values()], axis=0)
    at = np.flatnonzero(lives)
    if len(at):
        inside = np.zeros(len(lives), dtype=bool)
        inside[at[0] : at[-1] + 1] = True
        some |= inside & each.unknown[0]
    return np.asarray(some, dtype=bool)


def _lacking(each: ComponentSlices, at: Ints) -> np.ndarray[Any, Any]:
    """Return for each slice the names of the component's unknown metrics, divided by blanks."""
    words = np.full(len(at), "", dtype=object)
    for name, amounts in each.amounts.items():
        words[~amounts.known[at]] += f"{name} "
    return words


def _name(machine: int, each: ComponentSlices) -> dict[str, Any]:
    """Return a component's row of table components.

    The number of the component is a hash of its kind, name, source and job.
    """
    text = f"{each.kind}/{each.name}/{each.source}/{each.job}"
    digest = hashlib.blake2b(text.encode(), digest_size=4).digest()
    kind = _MOUNT_TYPES.get(each.kind)
    mount = mount_identity(each.host, "", kind, each.source) if kind and each.source else ""
    return {
        "machine": machine,
        "host": each.host,
        "component": int.from_bytes(digest, "big"),
        "kind": each.kind,
        "name": each.name,
        "source": each.source,
        "mount": mount,
        "job": each.job,
        "path": each.source if each.kind == "nfs_mount" else "",
        "major": 0,
        "minor": 0,
        "numa": -1,
        "pid": 0,
        "uid": -1,
    }


def _texts(values: Sequence[str], which: Ints) -> pa.DictionaryArray:
    distinct = sorted(set(values))
    place = {value: number for number, value in enumerate(distinct)}
    codes = np.array([place[value] for value in values], dtype=np.int64)
    return dictionary(codes[which], distinct)


def _watched(store: Repository) -> dict[str, list[tuple[int, int]]]:
    """Return when jostle's agents recorded each host: an import would count that time twice."""
    spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
    rows = store.query(
        "SELECT host, start_ns, greatest(end_ns, (last_slice + 1) * slice_ns) AS end_ns "
        "FROM machines WHERE NOT list_contains($1, split_part(library, ' ', 1))",
        [list(SOURCES)],
    ).to_pylist()
    for row in rows:
        spans[row["host"]].append((row["start_ns"], row["end_ns"]))
    return spans


def blocks(start_ns: int, end_ns: int, slice_ns: int) -> Iterator[Grid]:
    """Yield the slices between two instants, hour by hour.

    Args:
        start_ns: The first instant, ns since the epoch.
        end_ns: The last instant, ns since the epoch.
        slice_ns: Length of the slices.
    """
    first, last = -(-start_ns // slice_ns), end_ns // slice_ns
    while first < last:
        until = min(((first * slice_ns) // HOUR_NS + 1) * HOUR_NS // slice_ns, last)
        yield Grid(first, until - first, slice_ns)
        first = until
