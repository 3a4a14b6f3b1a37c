"""Estimates the time that a run lost to interference, from that run alone (Shah, 2020, chapter 5).

Pure functions on tables. The public interface is `jostle.analysis`: estimate and compare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jostle.analysis.estimation.groups import BytesRule
    from jostle.analysis.estimation.model import Method, RunEstimate
    from jostle.repository.types import RunTables


def estimate(
    tables: RunTables, *, method: Method = "jostle", bytes_rule: BytesRule = "exact", seed: int = 0
) -> RunEstimate:
    """Estimate the time that a run lost to interference, from its own profile alone.

    Args:
        tables: The tables of the run, from `Repository.run_tables`.
        method: "jostle" (add up measured losses first, then infer the rest) or "thesis" (exactly
            as in Shah, 2020, section 5.1).
        bytes_rule: How method thesis compares the bytes that segments moved.
        seed: Seed of the random steps.

    Returns:
        The loss with its 95 % interval, its causes, and the parts of the run in which it occurred.

    Raises:
        EstimateError: The run has no data from which a loss can be estimated.
    """
    if method == "thesis":
        from jostle.analysis.estimation.thesis import estimate_thesis

        return estimate_thesis(tables, bytes_rule=bytes_rule, seed=seed)
    from jostle.analysis.estimation.cores import explained_by_cores
    from jostle.analysis.estimation.jostle import estimate_jostle

    return explained_by_cores(estimate_jostle(tables, seed=seed), tables.core_states)
