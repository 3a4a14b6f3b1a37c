"""Assigns each written byte to an access pattern: closed file, seek back or growing file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.access.bursts import Floats
from jostle.analysis.access.series import MountSeries

_SOON = 1  # slices: a file closed this long after its first write was short-lived,
_BRIEF = 0.1  # and so was one whose life is at most this part of all slices with writes,
_IN_TURN = 0.25  # or at most this part where
_TURNS = 4  # files per concurrently active process follow each other
_WHOLE = 2.5  # writes per file: with fewer it was written at once, however long that took
_ENOUGH = 4  # fewest writes, and fewest slices in which files were closed, for a result
_REPEATED = 3  # fewest files per process for a pattern
_FIX_UPS = 2  # steps back per file that only rewrite the file's header,
_OWN = 1.2  # if they step back over at most this multiple of what these files hold


@dataclass(frozen=True)
class Claims:
    """Bytes written and chunks by access pattern, in order of PATTERNS.

    Attributes:
        bytes: Bytes of each slice by access pattern, shape (3, slices).
        chunks: Number of chunks that ended in each slice, same shape.
    """

    bytes: Floats
    chunks: Floats

    def part(self, span: slice) -> Claims:
        """Return a copy of the bytes and chunks of a span of slices."""
        return Claims(self.bytes[:, span].copy(), self.chunks[:, span].copy())


@dataclass(frozen=True)
class _Closed:
    """Facts about the files that were closed in each slice, shape (slices,).

    Attributes:
        begun: The slice in which these files were begun, estimated from their size.
        fixed: Whether the steps back near the slice only rewrite headers of these files.
        alongside: Whether the steps back near the slice are few, and belong to other files, which
            are rewritten.
    """

    begun: NDArray[np.int64]
    fixed: NDArray[np.bool_]
    alongside: NDArray[np.bool_]


class ClaimBudget:
    """Stack of written bytes that are not assigned yet, the latest on top.

    Args:
        amounts: Bytes of each slice, shape (slices,).
        calls: Number of calls that wrote the bytes of each slice, shape (slices,).
    """

    def __init__(self, amounts: Floats, calls: Floats) -> None:
        self._bytes, self._calls = amounts, calls
        self._left: list[list[float]] = []

    def put(self, place: int) -> None:
        """Put the bytes of a slice on top of the stack."""
        if self._bytes[place] > 0:
            self._left.append([place, float(self._bytes[place])])

    def take(self, wanted: float) -> tuple[list[tuple[int, float]], float]:
        """Take bytes from the top of the stack.

        Returns:
            The parts that were taken, each as (slice, bytes), and the number of calls that wrote
            them.
        """
        taken: list[tuple[int, float]] = []
        calls = 0.0
        while wanted > 0 and self._left:
            place, left = int(self._left[-1][0]), self._left[-1][1]
            part = min(left, wanted)
            wanted -= part
            taken.append((place, part))
            calls += self._calls[place] * part / self._bytes[place]
            if part < left:
                self._left[-1][1] -= part
            else:
                self._left.pop()
        return taken, calls


def claim(series: MountSeries) -> Claims:
    """Assign each byte written to a mount to an access pattern.

    Args:
        series: The job's calls on the mount. If the positions of writes are not `known`, only
            files that were closed soon after they were begun are recognised.

    Returns:
        Bytes and chunks of each slice by access pattern.
    """
    if not series.known:
        return _claim_old(series)
    size = len(series.bytes)
    claims = Claims(np.zeros((3, size)), np.zeros((3, size)))
    files, rewritten, streamed = claims.bytes
    closed_here, soon = _closed(series), _soon(series)
    held = _with_their_files(series)
    budget = ClaimBudget(series.bytes, series.writes)
    rewound = 0.0  # bytes that steps back rewrite, in files that are still open

    def step_back(place: int, wanted: float) -> None:
        taken, _ = budget.take(wanted)
        _book(rewritten, taken)
        claims.chunks[1, taken[0][0] if taken else place] += series.backs[place]

    # A write may end in a later slice than it begins: a slice may hold only its step back.
    some = (series.bytes > 0) | (series.files > 0) | (series.back_bytes > 0)
    for place in np.flatnonzero(some).tolist():
        budget.put(place)
        alongside = bool(closed_here.alongside[place])
        back, closed = series.back_bytes[place], held[place]
        if back > 0 and not alongside and not closed_here.fixed[place]:
            step_back(place, back)
            rewound += back
        if series.files[place] > 0:
            inside = 0.0 if alongside else min(rewound, closed)
            taken, writes = budget.take(closed - inside)
            age = place - int(closed_here.begun[place])
            if inside > closed / 2:
                _book(rewritten, taken)
            elif age <= soon or writes <= _WHOLE * series.files[place]:
                _book(files, taken)
                claims.chunks[0, taken[0][0] if taken else place] += series.files[place]
            else:
                _book(streamed, taken)
            rewound -= inside
        if back > closed and alongside:
            step_back(place, back - closed)  # at most that much of it was in the files closed here
    streamed[:] = np.maximum(series.bytes - files - rewritten, 0)
    claims.chunks[2] = series.writes
    if one_each(series, claims, slice(0, size)):
        stream(claims)
    return claims


def _soon(series: MountSeries) -> float:
    """Return for how many slices a file may be open that counts as closed soon."""
    at_once = float(np.clip(series.active.max(initial=1), 1, series.writers))
    part = _IN_TURN if series.files.sum() >= _TURNS * at_once else _BRIEF
    return max(_SOON, part * float((series.bytes > 0).sum()))


def _closed(series: MountSeries) -> _Closed:
    """Estimate in which slice closed files were begun, and to which files steps back belong.

    Each process that is active in a slice is assumed to have written an equal part of the slice's
    bytes. The mean size of the closed files then shows how many slices ago they were begun. Files
    that are closed in one slice may have grown concurrently, so they were begun no later than the
    slice in which all their bytes together were begun.
    """
    size = len(series.bytes)
    moved = np.cumsum(series.bytes)
    held = _with_their_files(series)
    together = held / np.maximum(series.files, 1) * np.clip(series.active, 1, series.writers)
    together = np.maximum(together, held)
    begun = np.searchsorted(moved, moved - together, side="right").astype(np.int64)
    places = np.arange(size)
    since = np.clip(begun - 1, 0, places)  # a call's operation and bytes may be a slice apart

    def while_open(values: Floats) -> Floats:
        sums = np.concatenate(([0.0], np.cumsum(values)))
        return np.asarray(sums[places + 1] - sums[since])

    closing = series.files > 0
    few = closing & (while_open(series.backs) <= _FIX_UPS * while_open(series.files))
    theirs = while_open(series.back_bytes) <= _OWN * while_open(held)
    fixed, alongside = few & theirs, few & ~theirs
    return _Closed(begun, np.where(closing, fixed, _near(fixed)), alongside)


def _with_their_files(series: MountSeries) -> Floats:
    """Return the bytes of the files that were closed in each slice, shape (slices,).

    A record that covers several slices divides its bytes evenly among them. Its few closed files
    cannot be divided: they count in one of these slices, so their bytes count there, too.
    """
    closing = np.flatnonzero(series.files > 0)
    held = np.zeros_like(series.file_bytes)
    if len(closing):
        after = np.searchsorted(closing, np.arange(len(held))).clip(max=len(closing) - 1)
        np.add.at(held, closing[after], series.file_bytes)
    return held


def _near(marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the slices before and after marked ones, too."""
    out = marks.copy()
    out[1:] |= marks[:-1]
    out[:-1] |= marks[1:]
    return out


def one_each(series: MountSeries, claims: Claims, span: slice) -> bool:
    """Return whether each process closed only one or two short-lived files, after many writes."""
    files, when = claims.chunks[0, span].sum(), (claims.chunks[0, span] > 0).sum()
    many = files >= _REPEATED and (files >= _REPEATED * series.writers or when >= _ENOUGH)
    return not many and bool(series.writes[span].sum() > _ENOUGH * files)


def stream(claims: Claims) -> None:
    """Move the bytes of files that were closed soon to the pattern of growing files.

    Args:
        claims: Bytes and chunks by pattern; they are changed.
    """
    claims.bytes[2] += claims.bytes[0]
    claims.bytes[0] = claims.chunks[0] = 0


def _book(way: Floats, taken: list[tuple[int, float]]) -> None:
    for place, part in taken:
        way[place] += part


def _claim_old(series: MountSeries) -> Claims:
    """Assign written bytes by close calls alone, for profiles without the positions of writes."""
    size = len(series.bytes)
    claims = Claims(np.zeros((3, size)), np.zeros((3, size)))
    fresh = (series.closes > 0) & (series.seeks <= series.closes)
    fresh &= series.writes <= _WHOLE * series.closes
    claims.bytes[0, fresh] = series.bytes[fresh]
    claims.chunks[0, fresh] = series.closes[fresh]
    return claims
