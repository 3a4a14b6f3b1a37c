"""Recorded data of a site in a period: use of mounts, peaks, cores, servers, slow nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from jostle.report.format.nodes import size_of, what_of
from jostle.report.models.machines.nodes import DAYS as COMPARED
from jostle.report.models.machines.nodes import node_differences

if TYPE_CHECKING:
    from jostle.analysis.site_advice import MountUse, SlowNode
    from jostle.repository import Repository

Span = tuple[int, int]

#: Numbers that show that a node's cores are slower.
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
_PATHS = "SELECT DISTINCT mount, path FROM mounts WHERE path <> ''"


def uses_of_jobs(store: Repository, span: Span) -> dict[str, dict[str, MountUse]]:
    """Return the load of each job on each shared mount in a period, ns since the epoch."""
    from jostle.analysis.site_advice import MountUse

    uses: dict[str, dict[str, MountUse]] = {}
    for row in _by_day(store, _USES, span):
        today = {row["mount"]: MountUse(row["moved"], row["rate"])}
        uses[row["job"]] = added_uses([uses.get(row["job"], {}), today])
    return uses


def peaks_of_mounts(store: Repository, span: Span) -> dict[str, float]:
    """Return the peak load of each shared mount, bytes/s: the 99 % quantile of its busiest day."""
    return _largest(_by_day(store, _PEAKS, span), "mount", "peak")


def cores_of_nodes(store: Repository, span: Span) -> dict[str, int]:
    """Return the number of cores of each machine whose agent counted them."""
    return _largest(_by_day(store, _CORES, span), "host", "cores")


def _by_day(store: Repository, sql: str, span: Span) -> list[dict[str, Any]]:
    """Query the slices of a period; the result has rows for each day."""
    from jostle.repository.query.divided import Question

    question = Question(sql.format(lo=span[0], hi=span[1]), span=span)
    rows: list[dict[str, Any]] = store.divided.ask(question).to_pylist()
    return rows


def _largest(rows: Iterable[Mapping[str, Any]], key: str, value: str) -> dict[str, Any]:
    """Return, for each key, the largest value over all days."""
    found: dict[str, Any] = {}
    for row in rows:
        found[row[key]] = max(row[value], found.get(row[key], row[value]))
    return found


def added_uses(parts: Iterable[Mapping[str, MountUse]]) -> dict[str, MountUse]:
    """Combine several loads on mounts: sum the bytes, and take the largest rate."""
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


def paths_of_mounts(store: Repository) -> dict[str, str]:
    """Return the shortest path of each mount, for users."""
    names: dict[str, str] = {}
    for row in store.query(_PATHS).to_pylist():
        known, path = names.get(row["mount"]), row["path"]
        if known is None or (len(path), path) < (len(known), known):
            names[row["mount"]] = path
    return names


def lustre_servers(
    store: Repository, mounts: Iterable[str], span: Span
) -> tuple[dict[str, float], dict[str, int]]:
    """Return two mappings by Lustre mount: mean bytes of a request, number of object servers."""
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


def nodes_of_a_leaf(store: Repository) -> int:
    """Return the median number of nodes at a leaf switch; 0: no fabric is known."""
    counts: list[int] = []
    for fabric in store.topologies():
        below: dict[int, set[str]] = {}
        for host, switch in zip(fabric.hosts, fabric.switch_of.tolist(), strict=True):
            if host and switch >= 0:
                below.setdefault(switch, set()).add(host)
        counts += [len(hosts) for hosts in below.values()]
    return int(median(counts)) if counts else 0


def slow_nodes(store: Repository, days: int) -> list[SlowNode]:
    """Return the nodes that are persistently worse than their peers, the worst first."""
    from jostle.analysis.interval import Interval
    from jostle.analysis.site_advice import SlowNode

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
