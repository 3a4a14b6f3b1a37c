"""Shows access patterns as text: `write-seek, 1 MiB chunks, bursts every 24 s (on 12 s)`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jostle.report.format.values import byte_count, duration, percent

if TYPE_CHECKING:
    from jostle.analysis import AccessPattern, AccessPhase, JobDigest

_CHUNKS = {
    "open-write-close": "files of {}",
    "write-seek": "{} chunks",
    "aggregate-write": "{} writes",
    "sequential": "{} reads",
    "strided": "{} chunks",
    "random": "{} chunks",
    "re-read": "{} at a time",
}
_MORE = 4  # phases that are listed one by one


def patterns_view(patterns: list[AccessPattern], digest: JobDigest) -> Iterator[str]:
    """Yield a line per mount, and one per phase where they differ."""
    paths = {mount.mount: mount.paths[0] for mount in digest.mounts if mount.paths}
    names = [paths.get(pattern.mount) or pattern.mount for pattern in patterns]
    twice = Counter(names)
    for name, pattern in zip(names, patterns, strict=True):
        phases = [phase for phase in pattern.phases if phase.bytes]
        shown = f"{name} ({pattern.mount})" if twice[name] > 1 else name
        if len(phases) == 1:
            yield f"  {shown}: {phase_text(phases[0])}"
            continue
        yield f"  {shown}: {pattern_text(pattern)}"
        for phase in phases[:_MORE]:
            after = phase.start_ns - digest.start_ns
            yield (
                f"    from {duration(after)} for {duration(phase.end_ns - phase.start_ns)}, "
                f"{percent(phase.share)} of the bytes: {phase_text(phase)}"
            )
        if len(phases) > _MORE:
            yield f"    and {len(phases) - _MORE} more phases"


def pattern_text(pattern: AccessPattern) -> str:
    """Return a line of text on the access pattern of a job on a mount."""
    phases = [phase for phase in pattern.phases if phase.pattern == pattern.pattern]
    if not phases:
        return f"{pattern.pattern}, {len(pattern.phases)} phases"
    return phase_text(max(phases, key=lambda phase: phase.bytes))


def phase_text(phase: AccessPhase) -> str:
    """Return a line of text on the access pattern of one phase."""
    words = [phase.pattern]
    if phase.chunk_bytes:
        words.append(_CHUNKS[phase.pattern].format(byte_count(phase.chunk_bytes)))
    if phase.pattern == "mixed":
        words = ["mixed: " + " + ".join(f"{percent(p.share)} {p.pattern}" for p in phase.parts)]
    if phase.pattern == "unknown":
        words = [f"unknown ({phase.evidence.split(':')[0].rstrip('.').lower()})"]
    if phase.gapped > 0.5 and not phase.scattered:
        words.append("with gaps")
    if phase.period:
        every, on = phase.period.seconds * 1e9, phase.period.on_seconds * 1e9
        words.append(f"bursts every {duration(every)} (on {duration(on)})")
    return ", ".join(words)
