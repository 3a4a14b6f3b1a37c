"""Computes a run's loss in each window, by the delays' log and by the estimate. Pure functions.

Only segments that lie wholly inside a window count: for these, both the delays and the estimated
loss are known, and nothing has to be divided between two windows. Rules:
lab/docs/explanation/validation.md, "Truth from within a run".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle_lab.validation.oracle import Flags, Floats, Ints

#: A window counts if segments inside it cover at least this share of it.
LEAST_COVERED = 0.5


@dataclass(frozen=True)
class SegmentLosses:
    """The segments of a run, in order of time, arrays of shape [segments].

    Attributes:
        start_ns: Start of each, ns of Unix time.
        end_ns: End of each segment, ns of Unix time.
        collectives: Number of global collectives in each segment; if more than one, it has several
            exchanges.
        lost_s: Estimated loss of each segment, in seconds.
    """

    start_ns: Ints
    end_ns: Ints
    collectives: Ints
    lost_s: Floats


@dataclass(frozen=True)
class LoggedDelays:
    """The delays of an injector's log, arrays of shape [delays].

    Attributes:
        start_ns: Start of each, ns of Unix time.
        delay_ns: Length of each delay, in ns.
        rank: Rank that was delayed.
    """

    start_ns: Ints
    delay_ns: Ints
    rank: Ints


@dataclass(frozen=True)
class WindowLosses:
    """The loss of each window of a run, arrays of shape [windows].

    Loss is in percent of the time of the segments that lie inside the window.

    Attributes:
        period: Number of each window's period.
        on: Whether calls were delayed in each window.
        covered: Share of the window that lies in such segments.
        low: Loss to delays if only the most delayed rank of each segment held up the run.
        true: Loss to delays. In a segment of one exchange it is the sum of the delays of the most
            delayed rank; in a segment of several, the time in which any rank was in a delay.
        high: Loss to delays if the delays of all ranks added up.
        estimated: Loss by jostle's estimate.
    """

    period: Ints
    on: Flags
    covered: Floats
    low: Floats
    true: Floats
    high: Floats
    estimated: Floats

    def only(self, which: Flags) -> WindowLosses:
        """Return some of the windows.

        Args:
            which: Whether each window is returned, [windows].
        """
        return WindowLosses(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


def window_losses(
    start_ns: Ints,
    end_ns: Ints,
    period: Ints,
    on: Flags,
    *,
    segments: SegmentLosses,
    delays: LoggedDelays,
) -> WindowLosses:
    """Return the loss of each window of a run, by the log of the delays and by the estimate.

    Args:
        start_ns: Start of each window, ns of Unix time, ascending, [windows].
        end_ns: Its end, ns; windows do not overlap, [windows].
        period: Number of its period, [windows].
        on: Whether calls were delayed in it, [windows].
        segments: The run's segments with their estimated losses.
        delays: The delays that were injected.

    Returns:
        The windows of periods in which segments cover at least LEAST_COVERED of every window.
    """
    window = np.searchsorted(start_ns, segments.start_ns, "right") - 1
    inside = (window >= 0) & (segments.end_ns > segments.start_ns)
    inside &= segments.end_ns <= end_ns[window.clip(0)] if len(end_ns) else False
    window = window[inside]
    seconds = (segments.end_ns - segments.start_ns)[inside] / 1e9
    low, true, high = (part[inside] for part in segment_delays(segments, delays))
    count = len(start_ns)

    def summed(values: Floats) -> Floats:
        sums: Floats = np.bincount(window, values, count).astype(np.float64)
        return sums

    time = summed(seconds)
    share = 100 / time.clip(1e-9)
    covered = time / ((end_ns - start_ns) / 1e9)
    found = WindowLosses(
        period,
        on,
        covered,
        summed(low) * share,
        summed(true) * share,
        summed(high) * share,
        summed(segments.lost_s[inside]) * share,
    )
    bad = np.unique(period[covered < LEAST_COVERED])
    return found.only(~np.isin(period, bad))


def segment_delays(segments: SegmentLosses, delays: LoggedDelays) -> tuple[Floats, Floats, Floats]:
    """Return the seconds that delays cost in each segment: lower bound, true value, upper bound.

    A delay that overlaps several segments counts in each of them with the part that lies there.

    Args:
        segments: The run's segments.
        delays: The delays that were injected.

    Returns:
        Three arrays of shape [segments]; see WindowLosses.
    """
    count = len(segments.start_ns)
    at, begin, end, rank = _pieces(segments, delays)
    ranks, place = np.unique(rank, return_inverse=True)
    by_rank = np.zeros((count, max(len(ranks), 1)))
    np.add.at(by_rank, (at, place), (end - begin) / 1e9)
    length = (segments.end_ns - segments.start_ns) / 1e9
    # Several threads of a rank may be delayed at once.
    low = np.minimum(by_rank.max(axis=1), length)
    order = np.argsort(begin, kind="stable")
    at, begin, end = at[order], begin[order], end[order]
    until = np.concatenate([begin[:1], np.maximum.accumulate(end)[:-1]])
    fresh = (end - np.maximum(begin, until)).clip(0) / 1e9
    union = np.bincount(at, fresh, count)
    return low, np.where(segments.collectives > 1, union, low), by_rank.sum(axis=1)


def progress_loss(done: Ints, at_ns: Ints, *, start_ns: Ints, end_ns: Ints, on: Flags) -> Floats:
    """Return how much slower a run makes calls in each window than in windows without delays.

    This uses neither the log of the delays nor the estimate. It assumes that the same amount of
    work always makes the same number of calls; otherwise the values vary between windows.

    Args:
        done: Cumulative number of calls, [marks].
        at_ns: Time of each mark, ns of Unix time, [marks].
        start_ns: Start of each window, ns, [windows].
        end_ns: Its end, ns, [windows].
        on: Whether calls were delayed in it, [windows].

    Returns:
        100 (1 - rate / mean rate of the windows without delays), [windows]; NaN without a rate.
    """
    zero = at_ns[0] if len(at_ns) else 0
    first, last = (np.interp(edge - zero, at_ns - zero, done) for edge in (start_ns, end_ns))
    rate = (last - first) / ((end_ns - start_ns) / 1e9)
    usual = float(rate[~on].mean()) if (~on).any() else 0.0
    if usual <= 0:
        return np.full(len(rate), np.nan)
    lost: Floats = 100 * (1 - rate / usual)
    return lost


def _pieces(segments: SegmentLosses, delays: LoggedDelays) -> tuple[Ints, Ints, Ints, Ints]:
    """Cut delays at the edges of segments; return segment, begin, end and rank of each part."""
    until = delays.start_ns + delays.delay_ns
    first = np.searchsorted(segments.end_ns, delays.start_ns, "right")
    last = np.searchsorted(segments.start_ns, until, "left")
    many = (last - first).clip(0)
    which = np.repeat(np.arange(len(many)), many)
    at = first[which] + np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    begin = np.maximum(delays.start_ns[which], segments.start_ns[at])
    end = np.minimum(until[which], segments.end_ns[at])
    some = end > begin
    return at[some], begin[some], end[some], delays.rank[which][some]
