"""All queries that `Repository` offers, with the tables that each of them returns."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa

from jostle.reader import FILE_VALUES
from jostle.repository.job_names import find_job, find_jobs
from jostle.repository.query.aggregates import Loads
from jostle.repository.query.engine import ALWAYS, Engine, total
from jostle.repository.query.export import ExportSelection, export
from jostle.repository.query.job.job_sums import job_sums
from jostle.repository.query.job.messages import Messages
from jostle.repository.query.job.process_ends import process_ends
from jostle.repository.query.job.process_rows import job_processes
from jostle.repository.query.job.rank_pairs import RankPairs, rank_pairs
from jostle.repository.query.job.rank_slices import RankTables, rank_peers, rank_tables
from jostle.repository.query.job.run_tables import UNUSED_COLUMNS, core_references, own_slices
from jostle.repository.query.live import LiveRows, live_rows
from jostle.repository.query.resources.co_running import CoRunning, alongside, has_company
from jostle.repository.query.resources.core_states import core_states, newest_machine_slices
from jostle.repository.query.resources.gpus import Gpus
from jostle.repository.query.resources.load_tables import LoadTables, load_tables
from jostle.repository.query.resources.machine_loads import (
    MachineLoads,
    StorageServers,
    machine_loads,
    served,
    servers_of,
    storage_servers,
)
from jostle.repository.query.resources.on_fabrics import on_fabrics
from jostle.repository.query.resources.programs import Programs, programs_alongside
from jostle.repository.query.resources.traffic import port_counters, traffic
from jostle.repository.query.resources.watched import watched_processes
from jostle.repository.query.series import background, neighbours, series
from jostle.repository.segments.merger import Merger
from jostle.repository.segments.worlds import find_worlds, worlds_table
from jostle.repository.store import log as _log
from jostle.repository.store.fabrics import fabrics_of_repository
from jostle.repository.store.layout import TABLES
from jostle.repository.store.owner_names import may_come_back
from jostle.repository.store.snapshot import SnapshotLog
from jostle.repository.types import ACCESS_METRICS, ExportReport, JobSegments, JobTables, RunTables
from jostle.topology import Topology
from jostle.values.traffic import Traffic


class Questions:
    """All queries of the files of one repository that a log or a snapshot lists."""

    def __init__(self, path: Path, log: _log.Log | SnapshotLog) -> None:
        """Query the files of a log.

        Args:
            path: Folder of the repository.
            log: Commit log of the repository, or the files of a snapshot.
        """
        self.path = path
        self._ask(log)

    def _ask(self, log: _log.Log | SnapshotLog) -> None:
        self._log, self._engine = log, Engine(self.path, log)
        self._merger = Merger(self._engine)
        self.loads = Loads(self._engine)  #: Loads of many jobs; the repository's newest slices.
        self.divided = self._engine.divided  #: Queries that are divided by days.
        self.messages = Messages(self._engine)  #: Facts of jobs, and their ranks' MPI traffic.
        self.gpus = Gpus(self._engine)  #: GPUs that jobs used, and their loads on them.

    def query(self, sql: str, params: Sequence[Any] = ()) -> pa.Table:
        """Run an SQL query (DuckDB) on the tables of docs/reference/repository.md.

        Args:
            sql: The query, with `?` or `$1` for parameters.
            params: Values of the parameters.
        """
        return self._engine.query(sql, params)

    def commits(self) -> int:
        """Return the number of the newest commit; if it has changed, so may query results."""
        return self._engine.refresh()

    def jobs(self, names: Sequence[str] | None = None) -> pa.Table:
        """List the jobs, or some of them, the newest first."""
        return self.query(
            "SELECT * FROM jobs WHERE $1 IS NULL OR list_contains($1, job) "
            "ORDER BY start_ns DESC, job",
            [None if names is None else list(names)],
        )

    def program(self, job: str) -> str:
        """Return a job's program (see `jostle.names.identity`); "?" if there is no such job."""
        found = self.jobs([job])["program"].to_pylist()
        return str(found[0]) if found else "?"

    def resolve_job(self, name: str, *, owner: int | None = None) -> str:
        """Find a job by its name, a prefix of it that no other job has, or "last".

        Args:
            name: Text from the user.
            owner: User (uid) whose jobs alone are searched, as if there were no others.

        Raises:
            JobError: There is no such job, or several, or it is a batch job of several parts.
        """
        return find_job(name, self._names(owner), self.path, owner)

    def resolve_parts(self, name: str, *, owner: int | None = None) -> list[str]:
        """Find a job as `resolve_job` does, or all parts of a batch job by its number.

        Returns:
            One job; or the parts of a batch job, the newest first (see jostle.names.batch_jobs).

        Raises:
            JobError: There is no such job, or several.
        """
        return find_jobs(name, self._names(owner), self.path, owner)

    def _names(self, owner: int | None) -> list[str]:
        """Return the names of all jobs, or of one user's, the newest first."""
        rows = self.query(
            "SELECT job FROM jobs WHERE $1 IS NULL OR uid = $1 ORDER BY start_ns DESC, job", [owner]
        )
        return [str(job) for job in rows["job"].to_pylist()]

    def newest(self, job: str) -> str:
        """Return the newest job in the repository that has a given name in its profiles.

        Launchers use a name like "mpi-1a2b3c4d" again; the newest job may be "mpi-1a2b3c4d@2". For
        other names, a job of the repository's owner ("lammps") precedes other users' ("lammps@u2").
        """
        newest_jobs = self.query(
            "SELECT job FROM jobs WHERE job = $1 OR starts_with(job, $1 || '@') "
            "ORDER BY NOT ($2 OR job = $1), start_ns DESC",
            [job, may_come_back(job)],
        )["job"].to_pylist()
        return str(newest_jobs[0]) if newest_jobs else job

    def job_tables(self, job: str) -> JobTables:
        """Return all tables of one job, the input of `jostle.analysis.digest`."""
        return JobTables(
            job,
            self.job_processes(job),
            self.job_mounts(job),
            job_sums(self._engine, "slices", ["process"], job),
            job_sums(self._engine, "mount_slices", ["process", "mount"], job),
            self._segments_or_none(job),
            self.job_accesses(job),
            self.job_files(job),
            **self.gpus.tables(job),
        )

    def job_files(self, job: str) -> pa.Table:
        """Return the use of each file by ended processes (JobTables.files)."""
        sums = ", ".join(f"{total(name)} AS {name}" for name in FILE_VALUES)
        return self._engine.ask(
            lambda: (
                f"SELECT mount, max(path) AS path, hash, "
                f"coalesce(max(format), '') AS format, {sums}, "
                f"CASE WHEN hash = 0 THEN {total('files')} ELSE 1 END AS files, "
                "greatest(count(DISTINCT process), max(coalesce(shared_by, 0)))::BIGINT "
                "AS processes, any_value(targets) FILTER (len(targets) > 0) AS targets "
                f"FROM {self._engine.stored('files')} WHERE job = ? "
                "GROUP BY mount, hash ORDER BY mount, hash"
            ),
            [job],
        )

    def job_accesses(self, job: str) -> pa.Table:
        """Return the writes and reads of a job, per mount and slice (see JobTables.accesses)."""
        lo, hi = self._engine.window(job)
        sums = ", ".join(f"{total(f'{name}_sum')} AS {name}" for name in ACCESS_METRICS)
        named = ["job", "mount", "slice", "slice_ns", "count"]
        named += [f"{name}_sum" for name in ACCESS_METRICS]
        return self._engine.ask(
            lambda: (
                f"SELECT mount, slice, slice_ns, {total('count')} AS count, {sums} "
                f"FROM {self._engine.stored('rollup', lo, hi, columns=named)} WHERE job = ? "
                "GROUP BY mount, slice, slice_ns ORDER BY mount, slice * slice_ns"
            ),
            [job],
        )

    def run_tables(self, job: str) -> RunTables:
        """Return the tables of one run, the input of `jostle.analysis.estimate`."""
        window = self._engine.window(job)
        with ThreadPoolExecutor(1) as side:  # a file is read while DuckDB runs a query
            segments = side.submit(self._merger.job, job, without=UNUSED_COLUMNS)
            slices = own_slices(self._engine, job, "node_rollup", window)
            mount_slices = own_slices(self._engine, job, "rollup", window)
            references = core_references(self._engine, job, slices, window)
            processes = self.job_processes(job)
            worlds = segments.result().worlds
            return RunTables(
                job,
                processes,
                self.job_mounts(job),
                worlds,
                slices,
                mount_slices,
                references,
                {} if worlds else self._others_cpu_s(job),
                core_states(self._engine, processes, window),
            )

    def newest_machine_slices(self, since_ns: int) -> dict[str, int]:
        """Return, by host, the end (ns) of each machine's newest slice after an instant."""
        return newest_machine_slices(self._engine, since_ns)

    def _others_cpu_s(self, job: str) -> dict[str, float]:
        """Return the CPU time of other jobs on each node of a job while it ran, in seconds."""
        spent: dict[str, float] = {}
        for metric in ("os_user_ns", "os_system_ns"):
            for row in background(self._engine, job, metric).to_pylist():
                spent[row["resource"]] = spent.get(row["resource"], 0.0) + row["sum"] / 1e9
        return spent

    def job_processes(self, job: str) -> pa.Table:
        """Return the processes of a job, the earliest first, with the progress of running ones.

        The row of a process is written when the process first appears and when it has ended. How
        far a running process is, is known from the newest slices of its job on its node.
        """
        return job_processes(self._engine, job)

    def job_mounts(self, job: str) -> pa.Table:
        """Return the mounts that the processes of a job used."""
        return self.query("SELECT * FROM mounts WHERE job = ? ORDER BY mount, host, path", [job])

    def job_slices(self, job: str, metrics: Sequence[str] | None = None) -> pa.Table:
        """Return the slices of a job's processes, with all metrics of their scope or some."""
        return self._job_rows("slices", job, metrics)

    def job_mount_slices(self, job: str, metrics: Sequence[str] | None = None) -> pa.Table:
        """Return the slices of a job's processes per mount, with all metrics or some."""
        return self._job_rows("mount_slices", job, metrics)

    def _job_rows(self, table: str, job: str, metrics: Sequence[str] | None) -> pa.Table:
        lo, hi = self._engine.window(job)
        columns = "*" if metrics is None else ", ".join([*TABLES[table].keys, *metrics])
        return self._engine.ask(
            lambda: (
                f"SELECT {columns} FROM ({self._engine.source(table, lo, hi)}) WHERE job = ? "
                "ORDER BY slice * slice_ns, process"
            ),
            [job],
        )

    # MPI and execution segments

    def worlds(self, job: str) -> pa.Table:
        """Return the MPI worlds of a job, in order of their start.

        Returns:
            One row per rank that has a profile: number (of the world in the job), world (id of its
            mpirun, "" unknown), world_size, spawned, world_rank, process, host.
        """
        processes = self.job_processes(job)
        return worlds_table(find_worlds(processes), processes)

    def rank_tables(self, job: str) -> RankTables:
        """Return the slices of each rank of a job, the input of `jostle.analysis.waits_of`."""
        processes = self.job_processes(job)
        worlds = worlds_table(find_worlds(processes), processes)
        return rank_tables(self._engine, job, processes, worlds)

    def rank_peers(self, job: str) -> pa.Table:
        """Return the bytes that ranks of a job exchanged: process, peer (a rank), bytes."""
        return rank_peers(self._engine, job)

    def segments(self, job: str) -> JobSegments:
        """Return the execution segments of a job, merged over the ranks of each of its worlds.

        The result for an ended job is kept in memory. If the merge took long, it is also stored in
        the repository, for other processes.
        """
        return self._merger.job(job)

    def _segments_or_none(self, job: str) -> JobSegments | None:
        job_segments = self.segments(job)
        return job_segments if any(world.rank_segments for world in job_segments.worlds) else None

    def process_segments(self, job: str) -> pa.Table:
        """Return the execution segments of each process of a job, by process and number."""
        return self._merger.rows(job)

    def tokens(self, job: str) -> pa.Table:
        """Return the calls that ended segments: hash, function, bytes, site, module."""
        return self.query("SELECT * FROM tokens WHERE job = ? ORDER BY hash, site, module", [job])

    def series(self, job: str, metric: str) -> pa.Table:
        """Return one metric of one job per slice and resource, over its processes.

        Args:
            job: Name of the job.
            metric: Id of a counter, timer or gauge of any scope.

        Returns:
            Columns resource (a mount for metrics of scope mount, else a node), slice, slice_ns,
            sum, min, max, count (processes with a record there), start_ns and length_ns (the
            part of the slice in which the job ran).

        Raises:
            JobError: There is no such metric.
        """
        return series(self._engine, job, metric)

    def background(self, job: str, metric: str, *, count_jobs: bool = False) -> pa.Table:
        """Sum a metric over all other jobs on the resources of a job, while it ran.

        Args:
            job: The job whose neighbours are summed.
            metric: Id of a counter, timer or gauge; mount metrics are summed on the mounts that the
                job used, others on its nodes.
            count_jobs: Whether to add a column jobs: the number of other jobs with a record in the
                row's slice and resource. This takes twice as long.

        Returns:
            The columns of `series`. If any of these jobs began or ended within a slice, the slice
            has several rows: one for each part between two such times, with the sum in that part.

        Raises:
            JobError: There is no such metric.
        """
        return background(self._engine, job, metric, count_jobs=count_jobs)

    def neighbours(self, job: str, metric: str) -> pa.Table:
        """Return the other jobs on a job's resources, the one with the largest sum first.

        These are the jobs whose metric is added up by `background`.

        Args:
            job: The job whose neighbours are listed.
            metric: Id of the metric, as for `background`.

        Returns:
            Columns job, resource, sum and slices (number of slices in which that job was active).
        """
        return neighbours(self._engine, job, metric)

    def has_company(self, job: str) -> bool:
        """Return whether other jobs may have run alongside a job; only False is certain."""
        return has_company(self._engine, job)

    def alongside(self, job: str, *, cores: bool = True) -> CoRunning:
        """Return a job's slices on shared resources, and the loads of other jobs there.

        This is the input of `jostle.analysis.identify`.

        Args:
            job: The job.
            cores: Whether to include the processes on the cores of its nodes (CoRunning.core_use).
        """
        found = alongside(self._engine, job, cores=cores)
        return on_fabrics(self._engine, found, self.topologies())

    def live_rows(self, span: tuple[int, int]) -> LiveRows:
        """Return the loads of all jobs in the slices that begin in a span of time (ns)."""
        return live_rows(self._engine, span)

    def machine_loads(self, mounts: Sequence[str], span: tuple[int, int]) -> MachineLoads:
        """Return what agents counted about mounts and their servers in a span of time (ns)."""
        return machine_loads(self._engine, mounts, span)

    def watched_processes(self, hosts: Sequence[str], span: tuple[int, int]) -> pa.Table:
        """Return the loads of processes without a profile on hosts in a span of time (ns)."""
        return watched_processes(self._engine, hosts, span)

    def servers_of(self, mounts: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the hosts of the servers behind mounts, if they have an agent."""
        return servers_of(self._engine, mounts)

    def storage_servers(self) -> dict[str, StorageServers]:
        """Return the servers of all mounts that have separate servers for data and metadata."""
        return storage_servers(self._engine)

    def served(self, mounts: Sequence[str], span: tuple[int, int]) -> pa.Table:
        """Return the traffic of mounts' servers in a span (ns), as MachineLoads.servers."""
        return served(self._engine, mounts, span)

    def topologies(self) -> list[Topology]:
        """Return all versions of all fabrics that were imported, by name and date."""
        return fabrics_of_repository(self.path)

    def traffic(self, span: tuple[int, int], jobs: Sequence[str] | None = None) -> Traffic:
        """Return the traffic between hosts: MPI messages, collectives, and files to servers.

        Bytes of MPI are counted only at the sender, so that no byte counts twice. One-sided calls
        are counted at the origin: a put as traffic to the target, a get as traffic from it.

        Args:
            span: Time that the slices overlap, ns since the epoch.
            jobs: Names of the jobs; None: all.
        """
        return traffic(self._engine, span, jobs)

    def port_counters(self, span: tuple[int, int]) -> pa.Table:
        """Return the counters of ports and interfaces in a span of time (ns).

        Columns host, name, slice, slice_ns, span, sent and received (bytes), wait_ticks.
        """
        return port_counters(self._engine, span)

    def rank_pairs(self, job: str) -> RankPairs:
        """Return the traffic between the ranks of a job over the whole run."""
        return rank_pairs(self._engine, job)

    def process_ends(self, job: str) -> tuple[pa.Table, pa.Table]:
        """Return when each process moved its first and last bytes on mounts, and the traffic."""
        return process_ends(self._engine, job)

    def programs_alongside(self, span: tuple[int, int] = ALWAYS) -> Programs:
        """Return the loads of all jobs on the resources that they share (analysis.matrix)."""
        return programs_alongside(self._engine, span)

    def load_tables(self, jobs: Sequence[str]) -> LoadTables:
        """Return the loads of some jobs on shared mounts (analysis.kinds)."""
        return load_tables(self._engine, jobs)

    # Export

    def export(
        self,
        what: str,
        form: str,
        out: Path,
        *,
        job: str | None = None,
        span: tuple[int, int] | None = None,
        metrics: Sequence[str] | None = None,
    ) -> ExportReport:
        """Write a table, or the slices of a job, to a file in a common format.

        Args:
            what: Name of a table, `jobs`, or a job (its rows of slices, then of mount_slices).
            form: Format: parquet, csv or json.
            out: Path of the file, which is replaced if it exists.
            job: Name of the job whose rows are exported (for tables only).
            span: Time that exported slices and segments overlap, ns since the epoch.
            metrics: Ids of the metrics to export in addition to the keys.

        Raises:
            JobError: There is no such table, job, format or part of the table.
            RepositoryError: The file cannot be written.
        """
        part = ExportSelection(job, span, None if metrics is None else tuple(metrics))
        return export(self._engine, what, form, Path(out), part, self.resolve_job)
