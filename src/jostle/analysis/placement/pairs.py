"""Finds pairs of runs of a program that best show why their messaging rates differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from jostle.analysis.placement.model import Floats
from jostle.analysis.placement.program_model import PairOfRuns, Run

_SAME = 0.95  # of the nodes: placements with so many in common are the same
_OTHER = 0.5  # of the neighbours' nodes: with fewer in common the neighbours are others
_SURROUNDED = 0.5  # of the greatest number of conflicting routers of a run


def informative_pairs(
    runs: Sequence[Run], hosts_of: Mapping[str, Sequence[str]]
) -> list[PairOfRuns]:
    """Return the pairs of runs that best show what makes runs differ, each pair once.

    Args:
        runs: Runs of one program.
        hosts_of: Nodes of each job that ran concurrently with one of the runs, by name of the job.
    """
    rated = [run for run in runs if run.rate]
    if len(rated) < 2:
        return []
    own = [set(run.hosts) for run in rated]
    alongside = [
        {
            host
            for each in run.company.meetings
            if each.conflicting
            for host in hosts_of.get(each.job, ())
        }
        for run in rated
    ]
    nodes, neighbours = _overlaps(own), _overlaps(alongside)
    rates = np.array([run.rate or 0.0 for run in rated])
    ratio = np.maximum.outer(rates, rates) / np.minimum.outer(rates, rates) - 1
    pairs: dict[tuple[int, int], PairOfRuns] = {}

    def add(why: str, worth: Floats) -> None:
        """Add the pair of runs with the greatest worth, unless all are negative.

        Args:
            why: Why the pair is informative.
            worth: How informative each pair is, shape (runs, runs).
        """
        worth = np.where(np.triu(np.ones_like(worth), 1) > 0, worth, -1.0)
        a, b = (int(each) for each in np.unravel_index(int(worth.argmax()), worth.shape))
        if worth[a, b] < 0 or (a, b) in pairs:
            return
        slow, fast = (a, b) if rates[a] <= rates[b] else (b, a)
        pairs[a, b] = PairOfRuns(
            why,
            rated[slow].job,
            rated[fast].job,
            float(nodes[a, b]),
            float(neighbours[a, b]) if alongside[a] or alongside[b] else None,
            float(ratio[a, b]),
        )

    add("best and worst", ratio)
    filled = np.array([bool(each) for each in alongside])
    both, either = np.logical_and.outer(filled, filled), np.logical_or.outer(filled, filled)
    add(
        "most alike",
        np.where(both & (nodes >= _SAME) & (neighbours >= _OTHER), nodes * neighbours, -1.0),
    )
    add(
        "same nodes, other neighbours",
        np.where((nodes >= _SAME) & (neighbours < _OTHER) & either, ratio, -1.0),
    )
    add("same box, both surrounded", np.where(_same_box(rated), ratio, -1.0))
    return list(pairs.values())


def _overlaps(sets: Sequence[set[str]]) -> Floats:
    """Return the share of the larger set that each two sets have in common, shape (sets, sets)."""
    from scipy.sparse import csr_array

    names = {name: place for place, name in enumerate(sorted(set().union(*sets)))}
    sizes = np.array([len(each) for each in sets])
    rows = np.repeat(np.arange(len(sets)), sizes)
    columns = np.array([names[name] for each in sets for name in each], np.int64)
    member = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(sets), len(names) or 1))
    common = (member @ member.T).toarray()
    shared: Floats = common / np.maximum(np.maximum.outer(sizes, sizes), 1)
    return shared


def _same_box(runs: Sequence[Run]) -> Floats:
    """Return for each two runs whether their boxes are equal in size and both are surrounded.

    A run is surrounded if it has many conflicting routers.
    """
    most = max(run.company.conflicting_routers for run in runs)
    boxes: dict[tuple[int, ...], int] = {}
    number = []
    for run in runs:
        many = most > 0 and run.company.conflicting_routers >= _SURROUNDED * most
        box = run.shape.box
        number.append(boxes.setdefault(box.lengths, len(boxes)) if box and many else -1)
    of = np.array(number)
    same: Floats = (of[:, None] == of[None, :]) & (of >= 0)[:, None]
    return same
