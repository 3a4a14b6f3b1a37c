"""Computes the loss of two loads that share a file system, by two laws of fair sharing."""

from __future__ import annotations

import math

from jostle.analysis.access.model import AGGREGATE_WRITE, OPEN_WRITE_CLOSE, SEQUENTIAL
from jostle.analysis.kinds.model import METADATA, LoadKind

#: Bytes that clients of network file systems move with one request: larger calls take several, and
#: small calls in order without a pause are merged.
_REQUEST = 128 << 10
#: Requests of a new file in addition to its data: to create it, to flush it, and to close it.
_OF_A_FILE = 3
#: Bytes that a metadata operation counts for, as in the load of jobs (identification/resources).
_OPERATION = 4096


def by_process(victim: LoadKind, neighbour: LoadKind) -> float:
    """Return by how much a victim's run becomes longer if all processes get the same share.

    Each process that is inside a call is assumed to get the same share of the file system. If both
    loads were always inside calls, with n processes of the victim and m of the neighbour, the run
    would be (n + m) / n times as long (Kuo et al., 2013, section 4.3, equation 1). Loads are inside
    calls for a part of their time only, and only this part becomes longer.

    Args:
        victim: Kind of the load that is slowed.
        neighbour: Kind of the load that runs at the same time, all the time.

    Returns:
        The additional time, as a part of the undisturbed run; at least 0.
    """
    if not (victim.uses_files and neighbour.uses_files):
        return 0.0
    asking = neighbour.processes * neighbour.in_calls * neighbour.duty
    return victim.in_calls * victim.duty * asking / max(victim.processes, 1)


def by_request(victim: LoadKind, neighbour: LoadKind) -> float:
    """Return by how much a victim's run becomes longer if all requests wait in one queue.

    Each request of the victim waits for one request of each process of the neighbour. So a victim
    that moves few bytes per request waits more often for the same work.

    Args:
        victim: Kind of the load that is slowed.
        neighbour: Kind of the load that runs at the same time, all the time.

    Returns:
        The additional time, as a part of the undisturbed run: the result of `by_process` times the
        ratio of the neighbour's to the victim's bytes per request.
    """
    return by_process(victim, neighbour) * request_bytes(neighbour) / request_bytes(victim)


def request_bytes(kind: LoadKind) -> float:
    """Return how many bytes a load moves per request; requests for metadata count, too."""
    if kind.pattern == METADATA:
        return _OPERATION
    if kind.pattern in (AGGREGATE_WRITE, SEQUENTIAL) or not kind.chunk_bytes:
        return _REQUEST
    requests = math.ceil(kind.chunk_bytes / _REQUEST)
    if kind.pattern == OPEN_WRITE_CLOSE:
        requests += _OF_A_FILE
    return kind.chunk_bytes / requests


def loss_of(longer: float) -> float:
    """Return the loss in percent of the run time, from the additional time of a run.

    Args:
        longer: Additional time, as a part of the undisturbed run.
    """
    return 100 * longer / (1 + longer)


def longer_by(loss: float) -> float:
    """Return the additional time, as a part of the undisturbed run: the inverse of `loss_of`."""
    part = min(max(loss / 100, 0.0), 0.99)
    return part / (1 - part)
