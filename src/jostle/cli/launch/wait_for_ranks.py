"""Waits until the ranks of an MPI job have ended, according to the headers of their profiles."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jostle.reader import ProfileHeader

_POLL_S = 0.05
#: Ranks of other nodes may leave their profiles elsewhere, so the wait ends this long after the
#: last change in this folder.
_SETTLED_S = 1.0


def wait_for_ranks(folder: Path, job: str, most_s: float) -> bool:
    """Wait until all ranks of a job's newest world have ended.

    A world is the ranks of one MPI program (its MPI_COMM_WORLD); a job may run several in turn.

    Args:
        folder: The spool.
        job: The job's name.
        most_s: Longest wait, in seconds.

    Returns:
        Whether all of them have ended. False after `most_s`; also if fewer ranks than the world
        has are in this folder, all of these have ended, and nothing has changed for a second.
    """
    end = time.monotonic() + most_s
    before, changed = (-1, -1), time.monotonic()
    while True:
        ranks = _newest_world(_headers(folder, job))
        ended = sum(_has_ended(rank) for rank in ranks)
        if ranks and ended >= ranks[0].world_size:
            return True
        if (len(ranks), ended) != before:
            before, changed = (len(ranks), ended), time.monotonic()
        if ended == len(ranks) and ranks and time.monotonic() - changed > _SETTLED_S:
            return False
        if time.monotonic() >= end:
            return False
        time.sleep(_POLL_S)


def _headers(folder: Path, job: str) -> list[ProfileHeader]:
    from jostle.errors import JostleError
    from jostle.reader import ProfileHeader, read_header

    safe = re.sub(r"[^A-Za-z0-9_-]", "_", job)[:64]
    last: dict[tuple[int, int], ProfileHeader] = {}
    for path in folder.glob(f"{safe}.*.jst"):
        try:
            header = read_header(path)
        except (JostleError, OSError):
            continue  # it is being created, or was removed
        if not isinstance(header, ProfileHeader) or header.job != job:
            continue
        process = (header.pid, header.proc_start)  # a long process has several parts
        if process not in last or header.part > last[process].part:
            last[process] = header
    return list(last.values())


def _newest_world(headers: list[ProfileHeader]) -> list[ProfileHeader]:
    """Return the ranks of the world that started last; none without MPI."""
    ranks = [header for header in headers if header.world_size > 0]
    if not ranks:
        return []
    newest = max(ranks, key=lambda rank: rank.start_ns)
    return [r for r in ranks if (r.world, r.spawned) == (newest.world, newest.spawned)]


def _has_ended(rank: ProfileHeader) -> bool:
    return rank.end_ns > 0 or rank.alive is False
