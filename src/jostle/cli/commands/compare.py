"""`jostle compare`: why runs of one program took different times (thesis 5.1.4)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

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

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Comparison
    from jostle.plot.figures.page import Saved


@click.command("compare")
@click.argument("jobs", metavar="JOB JOB...", nargs=-1, required=True, shell_complete=complete_job)
@estimation_options
@click.option("--plot", "folder", metavar="DIR",
              help="Draw the runs' clusters side by side into DIR, CSV beside.")  # fmt: skip
@format_option
@repository_option
@json_option
def command(
    jobs: tuple[str, ...],
    method: str,
    bytes_rule: str | None,
    seed: int,
    folder: str | None,
    endings: tuple[str, ...],
    repository: Path,
    as_json: bool,
) -> None:
    """Say why runs of one program took different times: by cause, and by cluster of segments.

    The fastest run is the baseline. What a run took longer is measured; how much of it was
    interference is estimated from each run alone.
    """
    how, place = how_to_estimate(method, bytes_rule, seed), plot_folder(folder)
    store = open_repository(repository)
    names = list(dict.fromkeys(store.resolve_job(job) for job in jobs))
    if len(names) < 2:
        raise UsageError(
            "One run cannot be compared with itself.",
            hint=f"jostle estimate {names[0]}, or name another run; `jostle jobs` lists them.",
        )
    with Bar("pricing", quiet=as_json) as bar:
        comparison = compare_jobs(store, names, how, advance=bar.advance)
    saved = _draw(comparison, place, endings, quiet=as_json) if place else []
    if as_json:
        emit_json(compare_json(comparison) | {"figures": saved_json(saved)})
        return
    from jostle.cli.views.compare import view

    show(*view(comparison))
    if place:
        show("", *saved_lines(saved, place, reason="the runs have nothing"))
    flag = repository_flag(repository)
    worst = max(comparison.estimates, key=lambda estimate: estimate.percent.value)
    plot = [] if place else [f"jostle compare{flag} {' '.join(names)} --plot DIR"]
    next_steps(f"jostle estimate{flag} {worst.job}", *plot)


def _draw(
    comparison: Comparison, folder: Path, endings: tuple[str, ...], *, quiet: bool
) -> list[Saved]:
    from jostle.plot.figures.estimate.compare import plans
    from jostle.plot.figures.page import draw_pages

    with Bar("drawing", quiet=quiet) as bar:
        return draw_pages(plans(comparison), folder, tuple(dict.fromkeys(endings)), bar.advance)
