"""`jostle timeline`: jobs slice by slice, on one time axis."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle.cli import metrics
from jostle.cli.format import count, duration
from jostle.cli.jobs import NO_MPI, mpi_programs, program_names
from jostle.cli.options import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import console, emit_json, next_steps, utf8
from jostle.cli.progress import Bar

if TYPE_CHECKING:
    from jostle.plot import Chart
    from jostle.repository import Repository


@click.command("timeline")
@click.argument("jobs", nargs=-1, required=True, metavar="JOB...", shell_complete=complete_job)
@click.option("--metric", default=metrics.DEFAULT, show_default=True, metavar="NAME",
              shell_complete=metrics.complete,
              help="A metric, or one of the pairs bytes, ops, time, cpu, mpi, collectives, "
              "messages, wait.")  # fmt: skip
@click.option("--plot", metavar="FILE", help="Write the chart to FILE (.png, .svg or .pdf) too.")
@repository_option
@json_option
def command(
    jobs: tuple[str, ...], metric: str, plot: str | None, repository: Path, as_json: bool
) -> None:
    """Draw JOBs slice by slice, one above the other on one time axis.

    JOB is a name, the beginning of one, or `last`.
    """
    view = metrics.view(metric)
    check_plot(plot)
    from jostle.cli.charts import Span, panel
    from jostle.plot import Chart

    store = open_repository(repository)
    panels, content = [], []
    with Bar("reading slices", quiet=as_json) as bar:
        for number, job in enumerate(dict.fromkeys(store.resolve_job(name) for name in jobs)):
            bar.advance(number, len(jobs), job)
            row = job_row(store, job)

            def fetch(name: str, job: str = job) -> Any:
                return store.series(job, name)

            drawn, series = panel(job, describe(row), view, Span.of(row), fetch)
            panels.append(drawn)
            content.append({"job": job, "series": series})
        chart = Chart(view.title, _note(panels), tuple(panels))
        saved = save(chart, plot)
    if as_json:
        emit_json({"metric": view.name, "unit": view.unit, "jobs": content, "plot": saved})
        return
    paint(chart, saved)
    flag, first = repository_flag(repository), content[0]["job"]
    steps = [f"jostle background{flag} {first}"]
    if not plot:
        steps.append(f"jostle timeline{flag} {' '.join(jobs)} --plot timeline.png")
    next_steps(*steps)


_SEEN = "SELECT max((slice + 1) * slice_ns) AS seen_ns FROM node_rollup WHERE job = ?"


def job_row(store: Repository, job: str) -> dict[str, Any]:
    """Return the job's row of the list of jobs."""
    rows = store.query("SELECT * FROM jobs WHERE job = ?", [job]).to_pylist()
    row: dict[str, Any] = rows[0]
    if row["running"]:
        # The table of processes is not renewed with every slice, the rollup is.
        seen = store.query(_SEEN, [job]).to_pylist()[0]["seen_ns"] or 0
        row["end_ns"] = max(row["end_ns"], seen)
    row |= mpi_programs(store, job).get(job, NO_MPI)
    return row


def describe(row: dict[str, Any]) -> str:
    """Say in a few words what a job is: its program and its processes, or its ranks."""
    number, what = row["processes"], "process"
    if row["ranks"]:
        number, what = row["ranks"], "rank"
    plural = "" if number == 1 else "es" if what == "process" else "s"
    words = f"{program_names(row)}, {count(number)} {what}{plural}"
    return words + (f" on {row['hosts']} nodes" if row["hosts"] > 1 else "")


def _note(panels: list[Any]) -> str:
    lengths = {int(s.edges[1] - s.edges[0]) for panel in panels for s in panel.series}
    shown = ", ".join(duration(length) for length in sorted(lengths))
    return f"slices of {shown}, sums over all processes"


def check_plot(plot: str | None) -> None:
    """Refuse an unusable --plot before any work is done."""
    if plot:
        from jostle.plot.files import check_suffix

        check_suffix(Path(plot))


def save(chart: Chart, plot: str | None) -> str | None:
    """Write the chart where --plot says; return the path."""
    if not plot:
        return None
    from jostle.plot.figure import save as save_figure

    return str(save_figure(chart, Path(plot)))


def paint(chart: Chart, saved: str | None) -> None:
    """Draw the chart in the terminal (80 columns wide in a pipe) and name the saved file."""
    from rich.text import Text

    from jostle.plot import draw

    # A pipe without COLUMNS gets the width of a page.
    width = shutil.get_terminal_size((80, 24)).columns
    target = console()
    for line in draw(chart, width=width, unicode=utf8()):
        target.print(Text.assemble(*line), soft_wrap=True)
    if saved:
        target.print(f"\nsaved: {saved}", soft_wrap=True)
    sys.stdout.flush()
