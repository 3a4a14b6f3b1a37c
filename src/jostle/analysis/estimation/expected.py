"""Computes how long segments take undisturbed: references of clusters and of rare segments.

A cluster with enough members is its own reference. Smaller ones are judged through their kin: a
window takes the sum of what its parts take, so a kind's durations are a sum of its counts times
their costs (fitted to the undisturbed members), and clusters are shrunk towards that sum by how
little they know of themselves. A cluster that lies wholly in slow stretches of the run knows
nothing of itself: what came right before and after it, though it did other work, was slow, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle.analysis.estimation.columns import Flags, Floats, Ints, grouped, numbered, ordered
from jostle.analysis.estimation.robust import usual
from jostle.analysis.estimation.work import Work

ENOUGH = 5  # members (thesis 5.1.1)
LEAST = 0.02  # of a segment: what is nearer to its reference is no excess
_LEARNT_FROM = 4000  # segments that a sum of parts is fitted to
_PARTS = 4  # at most in a sum
_BETTER = 0.9  # a part must make the scatter this much smaller
_REACHES = (0.8, 0.4, 0.2, 0.1, 0.05)  # log: how far from the usual a member still counts
_FAR = 0.5  # log: beyond, how far makes no difference
_NEVER = 8.0  # times as much counts who is as far below
_LOOSE = 0.25  # a kind whose members scatter more cannot be judged by it
_FAST = 0.2  # quantile of a kind's undisturbed members: its edge
_DEEPEST = 0.04  # of the reference: an edge that lies deeper is their own scatter
_KNOWN = 20  # undisturbed members that have an edge
_OWN = 0.5  # correlation with imbalance: what scatters so is the job's own
_AROUND = 0.5  # of what lies beside a cluster: where so much is slow, it is no own affair
_AT_TIMES = 0.2  # of its members: nor where so many are not slow
_SAME = 2.0  # times what its calls tell: who takes longer than that did other work
_KINDS = 400  # the largest kinds have a sum of their own


@dataclass(frozen=True)
class Expected:
    """What segments take undisturbed.

    Attributes:
        seconds: Reference of each segment; 0 where there is none.
        threshold: What is beyond this is interfered; infinite where there is no reference.
        usable: Whether it has a reference.
        edge: What the fast ones of its kind take; `seconds` at most. Bounds what may be hidden.
    """

    seconds: Floats
    threshold: Floats
    usable: Flags
    edge: Floats


def expected(rest: Floats, work: Work, uneven: Floats | None = None) -> Expected:
    """Find references.

    Args:
        rest: Seconds that each segment took beyond what was accounted for.
        work: What the segments did.
        uneven: Share of each segment in which ranks waited for slower ones of their own: scatter
            that goes with it is the job's own. None: all scatter is.
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
            told = _told(work.cluster[members])
            members, took, own = members[told], took[told], own[told]
            seconds[members] = own
            if uneven is not None:
                edge[members] = _edge(took / own, 4 * spread, uneven[members])
            threshold[members] = own * np.exp(max(4 * spread, LEAST))
    _of_kin(rest, work, seconds, threshold, some)
    return Expected(seconds, threshold, seconds > 0, seconds * edge)


def _of_kind(rest: Floats, amounts: Floats, members: Ints, cluster: Ints) -> tuple[Floats, float]:
    """Return the references of one kind's members, and how much they scatter (log MAD).

    Args:
        rest: As in expected, of the members.
        amounts: Of all segments.
        members: Rows of the kind's.
        cluster: Of each member.
    """
    predicted = _sum_of_parts(rest, amounts, members)
    away = np.log(rest / predicted)
    place = numbered(cluster)
    sizes = np.bincount(place)
    undisturbed_range = usual(away)
    centres = _centres(away, place)
    known = sizes >= ENOUGH
    if len(rest) >= _KNOWN:  # of fewer costs are known too badly to doubt a cluster by them
        known[_in_slow_stretches(away, place, centres, undisturbed_range.threshold(LEAST))] = False
    # What a cluster of n members knows of its centre, and how far clusters lie from their kind's.
    doubt = (2.2 * max(undisturbed_range.spread, 1e-3)) ** 2 / sizes
    if known.sum() > 1:
        middle = float(np.average(centres[known], weights=sizes[known]))
        square = (centres[known] - middle) ** 2 - doubt[known]
        apart = max(float(np.average(square, weights=sizes[known])), 0.0)
    else:
        middle, apart = undisturbed_range.centre, 0.0
    trust = np.where(known, apart / (apart + doubt), 0.0) if apart else np.zeros(len(sizes))
    away = away - (middle + trust * (centres - middle))[place]
    undisturbed_range = usual(away)
    hit = away > undisturbed_range.threshold(LEAST)
    # The mean of those that were not hit, not their mode: what they scatter adds up to nothing.
    level = np.log(np.exp(away[~hit]).mean()) if not hit.all() else undisturbed_range.centre
    reference: Floats = rest / np.exp(away - level)
    return reference, undisturbed_range.spread


def _told(cluster: Ints) -> Flags:
    """Return which members of a kind its other members tell of.

    A cluster with enough members tells of itself. A smaller one is judged by the costs of what it
    did, which only members of different content tell: of few contents any costs fit.
    """
    place = numbered(cluster)
    sizes = np.bincount(place)
    told: Flags = (sizes >= ENOUGH)[place] | (len(sizes) >= ENOUGH)
    return told


def _in_slow_stretches(away: Floats, place: Ints, centres: Floats, threshold: float) -> Ints:
    """Return the clusters that are slow because all was slow when they came.

    A cluster that takes longer than its costs say does more than is counted, or was disturbed from
    its first member to its last. The former says nothing of others: those that come right before
    and after its members, of other clusters, take as long as usual.

    Args:
        away: Of each member, log of its time over what it takes by its costs; in time.
        place: Its cluster.
        centres: Of each cluster, the usual of `away`.
        threshold: What is beyond this is slow.
    """
    slow = np.flatnonzero(centres > threshold)
    if not len(slow):
        return slow
    # The nearest member of another cluster on either side.
    turns = np.diff(place, prepend=-1) != 0
    begins, stay = np.flatnonzero(turns), np.cumsum(turns) - 1
    late, beside = np.zeros(len(place)), np.zeros(len(place))
    for at in (begins[stay] - 1, np.append(begins[1:], len(place))[stay]):
        there = (at >= 0) & (at < len(place))
        late[there] += away[at[there]] > threshold
        beside += there
    among = np.bincount(place, late, len(centres)) / np.bincount(place, beside, len(centres)).clip(
        1
    )
    # Who does more than is counted does so each time.
    calm = np.bincount(place, away <= threshold, len(centres)) / np.bincount(place)
    found: Ints = slow[(among[slow] >= _AROUND) | (calm[slow] >= _AT_TIMES)]
    return found


def _edge(ratio: Floats, reach: float, uneven: Floats) -> float:
    """Return what the fast ones of a kind take, as a share of the reference.

    Disturbances too small and too many to be told one by one are scatter of equal work above its
    edge; but work scatters by itself, too. So this bounds a loss (its interval), and is none. Work
    that wanders between ranks shows as imbalance, more in the longer segments: that has no edge.

    Args:
        ratio: Time of its members over their references.
        reach: Log of what is beyond: interfered.
        uneven: As in `expected`.
    """
    calm = np.log(ratio) <= max(reach, LEAST)
    if calm.sum() < _KNOWN:
        return 1.0
    away, own = ratio[calm], uneven[calm]
    goes_with = float(np.corrcoef(away, own)[0, 1]) if away.std() and own.std() > 1e-3 else 0.0
    fast = 1 - float(np.quantile(away, _FAST))
    part = max(1 - (max(goes_with, 0.0) / _OWN) ** 2, 0.0)
    return 1 - part * float(np.clip(fast, 0.0, _DEEPEST))


def _centres(away: Floats, place: Ints) -> Floats:
    """Return the usual value of each cluster; of small ones the lower of the middle ones."""
    order, begins = grouped(place)
    sizes = np.diff(begins)
    centres = np.empty(len(sizes))
    own = np.flatnonzero(sizes >= 20)[:_KINDS]
    for cluster in own.tolist():
        at = order[begins[cluster] : begins[cluster + 1]]
        centres[cluster] = usual(away[at]).centre
    small = np.setdiff1d(np.arange(len(sizes)), own)
    if len(small):
        of_small = np.isin(place, small) if len(own) else np.ones(len(place), dtype=bool)
        values = away[of_small][ordered(place[of_small], away[of_small])]
        last = np.cumsum(sizes[small])
        centres[small] = values[last - sizes[small] + (sizes[small] - 1) * 2 // 5]
    return centres


def _of_kin(rest: Floats, work: Work, seconds: Floats, threshold: Floats, some: Flags) -> None:
    """Judge what is left by the sum of parts that all others have in common."""
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
    # Alike in what they do as those they are judged by: the same calls, as often in their time.
    others = np.flatnonzero(left & (work.sets & ~np.bitwise_or.reduce(work.sets[learnt]) == 0))
    predicted = _with(work.amounts, others, costs)
    others, predicted = others[predicted > 0], predicted[predicted > 0]
    rates = (work.amounts[learnt] / seconds[learnt, None]).max(axis=0)
    like = (work.amounts[others] <= 1.5 * rates * predicted[:, None]).all(axis=1)
    if not work.measured:  # who took several times as long has computed something else between
        like &= rest[others] <= _SAME * predicted
    others, predicted = others[like], predicted[like]
    seconds[others] = predicted
    threshold[others] = predicted * np.exp(max(6 * spread, 0.1))


def _sum_of_parts(rest: Floats, amounts: Floats, members: Ints) -> Floats:
    """Return what members take by the costs of what they did."""
    if not any((amount[members] != amount[members[0]]).any() for amount in amounts.T):
        return np.full(len(rest), float(np.exp(usual(np.log(rest)).centre)))
    predicted = _with(amounts, members, _costs(rest, amounts, members))
    return np.where(predicted > 0, predicted, float(np.median(rest)))


def _with(amounts: Floats, members: Ints, costs: Floats) -> Floats:
    """Return what members take by costs, most of which are zero."""
    result = np.full(len(members), costs[0])
    for amount in np.flatnonzero(costs[1:]).tolist():
        result += amounts[members, amount] * costs[1 + amount]
    return result


def _costs(rest: Floats, amounts: Floats, members: Ints) -> Floats:
    """Fit the cost of a segment, and of one of each amount; only the few that tell most.

    Parts are taken one by one, as long as members come nearer to what is predicted.

    Returns:
        Seconds: of a segment as such, then of each column of `amounts`.
    """
    at = np.linspace(0, len(rest) - 1, min(len(rest), _LEARNT_FROM)).astype(np.int64)
    rest, amounts = rest[at], amounts[members[at]]
    scale = amounts.mean(axis=0)
    varies = np.flatnonzero((scale > 0) & (amounts.std(axis=0) > 1e-3 * scale))
    ones = np.ones((len(rest), 1))
    columns = np.concatenate([ones, amounts[:, varies] / scale[varies]], axis=1)
    single = [(*_robust(rest, columns[:, [one]])[::-1], one) for one in range(columns.shape[1])]
    # A window is the sum of its parts: what is the same each time is so only where it fits better.
    spread, fitted, one = min(single[1:] or single, key=lambda each: each[0])
    if single[0][0] < _BETTER * spread:
        spread, fitted, one = single[0]
    best = [one]
    while len(best) <= _PARTS and len(rest) >= ENOUGH * (len(best) + 1):
        tried = [(*_robust(rest, columns[:, [*best, new]])[::-1], new)
                 for new in range(columns.shape[1]) if new not in best]  # fmt: skip
        if not tried:
            break
        least, costs, new = min(tried, key=lambda each: each[0])
        if least > _BETTER * spread:
            break
        best, fitted, spread = [*best, new], costs, least
    result = np.zeros(1 + len(scale))
    for column, cost in zip(best, fitted, strict=True):
        place = 0 if column == 0 else 1 + int(varies[column - 1])
        result[place] = cost / (1.0 if column == 0 else scale[varies[column - 1]])
    return result


def _robust(rest: Floats, columns: Floats) -> tuple[Floats, float]:
    """Fit costs to the undisturbed, and tells how far members lie from the fit.

    A cost may be negative: of two kinds of call in a step and one of them in its iterations, the
    difference counts the steps.

    Members count the less the further they lie from the usual; at first hardly, in the end sharply.
    To begin sharply would settle on a few that are alike, and take all others for disturbed.
    """
    kept: Floats = np.ones(len(rest))
    costs: Floats = np.zeros(columns.shape[1])
    off = np.inf
    for reach in _REACHES:
        weight = np.sqrt(kept) / rest
        costs[:] = np.linalg.lstsq(columns * weight[:, None], np.sqrt(kept), rcond=1e-9)[0]
        predicted = columns @ costs
        if not (predicted > 0).all():
            return costs, np.inf
        away = np.log(rest / predicted)
        undisturbed_range = usual(away)
        away -= undisturbed_range.centre
        far = np.minimum(np.abs(away), _FAR)
        # Disturbances make longer: who is far below tells of a wrong sum, who is above of those.
        off = float(
            (far * np.where(away < -max(3 * undisturbed_range.spread, LEAST), _NEVER, 1.0)).mean()
        )
        kept[:] = 1 / (1 + (away / max(reach, 3 * undisturbed_range.spread)) ** 2) ** 2
    return costs, off
