"""Method `jostle`: accounts measured time first and infers the rest from clusters.

Per segment: what everybody waited at once (M, messages), what the critical rank was off its CPU
(D), what file calls took beyond their usual (I/O), and what then remains beyond the reference of
its cluster (S). What is accounted for needs no cluster, and clusters scatter less without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.account import Account, account
from jostle.analysis.estimation.attribute import (
    CauseSeconds,
    SliceEvidence,
    by_host,
    by_messages,
    causes,
    evidence,
    hits,
    inferred_parts,
)
from jostle.analysis.estimation.columns import Floats, Ints, ordered, share
from jostle.analysis.estimation.continuous import continuous
from jostle.analysis.estimation.crowded import Together, together
from jostle.analysis.estimation.expected import Expected, expected
from jostle.analysis.estimation.interval import Doubt, doubt
from jostle.analysis.estimation.model import Cluster, Continuous, CoreSpeed, Estimate
from jostle.analysis.estimation.service import FileService, services
from jostle.analysis.estimation.spans import estimate_slices
from jostle.analysis.estimation.speed import Speed, core_speed, level_of, netted, speed_limits
from jostle.analysis.estimation.starved import own_limits
from jostle.analysis.estimation.work import Work, work_of
from jostle.analysis.estimation.worlds import judged_world, ranks_by_node
from jostle.analysis.interval import Interval
from jostle.arrow_columns import floats
from jostle.repository.types import CoreFloor, RunTables, WorldSegments

_HIDDEN = 0.3  # of what lies between the edge of a kind and its threshold may be loss
_WIDEST = 1.3  # times the edge: where members scatter more, most of it is their own
_TOLD = 0.05  # of a segment: smaller losses are no hit worth telling
_MOST_CLUSTERS = 500


@dataclass(frozen=True)
class SegmentCosts:
    """The segments of a world and their losses by cause, shape (segments,); seconds.

    Attributes:
        start: Start of each, ns.
        end: Its end, ns.
        duration: What it took.
        account: Directly measured loss.
        storage: Time of file calls beyond their usual time.
        inferred: Remaining time beyond the reference; negative where the account counted too much.
        kept: Lost to the hypervisor, in addition; zeros without a canary.
        slow: Lost to cores slower than at their best, in addition; zeros without a canary.
        spent: The same span by span, below 0 where cores were faster: what shows in its length.
        lost: All of it together.
        work: What the segments did.
        expected: Their references, without what was accounted for.
        evidence: What the slices show at the time of each.
        speed: How slow the cores were; None without a canary.
        level: The same where references come from.
        told: When all ranks were in MPI at once; None: each has a core, or it is not known.
    """

    start: Ints
    end: Ints
    duration: Floats
    account: Account
    storage: Floats
    inferred: Floats
    kept: Floats
    slow: Floats
    spent: Floats
    lost: Floats
    work: Work
    expected: Expected
    evidence: SliceEvidence
    speed: Speed | None
    level: float
    told: Together | None


def estimate_jostle(tables: RunTables, *, seed: int = 0) -> Estimate:
    """Estimate what interference cost a run.

    Args:
        tables: The run.
        seed: Of the random steps.

    Raises:
        EstimateError: The job has neither segments nor slices.
    """
    world, limits = judged_world(tables)
    if world is None:
        return estimate_slices(tables, seed=seed)
    served = services(tables.mount_slices)
    nodes = ranks_by_node(world, tables.processes)
    priced = price(world, tables.slices, served, nodes, tables.floors)
    begin, end = _judged_time(tables, world, priced)
    run = max((end - begin) / 1e9, 1e-9)
    lost = min(float(priced.lost.sum()), run)
    part = lost / max(float(priced.lost.sum()), 1e-12)  # 1 but where clocks were set back
    coverage, inferred_coverage = _coverages(priced, run)
    error = _doubt(priced, lost, run, coverage, seed, _idle(world, priced))
    bounded = error.around(lost, run)
    parts = _parts(priced, list(nodes))
    return Estimate(
        job=tables.job,
        method="jostle",
        world=world.number,
        ranks=len(world.ranks),
        start_ns=begin,
        end_ns=end,
        run_s=run,
        lost_s=bounded,
        percent=Interval(*(100 * x / run for x in (bounded.value, bounded.low, bounded.high))),
        coverage=coverage,
        inferred_coverage=inferred_coverage,
        causes=causes(parts, priced.lost * part, error, run),
        continuous=_continuous(world, priced, run),
        imbalance_s=_imbalance(world, priced),
        clusters=_clusters(world.segments, priced),
        hits=hits(priced.start, priced.end, priced.lost, parts, _number(priced),
                  _TOLD * priced.duration),
        limits=[*limits, *_limits(priced, coverage, inferred_coverage),
                *own_limits(tables.slices, run)],
        segments=_table(priced),
        seed=seed,
        core_speed=_core_speed(priced, part),
        doubts=error.most,
    )  # fmt: skip


def price(
    world: WorldSegments,
    slices: pa.Table,
    served: list[FileService],
    ranks: Mapping[str, int],
    floors: Mapping[str, CoreFloor],
) -> SegmentCosts:
    """Estimate the loss of each segment of a world.

    Args:
        world: The world; at least one segment.
        slices: The job's slices by host.
        served: What its mounts gave it.
        ranks: Node -> ranks of the world there.
        floors: Node -> the floor of the canary on its cores.
    """
    segments = world.segments
    start = segments.column("start_ns").to_numpy().astype(np.int64)
    end = segments.column("end_ns").to_numpy().astype(np.int64)
    duration = floats(segments, "duration_ns").clip(0) / 1e9
    work = work_of(segments)
    shown = evidence(start, end, slices, served, ranks)
    crowds = shown.crowds.values()
    told = together(slices, int(start[0]), int(end[-1])) if crowds else None
    seen = account(segments, len(world.ranks), work.kind, shown.queue if crowds else None,
                   max((crowd.turns for crowd in crowds), default=1.0), _short(slices),
                   told, shown.queue)  # fmt: skip
    storage = np.minimum(
        shown.late_share * floats(segments, "io_ns_max") / 1e9, duration - seen.network - seen.cpu
    ).clip(0)
    rest = (duration - seen.network - seen.cpu - storage).clip(0)
    uneven = None if shown.crowds else share(_uneven(world), duration)
    # On crowded cores ranks would have waited during a part of the time that others took, so the
    # missing CPU time is only a bound. Subtracted first, it would make disturbed segments the
    # fastest.
    reference = expected(rest + seen.cpu if shown.crowds else rest, work, uneven)
    inferred = _inferred(rest, reference, seen.cpu + storage + seen.anywhere)
    if not shown.crowds:
        inferred = np.minimum(inferred, _explained(world, duration, work))
    speed = core_speed(slices, start, end, floors)
    level, kept, slow = 1.0, np.zeros(len(rest)), np.zeros(len(rest))
    spent = slow
    if speed is not None:
        level = level_of(speed, rest, reference.seconds)
        kept = np.minimum(speed.kept(seen.cpu + inferred.clip(0)), rest - inferred.clip(0))
        spent = speed.lost(rest - kept, inferred, level)
        explained = np.minimum(inferred.clip(0), speed.longer(rest, level))
        slow, left = netted(spent, explained)
        spent, inferred = spent + explained - left, inferred - explained + left
    lost = (seen.network + seen.cpu + storage + inferred + kept + slow).clip(0, duration)
    return SegmentCosts(
        start, end, duration, seen, storage, inferred, kept, slow, spent, lost, work, reference,
        shown, speed, level, told,
    )  # fmt: skip


def _short(slices: pa.Table) -> float:
    """Return the share of MPI waiting that lay in short waits; 0 where it is not recorded."""
    waited = float(floats(slices, "wait_mpi_ns_sum").sum())
    return float(floats(slices, "wait_short_ns_sum").sum()) / max(waited, 1.0)


def _inferred(rest: Floats, reference: Expected, doubtful: Floats) -> Floats:
    """Return the remaining time beyond the reference; negative: the excess of the account."""
    away = np.where(reference.usable, rest - reference.seconds, 0.0)
    margin = np.where(reference.usable, reference.threshold - reference.seconds, np.inf)
    inferred: Floats = np.where(away > margin, away, 0.0)
    over = away < -margin
    inferred[over] = np.maximum(away[over], -doubtful[over])
    return inferred


def _continuous(world: WorldSegments, priced: SegmentCosts, run: float) -> Continuous | None:
    """Detect interference that was present most of the time.

    Not for ranks that share cores: their interleaving changes by itself for a while.
    """
    if priced.evidence.crowds:
        return None
    return continuous(priced.duration, _beyond(priced), priced.expected, run,
                      float((_slowed(priced) + priced.kept).sum()), _uneven(world))  # fmt: skip


def _judged_time(tables: RunTables, world: WorldSegments, priced: SegmentCosts) -> tuple[int, int]:
    """Return MPI_Init and MPI_Finalize of the world, as far as its segments reach."""
    return int(priced.start[0]), int(max(priced.end[-1], priced.start[0] + 1))


def _coverages(priced: SegmentCosts, run: float) -> tuple[float, float | None]:
    """Return the share of the run that was evaluated, and of the time after set-up in clusters.

    Set-up is what comes before the first segment of a kind that recurs.
    """
    usable = priced.expected.usable
    if not usable.any():
        return 0.0, 0.0
    first, last = int(np.argmax(usable)), len(usable) - int(np.argmax(usable[::-1]))
    inside = float(priced.duration[usable].sum())
    after = float(priced.duration[first:last].sum())
    # The account needs no cluster, but calls with a floor, so a program that repeats itself.
    coverage = min(after / run, 1.0) if inside > 0.5 * after else inside / run
    return coverage, min(inside / max(after, 1e-9), 1.0)


def _doubt(
    priced: SegmentCosts, lost: float, run: float, coverage: float, seed: int, idle: float
) -> Doubt:
    """Return the uncertainty from references: of each kind, times the time evaluated by it.

    Args:
        priced: The segments.
        lost: Seconds.
        run: Seconds that were judged.
        coverage: Share of the run that was judged.
        seed: Of the draws.
        idle: As _idle gives it; may be lost as well.
    """
    kind, count = priced.work.kind, int(priced.work.kind.max()) + 1
    usable = priced.expected.usable
    scatter = np.zeros(len(kind))
    scatter[usable] = np.log(priced.expected.threshold[usable] / priced.expected.seconds[usable])
    inferred = usable & (priced.inferred > 0)
    members = np.bincount(kind[usable], minlength=count).clip(1)
    spread = np.bincount(kind[usable], scatter[usable], count) / members / 4 * 1.5
    priced_s = np.bincount(kind[inferred], priced.expected.seconds[inferred], count)
    unsure = spread * priced_s / np.sqrt(members)
    # Segments below their threshold may have lost time as well, all of them alike.
    calm = usable & ~inferred
    most = np.minimum(priced.expected.threshold, _WIDEST * priced.expected.edge)
    hidden = _HIDDEN * (most - priced.expected.edge)[calm].clip(0)
    found = doubt(lost, run, unsure=unsure, hidden=hidden, coverage=coverage, seed=seed,
                  crowded=bool(priced.evidence.crowds), speed=_speed_doubt(priced))  # fmt: skip
    if idle - lost <= found.above:
        return found
    return Doubt(found.below, idle - lost, (found.most[0], "shared cores"))


def _idle(world: WorldSegments, priced: SegmentCosts) -> float:
    """Return the seconds in which cores shared by several ranks computed nothing for them.

    Ranks that take turns wait anyway, so a delay of every step shows in no segment; but its sum is
    at most this time. 0 if a node has a core for each rank, and for the time in which the ranks
    recorded when all of them waited.
    """
    crowds = priced.evidence.crowds
    if len(crowds) < len(priced.evidence.hosts):
        return 0.0
    cores = sum(crowd.cores for crowd in crowds.values())
    away = (floats(world.segments, "mpi_ns") + floats(world.segments, "offcpu_ns")) / 1e9
    computed = (len(world.ranks) * priced.duration - away).clip(0)
    idle = (priced.duration - computed / cores) * _blind(priced)
    return max(float(idle.sum()), 0.0)


def _blind(priced: SegmentCosts) -> Floats:
    """Return the share of each segment in which ranks did not see when all of them waited."""
    if priced.told is None:
        return np.ones(len(priced.start))
    before = (priced.told.begin[0] - priced.start) / 1e9
    return share(before.clip(0), priced.duration).clip(0, 1)


def _speed_doubt(priced: SegmentCosts) -> Doubt | None:
    """Return the doubt of what was lost to slow cores."""
    if priced.speed is None:
        return None
    calm = priced.duration - priced.lost  # at the floor
    return priced.speed.doubt(calm, float(priced.kept.sum()))


def _core_speed(priced: SegmentCosts, part: float) -> CoreSpeed | None:
    """Return what the canary told."""
    if priced.speed is None:
        return None
    slow = float(priced.slow.sum()) * part
    error = priced.speed.doubt(priced.duration - priced.lost, 0.0)
    run = float(priced.duration.sum())
    return CoreSpeed(priced.speed.canary, priced.speed.jobs, error.around(slow, run),
                     priced.speed.steal, float(priced.kept.sum()) * part)  # fmt: skip


def _parts(priced: SegmentCosts, nodes: Sequence[str]) -> list[CauseSeconds]:
    """Take lost time apart by cause; nodes: where the ranks were."""
    shown = priced.evidence
    # Descheduled inside an MPI call, a rank makes everybody wait: what of M the run queue explains.
    queued = np.minimum(priced.account.network, (shown.queue - priced.account.cpu).clip(0))
    parts = [by_messages(priced.account.network - queued, nodes)]
    parts += by_host("cpu", priced.account.cpu + queued, shown, measured=True)
    for mount, late in shown.storage.items():
        share = np.divide(late, shown.late, out=np.zeros(len(late)), where=shown.late > 0)
        parts.append(CauseSeconds("file system", mount, True, priced.storage * share))
    if priced.speed is not None:
        parts += priced.speed.parts(priced.slow, "core speed")
        parts += priced.speed.parts(priced.kept, "steal")
    stolen = 0 * priced.kept if priced.speed is None else priced.speed.stolen
    parts += inferred_parts(priced.inferred, shown, priced.storage, priced.account.cpu + queued,
                            {"steal": stolen, "core speed": _slowed(priced)})  # fmt: skip
    return parts


def _slowed(priced: SegmentCosts) -> Floats:
    """Return the seconds by which cores slower than where references come from prolonged each."""
    if priced.speed is None:
        return np.zeros(len(priced.duration))
    rest = priced.duration - priced.account.network - priced.account.cpu - priced.storage
    return priced.speed.longer(rest, priced.level)


def _imbalance(world: WorldSegments, priced: SegmentCosts) -> float:
    """Return the seconds that the mean rank waited for slower ones of its own job.

    The rank with the least time in MPI is the one that the others waited for; what outside delays
    explain of that is no imbalance.
    """
    return float((_uneven(world) - priced.account.cpu - priced.inferred.clip(0)).clip(0).sum())


def _uneven(world: WorldSegments) -> Floats:
    """Return the seconds of each segment that the mean rank was longer in MPI than the last one."""
    mean = floats(world.segments, "mpi_ns") / max(len(world.ranks), 1)
    waited: Floats = (mean - floats(world.segments, "mpi_ns_min")) / 1e9
    return waited


def _explained(world: WorldSegments, duration: Floats, work: Work) -> Floats:
    """Return the most that each segment can be prolonged by what its ranks did longer than usual.

    Work that goes from rank to rank prolongs a segment, as a rank that is hindered does. But then
    the others have less of it: what the mean rank did, and the last one spent in MPI, stays the
    same. It grows by at least the R-th part of what one of R ranks is held up. Without a collective
    some wait for that only later.
    """
    done = (duration - _uneven(world)).clip(0)
    usual = expected(done, work)
    more = len(world.ranks) * (done - usual.seconds).clip(0)
    together = floats(world.segments, "globals") >= 1
    return np.where(usual.usable & together, more, np.inf)


def _beyond(priced: SegmentCosts) -> Floats:
    """Return what segments lost by themselves: what all lose alike is no one's own."""
    return priced.lost - priced.slow - priced.kept


def _number(priced: SegmentCosts) -> Ints:
    """Return cluster numbers from 1; 0 for segments outside usable clusters."""
    return np.where(priced.expected.usable, priced.work.cluster + 1, 0)


def _clusters(segments: pa.Table, priced: SegmentCosts) -> list[Cluster]:
    cluster = priced.work.cluster
    count = int(cluster.max()) + 1
    order = ordered(cluster)
    edges = np.concatenate([[0], np.cumsum(np.bincount(cluster, minlength=count))])
    total = np.bincount(cluster, priced.duration, count)
    largest = np.sort(np.argsort(-total, kind="stable")[:_MOST_CLUSTERS])
    names = segments.column("function").take(pa.array(order[edges[largest]])).to_pylist()
    beyond = _beyond(priced)
    rows = []
    for number, name in zip(largest.tolist(), names, strict=True):
        at = order[edges[number] : edges[number + 1]]
        reference = priced.expected.seconds[at]
        rest = priced.duration[at] - beyond[at]
        middle = float(np.median(rest))
        usable = bool(priced.expected.usable[at].all())
        rows.append(
            Cluster(
                number=number + 1,
                name=name or "MPI_Finalize",
                members=len(at),
                reference_s=float(reference.mean()) if usable else middle,
                mad_s=float(np.median(np.abs(rest - middle))),
                threshold_s=float(priced.expected.threshold[at].mean()) if usable else 0.0,
                hit=int((beyond[at] > _TOLD * priced.duration[at]).sum()),
                excess_s=float(beyond[at].sum()),
                total_s=float(total[number]),
                usable=usable,
            )
        )
    return rows


def _limits(priced: SegmentCosts, coverage: float, inferred: float | None) -> list[str]:
    limits = []
    if len(priced.duration) < 20:
        many = "1 segment" if len(priced.duration) == 1 else f"{len(priced.duration)} segments"
        limits.append(f"Only {many}: too few to know what is usual; run it longer.")
    if inferred is not None and inferred < 0.5:
        limits.append(
            f"Only {100 * inferred:.0f} % of the time after set-up lies in segments that recur: "
            "outside them only waiting and time off the CPU are evaluated."
        )
    if coverage < 0.5:
        limits.append(f"Only {100 * coverage:.2g} % of the run could be evaluated.")
    for name, crowd in priced.evidence.crowds.items():
        limits.append(
            f"More ranks than cores on {name}, it seems: {crowd.processes} had {crowd.cores:.1f} "
            "cores at most. Ranks wait for each other's turns; this is not counted as loss. The "
            "loss caused by others is less certain"
            + (
                ", and a delay of every step shows in the interval only."
                if _blind(priced).all()
                else "."
            )
        )
    if priced.speed is not None:
        limits += speed_limits(priced.speed)
    if not priced.work.measured:
        limits.append("No counter of instructions: segments are compared by their calls and bytes.")
    return limits


def _table(priced: SegmentCosts) -> pa.Table:
    """Return the evaluated segments for charts."""
    work = None
    if priced.work.measured:
        work = priced.work.amounts[:, priced.work.names.index(priced.work.measured)]
    usable = priced.expected.usable
    threshold = np.where(usable, priced.expected.threshold, 0.0)
    return pa.table(
        {
            "start_ns": priced.start,
            "end_ns": priced.end,
            "duration_ns": np.rint(priced.duration * 1e9).astype(np.int64),
            "work": pa.nulls(len(usable), pa.float64()) if work is None else pa.array(work),
            "cluster": _number(priced),
            "threshold_ns": pa.array(np.rint(threshold * 1e9).astype(np.int64), mask=~usable),
            "excess_ns": np.rint(_beyond(priced) * 1e9).astype(np.int64),
            "slow_ns": np.rint((priced.spent + priced.kept) * 1e9).astype(np.int64),
        }
    )
