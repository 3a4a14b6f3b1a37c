"""Computes the statistics shown at the end of a job's output (Shah, 2020, section 2.1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.digest.mpi import FLOPS, TRAFFIC
from jostle.analysis.processes import Ints, JobProcesses, process_sums
from jostle.analysis.shares_of_time import SHORTEST_S, seconds_for_rates
from jostle.analysis.spread import Range
from jostle.names.training import is_collective_library
from jostle.repository.types import JobTables
from jostle.values.file_metrics import file_metrics
from jostle.values.mpi_metrics import ARRIVED, ROOM, SENT
from jostle.values.plain_values import plain

_NS = 1e9
_ROOM = "receives of unknown size: buffer size"  # left out where there are none
#: group -> its figures: name, unit, metrics. Names and order are those of the terminal.
_COUNTED: dict[str, list[tuple[str, str, list[str]]]] = {
    "collectives": [
        ("calls a second", "calls/s", TRAFFIC["ccl collective"][0]),
        ("communicated", "bytes", TRAFFIC["ccl collective"][1]),
    ],
    "MPI collectives": [
        ("calls a second", "calls/s", TRAFFIC["collective"][0]),
        ("communicated", "bytes", TRAFFIC["collective"][1]),
    ],
    "point-to-point": [
        (
            "calls",
            "calls",
            [name for kind in ("send", "sendrecv", "receive") for name in TRAFFIC[kind][0]],
        ),
        ("sent", "bytes", [*SENT]),
        ("received", "bytes", [*ARRIVED]),
        (_ROOM, "bytes", [*ROOM]),
    ],
    "MPI-IO": [
        ("operations", "calls", TRAFFIC["mpiio read"][0] + TRAFFIC["mpiio write"][0]),
        ("read", "bytes", TRAFFIC["mpiio read"][1]),
        ("written", "bytes", TRAFFIC["mpiio write"][1]),
    ],
    "POSIX I/O": [
        ("operations", "calls", [*file_metrics("read_ops", "write_ops")]),
        ("read", "bytes", TRAFFIC["file read"][1]),
        ("written", "bytes", TRAFFIC["file write"][1]),
    ],
}


@dataclass(frozen=True)
class Figure:
    """One quantity, with its least, mean and greatest value over the ranks or processes.

    Attributes:
        group: Group that the quantity belongs to, as "POSIX I/O".
        name: Name of the quantity.
        unit: calls, calls/s, bytes, flop/s or threads.
        over: Least, mean and greatest value. None where the quantity was not counted. NaN for a
            rate where the time to divide by is not known.
    """

    group: str
    name: str
    unit: str
    over: Range | None


@dataclass(frozen=True)
class JobEnd:
    """Statistics over the ranks or processes of all parts of a job.

    Attributes:
        ranks: Whether the statistics are over ranks; else they are over processes. Processes too
            short for a profile do not count, unless all are short.
        number: Number of these ranks or processes.
        hosts: Nodes with a profile of the job.
        figures: The quantities. Groups of MPI are only present if there are MPI ranks, and
            collectives of collective libraries (NCCL, ...) only in training jobs.
    """

    ranks: bool
    number: int
    hosts: list[str]
    figures: list[Figure]

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


class _Part:
    """The processes that count in one part of a job, with their metrics."""

    def __init__(self, tables: JobTables) -> None:
        self._processes = JobProcesses(tables.processes)
        self._sums = process_sums(tables, self._processes)
        self.hosts = set(self._processes.texts("host"))
        self.has_ranks = bool(self._processes.ranks.any())
        libraries = {name for name in self._processes.texts("mpi_library") if name}
        self.is_training = self.has_ranks and any(map(is_collective_library, libraries))
        self.among = self._processes.included
        self.life_s = seconds_for_rates(self._sums, self._processes)[self.among]

    def total(self, names: Iterable[str]) -> Ints:
        """Return the sum of the named metrics for each process that counts."""
        sums = [self._sums[name][self.among] for name in names]
        total: Ints = np.sum(sums, axis=0, dtype=np.int64)
        return total

    def cpu_s(self) -> NDArray[np.float64]:
        return self.total(["os_user_ns", "os_system_ns"]) / _NS

    def flops(self) -> NDArray[np.float64] | None:
        """Return each process's floating-point operations per second of CPU time.

        None where they were not counted.
        """
        names = max(self._processes.name_lists("papi_names"), key=len, default=[])
        place = next((at for at, name in enumerate(names[:4], 1) if FLOPS.search(name)), 0)
        cpu = self.cpu_s()
        if not place or not (cpu > 0).any():
            return None
        counted = self.total([f"papi_{place}_count"])
        return counted / np.where(cpu >= SHORTEST_S, cpu, np.nan) if counted.any() else None


def job_end(tables: Sequence[JobTables]) -> JobEnd:
    """Compute the statistics that are shown at the end of a job's output.

    Args:
        tables: The tables of each part of the job, from Repository.job_tables; at least one.
    """
    parts = [_Part(each) for each in tables]
    hosts = sorted(set[str]().union(*(part.hosts for part in parts)))
    ranks = any(part.has_ranks for part in parts)
    if ranks:
        parts = [part for part in parts if part.has_ranks]
    training = [part.is_training for part in parts]
    shown = {"POSIX I/O", *(["collectives"] if any(training) else [])}
    if ranks and not all(training):
        shown |= {"MPI collectives", "point-to-point", "MPI-IO"}
    figures = [
        Figure(group, name, unit, _over(parts, unit, names))
        for group, counted in _COUNTED.items()
        if group in shown
        for name, unit, names in counted
    ]
    figures = [each for each in figures if each.name != _ROOM or (each.over and each.over.max)]
    flops = [part.flops() for part in parts]
    figures.append(Figure("floating point", "operations a second", "flop/s", _range(flops)))
    threads = [part.cpu_s() / part.life_s for part in parts]
    figures.append(Figure("threads", "effective", "threads", _range(threads)))
    number = sum(int(part.among.sum()) for part in parts)
    return JobEnd(ranks, number, hosts, figures)


def _over(parts: Sequence[_Part], unit: str, names: Sequence[str]) -> Range | None:
    values: list[NDArray[np.float64] | None] = []
    for part in parts:
        counted = part.total(names).astype(np.float64)
        values.append(counted / part.life_s if unit == "calls/s" else counted)
    return _range(values)


def _range(values: Iterable[NDArray[np.float64] | None]) -> Range | None:
    some = [each for each in values if each is not None and each.size]
    return Range.of(np.concatenate(some)) if some else None
