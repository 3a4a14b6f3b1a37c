"""Computes rates, degradation and dilation of two co-running programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Region = tuple[int, int]

#: Runs count until one program has done this share of its work (Shah, 2020, section 3.2.3).
DONE = 0.9
#: Kuo's rule (§2.4) drops a run whose rate is off the mean by more than this many deviations.
CUT = 1.5
#: With fewer runs no value can be 1.5 sample deviations off their mean.
FEWEST = 5
# A slice without a completed call is not idle if at least this share of it is time in calls.
_BUSY = 0.1


@dataclass(frozen=True)
class JobProgress:
    """The progress of a job's processes per slice.

    Attributes:
        job: Name of the job.
        slice_ns: Slice length, in ns.
        first_slice: Number of the first slice: floor(time / slice_ns).
        values: Amount per process and slice, shape (processes, slices); idle slices hold 0.
        processes: IDs of the processes, in the order of the rows; empty if they have none.
        certain: First slice from which on values are exact; before it, the first record of a
            process is spread over the slices that it covers. -1: all values are exact.
    """

    job: str
    slice_ns: int
    first_slice: int
    values: Floats
    processes: tuple[int, ...] = ()
    certain: int = -1

    @property
    def last_slice(self) -> int:
        """Number of the last slice; one before the first if there are none."""
        return self.first_slice + int(self.values.shape[1]) - 1

    @property
    def total(self) -> float:
        """Sum over processes and slices."""
        return float(self.values.sum())

    @property
    def per_slice(self) -> Floats:
        """Sum over processes per slice, shape (slices,)."""
        return np.asarray(self.values.sum(axis=0))

    @property
    def active(self) -> Region | None:
        """First and last slice with progress; None if no slice has progress."""
        place = np.flatnonzero(self.per_slice > 0)
        if not len(place):
            return None
        return self.first_slice + int(place[0]), self.first_slice + int(place[-1])

    def between(self, first: int, last: int) -> Floats:
        """Return the values of a range of slices, both ends included; 0 where the job has none.

        Returns:
            Shape (processes, last - first + 1).
        """
        out = np.zeros((self.values.shape[0], max(last - first + 1, 0)))
        lo, hi = max(first, self.first_slice), min(last, self.last_slice)
        if lo <= hi:
            own = self.values[:, lo - self.first_slice : hi - self.first_slice + 1]
            out[:, lo - first : hi - first + 1] = own
        return out


def under_way(
    progress: JobProgress, busy: JobProgress, most: float | None = None, since: int | None = None
) -> JobProgress:
    """Spread the progress of long operations over the slices in which they ran.

    A call counts in the slice in which it ends. A call over several slices leaves the earlier ones
    empty, as if its process had been idle.

    Args:
        progress: Progress, counted where calls ended.
        busy: Time that the same processes spent in such calls in each slice, in ns.
        most: Greatest progress of one operation; None if unknown.
        since: First slice of the program's work: earlier calls belong to its preparation. None: the
            program has no preparation.

    Returns:
        The progress of each slice, spread evenly over that slice and the empty ones before it in
        which the process spent at least a tenth of the time in such calls. Totals are unchanged.
    """
    if not progress.values.size or busy.slice_ns != progress.slice_ns:
        return progress
    rows = {process: row for row, process in enumerate(busy.processes)}
    if not rows.keys() >= set(progress.processes) or not progress.processes:
        return progress
    # The first operation may have begun in earlier slices, which hold no bytes.
    begin = min(progress.first_slice, max(busy.first_slice, since or busy.first_slice))
    done = progress.between(begin, progress.last_slice)
    busy_at = busy.between(begin, progress.last_slice)
    values = done.copy()
    for row, process in enumerate(progress.processes):
        waits = (done[row] <= 0) & (busy_at[rows[process]] >= progress.slice_ns * _BUSY)
        for place in np.flatnonzero((done[row, 1:] > 0) & waits[:-1]) + 1:
            first = int(place)
            while first > 0 and waits[first - 1]:
                first -= 1
            # Only one operation can have been running.
            part = min(done[row, place], most or math.inf)
            values[row, place] -= part
            values[row, first : place + 1] += part / (place + 1 - first)
    used = np.flatnonzero(values.sum(axis=0) > 0)
    first = int(used[0]) if len(used) else 0
    return replace(progress, first_slice=begin + first, values=values[:, first:])


def active_overlap(p: JobProgress, q: JobProgress) -> Region | None:
    """Find the longest span in which every process of both progresses (Kuo et al., 2013, §4.2).

    Args:
        p: One program.
        q: The other, in slices of the same length.

    Returns:
        First and last slice of the longest stretch (the earliest of equally long ones), or None.

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
    """Find the slice in which a program has done the share DONE of its work (Shah, 2020, §3.2.3).

    Args:
        progress: The program.
        volume: Total work of the program; by default the work that was done.

    Returns:
        Number of the slice; None if the program did not reach that share.
    """
    goal = (progress.total if volume is None else volume) * DONE
    if goal <= 0:
        return None
    # Tolerates the rounding error of a sum of floats.
    reached = np.flatnonzero(np.cumsum(progress.per_slice) >= goal * (1 - 1e-12))
    return progress.first_slice + int(reached[0]) if len(reached) else None


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
    """Return the dilation of a run whose rate is degraded by d from begin to end: d / (1 - d)."""
    return lost / (1 - lost) if lost < 1 else math.inf


def outliers(values: Sequence[float] | Floats) -> NDArray[np.bool_]:
    """Return the mask of runs that Kuo's rule drops: |rate - mean| > 1.5 sample deviations (§2.4).

    Of fewer than five runs none is dropped: none is more than (n - 1) / sqrt(n) deviations off.
    """
    data = np.asarray(values, dtype=np.float64)
    if len(data) < FEWEST:
        return np.zeros(len(data), dtype=bool)
    deviation = float(data.std(ddof=1))
    # Tolerates rounding of equal rates.
    if deviation <= 1e-12 * float(np.abs(data).max(initial=0)):
        return np.zeros(len(data), dtype=bool)
    return np.asarray(np.abs(data - data.mean()) > CUT * deviation)


def foreign(own: float, server: float, protocol: float = 1.0) -> bool:
    """Return whether a run must be discarded because of foreign traffic (Shah, 2020, §3.2.2).

    Args:
        own: Bytes of the study's programs.
        server: Bytes that the servers received in the same time.
        protocol: Bytes that the server received per byte of the programs in undisturbed runs; above
            1, since the counter of a link includes headers.

    Returns:
        True if the servers received more than 1.10 times the traffic of the study's programs.
    """
    # 1.1 has no exact binary form; a difference by rounding does not discard a run.
    return server * 10 > own * protocol * 11 * (1 + 1e-12)


def bytes_spread(p: JobProgress, q: JobProgress, region: Region) -> float:
    """Return std/mean of the amounts per process in a region (Kuo et al., 2013, section 4.2)."""
    each = np.concatenate([p.between(*region).sum(axis=1), q.between(*region).sum(axis=1)])
    mean = float(each.mean()) if len(each) else 0.0
    return float(each.std()) / mean if mean > 0 else math.nan


def exclusive(p: Floats, q: Floats) -> float:
    """Return the degree to which two programs take turns instead of sharing, from 0 to 1.

    Args:
        p: Rate of one program per slice, relative to its standalone rate.
        q: Rate of the other program per slice, relative to its standalone rate.

    Returns:
        0 if both programs progress equally in all slices; 1 if only one progresses at any time.
        NaN if there are fewer than eight slices, or if neither progresses in a fifth of them: an
        operation that is longer than a slice counts in its last slice, which would look like turns.
        Slices are added up two by two, so turns of one slice count as sharing.
    """
    even = len(p) // 2 * 2
    if even < 8 or float(np.mean((p[:even] + q[:even]) > 0)) < 0.8:
        return math.nan
    own, others = (values[:even].reshape(-1, 2).sum(axis=1) for values in (p, q))
    return float(np.abs(own - others).sum() / (own + others).sum())
