"""`jostle import`: take what a site has already: logs of Darshan, accounting, counters."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.added_verbs import ExtensibleGroup
from jostle.cli.next_step import steps
from jostle.cli.options.common import (
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, next_steps, show, warn
from jostle.cli.progress import Bar
from jostle.names.basis import NEEDS, basis_of
from jostle.report.format.values import byte_count, count, duration

if TYPE_CHECKING:
    from jostle.imports import DarshanReport

_SHOWN = 10  # files that are set aside, and mounts
_RESOLUTIONS = {
    "operations": "with every read and write",
    "bins": "with bytes per slice",
    "totals": "with totals only",
}


@click.group("import", cls=ExtensibleGroup)
def command() -> None:
    """Take what a site has already into the repository, without profiles.

    What is imported once is not imported again: run it as often as there is something new.
    """


@command.command("darshan")
@click.argument(
    "paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path)
)
@click.option(
    "--system",
    type=click.Choice(["slurm", "pbs", "lsf"]),
    help="Batch system whose job numbers the logs have [not known: jobs are called darshan-N].",
)
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, 64),
    help="Processes that read logs [one per core, at most 8].",
)
@repository_option
@json_option
def darshan(
    paths: tuple[Path, ...],
    system: str | None,
    workers: int | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Take logs of Darshan: each becomes a job.

    PATH is a log, a folder, or a tree of folders by date. Bytes, calls and files come from the
    counters; when they were moved comes from traced operations (DXT), else from heat maps
    (Darshan 3.4 or newer), else from the first and last access of each file. Anonymised logs are
    as good as others. A damaged log is set aside with the reason. Logs of runs of which the
    repository has profiles are left out.
    """
    from jostle.imports import DarshanImport

    store = open_repository(repository, create=True)
    number = workers or min(os.cpu_count() or 1, 8)
    with Bar("reading logs", quiet=as_json) as bar:
        importer = DarshanImport(store, system=system or "darshan", workers=number)
        report = importer.run(paths, bar.advance)
    if as_json:
        emit_json(report.to_json())
        return
    show(*_darshan_view(report))
    warn(_aside(report.set_aside))
    if not report.logs:
        next_steps(*steps("import", "nothing"))
        return
    next_steps(*steps("import", "jobs", flag=repository_flag(repository)))


def _darshan_view(report: DarshanReport) -> Iterator[str]:
    if not report.logs:
        yield "There are no logs there: files that end with .darshan."
        return
    words = f"{_of(report.imported, 'job')} from {_of(report.logs, 'log')} in "
    yield f"{words}{duration(report.seconds * 1e9)}, {byte_count(report.bytes_written)} of Parquet."
    for number, why in (
        (report.known, "are in the repository already"),
        (report.profiled, "are of runs that have profiles, which say more"),
        (report.expired, "are older than what the repository keeps (`jostle repository expire`)"),
    ):
        if number:
            yield f"{_of(number, 'log')} {why if number > 1 else _one(why)}."
    if report.mounts:
        shown = [f"{name} ({count(jobs)})" for name, jobs in report.mounts.most_common(_SHOWN)]
        more = f" and {len(report.mounts) - _SHOWN} more" if len(report.mounts) > _SHOWN else ""
        yield f"Shared file systems, and how many jobs used each: {', '.join(shown)}{more}."
    if report.imported:
        yield from ("", "What these logs allow:")
        yield from _allowed(report)


def _allowed(report: DarshanReport) -> Iterator[str]:
    """Yield which answers are possible for how many of the imported jobs."""
    for text, number in report.basis.most_common():
        basis = basis_of(text)
        possible = [answer for answer in NEEDS if not basis.lacks(answer)]
        what = _RESOLUTIONS.get(basis.resolution, basis.resolution)
        yield f"  {_of(number, 'job')} {what}: {', '.join(possible)}"
    if report.coarse:
        yield (
            f"  {_of(report.coarse, 'job')} began and ended at a known second, not at a known "
            "instant (Darshan before 3.4.1)"
        )


def _aside(files: list[tuple[str, str]]) -> list[str]:
    """Return what was set aside, and why."""
    lines = [f"{name} is set aside: {why}." for name, why in files[:_SHOWN]]
    if len(files) > _SHOWN:
        lines.append(f"{_of(len(files) - _SHOWN, 'more file')} set aside (--json lists all).")
    return lines


def _of(number: int, noun: str) -> str:
    return f"{count(number)} {noun if number == 1 else noun + 's'}"


def _one(words: str) -> str:
    return words.replace("are ", "is ", 1).replace("of runs that have", "of a run that has", 1)
