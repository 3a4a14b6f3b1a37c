"""`jostle placement`: where a job sits in the network, and whether that explains its speed."""

from __future__ import annotations

from pathlib import Path

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
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import UsageError


@click.command("placement")
@click.argument("job", metavar="[JOB]", required=False, shell_complete=complete_job)
@click.option("--program", metavar="P",
              help="Compare the runs of a program, in place of one JOB.")  # fmt: skip
@as_user_option
@repository_option
@json_option
def command(
    job: str | None,
    program: str | None,
    viewer: int | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Say where JOB sits in the network, and which jobs may use the same links.

    With --program, say which measure of placement goes with the messaging rate of the runs, and
    beside which programs they are slower. The repository must know the fabric: `jostle topology
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
    if job is not None:
        _of_job(job, viewer, repository, as_json=as_json)
    else:
        _of_program(str(program), repository, as_json=as_json)


def _of_job(job: str, viewer: int | None, repository: Path, *, as_json: bool) -> None:
    from jostle.report.models.placement import job_json, job_placement

    store = open_repository(repository)
    name = store.resolve_job(job, owner=viewer)
    with Bar("measuring placement", quiet=as_json):
        content, stays = job_placement(store, name, as_user=viewer)
    if as_json:
        emit_json(job_json(content))
        return
    from jostle.cli.views.placement import job_view

    show(*job_view(content, stays.ground.topology.dimensions))
    seen = "company" if content.company.meetings else "alone"
    flag = repository_flag(repository)
    next_steps(*steps("placement", seen, name, flag=flag, viewer=viewer))


def _of_program(program: str, repository: Path, *, as_json: bool) -> None:
    from jostle.report.models.placement import program_json, program_placement

    store = open_repository(repository)
    with Bar("comparing runs", quiet=as_json):
        content, _ = program_placement(store, program)
    if as_json:
        emit_json(program_json(content))
        return
    from jostle.cli.views.placement import program_view

    show(*program_view(content))
    slowest = min(content.runs, key=lambda run: run.rate or float("inf"))
    next_steps(*steps("placement", "runs", slowest.job, flag=repository_flag(repository)))
