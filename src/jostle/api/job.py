"""Class `Job`: the facts, activity and loss of one job."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis import digest, neighbours
from jostle.api import html
from jostle.api.background import Background, step_table
from jostle.api.errors import with_hints
from jostle.api.results import Digest, Estimate, Interference, Verdict, as_given, with_estimate
from jostle.api.rows import FileUse, Gpu, Mount, Process, Step, as_dict, columns_of, row_of
from jostle.api.table import Table, instants, stamped
from jostle.names.users import owner_name
from jostle.reader import GPU_VALUES
from jostle.report.format.moments import utc
from jostle.report.format.values import byte_count, count, duration
from jostle.report.models import metrics as views
from jostle.report.models.job.background import background_of
from jostle.report.models.job.gpu_steps import check_per_gpu
from jostle.report.models.jobs import job_row
from jostle.report.models.steps import JobSpan, lines_of
from jostle.report.verdict.advice import advice_on
from jostle.report.verdict.batch_loss import LossNumbers, batch_loss, job_loss, loss_numbers
from jostle.report.verdict.verdict import evaluate_company, evaluate_job
from jostle.schema.metrics import BY_ID, MOUNT_IDS, PROCESS_IDS

if TYPE_CHECKING:
    from jostle.analysis.advise import Recommendations
    from jostle.analysis.estimation.model import Method
    from jostle.analysis.identification.model import Neighbour
    from jostle.repository import Repository


class Job:
    """A job of a site, as it was in the list of jobs when it was requested.

    For a batch job with several parts (`parts`), only `loss` is available for the whole; use one of
    the parts for all other methods.
    """

    def __init__(self, store: Repository, row: Mapping[str, Any]) -> None:
        """Create a job from a row of the list (report.models)."""
        self._store = store
        self._row = dict(row)
        self._verdicts: dict[tuple[Any, ...], Verdict] = {}

    @property
    def name(self) -> str:
        """Name of the job in the repository."""
        return str(self._row["job"])

    @property
    def program(self) -> str:
        """Name of the program that the job runs."""
        return str(self._row["program"])

    @property
    def user(self) -> str | None:
        """Login name of the owner, or `uid N`; None: the processes belong to several users."""
        return None if self.uid is None else owner_name(self.uid)

    @property
    def uid(self) -> int | None:
        """Uid of the job's owner; None: its processes belong to several users."""
        uid: int | None = self._row["uid"]
        return uid

    @property
    def start(self) -> datetime:
        """Start of the job's first process, UTC."""
        return utc(self._row["start_ns"])

    @property
    def end(self) -> datetime:
        """End of the job's last process, UTC; while it runs, the end of its newest slice."""
        return utc(self._row["end_ns"])

    @property
    def running(self) -> bool:
        """Whether at least one process has not ended."""
        return bool(self._row["running"])

    @property
    def seconds(self) -> float:
        """Run time of the job, in seconds."""
        return float(self._row["end_ns"] - self._row["start_ns"]) / 1e9

    @property
    def facts(self) -> dict[str, Any]:
        """The row of `jostle jobs --json`: numbers of processes, ranks and nodes, bytes, ..."""
        return dict(self._row)

    @property
    def parts(self) -> list[Job]:
        """The script and the steps of a batch job; empty for others."""
        return [Job(self._store, part) for part in self._row.get("parts", [])]

    def _one(self) -> str:
        """Return the name of the job in the repository.

        Raises:
            JobError: The job is a batch job of several parts.
        """
        return self._store.resolve_job(self.name) if "parts" in self._row else self.name

    # What it did

    @with_hints
    def digest(self) -> Digest:
        """Return the digest of the job's activity, as `jostle digest`."""
        return as_given(Digest, digest(self._store.job_tables(self._one())))

    @with_hints
    def processes(self) -> Table[Process]:
        """List the job's processes, the earliest first."""
        rows = stamped(self._store.job_processes(self._one()))
        return Table(rows, row_of(Process), "processes", shown=columns_of(Process)[1:])

    @with_hints
    def mounts(self) -> Table[Mount]:
        """List the mounts that the job's processes used."""
        rows = self._store.job_mounts(self._one())
        return Table(rows, row_of(Mount), "mounts", shown=columns_of(Mount))

    @with_hints
    def files(self) -> Table[FileUse]:
        """List the files that the job's processes used, those with most time in calls first.

        The files that have no row of their own are summed in one row without a path. Processes that
        have not ended are left out.
        """
        rows = self._store.job_files(self._one())
        spent = functools.reduce(
            pc.add, (rows.column(name) for name in ("read_ns", "write_ns", "sync_ns", "meta_ns"))
        )
        order = pc.sort_indices(pa.table({"spent": spent}), [("spent", "descending")])
        return Table(rows.take(order), row_of(FileUse), "files", shown=columns_of(FileUse)[1:])

    @with_hints
    def gpus(self) -> Table[Gpu]:
        """List the GPUs that the job's processes used."""
        rows = self._store.gpus.named(self._one())
        return Table(rows, row_of(Gpu), "GPUs", shown=columns_of(Gpu))

    @with_hints
    def gpu_slices(self, metrics: Sequence[str] | None = None) -> Table[dict[str, Any]]:
        """Return the job's activity on each GPU: the rows of `jostle export gpu_slices`.

        Args:
            metrics: Ids of GPU metrics; None: all that are counted per GPU.

        Returns:
            A row for each process, GPU and slice.

        Raises:
            UsageError: There is no such metric, or it is not counted per GPU.
        """
        wanted = GPU_VALUES if metrics is None else _ids(metrics)
        check_per_gpu(wanted)
        rows = stamped_slices(self._store.gpus.slices(self._one(), wanted))
        shown = ["start", "host", "gpu", *rows.column_names[8:16]]
        return Table(rows, as_dict, "rows of slices", shown=shown, fine=True)

    @with_hints
    def slices(self, metrics: Sequence[str] | None = None) -> Table[dict[str, Any]]:
        """Return the slices of the job's processes: the rows of `jostle export JOB`.

        Args:
            metrics: Ids of metrics, or groups such as `bytes` (docs/reference/python.md); None:
                all.

        Returns:
            Rows of two kinds. Each process and slice has a row with the metrics of scope process;
            its column mount is null. Each process, mount and slice has a row with the metrics of
            scope mount.

        Raises:
            UsageError: There is no such metric.
        """
        job = self._one()
        wanted = None if metrics is None else _ids(metrics)
        parts = []
        for fetch, ids in (
            (self._store.job_slices, PROCESS_IDS),
            (self._store.job_mount_slices, MOUNT_IDS),
        ):
            own = None if wanted is None else [name for name in wanted if name in ids]
            if own != []:
                parts.append(fetch(job, own))
        rows = pa.concat_tables(parts, promote_options="default")
        if "mount" not in rows.column_names:
            rows = rows.append_column("mount", pa.nulls(len(rows), pa.string()))
        keys = ["process", "host", "mount", "slice", "slice_ns", "span"]
        rows = stamped_slices(
            rows.select(
                [*keys, *(name for name in rows.column_names if name not in (*keys, "job"))]
            )
        )
        shown = ["start", "host", "mount", *rows.column_names[8:16]]
        return Table(rows, as_dict, "rows of slices", shown=shown, fine=True)

    @with_hints
    def timeline(self, metric: str = views.DEFAULT) -> Table[Step]:
        """Return a metric slice by slice, summed over the processes, as `jostle timeline`.

        Args:
            metric: Id of a metric, or name of a view (a group of metrics) such as `bytes`.

        Raises:
            UsageError: There is no such metric.
        """
        job, view = self._one(), views.view(metric)
        span = JobSpan.of(job_row(self._store, job))
        fetch = functools.partial(self._store.series, job)
        return step_table(view, [(None, lines_of(view, span, fetch))])

    @with_hints
    def segments(self) -> Table[dict[str, Any]]:
        """Return the execution segments of the job's MPI worlds, merged over the ranks.

        The columns are those of merged segments in docs/reference/repository.md, and `world`: the
        number of the segment's world.
        """
        worlds = self._store.segments(self._one()).worlds
        parts = [
            world.segments.append_column(
                "world", pa.array([world.number] * world.segments.num_rows, pa.int64())
            )
            for world in worlds
        ]
        rows = (
            stamped(pa.concat_tables(parts, promote_options="default"))
            if parts
            else pa.table({"world": pa.array([], pa.int64())})
        )
        return Table(rows, as_dict, "segments")

    # The others

    @with_hints
    def background(self, metric: str = views.DEFAULT) -> Background:
        """Return the load of all other jobs on the job's resources, as `jostle background`.

        Args:
            metric: Id of a metric or a view, as for `timeline`.

        Raises:
            UsageError: There is no such metric.
        """
        view = views.view(metric)
        return as_given(Background, background_of(self._store, self._one(), view))

    @with_hints
    def neighbours(self) -> list[Neighbour]:
        """List the jobs that `jostle neighbours` lists, the one with the longest overlap first."""
        return neighbours(self._store.alongside(self._one(), cores=False))

    # What interference cost it

    @with_hints
    def verdict(self, *, method: Method = "jostle", seed: int = 0) -> Verdict:
        """Return the job's loss to interference, with causes and suspects, as `jostle estimate`.

        The first call takes from 0.1 s to some seconds; later calls return the stored verdict.

        Args:
            method: Method of the estimate: `jostle`, or `thesis` (docs/reference/command.md).
            seed: Seed of the random steps.

        Raises:
            JostleError: The job is too short, or has no data that can be evaluated.
        """
        job, how = self._one(), {"method": method, "bytes_rule": "exact", "seed": seed}
        key = (self._store.commits(), method, seed)
        if key not in self._verdicts:
            self._verdicts[key] = Verdict.of(evaluate_job(self._store, job, how))
        return self._verdicts[key]

    @with_hints
    def estimate(self, *, method: Method = "jostle", seed: int = 0) -> Estimate:
        """Return the estimate of the verdict: `verdict(...).estimate`."""
        return self.verdict(method=method, seed=seed).estimate

    @with_hints
    def interference(self, *, seed: int = 0) -> Interference:
        """Return which jobs slowed the job, on which resources and when, as `jostle interference`.

        Args:
            seed: Seed of the random steps.

        Raises:
            JostleError: The job is too short, or has no data that can be evaluated.
        """
        estimate, who = evaluate_company(self._store, self._one(), seed)
        return with_estimate(who, as_given(Estimate, estimate))

    @with_hints
    def advice(self, *, seed: int = 0) -> Recommendations:
        """Return what to change about the job, and what that saves and costs, as `jostle advise`.

        Args:
            seed: Seed of the random steps.

        Raises:
            JostleError: A file of the repository from the time of the job is damaged.
        """
        return advice_on(self._store, self._one(), seed=seed)

    @with_hints
    def loss(self) -> LossNumbers:
        """Return the loss of the job in a few numbers, as `jostle jobs --lost`.

        The method works for batch jobs, too. If the loss is not known, `why` gives the reason.
        """
        if "parts" in self._row:
            return loss_numbers(batch_loss(self._store, self._row))
        return loss_numbers(job_loss(self._store, self._row))

    def __repr__(self) -> str:
        return f"<Job {self.name}: {self.program}, {self._size()}>"

    def _size(self) -> str:
        number, nodes = self._row["processes"], self._row["hosts"]
        lasted = duration(self.seconds * 1e9) + (" so far" if self.running else "")
        return (
            f"{count(number)} process{'es' if number != 1 else ''} on {count(nodes)} "
            f"node{'s' if nodes != 1 else ''}, {lasted}"
        )

    def _repr_html_(self) -> str:
        row = self._row
        facts = {
            "of": self.user or "several users",
            "from": f"{self.start:%Y-%m-%d %H:%M:%S} UTC",
            "ranks": count(row["ranks"]) if row["ranks"] else "",
            "read": byte_count(row["read_bytes"]) if "read_bytes" in row else "",
            "written": byte_count(row["written_bytes"]) if "written_bytes" in row else "",
            "parts": ", ".join(part["job"] for part in row.get("parts", [])),
        }
        words = "; ".join(f"{key} {value}" for key, value in facts.items() if value)
        return html.box(html.head(self.name, f"{self.program}: {self._size()}"), html.text(words))


def stamped_slices(rows: pa.Table) -> pa.Table:
    """Return rows of slices without the job's name, with start and end as the first columns."""
    length, first = rows.column("slice_ns"), rows.column("slice")
    until = pc.multiply(pc.add(first, rows.column("span")), length)
    rows = rows.drop_columns([name for name in ("job",) if name in rows.column_names])
    rows = rows.add_column(0, "end", instants(until))
    return rows.add_column(0, "start", instants(pc.multiply(first, length)))


def _ids(names: Sequence[str]) -> list[str]:
    """Return the ids of the metrics that are named, or are in groups that are named, each once.

    Raises:
        UsageError: No metric and no group has such a name.
    """
    ids: list[str] = []
    for name in names:
        ids += (
            [name]
            if name in BY_ID
            else [metric for line in views.view(name).lines for metric in line.metrics]
        )
    return list(dict.fromkeys(ids))
