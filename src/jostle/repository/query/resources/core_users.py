"""Reads who used the cores of a job's nodes per slice: profiled jobs, and all other programs.

Profiles have the CPU time of each process, its waiting for a core, and the cores on which it may
run. Programs without a profile are watched from outside, by `jostle run` or the node's agent: these
record the programs' CPU time, and sample the cores of the largest processes. An agent also records
the CPU time of the whole machine.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.query.engine import Engine, total
from jostle.repository.query.lifetimes import clip
from jostle.repository.query.resources.watched import seen_on_cores, watched_processes
from jostle.values.arrow_columns import ints

#: Kinds of components, in addition to processes, whose CPU time is that of programs. Watched
#: processes are more exact, so these kinds are used only if no process was watched and no profile
#: has their job.
USER_KINDS = ("batch_job",)
_MOST_HOSTS = 32  # most nodes of one job that are read: those on which others computed most
_AMOUNTS = ("cpu_ns", "queue_ns", "awake", "throttled_ns")
_SPAN = "(slice + span) * slice_ns > $2 AND slice * slice_ns < $3"


def _table(texts: Sequence[str], values: Sequence[str]) -> pa.Table:
    kinds = dict.fromkeys(texts, pa.string()) | dict.fromkeys(values, pa.int64())
    return pa.table({name: pa.array([], kind) for name, kind in kinds.items()})


_TIME = ("start_ns", "length_ns")
NO_USERS = _table(("job", "kind", "host", "cpus"), ("uid", *_TIME, *_AMOUNTS))
NO_TOTALS = _table(("host",), (*_TIME, "busy_ns", "steal_ns", "cores"))


@dataclass(frozen=True)
class CoreUse:
    """The users of the cores of some nodes.

    Attributes:
        users: One row per job or program, node, set of cores and slice. The columns:
            job (name of the job or program; the job in question is included),
            kind ("job"; "unprofiled": a program without a profile),
            host,
            cpus (the cores on which it was seen, or may run, such as "0-3,8"; "": not known, so it
            may be any core),
            uid (owner of an unprofiled program; -1: not known),
            start_ns and length_ns (of the slice),
            cpu_ns (CPU time), queue_ns (time of waiting for a core),
            awake (threads that ran or waited),
            throttled_ns (time in which a CPU limit stopped it).
        totals: One row per node and slice in which an agent counted: host, start_ns, length_ns,
            busy_ns (CPU time of all programs), steal_ns (steal time) and cores (their number).
    """

    users: pa.Table = field(default_factory=lambda: NO_USERS)
    totals: pa.Table = field(default_factory=lambda: NO_TOTALS)


def core_use(
    engine: Engine, job: str, nodes: Sequence[str], loads: pa.Table, window: Sequence[int]
) -> CoreUse:
    """Return the users of the cores of a job's nodes while it ran.

    Args:
        engine: The repository.
        job: The job.
        nodes: Nodes of the job.
        loads: CPU time of other jobs on these nodes, as CoRunning.node_loads.
        window: Start and end, ns since the epoch.
    """
    watched = bool(engine.newest("component_slices", *window))
    hosts = _hosts(nodes, loads, watched=watched)
    if not hosts:
        return CoreUse()
    users = _lived(_jobs(engine, hosts, window), engine).select(NO_USERS.column_names)
    if not watched:
        return CoreUse(users)
    processes = _processes(watched_processes(engine, hosts, window))
    if len(users["cpus"].unique()) > 1:
        users = _by_seen_cores(users, seen_on_cores(engine, hosts, window), job)
    groups, totals = _components(engine, hosts, window)
    seen = pa.array(sorted(set(processes["host"].to_pylist())), pa.string())
    tables = [users, processes, groups.filter(pc.invert(pc.is_in(groups["host"], seen)))]
    return CoreUse(pa.concat_tables([table.cast(NO_USERS.schema) for table in tables]), totals)


def _hosts(nodes: Sequence[str], loads: pa.Table, *, watched: bool) -> list[str]:
    """Return the nodes to read: those on which other jobs computed most."""
    sums = loads.group_by("host").aggregate([("cpu_ns", "sum")]).to_pylist()
    spent = {row["host"]: row["cpu_ns_sum"] or 0 for row in sums}
    known = sorted(set(nodes) if watched else set(nodes) & set(spent))
    return sorted(known, key=lambda host: (-spent.get(host, 0), host))[:_MOST_HOSTS]


def _jobs(engine: Engine, hosts: Sequence[str], window: Sequence[int]) -> pa.Table:
    """Return the CPU use of all jobs' processes on nodes, by the cores that they may run on."""
    wanted = (
        "job",
        "process",
        "host",
        "slice",
        "slice_ns",
        "span",
        "os_user_ns",
        "os_system_ns",
        "os_runqueue_ns",
        "os_awake",
        "os_throttled_ns",
    )
    rows = engine.stored("slices", *window, columns=wanted)
    cpu = "coalesce(os_user_ns, 0)::HUGEINT + coalesce(os_system_ns, 0)"
    return engine.ask(
        lambda: (
            "SELECT s.job, 'job' AS kind, s.host, coalesce(p.allowed_cpus, '') AS cpus, "
            "-1::BIGINT AS uid, slice, "
            f"s.slice_ns, span, {total(cpu)} AS cpu_ns, "
            f"{total('os_runqueue_ns')} AS queue_ns, {total('os_awake')} AS awake, "
            "coalesce(max(os_throttled_ns), 0) AS throttled_ns "
            f"FROM {rows} s LEFT JOIN (SELECT job, process, allowed_cpus "
            f"FROM ({engine.source('processes', *window)})) p USING (job, process) "
            f"WHERE list_contains($1, s.host) AND {_SPAN.replace('slice_ns', 's.slice_ns')} "
            "GROUP BY ALL ORDER BY ALL"
        ),
        [list(hosts), *window],
    )


def _lived(rows: pa.Table, engine: Engine) -> pa.Table:
    """Add the part of each row's slices in which its job ran: start_ns and length_ns."""
    step = ints(rows, "slice_ns")
    jobs = rows["job"].combine_chunks().dictionary_encode()
    start, length = clip(
        engine.lives.known(),
        jobs.dictionary.to_pylist(),
        ints(rows, "slice") * step,
        ints(rows, "span") * step,
        jobs.indices.to_numpy(),
    )
    return rows.append_column("start_ns", pa.array(start)).append_column(
        "length_ns", pa.array(length)
    )


def _by_seen_cores(users: pa.Table, seen: pa.Table, own: str) -> pa.Table:
    """Divide the CPU time of other jobs among the cores on which their processes were sampled.

    Args:
        users: As CoreUse.users.
        seen: As from `seen_on_cores`.
        own: The job in question; its CPU time is not divided, since its waiting time cannot be.
    """
    keys, left, parts = ("job", "host", "cpus"), ints(users, "cpu_ns").copy(), []
    start = ints(users, "start_ns")
    end = start + ints(users, "length_ns")
    for group in seen.group_by(keys).aggregate([]).to_pylist():
        mine = np.flatnonzero(_equal(users, group))
        if group["job"] == own or not len(mine):
            continue
        rows = seen.filter(pa.array(_equal(seen, group)))
        sets = sorted(set(rows["cores"].to_pylist()))
        there = np.array(
            [
                _between(rows.filter(pc.equal(rows["cores"], cores)), start[mine], end[mine])
                for cores in sets
            ]
        )
        whole = there.sum(axis=0)
        shares = np.divide(there, whole, out=np.zeros_like(there), where=whole > 0)
        for cores, share in zip(sets, shares, strict=True):
            cpu = (share * ints(users, "cpu_ns")[mine]).astype(np.int64)
            if cores == group["cpus"] or not cpu.any():
                continue
            left[mine] -= cpu
            zero = pa.array(np.zeros(len(mine), np.int64))
            known = {
                "cpus": pa.array([cores] * len(mine)),
                "cpu_ns": pa.array(cpu),
                "queue_ns": zero,
                "awake": zero,
                "throttled_ns": zero,
            }
            parts.append(_with(users.take(pa.array(mine)), known))
    return pa.concat_tables([_with(users, {"cpu_ns": pa.array(left)}), *parts])


def _equal(rows: pa.Table, group: Mapping[str, str]) -> npt.NDArray[np.bool_]:
    mask = np.ones(rows.num_rows, dtype=bool)
    for name, value in group.items():
        mask &= pc.equal(rows[name], value).to_numpy()
    return mask


def _with(rows: pa.Table, columns: Mapping[str, pa.Array]) -> pa.Table:
    for name, values in columns.items():
        rows = rows.set_column(rows.schema.get_field_index(name), name, values)
    return rows.cast(NO_USERS.schema)


def _between(
    rows: pa.Table, start: npt.NDArray[np.int64], end: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the CPU time of all rows in each of some spans, as if it were even within a row."""
    first, length = ints(rows, "start_ns"), ints(rows, "length_ns")
    rate = ints(rows, "cpu_ns") / length.clip(1)
    times = np.concatenate([first, first + length])
    order = np.argsort(times, kind="stable")
    times, slopes = times[order], np.concatenate([rate, -rate])[order].cumsum()
    zero = times[0]
    spent = np.concatenate([[0.0], (slopes[:-1] * np.diff(times)).cumsum()])
    before, after = (np.interp(at - zero, times - zero, spent) for at in (start, end))
    return np.asarray(after - before, dtype=np.float64)


def _processes(rows: pa.Table) -> pa.Table:
    """Return the CPU time of processes without a profile; summed by program and owner."""
    found = rows.to_pylist()
    names = [
        row["job"] or (row["title"] if row["pid"] and row["name"] else unknown_load(row["host"]))
        for row in found
    ]
    step, zero = ints(rows, "slice_ns"), pa.array([0] * rows.num_rows, pa.int64())
    return pa.table(
        {
            "job": pa.array(names, pa.string()),
            "kind": pa.array(["job" if row["job"] else "unprofiled" for row in found], pa.string()),
            "host": rows["host"],
            "cpus": rows["cores"],
            "uid": rows["uid"],
            "start_ns": ints(rows, "slice") * step,
            "length_ns": ints(rows, "span") * step,
            "cpu_ns": rows["cpu_ns"],
            "queue_ns": zero,
            "awake": zero,
            "throttled_ns": zero,
        }
    )


def unknown_load(host: str) -> str:
    """Return the name for load on a host that has no profile and no other known property."""
    return f"unprofiled load of {host}"


def _components(
    engine: Engine, hosts: Sequence[str], window: Sequence[int]
) -> tuple[pa.Table, pa.Table]:
    """Return agents' counters of programs without a profile, and of all cores together."""
    rows = engine.source("component_slices", *window)
    cpu = "coalesce(cpu_user_ns, 0)::HUGEINT + coalesce(cpu_system_ns, 0)"
    busy = f"{cpu} + coalesce(cpu_irq_ns, 0)"
    found = engine.ask(
        lambda: (
            "SELECT kind = 'machine' AS whole, coalesce(nullif(job, ''), name) AS name, host, "
            f"slice * slice_ns AS start_ns, span * slice_ns AS length_ns, {total(cpu)} AS cpu_ns, "
            f"{total(busy)} AS busy_ns, {total('cpu_steal_ns')} AS steal_ns, "
            "coalesce(max(cpu_count), 0) AS cores "
            f"FROM ({rows}) WHERE list_contains($1, host) AND {_SPAN} "
            "AND (kind = 'machine' OR list_contains($4, kind) AND job NOT IN ("
            f"SELECT DISTINCT batch FROM {engine.stored('processes')} WHERE batch IS NOT NULL "
            "AND start_ns < $3 AND (end_ns = 0 OR end_ns > $2))) GROUP BY ALL ORDER BY ALL"
        ),
        [list(hosts), *window, list(USER_KINDS)],
    )
    groups = found.filter(pc.invert(found["whole"]))
    number = groups.num_rows
    zero = pa.array([0] * number, pa.int64())
    users = pa.table(
        {
            "job": pc.binary_join_element_wise(groups["name"], "(no profile)", " "),
            "kind": pa.array(["unprofiled"] * number, pa.string()),
            "host": groups["host"],
            "cpus": pa.array([""] * number, pa.string()),
            "uid": pa.array([-1] * number, pa.int64()),
            "start_ns": groups["start_ns"],
            "length_ns": groups["length_ns"],
            "cpu_ns": groups["cpu_ns"],
            "queue_ns": zero,
            "awake": zero,
            "throttled_ns": zero,
        }
    )
    whole = found.filter(found["whole"]).select(NO_TOTALS.column_names)
    return users, whole.cast(NO_TOTALS.schema)


def with_others_merged(
    use: CoreUse, kept: Collection[str], users: Collection[int], name: str
) -> CoreUse:
    """Return the use of cores with all jobs and programs of other users under one name.

    Args:
        use: Use of the cores.
        kept: Jobs that keep their names.
        users: Uids whose programs without a profile keep their names.
        name: Name for all other jobs and programs.
    """
    if not use.users.num_rows:
        return use
    rows = use.users.to_pylist()
    for row in rows:
        if row["kind"] == "job":
            row["job"] = row["job"] if row["job"] in kept else name
        elif row["uid"] < 0:
            row["job"] = unknown_load(row["host"])
        elif row["uid"] not in users:
            row["job"], row["kind"] = name, "job"
        row["uid"] = -1
    named = pa.Table.from_pylist(rows, schema=NO_USERS.schema)
    keys = ["job", "kind", "host", "cpus", "uid", *_TIME]
    sums = named.group_by(keys, use_threads=False).aggregate(
        [(column, "max" if column == "throttled_ns" else "sum") for column in _AMOUNTS]
    )
    return CoreUse(
        sums.rename_columns(
            [
                column.rpartition("_")[0] if column.endswith(("_sum", "_max")) else column
                for column in sums.column_names
            ]
        ).select(NO_USERS.column_names),
        use.totals,
    )
