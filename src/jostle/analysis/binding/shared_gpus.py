"""Finds ranks that share a GPU while another GPU of their node is idle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from jostle.analysis.binding.launches import one_gpu_each
from jostle.analysis.binding.model import MOST_CASES, BindingAdvice, BindingCase
from jostle.analysis.binding.processes import BoundProcess, names
from jostle.values.core_lists import list_text

#: Least part of its launches (without launches: of its bytes) on a GPU that a rank uses for its
#: work: a library may open all GPUs.
_WORKS = 0.1
#: Largest part of the job's time in which an idle GPU worked.
_IDLE = 0.01


def shared_gpus(
    table: pa.Table | None,
    known: pa.Table | None,
    processes: Mapping[int, BoundProcess],
    seconds: float,
) -> BindingAdvice | None:
    """Return advice for ranks of one world that share a GPU, where their node has an idle GPU.

    Args:
        table: What each process did with each GPU, JobTables.process_gpus.
        known: All GPUs of the job's nodes, JobTables.node_gpus.
        processes: Processes of the job by their id.
        seconds: Run time of the job, in seconds.

    Returns:
        The advice, with all such GPUs; None if there is none.
    """
    if table is None or known is None:
        return None
    idle = _idle_gpus(known, seconds)
    groups = [
        (host, gpu, users)
        for (host, gpu), users in sorted(_users(table, processes).items())
        if len(users) > 1 and _candidates(idle, host, gpu)
    ]
    if not groups:
        return None
    cases = sorted(
        (_case(host, gpu, users) for host, gpu, users in groups),
        key=lambda case: (-case.seconds, case.host, case.gpu),
    )
    first = cases[0]
    users = next(u for host, gpu, u in groups if (host, gpu) == (first.host, first.gpu))
    free = _candidates(idle, first.host, first.gpu)
    mates = sorted((process for process, _ in users), key=lambda process: process.rank)
    by_agent = free[0]["busy_ns"] is not None
    evidence = "its agent saw no work on it" if by_agent else "no profile shows work on it"
    return BindingAdvice(
        rule="shared GPU",
        seen=f"{first.who} on {first.host} use one GPU, {first.gpu}, while {free[0]['gpu']} of the "
        f"same node is idle ({evidence})",
        lever="give each rank a GPU of its own",
        texts=one_gpu_each(mates, str(free[0]["uuid"])),
        pays="Nobody, if the idle GPU belongs to the job; otherwise the job that would have got "
        "it.",
        unless="the job was given this GPU alone (then ask for more), or its ranks share it on "
        "purpose" + ("" if by_agent else ", or programs without a profile use the other"),
        saving="none is predicted: the speed of each rank alone was not measured",
        saving_s=None,
        bytes=sum(case.bytes for case in cases),
        seconds=sum(case.seconds for case in cases),
        cases=cases[:MOST_CASES],
        more_cases=max(len(cases) - MOST_CASES, 0),
    )


def _users(
    table: pa.Table, processes: Mapping[int, BoundProcess]
) -> dict[tuple[str, str], list[tuple[BoundProcess, dict[str, Any]]]]:
    """Return, for each host and GPU, the ranks that worked on the GPU at the same time.

    If ranks of several worlds worked on a GPU, those of the world with the most such ranks.
    """
    rows = [row for row in table.to_pylist() if row["process"] in processes]
    launches: dict[int, int] = defaultdict(int)
    moved: dict[int, int] = defaultdict(int)
    for row in rows:
        launches[row["process"]] += _launches(row)
        moved[row["process"]] += _bytes(row)
    users: dict[tuple[str, str, str], list[tuple[BoundProcess, dict[str, Any]]]] = {}
    for row in rows:
        process, number = processes[row["process"]], row["process"]
        whole = launches[number] or moved[number]
        part = _launches(row) if launches[number] else _bytes(row)
        if process.rank >= 0 and whole and part >= _WORKS * whole:
            key = (row["host"], row["gpu"], process.world)
            mates = users.setdefault(key, [])
            if not mates or mates[0][0].meets(process):
                mates.append((process, row))
    best: dict[tuple[str, str], list[tuple[BoundProcess, dict[str, Any]]]] = {}
    for (host, gpu, _), mates in users.items():
        if len(mates) > len(best.get((host, gpu), [])):
            best[host, gpu] = mates
    return best


def _launches(row: Mapping[str, Any]) -> int:
    return int(row["gpu_launch_ops"] + row["gpu_graph_ops"])


def _bytes(row: Mapping[str, Any]) -> int:
    return int(row["gpu_h2d_bytes"] + row["gpu_d2h_bytes"])


def _idle_gpus(known: pa.Table, seconds: float) -> dict[str, list[dict[str, Any]]]:
    """Return by host the GPUs on which no job worked, except those divided into MIG instances."""
    rows = known.to_pylist()
    divided = {(row["host"], row["pci"]) for row in rows if _is_instance(row["gpu"]) and row["pci"]}
    idle: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        busy = row["busy_ns"]
        works = row["used"] or (busy is not None and busy / 1e9 > _IDLE * seconds)
        if not works and (row["host"], row["gpu"]) not in divided:
            idle[row["host"]].append(row)
    for each in idle.values():  # first those that an agent knows
        each.sort(key=lambda row: (row["busy_ns"] is None, row["gpu"]))
    return idle


def _candidates(
    idle: Mapping[str, list[dict[str, Any]]], host: str, gpu: str
) -> list[dict[str, Any]]:
    return [
        row
        for row in idle.get(host, [])
        if row["gpu"] != gpu and _is_instance(row["gpu"]) == _is_instance(gpu)
    ]


def _is_instance(gpu: str) -> bool:
    return gpu.startswith("MIG-")


def _case(host: str, gpu: str, users: Sequence[tuple[BoundProcess, dict[str, Any]]]) -> BindingCase:
    processes = [process for process, _ in users]
    cpus = [process.cpus for process in processes if process.cpus]
    nodes = [process.nodes for process in processes if process.nodes]
    seconds = sum(row["gpu_h2d_ns"] + row["gpu_d2h_ns"] for _, row in users) / 1e9
    return BindingCase(
        host,
        names(processes),
        list_text(frozenset[int]().union(*cpus)),
        list_text(frozenset[int]().union(*nodes)),
        gpu,
        users[0][1]["numa"],
        sum(_bytes(row) for _, row in users),
        seconds,
    )
