"""Advice on bindings: given with its text where a binding is wrong, and nowhere else."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from jostle.analysis import digest
from jostle.analysis.binding.advise import binding_advice
from jostle.analysis.binding.model import BindingAdvice
from jostle.analysis.processes import JobProcesses, process_sums
from jostle.cli.views.bindings import binding_view
from jostle.reader import GPU_VALUES
from jostle.repository import Repository
from jostle.repository.types import JobTables
from jostle.values.core_lists import list_text, read_list
from synth import EPOCH, Profile
from synth_gpus import GpuName, Gpus
from synth_rows import BEGIN, SECOND

A, B = "0000:3b:00.0", "0000:d8:00.0"  # on nodes 0 and 1
GIB = 1 << 30
#: A machine of two nodes with four cores each, all of them the job's.
NODES = {"0-3": "0", "4-7": "1", "0-7": "0-1", "0": "0", "0-1": "0", "2-3": "0", "4": "1", "": ""}


_NO_WORK = dict.fromkeys(GPU_VALUES, 0)


class Job:
    """A job in tables, as `Repository.job_tables` would give them."""

    def __init__(self, launcher: str = "orte") -> None:
        self.launcher = launcher
        self.processes: list[dict[str, Any]] = []
        self.totals: list[dict[str, Any]] = []
        self.used: list[dict[str, Any]] = []
        self.known: dict[tuple[str, str], dict[str, Any]] = {}
        self.adapters: list[dict[str, Any]] = []

    def rank(
        self, cpus: str, gpus: dict[str, tuple[int, float]] | None = None, **more: Any
    ) -> None:
        """Add a rank: the cores that it may run on; of each GPU bytes to it, and their seconds."""
        waited, threads, group = (
            more.pop(name, default)
            for name, default in (("waited", 0.0), ("threads", 1), ("group", "0-7"))
        )
        host, number = more.get("host", "n1"), len(self.processes)
        self.processes.append(
            {
                "process": number,
                "job": "j",
                "host": host,
                "world": "w",
                "world_size": 8,
                "world_rank": number,
                "mpi_state": 4,
                "slice_ns": SECOND,
                "start_ns": BEGIN,
                "end_ns": BEGIN + 60 * SECOND,
                "complete": True,
                "pid": 500 + number,
                "short": False,
                "first_slice": BEGIN // SECOND,
                "last_slice": BEGIN // SECOND + 59,
                "ppid": 1,
                "launcher": self.launcher,
                "allowed_cpus": cpus,
                "allowed_nodes": NODES[cpus],
                "group_cpus": group,
                "group_nodes": NODES.get(group, "0-1"),
                **more,
            }
        )
        self.totals.append(
            {
                "process": number,
                "os_user_ns": 30 * SECOND,
                "os_threads": threads,
                "os_runqueue_ns": int(waited * SECOND),
            }
        )
        for gpu, (moved, seconds) in (gpus or {}).items():
            self.work(
                number,
                gpu,
                gpu_h2d_ops=max(moved >> 20, 1),
                gpu_h2d_bytes=moved,
                gpu_h2d_ns=int(seconds * SECOND),
                gpu_launch_ops=1000,
            )

    def work(self, number: int, gpu: str, **values: int) -> None:
        """Add what a rank did on a GPU."""
        host = self.processes[number]["host"]
        self.used.append(
            {
                "process": number,
                "host": host,
                "gpu": gpu,
                "numa": int(gpu == B),
                **_NO_WORK,
                **values,
            }
        )
        self.seen(gpu, host, used=True)

    def seen(self, gpu: str, host: str = "n1", *, used: bool, busy_s: float | None = None) -> None:
        """Add a GPU that is known: whether a profile shows work on it, and what the agent saw."""
        self.known[host, gpu] = {
            "host": host,
            "gpu": gpu,
            "pci": gpu,
            "uuid": f"GPU-{gpu[5:7]}",
            "used": used,
            "busy_ns": None if busy_s is None else int(busy_s * SECOND),
        }

    def advice(self) -> list[BindingAdvice]:
        named = [{"host": host, "gpu": gpu, "name": "Big GPU"} for host, gpu in self.known]
        none = pa.table({"process": pa.array([], pa.int64())})
        known = [*self.known.values()]
        tables = JobTables(
            "j",
            pa.Table.from_pylist(self.processes),
            none,
            pa.Table.from_pylist(self.totals),
            none,
            gpus=pa.Table.from_pylist(named) if named else None,
            process_gpus=pa.Table.from_pylist(self.used) if self.used else None,
            node_gpus=pa.Table.from_pylist(known) if known else None,
            node_adapters=pa.Table.from_pylist(self.adapters) if self.adapters else None,
        )
        processes = JobProcesses(tables.processes)
        return binding_advice(tables, processes, process_sums(tables, processes))


@pytest.fixture
def job() -> Job:
    return Job()


def test_ranks_are_far_from_their_gpus(job: Job) -> None:
    job.rank("0-3", {B: (40 * GIB, 4.0)})
    job.rank("4-7", {A: (30 * GIB, 3.0)})
    (advice,) = job.advice()
    assert (advice.rule, advice.bytes, advice.seconds) == ("far GPU", 70 * GIB, 7.0)
    assert advice.seen == (
        f"rank 0 on n1 may run only on NUMA node 0, and copies to and from GPU {B}, which is "
        "attached to node 1; so does another one"
    )
    assert [(case.who, case.nodes, case.gpu_node) for case in advice.cases] == [
        ("rank 0", "0", 1),
        ("rank 1", "1", 0),
    ]
    assert advice.saving_s is None
    assert advice.saving.startswith("none is predicted")


def test_what_near_ranks_copy_predicts_the_saving(job: Job) -> None:
    job.rank("4-7", {B: (40 * GIB, 1.0)})  # near: 40 GiB/s
    job.rank("0-3", {B: (20 * GIB, 1.0)})  # far: half of that
    (advice,) = job.advice()
    assert advice.saving_s == pytest.approx((0.5, 0.5, 0.5))
    assert [case.who for case in advice.cases] == ["rank 1"]


def test_the_saving_has_an_interval(job: Job) -> None:
    job.rank("4-7", {B: (40 * GIB, 1.0)})
    job.rank("4-7", {B: (40 * GIB, 2.0)})
    job.rank("0-3", {B: (20 * GIB, 2.0)})
    (advice,) = job.advice()
    assert advice.saving_s == pytest.approx((1.0, 1.25, 1.5))
    said = "\n".join(map(str, binding_view([advice])))
    assert "saving: 1.25 s of copies, if they copied as fast as" in said
    assert "(1.00 s to 1.50 s: the slowest and the fastest of these)" in said


@pytest.mark.parametrize(
    ("samples", "expected"), [([90, 10], 1), ([50, 50], 0), ([10, 90], 0), ([9, 1], 0), ([40], 1)]
)
def test_unbound_processes_are_far_if_they_ran_there(
    job: Job, samples: list[int], expected: int
) -> None:
    job.rank("0-7", {B: (40 * GIB, 4.0)}, node_samples=samples)
    advice = job.advice()
    assert len(advice) == expected
    for each in advice:
        part = {90: "90", 40: "100"}[samples[0]]
        assert each.seen == (
            f"rank 0 on n1 ran {part} % of the time on cores of other NUMA nodes than its GPU's, "
            f"and copies to and from GPU {B}, which is attached to node 1"
        )


@pytest.mark.parametrize("cpus", ["4-7", "0-7", ""])
def test_near_unbound_and_unknown_processes_give_no_advice(job: Job, cpus: str) -> None:
    job.rank(cpus, {B: (40 * GIB, 4.0)})
    assert job.advice() == []


def test_few_bytes_are_not_worth_it(job: Job) -> None:
    job.rank("0-3", {B: (1 << 20, 0.01)})
    assert job.advice() == []


def test_cores_alongside_the_gpu_must_be_the_jobs(job: Job) -> None:
    job.rank("0-3", {B: (40 * GIB, 4.0)}, group="0-3")
    (advice,) = job.advice()
    assert advice.texts == ["sbatch --gres-flags=enforce-binding ..."]


@pytest.mark.parametrize(
    ("launcher", "text"),
    [
        ("slurm", "srun --cpu-bind=map_ldom:1,0 --mem-bind=local ..."),
        ("torch", "torchrun --numa-binding=node ..."),
        ("", "numactl --cpunodebind=1 --membind=1 PROGRAM ..."),
    ],
)
def test_the_text_is_the_launchers(launcher: str, text: str) -> None:
    job = Job(launcher)
    job.rank("0-3", {B: (40 * GIB, 4.0)})
    job.rank("4-7", {A: (30 * GIB, 3.0)})
    assert job.advice()[0].texts[0] == text


def test_torchrun_within_a_step_of_slurm_gets_its_own_text() -> None:
    job = Job("slurm")
    job.rank("0-7", pid=77, world_rank=-1, world_size=0, mpi_state=0)  # torchrun itself
    job.rank("0-3", {B: (40 * GIB, 4.0)}, ppid=77)
    job.rank("4-7", {A: (30 * GIB, 3.0)}, ppid=77)
    assert job.advice()[0].texts == ["torchrun --numa-binding=node ..."]


@pytest.mark.parametrize("launcher", ["orte", "hydra"])
def test_the_text_for_mpirun_does_what_it_says(tmp_path: Path, launcher: str) -> None:
    """Run by a shell, with programs of our own in the place of mpirun and numactl."""
    job = Job(launcher)
    job.rank("0-3", {B: (40 * GIB, 4.0)})
    job.rank("4-7", {A: (30 * GIB, 3.0)})
    (text,) = job.advice()[0].texts
    rank = {"orte": "OMPI_COMM_WORLD_LOCAL_RANK", "hydra": "MPI_LOCALRANKID"}[launcher]
    for name, script in {
        "mpirun": 'shift 2; exec "$@"',
        "mpiexec": 'shift 2; exec "$@"',
        "numactl": 'echo "$@"',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    said = [
        subprocess.run(
            ["sh", "-c", text.replace("PROGRAM ...", shlex.join(["prog", "a b"]))],
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}", rank: str(number)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in (0, 1)
    ]
    assert said == [f"--cpunodebind={node} --membind={node} prog a b\n" for node in (1, 0)]


def test_ranks_share_a_gpu_while_another_is_idle(job: Job) -> None:
    job.rank("0-3", {A: (GIB, 0.1)})
    job.rank("0-3", {A: (GIB, 0.1)})
    assert job.advice() == []  # nothing is known of another one
    job.seen(B, used=False)
    (advice,) = job.advice()
    assert advice.rule == "shared GPU"
    assert advice.seen == (
        f"ranks 0-1 on n1 use one GPU, {A}, while {B} of the same node is idle (no profile shows "
        "work on it)"
    )
    assert "programs without a profile" in advice.unless
    assert advice.cases[0].bytes == 2 * GIB


def test_another_job_on_the_other_gpu(job: Job) -> None:
    job.rank("0-3", {A: (GIB, 0.1)})
    job.rank("0-3", {A: (GIB, 0.1)})
    job.seen(B, used=True)
    assert job.advice() == []


@pytest.mark.parametrize(("busy_s", "expected"), [(0.1, 1), (30.0, 0)])
def test_the_agent_shows_whether_a_gpu_is_idle(job: Job, busy_s: float, expected: int) -> None:
    job.rank("0-3", {A: (GIB, 0.1)})
    job.rank("0-3", {A: (GIB, 0.1)})
    job.seen(B, used=False, busy_s=busy_s)
    advice = job.advice()
    assert len(advice) == expected
    assert all("its agent saw no work" in each.seen for each in advice)


def test_a_rank_that_only_opens_a_gpu_does_not_share_it(job: Job) -> None:
    job.rank("0-3", {A: (GIB, 0.1)})
    job.rank("4-7", {B: (40 * GIB, 1.0)})
    job.work(1, A, gpu_launch_ops=2)
    job.seen("0000:e0:00.0", used=False)
    assert job.advice() == []


def adapters(job: Job, *rows: tuple[str, int, int]) -> None:
    """Add adapters to both nodes: name, NUMA node, GiB that it carried."""
    job.adapters += [
        {"host": host, "name": name, "numa": numa, "bytes": size * GIB}
        for host in ("n1", "n2")
        for name, numa, size in rows
    ]


def test_messages_go_over_the_far_adapter(job: Job) -> None:
    for host in ("n1", "n2"):
        job.rank("0-3", {A: (GIB, 0.1)}, host=host)
    adapters(job, ("mlx5_0/1", 0, 0), ("mlx5_1/1", 1, 30))
    (advice,) = job.advice()
    assert (advice.rule, advice.bytes, len(advice.cases)) == ("far adapter", 60 * GIB, 2)
    assert advice.seen == (
        "the GPUs of rank 0 on n1 are on NUMA node 0, while the node's traffic goes over mlx5_1/1 "
        "on another one, and mlx5_0/1 next to the GPUs is idle"
    )
    assert advice.texts == ["export NCCL_IB_HCA=mlx5_0:1", "export UCX_NET_DEVICES=mlx5_0:1"]


@pytest.mark.parametrize(
    "rows",
    [
        [("mlx5_0/1", 0, 30), ("mlx5_1/1", 1, 0)],  # near
        [("mlx5_0/1", 0, 30), ("mlx5_1/1", 1, 30)],  # both
        [("mlx5_1/1", 1, 30)],  # there is no other
        [("eth0", 0, 0), ("mlx5_1/1", 1, 30)],  # of another network
        [("mlx5_0/1", 0, 0), ("mlx5_1/1", -1, 30)],  # where it hangs is not known
        [("mlx5_0/1", 0, 0), ("mlx5_1/1", 1, 0)],  # nothing was sent
    ],
)
def test_no_advice_on_adapters(job: Job, rows: list[tuple[str, int, int]]) -> None:
    for host in ("n1", "n2"):
        job.rank("0-3", {A: (GIB, 0.1)}, host=host)
    adapters(job, *rows)
    assert job.advice() == []


def test_ranks_wait_for_the_same_cores(job: Job) -> None:
    job.rank("0-1", waited=20)
    job.rank("0-1", waited=22)
    job.rank("2-3", waited=0.1)
    (advice,) = job.advice()
    assert (advice.rule, advice.seconds) == ("same cores", 42.0)
    assert advice.seen == (
        "ranks 0-1 on n1 may run only on cores 0-1 and waited 35 % of the time for a core, while "
        "no busy process of the job may run on cores 4-7, which it could use"
    )
    assert advice.texts == ["mpirun --bind-to none ..."]


def test_threads_of_one_rank_wait_for_its_core(job: Job) -> None:
    job.rank("0", waited=90, threads=4)
    (advice,) = job.advice()
    assert advice.cases[0].who == "rank 0"
    assert advice.cases[0].cpus == "0"


@pytest.mark.parametrize(
    "ranks",
    [
        [("0-1", 20.0, "0-1"), ("0-1", 20.0, "0-1")],  # there are no other cores
        [("0-1", 20.0, "0-7"), ("0-1", 20.0, "0-7"), ("0-7", 0.0, "0-7")],  # somebody may use them
        [("0-1", 0.2, "0-7"), ("0-1", 0.2, "0-7")],  # they did not wait
        [("0-1", 20.0, "0-7"), ("0-1", 20.0, "0-7"), ("", 0.0, "")],  # of one it is not known
        [("0", 20.0, "0-7")],  # one thread waited for a stranger
        [("0-1", 20.0, "")],
    ],
)
def test_no_advice_on_cores(job: Job, ranks: list[tuple[str, float, str]]) -> None:
    for cpus, waited, group in ranks:
        job.rank(cpus, waited=waited, group=group)
    assert job.advice() == []


def test_processes_without_a_launcher_get_lists_of_cores() -> None:
    job = Job("")
    job.rank("0-1", waited=20)
    job.rank("0-1", waited=20)
    assert job.advice()[0].texts == ["taskset -c 0-3 PROGRAM ...", "taskset -c 4-7 PROGRAM ..."]


def test_lists_of_cores() -> None:
    for text in ("0", "0-3,8", "5,7-9"):
        numbers = read_list(text)
        assert numbers is not None
        assert list_text(numbers) == text
    for text in ("", "0,2,...", "x", "1-", "-1", "0-99999", "3-1", "3,1", "0-3,2", "0;1", 9 * "1"):
        assert read_list(text) is None


def test_from_profiles(tmp_path: Path) -> None:
    """Cores, nodes and copies in profiles reach the code that gives advice."""
    ranks = {0: ("0-3", "0", B, 1), 1: ("4-7", "1", B, 1)}
    for rank, (cpus, nodes, bus, node) in ranks.items():
        p = Profile(
            pid=100 + rank,
            end_ns=EPOCH + 40 * SECOND,
            end_reason=1,
            bindings=[(cpus, nodes, "0-7", "0-1")],
            mpi={
                "mpi_state": 4,
                "world_size": 2,
                "world_rank": rank,
                "launcher": "slurm",
                "world": "w",
            },
        )
        p.gpus = Gpus(p.first_slice, [GpuName(pci=bus, uuid=f"GPU-{rank}", numa=node)])
        # Words 0 to 2: operations, bytes and ns of copies to the GPU; 15: launches.
        p.records.append(p.gpus.add(p.first_slice, 2, {0: {0: 40, 1: 4 * GIB, 2: 10**9, 15: 9}}))
        p.add_slice(p.first_slice, {"os_user_ns": SECOND})
        p.write(tmp_path)
    with Repository.of_spool([tmp_path]) as store:
        far = next(a for a in digest(store.job_tables("job")).binding if a.rule == "far GPU")
    assert [case.who for case in far.cases] == ["rank 0"]
    assert (far.bytes, far.seconds) == (4 * GIB, 1.0)
    assert far.texts == ["srun --cpu-bind=map_ldom:1,1 --mem-bind=local ..."]
