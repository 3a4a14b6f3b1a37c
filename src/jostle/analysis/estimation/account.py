"""Measures two kinds of lost time directly: waiting in MPI (M) and time off the CPU (D).

M is the time in which every rank waited longer than its calls usually take, in bins of 10 ms. Such
a delay came from outside, through the network (within a node: through memory and cores) or MPI
itself, since a late rank of the job would not have waited. D is the time in which one rank was off
its CPU and the others waited for it. Both are read from the bins and sums that the runtime records
(docs/explanation/waiting.md).

The usual time of a call is the lower quartile of its times, so undisturbed calls exceed it too.
Therefore the usual excess of a kind of segment is subtracted. If many calls each waited a little,
this jitter is subtracted as well, since interference comes in longer delays. If nearly every call
is delayed, the usual times themselves contain delays, and that part is added. Calls that occur only
a few times have no usual time. Their reference is the fastest similar segment; so is that of
segments with a single call.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.ndimage import percentile_filter

from jostle.analysis.estimation.attribute import spread_over
from jostle.analysis.estimation.columns import Flags, Floats, Ints, grouped, share, summed
from jostle.analysis.estimation.oversubscribed import Together
from jostle.analysis.estimation.robust import usual
from jostle.analysis.estimation.work import CALLS
from jostle.values.arrow_columns import floats, lists, some_floats

_LEAST = 0.02  # of a bin: error of clocks, and the resolution of one byte per bin
_SIGMA = 1.48  # standard deviation of a MAD of 1
_JITTER_S = 1.4e-4  # jitter of calls, in bins; undisturbed runs have 50 to 90 microseconds
_WAVES_S = 1.2e-3  # jitter in segments whose ranks communicate with their neighbours only
_TURNS_S = 9e-3  # jitter in segments whose ranks take turns on a core
_EVER = 0.1  # least share of the time that ranks on shared cores run
_TURNS = 0.1  # of a segment: smaller differences of shares come from taking turns
_KINDS = 64  # kinds with a usual wait of their own; all others share one
_ENOUGH = 50  # least number of bins with which a kind has its own usual wait
_FEW = 8  # the same for segments
_OPEN = 0.15  # of the bins: so many that waiting does not fill suffice to show the usual wait
#: Mean delay of a call over its mean weighted by size, from which on usual times contain delays:
#: 0.375 for exponential delays, reduced by jitter.
_IN_USUAL = 0.28
_ABOVE = 3.0  # times as many calls are above their usual time (the lower quartile) as below
_BELOW = 1 / 3  # of the delay beyond usual times: the delay within them is at most this part
_SHAPE = 3.36  # delay within a usual time, over the standard deviation of a call below it
_MATURE = 16  # calls from which on a site has a usual time (runtime/src/mpi/mpi_account.c)
_MOSTLY = 0.5  # of a segment: from here on its ranks mainly waited in MPI
_CALM = 0.05  # quantile of the calls taken as undisturbed where most calls were delayed
_HELD_UP = 3.0  # times an undisturbed call: more is delay, not scatter
_ON = 0.005  # of a segment: with less time off the CPU, ranks wait as usual
_NEARBY = 9  # nearby segments from which the usual waiting between ranks is taken,
_LOWER = 25  # as this percentile


@dataclass(frozen=True)
class Account:
    """Directly measured loss of each segment, seconds.

    Attributes:
        network: Time in which every rank waited in MPI (M).
        cpu: Time that one rank was off its CPU outside MPI and file calls, so that the others
            waited for it (D).
        anywhere: Part of `network` and `cpu` whose place within a slice is not known, so that it
            is spread evenly over the slice.
        queued: For ranks that leave their cores of their own accord: the time that a rank waited
            for a core in the run queue, at most the time that it was off its CPU. This is no loss
            by itself.
    """

    network: Floats
    cpu: Floats
    anywhere: Floats | float = 0.0
    queued: Floats | float = 0.0


@dataclass(frozen=True)
class SharedCores:
    """How ranks share cores, if there are fewer cores than ranks.

    Such ranks take turns on the cores, so their time off the CPU does not show interference.

    Attributes:
        taken: CPU time that other jobs took in each segment, s, [n].
        turns: Mean share of the time for which a rank waits since ranks take turns.
        all_waiting: Recorded time in which all ranks were in MPI at once; None if it was not
            recorded.
    """

    taken: Floats
    turns: float = 1.0
    all_waiting: Together | None = None


def account(
    segments: pa.Table,
    ranks: int,
    kind: Ints,
    shared: SharedCores | None = None,
    short: float = 0.0,
    queue: Floats | float = 0.0,
    sleeps: bool = False,
) -> Account:
    """Measure the time that was lost in each segment.

    Args:
        segments: Segments merged over ranks (repository.types.WorldSegments), n rows.
        ranks: Number of ranks that the segments were merged from.
        kind: Number of the kind of each segment; segments of one kind have the same usual wait,
            [n].
        shared: How ranks share cores; None: each rank has a core of its own.
        short: Share of all waiting that is in calls that waited less than 0.1 ms.
        queue: Seconds of each segment for which a rank waited for a core in the run queue, [n].
        sleeps: Whether the ranks leave their cores of their own accord, so that time off the CPU
            is no loss by itself. Ranks of training jobs do so while they wait for GPUs and data.

    Returns:
        The measured loss; `network` and `cpu` together are at most the segment's duration.
    """
    duration = floats(segments, "duration_ns") / 1e9
    row, waited = lists(segments, "wait_min_bins")
    width = floats(segments, "bin_ns")[row]
    together = summed(row, waited, segments.num_rows) / 1e9
    calls = sum(some_floats(segments, CALLS).values(), np.zeros(len(duration))) / max(ranks, 1)
    if shared is not None:
        return _on_shared_cores(segments, row, waited, width, kind, shared)
    often = (share(calls, duration)[row] * width / 1e9).clip(1)
    often[calls[row] == 0] = np.inf
    beyond = _per_kind(waited, width, kind[row], _JITTER_S, calls=often, short=short)
    network = summed(row, beyond, segments.num_rows) / 1e9
    network += _below_usual(segments, ranks, kind, calls, network)
    network = np.maximum(network, _without_usual(segments, kind, calls))
    network = np.maximum(network, _single_calls(segments, kind, calls))
    # Without a collective in between, a delay travels from neighbour to neighbour: all ranks wait
    # for it in the end, but not in the same bin.
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
    if sleeps:
        queued = np.minimum(np.minimum(cpu, queue), duration - network)
        return Account(network, 0 * cpu, queued=queued)
    return Account(network, np.minimum(cpu, duration - network))


def _on_shared_cores(
    segments: pa.Table, row: Ints, waited: Floats, width: Floats, kind: Ints, shared: SharedCores
) -> Account:
    """Measure the lost time of ranks that share cores.

    A rank that waits for its turn on a core makes all other ranks wait, too. If all ranks wait in a
    bin for longer than such turns take on average, something else delayed them all. The remaining
    waiting is evaluated per whole segment, which averages over the turns. This shows where time was
    lost. How much was lost is taken from the ranks' own record of the time in which all of them
    waited, if there is one.
    """
    duration, turns = floats(segments, "duration_ns"), shared.turns
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
    if shared.all_waiting is not None:
        lost, anywhere = _scaled_to_record(segments, lost, shared.all_waiting)
    # Ranks wait in MPI because one of them waits for a core that others have: one loss, not two.
    cpu = np.minimum(shared.taken, duration / 1e9)
    return Account((lost - cpu).clip(0), cpu, anywhere)


def _scaled_to_record(
    segments: pa.Table, lost: Floats, together: Together
) -> tuple[Floats, Floats]:
    """Scale the losses that bins show to the total that the ranks recorded in each slice.

    Args:
        segments: Segments merged over ranks, n rows.
        lost: Loss of each segment by its bins, seconds, [n].
        together: Recorded time in which all ranks were in MPI at once.

    Returns:
        The scaled loss of each segment, and the part of it that the bins do not show, which is
        spread evenly over its slice. Both are in seconds, [n].
    """
    duration = floats(segments, "duration_ns") / 1e9
    start, end = (segments.column(name).to_numpy() for name in ("start_ns", "end_ns"))
    known = spread_over(start, end, lost, together.begin, together.until)
    seconds = _moved_to_bins(together.seconds, known)
    scale = np.where(known > seconds, share(seconds, known), 1.0)
    width = (together.until - together.begin) / 1e9
    part = spread_over(together.begin, together.until, scale * width, start, end)
    inside = spread_over(together.begin, together.until, width, start, end)
    outside = (duration - inside).clip(0)  # before the ranks began to record it
    lost = lost * share(part + outside, inside + outside)
    more = (seconds - known).clip(0)
    anywhere = np.minimum(
        spread_over(together.begin, together.until, more, start, end), (duration - lost).clip(0)
    )
    return lost + anywhere, anywhere


def _moved_to_bins(recorded: Floats, known: Floats) -> Floats:
    """Move recorded waiting to the slice before, as far as the bins show that it was there.

    A stretch of waiting is recorded in the slice in which it ends, although part of it may be in
    the slice before.

    Args:
        recorded: Recorded waiting in each slice, seconds, [slices].
        known: Waiting in each slice by the bins, seconds, [slices].
    """
    recorded = recorded.copy()
    for later in range(len(recorded) - 1, 0, -1):
        moved = min(recorded[later] - known[later], known[later - 1] - recorded[later - 1])
        if moved > 0:
            recorded[later] -= moved
            recorded[later - 1] += moved
    return recorded


def _per_kind(
    waited: Floats,
    width: Floats,
    kind: Ints,
    jitter: float,
    resolution: float = 1e-3,
    enough: int = _ENOUGH,
    calls: Floats | None = None,
    short: float = 0.0,
) -> Floats:
    """Return the waiting in each bin beyond what is usual for the kind of its segment, in ns.

    Args:
        waited: Time that every rank waited in each bin, ns, [bins].
        width: Length of each bin, ns, [bins].
        kind: Kind of the bin's segment, [bins].
        jitter: Typical jitter of calls, seconds.
        resolution: Shares of a bin that differ by less than this count as equal.
        enough: Smallest number of bins for which a kind has its own usual wait.
        calls: Number of calls of a rank in each bin; None if there are too many to distinguish
            them.
        short: Share of all waiting that is in calls that waited less than 0.1 ms.
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
            events = _above_jitter(part[at], short, resolution)
            beyond[at] = _beyond(events, usually, jitter, resolution, often)
    beyond *= width
    return beyond


def _above_jitter(part: Floats, short: float, resolution: float) -> Floats:
    """Subtract the jitter of calls from each bin: the waiting up to one level for all bins.

    The level is chosen so that the subtracted sum is the jitter's share of the waiting. It is at
    most the usual wait, since many calls that wait a little longer for a while are interference.

    Args:
        part: Share of each bin in which every rank waited, [bins].
        short: Share of the waiting that is jitter.
        resolution: Shares of a bin that differ by less than this count as equal.
    """
    if short <= 0:
        return part
    levels = np.concatenate([[0.0], np.sort(part)])
    under = len(part) - np.arange(len(part))  # number of bins above each level
    filled = np.concatenate([[0.0], np.cumsum(np.diff(levels) * under)])
    level = float(np.interp(short * filled[-1], filled, levels))
    return (part - min(level, usual(part, resolution).threshold(_LEAST))).clip(0)


def _beyond(part: Floats, width: float, jitter: float, resolution: float, calls: float) -> Floats:
    """Return the share of each bin beyond the usual wait; 0 for bins that are not clearly beyond.

    If nearly every bin contains delays, the usual wait consists of delays. Their mean and variance
    show this: n delays of length d have the mean n d and the variance n d^2, so the variance
    divided by the mean is d. If there are few calls, and each is delayed at most once, this ratio
    is smaller by the mean delay of a call. Jitter of calls is tens of microseconds long, and longer
    delays are interference. So the share of the usual wait that counts as jitter falls with the
    fourth power of d.

    Args:
        part: Share of each bin in which every rank waited, [bins].
        width: Length of a bin, seconds.
        jitter: Typical jitter of calls, seconds.
        resolution: Shares of a bin that differ by less than this count as equal.
        calls: Number of calls of a rank in a bin.
    """
    # One long event fills many bins completely: that they are equal does not make them usual.
    open_bins = part[part < 1 - _LEAST]
    undisturbed_range = usual(
        open_bins if len(open_bins) >= max(_OPEN * len(part), _FEW) else part, resolution
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


def _below_usual(
    segments: pa.Table, ranks: int, kind: Ints, calls: Floats, network: Floats
) -> Floats:
    """Return the loss that is hidden in the usual times of calls, where nearly all are delayed, s.

    The usual time of a call is the lower quartile of its times. If more than three quarters of the
    calls are delayed, this quartile contains a delay. That is assumed if the mean delay of a call
    is nearly as long as the mean delay weighted by its own length, which follows from the scatter
    of segments. The delay in the quartile is then estimated from how much the times of calls below
    it scatter; if they do not scatter, nothing is added.

    Args:
        segments: Segments merged over ranks, n rows.
        ranks: Number of ranks that the segments were merged from.
        kind: Kind of each segment, [n].
        calls: Number of calls of a rank in each segment, [n].
        network: Time in which every rank waited beyond usual times, seconds, [n].
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
        if mean < _IN_USUAL * size:
            continue
        each = held[at] / calls[at]
        away = np.abs(each - np.median(each)) * np.sqrt(calls[at])
        below = min(_SHAPE * _SIGMA * float(np.median(away)), _BELOW * mean)
        added[at] = below * calls[at]
    return added


def _without_usual(segments: pa.Table, kind: Ints, calls: Floats) -> Floats:
    """Return how much longer all ranks were in calls than in the fastest segment of the kind, s.

    This is computed only for kinds with too few calls for a usual time, and only in segments that
    all ranks spent mostly in MPI. For all other segments it is 0.
    """
    inside, duration = floats(segments, "mpi_ns_min"), floats(segments, "duration_ns")
    least = np.full(int(kind.max(initial=0)) + 1, np.inf)
    np.minimum.at(least, kind, inside)
    seldom = _few(kind, calls) & (inside > _MOSTLY * duration)
    longer: Floats = np.where(seldom, inside - least[kind], 0.0) / 1e9
    return longer


def _few(kind: Ints, calls: Floats) -> Flags:
    """Return which segments are of kinds that have too few calls for a usual time."""
    few: Flags = np.bincount(kind, weights=calls)[kind] < _MATURE
    return few


def _single_calls(segments: pa.Table, kind: Ints, calls: Floats) -> Floats:
    """Return how much longer a segment's only call took than undisturbed calls of its kind, s.

    If most such calls are delayed, their usual times contain delays, so this function uses the
    fastest calls. The last rank to arrive waits for no other rank. So the least time of a rank in
    the call is the call's cost plus any delay from outside. The result is 0 unless most calls are
    delayed, since scatter of the cost is no delay.
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
    """Return the seconds for which a rank was off its CPU so that the others waited for it.

    Time in MPI and file calls is not included. A rank that was off the CPU while it had time to
    spare caused no loss: the others did not wait for it, and it waited less for them. So the loss
    is at most the time that the mean rank waited or was off its CPU. From this time two parts are
    subtracted: the time in which all ranks waited at once, and the ranks' usual waiting for each
    other.

    Where calls have no usual time, waiting cannot be recognised. There the loss is at most the mean
    rank's time in MPI or off its CPU. It is also at most the time for which a rank waited for a
    core, since a rank that sleeps by its own decision loses nothing.

    Args:
        segments: Segments merged over ranks, n rows.
        ranks: Number of ranks that the segments were merged from.
        kind: Kind of each segment, [n].
        together: Seconds of each segment in which all ranks waited at once, [n].
        unknown: Seconds for which a rank waited for a core, in segments whose calls have no usual
            time; 0 in the others, [n].
    """
    row, off = lists(segments, "offcpu_max_bins")
    most = summed(row, off, segments.num_rows)
    # Sleep in file calls is off the CPU too; it is accounted for as file time.
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
    """Return for how long ranks usually wait for each other in each segment, in seconds.

    It is taken from nearby segments of the kind in which no rank was off its CPU. It is 0 for kinds
    with few such segments.

    Args:
        lost: Seconds of each segment for which the mean rank waited or was off its CPU, [n].
        away: Share of each segment for which a rank was off its CPU, [n].
        kind: Kind of each segment, [n].
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
