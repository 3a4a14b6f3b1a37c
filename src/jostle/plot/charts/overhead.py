"""What the figure and the table of `jostle overhead --set` have in common: the finding in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jostle.analysis.overhead import GOAL, Overhead, ProgramOverhead

#: What jostle's own runs are called beside those of other profilers.
OURS = "jostle"


def signed(share: float) -> str:
    """Return a share of 1 as a signed percentage with two digits behind the point: `+0.35 %`."""
    if not math.isfinite(share):
        return "-"
    text = f"{100 * share:+.2f} %"
    return "0.00 %" if text in ("+0.00 %", "-0.00 %") else text


def set_finding(programs: Sequence[ProgramOverhead]) -> str:
    """Return in a sentence what recording cost the programs, as thesis 5.2.2 puts it."""
    costs = {each.program: each.profilers[OURS] for each in programs if OURS in each.profilers}
    if not costs:
        return "No program was measured"
    sure = [name for name, cost in costs.items() if cost.verdict not in ("noise", "few")]
    unsure = len(costs) - len(sure)
    if not sure:
        return f"Too noisy to decide what jostle costs: {unsure} of {unsure} programs"
    medians = {name: costs[name].profiled.overhead_median for name in sure}
    below = sum(median < GOAL for median in medians.values())
    most = max(medians, key=lambda name: medians[name])
    words = (
        f"In the median, jostle costs less than {100 * GOAL:g} % in {below} of {len(sure)} "
        f"programs; most in {most}: {signed(medians[most])}"
    )
    return f"{words}; {unsure} more too noisy to decide" if unsure else words


def profilers_of(programs: Sequence[ProgramOverhead]) -> list[str]:
    """Return all profilers that programs were run under, jostle first."""
    return list(dict.fromkeys(name for each in programs for name in each.profilers))


def drawn(programs: Sequence[ProgramOverhead]) -> list[tuple[str, str, Overhead]]:
    """Return program, profiler and comparison of all that there is."""
    return [
        (each.program, name, cost)
        for each in programs
        for name, cost in each.profilers.items()
        if math.isfinite(cost.profiled.overhead_median)
    ]
