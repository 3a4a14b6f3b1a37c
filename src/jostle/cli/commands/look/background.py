"""`jostle background`: the load of all other jobs on a job's mounts, or on links, while it ran."""

from __future__ import annotations

from pathlib import Path

import click

from jostle.cli.commands.look.timeline import check_plot, paint, save
from jostle.cli.next_step import steps
from jostle.cli.options.common import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.options.engine import asking, engine_option
from jostle.cli.options.metrics import metric_option, plot_option
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.report.format.values import percent
from jostle.report.models import metrics
from jostle.report.models.job.evidence import as_json as evidence_json
from jostle.report.models.job.evidence import rests_on
from jostle.report.models.jobs import describe, job_row


@click.command("background")
@click.argument("job", metavar="JOB", shell_complete=complete_job)
@metric_option
@click.option(
    "--zone",
    metavar="ZONE",
    help="Show bytes on the links of a part of a fabric instead: switch:NAME, subtree:NAME, "
    "group:N, plane:N or 'link:A > B'.",
)
@plot_option
@engine_option
@repository_option
@json_option
def command(
    job: str,
    metric: str,
    zone: str | None,
    plot: str | None,
    engine: str | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Show the load of all other jobs, per slice, on the mounts that JOB used.

    Metrics of a process (cpu, os_*) are summed over the nodes that JOB ran on. For bytes and ops,
    the traffic of the mounts' servers is shown below, if these run an agent. With --zone, show the
    load of other jobs on the links of a part of the network.
    """
    view = metrics.view(metric)
    check_plot(plot)
    if zone is not None:
        if metric != metrics.DEFAULT:
            raise UsageError(
                "--zone shows bytes on links, so --metric has no effect.",
                hint="Leave out --metric.",
            )
        if engine is not None:
            raise UsageError("--zone cannot be combined with --engine.", hint="Leave out --engine.")
        _of_zone(job, zone, plot, repository, as_json=as_json)
        return
    from jostle.cli.views.charts import panel
    from jostle.plot import Chart
    from jostle.report.models.job.background import background_of

    store = open_repository(repository)
    with Bar("reading slices", quiet=as_json):
        with asking(store, engine) as asked:
            name = asked.repository.resolve_job(job)
            job_background = background_of(asked.repository, name, view)
        panels = [panel(name, describe(job_background.row), view, job_background.own)]
        for load in job_background.resources:
            note = "" if load.share is None else f"{percent(load.share)} of the load there"
            panels.append(panel(f"others on {load.resource}", note, view, load.lines))
        for each in job_background.servers:
            share = each.unprofiled
            note = "" if share is None else f"{percent(share)} in no profile"
            title = f"{', '.join(each.servers)} for {each.mount}"
            panels.append(panel(title, note, view, each.lines))
        chart = Chart(f"{name} and its background: {view.title.lower()}", "", tuple(panels))
        saved = save(chart, plot)
    evidence = rests_on(store, [name], "background")
    if as_json:
        emit_json(job_background.to_json() | {"plot": saved} | evidence_json(evidence))
        return
    paint(chart, saved)
    show(*evidence)
    flag = repository_flag(repository)
    if not job_background.resources:
        show(f"No other profiled job was active on the mounts of {name}.")
    seen = "a load" if job_background.resources else "nobody"
    next_steps(*steps("background", seen, name, flag=flag))


def _of_zone(job: str, zone: str, plot: str | None, repository: Path, *, as_json: bool) -> None:
    """Show the load of others on the links of a zone."""
    from jostle.cli.views.zone_load import zone_panels, zone_view
    from jostle.plot import Chart
    from jostle.report.models.machines.zone_load import zone_loads

    store = open_repository(repository)
    with Bar("reading traffic", quiet=as_json):
        name = store.resolve_job(job)
        row = job_row(store, name)
        loads = zone_loads(store, name, zone)
        lasted_s = (row["end_ns"] - row["start_ns"]) / 1e9
        panels = [
            each
            for load in loads
            for each in zone_panels(load, name, describe(row), zone, lasted_s)
        ]
        chart = Chart(
            f"{name} and its background: bytes on links",
            "a byte counts on each link that it crosses",
            tuple(panels),
        )
        saved = save(chart, plot)
    if as_json:
        fabrics = [load.to_json() for load in loads]
        emit_json({"job": name, "zone": zone, "fabrics": fabrics, "plot": saved})
        return
    paint(chart, saved)
    show("")
    for load in loads:
        for part in zone_view(load, zone):
            show(part)
    seen = "a load" if any(load.jobs for load in loads) else "nobody"
    next_steps(*steps("background", seen, name, flag=repository_flag(repository)))
