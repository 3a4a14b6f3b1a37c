"""Finds spans of a run in which one rank, or one node, was late repeatedly.

The rank that spends the least time in communication arrived last. All others waited for it, at
least for the difference between its time and the second-least time. Some rank is always last. So
the test is whether one rank is last more often, and by more, than equal ranks would be. It is a
permutation test (Good, "Permutation, Parametric and Bootstrap Tests of Hypotheses", 2005, section
3.2): the maximum over all ranks and spans is compared with the maxima that result if the last place
in each block of slices is assigned at random. Comparing maxima corrects for the number of ranks and
spans.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle.analysis.waits.grid import Grid
from jostle.values.arrow_columns import Floats, Ints

#: Slices of a block: the cause of lateness may be the same in neighbouring slices.
_BLOCK = 2
_MOST_BLOCKS = 400
_DRAWS = 3999
#: Most labels in the draws: with fewer labels the maximum by chance is higher.
_MOST_LABELS = 16
#: Part of the usual lateness of a span: slices below it do not belong to the span.
_PART = 0.25


@dataclass(frozen=True)
class LatePlaces:
    """The rank or node that was last in each block of slices, and by how much.

    Attributes:
        last: Number of the rank or node that was last; -1: not known, (blocks,).
        gap: Seconds for which all others waited for it, (blocks,).
        labels: Number of ranks or nodes that could have been last.
    """

    last: Ints
    gap: Floats
    labels: int


@dataclass(frozen=True)
class LateSpan:
    """A span in which one rank or node was late.

    Attributes:
        label: Number of the rank or node.
        first: First block of the span.
        last: Last block of the span.
        p: Probability of such a span if all ranks or nodes are equal.
    """

    label: int
    first: int
    last: int
    p: float


def block_length(slices: int) -> int:
    """Return how many slices form a block, for a run of so many slices."""
    return max(_BLOCK, -(-slices // _MOST_BLOCKS))


def places(waiting: Floats, node: Ints | None = None) -> LatePlaces:
    """Return the rank or node that was last in each block of slices.

    Args:
        waiting: Time in communication, s, NaN where a rank was absent, (slices, ranks).
        node: Number of each rank's node. If it is given, nodes are compared, each by its latest
            rank. None: ranks are compared.
    """
    length = block_length(len(waiting))
    begins = np.arange(0, len(waiting), length)
    whole = np.add.reduceat(waiting, begins, axis=0) if len(waiting) else waiting
    if node is not None:
        whole = by_node(whole, node)
    return places_of(whole)


def places_of(whole: Floats) -> LatePlaces:
    """Return the rank or node that was last in each block of slices.

    All others wait in communication for the last one, so the last one is the one with the least
    time in communication.

    Args:
        whole: Time in communication of each rank or node, (blocks, ranks or nodes).
    """
    known = np.isfinite(whole)
    filled = np.where(known, whole, np.inf)
    labels = filled.shape[1]
    if labels < 2 or not len(filled):
        return LatePlaces(np.full(len(filled), -1), np.zeros(len(filled)), labels)
    last = filled.argmin(axis=1)
    two = np.partition(filled, 1, axis=1)[:, :2]
    some = known.sum(axis=1) >= 2
    gap = np.zeros(len(filled))
    gap[some] = two[some, 1] - two[some, 0]
    return LatePlaces(np.where(some, last, -1), gap, labels)


def by_node(waiting: Floats, node: Ints) -> Floats:
    """Return the least time of the ranks of each node, (slices, nodes).

    NaN where all ranks of the node were absent.

    Args:
        waiting: Time in communication, s, NaN where a rank was absent, (slices, ranks).
        node: Number of each rank's node.
    """
    filled = np.where(np.isfinite(waiting), waiting, np.inf)
    least = np.stack(
        [filled[:, node == number].min(axis=1) for number in range(int(node.max()) + 1)], axis=1
    )
    result: Floats = np.where(np.isfinite(least), least, np.nan)
    return result


def enough(found: LatePlaces, alpha: float) -> bool:
    """Return whether there are enough blocks for a p value below `alpha`."""
    blocks = int((found.last >= 0).sum())
    return blocks >= 2 and found.labels ** -(blocks - 1.0) < alpha / 2


def late_span(found: LatePlaces, seed: int, least_s: float) -> LateSpan | None:
    """Return the span in which one rank or node cost the others most time, with its p value.

    Args:
        found: The rank or node that was last in each block.
        seed: Seed of the random draws.
        least_s: Least time that a span must cost to be tested, in seconds.

    Returns:
        The span; None if no span cost so much time.
    """
    present = np.unique(found.last[found.last >= 0])
    if not len(present):
        return None
    signed = np.where(found.last[:, None] == present, found.gap[:, None], -found.gap[:, None])
    best, first, last = _best_span(signed)
    at = int(best.argmax())
    if best[at] < least_s:
        return None
    drawn = _drawn_maxima(found, seed)
    p = (1 + int((drawn >= best[at] * (1 - 1e-9)).sum())) / (1 + len(drawn))
    return LateSpan(int(present[at]), int(first[at]), int(last[at]), p)


def _best_span(signed: Floats) -> tuple[Floats, Ints, Ints]:
    """Return the largest sum over consecutive rows in each column.

    The sums are found by Kadane's algorithm (Bentley, 1984).

    Returns:
        The sums, and the first and the last row of each sum, (columns,).
    """
    columns = signed.shape[1]
    run, best = np.zeros(columns), np.zeros(columns)
    begin, first, last = (np.zeros(columns, dtype=np.int64) for _ in range(3))
    for at, row in enumerate(signed):
        fresh = run <= 0
        begin[fresh] = at
        run = np.where(fresh, row, run + row)
        better = run > best
        best[better], first[better], last[better] = run[better], begin[better], at
    return best, first, last


def _drawn_maxima(found: LatePlaces, seed: int) -> Floats:
    """Return the largest cost of a span in each draw, if the last place is assigned at random."""
    dice = np.random.default_rng(seed)
    gaps = found.gap[found.last >= 0]
    labels = min(found.labels, _MOST_LABELS)
    run = np.zeros((_DRAWS, labels), dtype=np.float32)
    best = np.zeros(_DRAWS, dtype=np.float32)
    rows = np.arange(_DRAWS)
    for gap in gaps.astype(np.float32):
        np.maximum(run, 0, out=run)
        run -= gap
        run[rows, dice.integers(0, labels, _DRAWS)] += 2 * gap
        np.maximum(best, run.max(axis=1), out=best)
    return best.astype(np.float64)


def lateness(waiting: Floats, late: Ints) -> Floats:
    """Return by how much given ranks were later than all others, s; negative: earlier, (slices,).

    Args:
        waiting: Time in communication, s, NaN where a rank was absent, (slices, ranks).
        late: Columns of the given ranks.
    """
    mine = np.zeros(waiting.shape[1], dtype=bool)
    mine[late] = True
    filled = np.where(np.isfinite(waiting), waiting, np.inf)
    others, own = filled[:, ~mine].min(axis=1), filled[:, mine].min(axis=1)
    known = np.isfinite(others) & np.isfinite(own)
    result = np.zeros(len(waiting))
    result[known] = others[known] - own[known]
    return result


def exact_span(late: Floats, first: int, last: int) -> tuple[int, int] | None:
    """Return the first and the last slice of a span of which only the blocks are known.

    The span contains the slices whose lateness is above a quarter of the usual lateness of the
    span, and pauses between them if these are shorter than the parts before and after.

    Args:
        late: Lateness in each slice, s, (slices,).
        first: First slice of the blocks.
        last: Last slice of the blocks.

    Returns:
        First and last slice; None if no slice is late.
    """
    around = slice(max(first - _BLOCK, 0), last + 1 + _BLOCK)
    inside = late[around].clip(0)
    if not inside.any():
        return None
    level = float((inside**2).sum() / inside.sum())
    best, begin, end = _best_span((late[around] - _PART * level)[:, None])
    if best[0] <= 0:
        return None
    return around.start + int(begin[0]), around.start + int(end[0])


def parts_of(late: Floats, span: tuple[int, int], window: int) -> list[tuple[int, int]]:
    """Divide a span at its pauses, in which the ranks were hardly late.

    Args:
        late: Lateness in each slice, s, (slices,).
        span: First and last slice of the span.
        window: Slices over which lateness is averaged; a pause is longer.

    Returns:
        First and last slice of each part.
    """
    inside = late[span[0] : span[1] + 1]
    positive = inside.clip(0)
    if not positive.any():
        return []
    level = float((positive**2).sum() / positive.sum())
    there = np.convolve(np.ones(len(inside)), np.ones(window), "same")
    mean = np.convolve(inside, np.ones(window), "same") / there
    slices = np.flatnonzero(mean > _PART * level)
    if not len(slices):
        return []
    ends = np.flatnonzero(np.diff(slices) > window)
    begins = [slices[0], *slices[ends + 1]]
    pairs = zip(begins, [*slices[ends], slices[-1]], strict=True)
    exact = [exact_span(late, span[0] + int(begin), span[0] + int(end)) for begin, end in pairs]
    return [each for each in exact if each is not None]


def late_ranks(grid: Grid, waiting: Floats, node: int, span: slice) -> Ints:
    """Return the columns of a node's ranks that were later than the ranks of all other nodes.

    If no rank was, return the latest rank of the node.

    Args:
        grid: Times of the ranks of the world.
        waiting: Time in communication, s, NaN where a rank was absent, (slices, ranks).
        node: Number of the node.
        span: Slices in which the node was late.
    """
    own = np.flatnonzero(grid.node == node)
    others = np.where(np.isfinite(waiting), waiting, np.inf)[span][:, grid.node != node].min(axis=1)
    known = np.isfinite(others)
    mean = np.array([np.nanmean(waiting[span][known][:, [at]]) for at in own])
    late = own[mean < others[known].mean()]
    return late if len(late) else own[[int(np.nanargmin(mean))]]
