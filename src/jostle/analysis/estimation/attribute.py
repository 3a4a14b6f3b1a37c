"""Attributes lost seconds to causes: measured ones first, the rest from concurrent slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.columns import Floats, Ints, share
from jostle.analysis.estimation.crowded import Crowd, crowd
from jostle.analysis.estimation.interval import Doubt
from jostle.analysis.estimation.model import Cause, CauseKind, CauseName, Hit
from jostle.analysis.estimation.service import FileService
from jostle.analysis.interval import Interval
from jostle.arrow_columns import floats

MPI = "MPI"
_MOST_HITS = 10_000


@dataclass(frozen=True)
class CauseSeconds:
    """Seconds lost to one cause, span by span.

    Attributes:
        cause: As in model.Cause.
        resource: As in model.Cause.
        measured: Accounted for, not inferred.
        seconds: In each span.
        kind: As in model.Cause.
    """

    cause: CauseName
    resource: str
    measured: bool
    seconds: Floats
    kind: CauseKind = ""


@dataclass(frozen=True)
class SliceEvidence:
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
    services: list[FileService],
    ranks: Mapping[str, int] | None = None,
) -> SliceEvidence:
    """Join spans with the slices that they lie in; what is in a slice is spread evenly over it.

    Args:
        start: Start of each span, ns, in order; spans do not overlap.
        end: Its end.
        slices: Of the job, by host.
        services: Of its mounts.
        ranks: Node -> ranks of the job there; None: not known.
    """
    storage = _storage(services, start, end)
    late, late_share = np.zeros(len(start)), np.zeros(len(start))
    if storage:
        late = sum(storage.values(), late)
        busy = sum(
            (
                spread_over(
                    file_service.start_ns,
                    file_service.start_ns + file_service.slice_ns,
                    file_service.time_s / file_service.processes,
                    start,
                    end,
                )
                for file_service in services
            ),
            np.zeros(len(start)),
        )
        late_share = share(late, busy).clip(0, 1)
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
        if not taken.any():
            continue
        own = spread_over(begin[at], (begin + length)[at], taken, start, end)
        worst[own > queue] = number
        queue = np.maximum(queue, own)
    return SliceEvidence(storage, late, late_share, queue, worst, names or [""], crowds)


def _storage(services: list[FileService], start: Ints, end: Ints) -> dict[str, Floats]:
    """Return of each mount that was late the seconds by which, in each span."""
    return {
        file_service.mount: spread_over(
            file_service.start_ns,
            file_service.start_ns + file_service.slice_ns,
            file_service.lost_s,
            start,
            end,
        )
        for file_service in services
        if file_service.lost_s.any()
    }


def spread_over(begin: Ints, until: Ints, amount: Floats, start: Ints, end: Ints) -> Floats:
    """Return what of some amounts, each spread evenly over its time, lies in each span.

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
    if np.array_equal(start[1:], end[:-1]):  # the usual case: one begins where another ends
        edges = np.concatenate([start[:1], end])
        found: Floats = np.diff(np.interp(edges - zero, times, sums))
    else:
        found = np.interp(end - zero, times, sums) - np.interp(start - zero, times, sums)
    return found.clip(0, out=found)


def inferred_parts(
    inferred: Floats,
    slice_evidence: SliceEvidence,
    stored: Floats,
    queued: Floats,
    cores: Mapping[CauseKind, Floats],
) -> list[CauseSeconds]:
    """Attribute what was inferred to what the slices show at its time.

    Args:
        inferred: Seconds of each span that no account explains; negative: too much was accounted.
        slice_evidence: What the slices show.
        stored: Seconds of late file calls that are accounted for already.
        queued: The same of waiting for a core.
        cores: What a canary tells of cores -> seconds by which it made each span longer.
    """
    left = inferred.clip(0)
    parts = []
    if slice_evidence.storage:
        late = np.minimum(left, (slice_evidence.late - stored).clip(0))
        part = share(late, slice_evidence.late)
        parts += [CauseSeconds("file system", mount, False, own * part)
                  for mount, own in slice_evidence.storage.items()]  # fmt: skip
        left = left - late
    took = np.minimum(left, (slice_evidence.queue - queued).clip(0))
    parts += by_host("cpu", took, slice_evidence, measured=False)
    left -= took
    for kind, longer in cores.items():
        if longer.any():
            took = np.minimum(left, longer)
            parts += by_host("cpu", took, slice_evidence, measured=False, kind=kind)
            left -= took
    parts.append(CauseSeconds("unknown", "", False, left))
    return parts


def by_host(
    cause: CauseName,
    seconds: Floats,
    slice_evidence: SliceEvidence,
    *,
    measured: bool,
    kind: CauseKind = "",
) -> list[CauseSeconds]:
    """Take seconds apart by the node that they were lost on, where any were."""
    if not seconds.any():
        return []
    if len(slice_evidence.hosts) == 1:
        return [CauseSeconds(cause, slice_evidence.hosts[0], measured, seconds, kind)]
    lost_on = np.bincount(slice_evidence.host, weights=seconds, minlength=len(slice_evidence.hosts))
    return [
        CauseSeconds(
            cause,
            slice_evidence.hosts[number],
            measured,
            np.where(slice_evidence.host == number, seconds, 0.0),
            kind,
        )
        for number in np.flatnonzero(lost_on).tolist()
    ]


def by_messages(seconds: Floats, hosts: Sequence[str]) -> CauseSeconds:
    """Return what took seconds in which all ranks waited for messages, not for each other.

    Args:
        seconds: In each span.
        hosts: Nodes of the ranks: on a single one no message goes through a network.
    """
    if len(set(hosts)) == 1:
        return CauseSeconds("memory or cpu", hosts[0], True, seconds)
    return CauseSeconds("network", MPI, True, seconds)


def causes(parts: list[CauseSeconds], lost: Floats, doubt: Doubt, run: float) -> list[Cause]:
    """Add parts up to causes that sum to what was lost.

    Args:
        parts: Seconds by cause and span; together at least what was lost.
        lost: Seconds of each span that were lost.
        doubt: Of the whole.
        run: How long the run took, s.
    """
    whole = np.zeros(len(lost))
    for part in parts:
        whole += part.seconds
    scale = share(lost, whole)
    found: dict[tuple[CauseName, str, bool, CauseKind], float] = {}
    for part in parts:
        key = (part.cause, part.resource, part.measured, part.kind)
        found[key] = found.get(key, 0.0) + float(part.seconds @ scale)
    total = max(sum(found.values()), 1e-12)
    rows = [
        Cause(cause, resource, _share(seconds, seconds / total, doubt, run),
              "measured" if measured else "inferred", kind)
        for (cause, resource, measured, kind), seconds in found.items()
        if seconds > 1e-6 * total and seconds > 1e-9
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row.seconds.value, row.cause, row.resource))


def _share(seconds: float, share: float, doubt: Doubt, run: float) -> Interval:
    """Return a part of the loss its part of the doubt: parts err less than in proportion."""
    wide = float(np.sqrt(share))
    low = max(seconds - doubt.below * wide, 0.0)
    return Interval(seconds, low, min(seconds + doubt.above * wide, max(run, seconds)))


def hits(
    start: Ints, end: Ints, lost: Floats, parts: list[CauseSeconds], cluster: Ints, least: Floats
) -> list[Hit]:
    """List the spans in which time was lost, each with what most of it went to.

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
    columns = (column[at].tolist() for column in (start, end, lost, cluster))
    return [
        Hit(begin, until, seconds, parts[one].cause, parts[one].resource, number)
        for begin, until, seconds, number, one in zip(*columns, main.tolist(), strict=True)
    ]
