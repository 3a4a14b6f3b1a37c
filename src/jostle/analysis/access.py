"""Access patterns: how a job writes to each mount, phase by phase (thesis 3.2.1, 3.3.4, 7.1).

Every byte written is given to one of three ways of writing:
    files: it lies in a file that was closed soon after (open-write-close),
    rewritten: the job stepped back behind it on the same descriptor (write-seek),
    streamed: neither; the file grew in order (aggregate-write).
What a step back or a close ends was written before it, so bytes are claimed backwards in time, the
latest first. A pattern is named where one way has four fifths of the bytes of a phase and there is
enough of it to tell; else it is mixed, or unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.access_model import (
    AGGREGATE_WRITE,
    MIXED,
    NONE,
    OPEN_WRITE_CLOSE,
    PATTERNS,
    UNKNOWN,
    WRITE_SEEK,
    Part,
    Phase,
    WritePattern,
)
from jostle.analysis.access_series import Series, mount_series
from jostle.analysis.bursts import Floats, Period, find_period, usual_amount
from jostle.repository.types import JobTables

_NS = 1e9
_MOST = 0.8  # of a phase's bytes: one way of writing stands for all
_ALL = 0.9  # of a mount's bytes: phases that are alike stand for the whole job
_SOON = 1  # slices: a file closed this long after its first write was short-lived,
_BRIEF = 0.1  # and so was one whose life is no larger a part of all slices with writes
_WHOLE = 2.5  # writes per file: it was written in one go, however long that took
_ENOUGH = 4  # writes, and slices in which files were closed, to say anything
_REPEATED = 3  # files per process, or steps back, to call it a pattern
_FIX_UPS = 2  # steps back per file that only mend what the file begins with
_RUN = 3  # active slices that make a phase, and
_PART = 0.05  # of all active slices, but no more than
_RUN_MOST = 30  # slices
_TRICKLE = 0.01  # of the usual amount of a slice: what carries no more is not active
_LONG_SILENCE = 8  # slices, and
_LARGE_SILENCE = 0.2  # of the time between first and last write: it parts phases

_Run = tuple[int, int]  # first active slice and the one behind the last


@dataclass(frozen=True)
class _Claims:
    """Whose the bytes are, in order of PATTERNS.

    Attributes:
        bytes: Bytes of each slice by the way they were written, shape (3, slices).
        chunks: Chunks that ended in each slice, likewise.
    """

    bytes: Floats
    chunks: Floats


def write_patterns(tables: JobTables) -> list[WritePattern]:
    """Names how a job wrote to each of its mounts.

    Args:
        tables: Everything about the job, from Repository.job_tables; `writes` must be there.

    Returns:
        One entry per mount, the one with the most bytes first. A profile of before 0.3 does not
        say where writes begin: then only files written and closed one after the other are named,
        and all else is unknown.
    """
    found = [_pattern(series) for series in mount_series(tables)]
    return sorted(found, key=lambda pattern: (-pattern.bytes, pattern.mount))


# ---- whose bytes ----


class _Purse:
    """Bytes that nobody has claimed yet, the latest on top."""

    def __init__(self, series: Series) -> None:
        self._series = series
        self._left: list[list[float]] = []

    def put(self, place: int) -> None:
        """Adds the bytes of a slice."""
        if self._series.bytes[place] > 0:
            self._left.append([place, float(self._series.bytes[place])])

    def take(self, wanted: float) -> tuple[list[tuple[int, float]], float]:
        """Takes bytes from the top: (slice, bytes) of each part, and how many writes they were."""
        taken: list[tuple[int, float]] = []
        writes = 0.0
        while wanted > 0 and self._left:
            place, left = int(self._left[-1][0]), self._left[-1][1]
            part = min(left, wanted)
            wanted -= part
            taken.append((place, part))
            writes += self._series.writes[place] * part / self._series.bytes[place]
            if part < left:
                self._left[-1][1] -= part
            else:
                self._left.pop()
        return taken, writes


def _claim(series: Series) -> _Claims:
    """Gives each byte to the way it was written."""
    size = len(series.bytes)
    claims = _Claims(np.zeros((3, size)), np.zeros((3, size)))
    files, rewritten, streamed = claims.bytes
    near_files, near_backs = _around(series.files), _around(series.backs)
    mended = (near_files > 0) & (near_backs <= _FIX_UPS * near_files)
    purse, moved = _Purse(series), np.cumsum(series.bytes)
    soon = max(_SOON, _BRIEF * float((series.bytes > 0).sum()))
    rewound = 0.0  # bytes stepped back behind, in files that are still open
    for place in np.flatnonzero((series.bytes > 0) | (series.files > 0)).tolist():
        purse.put(place)
        if series.back_bytes[place] > 0 and not mended[place]:
            taken, _ = purse.take(series.back_bytes[place])
            _book(rewritten, taken)
            claims.chunks[1, taken[0][0] if taken else place] += series.backs[place]
            rewound += series.back_bytes[place]
        if series.files[place] > 0:
            closed = series.file_bytes[place]
            taken, writes = purse.take(closed - min(rewound, closed))
            age = place - _begun(series, moved, place)
            if rewound > closed / 2:
                _book(rewritten, taken)
            elif age <= soon or writes <= _WHOLE * series.files[place]:
                _book(files, taken)
                claims.chunks[0, taken[0][0] if taken else place] += series.files[place]
            else:
                _book(streamed, taken)
            rewound -= min(rewound, closed)
    streamed[:] = np.maximum(series.bytes - files - rewritten, 0)
    claims.chunks[2] = series.writes
    if _one_each(series, claims, slice(0, size)):
        _stream(claims)
    return claims


def _one_each(series: Series, claims: _Claims, span: slice) -> bool:
    """Tells whether files that were closed soon are only one or two per process, of many writes."""
    files, when = claims.chunks[0, span].sum(), (claims.chunks[0, span] > 0).sum()
    many = files >= _REPEATED and (files >= _REPEATED * series.writers or when >= _ENOUGH)
    return not many and bool(series.writes[span].sum() > _ENOUGH * files)


def _stream(claims: _Claims) -> None:
    """Takes files that were closed soon for files that grew, only not for long."""
    claims.bytes[2] += claims.bytes[0]
    claims.bytes[0] = claims.chunks[0] = 0


def _around(values: Floats) -> Floats:
    """Adds to each slice those before and after it."""
    sums = values.copy()
    sums[1:] += values[:-1]
    sums[:-1] += values[1:]
    return sums


def _begun(series: Series, moved: Floats, place: int) -> int:
    """Gives the slice in which the files that were closed in a slice were begun.

    Of the bytes of a slice each process that was active there has an equal part: a file's mean size
    is compared with that. moved: bytes up to the end of each slice.
    """
    size = series.file_bytes[place] / series.files[place]
    together = size * min(max(series.active[place], 1), series.writers)
    return int(np.searchsorted(moved, moved[place] - together, side="right"))


def _book(way: Floats, taken: list[tuple[int, float]]) -> None:
    for place, part in taken:
        way[place] += part


def _claim_old(series: Series) -> _Claims:
    """The same for a profile that does not know where writes begin: only closes can tell."""
    size = len(series.bytes)
    claims = _Claims(np.zeros((3, size)), np.zeros((3, size)))
    fresh = (series.closes > 0) & (series.seeks <= series.closes)
    fresh &= series.writes <= _WHOLE * series.closes
    claims.bytes[0, fresh] = series.bytes[fresh]
    claims.chunks[0, fresh] = series.closes[fresh]
    return claims


# ---- phases ----


def _pattern(series: Series) -> WritePattern:
    total = float(series.bytes.sum())
    if total == 0:
        silent = _silence(series, 0, len(series.bytes))
        return WritePattern(series.mount, NONE, None, None, 0, series.known, [silent])
    claims = _claim(series) if series.known else _claim_old(series)
    phases: list[Phase] = []
    at = 0
    spans, pause = _covered(series, _cut(series, claims))
    for lo, hi in [*spans, (len(series.bytes), -1)]:
        if lo - at >= max(_RUN, pause + 1):
            phases.append(_silence(series, at, lo))
        if hi >= 0:
            phases.append(_phase(series, claims, lo, hi, total))
        at = hi
    heavy: dict[str, float] = {}
    for phase in phases:
        heavy[phase.pattern] = heavy.get(phase.pattern, 0.0) + phase.share
    name, share = max(heavy.items(), key=lambda item: item[1])
    most = max((phase for phase in phases if phase.pattern == name), key=lambda phase: phase.bytes)
    alone = share >= _ALL
    return WritePattern(
        series.mount, name if alone else MIXED,
        most.chunk_bytes if alone else None, most.period if alone else None,
        int(total), series.known, phases,
    )  # fmt: skip


def _covered(series: Series, spans: list[_Run]) -> tuple[list[_Run], int]:
    """Gives every byte a span: a trickle outside joins one, or is one if it goes on for long.

    Returns:
        The spans, and the longest pause inside one, slices: what is no longer is no phase.
    """
    pause = max(int(np.diff(_active(series, *span)).max(initial=1)) - 1 for span in spans)
    out: list[_Run] = []
    at = 0
    for lo, hi in [*spans, (len(series.bytes), -1)]:
        if series.bytes[at:lo].any():
            if lo - at >= max(_RUN, pause + 1):
                out.append((at, lo))
            elif out:
                out[-1] = (out[-1][0], lo)
            else:
                lo = at
        if hi >= 0:
            out.append((lo, hi))
        at = hi
    return out, pause


def _active(series: Series, lo: int, hi: int) -> NDArray[np.intp]:
    """Gives the slices that carry more than a hundredth of what is usual."""
    found: NDArray[np.intp] = np.flatnonzero(
        series.bytes[lo:hi] > _TRICKLE * usual_amount(series.bytes)
    )
    return found + lo


def _cut(series: Series, claims: _Claims) -> list[tuple[int, int]]:
    """Cuts the time into runs of slices that are alike; silence at their ends is left out."""
    active = _active(series, 0, len(series.bytes))
    ways = np.concatenate((np.zeros((3, 1)), np.cumsum(claims.bytes[:, active], axis=1)), axis=1)
    total = np.concatenate(([0.0], np.cumsum(series.bytes[active])))

    def label(run: _Run) -> str:
        parts = ways[:, run[1]] - ways[:, run[0]]
        best = int(parts.argmax())
        return PATTERNS[best] if parts[best] >= _MOST * (total[run[1]] - total[run[0]]) else MIXED

    runs = _fused([(place, place + 1) for place in range(len(active))], label)
    least = int(np.clip(_PART * len(active), _RUN, _RUN_MOST))
    for short in range(1, least):
        while len(runs) > 1 and min(hi - lo for lo, hi in runs) <= short:
            runs = _fused(_without_short(runs, short), label)
    spans = [(int(active[lo]), int(active[hi - 1]) + 1) for lo, hi in runs]
    return [part for span in spans for part in _at_silences(series, *span)]


def _fused(runs: list[_Run], label: Callable[[_Run], str]) -> list[_Run]:
    """Joins neighbours that are alike."""
    out: list[_Run] = []
    last = ""
    for run in runs:
        name = label(run)
        if out and name == last:
            out[-1] = (out[-1][0], run[1])
        else:
            out.append(run)
        last = name
    return out


def _without_short(runs: list[_Run], short: int) -> list[_Run]:
    """Lets each run of at most so many slices join the longer of its neighbours."""
    out: list[_Run] = []
    begin: int | None = None  # of a run that joins the next one
    for place, (lo, hi) in enumerate(runs):
        lo, begin = (lo if begin is None else begin), None
        after = runs[place + 1][1] - runs[place + 1][0] if place + 1 < len(runs) else 0
        before = out[-1][1] - out[-1][0] if out else 0
        if hi - lo > short or not (before or after):
            out.append((lo, hi))
        elif after > before:
            begin = lo
        else:
            out[-1] = (out[-1][0], hi)
    return out


def _at_silences(series: Series, lo: int, hi: int) -> list[tuple[int, int]]:
    """Parts a phase at long silences, unless its bursts are regular."""
    least = max(_LONG_SILENCE, _LARGE_SILENCE * (hi - lo))
    active = _active(series, lo, hi)
    wide = np.flatnonzero(np.diff(active) > least)
    if not len(wide) or _period(series, lo, hi):
        return [(lo, hi)]
    edges = [lo, *(int(active[place + 1]) for place in wide), hi]
    ends = [*(int(active[place]) + 1 for place in wide), hi]
    return list(zip(edges[:-1], ends, strict=True))


def _period(series: Series, lo: int, hi: int) -> Period | None:
    return find_period(series.bytes[lo:hi], series.slice_ns / _NS, busy=series.busy[lo:hi])


# ---- names ----


def _silence(series: Series, lo: int, hi: int) -> Phase:
    return Phase(
        NONE, (series.first + lo) * series.slice_ns, (series.first + hi) * series.slice_ns,
        0, 0, 0.0, 0, None, None, 0.0, False, [], None, "Nothing was written.",
    )  # fmt: skip


def _phase(series: Series, claims: _Claims, lo: int, hi: int, total: float) -> Phase:
    span = slice(lo, hi)
    moved, writes = float(series.bytes[span].sum()), float(series.writes[span].sum())
    here = _Claims(claims.bytes[:, span].copy(), claims.chunks[:, span].copy())
    if series.known and _one_each(series, claims, span):
        _stream(here)
    ways, chunks = here.bytes.sum(axis=1), here.chunks.sum(axis=1)
    name, why = _name(series, ways, chunks, span)
    parts = _parts(ways, chunks, moved, series.known)
    chosen = next((part for part in parts if part.pattern == name), None)
    chunk = per_chunk = None
    gaps, backs = float(series.gaps[span].sum()), float(series.backs[span].sum())
    carrying = min(series.heavy * moved / total, writes) if series.heavy else writes
    if name == AGGREGATE_WRITE:
        chunk, per_chunk = moved / max(carrying, 1), 1.0
    elif name == OPEN_WRITE_CLOSE and chosen and chosen.chunks:
        # No more files carry the bytes than there are large writes: small ones beside them (locks,
        # shared pointers of MPI-IO) do not make the chunk smaller.
        # What they held is summed as it was closed: records of several slices blur what is claimed.
        closed = float(series.files[span].sum())
        held = float(series.file_bytes[span].sum()) * chosen.chunks / closed if closed else 0.0
        held = min(held, moved) or float(chosen.bytes)
        chunk = held / min(float(chosen.chunks), max(carrying, 1))
        per_chunk = writes * chosen.share / chosen.chunks
    elif name == WRITE_SEEK:
        chunk = float(series.back_bytes[span].sum()) / max(backs, 1)
        per_chunk = chunk * writes / moved
    return Phase(
        pattern=name,
        start_ns=(series.first + lo) * series.slice_ns,
        end_ns=(series.first + hi) * series.slice_ns,
        active_slices=int((series.bytes[span] > 0).sum()),
        bytes=int(moved),
        share=moved / total,
        writes=int(writes),
        chunk_bytes=chunk,
        writes_per_chunk=per_chunk,
        strided=gaps / writes if writes else 0.0,
        scattered=name == WRITE_SEEK and gaps > 0.25 * backs,
        parts=parts,
        period=_period(series, lo, hi),
        evidence=why,
    )


def _parts(ways: Floats, chunks: Floats, moved: float, known: bool) -> list[Part]:
    parts = []
    for place, way in enumerate(PATTERNS):
        if ways[place] <= 0:
            continue
        # Of streamed bytes the calls are known only where all are streamed.
        number = 0 if place == 2 and ways[place] < _MOST * moved else int(chunks[place])
        parts.append(
            Part(way, float(ways[place]) / moved, int(ways[place]), number,
                 float(ways[place]) / number if number else None)
        )  # fmt: skip
    return sorted(parts, key=lambda part: -part.share) if known else parts


def _name(series: Series, ways: Floats, chunks: Floats, span: slice) -> tuple[str, str]:
    """Names a phase, and says why."""
    moved, writes = float(series.bytes[span].sum()), int(series.writes[span].sum())
    files, backs = int(chunks[0]), int(chunks[1])
    said = ", ".join(
        f"{share:.0%} {text}"
        for share, text in zip(
            ways / moved, ("in files closed soon", "stepped back behind", "in files that grow"),
            strict=True,
        )
        if share >= 0.005
    )  # fmt: skip
    figures = f"{writes} writes, {files} files, {backs} steps back; of the bytes {said}."
    if writes < _ENOUGH:
        return UNKNOWN, f"Too little to tell: {figures}"
    best = int(ways.argmax())
    if not series.known and ways[0] < _MOST * moved:
        return UNKNOWN, "The profile (of before 0.3) does not say where writes begin."
    if ways[best] < _MOST * moved:
        return MIXED, figures
    if best == 0 and files < _REPEATED:
        return UNKNOWN, f"Too few files: {figures}"
    if best == 1 and backs < _REPEATED:
        return UNKNOWN, f"Too few steps back: {figures}"
    return PATTERNS[best], figures
