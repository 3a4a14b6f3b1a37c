"""Reads the slices of a job's resources, with the load of co-running jobs on them.

Only rollups of the job's run time are queried, so that the cost does not grow with the number of
jobs in the repository.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from jostle.names.identity import is_wrapper
from jostle.repository.errors import JobError
from jostle.repository.query.engine import Engine, total
from jostle.repository.query.lifetimes import FOR_EVER, lived
from jostle.repository.query.process_kinds import jobs_of
from jostle.repository.query.resources.around_gpus import (
    CCL_BYTES,
    CCL_NS,
    CCL_OPS,
    NO_MESSAGES,
    Hardware,
    hardware,
    leaving,
    messages_on,
)
from jostle.repository.query.resources.core_users import CoreUse, core_use, with_others_merged
from jostle.repository.query.resources.gpus import NO_GPUS, gpu_loads
from jostle.repository.query.resources.machine_loads import MachineLoads, machine_loads
from jostle.repository.query.resources.memory_traffic import NO_MEMORY_TRAFFIC, memory_traffic
from jostle.repository.types import ACCESS_METRICS
from jostle.topology import Topology
from jostle.values.mpi_metrics import SENDRECV_SENT
from jostle.values.traffic import Traffic

_KINDS = ("posix", "stdio")
#: Columns of own_mounts and mount_loads: sums over the processes of a slice.
MOUNT_METRICS = (
    *ACCESS_METRICS,
    *(f"{kind}_{name}" for kind in _KINDS for name in ("sync_ops", "meta_ops")),
)
#: Metrics that also have their maximum over processes, as <metric>_max.
MOUNT_TIMES = tuple(
    f"{kind}_{name}_ns" for kind in _KINDS for name in ("read", "write", "sync", "meta")
)
#: The families of MPI calls by kind of work: (operations, bytes, time).
P2P = ("send", "recv", "sendrecv", "isend", "irecv")
COLLECTIVE = ("one_to_all", "all_to_one", "all_to_all", "scan", "neighbor", "barrier")
_NO_BYTES = ("barrier", "recv", "irecv")  # the sender counts them
_MPI_FAMILIES = (*P2P, *COLLECTIVE, "wait")


def family_bytes(family: str) -> tuple[str, ...]:
    """Return the metrics that add up to the bytes which a family of MPI calls sent."""
    if family == "sendrecv":
        return SENDRECV_SENT
    return () if family in _NO_BYTES else (f"mpi_{family}_bytes",)


_SENDING = (
    "send",
    "isend",
    "sendrecv",
    "one_to_all",
    "all_to_one",
    "all_to_all",
    "scan",
    "neighbor",
    "ione_to_all",
    "iall_to_one",
    "iall_to_all",
    "iscan",
    "ineighbor",
    "put",
    "get",
    "accumulate",
)
MPI_BYTES = tuple(metric for name in _SENDING for metric in family_bytes(name))
MPI_OPS = tuple(f"mpi_{name}_ops" for name in _SENDING)
MPI_NS = ("state_p2p_ns", "state_collective_ns", "state_onesided_ns")
#: Columns of own_nodes: sums over the processes of a slice on a node.
NODE_METRICS = tuple(
    dict.fromkeys(
        (
            "os_user_ns",
            "os_system_ns",
            "os_runqueue_ns",
            "os_rss_bytes",
            "wait_mpi_ns",
            "wait_offcpu_ns",
            "gpu_wait_ns",
            "memory_latency_ns",
            "memory_stream_ns",
            "memory_probe_count",
            "perf_instructions",
            "perf_llc_misses",
            *MPI_NS,
            *(f"mpi_{name}_{what}" for name in _MPI_FAMILIES for what in ("ops", "ns")),
            *(metric for name in (*P2P, *COLLECTIVE) for metric in family_bytes(name)),
            *CCL_OPS,
            *CCL_BYTES,
            *CCL_NS,
        )
    )
)
#: Metrics that also have maximum and minimum over processes: <metric>_max, <metric>_min.
NODE_TIMES = ("os_runqueue_ns", "os_user_ns", "os_system_ns", "wait_mpi_ns", *MPI_NS, *CCL_NS)

_FACTS = """
SELECT job, program, uid, nodes, processes, mpi_processes AS ranks, start_ns,
       CASE WHEN running THEN 0 ELSE end_ns END AS end_ns, seen_ns, slice_ns, clock_state,
       clock_error_us, clocks, basis
FROM ({jobs}) ORDER BY job
"""


@dataclass(frozen=True)
class JobFacts:
    """Facts on a job: program, owner, nodes, times and clocks.

    Attributes:
        job: Name of the job.
        program: Program of the job, named by jostle.names.identity.
        user: Uid of its owner; None if it is unknown, hidden, or several users have the job's name.
        nodes: Names of its nodes.
        processes: Number of its processes.
        ranks: Number of its processes that use MPI.
        start_ns: Start of the job.
        end_ns: End of the job; 0 while it runs.
        seen_ns: End of its newest slice.
        slice_ns: Length of its slices.
        clock_state: Worst state of its nodes' clocks, as returned by adjtimex; 5: not synchronised.
        clock_error_us: Largest error bound of its nodes' clocks.
        clocks: Boot ids of its nodes; nodes with the same boot id (of a lab) have the same clock.
        kind: "job"; "unprofiled": load of programs without a profile, from counters of machines;
            "server": not a load, but a server that was slow without any load of jobs.
        basis: Origin of the job's times: "" for profiles; for an imported log its source and
            resolution, such as "darshan:bins" (jostle.names.basis).
    """

    job: str
    program: str = ""
    user: int | None = None
    nodes: tuple[str, ...] = ()
    processes: int = 1
    ranks: int = 0
    start_ns: int = 0
    end_ns: int = 0
    seen_ns: int = 0
    slice_ns: int = 0
    clock_state: int = 0
    clock_error_us: int = 0
    clocks: tuple[str, ...] = ()
    kind: Literal["job", "unprofiled", "server"] = "job"
    basis: str = ""

    @property
    def life(self) -> tuple[int, int]:
        """Start and end of the job, ns; while it runs, the end is FOR_EVER[1]."""
        return self.start_ns, self.end_ns or FOR_EVER[1]

    @property
    def last_ns(self) -> int:
        """End of the job, or of its newest slice."""
        return self.end_ns or self.seen_ns


@dataclass(frozen=True)
class CoRunning:
    """A job, and the load of all other jobs on its resources while it ran.

    Below, TIME stands for the columns slice, slice_ns, start_ns and length_ns; the latter two are
    the part of the slice in which the row's job ran. `count` is the number of its processes with a
    record in the slice.

    Attributes:
        job: The job.
        others: The jobs that appear in the loads, by name; all ran at the same time as the job.
            Jobs that consist only of launchers and wrappers are left out.
        own_mounts: Per mount and slice: mount, TIME, count, MOUNT_METRICS (sums over processes),
            and <metric>_max of MOUNT_TIMES.
        own_nodes: Per node and slice: host, TIME, count, NODE_METRICS, and <metric>_max and
            <metric>_min of NODE_TIMES.
        mount_loads: As own_mounts with column job, for the other jobs on these mounts.
        node_loads: Load of the other jobs on these nodes: job, host, TIME, count, cpu_ns,
            llc_misses (misses of the last-level cache; 0 if they were not counted).
        network_loads: MPI traffic of other jobs with ranks on several nodes, on any nodes: job,
            TIME, count, bytes, ops, in ns. Empty unless the job itself has ranks on several nodes.
        machines: What agents counted about the mounts, on nodes and servers.
        traffic: Traffic between hosts while the job ran, its own included (Repository.traffic).
            Empty if no fabric is known.
        fabrics: All versions of the fabrics that the repository knows.
        own_gpus: Per GPU and slice: host, gpu, pci_path (path in the PCI tree, "": unknown),
            numa (-1: unknown), TIME, count, and GPU_SUMS (sums over processes).
        gpu_loads: As own_gpus with column job, for the other jobs, on all GPUs of the hosts where
            the job used a GPU. If the job ran on several hosts: on all GPUs of all its hosts.
        message_loads: Messages of other jobs on the hosts of own_gpus and gpu_loads: job, host,
            TIME, count, bytes and ops (by MPI and collective libraries; 0 if the other job ran on
            one node), ccl_bytes and ccl_ops (only by collective libraries, of all other jobs).
        hardware: Network adapters and NVLink domains of these hosts; empty without agents.
        core_use: Users of the cores of the job's nodes, the job itself included.
        memory_traffic: Traffic of the memory controllers of the job's nodes: host, slice, slice_ns,
            span, bytes. Empty if no agent counts it.
    """

    job: JobFacts
    others: dict[str, JobFacts]
    own_mounts: pa.Table
    own_nodes: pa.Table
    mount_loads: pa.Table
    node_loads: pa.Table
    network_loads: pa.Table
    machines: MachineLoads = field(default_factory=MachineLoads)
    traffic: Traffic = field(default_factory=Traffic)
    fabrics: tuple[Topology, ...] = ()
    own_gpus: pa.Table = field(default_factory=lambda: NO_GPUS.drop_columns("job"))
    gpu_loads: pa.Table = field(default_factory=lambda: NO_GPUS)
    message_loads: pa.Table = field(default_factory=lambda: NO_MESSAGES)
    hardware: Hardware = field(default_factory=Hardware)
    core_use: CoreUse = field(default_factory=CoreUse)
    memory_traffic: pa.Table = field(default_factory=lambda: NO_MEMORY_TRAFFIC)

    @property
    def sees_unprofiled(self) -> bool:
        """Whether machines were watched, so that load without a profile may be known."""
        tables = (self.machines.clients, self.machines.servers, self.core_use.totals)
        kinds = self.core_use.users["kind"].unique().to_pylist()
        return "unprofiled" in kinds or any(table.num_rows for table in tables)


def alongside(engine: Engine, job: str, *, cores: bool = True) -> CoRunning:
    """Return a job's slices on shared resources, and the loads of other jobs there.

    Arguments and result are those of Repository.alongside.
    """
    own = facts(engine, [job]).get(job)
    if own is None:
        raise JobError(f"There is no job {job!r}.", hint="`jostle jobs` lists them all.")
    # The last slice of a killed process extends beyond the last time in its profile.
    wide = [own.start_ns, max(own.seen_ns, own.end_ns) + max(own.slice_ns, 1)]
    window = [own.start_ns, own.end_ns or wide[1]]
    mounts = _mounts(engine, job, wide, window)
    nodes = _nodes(engine, job, own, window)
    network = own.ranks > 1 and len(own.nodes) > 1
    traffic = _network(engine, job, window) if network else _NO_TRAFFIC
    gpus = gpu_loads(engine, job, wide, window, own.nodes if len(own.nodes) > 1 else ())
    around, messages = _around_gpus(engine, job, gpus, window)
    seen = (mounts[1], nodes, traffic, gpus[1], messages)
    names = sorted(set().union(*(table["job"].to_pylist() for table in seen)))
    known = facts(engine, names)
    # Retention may have removed the processes of slices that are still stored.
    others = {name: known.get(name, JobFacts(job=name)) for name in names}
    # The launcher of a training job is in its login session's job: alone there, it is no neighbour.
    others = {
        name: fact
        for name, fact in others.items()
        if met(own, fact) and not is_wrapper(fact.program)
    }
    messages = leaving(messages, [job for job, fact in others.items() if len(fact.nodes) > 1])
    seen = (*seen[:-1], messages)
    mount_loads, node_loads, network_loads, loads_of_gpus, message_loads = (
        lived(_of(table, others), engine.lives) for table in seen
    )
    return CoRunning(
        own,
        others,
        lived(mounts[0], engine.lives).drop_columns("job"),
        lived(_own_nodes(engine, job, wide), engine.lives).drop_columns("job"),
        mount_loads,
        node_loads,
        network_loads,
        machines=machine_loads(engine, sorted(set(mounts[0]["mount"].to_pylist())), window),
        own_gpus=lived(gpus[0], engine.lives).drop_columns("job"),
        gpu_loads=loads_of_gpus,
        message_loads=message_loads,
        hardware=around,
        core_use=_of_met(core_use(engine, job, own.nodes, node_loads, window), {job, *others})
        if cores
        else CoreUse(),
        memory_traffic=memory_traffic(engine, own.nodes, window),
    )


def _of_met(use: CoreUse, jobs: Collection[str]) -> CoreUse:
    """Leave out jobs that are not among some jobs, which ran at the same time."""
    users = use.users
    named = pa.array(sorted(jobs), pa.string())
    kept = pc.or_(pc.not_equal(users["kind"], "job"), pc.is_in(users["job"], value_set=named))
    return CoreUse(users.filter(kept), use.totals)


def _around_gpus(
    engine: Engine, job: str, gpus: tuple[pa.Table, pa.Table], window: list[int]
) -> tuple[Hardware, pa.Table]:
    """Return the hardware of the hosts on which GPUs were used, and others' messages there."""
    hosts = {host for table in gpus for host in table.column("host").unique().to_pylist()}
    around = hardware(engine, hosts, window)
    if not around.domains and not around.adapters:
        return around, NO_MESSAGES.drop_columns(["start_ns", "length_ns"])
    sums = {
        "bytes": added(f"{metric}_sum" for metric in MPI_BYTES),
        "ops": added(f"{metric}_sum" for metric in MPI_OPS),
    }
    return around, messages_on(engine, job, hosts, window, sums)


def met(own: JobFacts, other: JobFacts) -> bool:
    """Return whether two jobs ran at the same time, not only in the same slice one after the other.

    A job whose end is unknown (it runs, or retention removed it) counts as running on.
    """
    over = (0 < other.end_ns <= own.start_ns) or (0 < own.end_ns <= other.start_ns)
    return not over


def _of(table: pa.Table, jobs: Collection[str]) -> pa.Table:
    return table.filter(pc.is_in(table.column("job"), value_set=pa.array(list(jobs), pa.string())))


def has_company(engine: Engine, job: str) -> bool:
    """Return whether a job may have had load of others on its resources; False is certain.

    This is cheap. Data of agents alone give True, since they may show load that belongs to no job.
    """
    window = engine.window(job)
    if engine.newest("component_slices", *window):
        return True
    rows = engine.ask(
        lambda: (
            f"SELECT count(*) AS number FROM ({engine.source('process_kinds', *window)}) "
            "WHERE job <> $1 AND first_ns < $3 AND (NOT complete OR seen_ns > $2)"
        ),
        [job, *window],
    )
    return bool(rows["number"][0].as_py())


def facts(engine: Engine, jobs: list[str] | None = None) -> dict[str, JobFacts]:
    """Return the facts of jobs by name; of all jobs if no names are given."""
    where = "" if jobs is None else "WHERE list_contains($1, job)"

    def question() -> str:
        kinds = f"(SELECT * FROM ({engine.source('process_kinds')}) {where})"
        return _FACTS.format(jobs=jobs_of(kinds))

    rows = engine.ask(question, [] if jobs is None else [jobs]).to_pylist()
    result = {}
    for row in rows:
        nodes, clocks = (
            tuple(name for name in row.pop(key) or () if name) for key in ("nodes", "clocks")
        )
        user = row.pop("uid")
        known = {name: value for name, value in row.items() if value is not None}
        result[row["job"]] = JobFacts(**known, nodes=nodes, clocks=clocks, user=user)
    return result


_NO_TRAFFIC = pa.table(
    {"job": pa.array([], pa.string())}
    | {
        name: pa.array([], pa.int64())
        for name in ("slice", "slice_ns", "count", "bytes", "ops", "ns")
    }
)
_SPAN = "(slice + 1) * slice_ns > $2 AND slice * slice_ns < $3"
_SLICE = "slice, slice_ns"


def _mounts(
    engine: Engine, job: str, wide: list[int], window: list[int]
) -> tuple[pa.Table, pa.Table]:
    """Return the slices of the job on its mounts, and those of the others on them."""
    columns = [f"{total('count')} AS count"]
    columns += [f"{total(f'{name}_sum')} AS {name}" for name in MOUNT_METRICS]
    columns += [f"coalesce(max({name}_max), 0) AS {name}_max" for name in MOUNT_TIMES]

    def question(where: str) -> str:
        rows = engine.stored("rollup", *wide)
        return (
            f"SELECT job, mount, {_SLICE}, {', '.join(columns)} FROM {rows} "
            f"WHERE {where} AND {_SPAN} GROUP BY job, mount, {_SLICE} "
            f"ORDER BY mount, job, slice * slice_ns"
        )

    own = engine.ask(lambda: question("job = $1"), [job, *wide])
    used = sorted(set(own.column("mount").to_pylist()))
    others = engine.ask(
        lambda: question("job <> $1 AND list_contains($4, mount)"), [job, *window, used]
    )
    return own, others


def _own_nodes(engine: Engine, job: str, window: list[int]) -> pa.Table:
    columns = [f"{total('count')} AS count"]
    columns += [f"{total(f'{name}_sum')} AS {name}" for name in NODE_METRICS]
    for name in NODE_TIMES:
        columns.append(f"coalesce(max({name}_max), 0) AS {name}_max")
        columns.append(f"coalesce(min(coalesce({name}_min, 0)), 0) AS {name}_min")
    return engine.ask(
        lambda: (
            f"SELECT job, host, {_SLICE}, {', '.join(columns)} "
            f"FROM {engine.stored('node_rollup', *window)} WHERE job = $1 AND {_SPAN} "
            f"GROUP BY job, host, {_SLICE} ORDER BY host, slice * slice_ns"
        ),
        [job, *window],
    )


def _nodes(engine: Engine, job: str, own: JobFacts, window: list[int]) -> pa.Table:
    """Return the CPU time and cache misses of the other jobs on the nodes of the job."""
    cpu = " + ".join(f"coalesce(os_{mode}_ns_sum, 0)::HUGEINT" for mode in ("user", "system"))
    return engine.ask(
        lambda: (
            f"SELECT job, host, {_SLICE}, {total('count')} AS count, {total(cpu)} AS cpu_ns, "
            f"{total('perf_llc_misses_sum')} AS llc_misses "
            f"FROM {engine.stored('node_rollup', *window)} "
            f"WHERE job <> $1 AND list_contains($4, host) AND {_SPAN} "
            f"GROUP BY job, host, {_SLICE} ORDER BY host, job, slice * slice_ns"
        ),
        [job, *window, list(own.nodes)],
    )


def _network(engine: Engine, job: str, window: list[int]) -> pa.Table:
    """Return the MPI traffic of other jobs on several nodes."""
    wanted = {"bytes": MPI_BYTES, "ops": MPI_OPS, "ns": MPI_NS}
    sums = {name: added(f"{metric}_sum" for metric in metrics) for name, metrics in wanted.items()}
    columns = ", ".join(f"{total(value)} AS {name}" for name, value in sums.items())
    return engine.ask(
        lambda: (
            f"SELECT * EXCLUDE hosts FROM ("
            f"SELECT job, {_SLICE}, {total('count')} AS count, {columns}, "
            "max(count(DISTINCT host)) OVER (PARTITION BY job) AS hosts "
            f"FROM {engine.stored('node_rollup', *window)} WHERE job <> $1 AND {_SPAN} "
            f"AND {sums['ops']} > 0 GROUP BY job, {_SLICE}) WHERE hosts > 1 "
            "ORDER BY job, slice * slice_ns"
        ),
        [job, *window],
    )


def added(columns: Iterable[str]) -> str:
    """Return SQL for a sum of columns that may be null."""
    return " + ".join(f"coalesce({name}, 0)::HUGEINT" for name in columns)


def hide(alongside: CoRunning, users: Collection[int], name: str) -> CoRunning:
    """Merge all jobs of other users into one, so that only their sums remain.

    Args:
        alongside: A job's slices and the loads of others.
        users: Uids whose jobs the viewer may see, which are not merged.
        name: Name of the merged job.
    """
    kept = {job: fact for job, fact in alongside.others.items() if fact.user in users}
    hidden = [fact for job, fact in alongside.others.items() if job not in kept]
    # Programs without a profile belong to no job: they are merged even if no job is hidden.
    core_use = with_others_merged(alongside.core_use, {*kept, alongside.job.job}, users, name)
    if not hidden:
        return replace(alongside, core_use=core_use)
    others = dict(kept)
    others[name] = JobFacts(
        job=name,
        start_ns=alongside.job.start_ns,
        end_ns=0,
        seen_ns=alongside.job.last_ns,
        slice_ns=max(fact.slice_ns for fact in hidden),
        clock_state=max(fact.clock_state for fact in hidden),
        clock_error_us=max(fact.clock_error_us for fact in hidden),
        clocks=tuple(sorted({clock for fact in hidden for clock in fact.clocks})),
    )
    return replace(
        alongside,
        others=others,
        mount_loads=_merged(alongside.mount_loads, set(kept), name, ["mount"]),
        node_loads=_merged(alongside.node_loads, set(kept), name, ["host"]),
        gpu_loads=_merged(
            alongside.gpu_loads, set(kept), name, ["host", "gpu", "pci_path", "numa"]
        ),
        network_loads=_merged(alongside.network_loads, set(kept), name, []),
        message_loads=_merged(alongside.message_loads, set(kept), name, ["host"]),
        traffic=alongside.traffic.renamed({*kept, alongside.job.job}, name),
        core_use=core_use,
    )


def _merged(table: pa.Table, kept: set[str], name: str, keys: list[str]) -> pa.Table:
    if not table.num_rows:
        return table
    jobs = pa.array([job if job in kept else name for job in table.column("job").to_pylist()])
    renamed = table.set_column(table.column_names.index("job"), "job", jobs)
    parts = [name for name in ("start_ns", "length_ns") if name in table.column_names]
    by = ["job", *keys, "slice", "slice_ns", *parts]
    # Sums of damaged values may exceed 64 bits.
    values = [column for column in table.column_names if column not in by]
    wide = renamed
    for column in values:
        index = wide.column_names.index(column)
        wide = wide.set_column(index, column, wide.column(column).cast(pa.float64(), safe=False))
    rows = wide.group_by(by, use_threads=False).aggregate(
        [(column, "max" if column.endswith("_max") else "sum") for column in values]
    )
    plain = {column: f"{column}_{'max' if column.endswith('_max') else 'sum'}" for column in values}
    return pa.table(
        {column: rows.column(plain.get(column, column)) for column in table.column_names}
    )
