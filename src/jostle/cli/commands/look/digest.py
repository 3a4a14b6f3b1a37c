"""`jostle digest`: the activity of one job, from a repository or from profiles in a folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.commands.batch_job import digest_parts, job_end, print_line
from jostle.cli.next_step import steps
from jostle.cli.options.common import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.options.figures import format_option, plot_folder, saved_json, saved_lines
from jostle.cli.output import console, emit_json, heading, next_steps, show, utf8
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.names.basis import RESTS_ON

if TYPE_CHECKING:
    from jostle.analysis import JobDigest
    from jostle.analysis.digest.finishing import Finishing
    from jostle.plot.figures.page import Saved
    from jostle.report.models.job.scheduler import SchedulerFacts
    from jostle.repository import Repository


@click.command("digest")
@click.argument("job", metavar="JOB", shell_complete=complete_job)
@click.option(
    "--segments", "with_segments", is_flag=True, help="List the execution segments one by one."
)
@click.option("--spool", metavar="DIR", help="Read the profiles in DIR, without a repository.")
@click.option(
    "--wait",
    "wait_s",
    type=click.FloatRange(0, 3600),
    default=0.0,
    metavar="S",
    help="With --spool: wait for the end of all ranks, at most S seconds.",
)
@click.option(
    "--line",
    is_flag=True,
    help="Print a single line and exit with status 0, also if JOB is not known (for an epilog).",
)
@click.option(
    "--brief", is_flag=True, help="Print at most 25 lines, as at the end of a job's output."
)
@click.option(
    "--plot",
    "folder",
    metavar="DIR",
    help="Draw the ends of processes and the data rates of servers into DIR.",
)
@format_option
@repository_option
@json_option
def command(
    job: str,
    with_segments: bool,
    spool: str | None,
    wait_s: float,
    line: bool,
    brief: bool,
    folder: str | None,
    endings: tuple[str, ...],
    repository: Path,
    as_json: bool,
) -> None:
    """Show the activity of JOB: MPI, traffic per mount, time, segments, errors, cost of profiling.

    JOB is a name, the beginning of one, `last`, or the number of a batch job, of which all parts
    are listed. For an MPI program, ranks are compared and a kind of tool for a closer view is
    suggested. If the program ran before, this run is compared with the others.
    """
    if line or brief:
        if spool is not None or as_json or with_segments or folder or (line and brief):
            raise UsageError(
                f"--{'line' if line else 'brief'} cannot be combined with --spool, --json, "
                f"--segments, --plot or --{'brief' if line else 'line'}.",
                hint="Leave out one of the options.",
            )
        if line:
            print_line(repository, job)
        else:
            click.echo(job_end(open_repository(repository), job), nl=False)
        return
    place = plot_folder(folder)
    from jostle.report.models.job.among_runs import figures_of, runs_of
    from jostle.report.models.job.finishing import finishing_of
    from jostle.report.models.job.scheduler import scheduler_facts
    from jostle.report.models.jobs import job_row

    if spool is not None:
        with spool_store(Path(spool), job, wait_s=wait_s, quiet=as_json) as (store, name):
            digest = _read(store, name, with_segments=with_segments)
            content = _Content(
                digest, figures_of(store, runs_of(store, name), name), finishing_of(store, name)
            )
        _put(content, place, endings, as_json=as_json, with_segments=with_segments)
        if not as_json:
            next_steps(*steps("digest", "a spool", words={"SPOOL": spool}))
        return
    store = open_repository(repository)
    flag = repository_flag(repository)
    name, *more = store.resolve_parts(job)
    if more and folder:
        raise UsageError(
            f"`{job}` is a batch job with several parts, but --plot draws one part only.",
            hint=f"Name a part: {name}",
        )
    if more:
        digest_parts(store, [name, *more], flag, as_json=as_json)
        return
    with Bar("reading slices", quiet=as_json):
        digest = _read(store, name, with_segments=with_segments)
        among = figures_of(store, runs_of(store, name), name)
        facts = scheduler_facts(store, job_row(store, name))
        content = _Content(digest, among, finishing_of(store, name), facts)
    _put(content, place, endings, as_json=as_json, with_segments=with_segments)
    if as_json:
        return
    mpi = any(world.counted for world in digest.mpi)
    seen = "slices of MPI" if mpi else "slices" if digest.processes else "no slices"
    if any(note.startswith(RESTS_ON) for note in digest.notes):
        seen = "an imported job"
        from jostle.report.models.machines.targets import slow_targets_of, target_words

        show(*(target_words(each) for each in slow_targets_of(store, [name])[1]))
    next_steps(*steps("digest", seen, name, flag=flag))


@contextmanager
def spool_store(
    folder: Path, job: str, *, wait_s: float = 0.0, quiet: bool = False
) -> Iterator[tuple[Repository, str]]:
    """Create a temporary repository from a job's profiles in a spool (a folder of profiles).

    Args:
        folder: The spool folder.
        job: The job's full name, or `last`.
        wait_s: Longest wait for the end of all ranks, in seconds.
        quiet: Whether to show no progress.

    Yields:
        The repository, and the name of the job in it.

    Raises:
        UsageError: The spool has no profile of this job.
    """
    from jostle.cli.config import check_readable
    from jostle.cli.launch.wait_for_ranks import wait_for_ranks
    from jostle.repository import Repository

    check_readable(folder)
    with ExitStack() as stack:
        with Bar("reading profiles", quiet=quiet):
            if wait_s > 0:
                wait_for_ranks(folder, job, wait_s)
            only = None if job == "last" else job
            store = stack.enter_context(Repository.of_spool([folder], job=only))
            name = store.resolve_job(job) if only is None else store.newest(job)
        if not store.job_processes(name).num_rows:
            raise UsageError(
                f"No profile in {folder} is of a job {job!r}.",
                hint="`last` selects the newest job; file names begin with the name of their job.",
            )
        yield store, name


def _read(store: Repository, name: str, *, with_segments: bool) -> JobDigest:
    from jostle.analysis import digest, segment_rows

    tables = store.job_tables(name)
    job_digest = digest(tables)
    if with_segments:
        worlds = [
            world
            if world.segments is None
            else replace(
                world, segments=replace(world.segments, rows=segment_rows(tables, world.processes))
            )
            for world in job_digest.mpi
        ]
        job_digest = replace(job_digest, mpi=worlds)
    return job_digest


@dataclass(frozen=True)
class _Content:
    """What `jostle digest` shows: the digest, and the job compared with its program's runs."""

    digest: JobDigest
    among: dict[str, Any]
    finishing: list[Finishing]
    facts: SchedulerFacts | None = None


def _put(
    content: _Content,
    folder: Path | None,
    endings: tuple[str, ...],
    *,
    as_json: bool,
    with_segments: bool,
) -> None:
    """Print the digest, and draw the requested figures."""
    digest, facts = content.digest, content.facts
    saved = _draw(content.finishing, folder, endings, quiet=as_json) if folder else []
    if as_json:
        emit_json(
            digest.to_json()
            | {
                "figures": content.among,
                "scheduler": facts and facts.to_json(),
                "finishing": [each.to_json() for each in content.finishing],
            }
            | ({"plots": saved_json(saved)} if folder else {})
        )
        return
    from jostle.cli.views.digest import view

    if facts is not None:
        from jostle.cli.views.batch_jobs import said_by_scheduler

        show(f"part of batch job {facts.name}; {said_by_scheduler(facts)}")
    show(*view(digest, content.among, content.finishing))
    if with_segments:
        from jostle.cli.views.mpi_world import segments_table

        for world in digest.mpi:
            if world.segments and world.segments.rows:
                show("", heading("Segments"), *segments_table(world.segments.rows, world.ranks))
    if folder:
        _paint(content.finishing)
        reason = "on no mount four processes moved data: there is nothing"
        show("", *saved_lines(saved, folder, reason=reason))


def _draw(
    every: list[Finishing], folder: Path, endings: tuple[str, ...], *, quiet: bool
) -> list[Saved]:
    from jostle.plot.figures.finishing import plans
    from jostle.plot.figures.page import draw_pages

    with Bar("drawing", quiet=quiet) as bar:
        return draw_pages(plans(every), folder, tuple(dict.fromkeys(endings)), bar.advance)


def _paint(every: list[Finishing]) -> None:
    """Draw the charts in the terminal."""
    from rich.text import Text

    from jostle.plot.charts.finishing import charts
    from jostle.plot.terminal.finishing import draw_finishing

    width = shutil.get_terminal_size((80, 24)).columns
    for chart in charts(every):
        console().print()
        for line in draw_finishing(chart, width=width, unicode=utf8()):
            console().print(Text.assemble(*line), soft_wrap=True)
