"""`jostle timeline`: charts of jobs' metrics per slice, on one time axis."""

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
from jostle.report.models.job.evidence import as_json as evidence_json
from jostle.report.models.job.evidence import rests_on
from jostle.report.models.job.gpu_steps import check_per_gpu, gpu_steps
from jostle.report.models.jobs import describe, job_row
from jostle.report.models.machines.machine_steps import component_view, machine_steps
from jostle.report.models.machines.node_gpus import node_gpus

if TYPE_CHECKING:
    from jostle.plot import Chart, Panel
    from jostle.report.models.machines.machine_steps import ComponentSteps
    from jostle.report.models.machines.node_gpus import NodeGpu
    from jostle.report.models.metrics import View
    from jostle.report.models.steps import Steps
    from jostle.repository import Repository


@click.command("timeline")
@click.argument("jobs", nargs=-1, metavar="[JOB...]", shell_complete=complete_job)
@click.option(
    "--node",
    "nodes",
    multiple=True,
    metavar="HOST",
    help="Draw also the components of node or server HOST; may be given more than once.",
)
@click.option(
    "--per",
    type=click.Choice(["gpu"]),
    help="Draw each GPU separately: with JOBS, the twelve busiest GPUs of each job (needs a GPU "
    "metric in --metric); with --node, the GPUs of the node.",
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
    """Draw metrics of JOBs per slice, one chart above the other on one time axis.

    JOB is a name, the beginning of one, `last`, or the number of a batch job: its parts are drawn.
    With --node, draw the counters of a machine's agent during JOBS, or on the last day; with --per
    gpu, for each of its GPUs.
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
    from jostle.cli.views.charts import slowed_lines
    from jostle.report.models.steps import views_with_values

    store = open_repository(repository)
    timeline = _Timeline(store, view, per_gpu=bool(per))
    with Bar("reading slices", quiet=as_json) as bar:
        named = list(dict.fromkeys(job for name in jobs for job in store.resolve_parts(name)[::-1]))
        for number, job in enumerate(named):
            bar.advance(number, len(named), job)
            timeline.add_job(job)
        for host in dict.fromkeys(nodes):
            timeline.add_machine(host, of_nodes)
        chart = timeline.chart("" if jobs or of_nodes else f"What {', '.join(nodes)} did")
        saved = save(chart, plot)
    evidence = rests_on(store, named, "timeline")
    if as_json:
        emit_json(timeline.to_json() | {"plot": saved} | evidence_json(evidence))
        return
    if chart.panels:
        paint(chart, saved)
        for row in timeline.empty:
            show(_instead(view, row, views_with_values(store, row)))
        for line in slowed_lines(timeline.gpus):
            show(line)
        show(*evidence)
    elif per:
        show(f"{', '.join((*named, *nodes))}: no GPU was recorded.")
    else:
        show(f"No component of {', '.join(nodes)} was active in this time.")
    flag = repository_flag(repository)
    seen = "jobs" if named else "machines"
    next_steps(*steps("timeline", seen, named[0] if named else "", flag=flag))


class _Timeline:
    """Panels of jobs and machines on one time axis, also as JSON.

    Attributes:
        empty: Rows of jobs without values of the metric.
        gpus: GPUs of the machines, if they are drawn one by one.
    """

    def __init__(self, store: Repository, view: View, *, per_gpu: bool) -> None:
        self._store, self._view, self._per_gpu = store, view, per_gpu
        self._panels: list[Panel] = []
        self._rows: list[dict[str, Any]] = []
        self._jobs: list[dict[str, Any]] = []
        self._machines: list[ComponentSteps] = []
        self.empty: list[dict[str, Any]] = []
        self.gpus: list[NodeGpu] = []

    def add_job(self, job: str) -> None:
        """Add a panel of a job, or one for each of its GPUs."""
        from jostle.cli.views.charts import panel
        from jostle.report.models.steps import JobSpan, lines_of, steps_json

        view, row = self._view, job_row(self._store, job)
        self._rows.append(row)
        if self._per_gpu:
            gpus = gpu_steps(self._store, row, view)
            self._panels += [
                panel(f"{job} · {each.title}", each.name, view, each.lines) for each in gpus
            ]
            self._jobs.append({"job": job, "gpus": [each.to_json(view) for each in gpus]})
            return
        lines = lines_of(view, JobSpan.of(row), lambda name: self._store.series(job, name))
        self._panels.append(panel(job, describe(row), *_drawn(view, lines)))
        if not any(line.values.any() for line in lines):
            self.empty.append(row)
        series = [steps_json(*both) for both in zip(view.lines, lines, strict=True)]
        self._jobs.append({"job": job, "series": series})

    def add_machine(self, host: str, of_nodes: View | None) -> None:
        """Add panels of a machine for the time of the jobs, or for the last day.

        Args:
            host: Name of the machine.
            of_nodes: The view of its components; None: the usual view of each kind.
        """
        from jostle.cli.views.charts import gpu_panels, panel

        rows = self._rows
        span = (
            (min(row["start_ns"] for row in rows), max(row["end_ns"] for row in rows))
            if rows
            else None
        )
        if self._per_gpu and of_nodes is None:
            found = node_gpus(self._store, host, span)
            self.gpus += found
            self._panels += [drawn for each in found for drawn in gpu_panels(each)]
            return
        machines = [
            each
            for each in machine_steps(self._store, host, span, of_nodes)
            if not self._per_gpu or each.kind == "gpu"
        ]
        self._machines += machines
        for each in machines:
            named = of_nodes or each.view.name == self._view.name
            note = "" if named else each.view.title.lower()
            self._panels.append(panel(each.title, note, each.view, each.lines))

    def chart(self, title: str) -> Chart:
        """Return the chart of all panels; if `title` is "", its title is that of the metric."""
        from jostle.plot import Chart

        lengths = {int(s.edges[1] - s.edges[0]) for panel in self._panels for s in panel.series}
        note = f"slices of {', '.join(duration(length) for length in sorted(lengths))}"
        if self._rows and self._panels:
            note += ", sums over all processes"
        return Chart(title or self._view.title, note, tuple(self._panels))

    def to_json(self) -> dict[str, Any]:
        """Return the drawn values."""
        return {
            "metric": self._view.name,
            "unit": self._view.unit,
            "jobs": self._jobs,
            "machines": [each.to_json() for each in self._machines],
            "gpus": [each.to_json() for each in self.gpus],
        }


def _drawn(view: View, lines: list[Steps]) -> tuple[View, list[Steps]]:
    """Leave out lines of functions that a job did not use."""
    kept = [at for at, line in enumerate(view.lines) if not line.again or lines[at].values.any()]
    return replace(view, lines=tuple(view.lines[at] for at in kept)), [lines[at] for at in kept]


def _instead(view: View, row: dict[str, Any], others: list[str]) -> str:
    """Return a sentence that a job has no values of a metric, with views that have some."""
    has = f"; it has {', '.join(f'--metric {name}' for name in others)}" if others else ""
    return f"{row['job']}: nothing was counted for --metric {view.name}{has}."


def check_plot(plot: str | None) -> None:
    """Refuse an unusable --plot before any work is done."""
    if plot:
        from jostle.plot.figures.files import check_suffix

        check_suffix(Path(plot))


def save(chart: Chart, plot: str | None) -> str | None:
    """Write the chart to the file of --plot; return the path."""
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
