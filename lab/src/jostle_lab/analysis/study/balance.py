"""Measures how evenly several file servers served a standalone program (Shah, 2020, §3.2.3)."""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Iterable, Sequence

import numpy as np

from jostle_lab.analysis.study.intervals import summary
from jostle_lab.analysis.study.measure import Alone, Reference
from jostle_lab.analysis.study.model import Balance
from jostle_lab.analysis.study.runs import setting_of

#: The counter of what a file server of a lab received.
_RECEIVED = re.compile(r"(storage\d*)\.in")


def balances(references: Iterable[Reference], axes: Sequence[str]) -> list[Balance]:
    """Compare processes and servers of standalone programs on several servers.

    Args:
        references: Standalone runs of the programs.
        axes: Names of further axes of the study, which are part of a setting.

    Returns:
        One entry per program and setting with several processes on several servers.
    """
    return [found for each in references if (found := _balance(each, axes)) is not None]


def _balance(reference: Reference, axes: Sequence[str]) -> Balance | None:
    times = [_process_seconds(run) for run in reference.kept]
    middle = reference.middle
    names = _servers(middle) if middle else []
    if middle is None or len(names) < 2 or any(len(each) < 2 for each in times):
        return None
    at, rates = _received(middle, names)
    return Balance(
        reference.program.name,
        setting_of(reference.runs[0].run, 0, axes),
        times,
        times[reference.kept.index(middle)],
        summary([statistics.pstdev(each) / statistics.mean(each) for each in times]),
        names,
        at,
        rates,
    )


def _process_seconds(run: Alone) -> list[float]:
    """Return the time from each process's start to its last progress, s, accurate to a slice."""
    progress = run.progress
    if progress is None:
        return []
    begin = run.program.begin_ns or progress.first_slice * progress.slice_ns
    ends = [
        (progress.first_slice + int(np.flatnonzero(row)[-1]) + 1) * progress.slice_ns
        for row in progress.values
        if row.any()
    ]
    return [min((end - begin) / 1e9, run.program.seconds) for end in ends]


def _servers(run: Alone) -> list[str]:
    first = run.run.monitor[0] if run.run.monitor else {}
    return sorted(match[1] for name in first if (match := _RECEIVED.fullmatch(name)))


def _received(run: Alone, names: Sequence[str]) -> tuple[list[float], list[list[float]]]:
    """Return the ends of the sampling steps, s, and the bytes that each server received in each."""
    begin = run.program.begin_ns
    samples = [
        (int(each["time_ns"]), [int(each[f"{name}.in"]) for name in names])
        for each in run.run.monitor
        if all(f"{name}.in" in each for name in names)
    ]
    at: list[float] = []
    rates: list[list[float]] = [[] for _ in names]
    for (before, old), (now, new) in itertools.pairwise(samples):
        if now > max(before, begin) and before < run.program.end_ns:
            at.append((now - begin) / 1e9)
            for place, (was, has) in enumerate(zip(old, new, strict=True)):
                rates[place].append((has - was) * 1e9 / (now - before))
    return at, rates
