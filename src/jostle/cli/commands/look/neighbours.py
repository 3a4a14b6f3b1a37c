"""`jostle neighbours`: which jobs ran concurrently with a job, when and where."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.next_step import steps
from jostle.cli.options.as_user import as_user_option, who
from jostle.cli.options.common import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, fit, heading, next_steps, show, table, utf8
from jostle.cli.progress import Bar
from jostle.cli.views.interference import working
from jostle.report.format.values import count, duration, iso_time, local_time
from jostle.report.models.job.evidence import as_json as evidence_json
from jostle.report.models.job.evidence import rests_on

if TYPE_CHECKING:
    from rich.table import Table

    from jostle.analysis.identification.model import Neighbour
    from jostle.repository.query.resources.co_running import JobFacts

_SHOWN = 24  # most neighbours that are listed: those with the longest overlap
_LOADS = 2  # resources of which the load is shown


@click.command("neighbours")
@click.argument("job", metavar="JOB", shell_complete=complete_job)
@as_user_option
@repository_option
@json_option
def command(job: str, viewer: int | None, repository: Path, as_json: bool) -> None:
    """List the jobs that ran at the same time as JOB: when, where, and which resources both used.

    JOB is a name, the beginning of one, or `last`. A neighbour need not have slowed JOB: `jostle
    interference` weighs the evidence.
    """
    store = open_repository(repository)
    with Bar("searching neighbours", quiet=as_json):
        from jostle.analysis import neighbours

        alongside = store.alongside(store.resolve_job(job, owner=viewer), cores=False)
        listed = neighbours(alongside, as_user=viewer)
    own = alongside.job
    evidence = rests_on(store, [own.job], "neighbours")
    if as_json:
        emit_json(
            {
                "job": own.job,
                "start": iso_time(own.start_ns),
                "end": iso_time(own.last_ns),
                "neighbours": [asdict(each) for each in listed],
            }
            | evidence_json(evidence)
        )
        return
    show(*_view(own, listed), *evidence)
    flag = repository_flag(repository)
    seen = "neighbours" if listed else "nobody"
    next_steps(
        *steps(
            "neighbours",
            seen,
            own.job,
            flag=flag,
            viewer=viewer,
            others=[each.job for each in listed[:1]],
        )
    )


def _view(own: JobFacts, neighbours: list[Neighbour]) -> Iterator[Any]:
    lasted = duration(own.last_ns - own.start_ns)
    from jostle.analysis.identification.model import OTHERS

    unnamed = any(each.job == OTHERS for each in neighbours)
    who_else = working(len(neighbours), unnamed=unnamed)
    yield heading(
        own.job, f"  from {local_time(own.start_ns)}, {lasted}: {who_else[0].lower()}{who_else[1:]}"
    )
    if not neighbours:
        return
    shown = neighbours[:_SHOWN]
    places = {place for each in shown for place in each.shared}
    where = f"  all on {places.pop()}" if len(places) == 1 else ""
    yield from ("", heading("Who", where), _who(own, shown, same_resource=bool(where)))
    yield from ("", heading("When"))
    yield from _when(own, shown)
    if len(neighbours) > len(shown):
        yield (f"{count(len(neighbours) - len(shown))} more overlapped for less time (--json).")


def _who(own: JobFacts, neighbours: list[Neighbour], *, same_resource: bool) -> Table:
    """Return the table of neighbours, without the resource if it is the same for all."""
    places = [] if same_resource else ["=on"]
    frame = table(["=job", "=program", "=user", ">overlap", ">nodes", *places, "=load there"])
    for each in neighbours:
        loads = [f"{value}" for value in list(each.load.values())[:_LOADS] if value]
        share = each.overlap_s / max((own.last_ns - own.start_ns) / 1e9, 1e-9)
        frame.add_row(
            each.job,
            PurePath(each.program).name or "-",
            who(each.user),
            f"{duration(1e9 * each.overlap_s)} ({100 * share:.0f} %)",
            count(len(each.nodes)) if each.nodes else "-",
            *([] if same_resource else [", ".join(each.shared)]),
            ", ".join(loads) or "-",
        )
    return fit(frame, "nodes", "on", "user", "program", "load there")


def _when(own: JobFacts, neighbours: list[Neighbour]) -> Iterator[Any]:
    """Draw when each of them ran, on the job's own time axis."""
    from rich.text import Text

    from jostle.plot.terminal.gantt import GanttRow, draw_gantt

    stays = [GanttRow(own.job, own.start_ns, own.last_ns, mark=True)]
    stays += [GanttRow(each.job, each.start_ns, each.end_ns or own.last_ns) for each in neighbours]
    width = shutil.get_terminal_size((80, 24)).columns
    for line in draw_gantt(stays, width=width, unicode=utf8()):
        yield Text.assemble(*line)
