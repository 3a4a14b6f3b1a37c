"""`jostle background`: what all other jobs did on a job's mounts meanwhile."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle.cli import metrics
from jostle.cli.format import percent
from jostle.cli.options import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.cli.timeline import check_plot, describe, job_row, paint, save

if TYPE_CHECKING:
    from jostle.repository import Repository


@click.command("background")
@click.argument("job", metavar="JOB", shell_complete=complete_job)
@click.option("--metric", default=metrics.DEFAULT, show_default=True, metavar="NAME",
              shell_complete=metrics.complete,
              help="A metric, or one of the pairs bytes, ops, time, cpu, mpi, collectives, "
              "messages, wait.")  # fmt: skip
@click.option("--plot", metavar="FILE", help="Write the chart to FILE (.png, .svg or .pdf) too.")
@repository_option
@json_option
def command(job: str, metric: str, plot: str | None, repository: Path, as_json: bool) -> None:
    """Sum, per slice, what all other jobs did on the mounts that JOB used.

    Metrics of a process (cpu, os_*) are summed over the nodes that JOB ran on.
    """
    view = metrics.view(metric)
    check_plot(plot)
    from jostle.cli.charts import Span, panel
    from jostle.plot import Chart

    store = open_repository(repository)
    with Bar("reading slices", quiet=as_json):
        name = store.resolve_job(job)
        row = job_row(store, name)
        span = Span.of(row)
        own, own_series = panel(
            name, describe(row), view, span, lambda metric: store.series(name, metric)
        )
        ids = [metric for line in view.lines for metric in line.metrics]
        tables: dict[str, Any] = {metric: store.background(name, metric) for metric in ids}
        shares = {} if view.level else foreign_shares(store, name, tables)
        panels, content = [own], []
        for place in resources(tables):
            fetch = functools.partial(at, tables, place)
            share = shares.get(place)
            note = "" if share is None else f"{percent(share)} of the load there"
            drawn, series = panel(f"others on {place}", note, view, span, fetch)
            panels.append(drawn)
            content.append({"resource": place, "share": share, "series": series})
        chart = Chart(f"{name} and its background: {view.title.lower()}", "", tuple(panels))
        saved = save(chart, plot)
    others = neighbours(store, name, row)
    if as_json:
        emit_json(
            {"job": name, "metric": view.name, "unit": view.unit, "own": own_series,
             "background": content, "jobs": others, "plot": saved}
        )  # fmt: skip
        return
    paint(chart, saved)
    flag = repository_flag(repository)
    if not content:
        show(f"Nobody else was at work on the mounts of {name}.")
        next_steps(f"jostle digest{flag} {name}")
        return
    next_steps(
        f"jostle timeline{flag} {' '.join([name, *others[:3]])}", f"jostle digest{flag} {name}"
    )


_NEIGHBOURS = """
SELECT DISTINCT job FROM jobs JOIN mounts USING (job)
WHERE job <> $1 AND start_ns < $3 AND end_ns > $2
  AND mount IN (SELECT mount FROM mounts WHERE job = $1)
ORDER BY job
"""


def neighbours(store: Repository, job: str, row: dict[str, Any]) -> list[str]:
    """Return the other jobs that ran meanwhile and used a mount of the job."""
    found = store.query(_NEIGHBOURS, [job, row["start_ns"], row["end_ns"]])
    return [str(name) for name in found.column("job").to_pylist()]


def resources(tables: dict[str, Any]) -> list[str]:
    """Return the resources on which others moved anything, the busiest first."""
    totals: dict[str, float] = {}
    for table in tables.values():
        names, sums = table.column("resource").to_pylist(), table.column("sum").to_pylist()
        for place, value in zip(names, sums, strict=True):
            totals[place] = totals.get(place, 0.0) + float(value or 0)
    return [place for place in sorted(totals, key=lambda p: (-totals[p], p)) if totals[place] > 0]


def foreign_shares(store: Repository, job: str, tables: dict[str, Any]) -> dict[str, float]:
    """Return, per resource, the part of the whole traffic that was not the job's."""
    from jostle.analysis import background

    own: dict[str, float] = {}
    others: dict[str, float] = {}
    for metric, table in tables.items():
        # The place for a restriction to a zone of the network: background(..., zone=...).
        for place in background(job, metric, store.series(job, metric), table).resources:
            own[place.resource] = own.get(place.resource, 0.0) + sum(place.own)
            others[place.resource] = others.get(place.resource, 0.0) + sum(place.others)
    return {name: others[name] / total for name in own if (total := own[name] + others[name]) > 0}


def at(tables: dict[str, Any], place: str, metric: str) -> Any:
    """Return a metric's rows of one resource."""
    import pyarrow.compute as pc

    rows = tables[metric]
    return rows.filter(pc.equal(rows.column("resource"), place))
