"""`jostle timeline`: jobs slice by slice, on one time axis."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.next_step import steps
from jostle.cli.options.common import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.options.metrics import metric_option, plot_option
from jostle.cli.output import console, emit_json, next_steps, show, utf8
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.report.format.values import duration
from jostle.report.models import metrics
from jostle.report.models.gpu_steps import check_per_gpu, gpu_steps
from jostle.report.models.jobs import describe, job_row
from jostle.report.models.machine_steps import component_view, machine_steps
from jostle.report.models.node_gpus import node_gpus

if TYPE_CHECKING:
    from jostle.plot import Chart
    from jostle.report.models.machine_steps import ComponentSteps
    from jostle.report.models.metrics import View
    from jostle.report.models.node_gpus import NodeGpu
    from jostle.report.models.steps import Steps


@click.command("timeline")
@click.argument("jobs", nargs=-1, metavar="[JOB...]", shell_complete=complete_job)
@click.option(
    "--node",
    "nodes",
    multiple=True,
    metavar="HOST",
    help="Draw the components of a node or server, too; may be repeated.",
)
@click.option(
    "--per",
    type=click.Choice(["gpu"]),
    help="Draw each GPU: of JOBS by a --metric of GPUs, or of --node.",
)
@metric_option
@plot_option
@repository_option
@json_option
def command(
    jobs: tuple[str, ...],
    nodes: tuple[str, ...],
    per: str | None,
    metric: str,
    plot: str | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Draw JOBs slice by slice, one above the other on one time axis.

    JOB is a name, the beginning of one, `last`, or the number of a batch job: its parts are drawn.
    With --node, what an agent counted on a machine: in the time of JOBS, or on the last day; with
    --per gpu, on each of its GPUs.
    """
    if not jobs and not nodes:
        raise click.UsageError("Name a JOB, or a machine with --node.")
    of_nodes = component_view(metric) if nodes else None
    if of_nodes is not None and jobs:
        raise UsageError(
            f"`{metric}` is a metric of machines, not of jobs.", hint="Leave out JOBS, or --metric."
        )
    view = of_nodes or metrics.view(metric)
    if per and jobs:
        check_per_gpu(name for line in view.lines for name in line.metrics)
    check_plot(plot)
    from jostle.cli.views.charts import gpu_panels, panel, slowed_lines
    from jostle.plot import Chart
    from jostle.report.models.steps import JobSpan, lines_of, steps_json, views_with_values

    store = open_repository(repository)
    panels, content, rows, empty = [], [], [], []
    with Bar("reading slices", quiet=as_json) as bar:
        named = list(dict.fromkeys(job for name in jobs for job in store.resolve_parts(name)[::-1]))
        for number, job in enumerate(named):
            bar.advance(number, len(named), job)
            row = job_row(store, job)
            rows.append(row)

            def fetch(name: str, job: str = job) -> Any:
                return store.series(job, name)

            if per:
                gpus = gpu_steps(store, row, view)
                panels += [
                    panel(f"{job} · {each.title}", each.name, view, each.lines) for each in gpus
                ]
                content.append({"job": job, "gpus": [each.to_json(view) for each in gpus]})
                continue
            lines = lines_of(view, JobSpan.of(row), fetch)
            panels.append(panel(job, describe(row), *_drawn(view, lines)))
            if not any(line.values.any() for line in lines):
                empty.append(row)
            series = [steps_json(*both) for both in zip(view.lines, lines, strict=True)]
            content.append({"job": job, "series": series})
        span = (
            (min(row["start_ns"] for row in rows), max(row["end_ns"] for row in rows))
            if rows
            else None
        )
        machines: list[ComponentSteps] = []
        gpus_of: list[NodeGpu] = []
        for host in dict.fromkeys(nodes):
            if per and of_nodes is None:
                gpus_of += node_gpus(store, host, span)
                continue
            machines += [
                each
                for each in machine_steps(store, host, span, of_nodes)
                if not per or each.kind == "gpu"
            ]
        panels += [
            panel(
                each.title,
                "" if of_nodes or each.view.name == view.name else each.view.title.lower(),
                each.view,
                each.lines,
            )
            for each in machines
        ]
        panels += [drawn for each in gpus_of for drawn in gpu_panels(each)]
        title = view.title if jobs or of_nodes else f"What {', '.join(nodes)} did"
        chart = Chart(
            title,
            f"{_note(panels)}, sums over all processes" if jobs and panels else _note(panels),
            tuple(panels),
        )
        saved = save(chart, plot)
    if as_json:
        emit_json(
            {
                "metric": view.name,
                "unit": view.unit,
                "jobs": content,
                "machines": [each.to_json() for each in machines],
                "gpus": [each.to_json() for each in gpus_of],
                "plot": saved,
            }
        )
        return
    if panels:
        paint(chart, saved)
        for row in empty:
            show(_instead(view, row, views_with_values(store, row)))
        for line in slowed_lines(gpus_of):
            show(line)
    elif per:
        show(f"{', '.join((*named, *nodes))}: nothing is known of a GPU.")
    else:
        show(f"No component of {', '.join(nodes)} did anything in this time.")
    flag = repository_flag(repository)
    job = str(content[0]["job"]) if content else ""
    next_steps(*steps("timeline", "jobs" if content else "machines", job, flag=flag))


def _drawn(view: View, lines: list[Steps]) -> tuple[View, list[Steps]]:
    """Leave out lines of what a job did not use."""
    kept = [at for at, line in enumerate(view.lines) if not line.again or lines[at].values.any()]
    return replace(view, lines=tuple(view.lines[at] for at in kept)), [lines[at] for at in kept]


def _instead(view: View, row: dict[str, Any], others: list[str]) -> str:
    """Say that a job has none of a metric, and what it has."""
    has = f"; it has {', '.join(f'--metric {name}' for name in others)}" if others else ""
    return f"{row['job']}: nothing was counted for --metric {view.name}{has}."


def _note(panels: list[Any]) -> str:
    lengths = {int(s.edges[1] - s.edges[0]) for panel in panels for s in panel.series}
    shown = ", ".join(duration(length) for length in sorted(lengths))
    return f"slices of {shown}"


def check_plot(plot: str | None) -> None:
    """Refuse an unusable --plot before any work is done."""
    if plot:
        from jostle.plot.figures.files import check_suffix

        check_suffix(Path(plot))


def save(chart: Chart, plot: str | None) -> str | None:
    """Write the chart where --plot says; return the path."""
    if not plot:
        return None
    from jostle.plot.figures.figure import save as save_figure

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
