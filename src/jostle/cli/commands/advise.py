"""`jostle advise`: what to change about a job, what it would save, and who pays."""

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
from jostle.report.models.evidence import as_json as evidence_json
from jostle.report.models.evidence import require, rests_on
from jostle.report.verdict.advice import advice_on


@click.command("advise")
@click.argument("job", metavar="JOB", shell_complete=complete_job)
@as_user_option
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the random steps.",
)
@repository_option
@json_option
def command(job: str, viewer: int | None, seed: int, repository: Path, as_json: bool) -> None:
    """Say what to change about JOB, what that would save, and who pays for it.

    Each piece of advice has a text to paste, the run time that it is predicted to save with an
    interval, and when not to follow it. Where nothing helps, it says so. JOB is a name, the
    beginning of one, or `last`.
    """
    store = open_repository(repository)
    name = store.resolve_job(job, owner=viewer)
    require(store, [name], "verdict")
    with Bar("comparing slices", quiet=as_json):
        given = advice_on(store, name, seed=seed, viewer=viewer)
    evidence = rests_on(store, [name], "verdict")
    if as_json:
        emit_json(given.to_json() | evidence_json(evidence))
        return
    from jostle.cli.views.advise import advice_view

    show(*advice_view(given), *evidence)
    flag = repository_flag(repository)
    next_steps(*steps("advise", "a job", name, flag=flag, viewer=viewer))
