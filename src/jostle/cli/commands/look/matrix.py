"""`jostle matrix`: over a whole repository, which program slowed which."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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
from jostle.cli.options.figures import format_option, plot_folder, saved_json, saved_lines
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.report.models.job.evidence import all_rest_on
from jostle.report.models.job.evidence import as_json as evidence_json

if TYPE_CHECKING:
    from jostle.analysis.identification.model import Matrix
    from jostle.plot.figures.page import Saved
    from jostle.repository import Repository


@click.command("matrix")
@click.option(
    "--by",
    type=click.Choice(["name", "kind"]),
    default="name",
    show_default=True,
    help="Group jobs by program (name), or by the kind of their load (kind): access pattern, bytes "
    "per call, number of processes.",
)
@click.option(
    "--plot",
    "folder",
    metavar="DIR",
    help="Draw the matrix into DIR, with a CSV file for each figure.",
)
@format_option
@as_user_option
@engine_option
@repository_option
@json_option
def command(
    by: str,
    folder: str | None,
    endings: tuple[str, ...],
    viewer: int | None,
    engine: str | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Show which program slowed which, by how much, and with what confidence.

    Runs of a program at the same time as another program are compared with its runs without it, by
    a test that fits the data, corrected for the number of pairs. `Active` is how much a program
    slows others, `passive` how much it is slowed.
    """
    place = plot_folder(folder)
    store = open_repository(repository)
    if by == "kind" and engine is not None:
        raise UsageError("--by kind cannot be combined with --engine.", hint="Leave out --engine.")
    with Bar("comparing runs", quiet=as_json), asking(store, engine) as asked:
        program_matrix = asked.matrix(as_user=viewer) if by == "name" else _by_kind(store, viewer)
    saved = _draw(program_matrix, place, endings, quiet=as_json) if place else []
    evidence = all_rest_on(store)
    if as_json:
        answer = program_matrix.to_json() | {"figures": saved_json(saved)}
        emit_json(answer | evidence_json(evidence))
        return
    from jostle.cli.views.matrix import view

    show(*view(program_matrix), *evidence)
    if place:
        show("", *saved_lines(saved, place, reason="no two programs ran together"))
    flag = repository_flag(repository)
    seen = "jobs" if program_matrix.encounters else "no pair" if program_matrix.jobs else "nothing"
    next_steps(*steps("matrix", seen, flag=flag, viewer=viewer))


def _by_kind(store: Repository, viewer: int | None) -> Matrix:
    from jostle.analysis import matrix
    from jostle.analysis.kinds import by_kind, kinds_of

    tables = store.programs_alongside()
    kinds = kinds_of(store.load_tables(list(tables.jobs)))
    return matrix(by_kind(tables, kinds), as_user=viewer)


def _draw(matrix: Matrix, folder: Path, endings: tuple[str, ...], *, quiet: bool) -> list[Saved]:
    from jostle.plot.figures.matrix import plans
    from jostle.plot.figures.page import draw_pages

    with Bar("drawing", quiet=quiet) as bar:
        return draw_pages(plans(matrix), folder, tuple(dict.fromkeys(endings)), bar.advance)
