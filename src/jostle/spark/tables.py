"""The tables of a repository in Spark: their columns, types, and queries."""

from __future__ import annotations

import pyarrow as pa

from jostle.errors import UsageError
from jostle.repository.store.layout import TABLES
from jostle.schema.metrics import HISTOGRAM_IDS, MOUNT_IDS, PROCESS_IDS

#: Spark has no unsigned numbers.
_WIDE = pa.decimal128(20, 0)
_TEXT, _INT, _FLAG = pa.string(), pa.int64(), pa.bool_()
_JOBS: dict[str, pa.DataType] = {
    "job": _TEXT,
    "start_ns": _INT,
    "end_ns": _INT,
    "running": _FLAG,
    "processes": _INT,
    "short_processes": _INT,
    "hosts": _INT,
    "program": _TEXT,
    "uid": _INT,
    "slice_ns": _INT,
    "clock_state": _INT,
    "clock_error_us": _INT,
}
_METRICS = {"slices": PROCESS_IDS, "mount_slices": MOUNT_IDS}
_SERVERS = """(SELECT * FROM component_slices WHERE machine IN
    (SELECT machine FROM machines WHERE role = 'server'))"""
#: Tables that are not stored as such: the stored table to divide, all stored tables, the query.
_VIEWS = {
    "jobs": ("processes", ("processes", "process_kinds"), "jobs"),
    "servers": ("component_slices", ("component_slices", "machines"), _SERVERS),
}
NAMES = (*TABLES, *_VIEWS)


def columns(table: str) -> dict[str, pa.DataType]:
    """Return the columns of a table, with Spark's types.

    Raises:
        UsageError: There is no such table.
    """
    if table not in NAMES:
        raise UsageError(f"There is no table {table!r}.", hint=f"Tables: {', '.join(NAMES)}.")
    if table == "jobs":
        return dict(_JOBS)
    layout = TABLES[divided(table)]
    if table in _METRICS:
        histogram = pa.list_(pa.int64())
        values = {name: histogram if name in HISTOGRAM_IDS else _INT for name in _METRICS[table]}
    else:
        values = layout.values
    return {
        name: _WIDE if kind == pa.uint64() else kind
        for name, kind in {**layout.keys, **values}.items()
    }


def divided(table: str) -> str:
    """Return the stored table whose files are divided when a table is read in parts."""
    return _VIEWS[table][0] if table in _VIEWS else table


def read(table: str) -> tuple[str, ...]:
    """Return the stored tables from which a table is computed."""
    if table == "process_kinds":  # its view adds processes that are not settled
        return ("processes", "process_kinds")
    return _VIEWS[table][1] if table in _VIEWS else (table,)


def question(table: str, names: list[str], where: str) -> str:
    """Return SQL that selects some columns and rows of a table.

    Args:
        table: Name of the table.
        names: Names of the columns.
        where: SQL condition of the rows; "" for all.
    """
    kinds = columns(table)
    shown = [_shown(name, kinds[name]) for name in names] or ["1"]
    source = _VIEWS[table][2] if table in _VIEWS else table
    return f"SELECT {', '.join(shown)} FROM {source}{f' WHERE {where}' if where else ''}"


def _shown(name: str, kind: pa.DataType) -> str:
    if name in HISTOGRAM_IDS:
        return f"{name}::BIGINT[] AS {name}"
    return f"{name}::DECIMAL(20, 0) AS {name}" if kind == _WIDE else name
