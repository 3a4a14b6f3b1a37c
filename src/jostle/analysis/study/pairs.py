"""Computes rates, degradation and dilation of two programs side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Region = tuple[int, int]

#: Runs count until one program has done this share of its work (thesis §3.2.3).
DONE = 0.9
#: Kuo's rule (§2.4) drops a run whose rate is off the mean by more than this many deviations.
CUT = 1.5
#: With fewer runs no value can be 1.5 sample deviations off their mean.
FEWEST = 5
# A slice without a completed call, but with this share of time in calls, was no idle one.
_BUSY = 0.1


@dataclass(frozen=True)
class JobProgress:
    """What the processes of a job got done, slice by slice.

    Attributes:
        job: The job.
        slice_ns: Slice length, ns.
        first_slice: Number of the first slice: floor(time / slice_ns).
        values: Amount per process and slice, shape (processes, slices); idle slices hold 0.
        processes: Their ids, in the order of the rows; empty where they have none.
        certain: First slice from which on every value is that slice's own; before it, what a young
            process did is spread over the slices that its first record covers. -1: all are.
    """

    job: str
    slice_ns: int
    first_slice: int
    values: Floats
    processes: tuple[int, ...] = ()
    certain: int = -1

    @property
    def last_slice(self) -> int:
        """Number of the last slice; one before the first where there are none."""
        return self.first_slice + int(self.values.shape[1]) - 1

    @property
    def total(self) -> float:
        """All that was done."""
        return float(self.values.sum())

    @property
    def per_slice(self) -> Floats:
        """Over all processes, per slice."""
        return np.asarray(self.values.sum(axis=0))

    @property
    def active(self) -> Region | None:
        """First and last slice in which anything was done; None: nothing was."""
        place = np.flatnonzero(self.per_slice > 0)
        if not len(place):
            return None
        return self.first_slice + int(place[0]), self.first_slice + int(place[-1])

    def between(self, first: int, last: int) -> Floats:
        """Cut out slices, both ends included; 0 where the job has none.

        Returns:
            Shape (processes, last - first + 1).
        """
        out = np.zeros((self.values.shape[0], max(last - first + 1, 0)))
        lo, hi = max(first, self.first_slice), min(last, self.last_slice)
        if lo <= hi:
            own = self.values[:, lo - self.first_slice : hi - self.first_slice + 1]
            out[:, lo - first : hi - first + 1] = own
        return out


def under_way(progress: JobProgress, busy: JobProgress, most: float | None = None) -> JobProgress:
    """Return slices their part of the operations under way in them.

    A call counts in the slice in which it ends. One that lasts several slices leaves those before
    empty, as if its process had been idle: half a second of writing would be no progress at all.

    Args:
        progress: What was done, booked where calls ended.
        busy: Time of the same processes in such calls, ns, booked where it passed.
        most: What one operation moves at most; None: unknown.

    Returns:
        What a process did in a slice shared out evenly over that slice and the empty ones before
        it in which it was in such calls (for a tenth of their time at least). Totals stay.
    """
    if not progress.values.size or busy.slice_ns != progress.slice_ns:
        return progress
    rows = {process: row for row, process in enumerate(busy.processes)}
    if not rows.keys() >= set(progress.processes) or not progress.processes:
        return progress
    # The first operation may have begun slices before it ended, and those hold no bytes at all.
    begin = min(progress.first_slice, busy.first_slice)
    done = progress.between(begin, progress.last_slice)
    busy_at = busy.between(begin, progress.last_slice)
    values = done.copy()
    for row, process in enumerate(progress.processes):
        waits = (done[row] <= 0) & (busy_at[rows[process]] >= progress.slice_ns * _BUSY)
        for place in np.flatnonzero((done[row, 1:] > 0) & waits[:-1]) + 1:
            first = int(place)
            while first > 0 and waits[first - 1]:
                first -= 1
            # Only one operation can have been under way.
            part = min(done[row, place], most or math.inf)
            values[row, place] -= part
            values[row, first : place + 1] += part / (place + 1 - first)
    used = np.flatnonzero(values.sum(axis=0) > 0)
    first = int(used[0]) if len(used) else 0
    return replace(progress, first_slice=begin + first, values=values[:, first:])


def active_overlap(p: JobProgress, q: JobProgress) -> Region | None:
    """Find the longest unbroken stretch in which every process of both gets on (Kuo §4.2).

    Args:
        p: One program.
        q: The other, in slices of the same length.

    Returns:
        First and last slice, the earliest of several equally long; None where there is none.

    Raises:
        ValueError: The slices differ in length.
    """
    _comparable(p, q)
    first, last = max(p.first_slice, q.first_slice), min(p.last_slice, q.last_slice)
    if first > last or not len(p.values) or not len(q.values):
        return None
    all_on = (np.concatenate([p.between(first, last), q.between(first, last)]) > 0).all(axis=0)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], all_on, [False]]).astype(np.int8)))
    if not len(edges):
        return None
    begins, ends = edges[::2], edges[1::2]
    longest = int(np.argmax(ends - begins))
    return first + int(begins[longest]), first + int(ends[longest]) - 1


def _comparable(p: JobProgress, q: JobProgress) -> None:
    if p.slice_ns != q.slice_ns:
        raise ValueError(
            f"slices of {p.job} last {p.slice_ns} ns, those of {q.job} {q.slice_ns} ns"
        )


def done_at(progress: JobProgress, volume: float | None = None) -> int | None:
    """Find the slice in which a program has done the share DONE of its work (thesis §3.2.3).

    Args:
        progress: The program.
        volume: All it has to do; by default what it did.

    Returns:
        The slice's number; None if it never got there.
    """
    goal = (progress.total if volume is None else volume) * DONE
    if goal <= 0:
        return None
    # A share of a sum of floats may miss by a rounding error what integers would reach.
    reached = np.flatnonzero(np.cumsum(progress.per_slice) >= goal * (1 - 1e-12))
    return progress.first_slice + int(reached[0]) if len(reached) else None


def until_90(
    p: JobProgress, q: JobProgress, volumes: tuple[float | None, float | None] = (None, None)
) -> int | None:
    """Find the slice in which the first of two programs has done 90 % of its work.

    Args:
        p: One program.
        q: The other.
        volumes: What each has to do in all; by default what it did.

    Returns:
        The last slice to evaluate; None where neither got there.
    """
    _comparable(p, q)
    ends = [end for end in (done_at(p, volumes[0]), done_at(q, volumes[1])) if end is not None]
    return min(ends, default=None)


def throughput(progress: JobProgress, first: int, last: int) -> float:
    """Return the rate over slices, both ends included, in units of the progress per second."""
    if last < first:
        return math.nan
    seconds = (last - first + 1) * progress.slice_ns / 1e9
    return float(progress.between(first, last).sum()) / seconds


def degradation(isolated: float, interfered: float) -> float:
    """Return the share of the rate that was lost: (isolated - interfered) / isolated."""
    return (isolated - interfered) / isolated if isolated > 0 else math.nan


def dilation(isolated_s: float, interfered_s: float) -> float:
    """Return by how much a run took longer: interfered / isolated - 1."""
    return interfered_s / isolated_s - 1 if isolated_s > 0 else math.nan


def dilation_implied(lost: float) -> float:
    """Return the dilation that a degradation of all of a fixed work means: d / (1 - d)."""
    return lost / (1 - lost) if lost < 1 else math.inf


def outliers(values: Sequence[float] | Floats) -> NDArray[np.bool_]:
    """Return which runs Kuo's rule drops: |rate - mean| > 1.5 sample deviations (§2.4).

    Below five runs none can be: the farthest of n lies at most (n - 1) / sqrt(n) deviations off.
    """
    data = np.asarray(values, dtype=np.float64)
    if len(data) < FEWEST:
        return np.zeros(len(data), dtype=bool)
    deviation = float(data.std(ddof=1))
    # Equal rates differ by rounding only.
    if deviation <= 1e-12 * float(np.abs(data).max(initial=0)):
        return np.zeros(len(data), dtype=bool)
    return np.asarray(np.abs(data - data.mean()) > CUT * deviation)


def foreign(own: float, server: float, protocol: float = 1.0) -> bool:
    """Return whether a run is to be discarded for others' traffic (thesis §3.2.2).

    Args:
        own: Bytes of our programs.
        server: Bytes that the servers saw meanwhile.
        protocol: Bytes at the server per byte of ours in quiet runs: a link counts headers too.

    Returns:
        Whether the server saw more than 1.10 times what is ours; exactly that much is kept.
    """
    # 1.1 has no exact binary form, nor have ratios: what differs by rounding only is kept.
    return server * 10 > own * protocol * 11 * (1 + 1e-12)


def bytes_spread(p: JobProgress, q: JobProgress, region: Region) -> float:
    """Return deviation over mean of what each process of both moved in a region (Kuo §4.2)."""
    each = np.concatenate([p.between(*region).sum(axis=1), q.between(*region).sum(axis=1)])
    mean = float(each.mean()) if len(each) else 0.0
    return float(each.std()) / mean if mean > 0 else math.nan


def exclusive(p: Floats, q: Floats) -> float:
    """Return how far two programs take turns instead of sharing.

    Args:
        p: Relative rate of one per slice: 1 = as fast as alone.
        q: Of the other.

    Returns:
        0 when both get the same in every slice, 1 when each stretch belongs to one; nan when most
        slices see neither (operations longer than a slice are booked when they end, and would look
        like turns). Taken over two slices at a time: turns shorter than that are sharing.
    """
    even = len(p) // 2 * 2
    if even < 8 or float(np.mean((p[:even] + q[:even]) > 0)) < 0.8:
        return math.nan
    one, other = (values[:even].reshape(-1, 2).sum(axis=1) for values in (p, q))
    return float(np.abs(one - other).sum() / (one + other).sum())
