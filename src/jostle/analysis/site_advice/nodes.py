"""Advises a site which programs should have nodes alone, and which nodes and servers to repair."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from jostle.analysis.interval import Interval
from jostle.analysis.site_advice.model import (
    Cost,
    Directive,
    SiteEvidence,
    SiteJob,
    SiteRecommendation,
    added,
    scaled,
)
from jostle.analysis.site_advice.outcome import lost_core_hours
from jostle.analysis.site_advice.words import core_hours, energy, is_safe
from jostle.values.storage_servers import mount_of

#: Kinds of resources of a node.
_OF_A_NODE = ("node", "memory")
_MOST = 3
_SERVER = re.compile(r"server (\S+) \((.*)\)")
_OST = re.compile(r"(\w+)-(OST[0-9a-fA-F]{4})")
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,254}")


def exclusive_nodes(evidence: SiteEvidence) -> Iterator[SiteRecommendation]:
    """Yield the advice to run programs on exclusive nodes, where that saves core hours.

    The saving is what jobs on shared nodes cost each other, less the core hours that would be idle.

    Args:
        evidence: Recorded data of the period.
    """
    left = [
        cost
        for cost in evidence.costs
        if cost.kind in _OF_A_NODE and cost.source == "job" and cost.cause in evidence.jobs
    ]
    for _ in range(_MOST):
        of: dict[str, list[Cost]] = defaultdict(list)
        for cost in left:
            for program in _programs(cost, evidence):
                of[program].append(cost)
        gains = {
            program: _lost(some, evidence).value - (_idle(evidence, program) or 0.0)
            for program, some in of.items()
            if is_safe(program)
        }
        best = max(gains, key=lambda program: (gains[program], program), default="")
        if not best or gains[best] <= 0:
            return
        yield _exclusive(evidence, best, of[best])
        left = [cost for cost in left if best not in _programs(cost, evidence)]


def _programs(cost: Cost, evidence: SiteEvidence) -> set[str]:
    """Return the programs of the job that lost time and of the job that caused it."""
    return {evidence.jobs[name].program for name in (cost.job, cost.cause)}


def _lost(costs: list[Cost], evidence: SiteEvidence) -> Interval:
    return added(lost_core_hours(cost, evidence.jobs) for cost in costs)


def _idle(evidence: SiteEvidence, program: str) -> float | None:
    """Return the core hours that would be idle if a program had its nodes alone.

    None if the number of cores of a node is not known.
    """
    idle = 0.0
    for job in evidence.jobs.values():
        if job.program == program:
            cores = [evidence.node_cores.get(node) for node in job.nodes]
            if not cores or None in cores:
                return None
            whole = float(sum(number or 0 for number in cores))
            idle += max(whole - job.cores, 0.0) * job.run_s / 3600
    return idle


def _exclusive(evidence: SiteEvidence, program: str, costs: list[Cost]) -> SiteRecommendation:
    idle, lost = _idle(evidence, program), _lost(costs, evidence)
    saved = lost if idle is None else Interval(*(end - idle for end in _ends(lost)))
    hosts = sorted({cost.resource for cost in costs})
    others = {program for cost in costs for program in _programs(cost, evidence)}
    shown = ", ".join(hosts[:3]) + (f" and {len(hosts) - 3} more" if len(hosts) > 3 else "")
    directive = Directive(program, "exclusive")
    return SiteRecommendation(
        rule="exclusive nodes",
        where=shown,
        seen=(
            f"{program} and {', '.join(sorted(others - {program})) or 'other jobs of it'} cost "
            f"each other {core_hours(lost.value)} on nodes that they shared"
        ),
        lever=f"give {program} whole nodes",
        texts=(f"#SBATCH --exclusive   # jobs that run {program}",),
        saving=saved,
        kwh=energy(evidence, saved, {evidence.jobs[cost.job].program for cost in costs}),
        saving_words=(
            "what they cost each other on shared nodes"
            + ("" if idle is None else f", less {core_hours(idle)} of cores left idle")
        ),
        pays=(
            f"{program}: it is charged for whole nodes and may wait longer for them"
            + ("; how many cores would stand idle is not known" if idle is None else "")
        ),
        delays=(),
        unless="its jobs could fill whole nodes, because several of them can then share a node",
        directives=(directive,),
    )


def _ends(interval: Interval) -> tuple[float, float, float]:
    return interval.value, interval.low, interval.high


def slow_servers(evidence: SiteEvidence) -> Iterator[SiteRecommendation]:
    """Yield the advice to repair servers that were slow by themselves, with the time they cost.

    Args:
        evidence: Recorded data of the period.
    """
    by_server: dict[tuple[str, str], list[Cost]] = defaultdict(list)
    for cost in evidence.costs:
        if cost.source == "server":
            by_server[cost.cause, mount_of(cost.resource)].append(cost)
    for (server, mount), costs in sorted(by_server.items()):
        lost = _lost(costs, evidence)
        path = evidence.names.get(mount, mount)
        jobs = {cost.job for cost in costs}
        yield SiteRecommendation(
            rule="drain",
            where=path,
            seen=(
                f"{server} was slow without load, which cost {len(jobs)} jobs "
                f"{core_hours(lost.value)} on {path}"
            ),
            lever=f"repair {server}, and let no new files be created there until then",
            texts=_server_texts(mount, server),
            saving=lost,
            kwh=energy(evidence, lost, {evidence.jobs[job].program for job in jobs}),
            saving_words=(
                "what its slowness cost; files that stay on it are slow until it is repaired"
            ),
            pays="nobody, apart from its capacity: the other servers take its share of new files",
            delays=(),
            unless="it is slow because it rebuilds data, which ends by itself",
        )


def _server_texts(mount: str, server: str) -> tuple[str, ...]:
    """Return commands that take a server out of use for new files, by kind of file system."""
    kind, named = mount.partition(":")[0], _SERVER.fullmatch(server)
    part = named[2].rpartition(" ")[2] if named else ""
    if kind == "lustre" and (ost := _OST.search(server)):
        return (
            f"lctl set_param osp.{ost[1]}-{ost[2]}-osc-MDT*.max_create_count=0"
            "   # on the metadata servers",
        )
    if kind in ("ceph", "ceph-fuse") and re.fullmatch(r"osd\.\d+", part):
        return (f"ceph osd out {part[4:]}   # its files move to the others",)
    return ()


def slow_nodes(evidence: SiteEvidence) -> Iterator[SiteRecommendation]:
    """Yield the advice to drain and repair nodes that are persistently worse than their peers.

    Args:
        evidence: Recorded data of the period.
    """
    for node in evidence.slow_nodes:
        if not _HOST.fullmatch(node.host):
            continue
        on_it = [job for job in evidence.jobs.values() if node.host in job.nodes]
        hours = sum(job.core_hours for job in on_it)
        saved = None
        if node.slower is not None:
            high = scaled(Interval(*(x / max(1 - x, 0.01) for x in _ends(node.slower))), hours)
            saved = Interval(high.value / 2, 0.0, high.high)
        yield SiteRecommendation(
            rule="drain",
            where=node.host,
            seen=node.words,
            lever=f"take {node.host} out of service and repair it",
            texts=(
                f"scontrol update NodeName={node.host} State=DRAIN "
                'Reason="jostle: slower than its peers"',
            ),
            saving=saved,
            kwh=None if saved is None else energy(evidence, saved, {job.program for job in on_it}),
            saving_words=(
                f"{len(on_it)} jobs ran on it, with {core_hours(hours)} on all of their nodes; "
                "those that compute lose as much as its cores are slower, since their other nodes "
                "wait for it; those that wait for memory or files lose nothing"
                if saved is not None
                else "what this figure costs jobs is not known"
            ),
            pays=f"everybody: there is one node fewer ({_cores(evidence.node_cores, node.host)})",
            delays=(),
            unless="all nodes of its kind are meant to be like that",
        )


def _cores(node_cores: Mapping[str, int], host: str) -> str:
    return f"{node_cores[host]} cores" if host in node_cores else "its cores are not known"


def one_switch(evidence: SiteEvidence) -> Iterator[SiteRecommendation]:
    """Yield the advice to place the nodes of a program under one leaf switch.

    Args:
        evidence: Recorded data of the period.
    """
    by_program: dict[str, list[Cost]] = defaultdict(list)
    for cost in evidence.costs:
        job = evidence.jobs[cost.job]
        fits = 1 < len(job.nodes) <= evidence.leaf_nodes
        if cost.kind == "network" and cost.resource.startswith("link ") and fits:
            by_program[job.program].append(cost)
    for program, costs in sorted(by_program.items()):
        if not is_safe(program):
            continue
        lost = _lost(costs, evidence)
        jobs = [job for job in evidence.jobs.values() if _fits(job, program, evidence.leaf_nodes)]
        links = sorted({cost.resource for cost in costs})
        yield SiteRecommendation(
            rule="one switch",
            where=links[0] + (f" and {len(links) - 1} more" if len(links) > 1 else ""),
            seen=(
                f"{program} lost {core_hours(lost.value)} on {len(links)} links between "
                "switches that others used too; its nodes would fit under one leaf switch"
            ),
            lever=f"ask for one leaf switch for {program}, and wait at most an hour for it",
            texts=(f"#SBATCH --switches=1@60   # jobs that run {program}",),
            saving=Interval(lost.value, 0.0, lost.high),
            kwh=energy(evidence, lost, {program}),
            saving_words=(
                "all that it lost between switches, if it always got one switch; nothing where "
                "it did not"
            ),
            pays=f"{program}: each of its {len(jobs)} jobs may start up to an hour later",
            delays=(),
            unless="Slurm does not know the fabric (TopologyPlugin=topology/tree)",
            directives=(Directive(program, "switches=1@60"),),
        )


def _fits(job: SiteJob, program: str, most: int) -> bool:
    return job.program == program and 1 < len(job.nodes) <= most
