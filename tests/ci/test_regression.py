"""Whether a program became slower: by run times minus the time lost to interference."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from jostle.analysis.interval import Interval
from jostle.report.verdict.regression import regressions
from jostle.report.verdict.run_ratios import run_ratios


def runs(
    own_s: list[float], lost_s: list[float], width: float = 0.02
) -> list[tuple[float, Interval]]:
    """Runs of the work `own_s`, with so many seconds lost, known to a share of the work."""
    return [
        (own + lost, Interval(lost, max(lost - width * own, 0.0), lost + width * own))
        for own, lost in zip(own_s, lost_s, strict=True)
    ]


def found(old: list[tuple[float, Interval]], new: list[tuple[float, Interval]], most: float):
    named = {f"old-{n}": run for n, run in enumerate(old)}
    named |= {f"new-{n}": run for n, run in enumerate(new)}
    estimates = [
        SimpleNamespace(
            job=job, run_s=run_s, lost_s=lost, light="green" if lost.value < 0.1 * run_s else "red"
        )
        for job, (run_s, lost) in named.items()
    ]
    groups = {job: job.split("-")[0] for job in named}
    ratios = run_ratios({job: run_s for job, (run_s, _) in named.items()}, groups, "old-0")
    (only,) = regressions(estimates, ratios, most)  # type: ignore[arg-type]
    return only


QUIET = runs([10.0, 10.05, 9.95], [0, 0, 0])


@pytest.mark.parametrize(
    ("own", "lost", "finding"),
    [
        ([12.0, 12.1, 11.9], [0, 0, 0], "slower"),
        ([12.0, 12.1, 11.9], [3, 4, 5], "slower"),  # disturbed as well
        ([10.0, 10.1, 9.9], [0, 0, 0], "no slower"),
        ([10.0, 10.1, 9.9], [5, 2, 4], "no slower"),  # its run times are longer, not its work
        ([9.0, 9.1, 8.9], [0, 0, 0], "no slower"),
        ([10.7, 10.8, 10.9], [0, 0, 0], "undecided"),
        ([12.0, 12.1], [0, 0], "undecided"),
    ],
)
def test_what_was_lost_to_others_is_no_regression(
    own: list[float], lost: list[float], finding: str
) -> None:
    only = found(QUIET, runs(own, lost), 7.5)
    assert only.finding == finding, only
    assert only.group == "new"
    if finding == "undecided":
        assert "What would decide it: more runs." in only.why
    else:
        assert only.why == ""
        assert only.ratio.value == pytest.approx(np.mean(own) / 10)
        assert only.ratio.low < only.ratio.value < only.ratio.high


def test_a_disturbed_run_that_leaves_it_open_is_named() -> None:
    new = runs([10.0, 10.1, 9.9], [0, 0, 3], width=0.1)
    only = found(QUIET, new, 5)
    assert only.finding == "undecided"
    assert "undisturbed runs in place of new-2" in only.why


def test_findings_are_as_certain_as_they_claim() -> None:
    """Of runs that are exactly as slow as allowed, hardly any are called slower."""
    draw = np.random.default_rng(7)
    wrong = 0
    for _ in range(300):
        old = runs(draw.normal(10, 0.2, 5).tolist(), [0.0] * 5, width=0)
        new = runs(draw.normal(10.5, 0.2, 5).tolist(), draw.uniform(0, 4, 5).tolist(), width=0)
        wrong += found(old, new, 5).finding == "slower"
    assert wrong <= 0.05 * 300
