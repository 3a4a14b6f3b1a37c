"""Reads a job's table of processes column by column, and sums the metrics of each process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.analysis.spread import Spread
from jostle.names.identity import identity
from jostle.repository.types import JobTables
from jostle.schema.metrics import BY_ID, HIST_BUCKETS, HISTOGRAM_IDS, MOUNT_IDS, PROCESS_IDS
from jostle.schema.profile import MpiAdapter
from jostle.values.arrow_columns import ints_or_zeros

Ints = NDArray[np.int64]


class JobProcesses:
    """The processes of a job as columns.

    Attributes:
        count: Number of processes.
        short: Whether each process was too short for a profile of its own.
        complete: Whether each process has ended and all its data are recorded.
        life: Run time of each process, ns; while it runs, up to its last recorded slice.
        start: Start of the first process, ns since the epoch.
        end: End of the last process, ns since the epoch.
        running: Whether some process has not ended.
        ranks: Whether each process is an MPI rank; a launcher (mpirun) is not.
        included: Whether each process counts for minimum and mean. If the job has ranks, only the
            ranks count; otherwise all processes except the short ones; if all are short, all.
        timed: Whether the time of each process is divided into shares. If the job has ranks, only
            theirs is; otherwise that of all processes.
    """

    def __init__(self, processes: pa.Table) -> None:
        self._table = processes
        ids = self.ints("process")
        self._by = np.argsort(ids, kind="stable")
        self._sorted = ids[self._by]
        self.count = len(ids)
        self.short = np.asarray(processes.column("short").to_pylist(), dtype=bool)
        self.complete = np.asarray(processes.column("complete").to_pylist(), dtype=bool)
        start, end = self.ints("start_ns"), self.ints("end_ns")
        seen = (self.ints("last_slice") + 1) * self.ints("slice_ns")
        end = np.where(self.complete & (end > 0), end, np.maximum(seen, end))
        self.life = np.maximum(end - start, 0)
        self.start = int(start.min()) if self.count else 0
        self.end = int(end.max()) if self.count else 0
        self.running = not bool(self.complete.all())
        self.ranks = (
            (self.ints("world_size") > 0)
            | (self.ints("mpi_adapter") >= MpiAdapter.LACKING)
            | (self.ints("mpi_state") > 0)
        )
        if self.ranks.any():
            self.included = self.timed = self.ranks
        else:
            self.included = ~self.short if (~self.short).any() else self.short
            self.timed = np.ones(self.count, dtype=bool)

    def ints(self, name: str) -> Ints:
        """Return a column of numbers; 0 where a row has none, as rows of older versions."""
        return ints_or_zeros(self._table, name)

    def texts(self, name: str) -> list[str]:
        """Return a column of texts; "" where a row has none."""
        if name not in self._table.column_names:
            return [""] * self._table.num_rows
        return [text or "" for text in self._table.column(name).to_pylist()]

    def name_lists(self, name: str) -> list[list[str]]:
        """Return a column of lists of texts; an empty list where a row has none."""
        if name not in self._table.column_names:
            return [[] for _ in range(self._table.num_rows)]
        return [list(texts or []) for texts in self._table.column(name).to_pylist()]

    def number_lists(self, name: str) -> list[list[int]]:
        """Return a column of lists of numbers; an empty list where a row has none."""
        if name not in self._table.column_names:
            return [[] for _ in range(self._table.num_rows)]
        return [list(numbers or []) for numbers in self._table.column(name).to_pylist()]

    def lists(self, name: str) -> Iterable[str]:
        """Yield all texts in a column of lists of texts, row after row."""
        for texts in self._table.column(name).to_pylist():
            yield from texts or []

    def names(self) -> list[str]:
        """Return the name of each process's program, by the rules of `jostle.names.identity`."""
        return list(map(identity, self.texts("script"), self.texts("program")))

    def programs(self) -> dict[str, int]:
        """Count the processes by program, the most frequent first."""
        return dict(Counter(self.names()).most_common())

    def index(self, process: Ints) -> NDArray[np.intp]:
        """Return the row of each process id in this table."""
        at = np.searchsorted(self._sorted, process).clip(0, max(self.count - 1, 0))
        result: NDArray[np.intp] = self._by[at]
        return result

    def spread(self, values: Ints, among: NDArray[np.bool_] | None = None) -> Spread:
        """Return sum, minimum, mean and maximum of one value per process.

        Args:
            values: A value of each process; all of them count for the sum.
            among: Processes that count for minimum, mean and maximum: those of them that are in
                `included`, or all of them if none is. None: `included`.
        """
        if among is None:
            among = self.included
        elif (among & self.included).any():
            among = among & self.included
        included = values[among]
        return Spread(
            int(values.sum()), int(included.min()), float(included.mean()), int(included.max())
        )


def histogram(table: pa.Table, name: str) -> Ints:
    """Sum a column of histograms over all rows, shape (32,); zeros if there is no such column."""
    if name not in table.column_names or not table.num_rows:
        return np.zeros(HIST_BUCKETS, dtype=np.int64)
    total = np.zeros(HIST_BUCKETS, dtype=np.int64)
    for chunk in table.column(name).drop_null().chunks:
        total += chunk.flatten().to_numpy().reshape(-1, HIST_BUCKETS).sum(axis=0)
    return total


def process_sums(tables: JobTables, job_processes: JobProcesses) -> dict[str, Ints]:
    """Return, by metric, its sum in each process; for a gauge, the process's highest level."""
    sums: dict[str, Ints] = {}
    for names, table in ((PROCESS_IDS, tables.totals), (MOUNT_IDS, tables.mount_totals)):
        where = job_processes.index(ints_or_zeros(table, "process")) if table.num_rows else None
        for name in names:
            if name in HISTOGRAM_IDS:
                continue
            sums[name] = np.zeros(job_processes.count, dtype=np.int64)
            if where is None:
                continue
            add = np.maximum if BY_ID[name].kind == "gauge" else np.add
            add.at(sums[name], where, ints_or_zeros(table, name))
    return sums
