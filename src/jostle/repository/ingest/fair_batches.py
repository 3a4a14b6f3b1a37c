"""Splits the work of an ingest into small batches that are fair between users."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from jostle.repository.ingest.spool import HeaderPeek

WORKERS = min((os.cpu_count() or 1) + 1, 8)  # one more than cores: they wait for the disk too
_BATCH_BYTES = 24 << 20
_LEAST_BATCH_BYTES = 4 << 20
_BATCH_FILES = 10_000
# Bytes of one user's files that are read in a pass: a few seconds of work.
_OWNER_BYTES = 96 << 20
_collecting = threading.Lock()
_thresholds: list[tuple[int, int, int]] = []  # one per running pass in this process


@contextlib.contextmanager
def rare_collections() -> Iterator[None]:
    """Let Python collect garbage rarely within a block.

    RATIONALE: a pass of ingest creates objects for each profile, which all live until its end.
    Garbage collections took a third of a pass over 20 000 profiles, and a larger share with more
    profiles.
    """
    with _collecting:
        _thresholds.append(_thresholds[0] if _thresholds else gc.get_threshold())
        gc.set_threshold(100_000, 20, 100)
    try:
        yield
    finally:
        with _collecting:  # the last one of concurrent passes restores the original thresholds
            before = _thresholds.pop()
            if not _thresholds:
                gc.set_threshold(*before)


def fair(
    items: Sequence[HeaderPeek], fresh: Callable[[HeaderPeek], int]
) -> tuple[list[HeaderPeek], list[HeaderPeek]]:
    """Sort files into the order in which they are ingested.

    Files of different users alternate, so that all users get equally many bytes ingested: a user
    with little data need not wait for users with much.

    Args:
        items: The files.
        fresh: Function that returns the approximate number of new bytes of a file.

    Returns:
        The files to ingest in this pass, and those that are left for later passes.
    """
    before: Counter[int] = Counter()
    turns: list[tuple[int, int]] = []
    for number, item in enumerate(items):
        turns.append((before[item.owner], number))
        before[item.owner] += fresh(item)
    turns.sort()
    now = [items[number] for at, number in turns if at < _OWNER_BYTES]
    return now, [items[number] for at, number in turns if at >= _OWNER_BYTES]


def batches(
    items: Sequence[HeaderPeek], fresh: Callable[[HeaderPeek], int]
) -> list[list[HeaderPeek]]:
    """Divide the work among the workers, in batches of limited size.

    Args:
        items: The files.
        fresh: Function that returns the approximate new bytes of a file.
    """
    sizes = [fresh(item) for item in items]
    share = sum(sizes) // (2 * WORKERS)
    limit = min(max(share, _LEAST_BATCH_BYTES), _BATCH_BYTES)
    result: list[list[HeaderPeek]] = []
    size = 0
    for item, more in zip(items, sizes, strict=True):
        if not result or size + more > limit or len(result[-1]) >= _BATCH_FILES:
            result.append([])
            size = 0
        result[-1].append(item)
        size += more
    return result
