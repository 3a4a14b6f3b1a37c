"""Determines the access pattern of a job's writes on each mount (Shah, 2020, 3.2.1, 3.3.4, 7.1).

Every byte written is assigned to one of three patterns:
    files: the byte is in a file that was closed soon after (open-write-close),
    rewritten: after the byte was written, the job stepped back before it in the file (write-seek),
    streamed: neither; the file grew in order (aggregate-write).
The bytes that belong to a step back or a close were written before it. So they are taken from its
slice first, then from the slices before. A phase gets the pattern that has four fifths of its bytes
and occurs often enough; without such a pattern it is mixed or unknown.
"""

from __future__ import annotations

from jostle.analysis.access.bursts import Floats
from jostle.analysis.access.claims import Claims, claim, one_each, stream
from jostle.analysis.access.model import (
    AGGREGATE_WRITE,
    MIXED,
    OPEN_WRITE_CLOSE,
    PATTERNS,
    UNKNOWN,
    WRITE_SEEK,
    AccessPattern,
    AccessPhase,
    PatternShare,
)
from jostle.analysis.access.phases import MOST, Ways, pattern_of, period_of, untouched
from jostle.analysis.access.series import MountSeries, mount_series
from jostle.analysis.access.unseen import doubted, unseen_bytes
from jostle.repository.types import JobTables

_ENOUGH = 4  # fewest writes for a result
_REPEATED = 3  # fewest files, or steps back, for a pattern
_JUMPS = (0.25, 4.0)  # gaps per step back: between these, writes jump to and fro


def write_patterns(tables: JobTables) -> list[AccessPattern]:
    """Determine the access pattern of a job's writes on each of its mounts.

    Args:
        tables: The tables of the job, from Repository.job_tables, with `accesses`.

    Returns:
        One entry per mount, the one with the most bytes first. Profiles of versions before 0.3 do
        not record where writes begin. In these only open-write-close is recognised, by files
        written and closed one after the other; all else is unknown.
    """
    unseen = unseen_bytes(tables)
    found = [doubted(_pattern(series), unseen) for series in mount_series(tables)]
    return sorted(found, key=lambda pattern: (-pattern.bytes, pattern.mount))


def _pattern(series: MountSeries) -> AccessPattern:
    total = float(series.bytes.sum())
    if total == 0:
        return untouched(series, "written")
    claims = claim(series)

    def phase(lo: int, hi: int) -> AccessPhase:
        return _phase(series, claims, lo, hi, total)

    def name(lo: int, hi: int) -> str:
        return _named(series, claims, slice(lo, hi))[0]

    return pattern_of(series, Ways("written", PATTERNS, claims.bytes, name, phase, dict))


def _phase(series: MountSeries, claims: Claims, lo: int, hi: int, total: float) -> AccessPhase:
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
        # The bytes are in at most as many files as there are large writes: further small files
        # (locks, shared pointers of MPI-IO) do not make the chunk smaller. File sizes are summed at
        # their closes, since the assignment is inexact in records of several slices.
        closed = float(series.files[span].sum())
        held = float(series.file_bytes[span].sum()) * chosen.chunks / closed if closed else 0.0
        held = min(held, moved) or float(chosen.bytes)
        chunk = held / min(float(chosen.chunks), max(carrying, 1))
        per_chunk = writes * chosen.share / chosen.chunks
    elif name == WRITE_SEEK:
        chunk = float(series.back_bytes[span].sum()) / max(backs, 1)
        per_chunk = chunk * writes / moved
    return AccessPhase(
        pattern=name,
        start_ns=(series.first + lo) * series.slice_ns,
        end_ns=(series.first + hi) * series.slice_ns,
        active_slices=int((series.bytes[span] > 0).sum()),
        bytes=int(moved),
        share=moved / total,
        calls=int(writes),
        chunk_bytes=chunk,
        calls_per_chunk=per_chunk,
        gapped=gaps / writes if writes else 0.0,
        scattered=_to_and_fro(series, span),
        parts=parts,
        period=period_of(series, lo, hi),
        evidence=why,
    )


def _parts(ways: Floats, chunks: Floats, moved: float, known: bool) -> list[PatternShare]:
    parts = []
    for place, way in enumerate(PATTERNS):
        if ways[place] <= 0:
            continue
        # The calls of streamed bytes are known only where all bytes are streamed.
        number = 0 if place == 2 and ways[place] < MOST * moved else int(chunks[place])
        parts.append(
            PatternShare(
                way,
                float(ways[place]) / moved,
                int(ways[place]),
                number,
                float(ways[place]) / number if number else None,
            )
        )
    return sorted(parts, key=lambda part: -part.share) if known else parts


def _named(series: MountSeries, claims: Claims, span: slice) -> tuple[str, str, Floats, Floats]:
    """Return the pattern of a phase, the reason for it, and the bytes and chunks of each pattern.

    Bytes and chunks are those in the phase, in the order of PATTERNS.
    """
    here = claims.part(span)
    if series.known and one_each(series, claims, span):
        stream(here)
    ways, chunks = here.bytes.sum(axis=1), here.chunks.sum(axis=1)
    return *_name(series, ways, chunks, span), ways, chunks


def _to_and_fro(series: MountSeries, span: slice) -> bool:
    """Return whether steps back and gaps alternate, so that rewritten bytes remain unknown."""
    backs, gaps = float(series.backs[span].sum()), float(series.gaps[span].sum())
    return backs >= _REPEATED and _JUMPS[0] * backs < gaps < _JUMPS[1] * backs


def _name(series: MountSeries, ways: Floats, chunks: Floats, span: slice) -> tuple[str, str]:
    """Return the pattern of a phase, and a sentence with the numbers that it was derived from."""
    moved, writes = float(series.bytes[span].sum()), int(series.writes[span].sum())
    files, backs = int(chunks[0]), int(chunks[1])
    said = ", ".join(
        f"{share:.0%} {text}"
        for share, text in zip(
            ways / moved,
            ("in files closed soon", "stepped back behind", "in files that grow"),
            strict=True,
        )
        if share >= 0.005
    )
    figures = f"{writes} writes, {files} files, {backs} steps back; of the bytes {said}."
    if writes < _ENOUGH:
        return UNKNOWN, f"Too little to decide: {figures}"
    best = int(ways.argmax())
    if not series.known and ways[0] < MOST * moved:
        return UNKNOWN, "The profile (of before 0.3) does not say where writes begin."
    if ways[best] < MOST * moved:
        return MIXED, figures
    if best == 0 and files < _REPEATED:
        return UNKNOWN, f"Too few files: {figures}"
    if best == 1 and backs < _REPEATED:
        return UNKNOWN, f"Too few steps back: {figures}"
    if best == 1 and _to_and_fro(series, span):
        return UNKNOWN, f"Writes jump back and ahead in turn: {figures}"
    return PATTERNS[best], figures
