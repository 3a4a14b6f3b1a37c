"""The index of a repository's jobs in memory, which is refreshed, searched, filtered and sorted."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from jostle.names.batch_jobs import batch_job_of, part_name
from jostle.names.users import owner_name
from jostle.report.models.jobs import job_rows
from jostle.report.models.metrics import CALLS, CCL_TIMES, view
from jostle.repository import JobError, Repository
from jostle.server.background.tiles import CELL_NS, SETTLED_NS

Row = dict[str, Any]
Sort = Literal[
    "start",
    "-start",
    "lost",
    "-lost",
    "percent",
    "-percent",
    "job",
    "-job",
    "program",
    "-program",
    "user",
    "-user",
    "nodes",
    "-nodes",
    "processes",
    "-processes",
    "run",
    "-run",
]
SPARK = 48
#: Bytes that processes of any program read and write apart from their work.
_QUIET_BYTES = 1 << 20
#: Least points of a curve with traffic for more than reading the input or writing the result.
_BUSY_POINTS = SPARK // 10 + 1
#: Metrics of the curve of a job without file traffic, by kind of time, in order of preference.
_TIMES = {
    "collectives": CCL_TIMES,
    "mpi": CALLS,
    "cpu": tuple(metric for line in view("cpu").lines for metric in line.metrics),
}
#: A job that ended this shortly before the newest slice may have neighbours that are not known yet.
_FRESH_NS = 60_000_000_000
_REFRESH_S = 0.25
#: Number of commits of which the changes are remembered.
_REMEMBERED = 1000


@dataclass(frozen=True)
class Filter:
    """Filters of the list of jobs; a job must match one of the values of each field that has any.

    Attributes:
        search: Words that must all be in a job's name, program or user.
        light: Traffic lights: green, yellow, red, undecided, or none (without a verdict).
        cause: Causes of the largest loss, as in `VerdictHead.cause`.
        user: Names of users.
        program: Names of programs.
        state: States: live (the job runs) or over.
        from_ns: Instant after which the jobs end, ns since the epoch.
        to_ns: Instant before which the jobs begin, ns since the epoch.
        batch: Name of a batch job whose parts are selected.
    """

    search: str = ""
    light: frozenset[str] = frozenset()
    cause: frozenset[str] = frozenset()
    user: frozenset[str] = frozenset()
    program: frozenset[str] = frozenset()
    state: frozenset[str] = frozenset()
    from_ns: int = 0
    to_ns: int = 2**63 - 1
    batch: str = ""


#: Value of a row for each field that can be counted and filtered; "" if it has none.
_FACETS: dict[str, Callable[[Row], str]] = {
    "light": lambda row: row["verdict"]["light"] or "undecided" if row["verdict"] else "none",
    "cause": lambda row: (row["verdict"] or {}).get("cause") or "",
    "user": lambda row: row["user"] or "",
    "program": lambda row: str(row["program"]),
    "state": lambda row: "live" if row["running"] else "over",
}
_SORTS: dict[str, Callable[[Row], Any]] = {
    "start": lambda row: row["start_ns"],
    "lost": lambda row: row["verdict"]["lost_s"] if row["verdict"] else -1.0,
    "percent": lambda row: row["verdict"]["percent"] if row["verdict"] else -1.0,
    "job": lambda row: row["job"],
    "program": lambda row: row["program"],
    "user": lambda row: row["user"] or "",
    "nodes": lambda row: row["nodes"],
    "processes": lambda row: row["processes"],
    "run": lambda row: row["end_ns"] - row["start_ns"],
}


@dataclass
class JobIndex:
    """All jobs of a repository.

    Attributes:
        repository: The repository.
        rows: A row per job, by name; rows are replaced, never changed.
        marks: For each job, a key that changes when its data change.
        number: Number of the newest commit that was read.
        newest_ns: End of the newest slice, ns since the epoch.
    """

    repository: Repository
    rows: dict[str, Row] = field(default_factory=dict)
    marks: dict[str, str] = field(default_factory=dict)
    number: int = -1
    newest_ns: int = 0

    def __post_init__(self) -> None:
        self._files: frozenset[str] = frozenset()
        self._left_out: frozenset[str] = frozenset()
        self._horizon_ns = 0
        self._turn = threading.Lock()
        self._refreshed = 0.0
        self._changes: deque[tuple[int, list[str]]] = deque(maxlen=_REMEMBERED)

    def refresh_if_stale(self) -> None:
        """Refresh unless that was done recently, or another thread is doing it."""
        late = time.monotonic() - self._refreshed > _REFRESH_S and not self._turn.locked()
        if late or self.number < 0:
            self.refresh()

    def row(self, job: str) -> Row:
        """Return the row of a job.

        Raises:
            JobError: There is no such job; it may have expired during the request.
        """
        row = self.rows.get(job)
        if row is None:
            raise JobError(
                f"There is no job {job!r} any more.",
                hint="The job was older than the retention period, or its data were damaged.",
            )
        return row

    def state(self, *jobs: str) -> tuple[Hashable, ...]:
        """Return a key that changes with the data of some jobs.

        Without jobs, return a key that changes with any commit. It changes once more about a minute
        later, when the newest slices of all jobs have arrived and may be published.
        """
        settled = time.time_ns() > self.newest_ns + SETTLED_NS + CELL_NS
        if jobs:
            return tuple(self.marks.get(job, self.number) for job in jobs)
        return self.number, settled, self._left_out

    def since(self, number: int) -> list[str]:
        """Return the jobs that changed after a commit; all jobs if the commit is too old."""
        changes = list(self._changes)
        if changes and changes[0][0] > number + 1 and len(changes) == _REMEMBERED:
            return list(self.rows)
        return list(dict.fromkeys(job for at, jobs in changes if at > number for job in jobs))

    def refresh(self) -> list[str]:
        """Read new commits; return the jobs that changed or were removed."""
        with self._turn:
            self._refreshed = time.monotonic()
            now = self.repository.loads.files()
            if now.number == self.number and self._left_out == set(self.repository.left_out()):
                return []
            new = now.naming - self._files
            gone = self._files - now.naming
            left_out = frozenset(self.repository.left_out())
            names = None
            # A compaction only rewrites rows; but rows that are removed without a successor are
            # lost.
            is_less = now.horizon_ns != self._horizon_ns or left_out != self._left_out
            if self._files and not is_less and (new or not gone):
                names = self.repository.loads.jobs_in(sorted(new))
            found = self._made(names)
            before, self.newest_ns = self.marks, now.newest_ns
            kept = self.rows if names is not None else {}
            self.rows = dict(
                sorted({**kept, **found}.items(), key=lambda item: item[1]["start_ns"])
            )
            self.marks = {job: self._mark(row) for job, row in self.rows.items()}
            self._files, self.number = now.naming, now.number
            self._left_out = frozenset(self.repository.left_out())
            self._horizon_ns = now.horizon_ns
            changed = [job for job, mark in self.marks.items() if before.get(job) != mark]
            changed += [job for job in before if job not in self.marks]
            self._changes.append((now.number, changed))
            self._refreshed = time.monotonic()
            return changed

    def _made(self, names: Sequence[str] | None) -> dict[str, Row]:
        rows = job_rows(self.repository, names)
        curves = self.repository.loads.job_curves(names, SPARK).to_pylist()
        return self._rows(rows, curves)

    def _curves(
        self, rows: Sequence[Row], traffic: Sequence[Row]
    ) -> dict[str, tuple[str, list[float]]]:
        """Return for each job a curve of its file traffic; if it has little, a curve of time.

        The time is that in collective libraries, in MPI, or CPU time: the first that is known.
        """
        found = {job: ("files", curve) for job, curve in _by_job(traffic).items()}
        quiet = {row["job"]: row for row in rows if _is_quiet(row, found.get(row["job"]))}
        for kind, metrics in _TIMES.items():
            if not quiet:
                break
            times = self.repository.loads.job_curves(
                list(quiet), SPARK, table="node_rollup", metrics=metrics
            )
            for job, curve in _by_job(times.to_pylist()).items():
                found[job] = (kind, curve)
                del quiet[job]
        return found

    def _rows(self, rows: Sequence[Row], curves: Sequence[Row]) -> dict[str, Row]:
        sparks = self._curves(rows, curves)
        return {
            row["job"]: {
                "job": row["job"],
                "batch": _batch(row["job"]),
                "program": row["program"],
                "uid": row["uid"],
                "user": None if row["uid"] is None else owner_name(row["uid"]),
                "start_ns": row["start_ns"],
                "end_ns": row["end_ns"],
                "slice_ns": row["slice_ns"],
                "running": row["running"],
                "processes": row["processes"],
                "ranks": row["ranks"],
                "mpi_library": row["mpi_library"],
                "nodes": row["hosts"],
                "spark": sparks[row["job"]][1] if row["job"] in sparks else [],
                "spark_of": sparks[row["job"]][0] if row["job"] in sparks else None,
                "moved": row["read_bytes"] + row["written_bytes"],
            }
            for row in rows
        }

    def _mark(self, row: Mapping[str, Any]) -> str:
        fresh = row["end_ns"] > self.newest_ns - _FRESH_NS
        names = ("start_ns", "end_ns", "running", "processes", "nodes", "uid", "moved")
        facts = (*(row[name] for name in names), fresh)
        return hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()


def _batch(job: str) -> str | None:
    """Return the name of the batch job that a job is a part of."""
    batch = batch_job_of(job)
    return batch.name if batch else None


def _is_quiet(row: Row, curve: tuple[str, list[float]] | None) -> bool:
    """Return whether a job had no file traffic, or only in a small part of its run time."""
    least: int = _QUIET_BYTES * (row["ranks"] or row["processes"])
    if curve is None or row["read_bytes"] + row["written_bytes"] < least:
        return True
    return sum(value > 0 for value in curve[1]) < _BUSY_POINTS


def _by_job(points: Sequence[Row]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row in points:
        found.setdefault(row["job"], [0.0] * SPARK)[row["place"]] = row["value"]
    return found


def fits(row: Row, wanted: Filter, *, without: str = "") -> bool:
    """Return whether a row matches all filters, or all but that of field `without`."""
    if not (row["end_ns"] > wanted.from_ns and row["start_ns"] < wanted.to_ns):
        return False
    if wanted.batch and wanted.batch not in (row["batch"], (row["batch"] or "").partition("@")[0]):
        return False
    for name, value in _FACETS.items():
        some: frozenset[str] = getattr(wanted, name)
        if some and name != without and value(row) not in some:
            return False
    text = f"{row['job']} {row['program']} {row['user'] or ''}".lower()
    return all(word in text for word in wanted.search.lower().split())


def ask(rows: Sequence[Row], wanted: Filter, sort: Sort, offset: int, limit: int) -> dict[str, Any]:
    """Return a page of the list of jobs, running jobs first.

    Args:
        rows: Rows that the viewer may see, each with its verdict.
        wanted: The filters.
        sort: Sort key; with "-" before it in descending order.
        offset: Number of rows to skip.
        limit: Largest number of rows.

    Returns:
        total: Number of jobs that match.
        waiting: Number of these jobs that wait for their verdicts.
        jobs: Rows of the page.
        facets: For each field and value, the number of jobs with this value that match the filters
            of all other fields.
    """
    found = [row for row in rows if fits(row, wanted)]
    value = _SORTS[sort.removeprefix("-")]
    found.sort(key=lambda row: (value(row), row["job"]), reverse=sort.startswith("-"))
    found.sort(key=lambda row: not row["running"])
    facets = {
        name: dict(
            Counter(
                has
                for row in (rows if getattr(wanted, name) else found)
                if (has := of(row)) and fits(row, wanted, without=name)
            ).most_common()
        )
        for name, of in _FACETS.items()
    }
    waiting = sum(not (row["verdict"] or row["why_not"]) for row in found)
    shown = [row | {"part": part_name(row["job"])} for row in found[offset : offset + limit]]
    return {"total": len(found), "waiting": waiting, "jobs": shown, "facets": facets}
