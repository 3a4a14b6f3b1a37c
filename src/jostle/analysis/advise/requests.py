"""Advises fewer and larger file system requests, where each request costs time beyond its bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.optimize import nnls

from jostle.analysis.advise.model import Recommendation
from jostle.analysis.interval import Interval
from jostle.repository.query.resources.co_running import CoRunning
from jostle.values.arrow_columns import floats

Floats = NDArray[np.float64]
_KIB = 1024
#: Requests of this size cost little beyond their bytes on any shared file system.
_LARGE = 1024 * _KIB
#: Mean size of requests from which on nothing is advised.
_SMALL = 128 * _KIB
_FEWEST_SLICES, _FEWEST_REQUESTS = 12, 1000
_DRAWS = 200
_NS = 1e9
#: Number of slices of other jobs that are added up.
_GROUP = 8
#: Syncs per request from which on each request counts as followed by one.
_SYNCED = 0.5
#: Least variance of the sizes of requests, as a part of their mean square; for sizes that vary by a
#: tenth it is 0.01.
_VARIED = 0.01


@dataclass(frozen=True)
class _Requests:
    """The requests in one direction on a mount, one value for each slice.

    Attributes:
        ops: Number of requests.
        moved: Bytes moved.
        spent: Time in requests, with that in the syncs that follow each of them, in seconds.
        count: Number of processes.
        synced: Whether requests are followed by syncs.
    """

    ops: Floats
    moved: Floats
    spent: Floats
    count: Floats
    synced: bool


@dataclass(frozen=True)
class _Fit:
    """What larger requests in one direction would save on one mount.

    Attributes:
        requests: Number of requests.
        size: Mean size of a request, in bytes.
        saved: Seconds that larger requests would save per process.
        synced: Whether this includes time in syncs.
        shared: Whether slices of other jobs were compared, too.
    """

    requests: float
    size: float
    saved: Interval
    synced: bool
    shared: bool


def larger_requests(alongside: CoRunning, *, seed: int) -> Iterator[Recommendation]:
    """Yield the advice to write or read in larger pieces, per mount and direction.

    A cost per request and a cost per byte, both at least 0, are fitted to the time that the
    requests of each slice took, of this job and of others on the mount at the same time. The saving
    is the cost per request times the number of requests that larger pieces avoid. Nothing is
    advised if all requests have the same size: then the two costs cannot be separated.

    Args:
        alongside: The job and its neighbours; only `own_mounts` and `mount_loads` are read.
        seed: Seed of the bootstrap over slices.
    """
    rows, loads = alongside.own_mounts, alongside.mount_loads
    shared = {m for m in set(rows.column("mount").to_pylist()) if m} if rows.num_rows else set()
    for mount in sorted(shared):
        mine = rows.filter(pc.equal(rows["mount"], mount))
        others = loads.filter(pc.equal(loads["mount"], mount)) if loads.num_rows else loads
        for direction, verb in (("write", "written"), ("read", "read")):
            found = _fitted(mine, others, direction, np.random.default_rng(seed))
            if found is not None:
                yield _advice(mount, verb, found)


def _fitted(
    rows: pa.Table, loads: pa.Table, direction: str, dice: np.random.Generator
) -> _Fit | None:
    """Return what larger requests in one direction would save on one mount.

    Args:
        rows: Slices of the job on the mount.
        loads: Slices of other jobs on the mount.
        direction: `read` or `write`.
        dice: Random numbers of the bootstrap.

    Returns:
        The saving; None where requests are large already, too few, or all of the same size.
    """
    mine = _requests(rows, direction)
    total, moved = float(mine.ops.sum()), float(mine.moved.sum())
    size = moved / max(total, 1.0)
    if len(mine.ops) < _FEWEST_SLICES or total < _FEWEST_REQUESTS or size >= _SMALL or not moved:
        return None
    theirs = [each for each in _by_job(loads, direction) if each.synced == mine.synced]
    ops, data, spent = (
        np.concatenate([getattr(mine, name), *(getattr(each, name) for each in theirs)])
        for name in ("ops", "moved", "spent")
    )
    if not _is_varied(ops, data):
        return None
    # Of a process: in some slices one of them makes requests, in others all do.
    fewer = float((mine.ops / mine.count).sum()) * (1 - size / _LARGE)
    saved = [
        _cost(ops[some], data[some], spent[some]) * fewer
        for some in dice.integers(0, len(ops), (_DRAWS, len(ops)))
    ]
    low, high = np.percentile(saved, [2.5, 97.5])
    interval = Interval(_cost(ops, data, spent) * fewer, float(low), float(high))
    return _Fit(total, size, interval, mine.synced, bool(theirs))


def _requests(rows: pa.Table, direction: str) -> _Requests:
    """Return the requests of some slices in one direction."""
    ops, moved, spent = (
        floats(rows, f"posix_{direction}_{what}") + floats(rows, f"stdio_{direction}_{what}")
        for what in ("ops", "bytes", "ns")
    )
    syncs, in_syncs = (
        floats(rows, f"posix_sync_{what}") + floats(rows, f"stdio_sync_{what}")
        for what in ("ops", "ns")
    )
    synced = direction == "write" and float(syncs.sum()) >= _SYNCED * max(float(ops.sum()), 1.0)
    at = ops > 0
    time = (spent + in_syncs if synced else spent)[at] / _NS
    return _Requests(ops[at], moved[at], time, floats(rows, "count")[at].clip(1), synced)


def _together(rows: pa.Table) -> pa.Table:
    """Return slices added up in groups of consecutive ones.

    A large request and its sync often end in different slices.
    """
    if "slice" not in rows.column_names:
        return rows
    place = pc.floor(pc.divide(rows["slice"].cast(pa.float64()), float(_GROUP)))
    names = [name for name in rows.column_names if name.startswith(("posix_", "stdio_"))]
    sums = [(name, "sum") for name in names] + [("count", "max")]
    table = rows.append_column("group", place).group_by("group").aggregate(sums)
    plain = {f"{name}_{how}": name for name, how in sums}
    return table.rename_columns([plain.get(name, name) for name in table.column_names])


def _by_job(loads: pa.Table, direction: str) -> list[_Requests]:
    """Return the requests of each job in a table of loads; jobs without any are left out."""
    names = sorted(set(loads["job"].to_pylist())) if loads.num_rows else []
    every = [
        _requests(_together(loads.filter(pc.equal(loads["job"], name))), direction)
        for name in names
    ]
    return [each for each in every if len(each.ops)]


def _is_varied(ops: Floats, moved: Floats) -> bool:
    """Return whether requests vary enough in size to separate their two costs."""
    square = float((moved**2 / ops).sum() / ops.sum())
    return 1 - float(moved.sum() / ops.sum()) ** 2 / max(square, 1e-300) >= _VARIED


def _cost(ops: Floats, moved: Floats, spent: Floats) -> float:
    """Return the time that a request costs in addition to the time for its bytes, in seconds.

    Args:
        ops: Number of requests in each slice.
        moved: Bytes moved in each slice.
        spent: Time in requests in each slice, in seconds.
    """
    # A slice counts by its number of requests, so that fitted and measured times have the same sum
    # although requests are faster in some slices than in others.
    weight = 1 / np.sqrt(ops)
    scale = float(moved.sum() / ops.sum())
    found, _ = nnls(np.column_stack([ops, moved / scale]) * weight[:, None], spent * weight)
    return float(found[0])


def _advice(mount: str, verb: str, fit: _Fit) -> Recommendation:
    piece = f"{fit.size / _KIB:.3g} KiB" if fit.size >= _KIB else f"{fit.size:.0f} bytes"
    syncs = " and of their syncs" if fit.synced else ""
    others = " and those of other jobs there" if fit.shared else ""
    return Recommendation(
        rule=f"larger {'writes' if verb == 'written' else 'reads'}",
        seen=f"{fit.requests:,.0f} requests of {piece} on average were {verb} on {mount}",
        lever="move about 1 MiB with each request: a larger buffer, or data of many steps at once",
        texts=(
            "setvbuf(file, NULL, _IOFBF, 1 << 20);   /* C */",
            "open(path, mode, buffering=1 << 20)     # Python",
        ),
        saving=fit.saved,
        saving_words=(
            f"the cost of the requests avoided{syncs} beyond that of their bytes, by its slices"
            f"{others}"
        ),
        pays="nobody; the program holds up to 1 MiB per file in memory",
        unless="the data of each write must be on the file system before the program continues (a "
        "log, a database)"
        if verb == "written"
        else "the program needs small pieces that are far apart in the file: a larger read would "
        "also read what it does not need",
    )
