"""Writes the commands that bind the ranks of a job, for each launcher.

The options are those of Slurm's srun(1), Open MPI's and MPICH's mpirun, PyTorch's torchrun (2.9 and
later) and numactl(8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jostle.analysis.binding.processes import BoundProcess
from jostle.values.core_lists import list_text

#: Launcher -> the variable with a rank's number on the node, and the command without binding.
_MPIRUNS = {
    "orte": ("OMPI_COMM_WORLD_LOCAL_RANK", "mpirun --bind-to none"),
    "prrte": ("OMPI_COMM_WORLD_LOCAL_RANK", "mpirun --bind-to none"),
    "hydra": ("MPI_LOCALRANKID", "mpiexec -bind-to none"),
}


def on_nodes(mates: Sequence[BoundProcess], target: Mapping[int, int]) -> list[str]:
    """Return the command lines that bind processes to the NUMA nodes of their GPUs.

    Args:
        mates: Processes of one launch on one node, in order of rank.
        target: For the index of a process (BoundProcess.at), the NUMA node that it should run on.
            Processes that are not in `target` keep their NUMA nodes.
    """
    wanted = [target.get(process.at, min(process.nodes or {0})) for process in mates]
    launcher = mates[0].launcher
    if launcher == "slurm":
        return [f"srun --cpu-bind=map_ldom:{','.join(map(str, wanted))} --mem-bind=local ..."]
    if launcher == "torch":
        return ["torchrun --numa-binding=node ..."]
    if launcher in _MPIRUNS:
        return [_mpirun(launcher, wanted)]
    lines: dict[int, str] = {}
    for process, node in zip(mates, wanted, strict=True):
        if process.at in target:
            lines.setdefault(node, f"numactl --cpunodebind={node} --membind={node} PROGRAM ...")
    return list(lines.values())


def _mpirun(launcher: str, wanted: Sequence[int]) -> str:
    local_rank, start = _MPIRUNS[launcher]
    if len(set(wanted)) == 1:
        return f"{start} numactl --cpunodebind={wanted[0]} --membind={wanted[0]} PROGRAM ..."
    chosen = f'n=$(echo {" ".join(map(str, wanted))} | cut -d" " -f$(({local_rank}+1)))'
    return (
        f"{start} sh -c '{chosen}; exec numactl --cpunodebind=$n --membind=$n \"$@\"' sh "
        "PROGRAM ..."
    )


def one_gpu_each(mates: Sequence[BoundProcess], idle_uuid: str) -> list[str]:
    """Return the command lines that give each rank of a node a GPU of its own.

    Args:
        mates: Ranks of one launch on one node.
        idle_uuid: UUID of an idle GPU of this node; "" if it is unknown.
    """
    launcher = mates[0].launcher
    if launcher == "slurm":
        return ["srun --gpu-bind=per_task:1 ..."]
    if launcher == "torch":
        return ['torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))']
    if launcher in _MPIRUNS:
        local_rank, _ = _MPIRUNS[launcher]
        return [f"mpirun sh -c 'CUDA_VISIBLE_DEVICES=${local_rank} exec \"$@\"' sh PROGRAM ..."]
    return [f"CUDA_VISIBLE_DEVICES={idle_uuid or 'NUMBER'} PROGRAM ..."]


def on_own_cores(mates: Sequence[BoundProcess], group: frozenset[int]) -> list[str]:
    """Return the command lines that let processes use all cores that are available to their job.

    Args:
        mates: Processes of one node that need more cores, in order of rank.
        group: Cores of the node that are available to the job.
    """
    launcher = mates[0].launcher
    if launcher == "slurm":
        return ["srun --cpu-bind=none ..."]
    if launcher in _MPIRUNS:
        return [f"{_MPIRUNS[launcher][1]} ..."]
    if launcher == "torch":
        return [f"taskset -c {list_text(group)} torchrun ..."]
    cores, share = sorted(group), len(group) // len(mates)
    if len(mates) == 1 or not share:
        return [f"taskset -c {list_text(group)} PROGRAM ..."]
    parts = [cores[share * number : share * (number + 1)] for number in range(len(mates))]
    return [f"taskset -c {list_text(part)} PROGRAM ..." for part in parts[:8]]


def over_adapter(name: str) -> list[str]:
    """Return the shell lines that make collective libraries and MPI send over a given adapter.

    Args:
        name: Name of a port ("mlx5_0/1") or of a network interface ("eth1"), as agents record it.
    """
    if "/" not in name:
        return [f"export NCCL_SOCKET_IFNAME={name} GLOO_SOCKET_IFNAME={name}"]
    port = name.replace("/", ":")
    return [f"export NCCL_IB_HCA={port}", f"export UCX_NET_DEVICES={port}"]
