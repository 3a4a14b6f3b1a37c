"""Finds processes of a job that wait for the same cores while other cores of the job are idle."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from jostle.analysis.binding.launches import on_own_cores
from jostle.analysis.binding.model import MOST_CASES, BindingAdvice, BindingCase
from jostle.analysis.binding.processes import BoundProcess, names
from jostle.analysis.shares_of_time import share_of_lives
from jostle.values.core_lists import list_text

#: A busy process used, or waited for, at least this part of a core, and so many seconds.
_BUSY = 0.05
_BUSY_S = 0.1
#: Seconds, and share of the time: shorter waiting for cores is not worth a change.
_LEAST_S = 1.0
_LEAST_SHARE = 0.05


def same_cores(processes: Sequence[BoundProcess]) -> BindingAdvice | None:
    """Return advice for processes that wait for cores while they may not use idle cores of the job.

    Args:
        processes: Processes of one job.

    Returns:
        The advice, with all groups of such processes; None if there is none.
    """
    by_host: dict[str, list[BoundProcess]] = defaultdict(list)
    for process in processes:
        wanted = process.cpu_s + process.waited_s
        if wanted >= _BUSY_S and wanted >= _BUSY * process.life_s:
            by_host[process.host].append(process)
    crowds = [crowd for host in sorted(by_host) for crowd in _crowds(by_host[host])]
    if not crowds:
        return None
    crowds.sort(key=lambda each: -sum(process.waited_s for process in each))
    worst = crowds[0]
    mates = sorted(by_host[worst[0].host], key=lambda process: (process.rank, process.at))
    group = worst[0].group_cpus or frozenset[int]()
    left = group - _all_cores(mates)
    waited = sum(process.waited_s for process in worst)
    lived = sum(process.life_s for process in worst)
    threads = sum(process.life_s * max(process.threads, 1) for process in worst)
    share = share_of_lives(waited, lived, threads)
    how_long = f"{waited:.3g} s" if math.isnan(share) else f"{100 * share:.0f} % of the time"
    cases = [_case(crowd) for crowd in crowds]
    whole = sum(case.seconds for case in cases)
    return BindingAdvice(
        rule="same cores",
        seen=f"{names(worst)} on {worst[0].host} may run only on {_cores(_all_cores(worst))} "
        f"and waited {how_long} for a core, while no busy process of the job may "
        f"run on {_cores(left)}, which it could use",
        lever="let them run on other cores",
        texts=on_own_cores(mates if len(worst) > 1 else worst, group),
        pays="No process of this job. Other jobs on the node may lose time, if they use those "
        "cores.",
        unless="those cores belong to another job (without control groups, every job seems to "
        "have all cores of the machine)",
        saving=f"none is predicted; it is at most the {whole:.3g} s that their threads waited",
        saving_s=None,
        bytes=0,
        seconds=whole,
        cases=cases[:MOST_CASES],
        more_cases=max(len(cases) - MOST_CASES, 0),
    )


def _cores(numbers: frozenset[int]) -> str:
    return f"core{'s' * (len(numbers) > 1)} {list_text(numbers)}"


def _all_cores(processes: Sequence[BoundProcess]) -> frozenset[int]:
    return frozenset[int]().union(*(process.cpus or () for process in processes))


def _crowds(busy: Sequence[BoundProcess]) -> list[list[BoundProcess]]:
    """Return groups of processes that wait for the same cores while other cores are idle.

    Args:
        busy: The job's busy processes on one node.
    """
    if any(process.cpus is None for process in busy):
        return []  # a process may run on any core
    used = _all_cores(busy)
    if all(process.group_cpus is None or process.group_cpus <= used for process in busy):
        return []
    crowds = []
    for crowd in _by_cores(busy):
        group = crowd[0].group_cpus
        waited = sum(process.waited_s for process in crowd)
        lived = sum(process.life_s for process in crowd)
        left = group is not None and group - used
        if left and waited >= _LEAST_S and waited >= _LEAST_SHARE * lived and _share(crowd):
            crowds.append(crowd)
    return crowds


def _share(crowd: Sequence[BoundProcess]) -> bool:
    """Return whether threads of these processes may have waited for each other.

    A process with a single thread and cores of its own can only have waited for another job.
    """
    if len(crowd) == 1:
        return crowd[0].threads > 1
    return any(a.meets(b) for a, b in pairwise(crowd))


def _by_cores(processes: Sequence[BoundProcess]) -> list[list[BoundProcess]]:
    """Group the processes whose sets of cores overlap, directly or through other processes."""
    parent = list(range(len(processes)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    owner: dict[int, int] = {}
    for at, process in enumerate(processes):
        for core in process.cpus or ():
            parent[root(at)] = root(owner.setdefault(core, at))
    joined: dict[int, list[BoundProcess]] = defaultdict(list)
    for at, process in enumerate(processes):
        joined[root(at)].append(process)
    return list(joined.values())


def _case(crowd: Sequence[BoundProcess]) -> BindingCase:
    nodes = [process.nodes for process in crowd if process.nodes]
    return BindingCase(
        crowd[0].host,
        names(crowd),
        list_text(_all_cores(crowd)),
        list_text(frozenset[int]().union(*nodes)),
        "",
        -1,
        0,
        sum(process.waited_s for process in crowd),
    )
