"""`jostle estimate`: the time that one run lost to interference, and how usable its times are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.commands.batch_job import estimate_parts, refuse_files
from jostle.cli.next_step import seen_by_estimate, steps
from jostle.cli.options.as_user import as_user_option
from jostle.cli.options.common import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.options.estimate import estimation_options, how_to_estimate
from jostle.cli.options.figures import format_option, plot_folder, saved_json, saved_lines
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.cli.views.interval_files import check_export, write_intervals
from jostle.report.models.job.evidence import require_of
from jostle.report.verdict.verdict import evaluate_job, verdict_json

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import RunEstimate
    from jostle.plot.figures.page import Saved
    from jostle.repository import Repository


@click.command("estimate")
@click.argument("job", metavar="JOB", shell_complete=complete_job)
@estimation_options
@click.option(
    "--plot",
    "folder",
    metavar="DIR",
    help="Draw timeline, histograms and clusters into DIR, with a CSV file for each.",
)
@format_option
@click.option(
    "--export",
    "export",
    metavar="FILE",
    help="Write the intervals with lost time to FILE: .json (Perfetto) or .csv.",
)
@click.option("--spool", metavar="DIR", help="Read the profiles in DIR, without a repository.")
@as_user_option
@repository_option
@json_option
def command(
    job: str,
    method: str,
    bytes_rule: str | None,
    seed: int,
    folder: str | None,
    endings: tuple[str, ...],
    export: str | None,
    spool: str | None,
    viewer: int | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Estimate how much time JOB lost to interference, from this run alone.

    JOB is a name, the beginning of one, `last`, or the number of a batch job. The traffic light is
    green if the loss is below 7.5 % of the run time, red if above 15 %.
    """
    how = how_to_estimate(method, bytes_rule, seed)
    place, file = plot_folder(folder), check_export(export)
    flag = repository_flag(repository)
    alone = spool is not None
    with _store(spool, job, repository, viewer, quiet=as_json) as (store, names):
        if len(names) > 1:
            refuse_files(names, folder or export)
            estimate_parts(store, names, how, viewer, flag, as_json=as_json)
            return
        name = names[0]
        with Bar(f"estimating {name}", quiet=as_json) as bar:
            processes = store.job_processes(name)
            require_of(name, processes, "estimate")
            slice_ns = max(processes["slice_ns"].to_pylist(), default=0)
            evaluated_job = evaluate_job(
                store, name, how, alone=alone, viewer=viewer, say=bar.advance
            )
    saved = _draw(evaluated_job.estimate, place, endings, quiet=as_json)
    written = write_intervals(evaluated_job.estimate, file) if file else 0
    if as_json:
        emit_json(verdict_json(evaluated_job) | {"figures": saved_json(saved)})
        return
    from jostle.cli.views.estimate import view

    show(*view(evaluated_job.estimate, evaluated_job.names, evaluated_job.who, evaluated_job.waits))
    if place:
        show("", *saved_lines(saved, place, reason="the run has nothing"))
    if file:
        show(f"{written} interval{'s' if written != 1 else ''} with lost time: {file}")
    seen = "a spool" if alone else seen_by_estimate(evaluated_job, slice_ns)
    from jostle.report.models.job.among_runs import newest_other_run

    another = "" if alone else newest_other_run(store, name, viewer)
    next_steps(
        *steps(
            "estimate",
            seen,
            name,
            flag=flag,
            viewer=viewer,
            words={"ANOTHER_RUN": another, "SPOOL": spool or ""},
        )
    )


@contextmanager
def _store(
    spool: str | None, job: str, repository: Path, viewer: int | None, *, quiet: bool
) -> Iterator[tuple[Repository, list[str]]]:
    """Open the repository, or make a temporary one of a spool; yield it and the job or parts."""
    if spool is None:
        store = open_repository(repository)
        yield store, store.resolve_parts(job, owner=viewer)
        return
    from jostle.cli.commands.look.digest import spool_store

    with spool_store(Path(spool), job, quiet=quiet) as (store, name):
        yield store, [store.resolve_job(name, owner=viewer)]


def _draw(
    estimate: RunEstimate, folder: Path | None, endings: tuple[str, ...], *, quiet: bool
) -> list[Saved]:
    if folder is None:
        return []
    from jostle.plot.figures.estimate.draw_all import plans
    from jostle.plot.figures.page import draw_pages

    with Bar("drawing", quiet=quiet) as bar:
        return draw_pages(plans(estimate), folder, tuple(dict.fromkeys(endings)), bar.advance)
