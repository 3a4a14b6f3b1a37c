"""Result types of the analysis of access patterns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from jostle.analysis.access.bursts import Period

#: Names of patterns (thesis 3.2.1), and what is said where none of them fits.
OPEN_WRITE_CLOSE = "open-write-close"
WRITE_SEEK = "write-seek"
AGGREGATE_WRITE = "aggregate-write"
MIXED = "mixed"
NONE = "none"
UNKNOWN = "unknown"
PATTERNS = (OPEN_WRITE_CLOSE, WRITE_SEEK, AGGREGATE_WRITE)


@dataclass(frozen=True)
class PatternShare:
    """One way of writing within a phase.

    Attributes:
        pattern: open-write-close, write-seek or aggregate-write.
        share: Share of the phase's bytes that were written so, 0 to 1.
        bytes: These bytes.
        chunks: Files closed, steps back, or write calls; 0 when they cannot be told apart.
        chunk_bytes: Bytes per chunk: mean size of a file, mean of what was written between two
            steps back, mean size of a call; None when it is not known.
    """

    pattern: str
    share: float
    bytes: int
    chunks: int
    chunk_bytes: float | None


@dataclass(frozen=True)
class WritePhase:
    """A stretch of time in which a job wrote to a mount in one way.

    Attributes:
        pattern: open-write-close, write-seek, aggregate-write, mixed, none or unknown.
        start_ns: Start of its first slice, ns since the epoch; in a digest not before the job's.
        end_ns: End of its last; in a digest not after the job's.
        active_slices: Slices of it in which anything was written.
        bytes: Bytes written.
        share: Share of the bytes that the job wrote to the mount, 0 to 1.
        writes: Write calls.
        chunk_bytes: As in the part that made the pattern; None for mixed, none and unknown.
        writes_per_chunk: Calls that a chunk was written by; None likewise.
        strided: Share of the writes that left a gap behind the one before, 0 to 1.
        scattered: Steps back and gaps alternate: a file is written all over, or grows while its
            header is mended; which of them cannot be told.
        parts: The ways of writing found, the largest first.
        period: When bursts come back; None when they do not, or too few to say.
        evidence: A sentence: the figures that the name rests on.
    """

    pattern: str
    start_ns: int
    end_ns: int
    active_slices: int
    bytes: int
    share: float
    writes: int
    chunk_bytes: float | None
    writes_per_chunk: float | None
    strided: float
    scattered: bool
    parts: list[PatternShare]
    period: Period | None
    evidence: str


@dataclass(frozen=True)
class WritePattern:
    """How a job wrote to one mount.

    Attributes:
        mount: Identity of the shared resource.
        pattern: The pattern of the phases that hold nine tenths of the bytes, those of unknown
            phases (a fifth at most) left out; mixed where named phases differ, none without writes.
        chunk_bytes: The chunk of the heaviest of these phases; None when it has none.
        period: Its period; None likewise.
        bytes: Bytes written.
        followed: The runtime followed where writes begin (0.3 and later).
        phases: All phases in order of time, the silent ones between them too.
    """

    mount: str
    pattern: str
    chunk_bytes: float | None
    period: Period | None
    bytes: int
    followed: bool
    phases: list[WritePhase]

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)
