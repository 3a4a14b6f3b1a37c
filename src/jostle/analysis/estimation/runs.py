"""Compares several runs of one program, cluster by cluster and cause by cause (thesis 5.1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.estimation.errors import EstimateError
from jostle.analysis.estimation.model import Cluster, ClusterDifference, Comparison, Estimate

Floats = NDArray[np.float64]

#: Clusters further apart are different ones. Distances are of logarithms: 0.7 is twice as much.
_APART = 2.0
_MOST = 500  # clusters of a run that are matched, the largest in time
_WEIGHTS = {"work": 3.0, "members": 1.0, "reference": 0.5, "place": 0.5}


@dataclass(frozen=True)
class _Profile:
    """What a cluster is recognised by.

    Attributes:
        cluster: The cluster.
        work: Median work of its segments; nan where there is none.
        place: Where its first segment lies in the run, 0 to 1.
    """

    cluster: Cluster
    work: float
    place: float


def compare(estimates: Sequence[Estimate]) -> Comparison:
    """Say by which clusters and causes runs of one program differ.

    The fastest run is the baseline. What a run took longer is split into: what its own estimate
    says that it lost more; the displacement of the references of clusters that both have (n of its
    segments x reference here less there: continuous interference); segments that only one of them
    has; and the rest.

    Args:
        estimates: Two runs or more, by the same method.

    Raises:
        EstimateError: There are fewer than two, or their methods differ.
    """
    if len(estimates) < 2:
        raise EstimateError(
            "One run cannot be compared with itself.",
            hint="Name two jobs or more: jostle compare JOB JOB",
        )
    if len({estimate.method for estimate in estimates}) > 1:
        raise EstimateError(
            "The runs were estimated by different methods.", hint="Estimate all by the same."
        )
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
    """Return the measured interference of a run (thesis 5.2.3).

    Args:
        run_s: It took.
        fastest_s: The fastest run of the program took.
        displaced_s: By how much the medians of its clusters are displaced (Comparison).

    Returns:
        What it took longer less what is continuous, percent of its own run time.
    """
    return 100 * (run_s - fastest_s - displaced_s) / run_s


def _profiles(estimate: Estimate) -> list[_Profile]:
    """Return the usable clusters, largest in time first."""
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
        place = float(rows[0]) / table.num_rows if len(rows) else 0.0
        result.append(_Profile(cluster, middle, place))
    return result


def _matched(base: list[_Profile], other: list[_Profile]) -> dict[int, Cluster]:
    """Return the index in the baseline's list of each cluster of a run; negative: not there."""
    from scipy.optimize import linear_sum_assignment  # half a second: only who compares pays it

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
    places = [np.array([p.place for p in side]) for side in (base, other)]
    total += _WEIGHTS["place"] * np.abs(places[0][:, None] - places[1][None, :])
    names = [np.array([p.cluster.name for p in side]) for side in (base, other)]
    total[names[0][:, None] != names[1][None, :]] = 2 * _APART
    return total


def _table(rows: list[dict[int, Cluster]], runs: int) -> list[list[Cluster | None]]:
    """Return one line per cluster: what each run has of it."""
    shared = sorted({place for row in rows for place in row if place >= 0})
    lines = [[row.get(place) for row in rows] for place in shared]
    for i, row in enumerate(rows):
        for place, cluster in row.items():
            if place < 0:
                line: list[Cluster | None] = [None] * runs
                line[i] = cluster
                lines.append(line)
    return lines


def _split(table: list[list[Cluster | None]], run: int, baseline: int) -> tuple[float, float]:
    """Return seconds of displaced references, and of segments that only one of the runs has."""
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


def _beyond(estimate: Estimate) -> float:
    """Return what a run lost beyond what shifts all of it: slow cores displace its references."""
    cores = estimate.core_speed
    return estimate.lost_s.value - (cores.seconds.value + cores.steal_s if cores else 0.0)


def _outside(estimate: Estimate) -> float:
    """Return the time in clusters that are not usable: it belongs to no cluster of another run."""
    return sum(c.total_s - c.excess_s for c in estimate.clusters if not c.usable)


def _by_cause(estimates: Sequence[Estimate], baseline: int) -> dict[str, list[float]]:
    sums = []
    for estimate in estimates:
        mine: dict[str, float] = {}
        for cause in estimate.causes:
            if cause.kind and cause.how == "measured":
                continue  # displaces references: told there
            mine[cause.cause] = mine.get(cause.cause, 0.0) + cause.seconds.value
        sums.append(mine)
    names = dict.fromkeys(name for mine in sums for name in mine)
    base = sums[baseline]
    found = {name: [mine.get(name, 0.0) - base.get(name, 0.0) for mine in sums] for name in names}
    return dict(sorted(found.items(), key=lambda item: -max(map(abs, item[1]))))


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


def _limits(estimates: Sequence[Estimate], baseline: int) -> list[str]:
    said = [
        "The fastest run is the baseline; whether it was itself disturbed, its own estimate says."
    ]
    base = estimates[baseline]
    for estimate in estimates:
        if estimate.ranks != base.ranks:
            ranks = "1 rank" if estimate.ranks == 1 else f"{estimate.ranks} ranks"
            said.append(
                f"Job '{estimate.job}' had {ranks}, the baseline {base.ranks}: they are no runs "
                "of the same thing."
            )
        if not any(c.usable for c in estimate.clusters):
            said.append(
                f"Job '{estimate.job}' has no usable clusters: only its causes are compared."
            )
    if base.light == "red":
        said.append("The baseline itself was too disturbed to be one: take more runs.")
    return said
