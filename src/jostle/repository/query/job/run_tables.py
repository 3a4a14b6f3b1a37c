"""Reads the rollup rows of a job, from which (and from its segments) its loss is estimated."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from jostle.names.identity import IDENTITY_SQL
from jostle.repository.query.engine import Engine, total
from jostle.repository.store.layout import STATS, TABLES
from jostle.repository.types import CORE_PROBE_RUNS, CoreReference
from jostle.schema.metrics import MOUNT_IDS

#: The metrics of scope process that an estimate uses: all 160 of a day on ten nodes would be a GB.
RUN_METRICS = (
    "os_user_ns",
    "os_system_ns",
    "os_runqueue_ns",
    "os_voluntary_switches",
    "os_involuntary_switches",
    "os_major_faults",
    "os_threads",
    "os_read_chars",
    "os_write_chars",
    "stream_read_ops",
    "stream_read_bytes",
    "stream_read_ns",
    "stream_write_ops",
    "stream_write_bytes",
    "stream_write_ns",
    "self_cost_ns",
    "self_heartbeat_ns",
    "state_p2p_ns",
    "state_collective_ns",
    "state_onesided_ns",
    "state_mpiio_ns",
    "state_mpi_ns",
    "state_io_ns",
    "wait_mpi_ns",
    "wait_short_ns",
    "wait_all_ns",
    "wait_offcpu_ns",
    "perf_instructions",
    "perf_cycles",
    "core_probe_ns",
    "core_probe_count",
    "core_probe_steal_ns",
    "os_cpus",
    "os_first_cpu",
    "os_awake",
    "os_cpu_limit",
    "os_throttled_ns",
)
#: Metrics of scope mount that it uses: all but errors, which take negligible time.
RUN_MOUNT_METRICS = tuple(name for name in MOUNT_IDS if not name.startswith("error_"))
#: Columns of merged segments that no estimate uses: half of their memory.
UNUSED_COLUMNS = (
    "wait_bins",
    "offcpu_bins",
    "bins_from_ns",
    "duration_min_ns",
    "duration_max_ns",
    "io_ns_min",
    "mpi_ns_max",
    "cpu_ns_min",
    "cpu_ns_max",
    "wait_ns_max",
    "offcpu_ns_min",
    "offcpu_ns_max",
    "signature_sum",
    "rule",
    "parts",
    "recurring",
)
_AROUND_NS = 30 * 86_400_000_000_000
_ENOUGH = 5  # least runs of the core-speed probe in a job
_LOW = 0.1  # quantile of means: the minimum would depend on chance
_METRICS = {"node_rollup": RUN_METRICS, "rollup": RUN_MOUNT_METRICS}


def own_slices(engine: Engine, job: str, table: str, window: tuple[int, int]) -> pa.Table:
    """Return the rows of one job in a rollup, in order of time.

    Args:
        engine: The query engine.
        job: The job.
        table: rollup (by mount) or node_rollup (by host).
        window: The time in which it ran, in ns.

    Returns:
        One row per slice and resource: the keys of the rollup except job, count, and sum, min and
        max of RUN_MOUNT_METRICS (rollup) or RUN_METRICS (node_rollup).
    """
    shape = TABLES[table]
    keys = [name for name in shape.keys if name not in ("job", "count")]
    values = []
    for name in (f"{metric}_{stat}" for metric in _METRICS[table] for stat in STATS):
        stat = name.rpartition("_")[2]
        value = total(name) if stat == "sum" else f"{stat}(coalesce({name}, 0))"
        values.append(f"{value} AS {name}")
    by = ", ".join(keys)
    named = [*shape.keys, *(f"{metric}_{stat}" for metric in _METRICS[table] for stat in STATS)]
    return engine.ask(
        lambda: (
            f"SELECT {by}, {total('count')} AS count, {', '.join(values)} "
            f"FROM {engine.stored(table, *window, columns=named)} WHERE job = ? GROUP BY {by} "
            f"ORDER BY slice * slice_ns, {keys[0]}"
        ),
        [job],
    )


def core_references(
    engine: Engine, job: str, slices: pa.Table, window: tuple[int, int]
) -> dict[str, CoreReference]:
    """Return how long the core-speed probe's loop takes on an undisturbed core of each node.

    The times come from all jobs on these nodes from _AROUND_NS before the job to _AROUND_NS after
    it, since cores of one node are alike, and the loop is the same for all programs. In addition,
    the result has the time only from jobs with the same program and number of ranks (own_ns):
    their ranks may always disturb each other, if they share cores.

    Args:
        engine: The query engine.
        job: The job.
        slices: The job's slices by host, from own_slices.
        window: The time in which the job ran, in ns.

    Returns:
        The times by node; none, and no query runs, if the job has no runs of the probe.
    """
    core_probe_runs = pc.sum(slices["core_probe_count_sum"]).as_py() or 0
    if not core_probe_runs:
        return {}
    hosts = sorted(set(slices["host"].to_pylist()))
    around = (window[0] - _AROUND_NS, window[1] + _AROUND_NS)
    rows = engine.ask(
        lambda: (
            f"WITH ranks AS (SELECT DISTINCT job, {IDENTITY_SQL} AS program, world_size "
            f"FROM {engine.stored('processes')} WHERE world_size > 0), "
            "alike AS (SELECT DISTINCT job FROM ranks JOIN "
            "(SELECT program, world_size FROM ranks WHERE job = $2) USING (program, world_size)), "
            "sampled AS (SELECT host, job, core_probe_ns_sum AS ns, core_probe_count_sum AS n, "
            "sum(core_probe_count_sum) OVER (PARTITION BY host, job ORDER BY slice * slice_ns) - n "
            "AS before, sum(core_probe_count_sum) OVER (PARTITION BY host, job) AS whole "
            f"FROM {engine.stored('node_rollup', *around)} "
            "WHERE list_contains($1, host) AND core_probe_count_sum > 0 "
            "AND core_probe_ns_sum > 0), "
            "means AS (SELECT host, job, sum(ns) / sum(n) AS mean FROM sampled "
            f"WHERE whole >= {_ENOUGH} GROUP BY host, job, before // {CORE_PROBE_RUNS} "
            f"HAVING sum(n) >= least({CORE_PROBE_RUNS // 2}, max(whole))) "
            f"SELECT host, quantile_cont(mean, {_LOW}) AS ns, "
            "count(DISTINCT job) FILTER (job <> $2) AS jobs, "
            f"quantile_cont(mean, {_LOW}) FILTER (job IN (FROM alike)) AS own_ns, "
            "count(DISTINCT job) FILTER (job <> $2 AND job IN (FROM alike)) AS own_jobs "
            "FROM means GROUP BY host ORDER BY host"
        ),
        [hosts, job],
    ).to_pylist()
    return {
        row["host"]: CoreReference(
            float(row["ns"]), int(row["jobs"]), float(row["own_ns"] or 0), int(row["own_jobs"])
        )
        for row in rows
    }
