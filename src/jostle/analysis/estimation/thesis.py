"""Estimates a run's loss by the method `thesis`, exactly as in Shah, 2020, chapter 5.

Segments with similar computation (relative distance below 0.1) and equal communication and I/O form
a hybrid cluster. A segment longer than median + 4 MAD of its cluster was disturbed. The excess over
this threshold, summed over all segments, is the loss, in percent of the run time with interference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.analysis.estimation.errors import EstimateError
from jostle.analysis.estimation.groups import BytesRule, equal_rows, features, hybrid
from jostle.analysis.estimation.model import Cause, Cluster, Hit, RunEstimate
from jostle.analysis.estimation.relative import relative_clusters
from jostle.analysis.estimation.worlds import assessed_world
from jostle.analysis.interval import Interval
from jostle.repository.types import RunTables, WorldSegments
from jostle.values.arrow_columns import ints, ints_or_zeros

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Fewest segments of a cluster that is evaluated.
MEMBERS = 5
#: MAD above the median from which on a segment is interfered.
WIDTH = 4.0
_HITS, _LISTED = 1000, 2000
_HASTY_HZ = 300.0  # segments a second, at which Shah, 2020 found the method inaccurate (GAPgeofem)


@dataclass(frozen=True)
class ClusterLosses:
    """Losses of hybrid clusters (Shah, 2020, section 5.1.3), in the unit of the durations.

    Attributes:
        members: Number of segments of each cluster, [clusters].
        median: Median of the segments' durations, [clusters].
        mad: Median absolute deviation of the durations, unscaled, [clusters].
        threshold: median + 4 MAD, [clusters].
        hit: Number of segments above the threshold; 0 in clusters with fewer than five segments,
            [clusters].
        excess: Sum of the excess of these segments over the threshold, [clusters].
    """

    members: Ints
    median: Floats
    mad: Floats
    threshold: Floats
    hit: Ints
    excess: Floats


def cluster_losses(durations: NDArray[Any], number: Ints) -> ClusterLosses:
    """Compute the loss of each hybrid cluster (Shah, 2020, section 5.1.3).

    Args:
        durations: Durations of segments, in any unit, [n].
        number: Cluster of each segment, from 0 without gaps, [n].
    """
    members = np.bincount(number)
    median = _medians(durations, number, members)
    mad = _medians(np.abs(durations - median[number]), number, members)
    threshold = median + WIDTH * mad
    beyond: Floats = (durations - threshold[number]).clip(0) * (members[number] >= MEMBERS)
    hit = np.bincount(number, weights=beyond > 0, minlength=len(members)).astype(np.int64)
    excess = np.bincount(number, weights=beyond, minlength=len(members)).astype(np.float64)
    return ClusterLosses(members, median, mad, threshold, hit, excess)


def _medians(values: NDArray[Any], number: Ints, members: Ints) -> Floats:
    """Return the median of each cluster's values."""
    ordered = values[np.lexsort((values, number))]
    first = np.cumsum(members) - members
    low, high = first + (members - 1) // 2, first + members // 2
    return np.asarray((ordered[low] + ordered[high]) / 2, dtype=np.float64)


def estimate_thesis(
    tables: RunTables, *, bytes_rule: BytesRule = "exact", seed: int = 0
) -> RunEstimate:
    """Estimate the time that a run lost to interference by the method of Shah, 2020, chapter 5.

    The method works with any segments. It is exactly that of Shah, 2020 if every global collective
    ends a segment, as with JOSTLE_SEGMENTS=raw.

    Args:
        tables: The tables of the run.
        bytes_rule: How numbers of bytes are compared within a group (section 5.1.1): exact, by the
            median over the ranks, or ignore.
        seed: Stored in the result; the method has no random step.

    Returns:
        The estimate. The upper bound of the loss is the excess of disturbed segments over the
        median of their cluster.

    Raises:
        EstimateError: The job has no execution segments, or impossible values.
    """
    world, limits = assessed_world(tables)
    if world is None:
        raise EstimateError(
            f"Job '{tables.job}' has no execution segments, and method thesis evaluates only "
            "segments.",
            hint="Use --method jostle, which also evaluates slices.",
        )
    segments = world.segments
    duration = ints(segments, "duration_ns")
    if (duration < 0).any():
        raise EstimateError(
            f"Segments of job '{tables.job}' end before they begin, because a clock was set "
            "meanwhile.",
            hint="Repeat the run on nodes with synchronised clocks.",
        )
    work, stood_in = work_of(segments, len(world.ranks))
    groups = equal_rows(features(segments, bytes_rule), len(duration))
    number = hybrid(relative_clusters(work), groups)
    found = _Found(segments, duration, work, number)
    start, end = _window(tables, world)
    run_s = max((end - start) / 1e9, 1e-9)
    lost = found.excess.sum() / 1e9
    beyond = found.beyond_median / 1e9
    limits = [*_limits(found, world, run_s, bytes_rule), *stood_in, *limits]
    seconds = Interval(lost, lost, max(lost, min(beyond, run_s)))
    percent = Interval(*(100 * value / run_s for value in (lost, seconds.low, seconds.high)))
    return RunEstimate(
        job=tables.job,
        method="thesis",
        world=world.number,
        ranks=len(world.ranks),
        start_ns=start,
        end_ns=end,
        run_s=run_s,
        lost_s=seconds,
        percent=percent,
        coverage=min(float(duration[found.usable].sum()) / 1e9 / run_s, 1.0),
        inferred_coverage=found.coverage_after_set_up(),
        causes=[Cause("unknown", "", seconds, "inferred")] if lost > 0 else [],
        continuous=None,
        imbalance_s=None,
        clusters=found.listed(),
        hits=found.hits(),
        limits=limits,
        segments=found.table(),
        seed=seed,
        doubts=("method", "scatter"),
    )


def work_of(segments: pa.Table, ranks: int) -> tuple[NDArray[Any], list[str]]:
    """Return the amount of computation in each segment, and notes if counters are missing.

    The amount is the number of floating-point operations if these were counted, else the number of
    instructions outside MPI calls (Shah, 2020, section 5.1.1). Without either counter, it is the
    CPU time outside MPI and file calls, in ns.

    Args:
        segments: Segments merged over ranks, n rows.
        ranks: Number of ranks that the segments were merged from.

    Returns:
        Amount of computation, [n]; and the notes, sentences for RunEstimate.limits.
    """
    for name in ("flops", "instructions"):
        values = ints_or_zeros(segments, name)
        if values.any():
            missing = float((values == 0).mean())
            said = (
                []
                if missing < 0.01
                else [
                    f"{100 * missing:.0f} % of the segments have no {name}: "
                    "they are treated as equal."
                ]
            )
            return values, said
    outside = ints_or_zeros(segments, "duration_ns") * ranks - ints_or_zeros(segments, "mpi_ns")
    away = np.maximum(ints_or_zeros(segments, "io_ns"), ints_or_zeros(segments, "offcpu_ns"))
    work = (outside - away).clip(0)
    burnt = ints_or_zeros(segments, "cpu_ns")
    if burnt.any():
        work = np.minimum(work, burnt)
    return work, [
        "Neither floating-point operations nor instructions were counted: CPU time outside MPI and "
        "file calls was used instead. A core that slows down then looks like more work, and its "
        "loss is not seen."
    ]


def _window(tables: RunTables, world: WorldSegments) -> tuple[int, int]:
    """Return the time of the first rank's MPI_Init and of the last rank's MPI_Finalize, in ns."""
    start = int(ints(world.segments, "start_ns")[0])
    end = int(ints(world.segments, "end_ns")[-1])
    rows = tables.processes
    names = ("process", "mpi_init_ns", "mpi_finalize_ns")
    if any(name not in rows.column_names for name in names):
        return start, max(end, start + 1)
    mine = np.isin(ints(rows, "process"), np.array(world.processes, dtype=np.int64))
    begun = ints(rows, "mpi_init_ns")[mine]
    over = ints(rows, "mpi_finalize_ns")[mine]
    if len(begun) and begun.min() > 0:
        start = min(start, int(begun.min()))
    if len(over):
        end = max(end, int(over.max()))
    return start, max(end, start + 1)


class _Found:
    """The segments in their hybrid clusters, with the loss of each."""

    def __init__(
        self, segments: pa.Table, duration: Ints, work: NDArray[Any], number: Ints
    ) -> None:
        self._segments, self._duration, self._work = segments, duration, work
        self._number = number
        self._losses = cluster_losses(duration, number)
        members = self._losses.members
        self._order = np.argsort(number, kind="stable")
        self._first = np.cumsum(members) - members
        # Clusters are numbered in order of their work, as in the figures of Shah, 2020.
        middle = _medians(work, number, members)
        self._rank = np.empty(len(members), dtype=np.int64)
        self._rank[np.lexsort((np.arange(len(members)), middle))] = np.arange(1, len(members) + 1)
        self.usable = (members >= MEMBERS)[number]
        self._threshold = self._losses.threshold[number]
        self.excess: Floats = np.where(self.usable, (duration - self._threshold).clip(0), 0.0)
        hit = self.excess > 0
        self.beyond_median = float((duration[hit] - self._losses.median[number[hit]]).sum())

    def coverage_after_set_up(self) -> float:
        """Return the share of the time after the first segment that is in usable clusters."""
        rest = self._duration[1:]
        total = float(rest.sum())
        return float(rest[self.usable[1:]].sum()) / total if total else 0.0

    @property
    def per_second(self) -> float:
        """Number of segments per second."""
        total = float(self._duration.sum()) / 1e9
        return len(self._duration) / total if total else 0.0

    def listed(self) -> list[Cluster]:
        """Return the clusters in the order of their numbers.

        If there are too many, the usable clusters and those with the most time are preferred.
        """
        total = np.bincount(self._number, weights=self._duration) / 1e9
        chosen = np.arange(len(total))
        if len(total) > _LISTED:
            chosen = np.lexsort((-total, self._losses.members < MEMBERS))[:_LISTED]
        chosen = chosen[np.argsort(self._rank[chosen])]
        return [self._cluster(int(i), float(total[i])) for i in chosen]

    def _cluster(self, i: int, total: float) -> Cluster:
        found, first = self._losses, int(self._first[i])
        members = int(found.members[i])
        some = self._order[first : first + min(members, MEMBERS)]
        names = self._segments["function"].take(pa.array(some)).to_pylist()
        return Cluster(
            number=int(self._rank[i]),
            name=max(set(names), key=names.count),
            members=members,
            reference_s=float(found.median[i]) / 1e9,
            mad_s=float(found.mad[i]) / 1e9,
            threshold_s=float(found.threshold[i]) / 1e9,
            hit=int(found.hit[i]),
            excess_s=float(found.excess[i]) / 1e9,
            total_s=total,
            usable=members >= MEMBERS,
        )

    def hits(self) -> list[Hit]:
        """Return the disturbed segments in order of time; of too many those with most loss."""
        rows = np.argsort(-self.excess, kind="stable")[:_HITS]
        rows = np.sort(rows[self.excess[rows] > 0])
        start, end = (ints(self._segments, name) for name in ("start_ns", "end_ns"))
        return [
            Hit(
                int(start[row]),
                int(end[row]),
                float(self.excess[row]) / 1e9,
                "unknown",
                "",
                int(self._rank[self._number[row]]),
            )
            for row in rows
        ]

    def table(self) -> pa.Table:
        """Return the table of evaluated segments, RunEstimate.segments."""
        numbers = self._rank[self._number] if len(self._number) else self._number
        return pa.table(
            {
                "start_ns": self._segments["start_ns"],
                "end_ns": self._segments["end_ns"],
                "duration_ns": self._duration,
                "work": self._work,
                "cluster": np.where(self.usable, numbers, 0),
                "threshold_ns": np.rint(self._threshold).astype(np.int64),
                "excess_ns": np.rint(self.excess).astype(np.int64),
                "lost_ns": np.rint(self.excess).astype(np.int64),
            }
        )


def _limits(found: _Found, world: WorldSegments, run_s: float, bytes_rule: BytesRule) -> list[str]:
    said = []
    raw = world.rules.get("raw", 0.0) + world.rules.get("every", 0.0)
    if raw < 0.5:
        said.append(
            "The method of Shah (2020) ends a segment at every all-to-all call: most segments here "
            "are coalesced or end at other calls. JOSTLE_SEGMENTS=raw records them as needed."
        )
    outside = 1 - found.coverage_after_set_up()
    if outside > 0.1:
        fix = "" if bytes_rule != "exact" else " --bytes median or ignore makes larger clusters."
        said.append(
            f"{100 * outside:.0f} % of the time after set-up lies in clusters of fewer than "
            f"{MEMBERS} segments, which are too small to use.{fix}"
        )
    if found.per_second > _HASTY_HZ:
        said.append(
            f"{found.per_second:.0f} segments a second: Shah (2020) found the method inaccurate "
            f"from about 300 on."
        )
    said.append(
        "Only instantaneous interference is counted, and only the time above median + 4 MAD; if "
        "more than half of a cluster is hit, nothing is detected. The method has no interval: "
        "the upper bound counts the same segments from their median on."
    )
    return said
