"""Advice for a whole site: reads what is known of a period, and asks the analysis."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from jostle.errors import JostleError
from jostle.report.models.batch_jobs import with_batch_jobs
from jostle.report.models.jobs import job_rows
from jostle.report.models.scheduler import with_facts
from jostle.report.verdict.batch_loss import too_short
from jostle.values.storage_servers import mount_of

if TYPE_CHECKING:
    from jostle.analysis.identification.model import JobInterference
    from jostle.analysis.site_advice import Cost, MountUse, SiteEvidence, SiteJob, SlowNode
    from jostle.repository import Repository

#: Days that are looked at by default.
DAYS = 7
_DAY_NS = 86_400_000_000_000
#: Figures of a node by which its cores are slower.
_CORE_SPEED = ("frequency under load", "frequency in jobs")

_BYTES = " + ".join(
    f"coalesce({kind}_{way}_bytes_sum, 0)::DOUBLE"
    for kind in ("posix", "stdio")
    for way in ("read", "write")
)
_DAY = "slice * slice_ns // 86400000000000 AS day"
_WITHIN = "(slice + 1) * slice_ns > {lo} AND slice * slice_ns < {hi}"
_SLICES = f"""
SELECT job, mount, {_DAY}, slice, slice_ns, sum({_BYTES}) AS bytes FROM stored_rollup
WHERE {_WITHIN} AND mount IN (SELECT mount FROM mounts WHERE shared)
GROUP BY job, mount, day, slice, slice_ns
"""
_USES = f"""
SELECT job, mount, day, sum(bytes) AS moved,
       coalesce(quantile_cont(bytes * 1e9 / slice_ns, 0.9) FILTER (bytes > 0), 0) AS rate
FROM ({_SLICES}) GROUP BY job, mount, day
"""
_PEAKS = f"""
WITH slices AS ({_SLICES}), longest AS (SELECT day, max(slice_ns) AS ns FROM slices GROUP BY day),
together AS (
    SELECT mount, day, slice * slice_ns // ns AS step, any_value(ns) AS ns, sum(bytes) AS bytes
    FROM slices JOIN longest USING (day) GROUP BY mount, day, step
)
SELECT mount, day, quantile_cont(bytes * 1e9 / ns, 0.99) AS peak FROM together
WHERE bytes > 0 GROUP BY mount, day
"""
_OSTS = f"""
SELECT source AS file_system, {_DAY}, count(DISTINCT host) AS servers,
       sum(storage_read_ops + storage_write_ops)::DOUBLE AS ops,
       sum(storage_read_bytes + storage_write_bytes)::DOUBLE AS bytes
FROM stored_component_slices WHERE {_WITHIN} AND kind = 'lustre_ost' AND job = ''
GROUP BY source, day
"""
_CORES = f"""
SELECT host, {_DAY}, max(cpu_count)::BIGINT AS cores FROM stored_component_slices
WHERE {_WITHIN} AND kind = 'machine' AND cpu_count > 0 GROUP BY host, day
"""
_NODES = "SELECT DISTINCT job, host FROM process_kinds WHERE list_contains($1, job) ORDER BY host"
_PATHS = "SELECT DISTINCT mount, path FROM mounts WHERE path <> ''"


@dataclass(frozen=True)
class JobCosts:
    """What others cost one job, by its verdict.

    Attributes:
        costs: By cause and resource.
        watts: Power of its nodes; None: not measured.
    """

    costs: tuple[Cost, ...] = ()
    watts: float | None = None


#: Returns what others cost a job; None: there is no verdict on it.
CostsOf = Callable[[str], JobCosts | None]


def period(store: Repository, days: int) -> tuple[int, int]:
    """Return the last days of a repository, up to the end of its newest job, ns since the epoch."""
    ends = store.jobs().column("end_ns").to_pylist()
    until = max(ends, default=0)
    return max(until - days * _DAY_NS, 0), until


def evaluated_costs(
    store: Repository, name: str, viewer: int | None = None, seed: int = 0
) -> JobCosts | None:
    """Evaluate a job for what others cost it; None where it cannot be evaluated.

    Args:
        store: The repository.
        name: The job's full name.
        viewer: User (uid) whose jobs may be named; None: everybody's.
        seed: Of the random steps.
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
    from jostle.analysis.site_advice import Cost

    if who is None:
        return ()
    kinds = {each.resource: each.kind for each in who.resources}
    return tuple(
        Cost(name, each.job, each.resource, kinds[each.resource], each.seconds, each.kind)
        for each in who.suspects
        if each.resource in kinds
    )


def stored_costs(name: str, verdict: Mapping[str, Any]) -> JobCosts:
    """Return what others cost a job, by its verdict as plain values (`verdict_json`)."""
    from jostle.analysis.interval import Interval
    from jostle.analysis.site_advice import Cost

    who = verdict["interference"] or {"resources": [], "suspects": []}
    kinds = {each["resource"]: each["kind"] for each in who["resources"]}
    costs = tuple(
        Cost(
            name,
            each["job"],
            each["resource"],
            kinds[each["resource"]],
            Interval(**each["seconds"]),
            each["kind"],
        )
        for each in who["suspects"]
        if each["resource"] in kinds
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
    """Return what is known of the last days of a site.

    Args:
        store: The repository.
        days: How many, up to the end of its newest job.
        costs_of: Gives what others cost a job.
        user: Only jobs of these users (uids); None: of all.
        say: Called with the progress.
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
    if user is not None:  # of others' machines and loads a user sees nothing
        return SiteEvidence(span[0] / 1e9, span[1] / 1e9, jobs, costs, names=_paths(store))
    rpc_bytes, servers = _lustre(store, {mount_of(cost.resource) for cost in costs}, span)
    return SiteEvidence(
        from_s=span[0] / 1e9,
        to_s=span[1] / 1e9,
        jobs=jobs,
        costs=costs,
        peaks=_largest(_by_day(store, _PEAKS, span), "mount", "peak"),
        rpc_bytes=rpc_bytes,
        servers=servers,
        node_cores=_largest(_by_day(store, _CORES, span), "host", "cores"),
        leaf_nodes=_leaf_nodes(store),
        slow_nodes=_slow_nodes(store, days),
        names=_paths(store),
    )


def _parts(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows of the parts of a batch job; of another job its own."""
    return row["parts"] if "parts" in row else [row]


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
    uses = _uses(store, span)
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
            mounts=_added_uses([uses.get(name, {}) for name in parts]),
            submit_s=row["start_ns"] / 1e9 - waited if waited else None,
            evaluated=bool(known),
            watts=max((each.watts for each in known if each.watts is not None), default=None),
            user=row["uid"],
        )
    return jobs


def _by_day(store: Repository, sql: str, span: tuple[int, int]) -> list[dict[str, Any]]:
    """Ask something of the slices of a period; the answer has rows for each day."""
    from jostle.repository.query.divided import Question

    question = Question(sql.format(lo=span[0], hi=span[1]), span=span)
    rows: list[dict[str, Any]] = store.divided.ask(question).to_pylist()
    return rows


def _largest(rows: Iterable[Mapping[str, Any]], key: str, value: str) -> dict[str, Any]:
    """Return the largest value over all days by key."""
    found: dict[str, Any] = {}
    for row in rows:
        found[row[key]] = max(row[value], found.get(row[key], row[value]))
    return found


def _uses(store: Repository, span: tuple[int, int]) -> dict[str, dict[str, MountUse]]:
    from jostle.analysis.site_advice import MountUse

    uses: dict[str, dict[str, MountUse]] = {}
    for row in _by_day(store, _USES, span):
        today = {row["mount"]: MountUse(row["moved"], row["rate"])}
        uses[row["job"]] = _added_uses([uses.get(row["job"], {}), today])
    return uses


def _added_uses(parts: Iterable[Mapping[str, MountUse]]) -> dict[str, MountUse]:
    """Return what a job did in parts that ran one after the other."""
    whole: dict[str, MountUse] = {}
    for part in parts:
        for mount, use in part.items():
            known = whole.get(mount)
            whole[mount] = (
                replace(known, moved=known.moved + use.moved, rate=max(known.rate, use.rate))
                if known
                else use
            )
    return whole


def _paths(store: Repository) -> dict[str, str]:
    """Return the shortest path of each mount, for users."""
    names: dict[str, str] = {}
    for row in store.query(_PATHS).to_pylist():
        known, path = names.get(row["mount"]), row["path"]
        if known is None or (len(path), path) < (len(known), known):
            names[row["mount"]] = path
    return names


def _lustre(
    store: Repository, mounts: Iterable[str], span: tuple[int, int]
) -> tuple[dict[str, float], dict[str, int]]:
    """Return of Lustre mounts the mean bytes of a request and the number of object servers."""
    lustre = {
        mount: mount.rpartition(":")[2].strip("/").partition("/")[0]
        for mount in mounts
        if mount.startswith("lustre:")
    }
    rows = _by_day(store, _OSTS, span) if lustre else []
    servers = _largest(rows, "file_system", "servers")
    sizes = {}
    for name in servers:
        mine = [row for row in rows if row["file_system"] == name]
        ops = sum(row["ops"] or 0.0 for row in mine)
        if ops > 0:
            sizes[name] = sum(row["bytes"] or 0.0 for row in mine) / ops
    return (
        {mount: sizes[name] for mount, name in lustre.items() if name in sizes},
        {mount: servers[name] for mount, name in lustre.items() if name in servers},
    )


def _leaf_nodes(store: Repository) -> int:
    """Return how many nodes a leaf switch has, in the median; 0: no fabric is known."""
    counts: list[int] = []
    for fabric in store.topologies():
        below: dict[int, set[str]] = {}
        for host, switch in zip(fabric.hosts, fabric.switch_of.tolist(), strict=True):
            if host and switch >= 0:
                below.setdefault(switch, set()).add(host)
        counts += [len(hosts) for hosts in below.values()]
    return int(median(counts)) if counts else 0


def _slow_nodes(store: Repository, days: int) -> list[SlowNode]:
    """Return the nodes that are persistently worse than their peers, the worst first."""
    from jostle.analysis.interval import Interval
    from jostle.analysis.site_advice import SlowNode
    from jostle.report.format.nodes import size_of, what_of
    from jostle.report.models.nodes import DAYS as COMPARED
    from jostle.report.models.nodes import node_differences

    found: dict[str, SlowNode] = {}
    for each in node_differences(store, max(days, COMPARED)).differences:
        if each.role != "node":
            continue
        slower = None
        if each.figure in _CORE_SPEED:
            ends = sorted(abs(end) / 100 for end in (each.percent.low, each.percent.high))
            slower = Interval(abs(each.percent.value) / 100, *ends)
        node = SlowNode(each.host, f"{what_of(each)}: {size_of(each)}", slower)
        known = found.setdefault(each.host, node)
        if known.slower is None and slower is not None:
            found[each.host] = node
    return list(found.values())
