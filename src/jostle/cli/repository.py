"""`jostle repository`: compaction and retention."""

from __future__ import annotations

from pathlib import Path

import click

from jostle.cli.options import Age, json_option, open_repository, repository_option
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.told.words import byte_count, count, local_time


@click.group("repository", subcommand_metavar="compact|expire")
def command() -> None:
    """Keep the repository small and quick."""


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
