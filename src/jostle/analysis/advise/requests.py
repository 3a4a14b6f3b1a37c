"""Advises fewer and larger file system requests, where each request costs time beyond its bytes."""

from __future__ import annotations

from collections.abc import Iterator

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


def larger_requests(alongside: CoRunning, *, seed: int) -> Iterator[Recommendation]:
    """Yield the advice to write or read in larger pieces, per mount and direction.

    A cost per request and a cost per byte, both at least 0, are fitted to the time that the
    requests of each slice took. The saving is the cost per request times the number of requests
    that larger pieces avoid.

    Args:
        alongside: The job and its neighbours; only `own_mounts` is read.
        seed: Seed of the bootstrap over slices.
    """
    rows = alongside.own_mounts
    shared = {m for m in set(rows.column("mount").to_pylist()) if m} if rows.num_rows else set()
    for mount in sorted(shared):
        mine = rows.filter(pc.equal(rows["mount"], mount))
        for direction, verb in (("write", "written"), ("read", "read")):
            found = _fitted(mine, direction, np.random.default_rng(seed))
            if found is not None:
                yield _advice(mount, verb, *found)


def _fitted(
    rows: pa.Table, direction: str, dice: np.random.Generator
) -> tuple[float, float, Interval] | None:
    """Return what larger requests in one direction would save on one mount.

    Returns:
        Number of requests, their mean size in bytes, and the seconds that larger requests would
        save per process. None where requests are large already, or too few.
    """
    ops, moved, spent = (
        floats(rows, f"posix_{direction}_{what}") + floats(rows, f"stdio_{direction}_{what}")
        for what in ("ops", "bytes", "ns")
    )
    at = ops > 0
    ops, moved, spent = ops[at], moved[at], spent[at] / _NS
    count = floats(rows, "count")[at].clip(1)
    total, size = float(ops.sum()), float(moved.sum()) / max(float(ops.sum()), 1.0)
    if len(ops) < _FEWEST_SLICES or total < _FEWEST_REQUESTS or size >= _SMALL or not moved.sum():
        return None
    # Of a process: in some slices one of them makes requests, in others all do.
    fewer = float((ops / count).sum()) * (1 - size / _LARGE)
    saved = [
        _cost(ops[some], moved[some], spent[some]) * fewer
        for some in dice.integers(0, len(ops), (_DRAWS, len(ops)))
    ]
    low, high = np.percentile(saved, [2.5, 97.5])
    return total, size, Interval(_cost(ops, moved, spent) * fewer, float(low), float(high))


def _cost(ops: Floats, moved: Floats, spent: Floats) -> float:
    """Return the time that a request costs in addition to the time for its bytes, in seconds.

    Args:
        ops: Number of requests in each slice.
        moved: Bytes moved in each slice.
        spent: Time in requests in each slice, in seconds.
    """
    scale = float(moved.sum() / ops.sum())
    found, _ = nnls(np.column_stack([ops, moved / scale]), spent)
    return float(found[0])


def _advice(mount: str, verb: str, requests: float, size: float, saved: Interval) -> Recommendation:
    piece = f"{size / _KIB:.3g} KiB" if size >= _KIB else f"{size:.0f} bytes"
    return Recommendation(
        rule=f"larger {'writes' if verb == 'written' else 'reads'}",
        seen=f"{requests:,.0f} requests of {piece} on average were {verb} on {mount}",
        lever="move about 1 MiB with each request: a larger buffer, or data of many steps at once",
        texts=(
            "setvbuf(file, NULL, _IOFBF, 1 << 20);   /* C */",
            "open(path, mode, buffering=1 << 20)     # Python",
        ),
        saving=saved,
        saving_words="the cost of the requests avoided beyond that of their bytes, by its slices",
        pays="nobody; the program holds up to 1 MiB per file in memory",
        unless="the data of each write must be on the file system before the program continues (a "
        "log, a database)"
        if verb == "written"
        else "the program needs small pieces that are far apart in the file: a larger read would "
        "also read what it does not need",
    )
