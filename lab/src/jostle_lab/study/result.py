"""Evaluates a study from its records, profiles and logs in a repository."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from jostle.errors import JostleError
from jostle_lab.signals import PATTERNS, read_log
from jostle_lab.study.model import METADATA

if TYPE_CHECKING:
    from jostle.repository import Repository
    from jostle_lab.analysis.study.model import StudyResult
    from jostle_lab.analysis.study.pairs import JobProgress
    from jostle_lab.signals import SignalLog

_OPERATIONS = "operations"
# The metric of a pattern's progress where the study sets none: a metric of its profile, or, for
# loads that no profile shows (memory, cores), the operations of its own log.
_COUNTED = {
    "read": "read_bytes",
    "ping": "message_bytes",
    "incast": "message_bytes",
    "all-to-all": "collectives",
} | dict.fromkeys((*METADATA, "memory", "cache", "cpu"), _OPERATIONS)
_UNSYNCHRONISED = 5  # TIME_ERROR of adjtimex, as profiles record it


def result(repository: Repository, name: str) -> StudyResult:
    """Evaluate a study: its records, the profiles of its jobs, the logs of its signals.

    Args:
        repository: Repository that has the study.
        name: The study's name.

    Returns:
        The results; if the study still runs, those of the runs so far.

    Raises:
        RepositoryError: There is no such study, or a file of it is damaged.
    """
    from jostle_lab.analysis.study.evaluate import evaluate

    store = repository.study(name)
    plan = store.plan()
    held = _Held(repository, store.folder, store.read_runs())
    return evaluate(
        held.records,
        held.progress,
        held.bursts,
        planned=len(plan.get("runs") or []),
        unsynchronised=held.unsynchronised(),
        servers=held.servers(),
    )


class _Held:
    """The data of a study in the repository, queried job by job."""

    def __init__(self, repository: Repository, folder: Path, records: list[dict[str, Any]]) -> None:
        from jostle_lab.analysis.study.progress import ProgressTables

        self.repository = repository
        self.folder = folder
        self.records = [_counted(record) for record in records]
        self.programs = {
            str(program.get("job")): (record, program)
            for record in self.records
            for program in record["programs"]
        }
        self._logs: dict[str, SignalLog | None] = {}
        self._rows: dict[str, dict[str, pa.Table]] = {}
        self._tables = ProgressTables(
            lambda job: self._rows_of("mount_slices", job),
            lambda job: self._rows_of("slices", job),
            self._resource,
            begins=self._begin,
        )

    def _rows_of(self, table: str, job: str) -> pa.Table:
        """Return a job's slices; the first call queries those of all jobs at once."""
        if table not in self._rows:
            self._rows[table] = self._ask(table)
        rows = self._rows[table]
        return rows[job] if job in rows else rows[""]

    def _ask(self, table: str) -> dict[str, pa.Table]:
        """Return the slices of all jobs of the study, by job; the job "" has none."""
        from jostle_lab.analysis.study.progress import columns

        metrics = {str(program["progress"]) for _, program in self.programs.values()}
        names = columns(metrics, on_mounts=table == "mount_slices")
        keys = ["process", "slice", "slice_ns", "span"]
        keys += ["mount"] if table == "mount_slices" else []
        marks = ", ".join("?" * len(self.programs))
        rows = self.repository.query(
            f"SELECT job, {', '.join([*keys, *names])} FROM {table} WHERE job IN ({marks}) "
            "ORDER BY job, slice * slice_ns, process",
            list(self.programs),
        )
        codes = rows.column("job").combine_chunks().dictionary_encode()
        places = np.asarray(codes.indices)
        edges = [0, *(np.flatnonzero(np.diff(places)) + 1).tolist(), rows.num_rows]
        found = {"": rows.slice(0, 0)}
        for first, last in itertools.pairwise(edges):
            if first < last:
                found[codes.dictionary[int(places[first])].as_py()] = rows.slice(
                    first, last - first
                )
        return found

    def _resource(self, job: str) -> str | None:
        record, _ = self.programs[job]
        resource = record.get("resource")
        return None if resource is None else str(resource)

    def servers(self) -> pa.Table:
        """Return the data that the servers of the mounts under study moved during the runs."""
        mounts = {str(record["resource"]) for record in self.records if record.get("resource")}
        times = [
            int(record.get(name) or 0) for record in self.records for name in ("begin_ns", "end_ns")
        ]
        return self.repository.served(
            sorted(mounts), (min(times, default=0), max(times, default=0))
        )

    def _begin(self, job: str) -> int | None:
        """Return the time of a signal's first operation from its log; None for a command."""
        _, program = self.programs[job]
        return int(program["begin_ns"]) if program.get("pattern") else None

    def _log(self, job: str) -> SignalLog | None:
        """Return a signal's log; None if there is none, or it cannot be read."""
        if job not in self._logs:
            _, program = self.programs[job]
            path = self.folder / str(program.get("log") or "")
            self._logs[job] = None
            if program.get("pattern") and path.is_dir() and any(path.glob("*.jsonl")):
                # A log that cannot be read has made its run fail already; its record says why.
                with contextlib.suppress(JostleError):
                    self._logs[job] = read_log(path)
        return self._logs[job]

    def progress(self, job: str, metric: str) -> JobProgress | None:
        """Return a job's progress from its profile, or from its log if no profile shows it."""
        from jostle_lab.analysis.study.progress import progress_of_log

        record, program = self.programs[job]
        if metric == _OPERATIONS and _elsewhere(program):
            log = self._log(job)
            if log is None or not log.slices.num_rows:
                return None
            rows = _half(log, log.slices, "probe") if program.get("split") else log.slices
            return progress_of_log(job, rows, int(record["slice_ns"]), _OPERATIONS)
        return self._tables(job, metric)

    def bursts(self, job: str) -> list[tuple[int, int]]:
        """Return a periodic signal's bursts, each from the first process's begin to the last's end.

        If the signal's ranks are split in two, only the half that makes the noise counts.
        """
        _, program = self.programs[job]
        log = self._log(job)
        if log is None or not program.get("period_ns"):
            return []
        rows = _half(log, log.bursts, "noise") if program.get("split") else log.bursts
        found: dict[int, tuple[int, int]] = {}
        for row in rows.to_pylist():
            due, begin, end = row["due_ns"], row["begin_ns"], row["end_ns"]
            if end is not None:
                low, high = found.get(due, (begin, end))
                found[due] = (min(low, begin), max(high, end))
        return sorted(found.values())

    def unsynchronised(self) -> list[str]:
        """Return the jobs on nodes whose clocks may not be synchronised; none on one machine."""
        jobs = [job for job, (record, _) in self.programs.items() if record.get("place") == "slurm"]
        if not jobs:
            return []
        marks = ", ".join("?" * len(jobs))
        rows = self.repository.query(
            "SELECT DISTINCT job FROM processes "
            f"WHERE clock_state >= {_UNSYNCHRONISED} AND job IN ({marks})",
            jobs,
        )
        return [str(job) for job in rows.column("job").to_pylist()]


def _elsewhere(program: Mapping[str, Any]) -> bool:
    """Return whether a program is a load whose operations are not visible in its profile."""
    pattern = PATTERNS.get(program.get("pattern") or "")
    return pattern is not None and pattern.resource != "files"


def _half(log: SignalLog, rows: pa.Table, half: str) -> pa.Table:
    """Return the rows of one half of a signal's ranks, "probe" or "noise"."""
    ranks = {row["rank"] for row in log.processes.to_pylist() if row["half"] == half}
    return rows.filter(pa.array([rank in ranks for rank in rows.column("rank").to_pylist()]))


def _counted(record: dict[str, Any]) -> dict[str, Any]:
    """Return the metric of each program's progress for which the study does not set one."""
    programs = []
    for program in record["programs"]:
        metric = program.get("progress") or _COUNTED.get(program.get("pattern") or "", "bytes")
        programs.append({**program, "progress": metric})
    return {**record, "programs": programs}
