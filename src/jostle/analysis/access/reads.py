"""Determines the access pattern of a job's reads on each mount, phase by phase.

Reads that continue where the previous one ended form a run. Each byte is assigned to one of four
patterns by how its run began: without a jump (sequential), by a jump of a recurring distance
(strided), by any other jump (random), or by a return to where one of the last runs began (re-read).
A run is recorded in the slice in which it ends, so its bytes are taken from that slice first, then
from the slices before it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from jostle.analysis.access.bursts import Floats
from jostle.analysis.access.claims import ClaimBudget
from jostle.analysis.access.model import (
    MIXED,
    RANDOM,
    RE_READ,
    READ_PATTERNS,
    SEQUENTIAL,
    STRIDED,
    UNKNOWN,
    AccessPattern,
    AccessPhase,
    PatternShare,
)
from jostle.analysis.access.phases import MOST, Ways, pattern_of, period_of, untouched
from jostle.analysis.access.series import ReadSeries, read_series
from jostle.repository.types import JobTables

_ENOUGH = 4  # fewest reads for a result
_REPEATED = 3  # fewest jumps for a pattern
_BOTH = 0.25  # of irregular jumps: if places are random, at least so many go back, and ahead
_SEVERAL = 2  # patterns, each with more than a rest, that make a mixture
_AGAIN = 0.4  # of the bytes: if more are read again, the first reading counts as re-read, too


def read_patterns(tables: JobTables) -> list[AccessPattern]:
    """Determine the access pattern of a job's reads on each of its mounts.

    Args:
        tables: The tables of the job, from Repository.job_tables, with `accesses`.

    Returns:
        One entry per mount, the one with the most bytes first. All patterns are unknown if the
        profile does not record where reads begin.
    """
    found = [_pattern(series) for series in read_series(tables)]
    return sorted(found, key=lambda pattern: (-pattern.bytes, pattern.mount))


def _pattern(series: ReadSeries) -> AccessPattern:
    if not series.bytes.any():
        return untouched(series, "read")
    ways = _claimed(series)

    def phase(lo: int, hi: int) -> AccessPhase:
        return _phase(series, ways, slice(lo, hi))

    def name(lo: int, hi: int) -> str:
        return _name(series, ways, slice(lo, hi))[0]

    return pattern_of(series, Ways("read", READ_PATTERNS, ways, name, phase, _folded))


def _claimed(series: ReadSeries) -> Floats:
    """Return the bytes of each slice by pattern, shape (4, slices), in order of READ_PATTERNS."""
    ways = np.zeros((len(READ_PATTERNS), len(series.bytes)))
    budget = ClaimBudget(series.bytes, series.reads)
    wanted = np.stack((series.stride_bytes, series.jump_bytes, series.again_bytes))
    for place in np.flatnonzero((series.bytes > 0) | wanted.any(axis=0)).tolist():
        budget.put(place)
        for way in range(len(wanted)):
            for at, part in budget.take(float(wanted[way, place]))[0]:
                ways[1 + way, at] += part
    ways[0] = np.maximum(series.bytes - ways.sum(axis=0), 0)
    return ways


def _folded(shares: Mapping[str, float]) -> dict[str, float]:
    """Add the share of sequential reading to that of re-reading, if at least 40 % is re-read."""
    out = dict(shares)
    if SEQUENTIAL in out and out.get(RE_READ, 0.0) >= _AGAIN * sum(out.values()):
        out[RE_READ] += out.pop(SEQUENTIAL)
    return out


def _phase(series: ReadSeries, ways: Floats, span: slice) -> AccessPhase:
    moved, reads = float(series.bytes[span].sum()), float(series.reads[span].sum())
    name, why = _name(series, ways, span)
    parts = _parts(series, ways, span)
    chosen = next((part for part in parts if part.pattern == name), None)
    chunk = chosen.chunk_bytes if chosen else None
    return AccessPhase(
        pattern=name,
        start_ns=(series.first + span.start) * series.slice_ns,
        end_ns=(series.first + span.stop) * series.slice_ns,
        active_slices=int((series.bytes[span] > 0).sum()),
        bytes=int(moved),
        share=moved / float(series.bytes.sum()),
        calls=int(reads),
        chunk_bytes=chunk,
        calls_per_chunk=max(chunk * reads / moved, 1.0) if chunk and moved else None,
        gapped=0.0,
        scattered=False,
        parts=parts,
        period=period_of(series, span.start, span.stop),
        evidence=why,
    )


def _parts(series: ReadSeries, ways: Floats, span: slice) -> list[PatternShare]:
    amounts, (ahead, back, regular, again) = (
        ways[:, span].sum(axis=1),
        series.jumps[:, span].sum(axis=1),
    )
    calls = float(series.reads[span].sum())
    held = (
        0.0,
        *(
            float(each[span].sum())
            for each in (series.stride_bytes, series.jump_bytes, series.again_bytes)
        ),
    )
    parts = []
    for way, chunks, own, moved in zip(
        READ_PATTERNS, (0.0, regular, ahead + back, again), held, amounts.tolist(), strict=True
    ):
        if moved <= 0:
            continue
        if way == SEQUENTIAL:  # its calls are known only where all bytes are sequential
            all_of_it = moved >= MOST * amounts.sum()
            chunks, own = (calls, float(amounts.sum())) if all_of_it else (0.0, 0.0)
        parts.append(
            PatternShare(
                way,
                moved / float(amounts.sum()),
                int(moved),
                int(chunks),
                own / chunks if chunks else None,
            )
        )
    return sorted(parts, key=lambda part: -part.share)


def _name(series: ReadSeries, ways: Floats, span: slice) -> tuple[str, str]:
    """Return the pattern of a phase, and a sentence with the numbers that it was derived from."""
    amounts, (ahead, back, regular, again) = (
        ways[:, span].sum(axis=1),
        series.jumps[:, span].sum(axis=1),
    )
    moved, reads = float(amounts.sum()), int(series.reads[span].sum())
    shares = dict(zip(READ_PATTERNS, (amounts / moved).tolist(), strict=True))
    texts = ("in order", "after regular jumps", "after irregular jumps", "read again")
    said = ", ".join(
        f"{share:.0%} {text}"
        for share, text in zip(shares.values(), texts, strict=True)
        if share >= 0.005
    )
    figures = (
        f"{reads} reads, {ahead:.0f} irregular jumps ahead and {back:.0f} back, "
        f"{regular:.0f} regular, {again:.0f} returns; of the bytes {said}."
    )
    if not series.known:
        return UNKNOWN, "The profile does not say where reads begin."
    if reads < _ENOUGH:
        return UNKNOWN, f"Too little to decide: {figures}"
    folded = _folded(shares)
    many = {STRIDED: regular, RANDOM: ahead + back}
    doubts = {way: "Too few jumps" for way, count in many.items() if count < _REPEATED}
    if min(ahead, back) < _BOTH * (ahead + back):
        doubts.setdefault(RANDOM, "Jumps of many lengths in one direction")
    best, share = max(folded.items(), key=lambda item: item[1])
    if share >= MOST:
        return (UNKNOWN, f"{doubts[best]}: {figures}") if best in doubts else (best, figures)
    large = [way for way, part in folded.items() if part > 1 - MOST]
    if len(large) < _SEVERAL or doubts.keys() & large:
        return UNKNOWN, f"No way of reading stands out: {figures}"
    return MIXED, figures
