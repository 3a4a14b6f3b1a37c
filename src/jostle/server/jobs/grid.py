"""Processes × time slices as a picture: one number per process and column of the screen."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle._schema import BY_ID
from jostle.errors import UsageError
from jostle.identity import identity
from jostle.report.models.metrics import view
from jostle.repository import Repository

Floats = NDArray[np.float64]


def process_grid(
    repository: Repository, job: str, metric: str, span: tuple[int, int], columns: int
) -> bytes:
    """Return a metric of every process over a span.

    Args:
        repository: Where the job is.
        job: Its name.
        metric: A view or a metric (see `jostle timeline --metric`).
        span: Start and end, ns since the epoch.
        columns: The most columns wanted.

    Returns:
        Length of a header (uint32), the header (JSON: unit, start_ns, step_ns, columns, rows: one
        {rank, name, host} each, in the order of the picture, rank -1 where it is none; padded to
        four bytes), then rows × columns float32, little endian, row by row; NaN where a process
        had no record.
    """
    seen = view(metric)
    ids = [name for line in seen.lines for name in line.metrics]
    scopes = {BY_ID[name].scope for name in ids}
    if len(scopes) != 1:
        raise UsageError(f"{metric} mixes metrics of mounts and of processes.", hint="Name one.")
    people = repository.job_processes(job).to_pylist()
    people = [one for one in people if not one["short"]] or people
    people.sort(
        key=lambda one: (not one["world_size"], one["world_rank"] or 0, one["host"], one["pid"])
    )
    ranked = any(one["world_size"] for one in people)
    slice_ns = max(one["slice_ns"] for one in people)
    first = min(one["first_slice"] * one["slice_ns"] for one in people)
    last = max((one["last_slice"] + 1) * one["slice_ns"] for one in people)
    begin = max(span[0] // slice_ns * slice_ns, first)
    end = min(span[1], last)
    step = max(-(-max(end - begin, slice_ns) // (columns * slice_ns)), 1) * slice_ns
    width = max(-(-(end - begin) // step), 1)
    table = "mount_slices" if scopes == {"mount"} else "slices"
    rows = repository.loads.process_sums(job, table, ids, (begin, end))
    axis = begin, step, width
    place = {one["process"]: number for number, one in enumerate(people)}
    values = _levels(rows, place, axis) if seen.level else _sums(rows, place, axis)
    for row, one in enumerate(people):  # outside its life a process has no value
        lived = (np.arange(width) + 1) * step + begin > one["first_slice"] * one["slice_ns"]
        lived &= np.arange(width) * step + begin < (one["last_slice"] + 1) * one["slice_ns"]
        values[row, ~lived] = np.nan
    scale = 1.0 if seen.level else 1e9 / step
    values *= scale / 1e9 if seen.unit == "ns" else scale
    header: dict[str, Any] = {
        "unit": seen.rate_unit, "start_ns": begin, "step_ns": step, "columns": width,
        "rows": [{**_name(one, number, ranked), "host": one["host"]}
                 for number, one in enumerate(people)],
    }  # fmt: skip
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<I", len(text)) + text + values.astype("<f4").tobytes()


def _name(one: dict[str, Any], number: int, ranked: bool) -> dict[str, Any]:
    """Return a process's rank and name; the launcher of the ranks has no rank."""
    if one["world_size"]:
        return {"rank": one["world_rank"], "name": f"rank {one['world_rank']}"}
    name = identity(one["script"], one["program"]) if ranked else f"process {number}"
    return {"rank": -1, "name": name}


def _pieces(
    rows: pa.Table, place: dict[int, int], axis: tuple[int, int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]:
    """Cut records at the borders of columns: (row, column, part of the record, value) of each.

    A record may stand for several slices, when a process was stopped: it is shared out.
    """
    begin, step, width = axis
    at = np.array([place.get(one, -1) for one in rows["process"].to_pylist()], dtype=np.int64)
    start, length = (rows[name].to_numpy().astype(np.int64) for name in ("start_ns", "length_ns"))
    first, last = (start - begin) // step, (start - begin + length - 1) // step
    many = last - first + 1
    source = np.repeat(np.arange(len(start)), many)
    column = np.repeat(first - (np.cumsum(many) - many), many) + np.arange(len(source))
    low = np.maximum(start[source], begin + column * step)
    high = np.minimum((start + length)[source], begin + (column + 1) * step)
    known = (at[source] >= 0) & (column >= 0) & (column < width)
    part = (high - low) / length[source]
    value = rows["value"].to_numpy()
    return at[source][known], column[known], part[known], value[source][known]


def _sums(rows: pa.Table, place: dict[int, int], axis: tuple[int, int, int]) -> Floats:
    values = np.zeros((len(place), axis[2]))
    row, column, part, value = _pieces(rows, place, axis)
    np.add.at(values, (row, column), value * part)
    return values


def _levels(rows: pa.Table, place: dict[int, int], axis: tuple[int, int, int]) -> Floats:
    """Return the mean of the levels recorded in each column."""
    sums, weights = np.zeros((2, len(place), axis[2]))
    row, column, part, value = _pieces(rows, place, axis)
    np.add.at(sums, (row, column), value * part)
    np.add.at(weights, (row, column), part)
    return np.where(weights > 0, sums / np.where(weights > 0, weights, 1), 0.0)
