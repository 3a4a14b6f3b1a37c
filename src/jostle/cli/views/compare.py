"""Why runs took different times, in words and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, heading, table
from jostle.cli.views.estimate import light_of, percent_within
from jostle.report.format.causes import CAUSES
from jostle.report.format.values import alike, count, seconds
from jostle.report.verdict.compare import finding, large

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import (
        CauseName,
        Comparison,
    )

_MOST_CLUSTERS = 8


def signed(value: float) -> str:
    """Return a difference with its sign: `+33.0 s`; `0 s` for none."""
    if abs(value) < 1e-9:
        return "0 s"
    return f"+{seconds(value)}" if value > 0 else seconds(value)


def view(comparison: Comparison) -> Iterator[Any]:
    """Yield the comparison as lines and tables, the finding first."""
    yield heading(finding(comparison))
    yield ""
    yield _runs(comparison)
    yield (
        "measured: longer than the fastest run; estimated: interference of each run's own "
        "estimate; displaced: everything slower; work: segments that only one of both has"
    )
    if any(any(values) for values in comparison.by_cause.values()):
        yield from ("", heading("By cause", "  more than the fastest run"), _causes(comparison))
    if comparison.clusters:
        yield from (
            "",
            heading("By cluster", "  those that explain most first"),
            _clusters(comparison),
        )
    if comparison.limits:
        yield ""
    yield from (f"note: {limit}" for limit in alike(comparison.limits))


def _runs(comparison: Comparison) -> Any:
    frame = table(["=run", "=light", ">interference", ">run time", ">measured", ">estimated",
                   ">displaced", ">work", ">unexplained"])  # fmt: skip
    for number, estimate in enumerate(comparison.estimates):
        base = number == comparison.baseline
        pieces = (
            comparison.measured_s,
            comparison.estimated_s,
            comparison.displaced_s,
            comparison.work_s,
            comparison.unexplained_s,
        )
        frame.add_row(
            estimate.job, light_of(estimate.light), percent_within(estimate.percent),
            seconds(estimate.run_s),
            *(["fastest", "-", "-", "-", "-"] if base else [signed(p[number]) for p in pieces]),
        )  # fmt: skip
    return fit(frame, "work", "light")


def _causes(comparison: Comparison) -> Any:
    frame = table(["=", *(f">{estimate.job}" for estimate in comparison.estimates)])
    for name, values in comparison.by_cause.items():
        if any(values):
            cause: CauseName = name  # type: ignore[assignment]
            frame.add_row(CAUSES.get(cause, name), *map(signed, values))
    return frame


def _clusters(comparison: Comparison) -> Any:
    """Return the table of the clusters that explain most: members x usual length + loss per run."""
    frame = table(
        ["=ended by", *(f">{estimate.job}" for estimate in comparison.estimates), ">difference"]
    )
    slowest = max(range(len(comparison.estimates)), key=lambda run: comparison.measured_s[run])
    shown = large(comparison)[:_MOST_CLUSTERS]
    for row in shown:
        cells = [
            f"{count(number)} x {seconds(usual)}" + (f" +{seconds(lost)}" if lost > 0 else "")
            if number else "-"
            for number, usual, lost in zip(row.members, row.reference_s, row.excess_s, strict=True)
        ]  # fmt: skip
        longer = row.total_s[slowest] - row.total_s[comparison.baseline]
        frame.add_row(row.name, *cells, signed(longer))
    more = len(comparison.clusters) - len(shown)
    if more > 0:
        frame.add_row(f"{more} more", *[""] * len(comparison.estimates), "")
    return frame
