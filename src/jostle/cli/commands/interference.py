"""`jostle interference`: who slowed a job, on what, and by how many seconds."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.commands.batch_job import interference_parts, refuse_files
from jostle.cli.next_step import steps
from jostle.cli.options.as_user import as_user_option
from jostle.cli.options.common import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.options.figures import format_option, plot_folder, saved_json, saved_lines
from jostle.cli.output import emit_json, next_steps, show, utf8
from jostle.cli.progress import Bar
from jostle.report.models.evidence import as_json as evidence_json
from jostle.report.models.evidence import rests_on
from jostle.report.verdict.verdict import evaluate_company, interference_json

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import RunEstimate
    from jostle.analysis.identification.model import JobInterference
    from jostle.plot.figures.page import Saved

_PAINTED = 2  # resources that are drawn in the terminal


@click.command("interference")
@click.argument("job", metavar="JOB", shell_complete=complete_job)
@click.option(
    "--plot",
    "folder",
    metavar="DIR",
    help="Draw JOB above its background into DIR, a CSV beside each figure.",
)
@format_option
@as_user_option
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the permutation tests.",
)
@repository_option
@json_option
def command(
    job: str,
    folder: str | None,
    endings: tuple[str, ...],
    viewer: int | None,
    seed: int,
    repository: Path,
    as_json: bool,
) -> None:
    """Say which neighbours slowed JOB, on which resource, when, and how many seconds it cost.

    For each slice, the duration of JOB's calls is compared with what all other jobs did on the same
    file system, network or node at that time. JOB is a name, the beginning of one, `last`, or the
    number of a batch job.
    """
    place = plot_folder(folder)
    store = open_repository(repository)
    flag = repository_flag(repository)
    name, *more = store.resolve_parts(job, owner=viewer)
    if more:
        refuse_files([name, *more], folder)
        interference_parts(store, [name, *more], seed, viewer, flag, as_json=as_json)
        return
    with Bar("comparing slices", quiet=as_json) as bar:
        estimate, interference = evaluate_company(store, name, seed, viewer, bar.advance)
    saved = _draw(interference, place, endings, quiet=as_json) if place else []
    evidence = rests_on(store, [name], "interference")
    if as_json:
        answer = interference_json(estimate, interference) | {"figures": saved_json(saved)}
        emit_json(answer | evidence_json(evidence))
        return
    _present(estimate, interference)
    show(*evidence)
    if place:
        show("", *saved_lines(saved, place, reason="no resource was shared by slices"))
    suspects = [suspect.job for suspect in interference.suspects if suspect.kind == "job"]
    others = list(dict.fromkeys(suspects))[:3]
    seen = "suspects" if interference.evident else "no suspects"
    next_steps(
        *steps("interference", seen, interference.job, flag=flag, viewer=viewer, others=others)
    )


def _present(estimate: RunEstimate, interference: JobInterference) -> None:
    from rich.text import Text

    from jostle.cli.views.interference import answer, details
    from jostle.plot.charts.interference import charts
    from jostle.plot.terminal.interference import draw_blame

    show(*answer(estimate, interference))
    width = shutil.get_terminal_size((80, 24)).columns
    for chart in charts(interference, most=_PAINTED):
        lines = draw_blame(chart, width=width, unicode=utf8())
        show("", *(Text.assemble(*line) for line in lines))
    show(*details(interference))


def _draw(
    interference: JobInterference, folder: Path, endings: tuple[str, ...], *, quiet: bool
) -> list[Saved]:
    from jostle.plot.figures.interference import plans
    from jostle.plot.figures.page import draw_pages

    with Bar("drawing", quiet=quiet) as bar:
        return draw_pages(plans(interference), folder, tuple(dict.fromkeys(endings)), bar.advance)
