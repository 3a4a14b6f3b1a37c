"""Collects on which cores and NUMA nodes each process of a job may run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jostle.analysis.processes import Ints, JobProcesses
from jostle.values.core_lists import list_text, read_list

_FEW_SAMPLES = 20  # fewest samples of where a process ran


@dataclass(frozen=True)
class BoundProcess:
    """One process with its binding.

    Attributes:
        at: Index of the process in the table of processes.
        host: Node of the process.
        rank: Rank of the process in its MPI world; -1 if it has none.
        world: Id of that world.
        pid: Process id.
        launcher: Name of the launcher that started the process, as in the table of processes; but
            torch where one process of the job started several ranks within a step of Slurm.
        start_ns: Start of the process, ns since the epoch.
        end_ns: End of the process, or of its last recorded slice while it runs, ns since the epoch.
        cpus: Cores that the process may run on; None: unknown.
        nodes: NUMA nodes of these cores; None: unknown.
        node_samples: Number of samples in which the process ran on NUMA node 0, 1, ...; empty: not
            recorded.
        group_cpus: Cores of the process's control group, or of the machine if there is no group;
            None: unknown.
        group_nodes: NUMA nodes of the cores in `group_cpus`; None: unknown.
        cpu_s: CPU time of the process, in seconds.
        waited_s: Time that the threads of the process waited for a core, in seconds.
        threads: Largest number of threads that the process had.
    """

    at: int
    host: str
    rank: int
    world: str
    pid: int
    launcher: str
    start_ns: int
    end_ns: int
    cpus: frozenset[int] | None
    nodes: frozenset[int] | None
    node_samples: list[int]
    group_cpus: frozenset[int] | None
    group_nodes: frozenset[int] | None
    cpu_s: float
    waited_s: float
    threads: int

    def part_on(self, node: int) -> float | None:
        """Return the part of the process's time on cores of a NUMA node, 0 to 1; None: unknown."""
        if self.nodes is None:
            return None
        if node not in self.nodes:
            return 0.0
        if len(self.nodes) == 1:
            return 1.0
        seen = sum(self.node_samples)
        if seen < _FEW_SAMPLES:
            return None
        return self.node_samples[node] / seen if node < len(self.node_samples) else 0.0

    @property
    def life_s(self) -> float:
        """Return the run time of the process, in seconds."""
        return (self.end_ns - self.start_ns) / 1e9

    def meets(self, other: BoundProcess) -> bool:
        """Return whether two processes ran at the same time for half of the shorter one's run."""
        both = min(self.end_ns, other.end_ns) - max(self.start_ns, other.start_ns)
        return both > 0 and both / 1e9 >= 0.5 * min(self.life_s, other.life_s)


def bound_processes(job_processes: JobProcesses, sums: Mapping[str, Ints]) -> list[BoundProcess]:
    """Return the processes of a job that have a profile of their own, with their bindings.

    Args:
        job_processes: The processes of the job.
        sums: Sum of each metric per process, from `process_sums`.
    """
    columns = ("allowed_cpus", "allowed_nodes", "group_cpus", "group_nodes")
    known = {text: read_list(text) for name in columns for text in set(job_processes.texts(name))}
    lists = [[known[text] for text in job_processes.texts(name)] for name in columns]
    hosts, worlds = job_processes.texts("host"), job_processes.texts("world")
    launchers = _launchers(job_processes)
    samples = job_processes.number_lists("node_samples")
    ranks, pids = job_processes.ints("world_rank"), job_processes.ints("pid")
    starts = job_processes.ints("start_ns")

    def value(name: str, at: int) -> int:
        return int(sums[name][at]) if name in sums else 0

    def one(at: int) -> BoundProcess:
        cpus, nodes, group_cpus, group_nodes = (each[at] for each in lists)
        return BoundProcess(
            at=at,
            host=hosts[at],
            rank=int(ranks[at]) if job_processes.ranks[at] else -1,
            world=worlds[at],
            pid=int(pids[at]),
            launcher=launchers[at],
            start_ns=int(starts[at]),
            end_ns=int(starts[at]) + int(job_processes.life[at]),
            cpus=cpus,
            nodes=nodes,
            node_samples=samples[at],
            group_cpus=group_cpus,
            group_nodes=group_nodes,
            cpu_s=(value("os_user_ns", at) + value("os_system_ns", at)) / 1e9,
            waited_s=value("os_runqueue_ns", at) / 1e9,
            threads=value("os_threads", at),
        )

    return [one(at) for at in range(job_processes.count) if not job_processes.short[at]]


def _launchers(job_processes: JobProcesses) -> list[str]:
    """Return the launcher of each process; torch for ranks that torchrun started within srun."""
    hosts, launchers = job_processes.texts("host"), job_processes.texts("launcher")
    pids = set(zip(hosts, job_processes.ints("pid").tolist(), strict=True))
    parents = list(zip(hosts, job_processes.ints("ppid").tolist(), strict=True))
    ranks = Counter(
        parent
        for parent, is_rank in zip(parents, job_processes.ranks, strict=True)
        if is_rank and parent in pids
    )
    return [
        "torch" if launcher == "slurm" and ranks[parent] > 1 else launcher
        for launcher, parent in zip(launchers, parents, strict=True)
    ]


def names(processes: Sequence[BoundProcess]) -> str:
    """Return the ranks of processes as text; their process ids if one of them has no rank."""
    if all(process.rank >= 0 for process in processes):
        ranks = sorted({process.rank for process in processes})
        return f"rank{'s' * (len(ranks) > 1)} {list_text(ranks).replace(',', ', ')}"
    pids = sorted({process.pid for process in processes})
    few = ", ".join(map(str, pids[:6])) + (", ..." if len(pids) > 6 else "")
    return f"process{'es' * (len(pids) > 1)} {few}"
