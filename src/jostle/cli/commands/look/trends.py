"""`jostle trends`: which programs slow others and which are slowed, week by week."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from jostle.cli.next_step import steps
from jostle.cli.options.as_user import as_user_option
from jostle.cli.options.common import (
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.options.engine import asking, engine_option
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.report.models.job.evidence import all_rest_on
from jostle.report.models.job.evidence import as_json as evidence_json
from jostle.report.models.trends import WEEKS


@click.command("trends")
@click.option(
    "--weeks",
    metavar="N",
    type=click.IntRange(1, 104),
    default=WEEKS,
    show_default=True,
    help="Evaluate the last N weeks with slices.",
)
@as_user_option
@engine_option
@repository_option
@json_option
def command(
    weeks: int, viewer: int | None, engine: str | None, repository: Path, as_json: bool
) -> None:
    """Show which programs slow others, and which are slowed, week by week.

    Each week is evaluated separately, as by `matrix`: `active` is how much a program slowed others,
    `passive` how much it was slowed. The last week ends with the day of the newest slice.
    """
    store = open_repository(repository)
    with Bar("comparing weeks", quiet=as_json), asking(store, engine) as asked:
        from jostle.report.models.trends import program_trends

        content = program_trends(asked.repository, partial(asked.matrix, viewer), weeks)
    evidence = all_rest_on(store)
    if as_json:
        emit_json(content.to_json() | evidence_json(evidence))
        return
    from jostle.cli.views.trends import view

    show(*view(content), *evidence)
    seen = "programs" if content.programs else "nothing"
    next_steps(*steps("trends", seen, flag=repository_flag(repository), viewer=viewer))
