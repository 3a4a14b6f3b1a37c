"""Compares runs as wholes where the time of calls is known only for the whole run (Darshan logs).

When such a run moved bytes is known by slices, but not which of its calls were slow. So a run is
one value (the time of its operations over that of like ones), and one share per other program: how
much of its traffic it moved while the other was active. Under the null hypothesis the expectation
of that share does not depend on how long a run took, whereas a longer run does meet more programs.
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
    """Rows of jobs concurrent with other programs: one entry per row and program.

    Attributes:
        row: Row of the job.
        program: The other program.
        height: Load of the other program, as a part of its usual load.
    """

    row: Ints
    program: Ints
    height: Floats


@dataclass(frozen=True)
class Units:
    """The units that are compared on resources of one kind: slices, or whole runs.

    Attributes:
        rows: One row per unit; that of a run begins where the run does.
        scored: Whether each unit is compared.
        slices: Number of slices of each unit.
        met: Units concurrent with other programs; the height of a run is the mean over its traffic.
        share: Per meeting, the part of the unit's undisturbed time concurrent with the program.
        alongside: Per meeting, the number of slices that were.
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
        scored: Which of them are compared.
        met: Those of them that were concurrent with other programs.
        whole: Per job, whether its times are known only as totals.
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
        values: Per run, the time of its operations over that of like ones; positive, shape (runs,).
        shares: Per run, the part of its traffic that it moved concurrently with each program, shape
            (runs, programs).
        seed: Seed of the permutations.

    Returns:
        For each program the slowdown of the runs concurrent with it, and p of a permutation test of
        the covariance of share and logarithm of the value. A program that ran together with others
        that explain the values must also explain what these leave.
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
    """Return the residuals of values after a linear fit of columns."""
    fitted: Floats = known @ np.linalg.lstsq(known, values, rcond=None)[0]
    return values - fitted


def permuted(values: Floats, share: Floats, rng: np.random.Generator) -> float:
    """Return the two-sided p of a covariance: the part of permutations in which it is as large.

    Args:
        values: Any numbers, shape (runs,).
        share: As many numbers.
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
