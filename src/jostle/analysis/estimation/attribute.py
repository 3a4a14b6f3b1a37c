"""Attributes lost seconds to causes, by measured losses first, then by what slices show.

A span is a part of the run for which a loss is computed: a segment, or without segments a slice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.columns import Floats, Ints, share
from jostle.analysis.estimation.interval import Doubt
from jostle.analysis.estimation.model import Cause, CauseKind, CauseName, Hit, HitPart, RunEstimate
from jostle.analysis.estimation.oversubscribed import Crowd, crowd
from jostle.analysis.estimation.service import FileService
from jostle.analysis.interval import Interval
from jostle.errors import UsageError
from jostle.values.arrow_columns import floats

MPI = "MPI"
_MOST_HITS = 10_000


@dataclass(frozen=True)
class CauseSeconds:
    """Seconds lost to one cause, for each span.

    Attributes:
        cause: Kind of the cause, as in model.Cause.
        resource: Resource on which the time was lost, as in model.Cause.
        measured: Whether the seconds were measured; else they were inferred.
        seconds: Seconds lost in each span, [spans].
        kind: Reason why cores were slower, as in model.Cause.
    """

    cause: CauseName
    resource: str
    measured: bool
    seconds: Floats
    kind: CauseKind = ""


@dataclass(frozen=True)
class SliceEvidence:
    """What the slices show about the cause of a loss in each span; arrays have shape [spans].

    Attributes:
        storage: For each mount, seconds by which file calls took longer than usual.
        late: Sum of `storage` over all mounts, seconds.
        late_share: `late` divided by the time in file calls, 0 to 1.
        queue: Seconds for which a process waited for a core that other processes used, on the
            node where this was longest.
        host: Index in `hosts` of that node.
        hosts: Names of the nodes.
        crowds: Cores and their use, by node, for nodes with fewer cores than ranks of the job.
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
    """Collect what the slices show about the cause of a loss in each span.

    The amount of a slice is spread evenly over its time, since spans may be shorter than slices.

    Args:
        start: Start of each span, ns, ascending; spans do not overlap, [spans].
        end: End of each span, ns, [spans].
        slices: The job's slices by host (repository.types.RunTables).
        services: Times of file calls on the job's mounts.
        ranks: Number of the job's ranks by node; None if it is not known.
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
    for number, name in enumerate(names):  # one at a time: a thousand nodes need too much memory
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
    """Return, by mount, the seconds by which file calls were late in each span, where they were."""
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
    """Spread amounts evenly over their time and return the part that lies in each span.

    Args:
        begin: Start of the time of each amount, ns, ascending, [n]. Times may overlap if slices
            have different lengths.
        until: End of the time of each amount, ns, [n].
        amount: The amounts, any unit, [n].
        start: Start of each span, ns, [spans].
        end: End of each span, ns, [spans].

    Returns:
        Amount in each span, at least 0, [spans].
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
        inside: Floats = np.diff(np.interp(edges - zero, times, sums))
    else:
        inside = np.interp(end - zero, times, sums) - np.interp(start - zero, times, sums)
    return inside.clip(0, out=inside)


def lost_between(estimate: RunEstimate, edges_ns: Ints) -> Floats:
    """Return the seconds that a run lost in each span between consecutive instants.

    Args:
        estimate: Estimate of the run. The loss of each segment is spread evenly over the segment's
            time. For a job without segments, so is that of each of `RunEstimate.hits`, the parts
            of the run in which it lost time.
        edges_ns: Instants of Unix time in ns, ascending, [spans + 1].

    Returns:
        Seconds in each span, [spans]. If the spans cover the run, they sum to the loss of the run
        (without segments: to that of its hits).

    Raises:
        UsageError: There are fewer than two instants, or they do not ascend.
    """
    edges = np.asarray(edges_ns, dtype=np.int64)
    if edges.ndim != 1 or len(edges) < 2 or (np.diff(edges) < 0).any():
        raise UsageError(
            "The instants are fewer than two or not in ascending order.",
            hint="Give at least two instants in ascending order.",
        )
    table = estimate.segments
    if table.num_rows:
        begin, until = (table[name].to_numpy() for name in ("start_ns", "end_ns"))
        lost = table["lost_ns"].to_numpy() / 1e9
    else:
        begin = np.array([hit.start_ns for hit in estimate.hits], dtype=np.int64)
        until = np.array([hit.end_ns for hit in estimate.hits], dtype=np.int64)
        lost = np.array([hit.seconds for hit in estimate.hits])
    # A segment needs a length for its loss to be spread.
    until = np.maximum(until, begin + 1)
    return spread_over(begin, until, lost, edges[:-1], edges[1:])


def inferred_parts(
    inferred: Floats,
    slice_evidence: SliceEvidence,
    stored: Floats,
    queued: Floats,
    cores: Mapping[CauseKind, Floats],
) -> list[CauseSeconds]:
    """Attribute inferred seconds to the causes that the slices show at the same time.

    Args:
        inferred: Lost seconds of each span that were not measured; negative if too many seconds
            were measured, [spans].
        slice_evidence: What the slices show.
        stored: Seconds of late file calls that are part of the measured loss already, [spans].
        queued: Seconds of waiting for a core that are part of the measured loss already, [spans].
        cores: Seconds by which each span was longer by the core-speed probe, by kind of the cause:
            "core speed" or "steal".

    Returns:
        The seconds of each cause; they sum to `inferred` where that is positive.
    """
    left = inferred.clip(0)
    parts = []
    if slice_evidence.storage:
        late = np.minimum(left, (slice_evidence.late - stored).clip(0))
        part = share(late, slice_evidence.late)
        parts += [
            CauseSeconds("file system", mount, False, own * part)
            for mount, own in slice_evidence.storage.items()
        ]
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
    """Split the seconds lost to one cause by node: to the worst node of each span.

    Returns:
        One entry per node with a loss; an empty list if no seconds were lost.
    """
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
    """Attribute seconds in which all ranks waited for messages, not for each other.

    Args:
        seconds: Seconds lost in each span, [spans].
        hosts: Nodes of the ranks. Messages within a single node do not use the network, so there
            the cause is memory or CPU.
    """
    if len(set(hosts)) == 1:
        return CauseSeconds("memory or cpu", hosts[0], True, seconds)
    return CauseSeconds("network", MPI, True, seconds)


def causes(parts: list[CauseSeconds], lost: Floats, doubt: Doubt, run: float) -> list[Cause]:
    """Sum lost seconds by cause, and scale them so that all causes together are the loss.

    Args:
        parts: Seconds by cause and span; their sum is at least the loss of each span.
        lost: Seconds lost in each span, [spans].
        doubt: Uncertainty of the whole loss.
        run: Length of the run, seconds.

    Returns:
        The causes, the one with the largest loss first; those with a negligible loss are left out.
    """
    whole = np.zeros(len(lost))
    for part in parts:
        whole += part.seconds
    scale = share(lost, whole)
    by_cause: dict[tuple[CauseName, str, bool, CauseKind], float] = {}
    for part in parts:
        key = (part.cause, part.resource, part.measured, part.kind)
        by_cause[key] = by_cause.get(key, 0.0) + float(part.seconds @ scale)
    total = max(sum(by_cause.values()), 1e-12)
    rows = [
        Cause(
            cause,
            resource,
            _share(seconds, seconds / total, doubt, run),
            "measured" if measured else "inferred",
            kind,
        )
        for (cause, resource, measured, kind), seconds in by_cause.items()
        if seconds > 1e-6 * total and seconds > 1e-9
    ]
    return sorted(rows, key=lambda row: (-row.seconds.value, row.cause, row.resource))


def _share(seconds: float, share: float, doubt: Doubt, run: float) -> Interval:
    """Return a cause's loss with its interval.

    Its error is that of the whole loss times the square root of the cause's share of the loss.
    """
    wide = float(np.sqrt(share))
    low = max(seconds - doubt.below * wide, 0.0)
    return Interval(seconds, low, min(seconds + doubt.above * wide, max(run, seconds)))


def hits(
    start: Ints, end: Ints, lost: Floats, parts: list[CauseSeconds], cluster: Ints, least: Floats
) -> list[Hit]:
    """Return the spans in which time was lost, each with its causes, the main cause first.

    Args:
        start: Start of each span, ns, [spans].
        end: End of each span, ns, [spans].
        lost: Seconds lost in each span, [spans].
        parts: Lost seconds by cause.
        cluster: Number of the cluster of each span, [spans].
        least: Smallest loss that is listed, seconds, [spans].

    Returns:
        These spans (hits) in order of time; at most _MOST_HITS, those with the largest losses.
    """
    at = np.flatnonzero(lost > least)
    if not parts:
        return []
    at = np.sort(at[np.argsort(-lost[at], kind="stable")[:_MOST_HITS]])
    by_part = np.stack([part.seconds[at] for part in parts])
    by_part = by_part * share(lost[at], by_part.sum(axis=0))
    columns = (column[at].tolist() for column in (start, end, lost, cluster))
    return [
        _hit(begin, until, seconds, number, parts, taken)
        for begin, until, seconds, number, taken in zip(*columns, by_part.T, strict=True)
    ]


def _hit(
    begin: int, until: int, seconds: float, cluster: int, parts: list[CauseSeconds], taken: Floats
) -> Hit:
    """Return a span in which time was lost; `taken` is the loss to each of `parts`, seconds."""
    order = [number for number in np.argsort(-taken, kind="stable").tolist() if taken[number] > 0]
    by_cause = [
        HitPart(
            parts[number].cause, parts[number].resource, float(taken[number]), parts[number].kind
        )
        for number in order
    ]
    main = parts[order[0] if order else 0]
    return Hit(begin, until, seconds, main.cause, main.resource, cluster, by_cause)
