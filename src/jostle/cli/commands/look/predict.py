"""`jostle predict`: predicts by how much loads will slow each other when they run together."""

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
from jostle.report.verdict.prediction import capacity_of, prediction_of


@click.command("predict")
@click.argument("loads", metavar="[A B...]", nargs=-1, shell_complete=complete_job)
@click.option(
    "--capacity",
    metavar="LOAD",
    help="Predict how many LOADs may run at once before each loses more than 10 % of its run time.",
)
@click.option(
    "--mount", metavar="MOUNT", help="Mount that all loads use [the one that they used most]."
)
@as_user_option
@repository_option
@json_option
def command(
    loads: tuple[str, ...],
    capacity: str | None,
    mount: str | None,
    viewer: int | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Predict by how much loads will slow each other on a shared file system.

    A, B and LOAD are jobs, programs, or kinds of loads such as `aggregate-write:1MiB:x4`. The
    prediction rests on the losses of similar loads in the repository that ran at the same time;
    without such loads, on fair sharing alone, which the output then says.
    """
    if (capacity is None) == (not loads):
        raise UsageError(
            "Give either the loads that run at once, or --capacity with one load.",
            hint="`jostle predict A B` or `jostle predict --capacity A`.",
        )
    store = open_repository(repository)
    from jostle.cli.views.advice.predict import capacity_view, prediction_view

    with Bar("learning from jobs that ran together", quiet=as_json):
        if capacity is None:
            found = prediction_of(store, loads, mount=mount, viewer=viewer)
            lines = prediction_view(found)
        else:
            room = capacity_of(store, capacity, mount=mount, viewer=viewer)
            lines = capacity_view(room)
    if as_json:
        emit_json((found if capacity is None else room).to_json())
        return
    show(*lines)
    flag = repository_flag(repository)
    next_steps(*steps("predict", "loads", flag=flag, viewer=viewer))
