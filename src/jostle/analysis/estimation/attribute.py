"""Lost seconds by cause: what was measured names its own, the rest is joined with the slices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.columns import Floats, Ints, floats
from jostle.analysis.estimation.crowded import Crowd, crowd
from jostle.analysis.estimation.interval import Doubt
from jostle.analysis.estimation.model import Bounded, Cause, CauseName, Hit
from jostle.analysis.estimation.service import Service

MPI = "MPI"
_MOST_HITS = 10_000


@dataclass(frozen=True)
class Part:
    """Seconds lost to one cause, span by span.

    Attributes:
        cause: As in model.Cause.
        resource: As in model.Cause.
        measured: Accounted for, not inferred.
        seconds: In each span.
    """

    cause: CauseName
    resource: str
    measured: bool
    seconds: Floats


@dataclass(frozen=True)
class Evidence:
    """What the slices say of each span.

    Attributes:
        storage: mount -> seconds that its files kept a process longer than usual.
        late: All mounts together.
        late_share: The same as a share of the time in file calls.
        queue: Seconds that a process waited for a core that others had, the most of one node.
        host: The node on which that was most, an index into `hosts`.
        hosts: Names of nodes.
        crowds: node -> what is known of it where it has fewer cores than the job has ranks there.
    """

    storage: dict[str, Floats]
    late: Floats
    late_share: Floats
    queue: Floats
    host: Ints
    hosts: list[str]
    crowds: dict[str, Crowd]


def evidence(
    start: Ints,
    end: Ints,
    slices: pa.Table,
    services: list[Service],
    ranks: Mapping[str, int] | None = None,
) -> Evidence:
    """Joins spans with the slices that they lie in; what is in a slice is spread evenly over it.

    Args:
        start: Start of each span, ns, in order; spans do not overlap.
        end: Its end.
        slices: Of the job, by host.
        services: Of its mounts.
        ranks: Node -> ranks of the job there; None: not known.
    """
    storage, late, busy = {}, np.zeros(len(start)), np.zeros(len(start))
    for service in services:
        span = (service.start_ns, service.start_ns + service.slice_ns)
        busy += spread_over(*span, service.time_s / service.processes, start, end)
        if service.lost_s.any():
            storage[service.mount] = spread_over(*span, service.lost_s, start, end)
            late += storage[service.mount]
    share = np.divide(late, busy, out=np.zeros(len(late)), where=busy > 0).clip(0, 1)
    hosts = np.array(slices.column("host").to_pylist(), dtype=object)
    begin = slices.column("slice").to_numpy() * slices.column("slice_ns").to_numpy()
    length = slices.column("slice_ns").to_numpy()
    waited = np.minimum(floats(slices, "os_runqueue_ns_max"), length) / 1e9
    names = sorted(set(hosts.tolist()))
    queue, worst = np.zeros(len(start)), np.zeros(len(start), dtype=np.int64)
    crowds = {}
    for number, name in enumerate(names):  # a thousand nodes side by side would not fit
        at = np.flatnonzero(hosts == name)
        full = crowd(slices.take(pa.array(at)), (ranks or {}).get(name, 0))
        if full is not None:
            crowds[name] = full
        taken = waited[at] if full is None else full.taken_s
        own = spread_over(begin[at], (begin + length)[at], taken, start, end)
        worst[own > queue] = number
        queue = np.maximum(queue, own)
    return Evidence(storage, late, share, queue, worst, names or [""], crowds)


def spread_over(begin: Ints, until: Ints, amount: Floats, start: Ints, end: Ints) -> Floats:
    """Gives what of some amounts, each spread evenly over its time, lies in each span.

    Args:
        begin: Start of each amount's time, ascending; may overlap (several slice lengths).
        until: Its end.
        amount: The amounts.
        start: Start of each span.
        end: Its end.
    """
    if not len(begin):
        return np.zeros(len(start))
    zero = int(min(begin[0], start[0] if len(start) else begin[0]))
    times = np.concatenate([begin, until]) - zero
    rates = amount / (until - begin).clip(1)
    order = np.argsort(times, kind="stable")
    times = times[order].astype(np.float64)
    rate = np.cumsum(np.concatenate([rates, -rates])[order])
    sums = np.concatenate([[0.0], np.cumsum(np.diff(times) * rate[:-1])])
    found: Floats = np.interp(end - zero, times, sums) - np.interp(start - zero, times, sums)
    return found.clip(0)


def inferred_parts(inferred: Floats, seen: Evidence, stored: Floats, queued: Floats) -> list[Part]:
    """Attributes what was inferred to what the slices show at its time.

    Args:
        inferred: Seconds of each span that no account explains; negative: too much was accounted.
        seen: What the slices show.
        stored: Seconds of late file calls that are accounted for already.
        queued: The same of waiting for a core.
    """
    left = inferred.clip(0)
    parts = []
    late = (seen.late - stored).clip(0)
    for mount, own in seen.storage.items():
        share = np.divide(own, seen.late, out=np.zeros(len(own)), where=seen.late > 0)
        took = np.minimum(left, late) * share
        parts.append(Part("file system", mount, False, took))
    left = left - np.minimum(left, late)
    took = np.minimum(left, (seen.queue - queued).clip(0))
    parts += by_host("cpu", took, seen, measured=False)
    parts.append(Part("unknown", "", False, left - took))
    return parts


def by_host(cause: CauseName, seconds: Floats, seen: Evidence, *, measured: bool) -> list[Part]:
    """Takes seconds apart by the node that they were lost on."""
    if len(seen.hosts) == 1:
        return [Part(cause, seen.hosts[0], measured, seconds)]
    return [Part(cause, name, measured, np.where(seen.host == number, seconds, 0.0))
            for number, name in enumerate(seen.hosts)]  # fmt: skip


def causes(parts: list[Part], lost: Floats, doubt: Doubt) -> list[Cause]:
    """Adds parts up to causes that sum to what was lost.

    Args:
        parts: Seconds by cause and span; together at least what was lost.
        lost: Seconds of each span that were lost.
        doubt: Of the whole.
    """
    whole = sum((part.seconds for part in parts), np.zeros(len(lost)))
    scale = np.divide(lost, whole, out=np.zeros(len(lost)), where=whole > 0)
    found: dict[tuple[CauseName, str, bool], float] = {}
    for part in parts:
        key = (part.cause, part.resource, part.measured)
        found[key] = found.get(key, 0.0) + float((part.seconds * scale).sum())
    total = max(sum(found.values()), 1e-12)
    rows = [
        Cause(cause, resource, _share(seconds, seconds / total, doubt),
              "measured" if measured else "inferred")
        for (cause, resource, measured), seconds in found.items()
        if seconds > 1e-6 * total and seconds > 1e-9
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row.seconds.value, row.cause, row.resource))


def _share(seconds: float, share: float, doubt: Doubt) -> Bounded:
    """Gives a part of the loss its part of the doubt: parts err less than in proportion."""
    wide = float(np.sqrt(share))
    low = max(seconds - doubt.below * wide, 0.0)
    return Bounded(seconds, low, seconds + doubt.above * wide)


def hits(
    start: Ints, end: Ints, lost: Floats, parts: list[Part], cluster: Ints, least: Floats
) -> list[Hit]:
    """Lists the spans in which time was lost, each with what most of it went to.

    Args:
        start: Start of each span, ns.
        end: Its end.
        lost: Seconds lost in it.
        parts: By cause.
        cluster: Number of its cluster.
        least: Seconds below which it is not worth telling.

    Returns:
        In time; the largest _MOST_HITS of them.
    """
    at = np.flatnonzero(lost > least)
    if not parts:
        return []
    at = np.sort(at[np.argsort(-lost[at], kind="stable")[:_MOST_HITS]])
    main = np.stack([part.seconds[at] for part in parts]).argmax(axis=0)
    return [
        Hit(int(start[i]), int(end[i]), float(lost[i]), parts[one].cause, parts[one].resource,
            int(cluster[i]))
        for i, one in zip(at.tolist(), main.tolist(), strict=True)
    ]  # fmt: skip
