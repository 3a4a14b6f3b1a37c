"""`jostle interference`: which jobs slowed a job, on which resource, and by how many seconds."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
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
    seed_option,
)
from jostle.cli.options.figures import format_option, plot_folder, saved_json, saved_lines
from jostle.cli.output import emit_json, next_steps, show, utf8
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.report.models.job.evidence import as_json as evidence_json
from jostle.report.models.job.evidence import rests_on
from jostle.report.verdict.verdict import evaluate_company, interference_json
from jostle.report.verdict.whole_runs import is_whole, whole_run

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import RunEstimate
    from jostle.analysis.identification.model import JobInterference
    from jostle.plot.figures.page import Saved
    from jostle.repository import Repository

_PAINTED = 2  # resources that are drawn in the terminal


@click.command("interference")
@click.argument("job", metavar="JOB", shell_complete=complete_job)
@click.option(
    "--plot",
    "folder",
    metavar="DIR",
    help="Draw JOB above its background into DIR, with a CSV file for each figure.",
)
@format_option
@as_user_option
@seed_option
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
    """Show which concurrent jobs slowed JOB, on which resource, when, and by how many seconds.

    For each slice, the duration of JOB's calls is compared with the load of all other jobs on the
    same file system, network or node at that time. An imported job whose calls are known for the
    whole run only is compared with other runs of its program, with and without each concurrent
    program. JOB is a name, the beginning of one, `last`, or the number of a batch job.
    """
    place = plot_folder(folder)
    store = open_repository(repository)
    flag = repository_flag(repository)
    name, *more = store.resolve_parts(job, owner=viewer)
    if is_whole(store, name):
        _refuse_drawing(name, folder)
        _of_whole_runs(store, [name, *more], viewer, flag, as_json=as_json)
        return
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


def _refuse_drawing(job: str, folder: str | None) -> None:
    """Refuse to draw a run of which only total times are known, not times per slice.

    Raises:
        UsageError: A folder for figures was given.
    """
    if folder:
        raise UsageError(
            f"No figure can be drawn, because only the total time of the calls of {job} is known.",
            hint=f"`jostle background {job} --plot FILE` draws when this and other jobs moved "
            "data.",
        )


def _of_whole_runs(
    store: Repository, jobs: Sequence[str], viewer: int | None, flag: str, *, as_json: bool
) -> None:
    """Compare runs without slices with other runs of their programs, and print the answers."""
    with Bar("comparing runs", quiet=as_json) as bar:
        answers = []
        for number, job in enumerate(jobs):
            bar.advance(number, len(jobs), job)
            answers.append(whole_run(store, job, viewer))
    said = [rests_on(store, [each.job], "interference") for each in answers]
    if as_json:
        found = [
            each.to_json() | evidence_json(lines) for each, lines in zip(answers, said, strict=True)
        ]
        emit_json(found[0] if len(found) == 1 else {"parts": found})
        return
    from jostle.cli.views.among_runs import whole_run_view

    for each, lines in zip(answers, said, strict=True):
        show(*whole_run_view(each), *lines, *([""] if len(answers) > 1 else []))
    met = any(each.met for each in answers)
    next_steps(*steps("interference", "a whole run" if met else "no suspects", jobs[0], flag=flag))


def _present(estimate: RunEstimate, interference: JobInterference) -> None:
    from rich.text import Text

    from jostle.cli.views.interference import answer, details
    from jostle.plot.charts.interference import charts
    from jostle.plot.terminal.interference import draw_attribution

    show(*answer(estimate, interference))
    width = shutil.get_terminal_size((80, 24)).columns
    for chart in charts(interference, most=_PAINTED):
        lines = draw_attribution(chart, width=width, unicode=utf8())
        show("", *(Text.assemble(*line) for line in lines))
    show(*details(interference))


def _draw(
    interference: JobInterference, folder: Path, endings: tuple[str, ...], *, quiet: bool
) -> list[Saved]:
    from jostle.plot.figures.interference import plans
    from jostle.plot.figures.page import draw_pages

    with Bar("drawing", quiet=quiet) as bar:
        return draw_pages(plans(interference), folder, tuple(dict.fromkeys(endings)), bar.advance)
