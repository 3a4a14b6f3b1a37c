"""`jostle nodes`: which nodes, links and disks are persistently worse than their peers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.next_step import steps
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
from jostle.report.models.machines.nodes import DAYS, nodes_json

if TYPE_CHECKING:
    from jostle.analysis.nodes import NodeDifferences
    from jostle.plot.figures.page import Saved


@click.command("nodes")
@click.option(
    "--days",
    metavar="N",
    type=click.IntRange(1, 366),
    default=DAYS,
    show_default=True,
    help="Evaluate the last N days with slices.",
)
@click.option(
    "--plot",
    "folder",
    metavar="DIR",
    help="Draw each difference day by day into DIR, with a CSV file for each figure.",
)
@format_option
@engine_option
@repository_option
@json_option
def command(
    days: int,
    folder: str | None,
    endings: tuple[str, ...],
    engine: str | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Show which nodes, links and disks are persistently worse than their peers.

    Components of one kind, on machines with the same role and number of cores, are compared day by
    day at similar load. A component is listed if it was worse, by more than healthy ones differ, on
    more days than chance explains. At least 5 peers and 3 days are needed.
    """
    place = plot_folder(folder)
    store = open_repository(repository)
    with Bar("comparing days", quiet=as_json), asking(store, engine) as asked:
        from jostle.report.models.machines.nodes import node_differences

        content = node_differences(asked.repository, days)
    saved = _draw(content, place, endings, quiet=as_json) if place else []
    if as_json:
        emit_json(nodes_json(content) | {"figures": saved_json(saved)})
        return
    from jostle.cli.views.nodes import view

    show(*view(content))
    if not content.days:
        show("No machine has data from an agent on these days.")
    if place:
        show("", *saved_lines(saved, place, reason="nothing is persistently worse"))
    seen = "differences" if content.differences else "none" if content.days else "nothing"
    host = content.differences[0].host if content.differences else ""
    next_steps(*steps("nodes", seen, words={"NODE": host}, flag=repository_flag(repository)))


def _draw(
    content: NodeDifferences, folder: Path, endings: tuple[str, ...], *, quiet: bool
) -> list[Saved]:
    from jostle.plot.figures.nodes import plans
    from jostle.plot.figures.page import draw_pages

    with Bar("drawing", quiet=quiet) as bar:
        return draw_pages(plans(content), folder, tuple(dict.fromkeys(endings)), bar.advance)
