"""Measures lost time directly: waiting beyond floors (M) and off-CPU time (D).

M: in a bin of 10 ms everybody waited beyond the floors of the calls. It came from outside, through
the network (within a node: memory and cores) or MPI itself: a late rank of their own would not have
waited. D: a rank was off its CPU, and the others lost as much. Both are read from bins and sums
that the runtime keeps (docs/explanation/waiting.md). Floors are lower quartiles, so undisturbed
calls exceed them too: the usual excess of a kind of segment is subtracted, and so is the jitter of
many calls that each waited a little, since events are longer. If nearly every call is delayed,
floors rise with the delays; the part below the floors is then added. Calls that are made only a few
times have no floor: the fastest similar segment replaces it, also for segments with a single call.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.ndimage import percentile_filter

from jostle.analysis.estimation.attribute import spread_over
from jostle.analysis.estimation.columns import Flags, Floats, Ints, grouped, share, summed
from jostle.analysis.estimation.crowded import Together
from jostle.analysis.estimation.robust import usual
from jostle.analysis.estimation.work import CALLS
from jostle.arrow_columns import floats, lists, some_floats

_LEAST = 0.02  # of a bin: clocks, and the grain of a byte per bin
_SIGMA = 1.48  # standard deviation of a MAD of 1
_JITTER_S = 1.4e-4  # of calls, in bins; undisturbed runs have 50 to 90 microseconds
_WAVES_S = 1.2e-3  # of ranks that meet their neighbours only, in segments
_TURNS_S = 9e-3  # of ranks that take turns on a core, in segments
_EVER = 0.1  # of the time: so much crowded ranks run at least
_TURNS = 0.1  # of a segment: nearer together are shares that turns make
_KINDS = 64  # kinds whose usual wait is their own; the rest have one in common
_ENOUGH = 50  # bins of a kind to have its own
_FEW = 8  # or segments
_OPEN = 0.15  # of the bins: not waited in from first to last, enough to show what is usual
#: Mean delay of a call over its mean by size, from which on floors hold delays: of exponential
#: ones 0.375, less what their jitter makes of it.
_IN_FLOORS = 0.28
_ABOVE = 3.0  # times as many calls are above their floor, a quartile, as below
_BELOW = 1 / 3  # of what is beyond floors lies below them, where delays have no size of their own
_SHAPE = 3.36  # what lies below a floor, over the standard deviation of a call there
_MATURE = 16  # calls that have a floor (runtime/src/mpi_account.c)
_MOSTLY = 0.5  # of a segment: its ranks did nothing else
_CALM = 0.05  # quantile of segments that nothing held up, where it held up most
_HELD_UP = 3.0  # times a calm call: no scatter of its own
_ON = 0.005  # of a segment: off the CPU for less, its ranks wait as they would
_NEARBY = 9  # such segments of a kind tell what ranks usually wait for each other:
_LOWER = 25  # per cent of them wait less


@dataclass(frozen=True)
class Account:
    """Directly measured loss per segment, seconds.

    Attributes:
        network: Everybody waited in MPI (M).
        cpu: The critical rank was off its CPU outside MPI and file calls (D).
        anywhere: Of both, what is known by the slice only, and spread evenly over it.
    """

    network: Floats
    cpu: Floats
    anywhere: Floats | float = 0.0


def account(
    segments: pa.Table, ranks: int, kind: Ints, taken: Floats | None = None, turns: float = 1.0,
    short: float = 0.0, told: Together | None = None, queue: Floats | float = 0.0,
) -> Account:  # fmt: skip
    """Account for lost time segment by segment.

    Args:
        segments: Merged segments (repository.types.WorldSegments).
        ranks: Ranks that they were merged from.
        kind: Number of the kind of each segment; of equal kinds the same is usual.
        taken: Seconds of CPU that others took, where ranks have no core of their own: what they are
            off the CPU says nothing there.
        turns: With `taken`: share of the time that ranks wait on average who take turns on too few
            cores.
        short: Share of the waiting that lay in calls which waited less than 0.1 ms.
        told: With `taken`: when all ranks were in MPI at once; None: not recorded.
        queue: Seconds of each segment that a rank waited for a core, by the run queue.
    """
    duration = floats(segments, "duration_ns") / 1e9
    row, waited = lists(segments, "wait_min_bins")
    width = floats(segments, "bin_ns")[row]
    together = summed(row, waited, segments.num_rows) / 1e9
    calls = sum(some_floats(segments, CALLS).values(), np.zeros(len(duration))) / max(ranks, 1)
    if taken is not None:
        return _crowded(segments, row, waited, width, kind, taken, turns, told)
    often = (share(calls, duration)[row] * width / 1e9).clip(1)
    often[calls[row] == 0] = np.inf
    beyond = _per_kind(waited, width, kind[row], _JITTER_S, calls=often, short=short)
    network = summed(row, beyond, segments.num_rows) / 1e9
    network += _below_floors(segments, ranks, kind, calls, network)
    network = np.maximum(network, _without_floors(segments, kind, calls))
    network = np.maximum(network, _single_calls(segments, kind, calls))
    # Without a collective between, a delay goes from neighbour to neighbour, and all wait for it in
    # the end, but not in the same bin.
    waves = floats(segments, "globals") <= 1
    least = np.where(waves, floats(segments, "wait_ns_min"), 0.0)
    network = np.maximum(
        network,
        _per_kind(least, duration * 1e9 - least, kind, _WAVES_S, enough=_FEW, short=short) / 1e9,
    )
    network = np.minimum(network, duration)
    together = np.maximum(together, least / 1e9)
    unknown = np.where(_few(kind, calls), queue, 0.0)
    cpu = _cpu(segments, ranks, kind, together, unknown)
    return Account(network, np.minimum(cpu, duration - network))


def _crowded(
    segments: pa.Table, row: Ints, waited: Floats, width: Floats, kind: Ints, taken: Floats,
    turns: float, together: Together | None,
) -> Account:  # fmt: skip
    """Account for lost time where ranks have no core of their own.

    A rank that waits for a core makes all others wait, bin by bin. If all of them wait longer than
    ranks that share cores do on average, something else delayed them all. The remaining waiting is
    evaluated by whole segments, which averages the turns. This gives the position of the loss; its
    amount comes from the ranks' own record, if there is one.
    """
    duration = floats(segments, "duration_ns")
    part = share(waited, width)
    ordinary = part[part <= turns]
    own = float(np.median(ordinary)) if len(ordinary) else turns
    held = np.where(part > turns, (waited - own * width) / max(1 - own, _EVER), 0.0)
    outside = np.minimum(summed(row, held, len(duration)), duration)
    left = np.minimum(summed(row, waited - held, len(duration)).clip(0), duration - outside)
    beyond = _per_kind(left, duration - outside, kind, _TURNS_S, _TURNS, _FEW)
    # Delayed ranks take no turns: the usual waiting for turns applies to the rest of the time.
    usually = share(left - beyond, duration - outside)
    lost = outside + beyond / (1 - usually).clip(_EVER)
    lost, anywhere = np.minimum(lost, duration) / 1e9, np.zeros(len(duration))
    if together is not None:
        lost, anywhere = _as_told(segments, lost, together)
    # Ranks wait in MPI because one of them waits for a core that others have: one loss, not two.
    cpu = np.minimum(taken, duration / 1e9)
    return Account((lost - cpu).clip(0), cpu, anywhere)


def _as_told(segments: pa.Table, lost: Floats, together: Together) -> tuple[Floats, Floats]:
    """Scale the loss of segments by their bins to the total loss that the slices recorded.

    Returns:
        The loss of each segment, which per slice adds up to the record; and the part of it that the
        bins do not show, spread evenly over its slice.
    """
    duration = floats(segments, "duration_ns") / 1e9
    start, end = (segments.column(name).to_numpy() for name in ("start_ns", "end_ns"))
    known = spread_over(start, end, lost, together.begin, together.until)
    seconds = _where_shown(together.seconds, known)
    kept = np.where(known > seconds, share(seconds, known), 1.0)
    width = (together.until - together.begin) / 1e9
    part = spread_over(together.begin, together.until, kept * width, start, end)
    inside = spread_over(together.begin, together.until, width, start, end)
    outside = (duration - inside).clip(0)  # before ranks looked
    lost = lost * share(part + outside, inside + outside)
    more = (seconds - known).clip(0)
    anywhere = np.minimum(
        spread_over(together.begin, together.until, more, start, end), (duration - lost).clip(0)
    )
    return lost + anywhere, anywhere


def _where_shown(told: Floats, known: Floats) -> Floats:
    """Move a slice's excess over the bins to the slice before, if that has less than the bins.

    A stretch is recorded in the slice in which it ends.
    """
    told = told.copy()
    for later in range(len(told) - 1, 0, -1):
        moved = min(told[later] - known[later], known[later - 1] - told[later - 1])
        if moved > 0:
            told[later] -= moved
            told[later - 1] += moved
    return told


def _per_kind(
    waited: Floats,
    width: Floats,
    kind: Ints,
    jitter: float,
    grain: float = 1e-3,
    enough: int = _ENOUGH,
    calls: Floats | None = None,
    short: float = 0.0,
) -> Floats:
    """Return the waiting beyond the usual of a kind, ns.

    Args:
        waited: Time that everybody waited in each bin, ns.
        width: Of the bin, ns.
        kind: Of the bin's segment.
        jitter: Seconds in which the jitter of calls comes.
        grain: Shares that differ by less are the same.
        enough: Values of a kind to have its own.
        calls: Of a rank in each bin; None: more than can be told.
        short: As in account.
    """
    if not waited.any():
        return np.zeros(len(waited))
    part = share(waited, width)
    beyond: Floats = np.zeros(len(part))
    counts = np.bincount(kind)
    own = np.argsort(-counts, kind="stable")[:_KINDS]
    own = own[counts[own] >= enough]
    group = np.full(len(counts), len(own))
    group[own] = np.arange(len(own))
    order, begins = grouped(group[kind])
    for low, high in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
        if low < high:
            at = order[low:high]
            often = np.inf if calls is None else float(np.median(calls[at]))
            usually = float(np.median(width[at])) / 1e9
            events = _above_jitter(part[at], short, grain)
            beyond[at] = _beyond(events, usually, jitter, grain, often)
    beyond *= width
    return beyond


def _above_jitter(part: Floats, short: float, grain: float) -> Floats:
    """Take off the jitter of calls, which all bins have: as water fills a vessel, up to one level.

    No higher than what is usual: where many calls wait a little longer for a while, something else
    is on the way.

    Args:
        part: Share of each bin that everybody waited in.
        short: Share of all the waiting that is jitter.
        grain: As in _per_kind.
    """
    if short <= 0:
        return part
    levels = np.concatenate([[0.0], np.sort(part)])
    under = len(part) - np.arange(len(part))  # so many bins reach from each level to the next
    filled = np.concatenate([[0.0], np.cumsum(np.diff(levels) * under)])
    level = float(np.interp(short * filled[-1], filled, levels))
    return (part - min(level, usual(part, grain).threshold(_LEAST))).clip(0)


def _beyond(part: Floats, width: float, jitter: float, grain: float, calls: float) -> Floats:
    """Return what is beyond the usual, of the values that are so clearly.

    The usual itself may be made of delays, when nearly every bin has some. Counts tell: n delays of
    length d make a mean of n d and a variance of n d^2, so that variance over mean is d. Where
    calls are few and each is hit once at most, it is less than d by the mean delay of a call. The
    jitter of calls comes in tens of microseconds, what comes in larger chunks is no jitter: twice
    as large are hardly any of it, so that the share falls with the fourth power.

    Args:
        part: Share of each bin that everybody waited in.
        width: Of a bin, seconds.
        jitter: As in _per_kind.
        grain: As in _per_kind.
        calls: Of a rank in a bin.
    """
    # One event fills many bins to the brim: that they are all alike makes them no more usual.
    open_bins = part[part < 1 - _LEAST]
    undisturbed_range = usual(
        open_bins if len(open_bins) >= max(_OPEN * len(part), _FEW) else part, grain
    )
    chunk = _SIGMA**2 * undisturbed_range.spread**2 / max(undisturbed_range.centre, 1e-9) * width
    chunk += min(undisturbed_range.centre * width / calls, _ABOVE * chunk)
    natural = undisturbed_range.centre * min(1.0, (jitter / max(chunk, 1e-9)) ** 4)
    if natural < undisturbed_range.centre:
        return np.where(part > natural + _LEAST, part - natural, 0.0)
    hit = part > undisturbed_range.threshold(_LEAST)
    reference = float(part[~hit].mean()) if not hit.all() else undisturbed_range.centre
    beyond: Floats = np.where(hit, part - reference, 0.0)
    return beyond.clip(0)


def _below_floors(
    segments: pa.Table, ranks: int, kind: Ints, calls: Floats, network: Floats
) -> Floats:
    """Return what is lost below the floors of calls, where nearly all of them are delayed.

    A floor is the lower quartile: when more than three quarters of the calls are delayed, it holds
    a delay. That is so where the mean delay of a call comes near the mean by size, which is known
    from how segments scatter. Of delays that are exponential a quarter lies below. As they are
    spread there, too, calls shorter than their floor differ; where they do not, nothing is added.

    Args:
        segments: Merged segments.
        ranks: Ranks that they were merged from.
        kind: Of each segment.
        calls: Of a rank, in each segment.
        network: What everybody waited in it beyond floors, seconds.
    """
    added = np.zeros(len(network))
    held = (floats(segments, "mpi_ns") - floats(segments, "wait_ns")) / max(ranks, 1) / 1e9
    order, begins = grouped(kind)
    for number in np.argsort(-np.diff(begins), kind="stable")[:_KINDS].tolist():
        at = order[begins[number] : begins[number + 1]]
        at = at[calls[at] > 0]
        whole, often = float(network[at].sum()), float(calls[at].sum())
        if whole <= 0 or len(at) < _ENOUGH:
            continue
        mean = whole / often
        size = float(((network[at] - mean * calls[at]) ** 2 / calls[at]).mean()) / mean + mean
        if mean < _IN_FLOORS * size:
            continue
        each = held[at] / calls[at]
        away = np.abs(each - np.median(each)) * np.sqrt(calls[at])
        below = min(_SHAPE * _SIGMA * float(np.median(away)), _BELOW * mean)
        added[at] = below * calls[at]
    return added


def _without_floors(segments: pa.Table, kind: Ints, calls: Floats) -> Floats:
    """Return how much longer all ranks were in calls than in the fastest segment of the kind, s.

    Of kinds whose calls are too few to have a floor, where everybody was in MPI most of the time.
    """
    inside, duration = floats(segments, "mpi_ns_min"), floats(segments, "duration_ns")
    least = np.full(int(kind.max(initial=0)) + 1, np.inf)
    np.minimum.at(least, kind, inside)
    seldom = _few(kind, calls) & (inside > _MOSTLY * duration)
    longer: Floats = np.where(seldom, inside - least[kind], 0.0) / 1e9
    return longer


def _few(kind: Ints, calls: Floats) -> Flags:
    """Return which segments are of kinds whose calls are too few to have a floor."""
    few: Flags = np.bincount(kind, weights=calls)[kind] < _MATURE
    return few


def _single_calls(segments: pa.Table, kind: Ints, calls: Floats) -> Floats:
    """Return what all ranks were longer in the one call of a segment than in calm ones of the kind.

    If four of five such calls are delayed, floors are delays. But the last rank to arrive waits for
    no other, so its time in the call is the call's cost plus any delay from outside. Counted only
    if most calls are delayed: scatter of the cost is no delay.
    """
    inside, duration = floats(segments, "mpi_ns_min"), floats(segments, "duration_ns")
    longer = np.zeros(len(inside))
    single = (calls == 1) & (floats(segments, "globals") == 1)
    order, begins = grouped(kind)
    for number in np.argsort(-np.diff(begins), kind="stable")[:_KINDS].tolist():
        at = order[begins[number] : begins[number + 1]]
        at = at[single[at]]
        if len(at) < _ENOUGH:
            continue
        calm, middle = np.quantile(inside[at], (_CALM, 0.5))
        if middle > _HELD_UP * calm + _LEAST * float(np.median(duration[at])):
            longer[at] = (inside[at] - calm).clip(0)
    result: Floats = longer / 1e9
    return result


def _cpu(segments: pa.Table, ranks: int, kind: Ints, together: Floats, unknown: Floats) -> Floats:
    """Return the seconds that the critical rank was off its CPU outside MPI and file calls.

    A rank that was off the CPU while it had time to spare cost nobody anything: the others did not
    wait for it, and it waited less for them. So it is no more than what every rank lost, waiting or
    off the CPU, beyond what all waited at once and what they usually wait for each other.

    Where calls have no floor nobody is seen to wait. There it is at most the time of every rank in
    MPI or off its CPU, and the time a rank waited for a core: a rank that sleeps by its own
    decision lost nothing.

    Args:
        segments: Merged segments.
        ranks: Ranks that they were merged from.
        kind: Of each segment.
        together: Seconds of each in which all waited at once.
        unknown: Seconds that a rank waited for a core where calls have no floor; 0 elsewhere.
    """
    row, off = lists(segments, "offcpu_max_bins")
    most = summed(row, off, segments.num_rows)
    # Sleep in file calls is off the CPU too, and told apart there.
    most = (most - floats(segments, "io_ns_max")).clip(0) / 1e9
    off_all = floats(segments, "offcpu_ns")
    lost = (floats(segments, "wait_ns") + off_all) / max(ranks, 1) / 1e9
    lost = (lost - together).clip(0)
    away = share(most, floats(segments, "duration_ns") / 1e9)
    most_seen = (floats(segments, "mpi_ns") + off_all) / max(ranks, 1) / 1e9
    seen = np.minimum(most, (lost - _usually(lost, away, kind)).clip(0))
    result: Floats = np.maximum(seen, np.minimum(np.minimum(most, unknown), most_seen))
    return result


def _usually(lost: Floats, away: Floats, kind: Ints) -> Floats:
    """Return what ranks wait for each other anyway: as in segments nearby with none off its CPU.

    Args:
        lost: Seconds of each segment that the mean rank waited or was off its CPU.
        away: Share of it that a rank was off its CPU.
        kind: Of each segment; nothing is usual of kinds that have few such segments.
    """
    result = np.zeros(len(lost))
    order, begins = grouped(kind)
    for number in np.argsort(-np.diff(begins), kind="stable")[:_KINDS].tolist():
        at = order[begins[number] : begins[number + 1]]
        calm = at[away[at] <= _ON]
        if len(calm) >= max(_FEW, _EVER * len(at)):
            level = percentile_filter(lost[calm], _LOWER, _NEARBY, mode="nearest")
            result[at] = np.interp(at, calm, level)
    return result
