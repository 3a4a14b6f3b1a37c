"""Class `Site`: the repository of all jobs of a site, for scripts and notebooks."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from jostle.analysis.site_advice import (
    LUSTRE,
    Replay,
    SiteAdvice,
    SiteEvidence,
    policy_of,
    recommend_site,
    replay,
)
from jostle.api import html, machines
from jostle.api.errors import JostleWarning, with_hints
from jostle.api.job import Job
from jostle.api.machines import Component, Machine
from jostle.api.rows import as_dict
from jostle.api.table import Table, stamped
from jostle.errors import UsageError
from jostle.files.default_repository import default_repository
from jostle.names.users import owner_name, user_of
from jostle.report.format.moments import datetime_ns, since_ns
from jostle.report.format.scheduler_policy import read_policy
from jostle.report.format.values import count
from jostle.report.models.batch_jobs import batch_row, with_batch_jobs
from jostle.report.models.job.scheduler import with_facts
from jostle.report.models.jobs import is_chosen, job_rows
from jostle.report.verdict.prediction import capacity_of, prediction_of
from jostle.report.verdict.site_advice import DAYS, evaluated_costs, site_evidence
from jostle.repository import Repository

if TYPE_CHECKING:
    from jostle.analysis.kinds import Capacity, Prediction

_JOBS = pa.schema(
    [
        ("job", pa.string()),
        ("program", pa.string()),
        ("user", pa.string()),
        ("start_ns", pa.int64()),
        ("seconds", pa.float64()),
        ("running", pa.bool_()),
        ("processes", pa.int64()),
        ("ranks", pa.int64()),
        ("hosts", pa.int64()),
        ("read_bytes", pa.int64()),
        ("written_bytes", pa.int64()),
        ("end_ns", pa.int64()),
        ("uid", pa.int64()),
        ("short_processes", pa.int64()),
        ("slice_ns", pa.int64()),
        ("mpi_library", pa.string()),
        ("parts", pa.list_(pa.string())),
        ("batch_name", pa.string()),
        ("partition", pa.string()),
        ("account", pa.string()),
        ("state", pa.string()),
    ]
)
_SHOWN_JOBS = 11


class Site:
    """A repository that is open for reading; `jostle.open` returns it.

    Several threads may use one object, also while other processes ingest profiles; each call reads
    the newest state of the repository.
    """

    def __init__(self, path: Path) -> None:
        """Open a repository.

        Args:
            path: Folder of the repository.

        Raises:
            RepositoryError: There is no repository, or it is damaged.
        """
        self._store = Repository(path)
        for sentence in self._store.damage():
            _warn(f"{sentence} Its rows are missing in this result.")
        self._store.on_damage(lambda damaged: _warn(damaged.missing()))

    @property
    def path(self) -> Path:
        """Folder of the repository; in an object store: folder of its local copies."""
        return self._store.path

    @with_hints
    def jobs(
        self,
        *,
        user: str | int | None = None,
        program: str | None = None,
        since: datetime | timedelta | str | None = None,
    ) -> Table[Job]:
        """List the jobs, the newest last, as `jostle jobs`.

        Args:
            user: User (name or uid) whose jobs are listed.
            program: Program that listed jobs run, in any part; `*` and `?` are allowed.
            since: Time after which listed jobs ran: a time (without a zone: UTC), an age before
                now, or the text of one: `2d`, `12h`, `2026-03-01T14:30Z`.

        Returns:
            A row per job; the script and the steps of a batch job are one row.

        Raises:
            UsageError: There is no such user, or `since` is not a time.
        """
        uid = None if user is None else user_of(str(user))
        begin = None if since is None else _begin_ns(since)
        rows = with_batch_jobs(self._store, job_rows(self._store))
        rows = [row for row in rows if is_chosen(row, uid, program, begin)]
        chosen = {row["job"]: row for row in with_facts(self._store, rows)}
        content = pa.Table.from_pylist([_flat(row) for row in chosen.values()], schema=_JOBS)
        content = stamped(content)
        return Table(
            content,
            lambda values: Job(self._store, chosen[values["job"]]),
            "jobs",
            shown=content.column_names[:_SHOWN_JOBS],
        )

    @with_hints
    def job(self, name: str = "last") -> Job:
        """Find a job.

        Args:
            name: Name of the job, a prefix of it that no other job has, the number of a batch job,
                a step such as `12.0`, or `last` for the newest.

        Raises:
            JobError: There is no such job, or several jobs have this prefix.
        """
        names = self._store.resolve_parts(name)
        if len(names) > 1:
            row = batch_row(self._store, names)
        else:
            (row,) = job_rows(self._store, names)
        return Job(self._store, with_facts(self._store, [row])[0])

    @with_hints
    def predict(self, *loads: str, mount: str | None = None) -> Prediction:
        """Predict by how much loads will slow each other, as `jostle predict`.

        Args:
            *loads: At least two jobs, programs, or kinds of loads such as
                `aggregate-write:1MiB:x4`.
            mount: Mount that all loads use; None: the mount that most of the loads used.

        Raises:
            UsageError: There are too few loads, or no such kind or mount.
            JobError: There is no such job or program, or no load was recorded of it.
        """
        return prediction_of(self._store, loads, mount=mount)

    @with_hints
    def capacity(self, load: str, *, mount: str | None = None) -> Capacity:
        """Predict how many jobs may run at once before each loses more than 10 % of its run time.

        Args:
            load: A job, a program or a kind of load, as for `predict`.
            mount: Mount of the prediction, as for `predict`.

        Raises:
            UsageError: There is no such kind or mount.
            JobError: There is no such job or program, or no load was recorded of it.
        """
        return capacity_of(self._store, load, mount=mount)

    @with_hints
    def batch_jobs(self) -> Table[dict[str, Any]]:
        """List the facts that the batch system gave on each batch job, by submission time."""
        rows = self._store.query("SELECT * FROM batch_jobs ORDER BY submit_ns, job")
        shown = [
            "job",
            "name",
            "user",
            "account",
            "partition",
            "submit",
            "start",
            "end",
            "cores",
            "state",
            "exit",
        ]
        return Table(stamped(rows), as_dict, "batch jobs", shown=shown)

    @with_hints
    def advice(
        self, days: int = DAYS, *, seed: int = 0, rate_limits: Collection[str] = (LUSTRE,)
    ) -> SiteAdvice:
        """Return what to change about the site, as `jostle advise --site`.

        Every job of the period is evaluated, which takes from 0.1 s to some seconds per job.

        Args:
            days: Length of the period in days; it ends with the newest job.
            seed: Seed of the random steps.
            rate_limits: Types of file systems on which the rate of a program can be limited.
        """
        evidence = self._evidence(days, seed)
        return recommend_site(replace(evidence, rate_limits=tuple(rate_limits)))

    @with_hints
    def replay(
        self,
        policy: SiteAdvice | str | os.PathLike[str] | None = None,
        days: int = DAYS,
        *,
        cores: int | None = None,
        seed: int = 0,
    ) -> Replay:
        """Simulate the jobs of a period with and without a policy, as `jostle replay`.

        Args:
            policy: Advice to follow, or the path of a file written by `jostle advise --site
                --format slurm`; None: the present advice.
            days: Length of the period in days; it ends with the newest job.
            cores: Number of cores of the site; None: the cores of the nodes with an agent.
            seed: Seed of the random steps.

        Raises:
            UsageError: A line of the policy cannot be parsed.
            OSError: The policy cannot be read.
        """
        evidence = self._evidence(days, seed)
        if policy is None or isinstance(policy, SiteAdvice):
            rules = policy_of(policy or recommend_site(evidence))
        else:
            rules = read_policy(Path(policy).read_text(), str(policy))
        return replay(evidence, rules, cores=cores, seed=seed)

    def _evidence(self, days: int, seed: int) -> SiteEvidence:
        return site_evidence(
            self._store, days, lambda name: evaluated_costs(self._store, name, seed=seed)
        )

    @with_hints
    def machines(self) -> Table[Machine]:
        """List the nodes and servers on which an agent ran: one row per profile of a machine."""
        return machines.machines(self._store)

    @with_hints
    def components(self, *, host: str | None = None, kind: str | None = None) -> Table[Component]:
        """List the disks, mounts, links and other parts of machines that have counters.

        Args:
            host: Machine whose components are listed; None: all.
            kind: Kind of the components; None: all.
        """
        return machines.components(self._store, host, kind)

    @with_hints
    def component_slices(
        self,
        *,
        host: str | None = None,
        kind: str | None = None,
        metrics: Sequence[str] | None = None,
        since: datetime | timedelta | str | None = None,
        until: datetime | timedelta | str | None = None,
    ) -> Table[dict[str, Any]]:
        """Return the activity of components, slice by slice.

        Args:
            host: Machine of the components; None: all.
            kind: Kind of the components; None: all.
            metrics: Ids of metrics of scope component; None: all.
            since: Time after which the slices ended, as for `jobs`.
            until: Time before which the slices began.

        Returns:
            A row for each component and slice in which it was active. A value is null where the
            agent could not read it.

        Raises:
            UsageError: There is no such metric, or a time is not valid.
        """
        begin, end = (None if given is None else _begin_ns(given) for given in (since, until))
        return machines.component_slices(self._store, host, kind, metrics, (begin, end))

    @with_hints
    def sql(self, query: str, params: Sequence[Any] = ()) -> Table[dict[str, Any]]:
        """Query the tables of the repository in SQL (docs/reference/repository.md).

        Args:
            query: A single SELECT, in DuckDB's dialect, with `?` or `$1` for parameters.
            params: Values of the parameters.

        Raises:
            UsageError: The query is not a SELECT.
            JobError: The query failed.
        """
        _check_reads(query)
        return Table(self._store.query(query, params), as_dict, "rows", plain=True)

    def close(self) -> None:
        """Release the memory of the queries; the next query allocates it again."""
        self._store.close()

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Site {self._store.name}>"

    def _repr_html_(self) -> str:
        (row,) = self._store.query(
            "SELECT count(*) AS jobs, count(DISTINCT program) AS programs, "
            "count(DISTINCT uid) AS users FROM jobs"
        ).to_pylist()
        words = (
            f"{count(row['jobs'])} jobs of {count(row['users'])} users, "
            f"{count(row['programs'])} programs"
        )
        return html.box(html.head(self._store.name), html.text(words))


@with_hints
def open(path: str | os.PathLike[str] | None = None) -> Site:  # noqa: A001
    """Open the repository of a site for reading.

    Args:
        path: Folder of the repository; None: JOSTLE_REPOSITORY, else $XDG_DATA_HOME/jostle, as for
            the command line.

    Raises:
        RepositoryError: There is no repository, it is not readable for you, or it is damaged.
    """
    return Site(default_repository() if path is None else Path(path))


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the list of jobs with the columns of the API's table."""
    facts = row["scheduler"] or {}
    return row | {
        "user": None if row["uid"] is None else owner_name(row["uid"]),
        "seconds": (row["end_ns"] - row["start_ns"]) / 1e9,
        "parts": [part["job"] for part in row.get("parts", [])],
        "batch_name": facts.get("name"),
        **{name: facts.get(name) for name in ("partition", "account", "state")},
    }


def _begin_ns(since: datetime | timedelta | str) -> int:
    if isinstance(since, str):
        return since_ns(since)
    return datetime_ns(datetime.now(UTC) - since if isinstance(since, timedelta) else since)


def _check_reads(query: str) -> None:
    """Refuse all queries but a single SELECT: others can write files and change settings.

    Raises:
        UsageError: The query is not a single SELECT.
    """
    try:
        kinds = [statement.type for statement in duckdb.extract_statements(query)]
    except duckdb.Error as error:
        raise UsageError(
            f"The text is not valid SQL: {error}", hint="Write a SELECT in DuckDB's dialect."
        ) from error
    if kinds != [duckdb.StatementType.SELECT]:
        raise UsageError(
            "The query is not a single SELECT; this interface only reads.",
            hint="To write a file, use site.sql(...).arrow(), or `jostle export`.",
        )


def _warn(sentence: str) -> None:
    warnings.warn(sentence, JostleWarning, stacklevel=4)
