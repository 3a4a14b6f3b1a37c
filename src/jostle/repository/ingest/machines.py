"""Plans the part of one ingest commit that comes from machines' profiles, and validates these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.reader import Component, MachineHeader, MachineRead, MachineTables
from jostle.repository.ingest.spool import HeaderPeek, implausible, is_over
from jostle.repository.store.layout import HOUR_NS, TABLES, mount_identity
from jostle.repository.store.profile_positions import Position, Reached
from jostle.repository.store.tables import (
    MAX_VALUE,
    Ints,
    PartitionChunk,
    dictionary,
    ends,
    order,
    split_by_partition,
    without_zeros,
)
from jostle.schema.metrics import COMPONENT_IDS
from jostle.values.arrow_columns import ints

# Interval at which a running machine's row is renewed (in its own time).
_ROW_EVERY_NS = 60_000_000_000
_MOST_COMPONENTS = 1 << 17  # of one file; the agent begins a new file long before that
#: File-system types of kinds of mounts; from them follows a mount's identity in jobs.
_MOUNT_TYPES = {
    "nfs_mount": "nfs4",
    "lustre_mount": "lustre",
    "gpfs_mount": "gpfs",
    "ceph_mount": "fuse.ceph-fuse",
}


@dataclass
class _Step:
    """New data of one machine: the positions before and after the commit, and the new rows."""

    machine: int
    header: MachineHeader
    base: Position
    to: Reached
    row: dict[str, Any] | None
    fresh: list[Component] = field(default_factory=list)  # not yet in table components


class MachinePlan:
    """The rows that one commit adds from profiles of machines."""

    def __init__(self, tables: MachineTables, horizon_ns: int) -> None:
        self._tables = tables
        self._horizon_ns = horizon_ns
        self._step_of: Ints = np.full(max(len(tables.results), 1), -1, dtype=np.int64)
        self.steps: list[_Step] = []
        self.warnings: list[str] = []
        self.finished: set[int] = set()
        self.slices = 0  # rows of component slices
        for result in tables.results:
            if result.request.origin is not None and result.request.origin.is_coming:
                continue
            self.warnings += result.warnings
            if result.error is not None:
                self.warnings.append(f"{result.error} {result.error.hint}".strip())

    def add(self, item: HeaderPeek, number: int, base: Position) -> bool:
        """Plan the new slices of one machine; return whether its profile has more for later.

        Args:
            item: Profile of the machine.
            number: Number of the profile in the tables.
            base: Position up to which the profile is in the repository already.
        """
        result = self._tables.results[number]
        header = result.header
        if header is None or item.process is None:
            return False
        first, count = result.slices
        slices = ints(self._tables.slices.slice(first, count), "slice")
        after = ends(slices, ints(self._tables.slices.slice(first, count), "span"))
        lo = int(slices.min()) if count else header.first_slice
        hi = int(after.max()) - 1 if count else header.first_slice
        known = max(lo, hi, base.row_slice, header.first_slice)
        who = f"The machine {header.host}"
        numbers = [header.pid, header.start_ns, header.end_ns, header.part]
        problem = implausible(
            who,
            header.slice_ns,
            numbers,
            [min(lo, header.first_slice), hi],
            [header.start_ns, header.end_ns or header.start_ns],
        )
        if not problem and len(header.components) > _MOST_COMPONENTS:
            problem = f"{who} claims to have {len(header.components)} components; it is left out."
        if not problem and item.origin is not None and not _same(header.host, item.origin.node):
            problem = (
                f"{item.path.name} came from {item.origin.node}, and says that it is of "
                f"{header.host}; it is left out. A node's shipper must name it as `hostname` does."
            )
        if problem:
            self.warnings.append(problem)
            return False
        final = result.complete and item.final and is_over(header)
        due = (known - base.row_slice) * header.slice_ns >= _ROW_EVERY_NS
        with_row = final or base.revision == 0 or due
        fresh = [c for c in header.components if c.number >= base.entries]
        if not (count or with_row or fresh):
            return not result.complete
        row = _row(item.process, header, result, base, known, final=final) if with_row else None
        row_slice = known if with_row else base.row_slice
        entries = max((c.number + 1 for c in header.components), default=0)
        to = Position(result.records_read, base.revision + 1, row_slice, max(entries, base.entries))
        self._step_of[number] = len(self.steps)
        end = (known + 1) * header.slice_ns
        self.steps.append(_Step(item.process, header, base, end if final else to, row, fresh))
        self.slices += count
        if final:
            self.finished.add(item.process)
        return not result.complete

    def advance(self) -> dict[int, tuple[Position, Reached]]:
        """Return each machine's position before and after the commit, as Change.advance."""
        return {step.machine: (step.base, step.to) for step in self.steps}

    def chunks(self) -> Iterable[PartitionChunk]:
        """Return the rows of all tables."""
        yield from self._slices()
        rows = [step.row for step in self.steps if step.row is not None]
        if rows:
            yield PartitionChunk("machines", pa.Table.from_pylist(rows, _schema("machines")), 0, 0)
        names = [_names(step, component) for step in self.steps for component in step.fresh]
        if names:
            table = pa.Table.from_pylist(names, _schema("components"))
            yield PartitionChunk("components", table, 0, 0)

    def _slices(self) -> Iterable[PartitionChunk]:
        rows = self._tables.slices
        step = self._step_of[ints(rows, "process")] if rows.num_rows else ints(rows, "process")
        slice_ns = np.array([s.header.slice_ns for s in self.steps] or [1], dtype=np.int64)[step]
        end = (ints(rows, "slice") + ints(rows, "span")) * slice_ns
        keep = (step >= 0) & (end > self._horizon_ns)
        if not keep.any():
            return
        rows, step, slice_ns, end = (
            rows.filter(pa.array(keep)),
            step[keep],
            slice_ns[keep],
            end[keep],
        )
        which, known = self._named(step, ints(rows, "component"))
        start = ints(rows, "slice") * slice_ns
        hour = start // HOUR_NS
        rank = {key: _rank([row[key] for row in known]) for key in ("kind", "host", "name", "job")}
        by = order(hour, *(rank[key][which] for key in rank), ints(rows, "slice"))
        columns: dict[str, Any] = {}
        for key in TABLES["component_slices"].keys:
            if key in ("slice", "span"):
                columns[key] = ints(rows, key)[by]
            elif key == "slice_ns":
                columns[key] = slice_ns[by]
            elif key in ("machine", "component"):
                columns[key] = np.array([row[key] for row in known], dtype=np.int64)[which[by]]
            else:
                columns[key] = _texts([row[key] for row in known], which[by])
        columns["span"] = columns["span"].astype(np.int32)
        columns["epoch"] = ints(rows, "epoch")[by]
        columns["unknown"] = rows.column("unknown").take(pa.array(by)).cast(pa.string())
        for name in COMPONENT_IDS:
            columns[name] = ints(rows, name)[by].clip(0, MAX_VALUE)
        table = without_zeros("component_slices", pa.table(columns))
        yield from split_by_partition("component_slices", table, hour[by], start[by], end[by])

    def _named(self, step: Ints, component: Ints) -> tuple[Ints, list[dict[str, Any]]]:
        """Return, for each row, the index of its component, and the list of components."""
        packed = step * (1 << 32) + component
        distinct, which = np.unique(packed, return_inverse=True)
        known = []
        for key in distinct.tolist():
            of = self.steps[key >> 32]
            number = key & 0xFFFFFFFF
            by_number = {c.number: c for c in of.header.components}
            unnamed = Component(number, "", f"component {number}", "", "", "", 0, 0, -1)
            known.append(_names(of, by_number.get(number, unnamed)))
        return which.astype(np.int64), known


def _same(host: str, node: str) -> bool:
    """Return whether two names, with or without domain, are of one machine."""
    return host.partition(".")[0].lower() == node.partition(".")[0].lower()


def _schema(table: str) -> pa.Schema:
    return pa.schema(list(TABLES[table].keys.items()))


def _rank(names: Sequence[str]) -> Ints:
    position = {name: at for at, name in enumerate(sorted(set(names)))}
    return np.array([position[name] for name in names], dtype=np.int64)


def _texts(names: Sequence[str], which: Ints) -> pa.DictionaryArray:
    distinct = sorted(set(names))
    position = {name: at for at, name in enumerate(distinct)}
    codes = np.array([position[name] for name in names], dtype=np.int64)
    return dictionary(codes[which], distinct)


def _names(step: _Step, component: Component) -> dict[str, Any]:
    """Return a component's row of table components."""
    fs_type = _MOUNT_TYPES.get(component.kind)
    if component.kind == "ceph_mount" and not component.name.startswith("client."):
        fs_type = "ceph"  # client4112 is the kernel's, client.NAME one of ceph-fuse
    host = step.header.host
    mount = ""
    if fs_type is not None and component.source:
        mount = mount_identity(host, component.path, fs_type, component.source)
    return {
        "machine": step.machine,
        "host": host,
        "component": component.number,
        "kind": component.kind,
        "name": component.name,
        "source": component.source,
        "mount": mount,
        "job": component.job,
        "path": component.path,
        "major": component.major,
        "minor": component.minor,
        "numa": component.numa,
        "pid": component.pid,
        "uid": component.uid,
    }


def _row(
    machine: int,
    header: MachineHeader,
    result: MachineRead,
    base: Position,
    last: int,
    *,
    final: bool,
) -> dict[str, Any]:
    """Return a machine's row of table machines."""
    over = is_over(header)
    end = header.end_ns or (max(header.heartbeat_ns, header.file_ns) if over else 0)
    return {
        "machine": machine,
        "end_ns": max(end, header.start_ns) if end else 0,
        "end_reason": header.end_reason if header.end_ns else ("killed" if over else ""),
        "complete": final,
        "last_slice": last,
        "records": result.records_read,
        "clock_state": max(
            header.start_clock_state,
            header.clock_state,
            *(event.state for event in header.clock_events),
            0,
        ),
        "clock_error_us": max(
            header.start_clock_error_us,
            header.clock_error_us,
            *(event.maxerror_us for event in header.clock_events),
            0,
        ),
        "clock_steps": sum(1 for event in header.clock_events if event.step_ns),
        "notes": [note.text for note in header.notes],
        "warnings": result.warnings,
        "revision": base.revision + 1,
        **{
            name: getattr(header, name)
            for name in (
                "host",
                "role",
                "boot_id",
                "pid",
                "part",
                "library",
                "slice_ns",
                "start_ns",
                "first_slice",
            )
        },
    }
