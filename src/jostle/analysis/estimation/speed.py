"""Computes from the core-speed probe how much slower the cores were than at their best.

The probe is a fixed computation that the runtime times now and then on the cores of the ranks
(JOSTLE_CORE_PROBE). If it takes longer than its minimum, programs take longer by about the same
factor, since others compute on the sibling threads of the cores, or the frequency is lower. This
measure does not depend on the program, so it also detects runs that were slow from start to end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.attribute import CauseSeconds, spread_over
from jostle.analysis.estimation.columns import Floats, Ints
from jostle.analysis.estimation.interval import Doubt
from jostle.analysis.estimation.model import CauseKind
from jostle.repository.types import CORE_PROBE_RUNS, CoreReference
from jostle.values.arrow_columns import floats

#: Additional time of a program's computation over that of the probe: 0.8 to 1.3 in five programs on
#: two ranks (docs/explanation/estimation.md).
SLOPE, SLOPE_DOUBT = 1.0, 0.35
#: Error of a program's time that the probe does not show, as a part of its time at the minimum.
RESIDUAL = 0.03
#: Largest slowdown of a core whose minimum is not known: a sibling thread uses half its hardware.
_MOST = 1.6
_KEPT_DOUBT = 0.4  # relative error of the loss to steal: delays of ranks may overlap
_SURE = 1.96  # standard deviations: 95 %
_WORST = 3.0  # times the minimum: larger values measure something other than a slow core
_LOW = 0.1  # quantile of a run's means that is its own minimum
_KNOWN = 5  # other jobs, from which on the minimum is known
_DRAWN = 5  # runs of a program whose minimum counts as much as the node's
_ENOUGH = 5  # runs of the probe that make a mean


@dataclass(frozen=True)
class Speed:
    """The slowdown of a job's cores, from the core-speed probe.

    Attributes:
        slower: Factor by which computation took longer in each span than with cores at their best;
            below 1 where cores were faster than the minimum shows.
        core_probe: Duration of the probe divided by its minimum, mean over the run on the slowest
            node.
        jobs: Number of other jobs from which the minimum is known, on the node with the fewest; 0:
            the minimum is that of this run.
        unseen: Share by which the minimum itself may be too large, since cores may never have been
            at their best. It is smaller the more jobs there are, but at least the excess of the
            program's minimum over that of the node.
        host: Index in `hosts` of the node that was slowest in each span.
        hosts: Names of nodes.
        stolen: Steal time in each span, mean over the cores of the worst node, seconds. It is a
            lower bound of the delay.
        steal: Steal time as a share of the time, on the node with the most.
    """

    slower: Floats
    core_probe: float
    jobs: int
    unseen: float
    host: Ints
    hosts: list[str]
    stolen: Floats
    steal: float

    def kept(self, seen: Floats) -> Floats:
        """Return the steal time that is not in the estimated loss yet, seconds.

        The CPU clock of a virtual machine counts steal time as work or as time off the CPU,
        depending on the kernel. So most of it is in the inferred or measured loss already. Steal
        time is counted in steps too coarse for single segments, so it is compared with the loss
        over the whole run.

        Args:
            seen: Estimated loss of each span that may be due to steal, seconds, [spans].

        Returns:
            Additional seconds lost in each span, [spans].
        """
        whole = float(self.stolen.sum())
        beyond: Floats = self.stolen * max(1 - float(seen.sum()) / max(whole, 1e-12), 0.0)
        return beyond

    def lost(self, rest: Floats, inferred: Floats, level: float) -> Floats:
        """Return the seconds that slow cores added to each span; negative where they were faster.

        If a span exceeds its reference, the excess is part of the inferred loss already, whatever
        caused it. Then the cores count as being as slow as in the spans from which references are
        taken. But the whole loss of the span is at least that by the probe.

        Args:
            rest: Seconds of each span without measured losses and steal time, [spans].
            inferred: Seconds of each span beyond its reference, [spans].
            level: Slowdown of the cores in the spans from which references are taken.
        """
        slower = np.where(inferred > 0, np.minimum(self.slower, level), self.slower)
        beyond = inferred.clip(0)
        result: Floats = (rest - beyond).clip(0) * (1 - 1 / slower)
        whole = rest * (1 - 1 / self.slower) - beyond
        return np.where(inferred > 0, np.maximum(result, whole), result)

    def longer(self, rest: Floats, level: float) -> Floats:
        """Return the seconds by which spans took longer because cores were slower than `level`.

        Args:
            rest: Seconds of each span without measured losses and steal time, [spans].
            level: Slowdown of the cores in the spans from which references are taken.
        """
        beyond: Floats = (rest * (1 - level / self.slower)).clip(0)
        return beyond

    def parts(self, lost: Floats, kind: CauseKind) -> list[CauseSeconds]:
        """Split lost seconds by the node that was slowest in each span."""
        return [
            CauseSeconds("cpu", name, True, np.where(self.host == number, lost, 0.0), kind)
            for number, name in enumerate(self.hosts)
        ]

    def doubt(self, calm: Floats, kept: float) -> Doubt:
        """Return the uncertainty of the loss to slow cores and to steal time.

        Args:
            calm: Seconds that each span would take with cores at their best, [spans].
            kept: Estimated loss to steal time, seconds.
        """
        run = calm * self.slower
        # Error of `slower` times the change of the loss by it.
        change = run / self.slower**2
        sure = _SURE * SLOPE_DOUBT / SLOPE * abs(float(((self.slower - 1) * change).sum()))
        residual = _SURE * RESIDUAL * float(change.sum())
        width = float(np.sqrt(sure**2 + residual**2 + (_SURE * _KEPT_DOUBT * kept) ** 2))
        return Doubt(width, width + float(calm.sum()) * (1 - 1 / (1 + SLOPE * self.unseen)))


def core_speed(
    slices: pa.Table, start: Ints, end: Ints, references: Mapping[str, CoreReference]
) -> Speed | None:
    """Compute the slowdown of the cores during each span.

    Args:
        slices: The job's slices by host (repository.types.RunTables), with or without a probe.
        start: Start of each span, ns, ascending; spans do not overlap, [spans].
        end: End of each span, ns, [spans].
        references: Known minimum of the probe, by node.

    Returns:
        The slowdown of the cores; None if no node has enough runs of the probe.
    """
    hosts = np.array(slices.column("host").to_pylist(), dtype=object)
    times = floats(slices, "core_probe_count_sum")
    names = sorted(set(hosts.tolist()))
    slower, worst = np.zeros(len(start)), np.zeros(len(start), dtype=np.int64)
    jobs, levels, unseen = [], [], 0.0
    stolen, steal = np.zeros(len(start)), 0.0
    for number, name in enumerate(names):
        at = np.flatnonzero((hosts == name) & (times >= _ENOUGH))
        if not len(at):
            continue
        rows = slices.take(pa.array(at))
        mean = floats(rows, "core_probe_ns_sum") / times[at]
        own = float(np.quantile(_means(mean, times[at]), _LOW))
        known = references.get(name)
        reference = own if known is None else _reference(known)
        if known is not None and known.jobs < _KNOWN:
            reference = min(reference, own)
        jobs.append(0 if known is None else known.jobs)
        # Values below 1 stay: without them the scatter of the probe would become a loss.
        ratio = (mean / reference).clip(1 / _WORST, _WORST)
        levels.append(float(np.average(ratio, weights=times[at])))
        # It decreases with the number of jobs, since one of many was at its best; bounded by _MOST.
        level = min(max(levels[-1], 1.0), _MOST)
        unseen = max(unseen, (_MOST / level - 1) / (1 + jobs[-1]))
        unseen = max(unseen, 0.0 if known is None else reference / known.ns - 1)
        here = 1 + SLOPE * (_over(rows, ratio, start, end) - 1)
        worst[here > slower] = number
        slower = np.maximum(slower, here)
        length = floats(rows, "slice_ns")
        away = (floats(rows, "core_probe_steal_ns_max") / length.clip(1)).clip(0, 1)
        steal = max(steal, float(np.average(away, weights=length)))
        stolen = np.maximum(stolen, _over(rows, away, start, end) * (end - start) / 1e9)
    if not jobs:
        return None
    return Speed(slower, max(levels), min(jobs), unseen, worst, names, stolen, steal)


def _means(mean: Floats, times: Floats) -> Floats:
    """Return mean durations of the probe, each over as many slices as have enough runs of it.

    Repositories compute the known minimum from the same kind of means.

    Args:
        mean: Mean duration of the probe in each slice.
        times: Number of runs of the probe in each slice.
    """
    piece = (np.cumsum(times) - times) // CORE_PROBE_RUNS
    _, of = np.unique(piece, return_inverse=True)
    count = np.bincount(of, times)
    means: Floats = np.bincount(of, mean * times) / count
    enough = count >= CORE_PROBE_RUNS / 2
    return means[enough] if enough.any() else means


def _reference(known: CoreReference) -> float:
    """Return the probe's minimum for a program: a mean of the node's and of the program's minimum.

    Ranks that share cores slow the probe in all runs of a program, and this is no interference. So
    the more runs of the program are known, the more their own minimum counts.
    """
    weight = known.own_jobs / (known.own_jobs + _DRAWN)
    return known.ns + weight * (known.own_ns - known.ns)


def netted(slow: Floats, explained: Floats) -> tuple[Floats, Floats]:
    """Subtract the time that fast cores gained from the loss to slow cores.

    Cores gained time where they were faster than the minimum of the probe shows. Losses to other
    causes are not reduced.

    Args:
        slow: Seconds that slow cores added to each span; negative where cores gained time, [spans].
        explained: Inferred loss of each span that slow cores explain, seconds, [spans].

    Returns:
        What remains of `slow` and of `explained`, at least 0, [spans].
    """
    gained = -float(slow.clip(max=0).sum())
    left: list[Floats] = []
    for seconds in (slow.clip(0), explained):
        whole = float(seconds.sum())
        taken = min(gained, whole)
        gained -= taken
        left.append(seconds * (1 - taken / whole) if whole else seconds)
    return left[0], left[1]


def level_of(speed: Speed, rest: Floats, reference: Floats) -> float:
    """Return the mean slowdown of cores in the spans that did not exceed their reference.

    Args:
        speed: Core speed of the spans.
        rest: Seconds of each span without measured losses, [spans].
        reference: Reference of each span, seconds; 0 if it is not known, [spans].
    """
    calm = (rest > 0) & (rest <= reference)
    if not calm.any():
        calm = rest > 0
    return float(np.average(speed.slower[calm], weights=rest[calm])) if calm.any() else 1.0


def speed_limits(speed: Speed) -> list[str]:
    """Return a sentence for users if the probe's minimum is known from few jobs only; else none."""
    if speed.jobs >= _KNOWN:
        return []
    most = 100 * (1 - 1 / (1 + SLOPE * speed.unseen))
    where = "this run alone" if not speed.jobs else f"{speed.jobs} other jobs on the node"
    if speed.jobs == 1:
        where = "one other job on the node"
    return [
        f"The highest speed of the cores is known from {where}: if they never reached it there, "
        f"up to {most:.0f} % more was lost."
    ]


def _over(rows: pa.Table, ratio: Floats, start: Ints, end: Ints) -> Floats:
    """Return the mean of a ratio over the slices in each span; without slices, over the run."""
    begin = rows.column("slice").to_numpy() * rows.column("slice_ns").to_numpy()
    until = begin + rows.column("slice_ns").to_numpy()
    length = (until - begin) / 1e9
    covered = spread_over(begin, until, length, start, end)
    sums = spread_over(begin, until, ratio * length, start, end)
    mean = float(np.average(ratio, weights=length))
    means: Floats = np.divide(sums, covered, out=np.full(len(start), mean), where=covered > 1e-6)
    return means
