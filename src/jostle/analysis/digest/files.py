"""Finds the files that a job spent most time and bytes on."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from jostle.analysis.digest.model import FileDigest, FormatDigest
from jostle.repository.types import JobTables
from jostle.values.arrow_columns import ints

_TOP = 10  # by time, and by bytes
_LEAST = 0.01  # of all time or bytes: files with less are not listed
_TIMES = ("read_ns", "write_ns", "sync_ns", "meta_ns")


def files(tables: JobTables) -> list[FileDigest]:
    """Return the files with most time and most bytes, over all processes of a job.

    Returns:
        The ten files with most time in calls and the ten with most bytes, each only if it has a
        hundredth of all time or bytes; ordered by time. The last entry has no path and contains
        all other files together. Empty where no process recorded its files.
    """
    rows = tables.files
    if rows is None or not rows.num_rows:
        return []
    ns = np.sum([ints(rows, name) for name in _TIMES], axis=0)
    moved = ints(rows, "read_bytes") + ints(rows, "write_bytes")
    single = ints(rows, "hash") != 0
    top: set[int] = set()
    for values in (ns, moved):
        least = max(_LEAST * int(values.sum()), 1)
        by = np.argsort(-np.where(single, values, -1), kind="stable")[:_TOP]
        top.update(int(row) for row in by if single[row] and values[row] >= least)
    shown = sorted(top, key=lambda row: (-ns[row], -moved[row], row))
    named = [_file(rows.take([row]), 1) for row in shown]
    left = np.ones(rows.num_rows, dtype=bool)
    left[shown] = False
    others = rows.filter(pa.array(left))
    if others.num_rows:
        named.append(_file(others, int(ints(others, "files").sum())))
    return named


def formats(tables: JobTables) -> list[FormatDigest]:
    """Return what a job did with the files of each format, the format with most bytes first."""
    rows = tables.files
    if rows is None or not rows.num_rows:
        return []
    of = np.asarray(rows.column("format").to_pylist(), dtype=object)
    each = [_format(rows.filter(pa.array(of == name)), name) for name in sorted({*of} - {""})]
    return sorted(each, key=lambda use: -(use.read_bytes + use.write_bytes))


def _format(rows: pa.Table, name: str) -> FormatDigest:
    return FormatDigest(
        name,
        rows.num_rows,
        int(ints(rows, "read_bytes").sum()),
        int(ints(rows, "write_bytes").sum()),
        sum(int(ints(rows, time).sum()) for time in _TIMES) / 1e9,
    )


def _file(rows: pa.Table, number: int) -> FileDigest:
    """Add up rows of files into one entry; a single row keeps its path, mount and format."""
    single = rows.num_rows == 1 and int(ints(rows, "hash")[0]) != 0
    total = {
        name: int(ints(rows, name).sum())
        for name in rows.column_names
        if name not in ("mount", "path", "hash", "format", "targets")
    }
    return FileDigest(
        path=rows["path"][0].as_py() if single else "",
        mount=rows["mount"][0].as_py() if single else "",
        hash=f"{rows['hash'][0].as_py() % 2**64:016x}" if single else "",
        format=rows["format"][0].as_py() if single else "",
        files=number,
        processes=int(ints(rows, "processes").max()),
        opens=total["opens"],
        reads=total["reads"],
        writes=total["writes"],
        syncs=total["syncs"],
        read_bytes=total["read_bytes"],
        write_bytes=total["write_bytes"],
        seconds=sum(total[name] for name in _TIMES) / 1e9,
        meta_s=total["meta_ns"] / 1e9,
    )
