"""Decides which files a compaction merges, to keep both files and rewritten bytes few.

Pure functions on the log's facts about files; decision 0051 has the reasons and numbers.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence

from jostle.repository.store.file_days import File
from jostle.repository.store.layout import DAY_NS, TABLES

#: Full size: files of this size are never merged again.
WHOLE_BYTES = 64 << 20
#: Number of files of a tier of one partition that are merged into one file of the next tier.
FAN = 32
_LOWEST_BYTES = 256 << 10
#: A partition is complete once there are slices newer by this time: most late data has arrived.
LATE_NS = 900_000_000_000
# Small files wait for more of their size while other files have this many times their bytes.
_WORTH = 4


def small_files(files: Iterable[File]) -> list[list[File]]:
    """Return, for each partition with several files below full size, these files, oldest first.

    Files of processes that are not settled are left out: settle.py merges all of them together.

    Args:
        files: Files of any tables.
    """
    folders = defaultdict(list)
    for file in files:
        if file.bytes < WHOLE_BYTES and (file.hi or file.table != "processes"):
            folders[os.path.dirname(file.path)].append(file)
    return [sorted(members, key=_age) for members in folders.values() if len(members) > 1]


def due(members: Sequence[File], newest_ns: int) -> list[list[File]]:
    """Return the groups of a partition's small files that are worth merging now.

    While a partition grows, FAN files of one tier (files of about the same size) are merged. Once
    it is complete, all its files below full size are merged.

    Args:
        members: The small files of one partition, the oldest first.
        newest_ns: End of the newest slice of the repository.
    """
    width, at = TABLES[members[0].table].partition_ns, members[0].lo
    if not width and members[0].hi:  # settled processes, by the day of their end
        width, at = DAY_NS, members[0].hi - 1
    if width and (at // width + 1) * width + LATE_NS <= newest_ns:
        group = _worth(members)
        return [group] if len(group) > 1 else []
    tiers = defaultdict(list)
    for file in members:
        tiers[_tier(file.bytes)].append(file)
    return [tier for tier in tiers.values() if len(tier) >= FAN]


def _age(file: File) -> tuple[int, int, str]:
    return file.lo, file.hi, file.path


def _tier(size: int) -> int:
    tier, limit = 0, _LOWEST_BYTES
    while size >= limit:
        tier, limit = tier + 1, limit * FAN
    return tier


def _worth(members: Sequence[File]) -> list[File]:
    """Leave out the largest files while the others have few bytes compared with them."""
    by_size = sorted(members, key=lambda file: file.bytes)
    rest = sum(file.bytes for file in by_size)
    while by_size:
        rest -= by_size[-1].bytes
        if by_size[-1].bytes <= _WORTH * rest:
            break
        by_size.pop()
    return sorted(by_size, key=_age)


def portions(group: Sequence[File]) -> list[list[File]]:
    """Divide a group into portions, each of them few enough files to have all open at once."""
    count = -(-len(group) // (2 * FAN))
    size = -(-len(group) // count)
    return [list(group[at : at + size]) for at in range(0, len(group), size)]
