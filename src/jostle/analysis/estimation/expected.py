"""Estimates the reference times of segments: their durations without interference.

Segments of one kind have the same calls; segments of one cluster also have equal counts and bytes.
The reference of a cluster with enough segments is the usual duration of these segments. A smaller
cluster gets a reference from all segments of its kind: the predicted time of a segment is the sum
of its counts times their costs, and the costs are fitted to the undisturbed segments of the kind.
The smaller a cluster is, the nearer its reference is to this predicted time. A cluster is no
reference if it occurs only in slow stretches of the run, in which segments of other clusters right
before and after it were slow, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle.analysis.estimation.columns import Flags, Floats, Ints, grouped, numbered, ordered
from jostle.analysis.estimation.robust import usual
from jostle.analysis.estimation.work import Work

ENOUGH = 5  # members (Shah, 2020, section 5.1.1)
LEAST = 0.02  # of a segment: a smaller distance from its reference is not excess
_LEARNT_FROM = 4000  # segments that costs are fitted to, at most
_PARTS = 4  # amounts with a cost, at most
_BETTER = 0.9  # an amount must reduce the scatter to this part
_REACHES = (0.8, 0.4, 0.2, 0.1, 0.05)  # log distance up to which a member has weight, per round
_FAR = 0.5  # log distance beyond which all members count as equally far
_NEVER = 8.0  # weight of members that are far below the fit
_LOOSE = 0.25  # a kind with more scatter has no references
_FAST = 0.2  # quantile of a kind's undisturbed members: its edge
_DEEPEST = 0.04  # of the reference: largest distance of the edge
_KNOWN = 20  # least number of undisturbed members for an edge
_OWN = 0.5  # correlation with imbalance from which on scatter is the job's own
_AROUND = 0.5  # share of slow neighbours from which on a cluster counts as disturbed
_AT_TIMES = 0.2  # share of members that are not slow from which on it counts as disturbed
_SAME = 2.0  # times the predicted time: a segment that takes longer did other work
_KINDS = 400  # the largest kinds have costs of their own


@dataclass(frozen=True)
class Expected:
    """Reference times of segments: how long they take without interference.

    Attributes:
        seconds: Reference of each segment, seconds; 0 if it has none, [n].
        threshold: Duration above which a segment counts as disturbed, seconds; infinite without a
            reference, [n].
        usable: Whether the segment has a reference, [n].
        edge: Duration of the fast segments of its kind, seconds, at most the reference, [n]. The
            distance from it bounds the loss that scatter may hide.
    """

    seconds: Floats
    threshold: Floats
    usable: Flags
    edge: Floats


def expected(rest: Floats, work: Work, uneven: Floats | None = None) -> Expected:
    """Estimate how long each segment takes without interference.

    Args:
        rest: Duration of each segment without the measured loss, seconds, [n].
        work: Calls and bytes of each segment, from `work_of`.
        uneven: Share of each segment in which ranks waited for slower ranks of their job, [n].
            Scatter of durations that follows this share is no interference. None: no scatter is
            taken for interference.

    Returns:
        References, thresholds and edges of the segments.
    """
    count = len(rest)
    seconds, threshold = np.zeros(count), np.full(count, np.inf)
    edge = np.ones(count)
    some = rest > 0
    sizes = np.bincount(work.kind)
    spent = np.bincount(work.kind, weights=rest)
    large = [k for k in np.argsort(-spent, kind="stable")[:_KINDS].tolist() if sizes[k] >= ENOUGH]
    order, begins = grouped(work.kind)
    for kind in large:
        members = order[begins[kind] : begins[kind + 1]]
        members = members[some[members]]
        if len(members) < ENOUGH:
            continue
        took = rest[members]
        own, spread = _of_kind(took, work.amounts, members, work.cluster[members])
        if spread <= _LOOSE:
            known = _has_reference(work.cluster[members])
            members, took, own = members[known], took[known], own[known]
            seconds[members] = own
            if uneven is not None:
                edge[members] = _edge(took / own, 4 * spread, uneven[members])
            threshold[members] = own * np.exp(max(4 * spread, LEAST))
    _of_kin(rest, work, seconds, threshold, some)
    return Expected(seconds, threshold, seconds > 0, seconds * edge)


def _of_kind(rest: Floats, amounts: Floats, members: Ints, cluster: Ints) -> tuple[Floats, float]:
    """Return the references of the segments of one kind, and their scatter.

    Args:
        rest: Duration of each segment of the kind without the measured loss, seconds, [members].
        amounts: Counts and bytes of all segments, [n x names].
        members: Row of each segment of the kind in `amounts`, [members].
        cluster: Cluster of each segment of the kind, [members].

    Returns:
        The references, seconds, [members]; and the median absolute deviation of the logarithms of
        the undisturbed durations from them.
    """
    predicted = _sum_of_parts(rest, amounts, members)
    away = np.log(rest / predicted)
    group = numbered(cluster)
    sizes = np.bincount(group)
    undisturbed_range = usual(away)
    centres = _centres(away, group)
    known = sizes >= ENOUGH
    if len(rest) >= _KNOWN:  # with fewer members costs are too inexact to reject a cluster
        known[_in_slow_stretches(away, group, centres, undisturbed_range.threshold(LEAST))] = False
    # Variance of a cluster's centre by its number of members, and of clusters within their kind.
    doubt = (2.2 * max(undisturbed_range.spread, 1e-3)) ** 2 / sizes
    if known.sum() > 1:
        middle = float(np.average(centres[known], weights=sizes[known]))
        square = (centres[known] - middle) ** 2 - doubt[known]
        apart = max(float(np.average(square, weights=sizes[known])), 0.0)
    else:
        middle, apart = undisturbed_range.centre, 0.0
    trust = np.where(known, apart / (apart + doubt), 0.0) if apart else np.zeros(len(sizes))
    away = away - (middle + trust * (centres - middle))[group]
    undisturbed_range = usual(away)
    hit = away > undisturbed_range.threshold(LEAST)
    # The mean of members that were not hit, not their mode: so their scatter sums to zero.
    level = np.log(np.exp(away[~hit]).mean()) if not hit.all() else undisturbed_range.centre
    reference: Floats = rest / np.exp(away - level)
    return reference, undisturbed_range.spread


def _has_reference(cluster: Ints) -> Flags:
    """Return which segments of a kind have a reference, [members].

    Segments of a cluster with enough members have one. Segments of smaller clusters have one only
    if the kind has several clusters, since any costs would fit a few of them.
    """
    group = numbered(cluster)
    sizes = np.bincount(group)
    known: Flags = (sizes >= ENOUGH)[group] | (len(sizes) >= ENOUGH)
    return known


def _in_slow_stretches(away: Floats, cluster: Ints, centres: Floats, threshold: float) -> Ints:
    """Return the clusters that are slow because the whole job was slow when they ran.

    If a cluster takes longer than its predicted time, either it does work that is not counted, or
    all its segments were disturbed. In the first case, segments of other clusters right before and
    after its segments take as long as usual.

    Args:
        away: Logarithm of each segment's duration divided by its predicted time, in order of time,
            [members].
        cluster: Number of the cluster of each segment, from 0 without gaps, [members].
        centres: Usual value of `away` in each cluster, [clusters].
        threshold: Value of `away` above which a segment is slow.
    """
    slow = np.flatnonzero(centres > threshold)
    if not len(slow):
        return slow
    # The nearest member of another cluster on either side.
    turns = np.diff(cluster, prepend=-1) != 0
    begins, stay = np.flatnonzero(turns), np.cumsum(turns) - 1
    late, alongside = np.zeros(len(cluster)), np.zeros(len(cluster))
    for at in (begins[stay] - 1, np.append(begins[1:], len(cluster))[stay]):
        there = (at >= 0) & (at < len(cluster))
        late[there] += away[at[there]] > threshold
        alongside += there
    neighbours = np.bincount(cluster, alongside, len(centres)).clip(1)
    among = np.bincount(cluster, late, len(centres)) / neighbours
    # A cluster with work that is not counted is slow each time.
    calm = np.bincount(cluster, away <= threshold, len(centres)) / np.bincount(cluster)
    disturbed: Ints = slow[(among[slow] >= _AROUND) | (calm[slow] >= _AT_TIMES)]
    return disturbed


def _edge(ratio: Floats, reach: float, uneven: Floats) -> float:
    """Return the duration of the fast segments of a kind, the edge, divided by their reference.

    Many small disturbances make segments of equal work scatter above this edge. But segments also
    scatter without disturbances. So the time above the edge only widens the interval of the loss,
    and is not part of the loss itself. If durations follow the imbalance between ranks, they
    scatter since work moves between ranks; then the edge is nearer to the reference (1.0).

    Args:
        ratio: Duration of each segment divided by its reference, [members].
        reach: Logarithm of the ratio above which a segment counts as disturbed.
        uneven: Share of each segment in which ranks waited for slower ranks of their job,
            [members].
    """
    calm = np.log(ratio) <= max(reach, LEAST)
    if calm.sum() < _KNOWN:
        return 1.0
    away, own = ratio[calm], uneven[calm]
    goes_with = float(np.corrcoef(away, own)[0, 1]) if away.std() and own.std() > 1e-3 else 0.0
    fast = 1 - float(np.quantile(away, _FAST))
    part = max(1 - (max(goes_with, 0.0) / _OWN) ** 2, 0.0)
    return 1 - part * float(np.clip(fast, 0.0, _DEEPEST))


def _centres(away: Floats, cluster: Ints) -> Floats:
    """Return the usual value of `away` in each cluster, [clusters].

    It is the lowest mode; in small clusters, which show no mode, the 40 % quantile.
    """
    order, begins = grouped(cluster)
    sizes = np.diff(begins)
    centres = np.empty(len(sizes))
    own = np.flatnonzero(sizes >= 20)[:_KINDS]
    for number in own.tolist():
        at = order[begins[number] : begins[number + 1]]
        centres[number] = usual(away[at]).centre
    small = np.setdiff1d(np.arange(len(sizes)), own)
    if len(small):
        of_small = np.isin(cluster, small) if len(own) else np.ones(len(cluster), dtype=bool)
        values = away[of_small][ordered(cluster[of_small], away[of_small])]
        last = np.cumsum(sizes[small])
        centres[small] = values[last - sizes[small] + (sizes[small] - 1) * 2 // 5]
    return centres


def _of_kin(rest: Floats, work: Work, seconds: Floats, threshold: Floats, some: Flags) -> None:
    """Give references to the remaining segments, by costs fitted to all segments with references.

    The references and their thresholds are written to `seconds` and `threshold`, in place.
    """
    left = (seconds == 0) & some
    good = seconds > 0
    if not left.any() or good.sum() < 4 * ENOUGH or not work.amounts.shape[1]:
        return
    learnt = np.flatnonzero(good)
    costs = _costs(seconds[learnt], work.amounts, learnt)
    predicted = _with(work.amounts, learnt, costs)
    fits = predicted > 0
    away = np.abs(np.log(seconds[learnt][fits] / predicted[fits]))
    spread = float(np.median(away)) if len(away) else np.inf
    if spread > _LOOSE:
        return
    # Only segments with the same and equally frequent calls as those that costs are fitted to.
    others = np.flatnonzero(left & (work.sets & ~np.bitwise_or.reduce(work.sets[learnt]) == 0))
    predicted = _with(work.amounts, others, costs)
    others, predicted = others[predicted > 0], predicted[predicted > 0]
    rates = (work.amounts[learnt] / seconds[learnt, None]).max(axis=0)
    like = (work.amounts[others] <= 1.5 * rates * predicted[:, None]).all(axis=1)
    if not work.measured:  # a segment that took several times as long computed something else
        like &= rest[others] <= _SAME * predicted
    others, predicted = others[like], predicted[like]
    seconds[others] = predicted
    threshold[others] = predicted * np.exp(max(6 * spread, 0.1))


def _sum_of_parts(rest: Floats, amounts: Floats, members: Ints) -> Floats:
    """Return the predicted time of segments: the sum of the costs of their work, s, [members]."""
    if not any((amount[members] != amount[members[0]]).any() for amount in amounts.T):
        return np.full(len(rest), float(np.exp(usual(np.log(rest)).centre)))
    predicted = _with(amounts, members, _costs(rest, amounts, members))
    return np.where(predicted > 0, predicted, float(np.median(rest)))


def _with(amounts: Floats, members: Ints, costs: Floats) -> Floats:
    """Return the predicted time of segments by given costs, most of which are 0, s, [members]."""
    result = np.full(len(members), costs[0])
    for amount in np.flatnonzero(costs[1:]).tolist():
        result += amounts[members, amount] * costs[1 + amount]
    return result


def _costs(rest: Floats, amounts: Floats, members: Ints) -> Floats:
    """Fit a constant cost per segment, and the cost of one unit of each amount (count or bytes).

    Amounts are added one by one, as long as the prediction improves; the others have the cost 0.

    Returns:
        Seconds per segment, then seconds per unit of each column of `amounts`, [1 + names].
    """
    at = np.linspace(0, len(rest) - 1, min(len(rest), _LEARNT_FROM)).astype(np.int64)
    rest, amounts = rest[at], amounts[members[at]]
    scale = amounts.mean(axis=0)
    varies = np.flatnonzero((scale > 0) & (amounts.std(axis=0) > 1e-3 * scale))
    ones = np.ones((len(rest), 1))
    columns = np.concatenate([ones, amounts[:, varies] / scale[varies]], axis=1)
    single = [
        (*_robust(rest, columns[:, [column]])[::-1], column) for column in range(columns.shape[1])
    ]
    # The time is a sum of parts: a constant time is assumed only if it fits clearly better.
    spread, fitted, column = min(single[1:] or single, key=lambda each: each[0])
    if single[0][0] < _BETTER * spread:
        spread, fitted, column = single[0]
    best = [column]
    while len(best) <= _PARTS and len(rest) >= ENOUGH * (len(best) + 1):
        tried = [
            (*_robust(rest, columns[:, [*best, new]])[::-1], new)
            for new in range(columns.shape[1])
            if new not in best
        ]
        if not tried:
            break
        least, costs, new = min(tried, key=lambda each: each[0])
        if least > _BETTER * spread:
            break
        best, fitted, spread = [*best, new], costs, least
    result = np.zeros(1 + len(scale))
    for column, cost in zip(best, fitted, strict=True):
        index = 0 if column == 0 else 1 + int(varies[column - 1])
        result[index] = cost / (1.0 if column == 0 else scale[varies[column - 1]])
    return result


def _robust(rest: Floats, columns: Floats) -> tuple[Floats, float]:
    """Fit costs to the undisturbed segments, and return how far all segments are from the fit.

    A cost may be negative: if one call occurs in each step and another in each step and iteration,
    the difference of their counts is the number of steps.

    The further a segment is from the usual distance, the less weight it gets. The weights are
    nearly equal in the first round and differ more in each further round. If they differed much at
    once, the costs would fit a few equal segments, and all others would count as disturbed.

    Returns:
        The costs, [columns]; and the mean distance of segments from the fit, in logarithms of time,
        which is infinite if a predicted time is not positive.
    """
    trust: Floats = np.ones(len(rest))
    costs: Floats = np.zeros(columns.shape[1])
    off = np.inf
    for reach in _REACHES:
        weight = np.sqrt(trust) / rest
        costs[:] = np.linalg.lstsq(columns * weight[:, None], np.sqrt(trust), rcond=1e-9)[0]
        predicted = columns @ costs
        if not (predicted > 0).all():
            return costs, np.inf
        away = np.log(rest / predicted)
        undisturbed_range = usual(away)
        away -= undisturbed_range.centre
        far = np.minimum(np.abs(away), _FAR)
        # Disturbances only prolong: members far below the fit show a wrong sum of costs.
        off = float(
            (far * np.where(away < -max(3 * undisturbed_range.spread, LEAST), _NEVER, 1.0)).mean()
        )
        trust[:] = 1 / (1 + (away / max(reach, 3 * undisturbed_range.spread)) ** 2) ** 2
    return costs, off
