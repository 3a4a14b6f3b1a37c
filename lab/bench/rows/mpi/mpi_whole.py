"""Measures whole MPI programs: bare, under jostle (slices, segments), and under its peers, in turn.

The time is that from MPI_Init to MPI_Finalize, as in Shah, 2020, section 2.2.1; outliers are
removed by the modified Z-score, and the figure is a mean with its 99 % interval.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from measure import BARE, OURS, Bench, MissingError, Row, Samples, alternate, joined
from mpi import RANKS, counted, emptied, variants
from profiles import totals
from rows.mpi.mpi_cases import HPCC, HYBRID, ICOFOAM, LAMMPS, TRANSPOSE, Case, Prepared, prepare

CASES = [LAMMPS, ICOFOAM, HPCC, TRANSPOSE, HYBRID]
LIMIT = 0.01
NOISE = 0.03  # half an interval: with more, no conclusion is possible from no difference
SECONDS = 1.6  # of each run, between MPI_Init and MPI_Finalize
ROUNDS = 10
ALONE = 2  # times as many where no other profiler is compared


@dataclass(frozen=True)
class Share:
    """A mean share by which one kind of runs is longer than another, with its 99 % interval."""

    mean: float
    half: float
    kept: int

    def __str__(self) -> str:
        return f"{100 * self.mean:+.2f} ± {100 * self.half:.2f} %"


def share(longer: Sequence[float], shorter: Sequence[float]) -> Share:
    """The mean of the rounds' ratios, less 1; each round ran both within seconds of each other."""
    from jostle.analysis.overhead import interval, outliers

    ratios = [a / b - 1 for a, b in zip(longer, shorter, strict=True)]
    kept = [x for x, out in zip(ratios, outliers(ratios), strict=True) if not out]
    mean, low, high = interval(kept)
    return Share(mean, (high - low) / 2, len(kept))


def whole_row(prepared: Prepared, samples: Samples, account: str) -> Row:
    """What jostle adds to a program; the target is on the mean.

    Args:
        prepared: The program.
        samples: Its times by variant, in seconds.
        account: The overhead that jostle itself recorded, as text for the row's note.
    """
    cost = share(samples[OURS], samples[BARE])
    bare, ours = (statistics.median(samples[name]) * 1e3 for name in (BARE, OURS))
    drifts = [abs(b / a - 1) for a, b in zip(samples[BARE], samples[BARE][1:], strict=False)]
    drift = statistics.median(drifts) if drifts else math.nan
    notes = [
        account,
        f"mean {cost}, 99 % interval; {cost.kept} of {len(samples[BARE])} alternations kept",
        f"one bare run and the next differ by {100 * drift:.1f} %",
    ]
    reached: bool | None = cost.mean <= LIMIT
    if abs(cost.mean - LIMIT) < cost.half:
        notes.append("1 % is in the interval")
        if cost.half > LIMIT:
            notes[-1] = "too noisy to decide"
            reached = None
    return Row(
        "mpi-whole",
        f"whole program: {prepared.case.name}",
        "ms",
        "<= 1 % (mean)",
        reached,
        bare,
        ours,
        ours - bare,
        cost.half,
        1 + cost.mean,
        note=joined(notes),
    )


def peer_row(prepared: Prepared, samples: Samples) -> Row | None:
    """Compare jostle with the profilers that are installed; the target is on the fastest."""
    costs = {name: share(found, samples[BARE]) for name, found in samples.items() if name != BARE}
    ours = costs.pop(OURS)
    if not costs:
        return None
    best = min(costs, key=lambda name: costs[name].mean)
    between = share(samples[OURS], samples[best])
    medians = {name: statistics.median(found) * 1e3 for name, found in samples.items()}
    notes = [f"jostle {ours}", *(f"{name} {cost}" for name, cost in costs.items())]
    notes.append(f"jostle over {best}: {between}")
    reached: bool | None = between.mean <= between.half
    if abs(between.mean) < between.half:
        notes.append("no difference to be seen")
        if between.half > NOISE:
            reached = None
    return Row(
        "mpi-whole",
        f"compared with other profilers: {prepared.case.name}",
        "ms",
        "<= the fastest",
        reached,
        medians[BARE],
        medians[OURS],
        medians[OURS] - medians[BARE],
        between.half,
        1 + ours.mean,
        medians[best] - medians[BARE],
        joined(notes),
        best,
    )


def measured(bench: Bench, case: Case) -> list[Row]:
    """Measure a program bare, under jostle, and under each of its peers."""
    prepared = prepare(bench, case, SECONDS)
    spool = emptied(bench.disk / "spool-mpi-whole")
    turns = variants(bench, spool, with_peers=True)
    accounts = []

    def once(variant: Mapping[str, str]) -> float:
        emptied(spool)
        seconds = prepared.once(bench, variant)
        if variant is turns[OURS]:
            if problem := counted(spool, ["mpi_init_ops"], RANKS):
                raise RuntimeError(problem)
            accounts.append(totals(spool).get("self_cost_ns", 0) / RANKS / seconds / 1e9)
        return seconds

    rounds = ROUNDS if len(turns) > len((BARE, OURS)) else ALONE * ROUNDS
    samples = alternate(turns, bench.rounds(rounds), once)
    if any(math.isnan(value) for found in samples.values() for value in found):
        raise RuntimeError("a run without MPI_Init and MPI_Finalize")
    account = f"by its own account {100 * statistics.median(accounts):.2f} %"
    rows = [whole_row(prepared, samples, account), peer_row(prepared, samples)]
    return [row for row in rows if row]


def rows(bench: Bench, case: Case) -> list[Row]:
    """Measure a program, if it is installed."""
    if case.installed:
        return measured(bench, case)
    raise MissingError(f"{case.name}: not installed")
