"""Shows why runs took different times, as text and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, heading, light_of, table
from jostle.cli.views.estimate import percent_within
from jostle.report.format.causes import CAUSES
from jostle.report.format.values import alike, count, seconds
from jostle.report.verdict.compare import finding, large

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import CauseName, Comparison
    from jostle.report.verdict.regression import GroupFinding
    from jostle.report.verdict.run_ratios import GroupRatio, RunRatios

_MOST_CLUSTERS = 8
_MARKS, _ESCAPED = re.compile(r"([|*_`\\])"), r"\\\1"  # characters with a meaning in Markdown


def signed(value: float) -> str:
    """Return a difference with its sign: `+33.0 s`; `0 s` for none."""
    if abs(value) < 1e-9:
        return "0 s"
    return f"+{seconds(value)}" if value > 0 else seconds(value)


def view(comparison: Comparison, ratios: RunRatios) -> Iterator[Any]:
    """Yield the comparison as lines and tables, the finding first."""
    yield heading(finding(comparison))
    yield ""
    yield _runs(comparison, ratios)
    base = "the fastest run" if _fastest(comparison) else ratios.baseline
    yield (
        f"measured: run time beyond that of {base}; estimated: the part that its own estimate "
        "calls interference; displaced: all work was slower alike; work: what only one of the two "
        "did, and what is too rare to compare; unexplained: the rest"
    )
    if ratios.repeated:
        about = f"  ratio: mean run time over that of {ratios.baseline_group}"
        yield from ("", heading("Run times", about), _groups(ratios))
    if any(any(values) for values in comparison.by_cause.values()):
        yield from ("", heading("By cause", f"  more than {base}"), _causes(comparison))
    if comparison.clusters:
        yield from (
            "",
            heading("By cluster", "  those that explain most first"),
            _clusters(comparison),
        )
    if comparison.limits:
        yield ""
    yield from (f"note: {limit}" for limit in alike(comparison.limits))


def _fastest(comparison: Comparison) -> bool:
    """Return whether the baseline is the fastest run."""
    return min(comparison.measured_s) >= 0


def ratio_label(ratio: float) -> str:
    """Return a ratio of run times: `1.39`."""
    return f"{ratio:.2f}"


def group_cells(group: GroupRatio) -> tuple[str, ...]:
    """Return a group of runs as texts: name, runs, median, mean, least to most, ratio, interval."""
    mean = seconds(group.mean_s)
    mean += f" ± {seconds(group.std_s)}" if group.std_s is not None else ""
    interval = "-"
    if group.low is not None and group.high is not None:
        interval = f"{ratio_label(group.low)} to {ratio_label(group.high)}"
    return (
        group.group,
        count(group.runs),
        seconds(group.median_s),
        mean,
        f"{seconds(group.min_s)} to {seconds(group.max_s)}",
        ratio_label(group.ratio),
        interval,
    )


def _groups(ratios: RunRatios) -> Any:
    frame = table(
        [
            "=runs of",
            ">runs",
            ">median",
            ">mean ± s.d.",
            ">least to most",
            ">ratio",
            ">95 % interval",
        ]
    )
    for group in ratios.groups:
        frame.add_row(*group_cells(group))
    return fit(frame, "least to most")


def gate_sentence(found: GroupFinding, most: float) -> str:
    """Return the finding of a gate on a group of runs, one sentence."""
    ratio = found.ratio
    if ratio is None:
        return f"undecided: {found.why}"
    took = (
        f"without interference {ratio_label(ratio.value)} times the baseline's run time "
        f"({ratio_label(ratio.low)} to {ratio_label(ratio.high)})"
    )
    limit = f"where {ratio_label(1 + most / 100)} are allowed"
    text = f"{found.finding}: {took}, {limit}"
    return f"{text}. {found.why}" if found.why else text


def gate_lines(findings: Sequence[GroupFinding], most: float) -> Iterator[Any]:
    """Yield the finding of a gate on each group of runs."""
    for each in findings:
        yield heading("gate:", f" {each.group}: {gate_sentence(each, most)}")


def markdown_tables(comparison: Comparison, ratios: RunRatios) -> Iterator[str]:
    """Yield the run times, and those of groups if runs are repeated, as tables in Markdown.

    Each run is shown with its light: the time of a disturbed run says little about the program.
    """
    if ratios.repeated:
        names = (
            "Runs of",
            "Runs",
            "Median",
            "Mean ± s.d.",
            "Least to most",
            "Ratio",
            "95 % interval",
        )
        yield from _markdown(names, map(group_cells, ratios.groups))
        yield ""
    rows = (
        (
            run.job,
            seconds(run.run_s),
            ratio_label(run.ratio),
            percent_within(estimate.percent),
            estimate.light or "undecided",
        )
        for run, estimate in zip(ratios.runs, comparison.estimates, strict=True)
    )
    yield from _markdown(("Run", "Run time", "Ratio", "Interference", "Light"), rows)


def _markdown(names: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a table whose first column is on the left, and all others on the right."""
    yield f"| {' | '.join(names)} |"
    yield f"|:---|{'---:|' * (len(names) - 1)}"
    for row in rows:
        yield f"| {' | '.join(_MARKS.sub(_ESCAPED, text) for text in row)} |"


def _runs(comparison: Comparison, ratios: RunRatios) -> Any:
    frame = table(
        [
            "=run",
            "=light",
            ">interference",
            ">run time",
            ">ratio",
            ">measured",
            ">estimated",
            ">displaced",
            ">work",
            ">unexplained",
        ]
    )
    named = "fastest" if _fastest(comparison) else "baseline"
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
            estimate.job,
            light_of(estimate.light),
            percent_within(estimate.percent),
            seconds(estimate.run_s),
            ratio_label(ratios.runs[number].ratio),
            *([named, "-", "-", "-", "-"] if base else [signed(p[number]) for p in pieces]),
        )
    # All parts of the difference are shown: else they would not add up to the measured one.
    return fit(frame, "light")


def _causes(comparison: Comparison) -> Any:
    frame = table(["=", *(f">{estimate.job}" for estimate in comparison.estimates)])
    for name, values in comparison.by_cause.items():
        if any(values):
            cause: CauseName = name  # type: ignore[assignment]
            frame.add_row(CAUSES.get(cause, name), *map(signed, values))
    return frame


def _clusters(comparison: Comparison) -> Any:
    """Return the table of the clusters that explain most, with a row per run."""
    frame = table(["=ended by", "=run", ">segments", ">usually", ">lost", ">difference"])
    farthest = max(
        range(len(comparison.estimates)), key=lambda run: abs(comparison.measured_s[run])
    )
    shown = large(comparison)[:_MOST_CLUSTERS]
    for row in shown:
        of_runs = zip(row.members, row.reference_s, row.excess_s, strict=True)
        for run, (number, usual, lost) in enumerate(of_runs):
            longer = row.total_s[run] - row.total_s[comparison.baseline]
            frame.add_row(
                row.name,
                comparison.estimates[run].job,
                count(number),
                seconds(usual) if number else "-",
                seconds(lost) if lost > 0 else "-",
                signed(longer) if run == farthest else "",
            )
    more = len(comparison.clusters) - len(shown)
    if more > 0:
        frame.add_row(f"{more} more", *[""] * 5)
    return fit(frame, "difference")
