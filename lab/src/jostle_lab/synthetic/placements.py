"""Makes runs of a program on a torus that have the statistics of Bhatele et al., 2013."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from jostle.repository import Repository, RepositoryError
from jostle.repository.writing import MARKER, Change, Log, publish, write_chunks
from jostle.topology import Topology, torus
from jostle_lab.synthetic.placed.model import (
    CALM,
    HEAVY,
    LONG,
    NODES_PER_ROUTER,
    PROGRAM,
    SIZES,
    Ints,
    PlacedJob,
    PlacedRun,
    Placements,
)
from jostle_lab.synthetic.placed.places import (
    GROUP,
    NODES,
    RANKS_PER_NODE,
    Region,
    conflicting,
    elsewhere,
    group_hops,
    run_nodes,
)
from jostle_lab.synthetic.placed.published import communicator_times, rates
from jostle_lab.synthetic.placed.rows import OTHER_S, TIME_IN_COLLECTIVES, Writer, even, host_name

_DAYS, _SLICE_S, _COMPUTE_S = 45, 60.0, 26.0
_SENT = 2.6e9  # bytes of a rank; at 62 MB/s 42 s
_RANKS = NODES * RANKS_PER_NODE
_ALIKE = (2, 0.928)  # nodes that differ in the similar runs; share of neighbours in common
_LONG_SLICES, _LONG_RUNS = 40, 4
_PER_HOUR = 3  # runs: fewer hours are fewer files


def plant_placements(path: Path | str, seed: int = 0) -> Placements:
    """Make a repository of runs of the program "pf3d", and their neighbours, on a torus network.

    There are 153 runs and 4 long ones, on a torus like that of the machine Hopper. The messaging
    rates of runs have the published means, standard deviations and test results, both for runs that
    share links with the program MILC and for the others. The best rate is 2.29 times the worst.
    Time in collectives correlates with the number of hops at r = 0.23. Two runs use 98.7 % of the
    same nodes, and their neighbours 92.8 %. A run's rate depends on the number of routers of jobs
    that share links with it.

    Args:
        path: Folder of the repository; must be empty or new.
        seed: The same seed gives the same repository.

    Returns:
        The truth.

    Raises:
        RepositoryError: The folder cannot be written, or is a repository already.
    """
    path = Path(path).expanduser().absolute()
    if (path / MARKER).exists():
        raise RepositoryError(
            f"{path} already holds a repository.", hint="Name a folder that does not exist yet."
        )
    rng = np.random.default_rng(seed)
    count = int(np.prod(SIZES)) * NODES_PER_ROUTER
    topology = torus(
        SIZES,
        names=("x", "y", "z"),
        nodes_per_switch=NODES_PER_ROUTER,
        rate=75.2e9,
        hosts=[host_name(node) for node in range(count)],
        name="gemini",
    )
    cast = _PlacedRuns(rng)
    runs, others = cast.runs()
    long_runs, more = _long(rng)
    Repository(path, create=True)
    _write(path, (*runs, *long_runs), [*others, *more])
    _save(path, topology)
    return Placements(path, topology, runs, long_runs, cast.alike, cast.same_nodes)


class _PlacedRuns:
    """The runs of the program and their neighbours while they are made."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        alongside, without = rates(rng)
        order = rng.permutation(len(alongside) + len(without))
        self.rates = np.concatenate([alongside, without])[order]
        self.alongside = (np.arange(len(order)) < len(alongside))[order]
        self._names = [f"{PROGRAM}-{number:03d}" for number in range(len(order))]
        first, second = self._pair(0.97)
        self._same = (first, second)
        self._twins = self._pair(0.75, (first, second))
        self.alike = (self._names[first], self._names[second])
        self.same_nodes = (self._names[self._twins[0]], self._names[self._twins[1]])

    def _pair(self, ratio: float, without: tuple[int, ...] = ()) -> tuple[int, int]:
        """Return two runs whose rates have nearly the given ratio.

        Either both share links with the heavy program, or neither does.
        """
        off = np.abs(self.rates[:, None] / self.rates[None, :] - ratio)
        off[self.alongside[:, None] != self.alongside[None, :]] = np.inf
        usual = (self.rates > 50e6) & (self.rates < 76e6)
        usual[list(without)] = False
        off[~usual] = off[:, ~usual] = np.inf
        a, b = np.unravel_index(int(off.argmin()), off.shape)
        return int(a), int(b)

    def runs(self) -> tuple[tuple[PlacedRun, ...], list[PlacedJob]]:
        """Place all runs and their neighbours."""
        rng, count = self._rng, len(self.rates)
        hours = np.sort(rng.choice(_DAYS * 24, -(-count // _PER_HOUR), replace=False))
        slots = 120.0 + 900.0 * np.arange(_PER_HOUR)
        starts = (hours[:, None] * 3600.0 + slots).ravel()[:count] + rng.uniform(0, 300, count)
        nodes, regions = [], []
        for number in range(count):
            regions.append(Region(int(rng.integers(0, SIZES[0])), int(rng.integers(5, 9))))
            nodes.append(run_nodes(regions[number], rng))
        for first, second in (self._same, self._twins):
            nodes[second], regions[second] = nodes[first], regions[first]
        nodes[self._same[1]] = self._nearly(nodes[self._same[0]], regions[self._same[0]])
        hops = np.array([group_hops(each) for each in nodes])
        in_mpi = _SENT / self.rates
        collective = communicator_times(hops, TIME_IN_COLLECTIVES * in_mpi, rng)
        collective *= (TIME_IN_COLLECTIVES * in_mpi / collective.mean(axis=1))[:, None]
        level = 430 - 15 * (self.rates / 1e6 - 63) + rng.normal(0, 85, count)
        wanted = np.clip(level, 120, 820).astype(np.int64)
        wanted[self._same[1]] = wanted[self._same[0]] = max(int(wanted[self._same[0]]), 300)
        runs, others = [], []
        crowd: list[tuple[str, Ints]] = []
        for number in range(count):
            mean = _COMPUTE_S * (1 + rng.normal(0, 0.006))
            compute = even(mean, _RANKS, rng)
            end = starts[number] + in_mpi[number] + float(compute.mean()) + OTHER_S
            place = PlacedJob(self._names[number], PROGRAM, nodes[number], starts[number], end)
            jobs = self._crowd(number, nodes[number], regions[number], int(wanted[number]))
            if number == self._same[0]:
                crowd = jobs
            runs.append(
                PlacedRun(
                    place,
                    float(self.rates[number]),
                    int(wanted[number]),
                    bool(self.alongside[number]),
                    collective[number],
                    compute,
                    np.zeros(0),
                )
            )
            others.append((place, jobs, regions[number]))
        place, _, region = others[self._same[1]]
        others[self._same[1]] = (place, self._thinned(crowd, place.nodes), region)
        return tuple(runs), [each for entry in others for each in self._places(*entry)]

    def _crowd(
        self, number: int, own: Ints, region: Region, routers: int
    ) -> list[tuple[str, Ints]]:
        heavy = bool(self.alongside[number])
        calm = bool(self._rng.random() < 0.5)
        return conflicting(own, region, routers, self._rng, heavy=heavy, calm=calm)

    def _nearly(self, nodes: Ints, region: Region) -> Ints:
        """Move a run's last nodes to other nodes of the region."""
        free = np.setdiff1d(region.nodes(inside=True), nodes)
        return np.concatenate([nodes[: -_ALIKE[0]], free[: _ALIKE[0]]])

    def _thinned(self, crowd: list[tuple[str, Ints]], own: Ints) -> list[tuple[str, Ints]]:
        """Remove nodes from a run's neighbours, so that the published share of them is left."""
        free = [(program, np.setdiff1d(nodes, own)) for program, nodes in crowd]
        whole = sum(len(nodes) for _, nodes in crowd)
        gone = sum(len(nodes) for _, nodes in free) - round(_ALIKE[1] * whole)
        thin = []
        for program, nodes in reversed(free):
            cut = min(gone, len(nodes) // 2)
            thin.append((program, nodes[: len(nodes) - cut]))
            gone -= cut
        return thin[::-1]

    def _places(
        self, place: PlacedJob, crowd: list[tuple[str, Ints]], region: Region
    ) -> list[PlacedJob]:
        """Return a run's neighbours as jobs, and further jobs that share no link with the run."""
        far = elsewhere(region, self._rng, heavy=not any(name == HEAVY for name, _ in crowd))
        return [
            PlacedJob(
                f"{place.job}-{program}-{number}",
                program,
                nodes,
                place.start_s - 45.0,
                place.end_s + 45.0,
            )
            for number, (program, nodes) in enumerate([*crowd, *far])
        ]


def _long(rng: np.random.Generator) -> tuple[tuple[PlacedRun, ...], list[PlacedJob]]:
    """Place the long runs, and neighbours that start or end while a long run is active."""
    runs, others = [], []
    length = _LONG_SLICES * _SLICE_S
    for number in range(_LONG_RUNS):
        region = Region(int(rng.integers(0, SIZES[0])), 7)
        own = run_nodes(region, rng)
        start = (_DAYS + number) * 86400.0
        at = np.arange(_LONG_SLICES) / _LONG_SLICES
        rate = np.full(_LONG_SLICES, 66e6 * (1 + 0.02 * number))
        jobs = conflicting(own, region, 330, rng, heavy=True, calm=False)
        cuts = [(0.45, 0.0), (0.3, 0.62), (0.2, 0.8), (0.5, 0.6)][number]
        for place, (program, nodes) in enumerate(jobs[:3]):
            # The heavy one ends early (or starts late), the others fill the time.
            begin, end = (
                ((-0.05, cuts[0]) if number % 2 == 0 else cuts)
                if place == 0
                else ((cuts[0], 1.05) if place == 1 else (-0.05, 1.05))
            )
            there = (at + 0.5 / _LONG_SLICES >= begin) & (at + 0.5 / _LONG_SLICES < end)
            weight = {HEAVY: 0.20, CALM: 0.01}.get(program, 0.02)
            rate[there] *= 1 - weight * (0.6 if number == 3 else 1.0)
            others.append(
                PlacedJob(
                    f"{LONG}-{number}-{program}-{place}",
                    program,
                    nodes,
                    start + begin * length,
                    start + end * length,
                )
            )
        rate *= 1 + rng.normal(0, 0.012, _LONG_SLICES)
        compute = even(0.4 * length - OTHER_S, _RANKS, rng)
        share = np.full(_RANKS // GROUP, TIME_IN_COLLECTIVES * 0.6 * length)
        runs.append(
            PlacedRun(
                PlacedJob(f"{LONG}-{number}", LONG, own, start, start + length),
                float(rate.mean()),
                330,
                True,
                share,
                compute,
                rate,
            )
        )
    return tuple(runs), others


def _write(path: Path, runs: tuple[PlacedRun, ...], others: list[PlacedJob]) -> None:
    writer, log = Writer(_SLICE_S), Log(path)
    own = [run.place for run in runs]
    files = write_chunks(path, [writer.processes(own, RANKS_PER_NODE), writer.processes(others, 1)])
    short = [run for run in runs if not len(run.slice_rates)]
    long = [run for run in runs if len(run.slice_rates)]
    files += write_chunks(path, writer.slices(short, _SENT))
    for run in long:
        sent = run.rate * float(run.collective_s.mean()) / TIME_IN_COLLECTIVES
        files += write_chunks(path, writer.slices([run], sent))
    files += write_chunks(path, writer.communicators(short, _SENT))
    publish(path, log, Change("ingest", add=files))


def _save(path: Path, topology: Topology) -> None:
    """Put the fabric into the repository."""
    from jostle.topology.store import save

    save(path / "topologies", topology)
