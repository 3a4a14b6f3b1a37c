"""The process grid of a job (a row per process, a column per time step), as numbers for a page."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.errors import UsageError
from jostle.names.identity import identity
from jostle.report.models.metrics import view
from jostle.repository import Repository
from jostle.schema.metrics import BY_ID

Floats = NDArray[np.float64]


def process_grid(
    repository: Repository, job: str, metric: str, span: tuple[int, int], columns: int
) -> bytes:
    """Return a metric of every process over a span.

    Args:
        repository: Repository of the job.
        job: Name of the job.
        metric: A view or a metric (see `jostle timeline --metric`).
        span: Start and end, ns since the epoch.
        columns: Largest number of columns.

    Returns:
        Bytes, little endian:

        - the length of the header, uint32;
        - the header, JSON, padded to four bytes: unit, start_ns, step_ns, columns, and rows, with
          {rank, name, host} for each row (rank -1: the process is no rank);
        - the values, rows × columns, float32, row by row; NaN in columns outside of the process's
          run time.
    """
    seen = view(metric)
    ids = [name for line in seen.lines for name in line.metrics]
    scopes = {BY_ID[name].scope for name in ids}
    if len(scopes) != 1:
        raise UsageError(
            f"{metric} mixes metrics of mounts and of processes.", hint="Name a single metric."
        )
    processes = repository.job_processes(job).to_pylist()
    processes = [process for process in processes if not process["short"]] or processes
    processes.sort(
        key=lambda process: (
            not process["world_size"],
            process["world_rank"] or 0,
            process["host"],
            process["pid"],
        )
    )
    ranked = any(process["world_size"] for process in processes)
    slice_ns = max(process["slice_ns"] for process in processes)
    first = min(process["first_slice"] * process["slice_ns"] for process in processes)
    last = max((process["last_slice"] + 1) * process["slice_ns"] for process in processes)
    begin = max(span[0] // slice_ns * slice_ns, first)
    end = min(span[1], last)
    step = max(-(-max(end - begin, slice_ns) // (columns * slice_ns)), 1) * slice_ns
    width = max(-(-(end - begin) // step), 1)
    table = "mount_slices" if scopes == {"mount"} else "slices"
    axis = begin, step, width
    place = {process["process"]: number for number, process in enumerate(processes)}
    by = _levels if seen.level else _sums
    values: Floats = np.maximum.reduce(
        [
            by(repository.loads.process_sums(job, table, part, (begin, end)), place, axis)
            for part in seen.sums
        ]
    )
    for row, process in enumerate(processes):  # outside its life a process has no value
        lived = (np.arange(width) + 1) * step + begin > process["first_slice"] * process["slice_ns"]
        lived &= np.arange(width) * step + begin < (process["last_slice"] + 1) * process["slice_ns"]
        values[row, ~lived] = np.nan
    scale = 1.0 if seen.level else 1e9 / step
    values *= scale / 1e9 if seen.unit == "ns" else scale
    header: dict[str, Any] = {
        "unit": seen.rate_unit,
        "start_ns": begin,
        "step_ns": step,
        "columns": width,
        "rows": [
            {**_name(process, number, ranked), "host": process["host"]}
            for number, process in enumerate(processes)
        ],
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<I", len(text)) + text + values.astype("<f4").tobytes()


def _name(process: dict[str, Any], number: int, ranked: bool) -> dict[str, Any]:
    """Return the rank and the name of a process; a process such as a launcher has rank -1."""
    if process["world_size"]:
        return {"rank": process["world_rank"], "name": f"rank {process['world_rank']}"}
    name = identity(process["script"], process["program"]) if ranked else f"process {number}"
    return {"rank": -1, "name": name}


def _pieces(
    rows: pa.Table, place: dict[int, int], axis: tuple[int, int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]:
    """Cut records at the borders of columns.

    A record covers several slices if the process was stopped for some time.

    Returns:
        For each piece: its row, its column, its share of the record's time, and the record's value.
    """
    begin, step, width = axis
    at = np.array(
        [place.get(process, -1) for process in rows["process"].to_pylist()], dtype=np.int64
    )
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
