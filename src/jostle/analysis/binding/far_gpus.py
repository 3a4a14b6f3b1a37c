"""Finds processes that copy data to or from a GPU on a different NUMA node than their cores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from jostle.analysis.binding.launches import on_nodes
from jostle.analysis.binding.model import MOST_CASES, BindingAdvice, BindingCase
from jostle.analysis.binding.processes import BoundProcess, names
from jostle.values.core_lists import list_text

#: Bytes, and share of the time: copies below both are not worth a change.
_LEAST_BYTES = 64 << 20
_LEAST_SHARE = 0.01
#: Largest part of the time on the GPU's node of a process that is mostly elsewhere.
_ELSEWHERE = 0.2
#: Largest factor between the mean sizes of copies that can be compared.
_ALIKE = 2.0
_WAYS = ("h2d", "d2h")


@dataclass(frozen=True)
class ProcessGpu:
    """The copies of one process to and from one GPU.

    Attributes:
        process: The process.
        gpu: Id of the GPU on its node.
        node: NUMA node that the GPU is attached to; -1: unknown.
        name: Model name of the GPU; "" unknown.
        ops: Number of copies by direction: h2d (host to GPU) and d2h (GPU to host).
        bytes: Bytes copied, by the same directions.
        ns: Time of the copies, ns, by the same directions.
        launches: Number of kernels and graphs that the process launched on the GPU.
    """

    process: BoundProcess
    gpu: str
    node: int
    name: str
    ops: dict[str, int]
    bytes: dict[str, int]
    ns: dict[str, int]
    launches: int

    @property
    def seconds(self) -> float:
        """Return the time that the copies took, in seconds."""
        return sum(self.ns.values()) / 1e9

    @property
    def moved(self) -> int:
        """Return the number of bytes copied."""
        return sum(self.bytes.values())

    @property
    def works(self) -> bool:
        """Return whether the process used the GPU at all."""
        return self.launches > 0 or self.moved > 0

    @property
    def is_far(self) -> bool:
        """Return whether the process ran rarely or never on the GPU's NUMA node."""
        part = self.process.part_on(self.node) if self.node >= 0 else None
        return part is not None and part <= _ELSEWHERE

    @property
    def is_near(self) -> bool:
        """Return whether the process ran mostly on the GPU's NUMA node."""
        part = self.process.part_on(self.node) if self.node >= 0 else None
        return part is not None and part >= 1 - _ELSEWHERE

    @property
    def matters(self) -> bool:
        """Return whether the process copied enough to be worth advice."""
        share = self.seconds / self.process.life_s if self.process.life_s > 0 else 0.0
        return self.moved >= _LEAST_BYTES or (self.moved > 0 and share >= _LEAST_SHARE)


def process_gpus(
    table: pa.Table | None, gpus: pa.Table | None, processes: dict[int, BoundProcess]
) -> list[ProcessGpu]:
    """Return the copies of each process to and from each GPU.

    Args:
        table: What each process did with each GPU, JobTables.process_gpus.
        gpus: The GPUs with their model names, JobTables.gpus.
        processes: The job's processes by their id in `table`.
    """
    rows = table.to_pylist() if table is not None else []
    named = gpus.select(["host", "gpu", "name"]).to_pylist() if gpus is not None else []
    makes = {(row["host"], row["gpu"]): row["name"] for row in named}

    def one(row: Mapping[str, Any]) -> ProcessGpu:
        ops, moved, ns = (
            {way: row[f"gpu_{way}_{what}"] for way in _WAYS} for what in ("ops", "bytes", "ns")
        )
        return ProcessGpu(
            processes[row["process"]],
            row["gpu"],
            row["numa"],
            makes.get((row["host"], row["gpu"]), ""),
            ops,
            moved,
            ns,
            row["gpu_launch_ops"] + row["gpu_graph_ops"],
        )

    return [one(row) for row in rows if row["process"] in processes]


def far_gpus(used: Sequence[ProcessGpu], everyone: Sequence[BoundProcess]) -> BindingAdvice | None:
    """Return advice for processes whose GPU is attached to a different NUMA node than their cores.

    Args:
        used: The GPUs that the job's processes used, from `process_gpus`.
        everyone: All processes of the job.

    Returns:
        The advice, with all such processes; None if there is none.
    """
    far = sorted(
        (each for each in used if each.is_far and each.matters),
        key=lambda each: (-each.seconds, -each.moved, each.process.at),
    )
    if not far:
        return None
    first = far[0]
    here = first.process
    # The right node for each rank is that of the GPU that it copies most to.
    most: dict[int, ProcessGpu] = {}
    for each in used:
        if each.node >= 0 and each.process.host == here.host:
            known = most.get(each.process.at)
            if known is None or (each.moved, each.gpu) > (known.moved, known.gpu):
                most[each.process.at] = each
    mates = sorted(
        (
            process
            for process in everyone
            if process.host == here.host
            and process.world == here.world
            and (process.rank >= 0) == (here.rank >= 0)
            and (process.rank >= 0 or process.at in {each.process.at for each in far})
        ),
        key=lambda process: (process.rank, process.at),
    )
    target = {at: each.node for at, each in most.items()}
    lacking = here.group_nodes is not None and first.node not in here.group_nodes
    texts = ["sbatch --gres-flags=enforce-binding ..."] if lacking else on_nodes(mates, target)
    cases = [_case(each) for each in far]
    saved, saving = _saving(far, used)
    others = len({each.process.at for each in far}) - 1
    return BindingAdvice(
        rule="far GPU",
        seen=_seen(first, others),
        lever=(
            f"give the job cores of node {first.node}, to which its GPU is attached"
            if lacking
            else "run each process on the NUMA node of its GPU"
        ),
        texts=(["sbatch --gres-flags=enforce-binding ..."] if lacking else on_nodes(mates, target)),
        pays=(
            "The job may wait longer: it needs a node with free cores next to the GPU."
            if lacking
            else "Processes on the same node share its cores and memory"
            + (
                "; what does not fit into that memory fails under --membind, and is "
                "allocated elsewhere with --preferred instead."
                if "--membind" in texts[0]
                else "."
            )
        ),
        unless=_unless(here.launcher, lacking=lacking),
        saving=saving,
        saving_s=saved,
        bytes=sum(case.bytes for case in cases),
        seconds=sum(case.seconds for case in cases),
        cases=cases[:MOST_CASES],
        more_cases=max(len(cases) - MOST_CASES, 0),
    )


def _case(each: ProcessGpu) -> BindingCase:
    process = each.process
    return BindingCase(
        process.host,
        names([process]),
        list_text(process.cpus or ()),
        list_text(process.nodes or ()),
        each.gpu,
        each.node,
        each.moved,
        each.seconds,
    )


def _seen(first: ProcessGpu, others: int) -> str:
    process = first.process
    more = f"; so do {others} others" if others > 1 else "; so does another one" * others
    if first.node in (process.nodes or ()):
        part = process.part_on(first.node) or 0.0
        ran = (
            f"ran {100 * (1 - part):.0f} % of the time on cores of other NUMA nodes than its GPU's"
        )
        return (
            f"{names([process])} on {process.host} {ran}, and copies to and from GPU {first.gpu}, "
            f"which is attached to node {first.node}{more}"
        )
    nodes = f"node{'s' * (len(process.nodes or ()) > 1)} {list_text(process.nodes or ())}"
    return (
        f"{names([process])} on {process.host} may run only on NUMA {nodes}, and copies to and "
        f"from GPU {first.gpu}, which is attached to node {first.node}{more}"
    )


def _unless(launcher: str, *, lacking: bool) -> str:
    if lacking:
        return "the GPU's node has no cores of its own, or the cluster has no Slurm"
    words = {
        "slurm": "the job does not have the whole node: Slurm maps NUMA nodes only then. "
        "--gpu-bind=closest changes the GPU instead of the cores",
        "torch": "local rank N does not use GPU N, or PyTorch is older than 2.9 (then put "
        "numactl before the program)",
    }
    return words.get(launcher, "the program has more threads than that node has cores")


def _saving(
    far: Sequence[ProcessGpu], used: Sequence[ProcessGpu]
) -> tuple[tuple[float, float, float] | None, str]:
    """Predict how much less time copies would take if the processes ran near their GPUs.

    The prediction uses the rates of copies of ranks that run near a GPU of the same model.

    Returns:
        Least, expected and largest saving, s, or None; and a text that says what it rests on.
    """
    near = [each for each in used if each.is_near]
    least = expected = most = 0.0
    for each in far:
        for way in _WAYS:
            alike = [
                other for other in near if other.name == each.name and _alike(each, other, way)
            ]
            if not alike or not each.ns[way]:
                continue
            paces = [other.ns[way] / other.bytes[way] for other in alike]
            mean = sum(o.ns[way] for o in alike) / sum(o.bytes[way] for o in alike)
            least, expected, most = (
                so_far + max(each.ns[way] - each.bytes[way] * pace, 0.0) / 1e9
                for so_far, pace in zip(
                    (least, expected, most), (max(paces), mean, min(paces)), strict=True
                )
            )
    if expected > 0:
        return (least, expected, most), (
            "if they copied as fast as the ranks of this job that are near their GPU; less of the "
            "job's time where computation hides copies"
        )
    if near:
        return None, "none is predicted: ranks that are near their GPU did not copy faster"
    return None, (
        "none is predicted: no rank of this job that is near its GPU shows how fast its copies "
        "could be"
    )


def _alike(far: ProcessGpu, near: ProcessGpu, way: str) -> bool:
    if not (far.ops[way] and near.ops[way] and far.bytes[way] and near.bytes[way]):
        return False
    ratio = (far.bytes[way] / far.ops[way]) / (near.bytes[way] / near.ops[way])
    return 1 / _ALIKE <= ratio <= _ALIKE
