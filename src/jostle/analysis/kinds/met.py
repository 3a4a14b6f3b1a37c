"""Finds pairs of jobs that used a shared mount at the same time, and the loss of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.analysis.access.model import UNKNOWN
from jostle.analysis.identification.model import Visibility
from jostle.analysis.identification.runs.matrix_rows import (
    DOSE,
    ResourceRows,
    Roles,
    file_rows,
    roles_of,
)
from jostle.analysis.kinds.model import LoadKind
from jostle.analysis.kinds.pair_model import PairSample
from jostle.repository.query.resources.programs import Programs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Part of the load of all others: a loss is attributed only to a neighbour with at least so much.
_MOST = 0.8
#: Slices that are merged: a neighbour whose calls are long has no load in some slices.
_AROUND = 8
_SLICES = 4  # fewest slices alongside a neighbour, and alone, for a result
#: Part of their usual time: a job whose calls took less was faster for another reason.
_FASTER = 0.8


@dataclass(frozen=True)
class _Meeting:
    """What a job lost while one other job used the same mount.

    Attributes:
        victim: Name of the job that may have lost time.
        neighbour: Name of the other job.
        mount: The mount.
        longer: Time of the victim's calls divided by their undisturbed time.
        lost: Additional time of the victim's calls divided by the lifetime of its processes; below
            1.
        slices: Number of slices in which both jobs used the mount.
    """

    victim: str
    neighbour: str
    mount: str
    longer: float
    lost: float
    slices: int


def by_kind(tables: Programs, kinds: Mapping[str, LoadKind]) -> Programs:
    """Return the tables with each job's program replaced by its kind of load.

    Args:
        tables: Loads and calls of all jobs, from Repository.programs_alongside.
        kinds: Kind of load by name of the job.
    """
    jobs = {
        name: replace(fact, program=kinds[name].label if name in kinds else UNKNOWN)
        for name, fact in tables.jobs.items()
    }
    return replace(tables, jobs=jobs)


def pairs_met(
    tables: Programs, kinds: Mapping[str, LoadKind], *, as_user: int | None = None
) -> list[PairSample]:
    """Return the pairs of kinds that used a shared mount at the same time, and the victims' losses.

    The undisturbed time of calls is taken from jobs of the same kind while they had the mount to
    themselves. Victims of kinds that never had it to themselves are left out. Slices with several
    neighbours are left out as well.

    Args:
        tables: Loads and calls of all jobs, from Repository.programs_alongside.
        kinds: Kind of load by name of the job. Jobs without a kind are neither victims nor
            neighbours.
        as_user: Uid of a user; then only pairs of this user's jobs are used. None: all jobs.
    """
    visibility = Visibility() if as_user is None else Visibility(users=frozenset({as_user}))
    # As the matrix, with kinds instead of programs: calls are compared within a kind.
    roles = roles_of(by_kind(tables, kinds).jobs, visibility)
    seen = {name for name, own in zip(roles.jobs, roles.own, strict=True) if own and name in kinds}
    used = {kind.mount for kind in kinds.values()}
    meetings = [
        meeting
        for mount, rows in _by_mount(tables.mounts)
        if mount in used
        for meeting in _on_mount(mount, file_rows(rows, roles, _AROUND), roles, kinds)
        # A kind describes what a job did on one mount.
        if all(
            job in seen and kinds[job].mount == mount for job in (meeting.victim, meeting.neighbour)
        )
    ]
    programs = {name: fact.program for name, fact in tables.jobs.items()}
    return _together(meetings, kinds, programs)


def _by_mount(rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    codes = rows.column("resource").combine_chunks().dictionary_encode()
    places = np.asarray(codes.indices)
    for number, name in enumerate(codes.dictionary.to_pylist()):
        yield name, rows.filter(pa.array(places == number))


def _on_mount(
    mount: str, rows: ResourceRows, roles: Roles, kinds: Mapping[str, LoadKind]
) -> Iterator[_Meeting]:
    """Yield what each job lost while one other job used the same mount."""
    many = len(roles.jobs)
    step = (rows.start + rows.end) // 2 // (_AROUND * rows.step)
    cell, where = np.unique(step * many + rows.job, return_inverse=True)
    columns = (rows.load, rows.expected, rows.spent, (rows.end - rows.start) / 1e6)
    load, expected, spent, seconds = (_sums(where, values, len(cell)) for values in columns)
    slices = np.bincount(where.reshape(-1), minlength=len(cell))
    at, job = cell // many, cell % many
    steps, slot = np.unique(at, return_inverse=True)
    total = _sums(slot, load, len(steps))
    other, other_load = _heaviest_other(slot, job, load, len(steps))
    others = total[slot] - load
    alone = (others <= DOSE * total[slot]) & (expected > 0)
    # References of kinds that never had the mount to themselves are not reliable.
    programs = len(roles.names)
    known = np.bincount(roles.program[job[alone]], slices[alone], minlength=programs) >= _SLICES
    together = (
        (others > DOSE * total[slot])
        & (other_load >= _MOST * others)
        & (expected > 0)
        & known[roles.program[job]]
    )
    pair, where = np.unique(job[together] * many + other[together], return_inverse=True)
    sums = [_sums(where, values[together], len(pair)) for values in (expected, spent, seconds)]
    slices = np.bincount(where.reshape(-1), slices[together], minlength=len(pair)).astype(np.int64)
    for number, key in enumerate(pair.tolist()):
        victim, neighbour = roles.jobs[key // many], roles.jobs[key % many]
        if slices[number] < _SLICES or victim not in kinds:
            continue
        usual, took, lived = (float(each[number]) for each in sums)
        whole = max(lived * 1e9 * kinds[victim].processes, took)
        longer = took / usual
        if longer >= _FASTER:
            lost = (took - usual) / whole
            yield _Meeting(victim, neighbour, mount, longer, lost, int(slices[number]))


def _sums(where: NDArray[np.intp], values: Floats, many: int) -> Floats:
    return np.bincount(where.reshape(-1), values, minlength=many).astype(np.float64)


def _heaviest_other(
    slot: NDArray[np.intp], job: Ints, load: Floats, many: int
) -> tuple[Ints, Floats]:
    """Return, for each cell, the other job with the greatest load in the same step, and that load.

    A cell is one job in one time step.

    Args:
        slot: Number of the step of each cell.
        job: Number of the job of each cell.
        load: Load of each cell.
        many: Number of steps.
    """
    order = np.lexsort((-load, slot))
    edges = np.searchsorted(slot[order], np.arange(many + 1))
    first = order[edges[:-1]]
    has_second = np.diff(edges) > 1
    second = order[np.minimum(edges[:-1] + 1, len(order) - 1)]
    is_first = job == job[first][slot]
    other = np.where(is_first, job[second][slot], job[first][slot])
    heaviest = np.where(is_first, np.where(has_second, load[second], 0.0)[slot], load[first][slot])
    return other, heaviest


def _together(
    meetings: Iterable[_Meeting], kinds: Mapping[str, LoadKind], programs: Mapping[str, str]
) -> list[PairSample]:
    """Merge meetings of jobs of the same kinds and programs on the same mount.

    A merged pair has the mean loss of its meetings, and the kinds of the longest meeting.
    """
    found: dict[tuple[str, str, str, str, str], list[_Meeting]] = {}
    for each in meetings:
        key = (
            kinds[each.victim].label,
            kinds[each.neighbour].label,
            each.mount,
            programs[each.victim],
            programs[each.neighbour],
        )
        found.setdefault(key, []).append(each)
    samples = []
    for (_, _, mount, *names), runs in found.items():
        longest = max(runs, key=lambda each: each.slices)
        victim = undisturbed(kinds[longest.victim], longest.longer)
        neighbour = kinds[longest.neighbour]
        groups = (f"{names[0]} {victim.pattern}", f"{names[1]} {neighbour.pattern}")
        loss = 100 * float(np.mean([each.lost for each in runs]))
        samples.append(PairSample(victim, neighbour, mount, loss, len(runs), groups))
    return samples


def undisturbed(kind: LoadKind, longer: float) -> LoadKind:
    """Return the kind of a load as it would be if its calls had not taken longer.

    Args:
        kind: The kind as recorded.
        longer: Time of the load's calls divided by their undisturbed time.
    """
    if longer <= 1 or not kind.in_calls:
        return kind
    # Of each second, calls take a smaller part; the rest takes as long as before.
    rest = 1 - kind.in_calls * (1 - 1 / longer)
    rate = 1 / rest
    return replace(
        kind,
        in_data=kind.in_data / longer * rate,
        in_metadata=kind.in_metadata / longer * rate,
        bytes_per_s=kind.bytes_per_s * rate,
        metadata_per_s=kind.metadata_per_s * rate,
    )
