"""Reads the injector's logs into tables.

One file per process, `inject-HOST-PID.jil`: a header of 8 KiB and fixed records
(lab/inject/injector.h). It is written through a mapping, so that the log of a killed process
is complete. Logs come from shared folders and are not trusted: an invalid log raises an error with
file, position, reason and remedy.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.errors import JostleError
from jostle.files.regular_files import open_regular

_MAGIC = b"JSTINJ1\n"
_HEAD_BYTES = 8192
_CLASSES_AT = 2048
_CLASS = np.dtype(
    [("name", "S24"), ("calls", "<u8"), ("given", "<u8"), ("ns", "<u8"), ("gap", "V16")]
)
_HEAD = np.dtype(
    [
        ("magic", "S8"),
        ("version", "<u4"),
        ("head_bytes", "<u4"),
        ("record_bytes", "<u4"),
        ("capacity", "<u4"),
        ("pid", "<u4"),
        ("rank", "<i4"),
        ("ordinal", "<u4"),
        ("class_count", "<u4"),
        ("seed", "<u8"),
        ("start_ns", "<u8"),
        ("ready_ns", "<u8"),
        ("host", "S64"),
        ("job", "S128"),
        ("program", "S64"),
        ("rules", "S1024"),
        ("begun", "<u8"),
        ("lost", "<u8"),
        ("lost_ns", "<u8"),
    ]
)
_RECORD = np.dtype(
    [
        ("start_ns", "<u8"),
        ("delay_ns", "<u8"),
        ("n", "<u8"),
        ("tid", "<u4"),
        ("klass", "<u2"),
        ("valid", "<u2"),
        ("call", "S32"),
    ]
)
_MOST_RECORDS = 1 << 20
#: Instants after this (the year 2200) and delays longer than a day are invalid.
_LATEST_NS = 7_258_118_400_000_000_000
_LONGEST_NS = 86_400_000_000_000

DELAYS = pa.schema(
    [
        ("host", pa.string()),
        ("pid", pa.int64()),
        ("rank", pa.int32()),
        ("start_ns", pa.int64()),
        ("delay_ns", pa.int64()),
        ("call", pa.string()),
        ("class", pa.string()),
        ("n", pa.int64()),
        ("tid", pa.int64()),
    ]
)
TOTALS = pa.schema(
    [
        ("host", pa.string()),
        ("pid", pa.int64()),
        ("rank", pa.int32()),
        ("class", pa.string()),
        ("calls", pa.int64()),
        ("given", pa.int64()),
        ("delay_ns", pa.int64()),
    ]
)
PROCESSES = pa.schema(
    [
        ("host", pa.string()),
        ("pid", pa.int64()),
        ("rank", pa.int32()),
        ("job", pa.string()),
        ("program", pa.string()),
        ("rules", pa.string()),
        ("seed", pa.int64()),
        ("start_ns", pa.int64()),
        ("ready_ns", pa.int64()),
        ("lost", pa.int64()),
        ("lost_ns", pa.int64()),
        ("unfinished", pa.int64()),
    ]
)


class InjectLogError(JostleError):
    """A log of injected delays cannot be read; names file, position and reason."""


@dataclass(frozen=True)
class InjectLog:
    """The delays that were actually injected into a program.

    Attributes:
        delays: One row per delay: host, pid, rank (null: none), start_ns (Unix time), delay_ns,
            call (its name), class, n (number of the call in its class and process, from 0), tid.
            Ordered by start_ns.
        totals: One row per process and class that could be delayed: calls, delays, and the sum of
            the delays; complete even if the log was full.
        processes: One row per process: job (null: not named by JOSTLE_JOB), program, rules, seed,
            start_ns, ready_ns (MPI_Init done, null: never), lost and lost_ns (delays without
            a record), unfinished (delays during which the process ended; counted nowhere else).
        notes: Warnings about the logs, one sentence for each warning.
    """

    delays: pa.Table
    totals: pa.Table
    processes: pa.Table
    notes: tuple[str, ...] = ()


def read_log(source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> pa.Table:
    """Return only the delays; see `read`."""
    return read(source).delays


def read(source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> InjectLog:
    """Read the logs of injected delays.

    Args:
        source: Path of a folder (all its `*.jil` files) or of a file, or a list of such paths.

    Returns:
        The tables of all logs. A folder without any log gives empty tables: no call was delayed.

    Raises:
        InjectLogError: A file is not a log, or the file or folder does not exist.
    """
    places = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    log_files, unborn = [], []
    for path in _files(places):
        log_file = _read_file(path)
        if log_file is None:
            unborn.append(
                f"{path}: the file is empty, because the disk was full, or the process was killed"
            )
        else:
            log_files.append(log_file)
    delays = pa.concat_tables([DELAYS.empty_table(), *(log_file[0] for log_file in log_files)])
    notes = [note for log_file in log_files for note in log_file[3]]
    return InjectLog(
        delays=delays.sort_by([("start_ns", "ascending"), ("host", "ascending")]),
        totals=pa.concat_tables([TOTALS.empty_table(), *(log_file[1] for log_file in log_files)]),
        processes=pa.Table.from_pylist([log_file[2] for log_file in log_files], PROCESSES),
        notes=(*notes, *unborn),
    )


def _files(places: Iterable[str | os.PathLike[str]]) -> Iterator[Path]:
    for place in map(Path, places):
        try:
            if place.is_dir():
                # Regular files only: reading a pipe would block.
                yield from sorted(path for path in place.glob("*.jil") if path.is_file())
            elif place.is_file():
                yield place
            else:
                raise InjectLogError(
                    f"{place} is neither a folder nor a file.",
                    hint="Give the folder that `jostle inject --log DIR` wrote to.",
                )
        except OSError as error:
            raise _unreadable(place, error) from None


def _unreadable(path: Path, error: OSError) -> InjectLogError:
    return InjectLogError(
        f"{path} cannot be read: {error.strerror or error}.",
        hint="Ask the file's owner for access, or leave the file out."
        if isinstance(error, PermissionError)
        else "",
    )


def _bad(path: Path, place: str, reason: str) -> InjectLogError:
    return InjectLogError(
        f"{path}, {place}: {reason}.",
        hint="Remove the file or leave it out; the others can be read without it.",
    )


def _read_file(path: Path) -> tuple[pa.Table, pa.Table, dict[str, Any], list[str]] | None:
    """Read a file's delays, totals, process and notes; None if its header was never written."""
    try:
        with open_regular(path) as file:
            head_bytes = file.read(_HEAD_BYTES)
            if not any(head_bytes[:8]):
                return None
            head, classes = _head(path, head_bytes)
            count = min(int(head["begun"]), int(head["capacity"]))
            records = np.frombuffer(_whole(file.read(count * _RECORD.itemsize)), _RECORD)
    except OSError as error:
        raise _unreadable(path, error) from None
    return _tables(path, head, classes, records)


def _whole(data: bytes) -> bytes:
    return data[: len(data) // _RECORD.itemsize * _RECORD.itemsize]


def _head(path: Path, data: bytes) -> tuple[np.void, NDArray[np.void]]:
    if len(data) < _HEAD_BYTES:
        raise _bad(path, "header", f"it has {len(data)} bytes, and a log has 8192 or more")
    head = np.frombuffer(data, _HEAD, count=1)[0]
    if data[:8] != _MAGIC:
        raise _bad(path, "byte 0", "this is not a log of injected delays")
    if head["version"] != 1:
        raise InjectLogError(
            f"{path}, byte 8: version {head['version']} of the format is not known.",
            hint="Read the log with the version of jostle that wrote it.",
        )
    if (head["head_bytes"], head["record_bytes"]) != (_HEAD_BYTES, _RECORD.itemsize):
        raise _bad(path, "byte 12", "the sizes of header and records are not those of version 1")
    if head["capacity"] > _MOST_RECORDS:
        raise _bad(path, "byte 20", f"room for {head['capacity']} records is more than any log has")
    if not 0 < head["class_count"] <= 64:
        raise _bad(
            path, "byte 36", f"{head['class_count']} classes of calls, and at most 64 are possible"
        )
    classes = np.frombuffer(data, _CLASS, count=int(head["class_count"]), offset=_CLASSES_AT)
    for field in ("lost", "lost_ns", "seed", "start_ns", "ready_ns"):
        if head[field] >= 1 << 63:
            raise _bad(path, "header", f"{field} is {head[field]}")
    for field in ("calls", "given", "ns"):
        if (classes[field] >= 1 << 63).any():
            raise _bad(path, "classes", f"a number of {field} is beyond 2^63")
    return head, classes


def _text(raw: bytes) -> str:
    return bytes(raw).split(b"\0", 1)[0].decode("utf-8", "replace")


def _class_text(raw: bytes) -> str:
    return _text(raw).lower().replace("_", "-")


def _tables(
    path: Path, head: np.void, classes: NDArray[np.void], records: NDArray[np.void]
) -> tuple[pa.Table, pa.Table, dict[str, Any], list[str]]:
    begun = min(int(head["begun"]), int(head["capacity"]))
    valid = records["valid"] == 1
    odd = np.flatnonzero(
        valid
        & (
            (records["klass"] >= len(classes))
            | (records["start_ns"] > _LATEST_NS)
            | (records["delay_ns"] > _LONGEST_NS)
            | (records["n"] >= 1 << 63)
        )
    )
    if len(odd):
        raise _bad(path, f"record {odd[0]}", "it contains numbers that are not valid for a delay")
    ended = valid & (records["delay_ns"] > 0)
    host, pid = _text(head["host"]), int(head["pid"])
    rank = int(head["rank"]) if head["rank"] >= 0 else None
    kept = records[ended]
    names, which = np.unique(kept["call"], return_inverse=True)
    delays = pa.table(
        {
            **_same(host, pid, rank, len(kept)),
            "start_ns": kept["start_ns"].astype(np.int64),
            "delay_ns": kept["delay_ns"].astype(np.int64),
            "call": pa.array([_text(name) for name in names], pa.string()).take(
                pa.array(which.reshape(-1), pa.int64())
            ),
            "class": pa.array([_class_text(name) for name in classes["name"]], pa.string()).take(
                pa.array(kept["klass"].astype(np.int64))
            ),
            "n": kept["n"].astype(np.int64),
            "tid": kept["tid"].astype(np.int64),
        },
        schema=DELAYS,
    )
    used = classes[classes["calls"] > 0]
    totals = pa.table(
        {
            **_same(host, pid, rank, len(used)),
            "class": pa.array([_class_text(name) for name in used["name"]], pa.string()),
            "calls": used["calls"].astype(np.int64),
            "given": used["given"].astype(np.int64),
            "delay_ns": used["ns"].astype(np.int64),
        },
        schema=TOTALS,
    )
    unfinished = int(np.count_nonzero(valid & ~ended))
    process = {
        "host": host,
        "pid": pid,
        "rank": rank,
        "job": _text(head["job"]) or None,
        "program": _text(head["program"]),
        "rules": _text(head["rules"]),
        "seed": int(head["seed"]),
        "start_ns": int(head["start_ns"]),
        "ready_ns": int(head["ready_ns"]) or None,
        "lost": int(head["lost"]),
        "lost_ns": int(head["lost_ns"]),
        "unfinished": unfinished,
    }
    return delays, totals, process, _notes(path, head, begun - len(records), unfinished)


def _same(host: str, pid: int, rank: int | None, count: int) -> dict[str, pa.Array]:
    return {
        "host": pa.array([host] * count, pa.string()),
        "pid": pa.array([pid] * count, pa.int64()),
        "rank": pa.array([rank] * count, pa.int32()),
    }


def _notes(path: Path, head: np.void, missing: int, unfinished: int) -> list[str]:
    notes = []
    if head["lost"]:
        notes.append(
            f"{path}: the file is full; {head['lost']} delays of "
            f"{int(head['lost_ns']) / 1e9:.3f} s in all have no record; the totals include them"
        )
    if missing > 0 and missing > int(head["lost"]):
        notes.append(f"{path}: the file is shorter by {missing} records than its header says")
    if unfinished:
        notes.append(f"{path}: {unfinished} delays had not ended when the process did")
    return notes
