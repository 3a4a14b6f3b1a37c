"""Correlates measures of placement with the speed of runs (Bhatele et al., 2013, 5.2, 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from jostle.analysis.identification.runs.with_without import FEWEST, difference
from jostle.analysis.identification.statistics.resource_tests import adjusted
from jostle.analysis.placement.program_model import (
    CommunicatorHops,
    Correlation,
    Measured,
    Noise,
    Run,
    SuspectProgram,
)

_FEWEST_PAIRS = 4  # fewest pairs of values for a correlation
_SMALL = 0.02  # spread of the computation time that is negligible
_PART = 0.1  # of the variance of run times: what explains less is no reason


def _touched(what: str) -> Callable[[Run], float | None]:
    return lambda run: next((part.number for part in run.shape.touched if part.what == what), None)


#: Measures of placement; if several correlate equally with the rate, the first is named first: what
#: a job shares with others before its own position.
MEASURES: dict[str, Callable[[Run], float | None]] = {
    "conflicting_routers": lambda run: run.company.conflicting_routers,
    "shared_routers": lambda run: run.company.shared_routers,
    "shared_links": lambda run: run.company.shared_links,
    "routers": lambda run: run.shape.routers,
    "hops": lambda run: run.shape.hops,
    "communicator_hops": lambda run: run.communicator_hops,
    "contiguity": lambda run: run.shape.contiguity,
    "pieces": lambda run: run.shape.pieces,
    "leaves": _touched("leaf"),
    "pods": _touched("pod"),
    "groups": _touched("group"),
}


def correlation(left: Sequence[float | None], right: Sequence[float | None]) -> Correlation:
    """Correlate two columns, without the rows in which one of the values is not known."""
    from scipy import stats

    rows = [(a, b) for a, b in zip(left, right, strict=True) if a is not None and b is not None]
    table = np.array(rows, np.float64).reshape(-1, 2)
    if len(rows) < _FEWEST_PAIRS or not np.ptp(table, axis=0).all():
        return Correlation(len(rows), None, None, None, None)
    pearson, spearman = stats.pearsonr(*table.T), stats.spearmanr(*table.T)
    return Correlation(
        len(rows),
        float(pearson.statistic),
        float(pearson.pvalue),
        float(spearman.statistic),
        float(spearman.pvalue),
    )


def measured(runs: Sequence[Run]) -> tuple[Measured, ...]:
    """Correlate every measure of placement with messaging rate and run time.

    The measure with the strongest correlation with the rate is first, by the absolute value of
    Spearman's rho. Values that round to the same tenth count as equal, and their measures are in
    the order of MEASURES. Measures with the same value in all runs are last.
    """
    rates, times = [run.rate for run in runs], [run.seconds for run in runs]
    rows = []
    for key, value in MEASURES.items():
        values = [value(run) for run in runs]
        if any(each is not None for each in values):
            rows.append(
                Measured(key, tuple(values), correlation(values, rates), correlation(values, times))
            )
    return tuple(sorted(rows, key=_weakness))


def _weakness(row: Measured) -> float:
    return 1.0 if row.rate.spearman is None else -round(abs(row.rate.spearman), 1)


def suspects(runs: Sequence[Run]) -> tuple[SuspectProgram, ...]:
    """Compare runs with and without each concurrent program that may use the same links."""
    known = [
        (run.rate, {each.program for each in run.company.meetings if each.conflicting})
        for run in runs
        if run.rate is not None
    ]
    rows = []
    for program in sorted({name for _, names in known for name in names if name}):
        alongside = np.array([rate for rate, names in known if program in names])
        without = np.array([rate for rate, names in known if program not in names])
        if min(len(alongside), len(without)) < FEWEST:
            continue
        tested = difference(alongside, without)
        size = tested.slowdown
        rows.append(
            SuspectProgram(
                program,
                tuple(alongside.tolist()),
                tuple(without.tolist()),
                (size.value, size.low, size.high) if size else None,
                tested.normal,
                tested.equal_variance,
                tested.test,
                tested.p,
            )
        )
    q = adjusted([1.0 if row.p is None else row.p for row in rows])
    rows = [replace(row, q=each) for row, each in zip(rows, q, strict=True)]
    return tuple(sorted(rows, key=lambda row: (row.q if row.q is not None else 1.0, row.program)))


def noise(runs: Sequence[Run]) -> Noise | None:
    """Assess whether computation times vary between runs, as noise of the system would cause.

    None if there are too few runs.
    """
    compute = np.array([run.compute_s.mean for run in runs])
    mpi = np.array([run.mpi_s.mean for run in runs])
    total = np.array([run.seconds for run in runs])
    if len(runs) < FEWEST or compute.mean() <= 0 or mpi.mean() <= 0:
        return None
    spread = float(compute.std(ddof=1) / compute.mean())
    varies = total.var()
    parts = [
        float(np.cov(each, total, bias=True)[0, 1] / varies) if varies > 0 else 0.0
        for each in (compute, mpi)
    ]
    own = [run.compute_s for run in runs if run.compute_s.mean > 0]
    return Noise(
        spread,
        float(mpi.std(ddof=1) / mpi.mean()),
        max((1 - each.min / each.mean for each in own), default=0.0),
        max((each.max / each.mean - 1 for each in own), default=0.0),
        parts[0],
        parts[1],
        spread < _SMALL or parts[0] < _PART,
    )


def communicator_hops(runs: Sequence[Run]) -> CommunicatorHops | None:
    """Correlate the hops of communicators with the time in their collectives."""
    timed = [
        run
        for run in runs
        if any(each.seconds is not None and each.hops > 0 for each in run.communicators)
    ]
    rated = [run for run in timed if run.rate is not None]
    if not rated:
        return None
    chosen = [min(rated, key=lambda run: run.rate or 0), max(rated, key=lambda run: run.rate or 0)]
    chosen.append(max(rated, key=lambda run: run.shape.contiguity or 0.0))
    return CommunicatorHops(
        _of_communicators(timed), {run.job: _of_communicators([run]) for run in chosen}
    )


def _of_communicators(runs: Sequence[Run]) -> Correlation:
    rows = [each for run in runs for each in run.communicators if each.hops > 0]
    return correlation([each.hops for each in rows], [each.seconds for each in rows])
