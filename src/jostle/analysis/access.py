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

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

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
from jostle.analysis.bursts import Floats, Period, find_period
from jostle.analysis.people import Ints, column
from jostle.repository.types import JobTables

_NS = 1e9
_MOST = 0.8  # of a phase's bytes: one way of writing stands for all
_ALL = 0.9  # of a mount's bytes: phases that are alike stand for the whole job
_SOON = 1  # slices: a file closed this long after its first write was short-lived
_WHOLE = 2.5  # writes per file: it was written in one go, however long that took
_ENOUGH = 4  # writes, and slices in which files were closed, to say anything
_REPEATED = 3  # files per process, or steps back, to call it a pattern
_FIX_UPS = 2  # steps back per file that only mend what the file begins with
_RUN = 3  # active slices that make a phase
_LONG_SILENCE = 8  # slices, and
_LARGE_SILENCE = 0.2  # of the time between first and last write: it parts phases
_VERSION = (0, 3)  # of the runtime: since then it follows where writes begin


@dataclass(frozen=True)
class _Series:
    """What a job did on one mount, slice by slice; all arrays have shape (slices,)."""

    mount: str
    first: int
    slice_ns: int
    writers: int
    known: bool
    bytes: Floats
    writes: Floats
    backs: Floats
    back_bytes: Floats
    gaps: Floats
    files: Floats
    file_bytes: Floats
    closes: Floats
    seeks: Floats
    reads: Floats
    busy: Floats


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
    rows = tables.writes
    if rows is None or not rows.num_rows:
        return []
    names = np.asarray(rows.column("mount").to_pylist(), dtype=object)
    writers = _writers(tables)
    known = _follows(tables)
    columns = {name: column(rows, name) for name in rows.column_names if name != "mount"}
    found = []
    for mount in sorted(set(names.tolist())):
        mine = names == mount
        here = {name: values[mine] for name, values in columns.items()}
        found.append(_pattern(_series(mount, here, writers.get(mount, 1), known=known)))
    return sorted(found, key=lambda pattern: (-pattern.bytes, pattern.mount))


def _follows(tables: JobTables) -> bool:
    """Tells whether the runtime followed where writes begin."""
    rows = tables.writes
    if rows is not None and any(column(rows, name).any() for name in rows.column_names
                                if name.startswith("access_")):  # fmt: skip
        return True
    if "library" not in tables.processes.column_names:
        return False
    for text in tables.processes.column("library").to_pylist():
        digits = (text or "").split(".")[:2]
        if all(part.isdigit() for part in digits) and tuple(map(int, digits)) >= _VERSION:
            return True
    return False


def _writers(tables: JobTables) -> dict[str, int]:
    """Counts the processes that wrote, by mount."""
    rows = tables.mount_totals
    if not rows.num_rows:
        return {}
    wrote = (column(rows, "posix_write_bytes") + column(rows, "stdio_write_bytes")) > 0
    counts: dict[str, int] = {}
    for mount, did in zip(rows.column("mount").to_pylist(), wrote.tolist(), strict=True):
        counts[mount] = counts.get(mount, 0) + did
    return {mount: max(count, 1) for mount, count in counts.items()}


def _series(mount: str, rows: Mapping[str, Ints], writers: int, *, known: bool) -> _Series:
    """Lays rows of (slice, slice_ns, sums) on one axis, of the slice length most rows have."""
    lengths, times = np.unique(rows["slice_ns"], return_counts=True)
    length = int(lengths[times.argmax()])
    at = rows["slice"] * rows["slice_ns"] // length
    first = int(at.min())
    size = int(at.max()) - first + 1

    def laid(*names: str) -> Floats:
        values = np.zeros(size, dtype=np.float64)
        for name in names:
            if name in rows:
                np.add.at(values, at - first, rows[name].astype(np.float64))
        return values

    inside = laid(
        "posix_write_ns", "posix_sync_ns", "posix_meta_ns",
        "stdio_write_ns", "stdio_sync_ns", "stdio_meta_ns",
    )  # fmt: skip
    return _Series(
        mount=mount, first=first, slice_ns=length, writers=writers, known=known,
        bytes=laid("posix_write_bytes", "stdio_write_bytes"),
        writes=laid("posix_write_ops", "stdio_write_ops"),
        backs=laid("access_back_ops"), back_bytes=laid("access_back_bytes"),
        gaps=laid("access_gap_ops"),
        files=laid("access_file_ops"), file_bytes=laid("access_file_bytes"),
        closes=laid("posix_close_ops", "stdio_close_ops"),
        seeks=laid("posix_seek_ops", "stdio_seek_ops"),
        reads=laid("posix_read_ops", "stdio_read_ops"),
        busy=inside / _NS / writers,
    )  # fmt: skip


# ---- whose bytes ----


class _Purse:
    """Bytes that nobody has claimed yet, the latest on top."""

    def __init__(self, series: _Series) -> None:
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


def _claim(series: _Series) -> _Claims:
    """Gives each byte to the way it was written."""
    size = len(series.bytes)
    claims = _Claims(np.zeros((3, size)), np.zeros((3, size)))
    files, rewritten, streamed = claims.bytes
    around = np.ones(3)
    near_files = np.convolve(series.files, around, mode="same")
    near_backs = np.convolve(series.backs, around, mode="same")
    mended = (near_files > 0) & (near_backs <= _FIX_UPS * near_files)
    purse = _Purse(series)
    rewound = 0.0  # bytes stepped back behind, in files that are still open
    for place in range(size):
        purse.put(place)
        if series.back_bytes[place] > 0 and not mended[place]:
            _book(rewritten, purse.take(series.back_bytes[place])[0])
            claims.chunks[1, place] += series.backs[place]
            rewound += series.back_bytes[place]
        if series.files[place] > 0:
            closed = series.file_bytes[place]
            taken, writes = purse.take(closed - min(rewound, closed))
            age = place - taken[-1][0] if taken else 0
            if rewound > closed / 2:
                _book(rewritten, taken)
            elif age <= _SOON or writes <= _WHOLE * series.files[place]:
                _book(files, taken)
                claims.chunks[0, place] += series.files[place]
            else:
                _book(streamed, taken)
            rewound -= min(rewound, closed)
    streamed[:] = np.maximum(series.bytes - files - rewritten, 0)
    claims.chunks[2] = series.writes
    return claims


def _book(way: Floats, taken: list[tuple[int, float]]) -> None:
    for place, part in taken:
        way[place] += part


def _claim_old(series: _Series) -> _Claims:
    """The same for a profile that does not know where writes begin: only closes can tell."""
    size = len(series.bytes)
    claims = _Claims(np.zeros((3, size)), np.zeros((3, size)))
    fresh = (series.closes > 0) & (series.seeks <= series.closes)
    fresh &= series.writes <= _WHOLE * series.closes
    claims.bytes[0, fresh] = series.bytes[fresh]
    claims.chunks[0, fresh] = series.closes[fresh]
    return claims


# ---- phases ----


def _pattern(series: _Series) -> WritePattern:
    total = float(series.bytes.sum())
    if total == 0:
        silent = _silence(series, 0, len(series.bytes))
        return WritePattern(series.mount, NONE, None, None, 0, series.known, [silent])
    claims = _claim(series) if series.known else _claim_old(series)
    phases: list[Phase] = []
    at = 0
    for lo, hi in _cut(series, claims):
        if lo - at >= _RUN:
            phases.append(_silence(series, at, lo))
        phases.append(_phase(series, claims, lo, hi, total))
        at = hi
    if len(series.bytes) - at >= _RUN:
        phases.append(_silence(series, at, len(series.bytes)))
    heavy: dict[str, float] = {}
    for phase in phases:
        heavy[phase.pattern] = heavy.get(phase.pattern, 0.0) + phase.share
    name, share = max(heavy.items(), key=lambda item: item[1])
    most = max((phase for phase in phases if phase.pattern == name), key=lambda phase: phase.bytes)
    alone = share >= _ALL
    return WritePattern(
        series.mount, name if alone else MIXED,
        most.chunk_bytes if alone else None, most.period if alone else None, int(total), series.known, phases,
    )  # fmt: skip


def _cut(series: _Series, claims: _Claims) -> list[tuple[int, int]]:
    """Cuts the time into runs of slices that are alike; silence at their ends is left out."""
    active = np.flatnonzero(series.bytes > 0)
    labels = [_label(claims.bytes[:, place], series.bytes[place]) for place in active]
    runs: list[list[int]] = []  # first and last place among the active slices
    for place, label in enumerate(labels):
        if runs and labels[runs[-1][0]] == label:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    names = [labels[first] for first, _ in runs]
    while len(runs) > 1:
        sizes = [last - first + 1 for first, last in runs]
        least = min(range(len(runs)), key=lambda place: sizes[place])
        if sizes[least] >= _RUN:
            break
        other = _neighbour(names, sizes, least)
        low, high = sorted((least, other))
        runs[low] = [runs[low][0], runs[high][1]]
        inside = active[runs[low][0] : runs[low][1] + 1]
        names[low] = _label(claims.bytes[:, inside].sum(axis=1), float(series.bytes[inside].sum()))
        del runs[high], names[high]
        _fuse(runs, names, low)
    spans = [(int(active[first]), int(active[last]) + 1) for first, last in runs]
    return [part for span in spans for part in _at_silences(series, *span)]


def _label(ways: Floats, total: float) -> str:
    best = int(ways.argmax())
    return PATTERNS[best] if ways[best] >= _MOST * total else MIXED


def _neighbour(names: list[str], sizes: list[int], place: int) -> int:
    """Chooses whom a short run joins: one that is alike, else the longer."""
    sides = [side for side in (place - 1, place + 1) if 0 <= side < len(names)]
    return max(sides, key=lambda side: (names[side] == names[place], sizes[side]))


def _fuse(runs: list[list[int]], names: list[str], place: int) -> None:
    """Joins a run with neighbours that have become like it."""
    for side in (place + 1, place):
        if 0 < side < len(runs) and names[side - 1] == names[side]:
            runs[side - 1][1] = runs[side][1]
            del runs[side], names[side]


def _at_silences(series: _Series, lo: int, hi: int) -> list[tuple[int, int]]:
    """Parts a phase at long silences, unless its bursts are regular."""
    least = max(_LONG_SILENCE, _LARGE_SILENCE * (hi - lo))
    active = np.flatnonzero(series.bytes[lo:hi] > 0) + lo
    wide = np.flatnonzero(np.diff(active) > least)
    if not len(wide) or _period(series, lo, hi):
        return [(lo, hi)]
    edges = [lo, *(int(active[place + 1]) for place in wide), hi]
    ends = [*(int(active[place]) + 1 for place in wide), hi]
    return list(zip(edges[:-1], ends, strict=True))


def _period(series: _Series, lo: int, hi: int) -> Period | None:
    return find_period(series.bytes[lo:hi], series.slice_ns / _NS, busy=series.busy[lo:hi])


# ---- names ----


def _silence(series: _Series, lo: int, hi: int) -> Phase:
    return Phase(
        NONE, (series.first + lo) * series.slice_ns, (series.first + hi) * series.slice_ns,
        0, 0, 0.0, 0, None, None, 0.0, False, [], None, "Nothing was written.",
    )  # fmt: skip


def _phase(series: _Series, claims: _Claims, lo: int, hi: int, total: float) -> Phase:
    span = slice(lo, hi)
    moved, writes = float(series.bytes[span].sum()), float(series.writes[span].sum())
    ways, chunks = claims.bytes[:, span].sum(axis=1), claims.chunks[:, span].sum(axis=1)
    name, why = _name(series, claims, span)
    parts = _parts(ways, chunks, moved, series.known)
    chosen = next((part for part in parts if part.pattern == name), None)
    chunk = per_chunk = None
    if name == AGGREGATE_WRITE:
        chunk, per_chunk = moved / writes, 1.0
    elif chosen and chosen.chunk_bytes:
        chunk, per_chunk = chosen.chunk_bytes, writes * chosen.share / chosen.chunks
    gaps, backs = float(series.gaps[span].sum()), float(series.backs[span].sum())
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


def _name(series: _Series, claims: _Claims, span: slice) -> tuple[str, str]:
    """Names a phase, and says why."""
    moved, writes = float(series.bytes[span].sum()), int(series.writes[span].sum())
    ways = claims.bytes[:, span].sum(axis=1) / moved
    files, backs = (int(claims.chunks[way, span].sum()) for way in (0, 1))
    said = ", ".join(
        f"{share:.0%} {text}"
        for share, text in zip(
            ways, ("in files closed soon", "stepped back behind", "in files that grow"),
            strict=True,
        )
        if share >= 0.005
    )  # fmt: skip
    figures = f"{writes} writes, {files} files, {backs} steps back; of the bytes {said}."
    if writes < _ENOUGH:
        return UNKNOWN, f"Too little to tell: {figures}"
    best = int(ways.argmax())
    if not series.known and ways[0] < _MOST:
        return UNKNOWN, "The profile (of before 0.3) does not say where writes begin."
    if ways[best] < _MOST:
        return MIXED, figures
    if best == 0:
        return _files_or_one(series, claims, span, files, writes, figures)
    if best == 1 and backs < _REPEATED:
        return UNKNOWN, f"Too few steps back: {figures}"
    return PATTERNS[best], figures


def _files_or_one(
    series: _Series, claims: _Claims, span: slice, files: int, writes: int, figures: str
) -> tuple[str, str]:
    """Tells files one after the other from one file per process that was soon done."""
    when = int((claims.chunks[0, span] > 0).sum())
    if files >= _REPEATED and (files >= _REPEATED * series.writers or when >= _ENOUGH):
        return OPEN_WRITE_CLOSE, figures
    if writes > _ENOUGH * files:
        return AGGREGATE_WRITE, f"One file or two per process, soon done: {figures}"
    return UNKNOWN, f"Too few files: {figures}"
