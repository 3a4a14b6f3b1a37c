"""Advice for a whole site: reads the data of a period, and calls the analysis."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jostle.errors import JostleError
from jostle.report.models.batch_jobs import with_batch_jobs
from jostle.report.models.job.scheduler import with_facts
from jostle.report.models.jobs import job_rows
from jostle.report.models.machines.site_loads import (
    added_uses,
    cores_of_nodes,
    lustre_servers,
    nodes_of_a_leaf,
    paths_of_mounts,
    peaks_of_mounts,
    slow_nodes,
    uses_of_jobs,
)
from jostle.report.verdict.batch_loss import too_short
from jostle.values.storage_servers import mount_of

if TYPE_CHECKING:
    from jostle.analysis.identification.model import JobInterference
    from jostle.analysis.site_advice import Cost, SiteEvidence, SiteJob
    from jostle.repository import Repository

#: Default number of days.
DAYS = 7
_DAY_NS = 86_400_000_000_000
_NODES = "SELECT DISTINCT job, host FROM process_kinds WHERE list_contains($1, job) ORDER BY host"


@dataclass(frozen=True)
class JobCosts:
    """Losses of one job, from the verdict on it.

    Attributes:
        costs: Losses by suspect and resource.
        watts: Power of the job's nodes, W; None: not measured.
    """

    costs: tuple[Cost, ...] = ()
    watts: float | None = None


#: Returns the losses of a job; None: there is no verdict on it.
CostsOf = Callable[[str], JobCosts | None]


def period(store: Repository, days: int) -> tuple[int, int]:
    """Return a span of some days that ends with the newest job: start and end, ns since epoch."""
    ends = store.jobs().column("end_ns").to_pylist()
    until = max(ends, default=0)
    return max(until - days * _DAY_NS, 0), until


def evaluated_costs(
    store: Repository, name: str, viewer: int | None = None, seed: int = 0
) -> JobCosts | None:
    """Evaluate the losses of a job; None if it cannot be evaluated.

    Args:
        store: The repository.
        name: The job's full name.
        viewer: User (uid) whose jobs may be named; None: everybody's.
        seed: Seed of the random steps.
    """
    from jostle.report.verdict.verdict import USUAL, evaluate_job

    try:
        if not store.has_company(name):
            return JobCosts()
        found = evaluate_job(store, name, {**USUAL, "seed": seed}, viewer=viewer)
    except JostleError:
        return None
    return JobCosts(_costs(name, found.who), found.estimate.node_watts)


def _costs(name: str, who: JobInterference | None) -> tuple[Cost, ...]:
    from jostle.analysis.identification.statistics.seconds_lost import counted_once
    from jostle.analysis.site_advice import Cost

    if who is None:
        return ()
    kinds = {each.resource: each.kind for each in who.resources}
    named = [each for each in who.suspects if each.resource in kinds]
    losses = counted_once(
        [(each.resource, kinds[each.resource], each.seconds) for each in named], who.seconds.value
    )
    return tuple(
        Cost(name, each.job, each.resource, kinds[each.resource], seconds, each.kind)
        for each, seconds in zip(named, losses, strict=True)
    )


def stored_costs(name: str, verdict: Mapping[str, Any]) -> JobCosts:
    """Return the losses of a job from its verdict as JSON-compatible values (`verdict_json`)."""
    from jostle.analysis.identification.statistics.seconds_lost import counted_once
    from jostle.analysis.interval import Interval
    from jostle.analysis.site_advice import Cost

    who = verdict["interference"] or {"resources": [], "suspects": [], "seconds": {"value": 0.0}}
    kinds = {each["resource"]: each["kind"] for each in who["resources"]}
    named = [each for each in who["suspects"] if each["resource"] in kinds]
    losses = counted_once(
        [
            (each["resource"], kinds[each["resource"]], Interval(**each["seconds"]))
            for each in named
        ],
        who["seconds"]["value"],
    )
    costs = tuple(
        Cost(name, each["job"], each["resource"], kinds[each["resource"]], seconds, each["kind"])
        for each, seconds in zip(named, losses, strict=True)
    )
    return JobCosts(costs, verdict.get("node_watts"))


def site_evidence(
    store: Repository,
    days: int,
    costs_of: CostsOf,
    *,
    user: Collection[int] | None = None,
    say: Callable[[int, int, str], None] = lambda *_: None,
) -> SiteEvidence:
    """Return the recorded data of the last days of a site.

    Args:
        store: The repository.
        days: Number of days, up to the end of the newest job.
        costs_of: Function that returns the losses of a job, or None if there is no verdict on it.
        user: Users (uids) whose jobs are included; None: all users.
        say: Function that is called with the progress.
    """
    from jostle.analysis.site_advice import SiteEvidence

    span = period(store, days)
    rows = with_batch_jobs(store, job_rows(store, traffic=False))
    rows = [row for row in rows if row["end_ns"] > span[0] and row["start_ns"] < span[1]]
    rows = [row for row in rows if user is None or row["uid"] in user]
    whole_of = {part["job"]: row["job"] for row in rows for part in _parts(row)}
    found: dict[str, JobCosts | None] = {}
    for number, part in enumerate(part for row in rows for part in _parts(row)):
        say(number, len(whole_of), part["job"])
        found[part["job"]] = None if too_short(part) else costs_of(part["job"])
    jobs = _jobs(store, rows, span, found)
    costs = [
        replace(cost, job=whole_of[cost.job], cause=whole_of.get(cost.cause, cost.cause))
        for each in found.values()
        for cost in (each.costs if each else ())
        if whole_of.get(cost.cause) != whole_of[cost.job]
    ]
    if user is not None:  # a user may not see machines and loads of others
        return SiteEvidence(span[0] / 1e9, span[1] / 1e9, jobs, costs, names=paths_of_mounts(store))
    rpc_bytes, servers = lustre_servers(store, {mount_of(cost.resource) for cost in costs}, span)
    return SiteEvidence(
        from_s=span[0] / 1e9,
        to_s=span[1] / 1e9,
        jobs=jobs,
        costs=costs,
        peaks=peaks_of_mounts(store, span),
        rpc_bytes=rpc_bytes,
        servers=servers,
        node_cores=cores_of_nodes(store, span),
        leaf_nodes=nodes_of_a_leaf(store),
        slow_nodes=slow_nodes(store, days),
        names=paths_of_mounts(store),
    )


def _parts(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows of the parts of a batch job; for another job its own row."""
    parts: list[Mapping[str, Any]] = row.get("parts", [row])
    return parts


def _jobs(
    store: Repository,
    rows: Sequence[dict[str, Any]],
    span: tuple[int, int],
    found: Mapping[str, JobCosts | None],
) -> dict[str, SiteJob]:
    from jostle.analysis.site_advice import SiteJob

    names = [part["job"] for row in rows for part in _parts(row)]
    nodes: dict[str, list[str]] = {}
    for each in store.query(_NODES, [names]).to_pylist():
        nodes.setdefault(each["job"], []).append(each["host"])
    uses = uses_of_jobs(store, span)
    jobs = {}
    for row in with_facts(store, rows):
        parts = [part["job"] for part in _parts(row)]
        facts = row["scheduler"] or {}
        known = [each for name in parts if (each := found[name])]
        processes = row["ranks"] or row["processes"] - row["short_processes"]
        waited = facts.get("waited_s") or 0.0
        jobs[row["job"]] = SiteJob(
            job=row["job"],
            program=row["program"],
            nodes=tuple(sorted({host for name in parts for host in nodes.get(name, ())})),
            cores=float(facts.get("cores") or max(processes, 1)),
            start_s=row["start_ns"] / 1e9,
            end_s=row["end_ns"] / 1e9,
            mounts=added_uses([uses.get(name, {}) for name in parts]),
            submit_s=row["start_ns"] / 1e9 - waited if waited else None,
            evaluated=bool(known),
            watts=max((each.watts for each in known if each.watts is not None), default=None),
            user=row["uid"],
        )
    return jobs
