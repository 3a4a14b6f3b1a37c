"""`jostle placement`: the nodes of a job in the network, and whether they explain its speed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

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
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jostle.plot.figures.page import Plan, Saved


@click.command("placement")
@click.argument("job", metavar="[JOB]", required=False, shell_complete=complete_job)
@click.option(
    "--program", metavar="P", help="Compare the runs of program P instead of showing one JOB."
)
@click.option(
    "--plot", "folder", metavar="DIR", help="Draw figures into DIR, with a CSV file for each."
)
@format_option
@as_user_option
@repository_option
@json_option
def command(
    job: str | None,
    program: str | None,
    folder: str | None,
    endings: tuple[str, ...],
    viewer: int | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Show the placement of JOB in the network, and which jobs may use the same links.

    With --program, show which measures of placement correlate with the messaging rate of its runs,
    and which concurrent programs slow them. The repository must know the fabric: `jostle topology
    import`.
    """
    if (job is None) == (program is None):
        raise UsageError(
            "Name one job, or one program.", hint="jostle placement JOB, or --program P"
        )
    if program is not None and viewer is not None:
        raise UsageError(
            "`--as-user` cannot be used with `--program`: the comparison needs all jobs.",
            hint="Name a JOB with `--as-user`.",
        )
    place = plot_folder(folder)
    if job is not None:
        _of_job(job, place, endings, viewer, repository, as_json=as_json)
    else:
        _of_program(str(program), place, endings, repository, as_json=as_json)


def _of_job(
    job: str,
    place: Path | None,
    endings: tuple[str, ...],
    viewer: int | None,
    repository: Path,
    *,
    as_json: bool,
) -> None:
    from jostle.report.models.job.placement import job_json, job_placement

    store = open_repository(repository)
    name = store.resolve_job(job, owner=viewer)
    with Bar("measuring placement", quiet=as_json):
        content, stays = job_placement(store, name, as_user=viewer)
    saved: list[Saved] = []
    if place:
        from jostle.plot.figures.placement.job import plans

        saved = _draw(plans(content, stays), place, endings, quiet=as_json)
    if as_json:
        emit_json(job_json(content) | {"figures": saved_json(saved)})
        return
    from jostle.cli.views.placement import job_view

    show(*job_view(content, stays.fabric_map.topology.dimensions))
    if place:
        show("", *saved_lines(saved, place, reason="the job has nothing"))
    seen = "company" if content.company.meetings else "alone"
    flag = repository_flag(repository)
    next_steps(*steps("placement", seen, name, flag=flag, viewer=viewer))


def _of_program(
    program: str, place: Path | None, endings: tuple[str, ...], repository: Path, *, as_json: bool
) -> None:
    from jostle.report.models.job.placement import program_json, program_placement

    store = open_repository(repository)
    with Bar("comparing runs", quiet=as_json):
        content, stays = program_placement(store, program)
    saved: list[Saved] = []
    if place:
        from jostle.plot.figures.placement.program import plans

        saved = _draw(plans(content, stays), place, endings, quiet=as_json)
    if as_json:
        emit_json(program_json(content) | {"figures": saved_json(saved)})
        return
    from jostle.cli.views.placement import program_view

    show(*program_view(content))
    if place:
        show("", *saved_lines(saved, place, reason="the runs have nothing"))
    slowest = min(content.runs, key=lambda run: run.rate or float("inf"))
    next_steps(*steps("placement", "runs", slowest.job, flag=repository_flag(repository)))


def _draw(
    plans: Iterator[Plan], folder: Path, endings: tuple[str, ...], *, quiet: bool
) -> list[Saved]:
    from jostle.plot.figures.page import draw_pages

    with Bar("drawing", quiet=quiet) as bar:
        return draw_pages(plans, folder, tuple(dict.fromkeys(endings)), bar.advance)
