"""`jostle repository`: compacts, thins out, checks and repairs a repository."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.options.common import (
    Age,
    SliceLength,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, heading, next_steps, show, warn
from jostle.cli.progress import Bar
from jostle.report.format.values import byte_count, count, local_time

if TYPE_CHECKING:
    from rich.text import Text

    from jostle.repository import Repository
    from jostle.repository.maintenance.repair import Damaged

#: Most jobs of a damaged file that are named; --json names all.
_MOST_JOBS = 5


@click.group("repository", subcommand_metavar="check|compact|coarsen|expire")
def command() -> None:
    """Compact, thin out, check or repair the repository."""


@command.command("check")
@click.option("--fix", is_flag=True, help="Move damaged files aside; nothing is deleted.")
@repository_option
@json_option
def check(repository: Path, as_json: bool, fix: bool) -> None:
    """Read every file of the repository, and list damaged ones.

    The exit status is 1 if there are any; with --fix it is 0, since no damaged file remains.
    """
    from jostle.repository import Repository

    if fix:
        from jostle.repository.store.marker import restore_marker

        flaw = restore_marker(repository)
        _fix(Repository(repository), as_json, flaw)
        return
    store = Repository(repository)
    with Bar("reading", quiet=as_json) as bar:
        report = store.check(bar.advance)
    if as_json:
        emit_json(report.to_json())
    elif not report.damaged:
        show(f"All {count(report.files)} files are whole; they hold {count(report.rows)} rows.")
        next_steps("jostle jobs")
    else:
        show(*_damaged(report.damaged))
        names = "file is" if len(report.damaged) == 1 else "files are"
        show(
            f"{count(len(report.damaged))} {names} damaged, of {count(report.files)}. Restore them "
            "from a backup if you have one,",
            f"then move what is still damaged to {report.quarantine}/:",
        )
        next_steps(f"jostle repository check{repository_flag(repository)} --fix")
    if report.damaged:
        raise SystemExit(1)


def _fix(store: Repository, as_json: bool, marker: str) -> None:
    with Bar("fixing", quiet=as_json) as bar:
        report = store.repair(bar.advance)
    report.marker = marker
    if as_json:
        emit_json(report.to_json())
        return
    if marker:
        from jostle.repository.store.layout import MARKER

        show(f"{MARKER} was {marker}; it was written again.")
    if not report.lost and not report.log:
        if not marker:
            show("Nothing is damaged; nothing was changed.")
        next_steps("jostle jobs")
        return
    show(*_damaged([*report.log, *report.lost]))
    if report.log:
        show(
            f"The log was made anew. {count(report.rows)} rows in "
            f"{count(len(report.taken_back))} files were taken back; nothing more is taken of "
            f"{count(report.closed)} processes, as it is not known how far they were read."
        )
    rows = sum(damaged.rows for damaged in report.lost)
    show(f"These files are now in {store.name}/{report.quarantine}")
    if rows:
        show(
            f"Lost: {count(rows)} rows. If the profiles were kept, read them into a new repository:"
        )
    if report.unknown:
        files = "file is" if len(report.unknown) == 1 else "files are"
        warn(
            [
                f"{count(len(report.unknown))} {files} in no commit, and written by an "
                "earlier version, so it is unknown whether they were ever valid: left out "
                "(--json names them)"
            ]
        )
    if rows:
        next_steps("jostle ingest SPOOL --repository NEW")
    else:
        next_steps("jostle jobs")


def _damaged(files: Sequence[Damaged]) -> list[Text]:
    """Return a paragraph per damaged file: its path is too long for a column."""
    lines = []
    for damaged in files:
        lines.append(heading(damaged.file))
        lines += [heading("", f"  {name:<8}{text}") for name, text in _facts(damaged) if text]
    return lines


def _facts(damaged: Damaged) -> list[tuple[str, str]]:
    if not damaged.table:
        return [("holds", "a part of the log"), ("reason", damaged.reason)]
    when = ""
    if damaged.hi:
        when = f", {local_time(damaged.lo, zone=False)} to {local_time(damaged.hi)}"
    names = ", ".join(damaged.jobs[:_MOST_JOBS])
    if more := len(damaged.jobs) - _MOST_JOBS:
        names += f" and {count(more)} more" if more > 0 else ""
    if names and not damaged.read:
        names += " (they ran at that time)"
    return [
        ("holds", f"{count(damaged.rows)} rows of {damaged.table}{when}"),
        ("of", names),
        ("reason", damaged.reason),
    ]


@command.command("compact")
@repository_option
@json_option
def compact(repository: Path, as_json: bool) -> None:
    """Merge small files into larger ones. Readers and ingesters can continue meanwhile."""
    with Bar("compacting", quiet=as_json):
        report = open_repository(repository).compact()
    if as_json:
        emit_json(report.to_json())
        return
    show(
        f"{count(report.files_before)} files ({byte_count(report.bytes_before)}) became "
        f"{count(report.files_after)} ({byte_count(report.bytes_after)})."
    )
    _say_damaged(report.damaged, repository)
    next_steps("jostle jobs")


@command.command("coarsen")
@click.option(
    "--older-than",
    "age",
    type=Age(),
    required=True,
    metavar="AGE",
    help="Merge only days that ended longer ago than AGE: 1d, 4w.",
)
@click.option(
    "--slice",
    "length_ns",
    type=SliceLength(),
    required=True,
    metavar="LENGTH",
    help="Length of the longer slices: 4s, 60s.",
)
@repository_option
@json_option
def coarsen(age: float, length_ns: int, repository: Path, as_json: bool) -> None:
    """Merge slices older than AGE into longer slices; all totals are preserved."""
    with Bar("coarsening", quiet=as_json):
        report = open_repository(repository).coarsen(age, length_ns)
    if as_json:
        emit_json(report.to_json())
        return
    show(
        f"{count(report.rows_before)} rows of days before {local_time(report.horizon_ns)} "
        f"({byte_count(report.bytes_before)}) became {count(report.rows_after)} "
        f"({byte_count(report.bytes_after)})."
        if report.rows_before
        else f"No slices before {local_time(report.horizon_ns)} can be made longer."
    )
    _say_damaged(report.damaged, repository)
    next_steps("jostle jobs")


@command.command("expire")
@click.option(
    "--older-than",
    "age",
    type=Age(),
    required=True,
    metavar="AGE",
    help="Remove slices that ended longer ago than AGE: 12h, 30d, 8w.",
)
@repository_option
@json_option
def expire(age: float, repository: Path, as_json: bool) -> None:
    """Remove slices older than AGE."""
    with Bar("expiring", quiet=as_json):
        report = open_repository(repository).expire(age)
    if as_json:
        emit_json(report.to_json())
        return
    show(
        f"Everything before {local_time(report.horizon_ns)} is gone: "
        f"{count(report.rows_removed)} rows in {count(report.files_removed)} files, "
        f"{byte_count(report.bytes_removed)}, {count(report.processes_removed)} processes."
    )
    _say_damaged(report.damaged, repository)
    next_steps("jostle jobs", "jostle repository compact")


def _say_damaged(files: Sequence[str], repository: Path) -> None:
    if files:
        fix = f"`jostle repository check{repository_flag(repository)} --fix` moves them aside."
        warn([*(f"{file} cannot be read, and stays as it is." for file in files), fix])
