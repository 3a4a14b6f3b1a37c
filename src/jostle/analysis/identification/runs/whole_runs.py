"""Compares runs as wholes where the time of calls is known only for the whole run (Darshan logs).

For such a run, it is known in which slices it moved bytes, but not which of its calls were slow. So
each run has only one value: the time of its operations, divided by the undisturbed time of similar
operations. In addition, it has one share for each other program: the part of its traffic that it
moved while that program was active. If the other program has no effect, the expected share does
not depend on how long a run took. (The number of programs that a run meets, in contrast, grows with
its run time.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.identification.resources.shared import Floats
from jostle.analysis.identification.runs.matrix_rows import Ints, ResourceRows
from jostle.analysis.identification.runs.with_without import Difference, difference

#: Part of a run's traffic: with less of it concurrent with a program, it is a run without that.
ALONGSIDE = 0.1
TEST = "permutation"
_DRAWS, _FEW_DRAWS = 9999, 199
_MOST_VALUES = 3_000_000  # values drawn for one test
#: Programs with at most this p are covariates in the tests of others, one for so many runs.
_SURE, _RUNS_PER_PROGRAM = 0.01, 5
_PROMISING = 0.1  # with a larger p after a few draws, no more are drawn


@dataclass(frozen=True)
class Meetings:
    """Rows of jobs and the programs that were active at the same time, one entry for each pair.

    Attributes:
        row: Number of the job's row.
        program: Number of the other program.
        height: Load of the other program in this time, as a part of its usual load.
    """

    row: Ints
    program: Ints
    height: Floats


@dataclass(frozen=True)
class Units:
    """The units that are compared on resources of one kind: slices, or whole runs.

    Attributes:
        rows: One row for each unit. The row of a whole run starts when the run starts.
        scored: For each unit, whether it is compared.
        slices: For each unit, its number of slices.
        met: Units and the programs that were active at the same time. For a whole run, `height` is
            a mean over its traffic.
        share: For each entry of `met`, the part of the unit's undisturbed time in which the program
            was active.
        alongside: For each entry of `met`, the number of the unit's slices in which the program was
            active.
    """

    rows: ResourceRows
    scored: NDArray[np.bool_]
    slices: Floats
    met: Meetings
    share: Floats
    alongside: Floats


def units_of(
    rows: ResourceRows, scored: NDArray[np.bool_], met: Meetings, whole: NDArray[np.bool_]
) -> Units:
    """Merge the slices of runs whose times are known only as totals into one unit per resource.

    Args:
        rows: Rows of slices.
        scored: For each row, whether it is compared.
        met: Rows and the programs that were active at the same time.
        whole: For each job, whether its times are known only as totals.
    """
    together = whole[rows.job] & scored
    if not together.any():
        alone = np.ones(len(met.row))
        return Units(rows, scored, np.ones(len(rows.job)), met, alone, alone)
    single = np.flatnonzero(~together)
    _, first, place = np.unique(rows.own()[together], return_index=True, return_inverse=True)
    unit = np.empty(len(rows.job), dtype=np.int64)
    unit[single], unit[together] = np.arange(len(single)), len(single) + place.reshape(-1)
    at = np.concatenate([single, np.flatnonzero(together)[first]])

    def summed(values: Floats) -> Floats:
        return np.bincount(unit, values, len(at)).astype(np.float64)

    units = replace(
        rows,
        job=rows.job[at],
        program=rows.program[at],
        like=rows.like[at],
        resource=rows.resource[at],
        start=rows.start[at],
        end=rows.end[at],
        load=summed(rows.load),
        expected=summed(rows.expected),
        spent=summed(rows.spent),
    )
    many = int(met.program.max(initial=0)) + 1
    pairs, where = np.unique(unit[met.row] * many + met.program, return_inverse=True)
    where, weight = where.reshape(-1), rows.expected[met.row]
    all_of_it = units.expected[pairs // many]
    return Units(
        units,
        scored[at],
        np.bincount(unit, minlength=len(at)).astype(np.float64),
        Meetings(pairs // many, pairs % many, np.bincount(where, weight * met.height) / all_of_it),
        np.bincount(where, weight) / all_of_it,
        np.bincount(where).astype(np.float64),
    )


def compare_runs(values: Floats, shares: Floats, seed: int = 0) -> list[Difference]:
    """Compare runs by how much of each was concurrent with other programs.

    Args:
        values: For each run, the time of its operations, divided by the undisturbed time of similar
            operations; positive, shape (runs,).
        shares: For each run, the part of its traffic that it moved while each program was active,
            shape (runs, programs).
        seed: Seed of the permutations.

    Returns:
        For each program, the slowdown of the runs concurrent with it, and p of a permutation test.
        The test uses the covariance of the share and the logarithm of the value. If other programs
        clearly explain the values, the program must also explain what those leave.
    """
    rng, logs = np.random.default_rng(seed), np.log(values)
    found = [difference(values[s >= ALONGSIDE], values[s < ALONGSIDE]) for s in shares.T]
    tested = [at for at, each in enumerate(found) if each.test]
    alone = {at: permuted(logs, shares[:, at], rng) for at in tested}
    order = sorted(tested, key=lambda at: alone[at])
    sure = [at for at in order if alone[at] <= _SURE][: len(logs) // _RUNS_PER_PROGRAM]
    done: dict[int, Difference] = {}
    for at in tested:
        p, others = alone[at], [other for other in sure if other != at]
        if others and p <= _PROMISING:
            known = np.column_stack([np.ones(len(logs)), shares[:, others]])
            left, share = (_left(known, column) for column in (logs, shares[:, at]))
            p = max(p, permuted(left, share, rng))
        done[at] = Difference(found[at].slowdown, (None, None), None, TEST, p)
    return [done.get(at, each) for at, each in enumerate(found)]


def _left(known: Floats, values: Floats) -> Floats:
    """Return the residuals of values after a linear fit of the columns of `known`."""
    fitted: Floats = known @ np.linalg.lstsq(known, values, rcond=None)[0]
    return values - fitted


def permuted(values: Floats, share: Floats, rng: np.random.Generator) -> float:
    """Return the two-sided p of a covariance by a permutation test.

    p is the part of all permutations of `share` for which the covariance is at least as large.

    Args:
        values: Any values, shape (runs,).
        share: Other values, in the same shape.
        rng: Random generator of the permutations.
    """
    centred, other = values - values.mean(), share - share.mean()
    size = abs(float(centred @ other)) * (1 - 1e-9)
    if size <= 0:
        return 1.0
    most = max(min(_DRAWS, _MOST_VALUES // len(values)), _FEW_DRAWS)
    drawn, larger = 0, 0
    for number in (_FEW_DRAWS, most - _FEW_DRAWS):
        orders = rng.permuted(np.tile(other, (number, 1)), axis=1)
        larger += int((np.abs(orders @ centred) >= size).sum())
        drawn += number
        if (larger + 1) / (drawn + 1) > _PROMISING:
            break
    return (larger + 1) / (drawn + 1)
