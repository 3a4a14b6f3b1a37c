"""`jostle predict`: how much loads will slow each other that have not run together."""

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
    help="How many LOADs may run at once before each loses more than 10 % of its run time.",
)
@click.option(
    "--mount",
    metavar="MOUNT",
    help="The mount that all use; by default the one that they used most.",
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
    """Predict how much loads will slow each other on a shared file system.

    A, B and LOAD are jobs, programs, or kinds such as `aggregate-write:1MiB:x4`. The prediction
    rests on what loads of these kinds cost each other in the repository, and where none met, on
    fair shares alone; then it says so.
    """
    if (capacity is None) == (not loads):
        raise UsageError(
            "Name either the loads that run at once, or one whose capacity is asked for.",
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
