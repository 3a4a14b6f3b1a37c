"""Computes the messaging rate over time within long runs, and when concurrent jobs start or end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from jostle.analysis.placement.company import Stay
from jostle.analysis.placement.model import Floats
from jostle.analysis.placement.program_model import Course, Event, Run
from jostle.values.arrow_columns import floats, ints

#: Fewest slices with messages of a run.
LEAST_SLICES = 12
_MOST = 4  # most runs that are returned
_AROUND = 5  # slices before and after an event


def courses(runs: Sequence[Run], slices: pa.Table, stays: Mapping[str, Stay]) -> tuple[Course, ...]:
    """Return the messaging rate over time within the long runs, the most variable run first.

    Args:
        runs: Runs of one program.
        slices: What the runs sent in each slice, from Repository.messages.slices: columns job,
            slice, slice_ns, sent_bytes, mpi_ns.
        stays: Jobs that ran concurrently with the runs, by name.
    """
    jobs = np.array(slices["job"].to_pylist(), dtype=object)
    begin = ints(slices, "slice") * ints(slices, "slice_ns")
    length, sent, spent = (floats(slices, name) for name in ("slice_ns", "sent_bytes", "mpi_ns"))
    long = []
    for run in runs:
        mine = (jobs == run.job) & (spent > 0) & (sent > 0)
        if mine.sum() < LEAST_SLICES:
            continue
        rates = 1e9 * sent[mine] / spent[mine]
        times = (begin[mine] - run.start_ns) / 1e9
        slice_s = float(length[mine].max()) / 1e9
        long.append(
            Course(
                run.job,
                tuple(times.tolist()),
                tuple(rates.tolist()),
                slice_s,
                float(rates.std(ddof=1) / rates.mean()),
                tuple(_events(run, stays, times + slice_s / 2, rates)),
            )
        )
    return tuple(sorted(long, key=lambda each: -each.variation)[:_MOST])


def _events(run: Run, stays: Mapping[str, Stay], middles: Floats, rates: Floats) -> list[Event]:
    events = []
    for each in run.company.meetings:
        stay = stays.get(each.job)
        if stay is None or not each.conflicting:
            continue
        for starts, instant in ((True, stay.start_ns), (False, stay.end_ns)):
            at = (instant - run.start_ns) / 1e9
            if 0 < at < run.seconds:
                events.append(
                    Event(
                        at,
                        each.job,
                        each.program,
                        starts,
                        each.routers,
                        _change(at, middles, rates),
                    )
                )
    return sorted(events, key=lambda event: event.at_s)


def _change(at: float, middles: Floats, rates: Floats) -> float | None:
    before, after = rates[middles < at][-_AROUND:], rates[middles > at][:_AROUND]
    if min(len(before), len(after)) < 2:
        return None
    return float(after.mean() / before.mean() - 1)
