"""Finds the period of a job's bursts from the bytes it moved per slice."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Part of the usual amount of a slice with traffic, from which on a slice is on. The lower one does
# not split bursts that other jobs slow down at times.
#: Largest p value of a period, over all tries together.
_ALPHA = 0.01
_ON = (0.25, 0.05)
_QUIET = 0.1  # of a slice that is on: the most that one that is off carries, on average
_EDGE = np.sqrt(1 / 6)  # slices: scatter of the distance between two edges rounded to slices
_TRIALS = 1999
_TESTED = 200  # most distances that are tested for regularity, the first ones
_JOIN = (0, 1, 2)  # slices: pauses up to this long may be inside a burst


@dataclass(frozen=True)
class Period:
    """Periodic bursts of I/O, with their period and its interval.

    Attributes:
        seconds: Time from the start of one burst to the start of the next, in seconds.
        low: Lower end of the 95 % interval of the period, in seconds.
        high: Upper end of that interval, in seconds.
        on_seconds: Median length of a burst, in seconds.
        bursts: Number of bursts in the series.
        p_value: Probability that bursts of the same lengths, at random instants, recur at least as
            regularly.
    """

    seconds: float
    low: float
    high: float
    on_seconds: float
    bursts: int
    p_value: float

    def to_json(self) -> dict[str, Any]:
        """Return the period as JSON-compatible values."""
        return asdict(self)


def find_period(amounts: Floats, slice_s: float, *, busy: Floats | None = None) -> Period | None:
    """Find the period of bursts in a series (Shah, 2020, section 3.3.3: periodic signals).

    A slice belongs to a burst when it carries at least a quarter of the usual amount (see
    `usual_amount`); in a second try, at least a twentieth. The test statistic is the variation of
    the distances between the starts of bursts. Under the null hypothesis, the bursts have the same
    lengths, and the same total silence is divided between them at random. Distances are known only
    to a slice, so their variation is taken to be at least that of this rounding.

    Args:
        amounts: Bytes (or operations) of each slice, shape (slices,).
        slice_s: Length of a slice, in seconds.
        busy: Seconds that a process spent inside I/O calls in each slice, mean over processes. If
            processes are inside calls between bursts, the bursts only show when calls end, and
            none are reported. None: not known.

    Returns:
        The period; None if there are fewer than three bursts, or if they are not regular enough.
    """
    if len(amounts) < 4 or not (amounts > 0).any():
        return None
    best: Period | None = None
    tries = list(product(_ON, _JOIN))
    tested = set()
    for level, join in tries:
        on = _joined(amounts >= level * usual_amount(amounts), join)
        if (join, on.tobytes()) in tested:  # both levels often give the same bursts
            continue
        tested.add((join, on.tobytes()))
        period = _test(*_runs(on), join + 1, slice_s)
        if period is None or period.p_value * len(tries) > _ALPHA:
            continue
        if best is None or period.p_value < best.p_value:
            best = period if _silent(amounts, on, slice_s, busy) else best
    return best


def usual_amount(amounts: Floats) -> float:
    """Return the amount of a slice such that half of all bytes are in slices with more bytes."""
    ordered = np.sort(amounts)
    return float(ordered[np.searchsorted(np.cumsum(ordered), ordered.sum() / 2)])


def _runs(on: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Return the starts and lengths of the runs of consecutive slices that are True."""
    edges = np.diff(np.concatenate(([0], on.astype(np.int64), [0])))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return starts.astype(np.int64), (ends - starts).astype(np.int64)


def _joined(on: NDArray[np.bool_], most: int) -> NDArray[np.bool_]:
    """Fill pauses of at most `most` slices between two bursts."""
    joined = on.copy()
    for start, length in zip(*_runs(~on), strict=True):
        if length <= most and start > 0 and start + length < len(on):
            joined[start : start + length] = True
    return joined


def _test(starts: Ints, lengths: Ints, least: int, slice_s: float) -> Period | None:
    """Return the period of bursts and its p value; None for fewer than three bursts.

    Args:
        starts: First slice of each burst.
        lengths: Length of each burst, slices.
        least: Shortest pause between two bursts, slices.
        slice_s: Length of a slice, in seconds.
    """
    distances = np.diff(starts).astype(np.float64)
    if len(distances) < 2:
        return None
    from scipy.special import stdtrit  # scipy.stats would take a second to import

    held, bursts = distances[:_TESTED], lengths[:-1][:_TESTED]
    seen = max(float(held.std()), float(_EDGE)) / float(held.mean())
    spare = int((held - bursts - least).sum())
    draw = np.random.default_rng(0)
    # Every division of the silence is equally likely.
    gaps = draw.multinomial(spare, draw.dirichlet(np.ones(len(held)), _TRIALS)) + least
    made = gaps + draw.permuted(np.tile(bursts, (_TRIALS, 1)), axis=1)
    varied = made.std(axis=1) / made.mean(axis=1)
    p_value = float((1 + (varied <= seen).sum()) / (1 + _TRIALS))
    order = np.arange(len(starts), dtype=np.float64)
    order -= order.mean()
    spread = float((order**2).sum())
    slope = float((order * starts).sum()) / spread
    off = starts - float(starts.mean()) - slope * order
    error = float(np.sqrt((off**2).sum() / max(len(starts) - 2, 1) / spread))
    error = max(error, float(_EDGE / np.sqrt(spread * 2)))
    # Two distances leave one degree of freedom, and most of their variation is rounding.
    reach = float(stdtrit(max(len(starts) - 2, 2), 0.975)) * error
    return Period(
        seconds=slope * slice_s,
        low=max(slope - reach, 0.0) * slice_s,
        high=(slope + reach) * slice_s,
        on_seconds=float(np.median(lengths)) * slice_s,
        bursts=len(starts),
        p_value=p_value,
    )


def _silent(amounts: Floats, on: NDArray[np.bool_], slice_s: float, busy: Floats | None) -> bool:
    """Return whether processes moved little and were rarely inside I/O calls between bursts."""
    first, last = np.flatnonzero(on)[[0, -1]]
    inside = slice(first, last + 1)
    off = ~on[inside]
    if amounts[inside][off].mean() > _QUIET * amounts[on].mean():
        return False
    if busy is None:
        return True
    waited = float(busy[inside].sum()) - float((~off).sum()) * slice_s
    return waited < 0.3 * float(off.sum()) * slice_s
