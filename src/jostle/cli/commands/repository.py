"""`jostle repository`: compaction, retention, and what to do about damage."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.options.common import (
    Age,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, next_steps, show, table, warn
from jostle.cli.progress import Bar
from jostle.report.format.values import byte_count, count, local_time

if TYPE_CHECKING:
    from rich.table import Table

    from jostle.repository.maintenance.repair import Damaged


@click.group("repository", subcommand_metavar="check|compact|expire|repair")
def command() -> None:
    """Keep the repository small, quick and whole."""


@command.command("check")
@repository_option
@json_option
def check(repository: Path, as_json: bool) -> None:
    """Read every file, and list those that differ from what was written.

    Exit status 1 when there are any.
    """
    from jostle.repository import Repository

    store = Repository(repository)
    with Bar("reading", quiet=as_json) as bar:
        report = store.check(bar.advance)
    if as_json:
        emit_json(report.to_json())
    elif not report.damaged:
        show(f"All {count(report.files)} files are whole; they hold {count(report.rows)} rows.")
        next_steps("jostle jobs")
    else:
        show(_damaged(report.damaged))
        next_steps(f"jostle repository repair{repository_flag(repository)}")
    if report.damaged:
        raise SystemExit(1)


@command.command("repair")
@repository_option
@json_option
def repair(repository: Path, as_json: bool) -> None:
    """Drop damaged files and go on with the rest.

    Rows of damaged files are lost, and listed. What damaged commits had published is restored where
    it can be distinguished from what was never published. Ingesters wait meanwhile.
    """
    from jostle.repository import Repository

    with Bar("repairing", quiet=as_json):
        report = Repository(repository).repair()
    if as_json:
        emit_json(report.to_json())
        return
    if not report.lost and not report.log:
        show("Nothing is damaged; nothing was changed.")
    else:
        show(_damaged([*report.log, *report.lost]))
        show(
            f"Taken back: {count(report.rows)} rows in {count(len(report.taken_back))} files. "
            "Given up: "
            f"{count(sum(damaged.rows for damaged in report.lost))} rows. Closed, as it is not "
            f"known how far they were read: {count(report.closed)} processes."
        )
        if report.unknown:
            files = "file is" if len(report.unknown) == 1 else "files are"
            warn(
                [
                    f"{count(len(report.unknown))} {files} in no commit, and written by an "
                    f"earlier version, so it is unknown whether they were ever valid: left out "
                    f"(--json names "
                    "them)"
                ]
            )
    next_steps(f"jostle repository check{repository_flag(repository)}")


def _damaged(files: Sequence[Damaged]) -> Table:
    frame = table(["=file", "table", ">rows", "from (UTC)", "to", "what is wrong"])
    for damaged in files:
        span = [local_time(damaged.lo), local_time(damaged.hi)] if damaged.hi else ["", ""]
        frame.add_row(
            damaged.file,
            damaged.table,
            count(damaged.rows) if damaged.table else "",
            *span,
            damaged.reason,
        )
    return frame


@command.command("compact")
@repository_option
@json_option
def compact(repository: Path, as_json: bool) -> None:
    """Merge small files into larger ones. Readers and ingesters may go on meanwhile."""
    with Bar("compacting", quiet=as_json):
        report = open_repository(repository).compact()
    if as_json:
        emit_json(report.to_json())
        return
    show(
        f"{count(report.files_before)} files ({byte_count(report.bytes_before)}) became "
        f"{count(report.files_after)} ({byte_count(report.bytes_after)})."
    )
    next_steps("jostle jobs")


@command.command("expire")
@click.option("--older-than", "age", type=Age(), required=True, metavar="AGE",
              help="Remove what ended longer ago: 12h, 30d, 8w.")  # fmt: skip
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
    next_steps("jostle jobs", "jostle repository compact")
