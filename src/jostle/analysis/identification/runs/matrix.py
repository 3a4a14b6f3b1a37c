"""Finds which program slowed which, over a whole repository (Bhatele et al., 2013, section 5.3).

For each run of a program there is one value: the time that its operations took on a resource,
divided by the time that such operations of this program usually take there undisturbed (same kind,
same size). Runs concurrent with another program are compared with runs without it.

The computation by slices needs only the rows of one resource. So it is done for some resources at a
time (`matrix_parts`), possibly on other machines, and the results are added up by job (`combined`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.analysis.identification.model import (
    Encounter,
    EncounterRuns,
    Matrix,
    Potential,
    ResourceKind,
    Visibility,
)
from jostle.analysis.identification.regression import nonnegative
from jostle.analysis.identification.resources.shared import Floats
from jostle.analysis.identification.runs.flows import Flows
from jostle.analysis.identification.runs.matrix_rows import (
    DOSE,
    Ints,
    ResourceRows,
    Roles,
    load_at,
    quantile_of,
    roles_of,
    rows_of,
    tables_of,
)
from jostle.analysis.identification.runs.whole_runs import (
    ALONGSIDE,
    Meetings,
    compare_runs,
    units_of,
)
from jostle.analysis.identification.runs.with_without import Difference, difference
from jostle.analysis.identification.statistics.resource_tests import LEVEL, adjusted
from jostle.repository.query.resources.programs import Programs, shares

_Met = tuple[Encounter, EncounterRuns]

_SLICES = 3  # with the other program, or without it, for a run to count
_TOGETHER = 30  # most frequent programs, whose effects are separated by regression
_USUAL = 0.1  # of its program's usual load on the resource: a job with less is not active


def matrix(tables: Programs, *, as_user: int | None = None) -> Matrix:
    """Find which program slowed which.

    Args:
        tables: Loads and calls of all jobs, from Repository.programs_alongside.
        as_user: Uid of the viewer. Only for the jobs of this user, it is computed how much they
            were slowed; the programs of other users are merged into one. None: all jobs may be
            seen.

    Returns:
        The comparison of every pair of programs that ran at the same time, and by how much each
        program slows others and is slowed by them.
    """
    visibility = Visibility() if as_user is None else Visibility(users=frozenset({as_user}))
    return matrix_and_evidence(tables, visibility)[0]


def matrix_and_evidence(
    tables: Programs, visibility: Visibility
) -> tuple[Matrix, list[EncounterRuns]]:
    """Find which program slowed which, and return the runs behind each result.

    Args:
        tables: Loads and calls of all jobs, from Repository.programs_alongside.
        visibility: The jobs and programs that the viewer may see.

    Returns:
        The matrix, and the runs behind each of its encounters, in the order of the encounters.
    """
    roles = roles_of(tables.jobs, visibility)
    parts = [
        part
        for kind, table in tables.kinds().items()
        for _, rows in shares(table)
        for part in matrix_parts(kind, rows, roles)
    ]
    return combined(parts, roles)


@dataclass(frozen=True)
class MatrixPart:
    """The part of the matrix that is known from some resources, as sums over their slices.

    Attributes:
        kind: The kind of these resources.
        job: The jobs that are evaluated.
        sums: Four sums for each of these jobs: the undisturbed time of its operations, their time
            less what other programs explain, the number of slices, and the smallest time that an
            explanation may leave.
        other: Programs that ran concurrently with these jobs: one entry for each pair of a job and
            a program.
        met: The job of each entry of `other`.
        alongside: For each entry of `other`, the same four sums over the slices with that program,
            and as fifth sum the time that this program explains.
    """

    kind: ResourceKind
    job: Ints
    sums: list[Floats]
    other: Ints
    met: Ints
    alongside: list[Floats]


def matrix_parts(kind: str, table: pa.Table, roles: Roles) -> list[MatrixPart]:
    """Compute the parts of the matrix that follow from some resources, one for each kind.

    Args:
        kind: Kind as in Programs.kinds. It may stand for several kinds of resources: for example,
            a mount may be object servers and a metadata server.
        table: All rows of these resources, in the order of resource and time.
        roles: Roles of all jobs that are in the table.
    """
    return [
        _part(rows_of(each, rows, roles), roles) for each, rows in tables_of(kind, table).items()
    ]


def combined(parts: Sequence[MatrixPart], roles: Roles) -> tuple[Matrix, list[EncounterRuns]]:
    """Combine the parts of the matrix from all resources.

    Args:
        parts: The parts, in the order of their kinds; within a kind, in that of their resources.
        roles: Roles of all jobs, the same as for each of the parts.

    Returns:
        The same as `matrix_and_evidence`.
    """
    every: list[_Met] = []
    for kind in dict.fromkeys(part.kind for part in parts):
        every += _encounters([part for part in parts if part.kind == kind], roles)
    every = _controlled(every)
    encounters = [encounter for encounter, _ in every]
    limits = (
        [
            "Where two programs always ran at the same time, a loss is divided between them "
            "by load: either may have caused it."
        ]
        if encounters
        else ["No two programs were active on a shared resource at the same time."]
    )
    result = Matrix(
        programs=_potentials(encounters, roles.names, roles.program[roles.own]),
        encounters=encounters,
        jobs=int(roles.own.sum()),
        limits=limits,
    )
    return result, [runs for _, runs in every]


# ---- who met whom ----


def _part(rows: ResourceRows, roles: Roles) -> MatrixPart:
    """Add up the slices of some resources by job, and by job and concurrent program."""
    scored = (rows.expected > 0) & roles.own[rows.job]
    units = units_of(rows, scored, _meetings(rows, scored, len(roles.names)), roles.whole)
    rows, scored, met = units.rows, units.scored, units.met
    # Runs known as wholes are few: a fit of all programs would fit noise (see `compare_runs`).
    whole = roles.whole[rows.job]
    cut = ~whole[met.row]
    some = Meetings(met.row[cut], met.program[cut], met.height[cut])
    own = np.zeros(len(met.row))
    own[cut], total, least = _explained(rows, scored & ~whole, some)
    clear = np.where(scored, rows.spent - total * rows.expected, 0.0)
    columns = (rows.expected, clear, units.slices, least * rows.expected)
    job, sums = _summed(rows.job[scored], [values[scored] for values in columns])
    pair = met.program * len(roles.jobs) + rows.job[met.row]
    expected, spent, _, lowest = (values[met.row] * units.share for values in columns)
    pair, alongside = _summed(
        pair, [expected, spent, units.alongside, lowest, own * rows.expected[met.row]]
    )
    return MatrixPart(
        rows.kind, job, sums, pair // len(roles.jobs), pair % len(roles.jobs), alongside
    )


def _summed(key: Ints, columns: Sequence[Floats]) -> tuple[Ints, list[Floats]]:
    """Return the distinct keys, and for each key the sum of every column over its rows."""
    keys, where = np.unique(key, return_inverse=True)
    sums = [
        np.bincount(where.reshape(-1), values, minlength=len(keys)).astype(np.float64)
        for values in columns
    ]
    return keys, sums


def _encounters(parts: Sequence[MatrixPart], roles: Roles) -> list[_Met]:
    """Compare each program's runs with and without each other program, on one kind of resource."""
    size = len(roles.jobs)
    everything = _over_jobs([part.job for part in parts], [part.sums for part in parts], size)
    others = np.unique(np.concatenate([part.other for part in parts]))
    encounters: list[_Met | None] = []
    shares: dict[int, Floats] = {}
    for other in others.tolist():
        here = [part.other == other for part in parts]
        jobs = [part.met[some] for part, some in zip(parts, here, strict=True)]
        columns = [
            [values[some] for values in part.alongside]
            for part, some in zip(parts, here, strict=True)
        ]
        *alongside, theirs = _over_jobs(jobs, columns, size)
        shares[other] = alongside[0]
        for victim in np.unique(roles.program[np.concatenate(jobs)]).tolist():
            runs = np.flatnonzero(roles.program == victim)
            if roles.whole[runs].any():
                continue
            encounters.append(
                _encounter(
                    (roles.names[victim], roles.names[other], parts[0].kind),
                    [roles.jobs[run] for run in runs],
                    [values[runs] for values in alongside],
                    theirs[runs],
                    [values[runs] for values in everything],
                )
            )
    for victim in np.unique(roles.program[roles.own & roles.whole]).tolist():
        runs = np.flatnonzero((roles.program == victim) & (everything[0] > 0))
        if len(runs):
            encounters += _of_whole_runs(victim, runs, shares, everything, parts[0].kind, roles)
    return [met for met in encounters if met is not None]


def _of_whole_runs(
    victim: int,
    runs: Ints,
    alongside: dict[int, Floats],
    everything: list[Floats],
    kind: ResourceKind,
    roles: Roles,
) -> Iterator[_Met]:
    """Yield the encounters of a program if the times of some of its runs are known only as totals.

    Args:
        victim: Number of the program.
        runs: Its runs, as numbers of jobs.
        alongside: For each other program and each job, the undisturbed time of the job's operations
            while that program was active.
        everything: Sums over all slices of each job, as in MatrixPart.sums; only the first two are
            used.
        kind: Kind of resource.
        roles: Roles of all jobs.
    """
    expected, spent = (values[runs] for values in everything[:2])
    values = np.maximum(spent, 1e-9 * expected) / expected
    names = [roles.jobs[run] for run in runs.tolist()]
    shares = {other: each[runs] / expected for other, each in alongside.items()}
    shares = {other: share for other, share in shares.items() if (share >= ALONGSIDE).any()}
    if not shares:
        return
    compared = compare_runs(values, np.column_stack(list(shares.values())))
    for (other, share), said in zip(shares.items(), compared, strict=True):
        there = share >= ALONGSIDE
        met = _met(
            (roles.names[victim], roles.names[other], kind), values[there], values[~there], said
        )
        yield (
            met,
            EncounterRuns(
                _per_run(names, there, values[there]), _per_run(names, ~there, values[~there])
            ),
        )


def _over_jobs(
    jobs: Sequence[Ints], columns: Sequence[Sequence[Floats]], size: int
) -> list[Floats]:
    """Add up the columns of all parts for each job.

    Args:
        jobs: For each part, the job of each row.
        columns: For each part, its columns.
        size: Number of all jobs.
    """
    job = np.concatenate(jobs)
    return [
        np.bincount(job, np.concatenate(values), minlength=size).astype(np.float64)
        for values in zip(*columns, strict=True)
    ]


def _meetings(rows: ResourceRows, scored: NDArray[np.bool_], programs: int) -> Meetings:
    """Find which programs were active on the same resource and at the same time as a job."""
    usual = _usual_rates(rows, programs)
    channel = rows.resource * programs + rows.program
    active = rows.load >= _USUAL * usual[channel] * (rows.end - rows.start)
    row, other = _candidates(rows, np.flatnonzero(scored), np.flatnonzero(active), programs)
    start, end = rows.start[row], rows.end[row]

    def flowed(key: Ints, asked: Ints) -> Floats:
        some = (column[active] for column in (key, rows.start, rows.end, rows.load))
        return Flows(*some).between(asked, start, end)

    there = rows.resource[row] * programs + other
    # A job does not meet itself, but it meets others of its program.
    own = np.where(other == rows.program[row], flowed(rows.own(), rows.own()[row]), 0.0)
    theirs = np.maximum(flowed(channel, there) - own, 0.0)
    strong = theirs > DOSE * load_at(rows)[row]
    height = np.minimum(theirs / np.maximum(usual[there] * (end - start), 1e-9), 3.0)
    return Meetings(row[strong], other[strong], height[strong])


def _candidates(rows: ResourceRows, own: Ints, active: Ints, programs: int) -> tuple[Ints, Ints]:
    """Find pairs of a job's row and a program that may overlap in time on the same resource.

    These are pairs that touch the same step, where a step is as long as the longest slice.

    Args:
        rows: All rows.
        own: Numbers of the rows of evaluated jobs.
        active: Numbers of the rows with enough load to slow another job.
        programs: Number of programs.
    """
    steps = int(rows.end.max(initial=0)) // rows.step + 2

    def touched(some: Ints) -> tuple[Ints, Ints]:
        first, last = (at // rows.step for at in (rows.start[some], rows.end[some] - 1))
        many = last - first + 1
        row = np.repeat(some, many)
        within = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
        return row, rows.resource[row] * steps + np.repeat(first, many) + within

    theirs, resource = touched(active)
    there = np.unique(resource * programs + rows.program[theirs])
    row, resource = touched(own)
    lo, hi = (
        np.searchsorted(there, key) for key in (resource * programs, (resource + 1) * programs)
    )
    many = hi - lo
    row = np.repeat(row, many)
    other = np.repeat(lo - (np.cumsum(many) - many), many) + np.arange(len(row))
    met = np.unique(row * programs + there[other] % programs)
    return met // programs, met % programs


def _explained(
    rows: ResourceRows, scored: NDArray[np.bool_], met: Meetings
) -> tuple[Floats, Floats, Floats]:
    """Divide the slowdown of every row among the programs that were active concurrently.

    The effect of one program must not be attributed to another that ran at the same time. So for
    each program and resource, one non-negative regression of the slowdown on the loads of all other
    programs is computed.

    Returns:
        Three arrays. The first has the part of the slowdown that each meeting explains, the second
        the sum of these parts for each row. The third has for each row the lowest slowdown of its
        program on the resource: an explanation must not leave less.
    """
    part = np.zeros(len(met.row))
    total, least = np.zeros(len(rows.job)), np.zeros(len(rows.job))
    if not len(met.row):
        return part, total, least
    many = int(rows.resource.max()) + 1
    group = np.where(scored, rows.program * many + rows.resource, -1)
    order = np.argsort(group[met.row], kind="stable")
    ids, first = np.unique(group[met.row][order], return_index=True)
    members: dict[int, Ints] = {}
    by_group = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[by_group], ids)
    ends = np.searchsorted(group[by_group], ids, "right")
    for k, number in enumerate(ids.tolist()):
        members[number] = by_group[starts[k] : ends[k]]
    for number, pairs in zip(ids.tolist(), np.split(order, first[1:]), strict=True):
        here = members[number]
        ratio = rows.spent[here] / rows.expected[here]
        least[here] = np.quantile(ratio, 0.05)
        part[pairs] = _fitted(rows, here, ratio, met, pairs)
    np.add.at(total, met.row, part)
    return part, total, least


def _fitted(rows: ResourceRows, members: Ints, ratio: Floats, met: Meetings, pairs: Ints) -> Floats:
    programs, counts = np.unique(met.program[pairs], return_counts=True)
    programs = programs[np.argsort(-counts)][:_TOGETHER]
    column_of = np.full(int(met.program.max()) + 1, -1)
    column_of[programs] = np.arange(len(programs))
    within = np.searchsorted(members, met.row[pairs]) if _rising(members) else np.zeros(0, int)
    columns = np.zeros((len(members), len(programs) + 1))
    columns[:, 0] = 1.0
    known = column_of[met.program[pairs]] >= 0
    columns[within[known], column_of[met.program[pairs][known]] + 1] = met.height[pairs[known]]
    weight = np.sqrt(rows.expected[members])
    # Programs that are always there must not take the place of the usual level.
    ratio = np.minimum(ratio, np.quantile(ratio, 0.99)) - np.quantile(ratio, 0.05)
    strength = nonnegative(columns * weight[:, None], ratio * weight)[1:]
    found = np.zeros(len(pairs))
    found[known] = strength[column_of[met.program[pairs][known]]] * met.height[pairs[known]]
    return found


def _rising(values: Ints) -> bool:
    return bool((np.diff(values) > 0).all())


def _usual_rates(rows: ResourceRows, programs: int) -> Floats:
    """Return the usual load of each program on each resource, per microsecond."""
    group = rows.resource * programs + rows.program
    many = (int(rows.resource.max(initial=0)) + 1) * programs
    return quantile_of(group, rows.load / (rows.end - rows.start), many, 0.75)


def _encounter(
    pair: tuple[str, str, ResourceKind],
    runs: list[str],
    alongside: list[Floats],
    theirs: Floats,
    everything: list[Floats],
) -> _Met | None:
    """Compare runs concurrent with a program with runs without it.

    Args:
        pair: Victim, aggressor, and kind of resource.
        runs: Names of the victim's jobs.
        alongside: The four sums of MatrixPart for each run, over the slices with the aggressor.
        theirs: For each run, the time in these slices that the aggressor explains.
        everything: The same four sums for each run, over all of its slices.

    Returns:
        The encounter and its runs; None: too few slices with the aggressor.
    """
    expected, clear, slices, least = alongside
    there = slices >= _SLICES
    if not there.any():
        return None
    # The explained time is an estimate and may exceed the loss: no operation takes negative time.
    values = (np.maximum(clear, least) + theirs)[there] / expected[there]
    left, rest, many, lowest = (
        whole - part for whole, part in zip(everything, alongside, strict=True)
    )
    away = (many >= _SLICES) & (left > 0)
    without = np.maximum(rest, lowest)[away] / left[away]
    met = _met(pair, values, without, difference(values, without))
    return met, EncounterRuns(_per_run(runs, there, values), _per_run(runs, away, without))


def _met(
    pair: tuple[str, str, ResourceKind], values: Floats, without: Floats, said: Difference
) -> Encounter:
    return Encounter(
        victim=pair[0],
        aggressor=pair[1],
        resource_kind=pair[2],
        with_runs=len(values),
        without_runs=len(without),
        with_mean=float(values.mean()),
        without_mean=float(without.mean()) if len(without) else 0.0,
        slowdown=said.slowdown,
        normal=said.normal,
        equal_variance=said.equal_variance,
        test=said.test,
        p=said.p,
        q=None,
    )


def _per_run(runs: list[str], which: NDArray[np.bool_], values: Floats) -> list[tuple[str, float]]:
    return [
        (runs[at], value)
        for at, value in zip(np.flatnonzero(which).tolist(), values.tolist(), strict=True)
    ]


def _controlled(found: list[_Met]) -> list[_Met]:
    """Control the rate of false discoveries over the matrix, and sort the encounters.

    Encounters with evidence come first, and among them those with the greatest slowdown.
    """
    tested = [encounter for encounter, _ in found if encounter.p is not None]
    q = dict(
        zip(map(id, tested), adjusted([encounter.p or 0.0 for encounter in tested]), strict=True)
    )
    done = [(replace(encounter, q=q.get(id(encounter))), runs) for encounter, runs in found]

    def order(met: _Met) -> tuple[bool, float, str, str]:
        encounter = met[0]
        return not _evident(encounter), -_size(encounter), encounter.victim, encounter.aggressor

    return sorted(done, key=order)


def _size(encounter: Encounter) -> float:
    return encounter.slowdown.value if encounter.slowdown else 0.0


def _evident(encounter: Encounter) -> bool:
    return encounter.q is not None and encounter.q <= LEVEL and _size(encounter) > 0


def _potentials(
    encounters: list[Encounter], names: Sequence[str], program: Ints
) -> list[Potential]:
    runs = np.bincount(program, minlength=len(names))
    listed = []
    for number, name in enumerate(names):
        gives = [encounter for encounter in encounters if encounter.aggressor == name]
        takes = [encounter for encounter in encounters if encounter.victim == name]
        listed.append(
            Potential(
                program=name,
                runs=int(runs[number]),
                active=_mean(gives),
                passive=_mean(takes),
                hurts=sorted({encounter.victim for encounter in gives if _evident(encounter)}),
                hurt_by=sorted({encounter.aggressor for encounter in takes if _evident(encounter)}),
            )
        )
    return sorted(listed, key=lambda potential: (-(potential.passive or 0.0), potential.program))


def _mean(encounters: Sequence[Encounter]) -> float | None:
    known = [
        (encounter.slowdown.value, encounter.with_runs)
        for encounter in encounters
        if encounter.slowdown is not None
    ]
    if not known:
        return None
    values, weights = zip(*known, strict=True)
    return float(np.average(values, weights=weights))
