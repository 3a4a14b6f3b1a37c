"""Reads from a repository how many calls a run had made at which times (its marks)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from jostle_lab.validation.oracle import Ints, Marks

if TYPE_CHECKING:
    from jostle.repository import Repository

#: Calls of a rank whose number is the same in every run of the same work.
CALLS = (
    "sends",
    "recvs",
    "isends",
    "irecvs",
    "sendrecvs",
    "one_to_all",
    "all_to_one",
    "all_to_all",
    "barriers",
    "scans",
    "neighbors",
)
_FEW_GLOBALS = 24


def marks(repository: Repository, job: str) -> Marks | None:
    """Read the marks of a run, which count its global collectives.

    In a run with too few global collectives they count all calls of its first rank.

    Args:
        repository: Repository that has the run.
        job: Name of the run's job.

    Returns:
        Marks of the run; None if it has no segments.
    """
    worlds = [w for w in repository.segments(job).worlds if w.segments.num_rows]
    if not worlds:
        return None
    segments = worlds[0].segments
    if int(segments["globals"].to_numpy().sum()) >= _FEW_GLOBALS:
        return _of(segments, ("globals",), "io_ns_max")
    rows = repository.process_segments(job)
    process = rows["process"].to_numpy()
    return _of(rows.filter(pa.array(process == worlds[0].processes[0])), CALLS, "io_ns")


def _of(rows: pa.Table, names: tuple[str, ...], files: str) -> Marks:
    """Return marks that count the calls of the named columns.

    Args:
        rows: Segments, in order of time.
        names: Columns with the number of calls in each segment.
        files: Column with the time in file calls in each segment, in ns.
    """
    each: Ints = np.zeros(rows.num_rows, dtype=np.int64)
    for name in names:
        each = each + rows[name].to_numpy().astype(np.int64)
    done = np.concatenate([[0], np.cumsum(each)])
    at = np.concatenate([rows["start_ns"].to_numpy()[:1], rows["end_ns"].to_numpy()])
    # MPI_Finalize ends the last segment and the marks, whether or not it was counted.
    spent = np.concatenate([[0.0], np.cumsum(rows[files].to_numpy() / 1e9)])
    return Marks(done.astype(np.int64), at.astype(np.int64), spent)
