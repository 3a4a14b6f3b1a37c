"""Expands collective operations into messages between ranks, by stated algorithms: a model.

The messages of a collective are decided inside the MPI library and cannot be recorded. All
numbers that come from here are labelled *modelled*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Pairs of hosts of one operation; of larger groups each host gets some partners instead of all.
MOST_PAIRS = 1 << 19


@dataclass(frozen=True, eq=False)
class Messages:
    """Messages of one call.

    Attributes:
        sources: Sending rank of each pair, as an index in the communicator.
        targets: Receiving rank of each pair; no pair appears twice.
        bytes: Bytes of each pair in one call.
        messages: Number of messages of each pair.
    """

    sources: Ints
    targets: Ints
    bytes: Floats
    messages: Floats


@dataclass(frozen=True, eq=False)
class _Steps:
    """Messages of ranks in all steps of an operation; rank 0 is the root.

    A block is what the operation moves per rank, or the whole vector.
    """

    sources: Ints
    targets: Ints
    blocks: Floats
    messages: Floats


_Parts = list[tuple[Ints, Ints, Floats]]


def _steps(parts: _Parts) -> _Steps:
    """Put steps together, of one message per pair."""
    if not parts:
        return _Steps(*(np.zeros(0, np.int64),) * 2, *(np.zeros(0),) * 2)
    source, target, blocks = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return _Steps(source, target, blocks, np.ones(len(source)))


def _ring(ranks: int) -> _Steps:
    """Send a block to the successor, ranks - 1 times."""
    source = np.arange(ranks)
    number = np.full(ranks, ranks - 1.0)
    return _Steps(source, (source + 1) % ranks, number, number)


def _ring_twice(ranks: int) -> _Steps:
    """Reduce along the ring, then pass the result along it."""
    once = _ring(ranks)
    return _Steps(once.sources, once.targets, 2 * once.blocks, 2 * once.messages)


def _bruck_gather(ranks: int) -> _Steps:
    """Send the blocks held in step k, 2^k of them; in the last step the remaining ones."""
    source = np.arange(ranks)
    return _steps(
        [
            (source, (source - step) % ranks, np.full(ranks, float(min(step, ranks - step))))
            for step in _powers(ranks)
        ]
    )


def _bruck_exchange(ranks: int) -> _Steps:
    """Send in step k the blocks whose distance has bit k, 2^k ranks ahead."""
    source = np.arange(ranks)
    return _steps(
        [
            (source, (source + step) % ranks, np.full(ranks, float((source & step > 0).sum())))
            for step in _powers(ranks)
        ]
    )


def _recursive_doubling(ranks: int) -> _Steps:
    """Exchange the whole vector between ranks at distance 2^k in step k.

    The algorithm needs 2^n ranks. If there are more ranks than the largest power of two, each of
    the others sends its vector to a partner first, and gets the result from it at the end.
    """
    power = 1 << (ranks.bit_length() - 1)
    extra, source = np.arange(power, ranks), np.arange(power)
    ones = np.ones(len(extra))
    return _steps(
        [
            (extra, extra - power, ones),
            (extra - power, extra, ones),
            *((source, source ^ step, np.ones(power)) for step in _powers(power)),
        ]
    )


def _scan(ranks: int) -> _Steps:
    """Exchange the whole vector between ranks at distance 2^k in step k, where both exist."""
    parts: _Parts = []
    for step in _powers(ranks):
        source = np.arange(ranks)
        source = source[source ^ step < ranks]
        parts.append((source, source ^ step, np.ones(len(source))))
    return _steps(parts)


def _binomial(ranks: int) -> _Steps:
    """Send the whole vector along a binomial tree from the root: one message to each other rank."""
    target = np.arange(1, ranks)
    return _steps([(target & (target - 1), target, np.ones(len(target)))])


def _binomial_parts(ranks: int) -> _Steps:
    """Send along a binomial tree; a message has a block for each rank of the receiver's subtree."""
    target = np.arange(1, ranks)
    blocks = np.minimum(target & -target, ranks - target).astype(np.float64)
    return _steps([(target & (target - 1), target, blocks)])


def _back(steps: Callable[[int], _Steps]) -> Callable[[int], _Steps]:
    """Reverse the direction of the messages: from all to one."""

    def reversed_steps(ranks: int) -> _Steps:
        there = steps(ranks)
        return _Steps(there.targets, there.sources, there.blocks, there.messages)

    return reversed_steps


def _pairwise(ranks: int) -> _Steps:
    """Send one block to every other rank."""
    source = np.repeat(np.arange(ranks), ranks)
    target = np.tile(np.arange(ranks), ranks)
    apart = source != target
    return _steps([(source[apart], target[apart], np.ones(int(apart.sum())))])


def _powers(below: int) -> list[int]:
    """Return 1, 2, 4, ... below a number."""
    return [1 << k for k in range((below - 1).bit_length())]


def _one(_ranks: int) -> float:
    return 1.0


def _one_per_rank(ranks: int) -> float:
    return float(ranks)


def _scattered(ranks: int) -> float:
    """Return how many blocks a rank counts on average: the root one per rank, the others one."""
    return (2 * ranks - 1) / ranks


@dataclass(frozen=True)
class Algorithm:
    """The assumed algorithm of an operation.

    Attributes:
        operation: `Allreduce`, also for its non-blocking and persistent forms.
        name: Name of the algorithm.
        below: Largest number of bytes per rank (as the metrics count them) for which it is used.
            For more bytes, the operation's next entry in ALGORITHMS is used.
        steps: Function from the number of ranks to the messages, in blocks.
        counted: Function from the number of ranks to the mean blocks that a rank counts in one
            call.
    """

    operation: str
    name: str
    below: float
    steps: Callable[[int], _Steps]
    counted: Callable[[int], float] = _one


_ALWAYS = float("inf")
#: The algorithms, one or two per operation. Barriers move no bytes; the messages of neighbourhood
#: operations are recorded for each pair of ranks.
ALGORITHMS: tuple[Algorithm, ...] = (
    Algorithm("Bcast", "binomial", _ALWAYS, _binomial),
    Algorithm("Scatter", "binomial", _ALWAYS, _binomial_parts, _scattered),
    Algorithm("Scatterv", "binomial", _ALWAYS, _binomial_parts, _scattered),
    Algorithm("Reduce", "binomial", _ALWAYS, _back(_binomial)),
    Algorithm("Gather", "binomial", _ALWAYS, _back(_binomial_parts)),
    Algorithm("Gatherv", "binomial", _ALWAYS, _back(_binomial_parts)),
    Algorithm("Allreduce", "recursive doubling", 1 << 16, _recursive_doubling),
    Algorithm("Allreduce", "ring", _ALWAYS, _ring_twice, _one_per_rank),
    Algorithm("Allgather", "Bruck", 1 << 10, _bruck_gather),
    Algorithm("Allgather", "ring", _ALWAYS, _ring),
    Algorithm("Allgatherv", "ring", _ALWAYS, _ring),
    Algorithm("Alltoall", "Bruck", 1 << 12, _bruck_exchange, _one_per_rank),
    Algorithm("Alltoall", "pairwise", _ALWAYS, _pairwise, _one_per_rank),
    Algorithm("Alltoallv", "pairwise", _ALWAYS, _pairwise, _one_per_rank),
    Algorithm("Alltoallw", "pairwise", _ALWAYS, _pairwise, _one_per_rank),
    Algorithm("Reduce_scatter", "pairwise", _ALWAYS, _pairwise, _one_per_rank),
    Algorithm("Reduce_scatter_block", "pairwise", _ALWAYS, _pairwise, _one_per_rank),
    Algorithm("Scan", "recursive doubling", _ALWAYS, _scan),
    Algorithm("Exscan", "recursive doubling", _ALWAYS, _scan),
)
_BY_NAME: dict[str, list[Algorithm]] = {}
for _each in ALGORITHMS:
    _BY_NAME.setdefault(_each.operation.lower(), []).append(_each)


def algorithm_of(operation: str, bytes_per_rank: float) -> Algorithm | None:
    """Return the assumed algorithm of an operation; None: it moves no data, or is unknown.

    Args:
        operation: Name of the operation: `Allreduce`, `MPI_Iallreduce`, `Allreduce_init`, ...
        bytes_per_rank: Mean number of bytes that one rank counts in one call.
    """
    name = operation.lower().removeprefix("mpi_").removesuffix("_init")
    known = _BY_NAME.get(name) or _BY_NAME.get(name.removeprefix("i"), [])
    return next((each for each in known if bytes_per_rank <= each.below), None)


def messages(operation: str, ranks: int, root: int, bytes_per_rank: float) -> Messages:
    """Return the messages of one call of a collective operation.

    Args:
        operation: Name of the operation, as for `algorithm_of`.
        ranks: Size of the communicator.
        root: Index of the root in the communicator; -1: none.
        bytes_per_rank: Mean number of bytes that a rank counts in one call, over all ranks.
    """
    algorithm = algorithm_of(operation, bytes_per_rank)
    if algorithm is None or ranks < 2:
        return Messages(*(np.zeros(0, np.int64),) * 2, *(np.zeros(0),) * 2)
    steps, first = algorithm.steps(ranks), max(root, 0)
    key = (steps.sources + first) % ranks * ranks + (steps.targets + first) % ranks
    block = bytes_per_rank / algorithm.counted(ranks)
    return _added(key, ranks, steps.blocks * block, steps.messages)


def between_hosts(algorithm: Algorithm, hosts: Ints, root: int) -> Messages:
    """Return the messages between hosts in one call in which all ranks together count one byte.

    If each host sends to all others and this makes more than `MOST_PAIRS` pairs, some are left out:
    each host then has fewer partners, at even distances, and sends more to each of them.

    Args:
        algorithm: Algorithm of the operation.
        hosts: Number of each rank's host, from 0.
        root: Index of the root; -1: none.

    Returns:
        Messages with hosts as sources and targets; traffic within a host is left out.
    """
    ranks = len(hosts)
    if ranks < 2:
        return Messages(*(np.zeros(0, np.int64),) * 2, *(np.zeros(0),) * 2)
    block = 1 / (algorithm.counted(ranks) * ranks)
    if algorithm.steps is _pairwise:
        present, count = np.unique(hosts, return_counts=True)
        source, target, part = even(count)
        sent = count[source] * (ranks - count[source]) * part
        return Messages(present[source], present[target], sent * block, sent.astype(np.float64))
    steps, first, width = algorithm.steps(ranks), max(root, 0), int(hosts.max()) + 1
    begin, end = hosts[(steps.sources + first) % ranks], hosts[(steps.targets + first) % ranks]
    apart = begin != end
    return _added(
        (begin * width + end)[apart], width, steps.blocks[apart] * block, steps.messages[apart]
    )


def even(weights: Ints) -> tuple[Ints, Ints, Floats]:
    """Divide the traffic of each host among the others in proportion to the others' weights.

    With more than `MOST_PAIRS` pairs, each host has only some of the others as partners.

    Returns:
        Source and target of each pair, and its part of the source's traffic; the parts of a source
        add up to 1.
    """
    count = len(weights)
    if count < 2:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    partners = min(count - 1, max(1, MOST_PAIRS // count))
    distance = 1 + np.arange(partners) * (count - 1) // partners
    source = np.repeat(np.arange(count), partners)
    target = (source + np.tile(distance, count)) % count
    total = np.bincount(source, weights[target], count)
    return source, target, weights[target] / total[source]


def _added(key: Ints, width: int, moved: Floats, number: Floats) -> Messages:
    known, place = np.unique(key, return_inverse=True)
    sums = (np.bincount(place, column).astype(np.float64) for column in (moved, number))
    return Messages(known // width, known % width, *sums)
