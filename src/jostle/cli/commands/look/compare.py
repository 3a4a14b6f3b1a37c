"""`jostle compare`: why runs of one program took different times (Shah, 2020, section 5.1.4)."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.next_step import steps
from jostle.cli.options.ci_reports import check_ci_reports, ci_report_options, write_ci_reports
from jostle.cli.options.common import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.options.estimate import estimation_options, how_to_estimate
from jostle.cli.options.figures import format_option, plot_folder, saved_json, saved_lines
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.report.verdict.compare import compare_jobs, compare_json
from jostle.report.verdict.regression import regressions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jostle.analysis.estimation.model import Comparison
    from jostle.plot.figures.page import Saved
    from jostle.report.verdict.regression import Finding, GroupFinding
    from jostle.repository import Repository

#: Exit status of runs that are slower; that of undecided ones is the next number, as for `run
#: --gate`.
SLOWER = 3


@click.command("compare")
@click.argument("jobs", metavar="JOB JOB...", nargs=-1, required=True, shell_complete=complete_job)
@estimation_options
@click.option(
    "--baseline",
    metavar="JOB",
    shell_complete=complete_job,
    help="Job that the others are compared with [the fastest].",
)
@click.option(
    "--gate",
    type=click.FloatRange(0, 1000),
    metavar="PERCENT",
    help="With --baseline: exit with status 3 if other runs are slower than the baseline by "
    "more than PERCENT even without the time lost to interference, with 4 if this is "
    "undecided.",
)
@ci_report_options
@click.option(
    "--markdown", is_flag=True, help="Print only the run times and ratios, as Markdown tables."
)
@click.option(
    "--plot",
    "folder",
    metavar="DIR",
    help="Draw the clusters of the runs side by side into DIR, with a CSV file for each figure.",
)
@format_option
@repository_option
@json_option
def command(
    jobs: tuple[str, ...],
    method: str,
    bytes_rule: str | None,
    seed: int,
    baseline: str | None,
    gate: float | None,
    junit: str | None,
    annotate: str | None,
    markdown: bool,
    folder: str | None,
    endings: tuple[str, ...],
    repository: Path,
    as_json: bool,
) -> int:
    """Show why runs of one program took different times, by cause and by cluster of segments.

    The fastest run is the baseline. The additional time of a run is measured; the part that was
    interference is estimated from each run alone. A JOB with `*` or `?` is a pattern: the jobs that
    it matches are one group. Other jobs are grouped by program.
    """
    if markdown and as_json:
        raise UsageError(
            "`--markdown` and `--json` exclude each other.", hint="Leave out one of them."
        )
    check_ci_reports(gate, junit, annotate)
    if gate is not None and baseline is None:
        raise UsageError(
            "--gate needs --baseline.",
            hint="For example: jostle compare 'old-*' 'new-*' --baseline old-1 --gate 5",
        )
    how, place = how_to_estimate(method, bytes_rule, seed), plot_folder(folder)
    store = open_repository(repository)
    names, groups = _chosen(store, jobs)
    if len(names) < 2:
        raise UsageError(
            "One run cannot be compared with itself.",
            hint=f"jostle estimate {names[0]}, or name a second run; `jostle jobs` lists them.",
        )
    base = None if baseline is None else store.resolve_job(baseline)
    if base is not None and base not in names:
        names.append(base)
    quiet = as_json or markdown
    with Bar("estimating", quiet=quiet) as bar:
        comparison, ratios = compare_jobs(
            store, names, how, baseline=base, groups=groups, advance=bar.advance
        )
    saved = _draw(comparison, place, endings, quiet=quiet) if place else []
    findings: list[GroupFinding] = []
    status = 0
    if gate is not None:
        findings = regressions(comparison.estimates, ratios, gate)
        status = _end(findings, gate, junit, annotate)
    if as_json:
        content = compare_json(comparison, ratios) | {"figures": saved_json(saved)}
        gated = {"gate": [each.to_json() for each in findings]} if findings else {}
        emit_json(content | gated)
        return status
    from jostle.cli.views.compare import gate_lines, markdown_tables, view

    if markdown:
        click.echo("\n".join(markdown_tables(comparison, ratios)))
        return status
    show(*view(comparison, ratios))
    if gate is not None:
        show("", *gate_lines(findings, gate))
    if place:
        show("", *saved_lines(saved, place, reason="the runs have nothing"))
    flag = repository_flag(repository)
    worst = max(comparison.estimates, key=lambda estimate: estimate.percent.value)
    next_steps(*steps("compare", "runs", worst.job, flag=flag))
    return status


def _end(
    findings: Sequence[GroupFinding], gate: float, junit: str | None, annotate: str | None
) -> int:
    """Write the requested reports; return the exit status.

    Raises:
        UsageError: There is no group to compare with the baseline.
    """
    from jostle.ci.reports import Case, Outcome
    from jostle.cli.views.compare import gate_sentence

    if not findings:
        raise UsageError(
            "All runs are in the baseline's group, so --gate has no group to compare.",
            hint="Group them by patterns: jostle compare 'old-*' 'new-*' --baseline old-1 --gate 5",
        )
    outcomes: dict[Finding, Outcome] = {
        "slower": "failed",
        "no slower": "passed",
        "undecided": "skipped",
    }
    cases = [
        Case(
            "jostle compare",
            each.group,
            outcomes[each.finding],
            gate_sentence(each, gate),
            each.run_s,
        )
        for each in findings
    ]
    write_ci_reports(cases, junit, annotate)
    found = {each.finding for each in findings}
    return SLOWER if "slower" in found else SLOWER + 1 if "undecided" in found else 0


def _chosen(store: Repository, jobs: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    """Return the jobs that were named, each once, and the pattern of each group.

    Raises:
        UsageError: A pattern matches no job.
    """
    names: list[str] = []
    groups: dict[str, str] = {}
    for word in jobs:
        if not any(sign in word for sign in "*?"):
            names.append(store.resolve_job(word))
            continue
        known = store.jobs().column("job").to_pylist()
        found = [name for name in known if fnmatch.fnmatchcase(name, word)]
        if not found:
            raise UsageError(f"No job matches `{word}`.", hint="`jostle jobs` lists them.")
        names += found
        groups = dict.fromkeys(found, word) | groups  # the first pattern that matches counts
    return list(dict.fromkeys(names)), groups


def _draw(
    comparison: Comparison, folder: Path, endings: tuple[str, ...], *, quiet: bool
) -> list[Saved]:
    from jostle.plot.figures.estimate.compare import plans
    from jostle.plot.figures.page import draw_pages

    with Bar("drawing", quiet=quiet) as bar:
        return draw_pages(plans(comparison), folder, tuple(dict.fromkeys(endings)), bar.advance)
