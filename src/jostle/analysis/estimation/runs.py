"""Compares several runs of a program by clusters and causes (Shah, 2020, section 5.1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.estimation.errors import EstimateError
from jostle.analysis.estimation.model import Cluster, ClusterDifference, Comparison, RunEstimate

Floats = NDArray[np.float64]

#: Clusters at a larger distance are different. Distances are differences of natural logarithms: 0.7
#: is a factor of two.
_APART = 2.0
_MOST = 500  # clusters of a run that are matched, the largest in time
_WEIGHTS = {"work": 3.0, "members": 1.0, "reference": 0.5, "position": 0.5}


@dataclass(frozen=True)
class _Profile:
    """Properties by which a cluster is matched between runs.

    Attributes:
        cluster: The cluster.
        work: Median work of the cluster's segments, by a counter; nan if none was recorded.
        position: Position of the cluster's first segment in the run, 0 to 1.
    """

    cluster: Cluster
    work: float
    position: float


def compare(estimates: Sequence[RunEstimate], baseline: int | None = None) -> Comparison:
    """Split the time differences of runs by cluster and cause (Shah, 2020, section 5.1.4).

    Each run is compared with a baseline, and its additional time is split into four parts. The
    first is the difference of the losses by the runs' own estimates. The second is the displacement
    of references (continuous interference): for each common cluster, the number of segments times
    the difference of the references. The third is the time of segments that only one of the two
    runs has. The fourth is the rest.

    Args:
        estimates: Estimates of two or more runs by the same method.
        baseline: Index of the run with which the others are compared; None: the fastest run.

    Returns:
        The parts of each run, seconds, and the clusters that explain most of the differences.

    Raises:
        EstimateError: There are fewer than two runs, or their methods differ.
    """
    if len(estimates) < 2:
        raise EstimateError(
            "One run cannot be compared with itself.",
            hint="Name at least two jobs: jostle compare JOB JOB",
        )
    if len({estimate.method for estimate in estimates}) > 1:
        raise EstimateError(
            "The runs were estimated by different methods.",
            hint="Estimate all runs by the same method.",
        )
    if baseline is None:
        baseline = min(range(len(estimates)), key=lambda i: estimates[i].run_s)
    base = _profiles(estimates[baseline])
    rows = [_matched(base, _profiles(estimate)) for estimate in estimates]
    table = _table(rows, len(estimates))
    displaced, work = [], []
    for i, estimate in enumerate(estimates):
        shift, other = _split(table, i, baseline)
        displaced.append(shift)
        work.append(other + _outside(estimate) - _outside(estimates[baseline]))
    measured = [estimate.run_s - estimates[baseline].run_s for estimate in estimates]
    own = [_beyond(estimate) for estimate in estimates]
    lost = [seconds - own[baseline] for seconds in own]
    rest = [m - e - d - w for m, e, d, w in zip(measured, lost, displaced, work, strict=True)]
    return Comparison(
        estimates=list(estimates),
        baseline=baseline,
        measured_s=measured,
        estimated_s=lost,
        displaced_s=displaced,
        work_s=work,
        unexplained_s=rest,
        by_cause=_by_cause(estimates, baseline),
        clusters=_differences(table, baseline),
        limits=_limits(estimates, baseline),
    )


def measured_percent(run_s: float, fastest_s: float, displaced_s: float) -> float:
    """Return the measured interference of a run (Shah, 2020, section 5.2.3).

    Args:
        run_s: Length of the run, seconds.
        fastest_s: Length of the fastest run of the program, seconds.
        displaced_s: Displacement of the references of the run's clusters, seconds
            (Comparison.displaced_s).

    Returns:
        The additional time over the fastest run, without continuous interference, in percent of
        the run's own time.
    """
    return 100 * (run_s - fastest_s - displaced_s) / run_s


def _profiles(estimate: RunEstimate) -> list[_Profile]:
    """Return the usable clusters of a run, the one with the most time first."""
    clusters = sorted((c for c in estimate.clusters if c.usable), key=lambda c: -c.total_s)[:_MOST]
    table = estimate.segments
    if not table.num_rows:
        return [_Profile(cluster, np.nan, 0.0) for cluster in clusters]
    number = table["cluster"].fill_null(0).to_numpy()
    work = np.asarray(table["work"].to_numpy(), dtype=np.float64)
    order = np.argsort(number, kind="stable")
    numbers = [cluster.number for cluster in clusters]
    ends = [np.searchsorted(number[order], numbers, side) for side in ("left", "right")]
    result = []
    for cluster, low, high in zip(clusters, *ends, strict=True):
        rows = order[low:high]
        middle = float(np.median(work[rows])) if len(rows) else np.nan
        position = float(rows[0]) / table.num_rows if len(rows) else 0.0
        result.append(_Profile(cluster, middle, position))
    return result


def _matched(base: list[_Profile], other: list[_Profile]) -> dict[int, Cluster]:
    """Return the clusters of a run, by the index of the matching cluster in the baseline's list.

    Clusters that match none of the baseline's have negative indices.
    """
    from scipy.optimize import linear_sum_assignment  # takes half a second to import

    clusters: dict[int, Cluster] = {}
    if base and other:
        cost = _distances(base, other)
        for i, j in zip(*linear_sum_assignment(np.minimum(cost, _APART)), strict=True):
            if cost[i, j] < _APART:
                clusters[int(i)] = other[j].cluster
    taken = {cluster.number for cluster in clusters.values()}
    left = [profile.cluster for profile in other if profile.cluster.number not in taken]
    return clusters | {-k - 1: cluster for k, cluster in enumerate(left)}


def _distances(base: list[_Profile], other: list[_Profile]) -> Floats:
    total = np.zeros((len(base), len(other)))
    for weight, values in (
        (_WEIGHTS["work"], [[p.work for p in side] for side in (base, other)]),
        (_WEIGHTS["members"], [[p.cluster.members for p in side] for side in (base, other)]),
        (_WEIGHTS["reference"], [[p.cluster.reference_s for p in side] for side in (base, other)]),
    ):
        low, high = (np.log(np.maximum(np.array(side, dtype=float), 1e-9)) for side in values)
        total += weight * np.nan_to_num(np.abs(low[:, None] - high[None, :]), nan=0.0)
    positions = [np.array([p.position for p in side]) for side in (base, other)]
    total += _WEIGHTS["position"] * np.abs(positions[0][:, None] - positions[1][None, :])
    names = [np.array([p.cluster.name for p in side]) for side in (base, other)]
    total[names[0][:, None] != names[1][None, :]] = 2 * _APART
    return total


def _table(rows: list[dict[int, Cluster]], runs: int) -> list[list[Cluster | None]]:
    """Return one list per cluster, with the matching cluster of each run; None if it has none."""
    shared = sorted({index for row in rows for index in row if index >= 0})
    lines = [[row.get(index) for row in rows] for index in shared]
    for i, row in enumerate(rows):
        for index, cluster in row.items():
            if index < 0:
                line: list[Cluster | None] = [None] * runs
                line[i] = cluster
                lines.append(line)
    return lines


def _split(table: list[list[Cluster | None]], run: int, baseline: int) -> tuple[float, float]:
    """Return by how many seconds a run is longer than the baseline, for two reasons.

    Returns:
        Seconds since the references of common clusters are longer; and seconds of segments that
        only one of the two runs has, negative if the baseline has more of them.
    """
    displaced = other = 0.0
    for line in table:
        cluster, base = line[run], line[baseline]
        if cluster is not None and base is not None:
            displaced += cluster.members * (cluster.reference_s - base.reference_s)
            other += (cluster.members - base.members) * base.reference_s
        elif cluster is not None:
            other += cluster.total_s - cluster.excess_s
        elif base is not None:
            other -= base.total_s - base.excess_s
    return displaced, other


def _beyond(estimate: RunEstimate) -> float:
    """Return the loss of a run without that to slow cores and steal time, seconds.

    Slow cores make the references longer, so they count as displacement.
    """
    cores = estimate.core_speed
    return estimate.lost_s.value - (cores.seconds.value + cores.steal_s if cores else 0.0)


def _outside(estimate: RunEstimate) -> float:
    """Return the time in clusters that are not usable, so that they cannot be matched, seconds."""
    return sum(c.total_s - c.excess_s for c in estimate.clusters if not c.usable)


def _by_cause(estimates: Sequence[RunEstimate], baseline: int) -> dict[str, list[float]]:
    sums = []
    for estimate in estimates:
        mine: dict[str, float] = {}
        for cause in estimate.causes:
            if estimate.core_speed and cause.kind and cause.how == "measured":
                continue  # counted as displaced references, see _beyond
            mine[cause.cause] = mine.get(cause.cause, 0.0) + cause.seconds.value
        sums.append(mine)
    names = dict.fromkeys(name for mine in sums for name in mine)
    base = sums[baseline]
    more = {name: [mine.get(name, 0.0) - base.get(name, 0.0) for mine in sums] for name in names}
    return dict(sorted(more.items(), key=lambda item: -max(map(abs, item[1]))))


def _differences(table: list[list[Cluster | None]], baseline: int) -> list[ClusterDifference]:
    rows = [
        ClusterDifference(
            name=next(c.name for c in line if c is not None),
            members=[c.members if c else 0 for c in line],
            reference_s=[c.reference_s if c else 0.0 for c in line],
            excess_s=[c.excess_s if c else 0.0 for c in line],
            total_s=[c.total_s if c else 0.0 for c in line],
            numbers=[c.number if c else 0 for c in line],
        )
        for line in table
    ]
    rows.sort(key=lambda row: -max(abs(t - row.total_s[baseline]) for t in row.total_s))
    return rows


def _limits(estimates: Sequence[RunEstimate], baseline: int) -> list[str]:
    fastest = all(each.run_s >= estimates[baseline].run_s for each in estimates)
    which = "The fastest run" if fastest else f"The run {estimates[baseline].job}"
    limits = [f"{which} is the baseline; its own estimate shows whether it was disturbed."]
    base = estimates[baseline]
    for estimate in estimates:
        if estimate.ranks != base.ranks:
            ranks = "1 rank" if estimate.ranks == 1 else f"{estimate.ranks} ranks"
            limits.append(
                f"Job '{estimate.job}' had {ranks}, the baseline {base.ranks}, so they are not "
                "runs of the same case."
            )
    without = [each.job for each in estimates if not any(c.usable for c in each.clusters)]
    if len(without) == len(estimates):
        limits.append("These runs have no segments to compare, so only their causes are compared.")
    elif without:
        verb = "has" if len(without) == 1 else "have"
        limits.append(
            f"{', '.join(without)} {verb} no segments to compare with those of the others."
        )
    if base.light == "red":
        limits.append("The baseline itself was disturbed too much to serve as one. Add more runs.")
    return limits
