"""Analyses how placement and speed of a program's runs are related (Bhatele et al., 2013)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.placement.communicators import communicators
from jostle.analysis.placement.company import Stay, company
from jostle.analysis.placement.courses import courses
from jostle.analysis.placement.fabric_map import FabricMap
from jostle.analysis.placement.model import CommunicatorShape, Floats, Ints
from jostle.analysis.placement.pairs import informative_pairs
from jostle.analysis.placement.program_model import ProgramPlacement, Run
from jostle.analysis.placement.relations import (
    communicator_hops,
    correlation,
    measured,
    noise,
    suspects,
)
from jostle.analysis.spread import Range
from jostle.repository.query.job.messages import CALLS, calls_column
from jostle.values.arrow_columns import floats, ints, lists


class _Ranks:
    """The table of the ranks of all runs, which must be in order of jobs."""

    def __init__(self, ranks: pa.Table) -> None:
        self._table = ranks
        jobs = np.array(ranks["job"].to_pylist(), dtype=object)
        names, first, count = np.unique(jobs, return_index=True, return_counts=True)
        self.rows = {
            name: slice(int(a), int(a + n)) for name, a, n in zip(names, first, count, strict=True)
        }

    def of(self, job: str, name: str) -> Floats:
        """Return a column of the table for one job, a value per rank."""
        return floats(self._table.slice(self.rows[job].start, self._length(job)), name)

    def hosts(self, job: str) -> list[str]:
        """Return the node of each rank of a job, by rank."""
        part = self._table.slice(self.rows[job].start, self._length(job))
        hosts: list[str] = part["host"].to_pylist()
        return hosts

    def ranks(self, job: str) -> int:
        """Return the number of ranks of a job."""
        return self._length(job)

    def _length(self, job: str) -> int:
        return self.rows[job].stop - self.rows[job].start


@dataclass(frozen=True)
class RunMessages:
    """The messages that the ranks of a program's runs sent, as tables.

    Attributes:
        ranks: What each rank sent in total (Repository.messages.ranks).
        slices: What each run sent in each slice (Repository.messages.slices).
        members: Communicators of the runs with their ranks (Repository.messages.communicators).
        given: Bytes that ranks contributed to the collectives of each communicator.
    """

    ranks: pa.Table
    slices: pa.Table
    members: pa.Table
    given: pa.Table


def program_placement(
    fabric_map: FabricMap,
    program: str,
    own: Sequence[Stay],
    others: Sequence[Stay],
    sent: RunMessages,
    notes: Sequence[str] = (),
) -> ProgramPlacement:
    """Analyse how placement and the speed of a program's runs are related.

    Args:
        fabric_map: The fabric.
        program: Name of the program.
        own: Runs of the program.
        others: All other jobs.
        sent: Messages that the ranks of these runs sent.
        notes: Known errors of the fabric's data, one sentence each.
    """
    table = _Ranks(sent.ranks)
    groups = _communicators(sent.members, sent.given)
    everyone = [*others, *own]
    usual, left_out = _usual(fabric_map, own, table)
    runs = [_run(fabric_map, stay, everyone, table, groups.get(stay.job)) for stay in usual]
    rates = [run.rate for run in runs if run.rate]
    stays = {stay.job: stay for stay in everyone}
    return ProgramPlacement(
        program,
        fabric_map.topology.name,
        fabric_map.topology.kind,
        tuple(runs),
        measured(runs),
        correlation([run.rate for run in runs], [run.seconds for run in runs]),
        suspects(runs),
        tuple(informative_pairs(runs, {job: stay.hosts for job, stay in stays.items()})),
        courses(runs, sent.slices, stays),
        noise(runs),
        communicator_hops(runs),
        _calls(runs),
        max(rates) / min(rates) if len(rates) > 1 else None,
        tuple(left_out),
        tuple(notes),
    )


def _usual(
    fabric_map: FabricMap, own: Sequence[Stay], table: _Ranks
) -> tuple[list[Stay], list[str]]:
    """Return the runs that can be compared, in order of time, and why other runs are left out.

    Runs can be compared if they have the most frequent number of ranks.
    """
    placed = [stay for stay in own if len(fabric_map.routers(stay.hosts))]
    ranked = [stay for stay in placed if stay.job in table.rows]
    sizes = Counter(table.ranks(stay.job) for stay in ranked)
    size = max(sizes, key=lambda each: (sizes[each], each), default=0)
    usual = [stay for stay in ranked if table.ranks(stay.job) == size]
    reasons = {
        "with no node in the fabric": len(own) - len(placed),
        "without MPI ranks": len(placed) - len(ranked),
        f"with another number of ranks than {size}": len(ranked) - len(usual),
    }
    left_out = [
        f"{number} {'run' if number == 1 else 'runs'} {reason}"
        for reason, number in reasons.items()
        if number
    ]
    return sorted(usual, key=lambda each: (each.start_ns, each.job)), left_out


def shapes_of(
    fabric_map: FabricMap, job: str, ranks: pa.Table, members: pa.Table, given: pa.Table
) -> list[CommunicatorShape]:
    """Measure the communicators of one job, except MPI_COMM_WORLD.

    Args:
        fabric_map: The fabric.
        job: Name of the job.
        ranks: As RunMessages.ranks.
        members: As RunMessages.members.
        given: As RunMessages.given.
    """
    table, groups = _Ranks(ranks), _communicators(members, given).get(job)
    return _shapes(fabric_map, job, table, groups) if groups and job in table.rows else []


_Groups = tuple[dict[int, Ints], dict[int, tuple[Ints, Floats]]]


def _communicators(members: pa.Table, given: pa.Table) -> dict[str, _Groups]:
    """Return, by job, the ranks of each communicator, and the bytes that each rank gave to it."""
    groups: dict[str, _Groups] = {}
    row, rank = lists(members, "ranks")
    cuts = np.searchsorted(row, np.arange(members.num_rows + 1))
    numbers = members["communicator"].to_pylist()
    for place, job in enumerate(members["job"].to_pylist()):
        mine = rank[cuts[place] : cuts[place + 1]].astype(np.int64)
        groups.setdefault(job, ({}, {}))[0][numbers[place]] = mine
    if given.num_rows:
        jobs = np.array(given["job"].to_pylist(), dtype=object)
        number, ranks, sent = (ints(given, name) for name in ("communicator", "rank", "bytes"))
        edges = np.flatnonzero((jobs[1:] != jobs[:-1]) | (number[1:] != number[:-1])) + 1
        for begin, end in zip([0, *edges], [*edges, len(jobs)], strict=True):
            part = ranks[begin:end], sent[begin:end].astype(np.float64)
            groups.setdefault(jobs[begin], ({}, {}))[1][int(number[begin])] = part
    return groups


def _run(
    fabric_map: FabricMap, stay: Stay, others: Sequence[Stay], table: _Ranks, groups: _Groups | None
) -> Run:
    sent, spent = table.of(stay.job, "sent_bytes").sum(), table.of(stay.job, "mpi_ns")
    life = table.of(stay.job, "end_ns") - table.of(stay.job, "start_ns")
    outside = sum(table.of(stay.job, name) for name in ("mpi_ns", "other_mpi_ns", "io_ns"))
    compute = np.maximum(life - outside, 0.0)

    def class_rate(kind: str) -> float | None:
        return _rate(*(table.of(stay.job, f"{kind}_{what}").sum() for what in ("bytes", "ns")))

    return Run(
        stay.job,
        stay.start_ns,
        (stay.end_ns - stay.start_ns) / 1e9,
        len(life),
        stay.hosts,
        _rate(sent, spent.sum()),
        class_rate("collective"),
        class_rate("p2p"),
        Range.of(compute / 1e9),
        Range.of(spent / 1e9),
        {name: float(table.of(stay.job, calls_column(name)).mean() / 1e9) for name in CALLS},
        fabric_map.shape(stay.hosts),
        company(fabric_map, stay, others),
        tuple(_shapes(fabric_map, stay.job, table, groups)) if groups else (),
    )


def _rate(sent: float, spent_ns: float) -> float | None:
    return float(1e9 * sent / spent_ns) if sent > 0 and spent_ns > 0 else None


def _shapes(
    fabric_map: FabricMap, job: str, table: _Ranks, groups: _Groups
) -> list[CommunicatorShape]:
    """Measure the communicators of a run, except MPI_COMM_WORLD."""
    rank, hosts = table.of(job, "rank").astype(np.int64), table.hosts(job)
    size = int(max(rank.max(initial=-1) + 1, table.of(job, "size").max(initial=0)))
    if size > len(hosts) * 4:  # a hostile profile may claim any size
        return []
    places = [""] * size
    seconds = np.zeros(size)
    for host, each, spent in zip(hosts, rank.tolist(), table.of(job, "collective_ns"), strict=True):
        if 0 <= each < size:
            places[each], seconds[each] = host, spent / 1e9
    sent = {}
    for number, (ranks, amounts) in groups[1].items():
        whole = np.zeros(size)
        inside = (ranks >= 0) & (ranks < size)
        np.add.at(whole, ranks[inside], amounts[inside])
        sent[number] = whole
    shapes = communicators(fabric_map, places, groups[0], sent, seconds)
    return [each for each in shapes if each.name != "world"]


def _calls(runs: Sequence[Run]) -> dict[str, Range]:
    """Return the time in each kind of MPI calls over the runs, the kind with least time first."""
    if not runs:
        return {}
    spent = {name: Range.of(np.array([run.calls_s[name] for run in runs])) for name in CALLS}
    return {
        name: each
        for name, each in sorted(spent.items(), key=lambda item: item[1].mean)
        if each.max > 0
    }
