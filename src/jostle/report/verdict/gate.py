"""Decides for a gate (`jostle gate`) whether a run was too disturbed to be used."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from jostle.report.format.values import percent

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import RunEstimate

Finding = Literal["clean", "disturbed", "undecided"]


@dataclass(frozen=True)
class GateResult:
    """The finding of a gate about one run.

    Attributes:
        finding: One of clean (not disturbed), disturbed, or undecided.
        why: If undecided: the reason and the remedy, in sentences.
        estimate: Estimate that the finding rests on; None if there is none.
        sure: Probability of the finding; if undecided, that of the more probable of the other two
            findings; None without an estimate.
        again: Whether a repeated run may give a decision, since this one was close to the limit.
    """

    finding: Finding
    why: str = ""
    estimate: RunEstimate | None = None
    sure: float | None = None
    again: bool = False


def find(estimate: RunEstimate, most: float) -> GateResult:
    """Assess a run by the probability that its loss is above a limit.

    A run is disturbed if this is probable enough, even if little of the run could be evaluated. A
    run is clean only if the opposite is probable enough, and if at least half of the run could be
    evaluated. The required probability is that of a traffic light.

    Args:
        estimate: The estimate.
        most: Largest loss of a clean run, percent of its run time.
    """
    from jostle.analysis.estimation.light import (
        LEAST_COVERAGE,
        LEAST_RUN_S,
        SURE,
        at_most,
        what_decides,
    )

    clean = at_most(most, estimate.percent)
    if math.isnan(clean):
        return GateResult("undecided", "Its loss is not a number.", estimate)
    if estimate.run_s < LEAST_RUN_S:
        return GateResult("undecided", f"It ran for less than {LEAST_RUN_S:g} s.", estimate)
    if 1 - clean >= SURE:
        return GateResult("disturbed", estimate=estimate, sure=1 - clean)
    sure = max(clean, 1 - clean)
    if not estimate.coverage >= LEAST_COVERAGE:
        little = f"Only {percent(estimate.coverage)} of its time could be evaluated."
        return GateResult("undecided", " ".join([little, *estimate.limits[:1]]), estimate, sure)
    if clean >= SURE:
        return GateResult("clean", estimate=estimate, sure=clean)
    side = "at most" if clean >= 0.5 else "more than"
    why = (
        f"{side} {most:g} % was lost with a probability of {100 * sure:.0f} %, where "
        f"{100 * SURE:.0f} % are required. What would decide it: "
        f"{what_decides(int(clean >= 0.5), estimate.doubts)}."
    )
    return GateResult("undecided", why[0].upper() + why[1:], estimate, sure, again=True)
