"""Texts that the figure and the table of `jostle overhead --set` share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jostle.analysis.overhead import GOAL, Overhead, ProgramOverhead

#: Name of jostle's runs where runs with other profilers are shown as well.
OURS = "jostle"


def signed(share: float) -> str:
    """Format a share of 1 as a signed percentage with two decimal places: `+0.35 %`."""
    if not math.isfinite(share):
        return "-"
    text = f"{100 * share:+.2f} %"
    return "0.00 %" if text in ("+0.00 %", "-0.00 %") else text


def set_finding(programs: Sequence[ProgramOverhead]) -> str:
    """Return the overhead of recording in a sentence, as in Shah, 2020, section 5.2.2."""
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
    """Return program, profiler and comparison for all programs and profilers with data."""
    return [
        (each.program, name, cost)
        for each in programs
        for name, cost in each.profilers.items()
        if math.isfinite(cost.profiled.overhead_median)
    ]
