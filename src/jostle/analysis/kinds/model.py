"""Defines the kind of a load: a job's access to a file system, whatever its program is called."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from jostle.analysis.access.model import MIXED, NONE, PATTERNS, READ_PATTERNS, UNKNOWN
from jostle.errors import UsageError

#: Names of what a job does most, in addition to the access patterns.
METADATA = "metadata"
MESSAGES = "messages"
COMPUTES = "computes"
WORDS = (*PATTERNS, *READ_PATTERNS, METADATA, MIXED, UNKNOWN, MESSAGES, COMPUTES)
_KIB = 1024
#: Largest factor between chunks of one kind: sizes are rounded to its powers.
_CHUNKS = 4
#: Shares of a run in calls at which the label changes. The steps are wide, since interference makes
#: calls longer and should not change the kind of a job.
_IN_PART, _RARELY, _HARDLY = 0.5, 0.1, 0.01
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)([KMG])iB", re.IGNORECASE)
_PROCESSES = re.compile(r"x([0-9]+)")
_SHARE = re.compile(r"([0-9]+(?:\.[0-9]+)?)%")


@dataclass(frozen=True)
class LoadKind:
    """A job's load on the shared mount where it spent most time, and on its nodes.

    Rates and shares of time on the mount are those of the slices in which the job used the mount.

    Attributes:
        pattern: Access pattern of the phases with most bytes: one of the access patterns,
            `metadata`, `mixed` or `unknown`. For a job that hardly used a shared mount: `messages`
            or `computes`.
        chunk_bytes: Bytes that the job moved at once; 0: unknown, or no data.
        processes: Number of processes that used the mount.
        bytes_per_s: Bytes that each process moved per second.
        metadata_per_s: Metadata operations of each process per second.
        in_data: Share of the processes' time inside calls that move or flush data, 0 to 1.
        in_metadata: Share of the processes' time inside calls on metadata, 0 to 1.
        duty: Share of the run in which the job used the mount, 0 to 1.
        period_s: Time from one burst to the next, s; None where bursts do not recur.
        shared_file: Whether most bytes were moved in files that several processes of the job used.
        messages_per_s: Number of MPI calls of each process per second of its life.
        in_messages: Share of the processes' life inside such calls, 0 to 1.
        cores: Mean number of cores that each process used.
        memory_bytes: Largest resident memory of a process.
        mount: Identity of the mount; "": none, or not known. Two kinds may differ in this alone.
    """

    pattern: str
    chunk_bytes: float = 0.0
    processes: int = 1
    bytes_per_s: float = 0.0
    metadata_per_s: float = 0.0
    in_data: float = 0.0
    in_metadata: float = 0.0
    duty: float = 1.0
    period_s: float | None = None
    shared_file: bool = False
    messages_per_s: float = 0.0
    in_messages: float = 0.0
    cores: float = 0.0
    memory_bytes: float = 0.0
    mount: str = ""

    @property
    def in_calls(self) -> float:
        """Share of the processes' time inside calls while the job uses the mount, 0 to 1."""
        return min(self.in_data + self.in_metadata, 1.0)

    @property
    def uses_files(self) -> bool:
        """Whether the job uses a shared mount enough to be slowed on it."""
        return self.pattern not in (MESSAGES, COMPUTES, NONE)

    @property
    def label(self) -> str:
        """The kind as a text; jobs with the same label are of one kind."""
        parts = [self.pattern]
        if self.chunk_bytes and self.uses_files:
            parts.append(_rounded_size(self.chunk_bytes))
        parts.append(f"x{2 ** round(math.log2(max(self.processes, 1)))}")
        if self.shared_file:
            parts.append("one file")
        share = self.in_calls * self.duty
        if self.uses_files and share < _IN_PART:
            parts.append("in part" if share >= _RARELY else "rarely")
        return " ".join(parts)


def hardly_used(in_calls: float, duty: float) -> bool:
    """Return whether a job spends too little of its run in calls on a mount to be named by them.

    Args:
        in_calls: Share of the time inside calls while the job uses the mount.
        duty: Share of the run in which the job uses the mount.
    """
    return in_calls * duty < _HARDLY


def _rounded_size(size: float) -> str:
    power = round(math.log(max(size, _KIB) / _KIB, _CHUNKS))
    rounded = _KIB * _CHUNKS**power
    for unit, name in ((_KIB**3, "GiB"), (_KIB**2, "MiB"), (_KIB, "KiB")):
        if rounded >= unit:
            return f"{rounded // unit}{name}"
    return f"{rounded}B"


def is_kind(text: str) -> bool:
    """Return whether a text names a kind of load, not a program or a job."""
    return text.split(":")[0] in WORDS


def parse_kind(text: str) -> LoadKind:
    """Parse the text of a kind of load, such as `aggregate-write:1MiB:x4:30%`.

    Args:
        text: An access pattern, followed by further parts in any order: the chunk size; `x` and
            the number of processes (default 1); the share of the run spent in calls (default
            100 %); `one-file` if several processes use one file.

    Raises:
        UsageError: A part of the text is not recognised.
    """
    pattern, *parts = text.split(":")
    chunk, processes, share, shared = 0.0, 1, 1.0, False
    for part in parts:
        if found := _SIZE.fullmatch(part):
            chunk = float(found[1]) * _KIB ** ("KMG".index(found[2].upper()) + 1)
        elif found := _PROCESSES.fullmatch(part):
            processes = max(int(found[1]), 1)
        elif found := _SHARE.fullmatch(part):
            share = min(float(found[1]) / 100, 1.0)
        elif part == "one-file":
            shared = True
        else:
            raise UsageError(
                f"`{part}` in `{text}` is no part of a kind.",
                hint="Parts of a kind: PATTERN, a chunk (1MiB), xPROCESSES, the share of the run "
                "spent in calls (30%), one-file.",
            )
    if pattern not in WORDS:
        raise UsageError(
            f"`{pattern}` is not an access pattern.", hint=f"Patterns: {', '.join(WORDS)}."
        )
    is_metadata = pattern == METADATA
    files = pattern not in (MESSAGES, COMPUTES)
    return LoadKind(
        pattern,
        chunk_bytes=chunk,
        processes=processes,
        in_data=share if files and not is_metadata else 0.0,
        in_metadata=share if is_metadata else 0.0,
        in_messages=share if pattern == MESSAGES else 0.0,
        shared_file=shared,
    )
