"""Reads the tables of files in profiles: the use of each file by processes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.reader.decode import ReadRequest, opened
from jostle.reader.errors import ProfileError, open_error
from jostle.reader.texts import clean_text
from jostle.schema.profile import HEAD, HEAD_BYTES, MAGIC, FilePlace, Head

_MOST_BYTES = 16 << 20
_MOST = 2**61  # of a number; larger ones come from damage
_KINDS = {"mount": "<u2", "format": "<u2", "users": "<u4", "name": "S80"}
_PLACE = np.dtype([(name, _KINDS.get(name, "<u8")) for name in FilePlace._fields])
_FORMATS = np.array(["", "HDF5", "netCDF"], dtype=object)
_COUNTED = ("opens", "reads", "writes", "syncs", "read_bytes", "write_bytes")
_TIMED = ("read", "write", "sync", "meta")
#: Counters of a file, and times in ns.
FILE_VALUES = (*_COUNTED, *(f"{what}_ns" for what in _TIMED))
_SCHEMA = pa.schema(
    [
        ("process", pa.int32()),
        ("hash", pa.int64()),
        ("slot", pa.int8()),
        ("path", pa.string()),
        ("format", pa.string()),
        *((name, pa.int64()) for name in ("files", *FILE_VALUES)),
    ]
)

Places = NDArray[Any]
_NAMING = ("hash", "key", "mount", "format", "users", "owner", "name")  # no counters


@dataclass(frozen=True, slots=True)
class FileTables:
    """The use of files by many processes.

    Attributes:
        rows: One row per process and file: process (int32), hash (int64: of the path, equal in all
            processes), slot (int8: number of the file's mount; -1: none), path (a truncated path
            begins with "…"; "": names were not recorded), format (HDF5 or netCDF, as the first
            bytes show; "": another), files (int64: 1), then FILE_VALUES (int64; times in ns).
            All files without a row of their own share one row, with hash 0; its `files` is their
            number.
        errors: The error for each process whose table of files could not be read.
        unread: Processes whose profile could not be read at all.
    """

    rows: pa.Table
    errors: dict[int, ProfileError]
    unread: set[int]


def read_files(requests: Sequence[ReadRequest]) -> FileTables:
    """Read the use of each file by processes, from many profiles.

    A file that cannot be read does not stop the others: see FileTables.errors.

    Args:
        requests: The profiles; only their path, process and names are used.
    """
    tables: list[pa.Table] = []
    errors: dict[int, ProfileError] = {}
    unread: set[int] = set()
    for request in requests:
        with opened(request.path, request.names) as fd:
            if isinstance(fd, ProfileError):
                errors[request.process] = fd
                unread.add(request.process)
                continue
            try:
                tick_ns, places = _places(fd, request)
            except ProfileError as error:
                errors[request.process] = error
            except OSError as error:
                errors[request.process] = open_error(request.path, error)
                unread.add(request.process)
            else:
                tables.append(_rows(request.process, tick_ns, places))
    return FileTables(pa.concat_tables([_SCHEMA.empty_table(), *tables]), errors, unread)


def _places(fd: int, request: ReadRequest) -> tuple[int, Places]:
    """Return a tick's length (ns, 32.32 fixed point), and the rows of a profile's file table."""
    nothing = 0, np.empty(0, _PLACE)
    head = os.pread(fd, HEAD_BYTES, 0)
    if len(head) < HEAD_BYTES or not head.startswith(MAGIC):
        return nothing
    h = Head._make(HEAD.unpack_from(head))
    size = h.files_capacity * h.file_bytes
    if not size:
        return nothing
    raw = b""
    if HEAD_BYTES <= h.files_offset <= h.head_bytes - size and size <= _MOST_BYTES:
        raw = os.pread(fd, size, h.files_offset)
    if len(raw) < size or h.file_bytes < _PLACE.itemsize:
        raise ProfileError(
            request.path,
            "the table of files is not inside the header",
            offset=h.files_offset,
            hint="The profile is damaged: its data on files is left out, all other data is read.",
        )
    # A newer format may have longer rows.
    return h.tick_ns, np.ndarray((h.files_capacity,), _PLACE, raw, strides=(h.file_bytes,))


def _rows(process: int, tick_ns: int, places: Places) -> pa.Table:
    used = places["hash"] != 0
    numbers = [name for name in FilePlace._fields if name not in _NAMING]
    used[:1] |= np.any([places[name][:1] for name in numbers], axis=0)
    others = used[:1].any()
    rows = places[used]
    count = len(rows)
    columns: dict[str, Any] = {
        "process": np.full(count, process, np.int32),
        "hash": rows["hash"].view(np.int64),
        "slot": np.minimum(rows["mount"], 127).astype(np.int8),
        "path": [_path(name) for name in rows["name"].tolist()],
        "format": _FORMATS[np.where(rows["format"] < len(_FORMATS), rows["format"], 0)],
        "files": np.ones(count, np.int64),
    }
    if others:
        columns["files"][0] = min(int(rows["hash"][0]), _MOST)
        columns["hash"] = np.concatenate([[0], columns["hash"][1:]])
        columns["slot"][0] = -1
    for name in _COUNTED:
        columns[name] = _both(rows, name)
    for name in _TIMED:
        ns = _both(rows, f"{name}_ticks") * (tick_ns / 2**32)
        columns[f"{name}_ns"] = np.minimum(ns, _MOST).astype(np.int64)
    return pa.table(columns, schema=_SCHEMA)


def _both(rows: Places, name: str) -> NDArray[np.int64]:
    """Add the counters of the thread that used a file first and of all other threads.

    A counter is limited to _MOST, since a larger number comes from damage.
    """
    parts = [rows[each] for each in (name, f"other_{name}") if each in FilePlace._fields]
    total: NDArray[np.int64] = sum(np.minimum(part, _MOST).astype(np.int64) for part in parts)
    return total.clip(0, _MOST)


def _path(raw: bytes) -> str:
    """Return a recorded name as a path; a truncated path, which lacks its beginning, gets "…"."""
    text = clean_text(raw)
    return f"…{text}" if text and not text.startswith("/") else text
