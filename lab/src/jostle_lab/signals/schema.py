"""Arrow schemas of the tables that are read from a signal's log (lab/docs/reference/signal.md)."""

from __future__ import annotations

import pyarrow as pa

#: The version of the format that this reader knows.
VERSION = 1

_TEXT, _WHOLE, _REAL, _TRUTH = pa.string(), pa.int64(), pa.float64(), pa.bool_()


def _fields(**types: pa.DataType) -> pa.Schema:
    return pa.schema(list(types.items()))


HEADER: pa.Schema = _fields(
    job=_TEXT,
    host=_TEXT,
    pid=_WHOLE,
    rank=_WHOLE,
    ranks=_WHOLE,
    pattern=_TEXT,
    mpi=_TEXT,
    half=_TEXT,
    slice_ns=_WHOLE,
    start_ns=_WHOLE,
    chunk=_WHOLE,
    piece=_WHOLE,
    period_ns=_WHOLE,
    duty=_REAL,
    phase_ns=_WHOLE,
    shared=_TRUTH,
    api=_TEXT,
    flush=_TEXT,
    arguments=pa.list_(pa.string()),
)

_TIMES = {f"{name}_ns": _WHOLE for name in ("p50", "p95", "p99", "max")}

END: pa.Schema = _fields(
    end_ns=_WHOLE,
    reason=_TEXT,
    error=_TEXT,
    operations=_WHOLE,
    bytes=_WHOLE,
    opens=_WHOLE,
    closes=_WHOLE,
    writes=_WHOLE,
    reads=_WHOLE,
    seeks=_WHOLE,
    syncs=_WHOLE,
    stats=_WHOLE,
    unlinks=_WHOLE,
    messages=_WHOLE,
    **_TIMES,
)

#: One row per burst, without the columns that identify the process.
BURSTS: pa.Schema = _fields(
    begin_ns=_WHOLE, end_ns=_WHOLE, due_ns=_WHOLE, operations=_WHOLE, bytes=_WHOLE
)

#: One row per slice, without the columns that identify the process.
SLICES: pa.Schema = _fields(slice=_WHOLE, operations=_WHOLE, bytes=_WHOLE, busy_ns=_WHOLE, **_TIMES)

#: One row per process: header and end.
PROCESSES: pa.Schema = pa.schema([*HEADER, *END, pa.field("complete", _TRUTH)])

#: Type of a line -> its fields: name, type, whether it is a whole number. Built once, as
#: every access to a schema creates new objects.
FIELDS: dict[str, tuple[tuple[str, pa.DataType, bool], ...]] = {
    kind: tuple((field.name, field.type, field.type == _WHOLE) for field in schema)
    for kind, schema in (("signal", HEADER), ("burst", BURSTS), ("slice", SLICES), ("end", END))
}

#: Fields that may be missing, or null.
OPTIONAL = frozenset(
    "mpi half piece api flush shared arguments error period_ns duty phase_ns stats unlinks".split()
)
