"""Names how a job writes to each mount, phase by phase (thesis 3.2.1, 3.3.4, 7.1).

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

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.access.bursts import Floats, Period, find_period, usual_amount
from jostle.analysis.access.claims import Claims, claim, one_each, stream
from jostle.analysis.access.model import (
    AGGREGATE_WRITE,
    MIXED,
    NONE,
    OPEN_WRITE_CLOSE,
    PATTERNS,
    UNKNOWN,
    WRITE_SEEK,
    PatternShare,
    WritePattern,
    WritePhase,
)
from jostle.analysis.access.series import MountSeries, mount_series
from jostle.analysis.access.unseen import doubted, unseen_bytes
from jostle.repository.types import JobTables

_NS = 1e9
_MOST = 0.8  # of a phase's bytes: one way of writing stands for all
_ALL = 0.9  # of a mount's bytes: phases that are alike stand for the whole job
_ENOUGH = 4  # writes, to say anything
_REPEATED = 3  # files, or steps back, to call it a pattern
_JUMPS = (0.25, 4.0)  # gaps per step back: between these, writes jump to and fro
_RUN = 3  # active slices that make a phase, and
_PART = 0.05  # of all active slices, but no more than
_RUN_MOST = 30  # slices
_TRICKLE = 0.01  # of the usual amount of a slice: what carries no more is not active
_LONG_SILENCE = 8  # slices, and
_LARGE_SILENCE = 0.2  # of the time between first and last write: it parts phases

_Run = tuple[int, int]  # first active slice and the one behind the last


def write_patterns(tables: JobTables) -> list[WritePattern]:
    """Name how a job wrote to each of its mounts.

    Args:
        tables: Everything about the job, from Repository.job_tables; `writes` must be there.

    Returns:
        One entry per mount, the one with the most bytes first. A profile of before 0.3 does not
        say where writes begin: then only files written and closed one after the other are named,
        and all else is unknown.
    """
    unseen = unseen_bytes(tables)
    found = [doubted(_pattern(series), unseen) for series in mount_series(tables)]
    return sorted(found, key=lambda pattern: (-pattern.bytes, pattern.mount))


# ---- phases ----


def _pattern(series: MountSeries) -> WritePattern:
    total = float(series.bytes.sum())
    if total == 0:
        silent = _silence(series, 0, len(series.bytes))
        return WritePattern(series.mount, NONE, None, None, 0, series.known, [silent])
    claims = claim(series)
    phases: list[WritePhase] = []
    at = 0
    spans, pause = _covered(series, _cut(series, claims))
    for lo, hi in [*spans, (len(series.bytes), -1)]:
        if lo - at >= max(_RUN, pause + 1):
            phases.append(_silence(series, at, lo))
        if hi >= 0:
            phases.append(_phase(series, claims, lo, hi, total))
        at = hi
    name = _of_all(phases)
    alike = [phase for phase in phases if phase.pattern == name]
    one = sum(phase.share for phase in alike) >= _MOST
    most = max(alike, key=lambda phase: phase.bytes) if one else None
    return WritePattern(
        series.mount, name, most.chunk_bytes if most else None, most.period if most else None,
        int(total), series.known, phases,
    )  # fmt: skip


def _of_all(phases: list[WritePhase]) -> str:
    """Name a mount by its phases: mixed is said only of what is known to differ."""
    heavy: dict[str, float] = {}
    for phase in phases:
        heavy[phase.pattern] = heavy.get(phase.pattern, 0.0) + phase.share
    dark = heavy.pop(UNKNOWN, 0.0)
    name, share = max(heavy.items(), key=lambda item: item[1], default=(UNKNOWN, 0.0))
    if share >= _ALL * (1 - dark):
        return name if share >= _MOST else UNKNOWN
    return MIXED if dark < _MOST else UNKNOWN


def _covered(series: MountSeries, spans: list[_Run]) -> tuple[list[_Run], int]:
    """Extend spans so that they cover every byte; a long trickle outside becomes its own span.

    Returns:
        The spans, and the longest pause inside one, slices: shorter silences are not phases.
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


def _active(series: MountSeries, lo: int, hi: int) -> NDArray[np.intp]:
    """Return the slices that carry more than a hundredth of what is usual."""
    found: NDArray[np.intp] = np.flatnonzero(
        series.bytes[lo:hi] > _TRICKLE * usual_amount(series.bytes)
    )
    return found + lo


def _cut(series: MountSeries, claims: Claims) -> list[tuple[int, int]]:
    """Cut the time into runs of slices that are alike; silence at their ends is left out."""
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
    # Runs that differ in whose the bytes are may yet be one and the same to a reader.
    spans = _fused(spans, lambda span: _named(series, claims, slice(*span))[0])
    return [part for span in spans for part in _at_silences(series, *span)]


def _fused(runs: list[_Run], label: Callable[[_Run], str]) -> list[_Run]:
    """Join neighbours that are alike."""
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
    """Join each run of at most `short` slices with the longer of its neighbours."""
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


def _at_silences(series: MountSeries, lo: int, hi: int) -> list[tuple[int, int]]:
    """Split a phase at long silences, unless its bursts are regular."""
    least = max(_LONG_SILENCE, _LARGE_SILENCE * (hi - lo))
    active = _active(series, lo, hi)
    wide = np.flatnonzero(np.diff(active) > least)
    if not len(wide) or _period(series, lo, hi):
        return [(lo, hi)]
    edges = [lo, *(int(active[place + 1]) for place in wide), hi]
    ends = [*(int(active[place]) + 1 for place in wide), hi]
    return list(zip(edges[:-1], ends, strict=True))


def _period(series: MountSeries, lo: int, hi: int) -> Period | None:
    return find_period(series.bytes[lo:hi], series.slice_ns / _NS, busy=series.busy[lo:hi])


# ---- names ----


def _silence(series: MountSeries, lo: int, hi: int) -> WritePhase:
    return WritePhase(
        NONE, (series.first + lo) * series.slice_ns, (series.first + hi) * series.slice_ns,
        0, 0, 0.0, 0, None, None, 0.0, False, [], None, "Nothing was written.",
    )  # fmt: skip


def _phase(series: MountSeries, claims: Claims, lo: int, hi: int, total: float) -> WritePhase:
    span = slice(lo, hi)
    moved, writes = float(series.bytes[span].sum()), float(series.writes[span].sum())
    name, why, ways, chunks = _named(series, claims, span)
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
    return WritePhase(
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
        scattered=_to_and_fro(series, span),
        parts=parts,
        period=_period(series, lo, hi),
        evidence=why,
    )


def _parts(ways: Floats, chunks: Floats, moved: float, known: bool) -> list[PatternShare]:
    parts = []
    for place, way in enumerate(PATTERNS):
        if ways[place] <= 0:
            continue
        # Of streamed bytes the calls are known only where all are streamed.
        number = 0 if place == 2 and ways[place] < _MOST * moved else int(chunks[place])
        parts.append(
            PatternShare(way, float(ways[place]) / moved, int(ways[place]), number,
                 float(ways[place]) / number if number else None)
        )  # fmt: skip
    return sorted(parts, key=lambda part: -part.share) if known else parts


def _named(series: MountSeries, claims: Claims, span: slice) -> tuple[str, str, Floats, Floats]:
    """Name a phase: its name, why, its bytes and its chunks by the way they were written."""
    here = claims.part(span)
    if series.known and one_each(series, claims, span):
        stream(here)
    ways, chunks = here.bytes.sum(axis=1), here.chunks.sum(axis=1)
    return *_name(series, ways, chunks, span), ways, chunks


def _to_and_fro(series: MountSeries, span: slice) -> bool:
    """Return whether steps back and gaps alternate: nothing says then what is written twice."""
    backs, gaps = float(series.backs[span].sum()), float(series.gaps[span].sum())
    return backs >= _REPEATED and _JUMPS[0] * backs < gaps < _JUMPS[1] * backs


def _name(series: MountSeries, ways: Floats, chunks: Floats, span: slice) -> tuple[str, str]:
    """Name a phase, and return the figures that the name rests on."""
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
    if best == 1 and _to_and_fro(series, span):
        return UNKNOWN, f"Writes jump back and ahead in turn: {figures}"
    return PATTERNS[best], figures
