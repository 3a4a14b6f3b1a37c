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
        chunks: Number of chunks; 0 when it is not known. A chunk is a closed file
            (open-write-close), what was written between two steps back (write-seek), what one call
            moved (aggregate-write, sequential), or what was read in order after a jump (strided,
            random) or after a return (re-read).
        chunk_bytes: Mean bytes per chunk; None when it is not known.
    """

    pattern: str
    share: float
    bytes: int
    chunks: int
    chunk_bytes: float | None


@dataclass(frozen=True)
class AccessPhase:
    """A stretch of time in which a job wrote to a mount, or read from it, by one pattern.

    Attributes:
        pattern: One of PATTERNS (for reads: of READ_PATTERNS), mixed, none or unknown.
        start_ns: Start of its first slice, ns since the epoch; in a digest, not before the job's
            start.
        end_ns: End of its last slice; in a digest, not after the job's end.
        active_slices: Number of its slices in which anything was written (read).
        bytes: Bytes written (read).
        share: Share of the bytes that the job wrote to the mount (read from it), 0 to 1.
        calls: Number of write (read) calls.
        chunk_bytes: Mean bytes per chunk of `pattern` (see PatternShare); None if it is mixed, none
            or unknown.
        calls_per_chunk: Mean number of calls that wrote (read) a chunk; None for the same patterns.
        gapped: Share of the writes that began beyond the end of the previous write to the file, 0
            to 1; 0 for reads.
        scattered: Whether steps back and gaps between writes alternate. Then it is not known
            whether the file is written all over, or grows while its header is updated. False for
            reads.
        parts: The access patterns found in the phase, the one with the most bytes first.
        period: Period of the bursts; None where they do not recur, or are too few to decide.
        evidence: A sentence with the numbers from which `pattern` was derived.
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
        mount: Identity of the mount.
        pattern: The pattern of the phases that hold four fifths of all bytes, and nine tenths of
            the bytes in phases with a known pattern. Without such a pattern: mixed where phases
            with known patterns differ, else unknown. Without writes (reads): "none". If much is
            read again, the first, sequential reading counts as re-read, too.
        chunk_bytes: Mean bytes per chunk in the phase of this pattern with the most bytes; None
            where that is not known.
        period: Period of the bursts in the same phase; None where they are not periodic.
        bytes: Bytes written (read).
        followed: Whether the runtime recorded where calls begin: for writes since version 0.3, for
            reads since 0.5.
        phases: All phases in order of time, including the silent ones between the others.
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
