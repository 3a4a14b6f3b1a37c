"""The loss that two loads cost each other if they share a file system evenly: two simple laws."""

from __future__ import annotations

import math

from jostle.analysis.access.model import AGGREGATE_WRITE, OPEN_WRITE_CLOSE, SEQUENTIAL
from jostle.analysis.kinds.model import METADATA, LoadKind

#: Bytes that clients of network file systems move with one request: what is larger takes several,
#: and what is written or read in order without a pause is put together to it.
_REQUEST = 128 << 10
#: Requests of a new file besides its data: to create it, to flush it, and to close it.
_OF_A_FILE = 3
#: What an operation on metadata weighs, bytes, as in the load of jobs (identification/resources).
_OPERATION = 4096


def by_process(victim: LoadKind, neighbour: LoadKind) -> float:
    """Return by how much a victim's run is longer if all processes get the same share.

    Each process that is inside a call has the same share of the resource (Kuo et al. 2013, section
    4.3, equation 1: (np + np') / np times as long). A process is inside calls for a part of its
    time only, and only that part is longer; so the law holds as printed where both do nothing else.

    Args:
        victim: Whose time it is.
        neighbour: Who runs at the same time, all the time.

    Returns:
        The time on top, as a part of the undisturbed run; at least 0.
    """
    if not (victim.uses_files and neighbour.uses_files):
        return 0.0
    asking = neighbour.processes * neighbour.in_calls * neighbour.duty
    return victim.in_calls * victim.duty * asking / max(victim.processes, 1)


def by_request(victim: LoadKind, neighbour: LoadKind) -> float:
    """Return by how much a victim's run is longer if all requests wait in one queue.

    Each request of the victim waits for one of each process of the neighbour: who moves few bytes
    with a request waits longer for the same work.

    Args:
        victim: Whose time it is.
        neighbour: Who runs at the same time, all the time.

    Returns:
        As by_process, of which it is a multiple.
    """
    return by_process(victim, neighbour) * request_bytes(neighbour) / request_bytes(victim)


def request_bytes(kind: LoadKind) -> float:
    """Return how many bytes a load moves with each of its requests, metadata included."""
    if kind.pattern == METADATA:
        return _OPERATION
    if kind.pattern in (AGGREGATE_WRITE, SEQUENTIAL) or not kind.chunk_bytes:
        return _REQUEST
    requests = math.ceil(kind.chunk_bytes / _REQUEST)
    if kind.pattern == OPEN_WRITE_CLOSE:
        requests += _OF_A_FILE
    return kind.chunk_bytes / requests


def loss_of(longer: float) -> float:
    """Return the percent of a run that are lost if it is longer by a part of itself."""
    return 100 * longer / (1 + longer)


def longer_by(loss: float) -> float:
    """Return the opposite of `loss_of`: what a loss in percent makes a run longer by."""
    part = min(max(loss / 100, 0.0), 0.99)
    return part / (1 - part)
