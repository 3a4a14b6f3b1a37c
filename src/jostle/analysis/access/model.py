"""Result types of the analysis of access patterns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from jostle.analysis.access.bursts import Period

#: Names of patterns (Shah, 2020, section 3.2.1), and names for where none of them fits.
OPEN_WRITE_CLOSE = "open-write-close"
WRITE_SEEK = "write-seek"
AGGREGATE_WRITE = "aggregate-write"
MIXED = "mixed"
NONE = "none"
UNKNOWN = "unknown"
PATTERNS = (OPEN_WRITE_CLOSE, WRITE_SEEK, AGGREGATE_WRITE)
#: The same of reads.
SEQUENTIAL = "sequential"
STRIDED = "strided"
RANDOM = "random"
RE_READ = "re-read"
READ_PATTERNS = (SEQUENTIAL, STRIDED, RANDOM, RE_READ)


@dataclass(frozen=True)
class PatternShare:
    """One access pattern within a phase, with its share of the bytes.

    Attributes:
        pattern: One of PATTERNS, or of READ_PATTERNS.
        share: Share of the phase's bytes that were written (read) by this pattern, 0 to 1.
        bytes: Number of these bytes.
        chunks: Files closed, steps back, or write calls; jumps, returns, or read calls; 0 when they
            cannot be distinguished.
        chunk_bytes: Bytes per chunk: mean size of a file, mean of what was written between two
            steps back, mean of what was read in order after a jump or return, mean size of a call;
            None when it is not known.
    """

    pattern: str
    share: float
    bytes: int
    chunks: int
    chunk_bytes: float | None


@dataclass(frozen=True)
class AccessPhase:
    """A stretch of time in which a job wrote to a mount, or read from it, in one way.

    Attributes:
        pattern: One of PATTERNS (of reads: READ_PATTERNS), mixed, none or unknown.
        start_ns: Start of its first slice, ns since the epoch; in a digest, not before the job's
            start.
        end_ns: End of its last slice; in a digest, not after the job's end.
        active_slices: Number of its slices in which anything was written (read).
        bytes: Bytes written (read).
        share: Share of the bytes that the job wrote to the mount (read from it), 0 to 1.
        calls: Write (read) calls.
        chunk_bytes: Chunk size of the part that gave the pattern its name; None for mixed, none and
            unknown.
        calls_per_chunk: Number of calls that wrote (read) a chunk; None for the same patterns.
        gapped: Share of the writes that left a gap behind the one before, 0 to 1; 0 of reads.
        scattered: Steps back and gaps of writes alternate: a file is written all over, or grows
            while its header is fixed; which of the two is not known. False of reads.
        parts: The access patterns found in the phase, the largest first.
        period: Period of the bursts; None where they do not recur, or are too few to decide.
        evidence: A sentence: the figures that the name rests on.
    """

    pattern: str
    start_ns: int
    end_ns: int
    active_slices: int
    bytes: int
    share: float
    calls: int
    chunk_bytes: float | None
    calls_per_chunk: float | None
    gapped: float
    scattered: bool
    parts: list[PatternShare]
    period: Period | None
    evidence: str


@dataclass(frozen=True)
class AccessPattern:
    """How a job wrote to one mount, or read from it.

    Attributes:
        mount: Identity of the shared resource.
        pattern: The pattern of the phases that hold nine tenths of the bytes, those of unknown
            phases (a fifth at most) left out; mixed where named phases differ, none without writes
            (reads). Re-read also includes the first, sequential reading.
        chunk_bytes: The chunk of the heaviest of these phases; None when it has none.
        period: Period of the bursts in that phase; None where it has none.
        bytes: Bytes written (read).
        followed: The runtime followed where calls begin (writes: 0.3 and later; reads: 0.5).
        phases: All phases in order of time, the silent ones between them too.
    """

    mount: str
    pattern: str
    chunk_bytes: float | None
    period: Period | None
    bytes: int
    followed: bool
    phases: list[AccessPhase]

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        return asdict(self)
