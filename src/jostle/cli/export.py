"""`jostle export`: tables for other tools."""

from __future__ import annotations

from pathlib import Path

import click

from jostle.cli.format import byte_count, count
from jostle.cli.options import json_option, open_repository, repository_option
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import UsageError

TABLES = (
    "slices", "mount_slices", "rollup", "node_rollup", "processes", "mounts", "jobs", "segments",
    "tokens", "peers",
)  # fmt: skip
_SUFFIX = {".parquet": "parquet", ".csv": "csv", ".json": "json"}


@click.command("export")
@click.argument("what", metavar="TABLE|JOB")
@click.option("--format", "form", type=click.Choice(["parquet", "csv", "json"]), default=None,
              help="Form of the file [that of its ending, else parquet].")  # fmt: skip
@click.option("-o", "--out", metavar="FILE", help="File to write [./TABLE.FORMAT, ./JOB.FORMAT].")
@click.option("--force", is_flag=True, help="Replace FILE when it is there.")
@repository_option
@json_option
def command(
    what: str, form: str | None, out: str | None, force: bool, repository: Path, as_json: bool
) -> None:
    """Write a table of the repository, or all slices of a job, as Parquet, CSV or JSON.

    TABLE is one of slices, mount_slices, rollup, node_rollup, processes, mounts, jobs, segments,
    tokens, peers. A job gives its rows of slices, where mount is empty, and of mount_slices.
    """
    chosen = form or _SUFFIX.get(Path(out or "").suffix.lower(), "parquet")
    store = open_repository(repository)
    name = what if what in TABLES else store.resolve_job(what)
    path = Path(out or f"{name}.{chosen}")
    if path.exists() and not force:
        raise UsageError(
            f"{path} is there already.", hint="Add --force, or name another with --out."
        )
    with Bar(f"writing {path}", quiet=as_json):
        report = store.export(name, chosen, path)
    if as_json:
        emit_json(report.to_json())
        return
    show(f"{count(report.rows)} rows, {byte_count(report.bytes)}: {report.path}")
    next_steps(_reader(chosen, path))


def _reader(form: str, path: Path) -> str:
    if form == "parquet":
        return f"python3 -c \"import duckdb; print(duckdb.read_parquet('{path}'))\""
    return f"head {path}"
