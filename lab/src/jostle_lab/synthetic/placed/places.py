"""Places jobs on a torus network: fragmented runs, and neighbours that may share their links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle_lab.synthetic.placed.model import CALM, HEAVY, NODES_PER_ROUTER, SIZES, Ints

#: Nodes and ranks of a run; groups of ranks, one after the other, are its communicators.
NODES, RANKS_PER_NODE, GROUP = 152, 2, 16
_OTHERS = ("vasp", "gtc", "namd", "espresso")


@dataclass(frozen=True)
class Region:
    """The part of the torus in which a run and its conflicting neighbours are.

    The region is at most half as wide as the torus, so that routes in dimension order between its
    nodes do not leave it. So jobs in the rest of the torus share no link with jobs in the region.

    Attributes:
        begin: First x coordinate of the region.
        width: Number of x coordinates.
    """

    begin: int
    width: int

    def nodes(self, *, inside: bool) -> Ints:
        """Return all nodes in the region, or all others."""
        x = np.arange(np.prod(SIZES) * NODES_PER_ROUTER) // (NODES_PER_ROUTER * SIZES[1] * SIZES[2])
        return np.flatnonzero(((x - self.begin) % SIZES[0] < self.width) == inside)


def router(x: Ints, y: Ints, z: Ints) -> Ints:
    """Return the numbers of routers by their coordinates."""
    number: Ints = (x * SIZES[1] + y) * SIZES[2] + z
    return number


def run_nodes(region: Region, rng: np.random.Generator) -> Ints:
    """Place a run on scattered pieces of rows along z, which fill 10 % to 20 % of a box."""
    length = int(rng.integers(9, 13))
    width = region.width
    wanted = NODES / rng.uniform(0.105, 0.195) / NODES_PER_ROUTER  # routers in the box
    while width > 3 and width * SIZES[1] * length > 1.15 * wanted:
        width -= 1
    height = SIZES[1]
    begin = int(rng.integers(0, SIZES[2]))
    single = rng.uniform(0.1, 0.6)
    # The corners of the box first, so that the run's bounding box has the intended size.
    chosen = dict.fromkeys(
        (0, 0, 0) if corner == 0 else (width - 1, height - 1, length - 1) for corner in (0, 1)
    )
    nodes: list[int] = []
    while True:
        for x, y, z in chosen:
            number = int(
                router(
                    np.array((region.begin + x) % SIZES[0]),
                    np.array(y),
                    np.array((begin + z) % SIZES[2]),
                )
            )
            both = [NODES_PER_ROUTER * number, NODES_PER_ROUTER * number + 1]
            for node in both[:1] if rng.random() < single else both:
                if node not in nodes and len(nodes) < NODES:
                    nodes.append(node)
        if len(nodes) == NODES:
            return np.array(nodes, np.int64)
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        z, run = int(rng.integers(0, length)), int(rng.integers(2, 7))
        chosen = dict.fromkeys((x, y, each) for each in range(z, min(z + run, length)))


def conflicting(
    own: Ints, region: Region, routers: int, rng: np.random.Generator, *, heavy: bool, calm: bool
) -> list[tuple[str, Ints]]:
    """Place jobs that share links with a run: in its region, on a given number of routers.

    Args:
        own: Nodes of the run.
        region: Region of the run.
        routers: Number of routers on which the jobs are placed.
        rng: Source of random placements.
        heavy: Whether one job is of the heavy program.
        calm: Whether one job is of the calm program.

    Returns:
        Programs and nodes of the jobs.
    """
    free = np.setdiff1d(region.nodes(inside=True), own)
    by_router = np.unique(free // NODES_PER_ROUTER)
    # Pieces of rows, in an order that scatters them.
    starts = rng.permutation(len(by_router) // 6 + 1) * 6
    order = np.concatenate([by_router[start : start + 6] for start in starts])[:routers]
    parts: list[tuple[str, Ints]] = []
    for program in [HEAVY] * heavy + [CALM] * calm:
        large = int(len(order) * rng.uniform(0.35, 0.5))
        parts.append((program, order[:large]))
        order = order[large:]
    # The other programs are always placed, so that none of them correlates with the slowdown.
    weights = np.cumsum(rng.uniform(0.6, 1.4, len(_OTHERS)))
    cuts = np.rint(len(order) * weights[:-1] / weights[-1]).astype(np.int64)
    parts += zip(_OTHERS, np.split(order, cuts), strict=True)
    return [(program, _nodes_of(some, free)) for program, some in parts]


def elsewhere(region: Region, rng: np.random.Generator, *, heavy: bool) -> list[tuple[str, Ints]]:
    """Place a few jobs outside a region, where they share no link with the jobs in it."""
    outside = np.unique(region.nodes(inside=False) // NODES_PER_ROUTER)
    plane = SIZES[1] * SIZES[2]
    x = (outside // plane - region.begin) % SIZES[0]
    outside = outside[np.argsort(x, kind="stable")]  # from one side of the region to the other
    begin = int(rng.integers(0, len(outside) // 2))
    parts = [(HEAVY if heavy else _OTHERS[0], outside[begin : begin + 70])]
    parts += [
        (name, outside[begin + at : begin + at + 24])
        for name, at in zip(_OTHERS[1:4], (80, 110, 150), strict=True)
    ]
    return [(program, _nodes_of(some, region.nodes(inside=False))) for program, some in parts]


def _nodes_of(routers: Ints, free: Ints) -> Ints:
    """Return the free nodes of some routers."""
    both = (routers[:, None] * NODES_PER_ROUTER + np.arange(NODES_PER_ROUTER)).ravel()
    return np.intersect1d(both, free)


def group_hops(nodes: Ints) -> np.ndarray:
    """Return, for each communicator of a run, the mean number of links between two of its ranks.

    Args:
        nodes: Nodes of the run, in the order in which ranks fill them.
    """
    groups = np.repeat(nodes, RANKS_PER_NODE).reshape(-1, GROUP) // NODES_PER_ROUTER
    at = np.stack(np.unravel_index(groups, SIZES))
    steps = np.abs(at[:, :, :, None] - at[:, :, None, :])
    size = np.array(SIZES)[:, None, None, None]
    hops = np.minimum(steps, size - steps).sum(axis=0)
    mean: np.ndarray = hops.sum(axis=(1, 2)) / (GROUP * (GROUP - 1))
    return mean
