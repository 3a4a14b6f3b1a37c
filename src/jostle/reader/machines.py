"""Decodes the profiles of machines: the activity of components of nodes and servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.reader.decode import (
    MAX_ROWS,
    Events,
    FileRead,
    ReadRequest,
    add_file,
    clock_event,
    error_of,
    warnings_of,
)
from jostle.reader.errors import ProfileError
from jostle.reader.header import ClockEvent, ProfileNote
from jostle.reader.header_fields import MachineFields, machine_fields
from jostle.reader.native import COMPONENT_SLICES, PROFILE, DecoderBatch
from jostle.reader.texts import name_of
from jostle.schema.metrics import COMPONENT_IDS
from jostle.schema.profile import COMPONENT_KINDS, HEAD, Head, RecordType

_FIXED = {
    "process": pa.int32(),
    "slice": pa.int64(),
    "span": pa.int32(),
    "component": pa.int32(),
    "epoch": pa.int8(),
}
_UNKNOWN = len(_FIXED)
_OF_A_MACHINE = 1  # bit of the header's flags
_MOST_PID, _MOST_UID = 2**32 - 1, 2**32 - 1
_NUMA_NODES = 1024  # more than Linux has; larger numbers come from damage


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a machine that has counters of its own.

    Attributes:
        number: Number of the component in the file (column component of the slices).
        kind: Kind of the component, one of COMPONENT_KINDS, or a number that only a newer jostle
            knows.
        name: Name such as sda, eth0, scratch-OST0003.
        source: The resource of which the component is a part; "" if there is none. If the
            component is a process: the cores on which it may run.
        job: The batch job whose requests it counts, such as slurm-123; "": those of all jobs.
        path: Mount point, or path in the tree of devices; "" if it has none. If the component is
            a process: its control group.
        major: Device number, major.
        minor: Device number, minor.
        numa: NUMA node to which it is attached; -1: unknown.
        pid: Number of a process; 0: not a process.
        uid: Owner of a process; -1: not a process, or the owner is not recorded.
    """

    number: int
    kind: str
    name: str
    source: str
    job: str
    path: str
    major: int
    minor: int
    numa: int
    pid: int = 0
    uid: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineHeader(MachineFields):
    """Header of a machine's profile, with facts from the profile's records (such as components).

    Attributes:
        uid: Owner of the file, as the file system reports it, or as ReadRequest.origin states it.
        components: Components of the machine, in order of number.
        clock_events: Changes of the clock's state, and jumps of the clock.
        notes: Notes of the agent.
        alive: Whether the agent ran when the reading began; None if that cannot be seen here.
    """

    uid: int
    components: list[Component]
    clock_events: list[ClockEvent]
    notes: list[ProfileNote]
    alive: bool | None


@dataclass(frozen=True, slots=True)
class MachineRead:
    """Result of reading one file.

    Attributes:
        request: The request.
        header: Header of the file; None after an error.
        error: Reason why nothing could be read; None if the file was read.
        warnings: One sentence per omission, with its position in the file.
        records_read: Value of from_record for the next reading.
        slices: Rows of the file in MachineTables.slices, (first, count).
        complete: Whether the whole file was read; if max_rows stopped the reading, continue from
            records_read.
    """

    request: ReadRequest
    header: MachineHeader | None
    error: ProfileError | None
    warnings: list[str]
    records_read: int
    slices: tuple[int, int] = (0, 0)
    complete: bool = True


@dataclass(frozen=True, slots=True)
class MachineTables:
    """Slices of the components of many machines.

    Attributes:
        slices: One row per record and component that has values in it: process (int32: number of
            the request), slice (int64), span (int32: slices that the row covers), component
            (int32), epoch (int8; 1: the counters began again at 0), unknown (string: ids of the
            metrics whose values are not known, separated by spaces), then every metric of scope
            component (int64): of a counter its increase, of a gauge its value at the end.
        results: One per request, in their order.
    """

    slices: pa.Table
    results: list[MachineRead]


def is_machine(head: bytes) -> bool:
    """Return whether the first 4096 bytes of a profile are those of a machine's."""
    return bool(Head._make(HEAD.unpack_from(head)).flags & _OF_A_MACHINE)


def read_machines(requests: Sequence[ReadRequest], max_rows: int = MAX_ROWS) -> MachineTables:
    """Read the profiles of many machines.

    A file that cannot be read does not stop the others: see MachineRead.error.

    Args:
        requests: Requests for the files; remainder and first_number are not used.
        max_rows: Number of rows after which reading stops, at the next record. See
            MachineRead.complete.
    """
    batch = DecoderBatch((), (), (), max_rows, COMPONENT_IDS)
    entries = [add_file(batch, request, request.from_record, 0) for request in requests]
    events = Events(batch)
    results = [
        _result(events, request, entry) for request, entry in zip(requests, entries, strict=True)
    ]
    columns = {
        name: batch.column(COMPONENT_SLICES, at, kind)
        for at, (name, kind) in enumerate(_FIXED.items())
    }
    columns["unknown"] = _unknown(batch.binary(COMPONENT_SLICES, _UNKNOWN))
    for at, name in enumerate(COMPONENT_IDS):
        columns[name] = batch.column(COMPONENT_SLICES, _UNKNOWN + 1 + at, pa.int64())
    return MachineTables(pa.table(columns), results)


def _unknown(codes: pa.Array) -> pa.Array:
    """Return the names of the metrics that are unknown in each row; most rows have none."""
    encoded = codes.dictionary_encode()
    texts = [" ".join(COMPONENT_IDS[cell] for cell in code.as_py()) for code in encoded.dictionary]
    indices = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(texts, pa.string()))


def _result(events: Events, request: ReadRequest, entry: FileRead | ProfileError) -> MachineRead:
    if isinstance(entry, ProfileError):
        return MachineRead(request, None, entry, [], request.from_record)
    raw = entry.result
    error = error_of(request, raw) if raw.error.text else None
    if error is None and (raw.kind != PROFILE or not is_machine(bytes(raw.head))):
        error = ProfileError(
            request.path,
            "the file is not the profile of a machine",
            hint="Profiles of processes are named *.jst; the file may have been renamed.",
            lasting=True,
        )
    if error is not None:
        return MachineRead(request, None, error, [], request.from_record)
    return MachineRead(
        request,
        _header(events, entry),
        None,
        warnings_of(request.path, raw),
        max(raw.records_read, request.from_record),
        (raw.first_component, raw.components),
        bool(raw.complete),
    )


def _header(events: Events, read: FileRead) -> MachineHeader:
    h = Head._make(HEAD.unpack_from(bytes(read.result.head)))
    components: dict[int, Component] = {}
    clock: list[ClockEvent] = []
    notes: list[ProfileNote] = []
    for kind, numbers, texts in events.each(read.result, 4):
        if kind == RecordType.COMPONENT:
            number, of_kind, major, minor = numbers[:4]
            name, source, job, path = texts
            numa = numbers[4] - 1 if numbers[4] <= _NUMA_NODES else -1
            components[number] = Component(
                number,
                name_of(COMPONENT_KINDS, of_kind),
                name,
                source,
                job,
                path,
                major,
                minor,
                numa,
                *(numbers[5] & _MOST_PID, (numbers[6] & _MOST_UID) - 1),
            )
        elif kind == RecordType.CLOCK:
            clock.append(clock_event(numbers))
        elif kind == RecordType.NOTE:
            notes.append(ProfileNote(numbers[0], texts[0]))
    return MachineHeader(
        *machine_fields(h),
        uid=read.owner,
        components=[components[number] for number in sorted(components)],
        clock_events=clock,
        notes=notes,
        alive=read.alive,
    )
