"""Guesses groups of nodes from the latencies between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from jostle.topology.builder import Builder
from jostle.topology.layout import some
from jostle.topology.model import Ints, Topology

#: Least ratio of the latency between groups to that within groups; less counts as noise.
_LEAST_STEP = 1.2
#: Least share of the nodes that must be in groups of two or more.
_LEAST_GROUPED = 0.5
_MOST_LEVELS = 4


def guess(hosts: Sequence[str], latencies_ns: NDArray[np.float64], name: str) -> Topology:
    """Return the tree of switches that latencies suggest.

    Nodes are joined step by step, the nearest first, and groups by their nearest nodes (single
    linkage): other load only makes a latency longer, so that the shortest one between two groups
    is the most accurate. Where the next step is 20 % longer than the one before, the groups until
    then are assumed to be switches of one level.

    Args:
        hosts: Names of the nodes.
        latencies_ns: Shape (nodes, nodes), symmetric, positive off the diagonal; at least two
            nodes.
        name: Name of the fabric.
    """
    order = np.argsort(np.array(hosts), kind="stable")
    names = [hosts[k] for k in order]
    logs = np.log(latencies_ns[np.ix_(order, order)])
    alongside = ~np.eye(len(names), dtype=bool)
    distances = np.where(alongside, logs - logs[alongside].min(), 0.0)
    tree = linkage(squareform(distances, checks=False), "single")
    cuts = _cuts(tree[:, 2])
    levels = [_in_order(fcluster(tree, cut, "distance")) for cut in cuts]
    levels = [groups for groups in levels if _is_grouped(groups)]
    notes = [
        "Groups are a guess from latencies: nodes of one group answer each other sooner. "
        "Switches, cables and rates are not known."
    ]
    if not levels:
        notes.append("The latencies show no groups, so all nodes are put on one switch.")
    for groups in levels[:1]:
        same = groups[:, None] == groups[None, :]
        inside = same & alongside
        near, far = (np.exp(np.median(logs[pairs])) / 1e3 for pairs in (inside, ~same))
        notes.append(f"{groups.max() + 1} groups: {near:.2f} µs within, {far:.2f} µs between.")
        alone = [names[k] for k in range(len(names)) if inside[k].sum() == 0]
        if alone:
            notes.append(f"{len(alone)} nodes are near no other: {some(alone)}.")
    return _tree(names, levels, name, notes)


def _cuts(heights: NDArray[np.float64]) -> list[float]:
    """Return a height between each two successive ones of which the second is much greater.

    The results ascend; at most `_MOST_LEVELS` are returned, at the widest gaps.
    """
    steps = np.diff(heights)
    wide = np.flatnonzero(steps >= np.log(_LEAST_STEP))
    widest = sorted(wide, key=lambda k: -steps[k])[:_MOST_LEVELS]
    return [float(heights[k] + steps[k] / 2) for k in sorted(widest)]


def _in_order(labels: NDArray[np.int32]) -> Ints:
    """Return groups numbered from 0 in the order of their first nodes."""
    number: dict[int, int] = {}
    return np.array([number.setdefault(label, len(number)) for label in labels.tolist()], np.int64)


def _is_grouped(groups: Ints) -> bool:
    """Return whether there are several groups of two nodes or more, and most nodes are in one."""
    count = np.bincount(groups)
    together = count[count > 1]
    return len(together) > 1 and together.sum() >= _LEAST_GROUPED * len(groups)


def _tree(
    names: Sequence[str], levels: Sequence[Ints], name: str, notes: Sequence[str]
) -> Topology:
    """Return nodes below the groups of each level, and one switch above all."""
    builder = Builder()
    above = [builder.vertex("all", level=len(levels) + 1)] * len(names)
    for level in range(len(levels), 0, -1):
        own: dict[int, int] = {}
        for k, group in enumerate(levels[level - 1].tolist()):
            if group not in own:
                word = f"group{group + 1}" if level == 1 else f"groups{level}.{group + 1}"
                own[group] = builder.vertex(word, level=level, group=group if level == 1 else -1)
                builder.cable(own[group], above[k], "up", "down")
        above = [own[group] for group in levels[level - 1].tolist()]
    for k, host in enumerate(names):
        group = int(levels[0][k]) if levels else -1
        builder.cable(builder.vertex(host, host, level=0, group=group), above[k], "terminal")
    return builder.build(name, "tree", origin="latencies between nodes", notes=tuple(notes))
