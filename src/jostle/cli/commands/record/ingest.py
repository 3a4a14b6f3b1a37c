"""`jostle ingest`: ingest profiles from spools into the repository."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.config import check_readable, foreign_profiles, settings
from jostle.cli.next_step import steps
from jostle.cli.options.common import json_option, open_repository, repository_option
from jostle.cli.output import emit_json, next_steps, show, warn
from jostle.cli.progress import Bar
from jostle.report.format.values import byte_count, count, duration

if TYPE_CHECKING:
    from jostle.repository import IngestProgress, IngestReport


@click.command("ingest")
@click.argument("spools", nargs=-1, metavar="[DIR|FILE]...")
@click.option("--follow", is_flag=True, help="Keep running, and publish new slices while jobs run.")
@click.option(
    "--remove", is_flag=True, help="Remove profiles of ended processes after they are ingested."
)
@repository_option
@json_option
def command(
    spools: tuple[str, ...], follow: bool, remove: bool, repository: Path, as_json: bool
) -> None:
    """Ingest profiles from spools (folders or files) into the repository.

    Without DIR, the spool (folder of new profiles) of the current settings is read. A repeated run
    adds only new data.
    """
    paths = [Path(name) for name in spools] or [settings().spool]
    for path in paths:
        check_readable(path)
    store = open_repository(repository, create=True)
    if follow:
        _follow(paths, repository, remove=remove, as_json=as_json)
        return
    with Bar("reading profiles", quiet=as_json) as bar:

        def progress(state: IngestProgress) -> None:
            bar.advance(state.profiles_done, state.profiles_total, f"{count(state.slices)} slices")

        report = store.ingest(paths, progress=progress, remove=remove)
    if as_json:
        emit_json(report.to_json())
        return
    foreign = foreign_profiles(paths)
    others = sum(foreign.values())
    # One sentence about other users' profiles instead of one for each.
    warn(text for text in report.warnings if not (foreign and "no permission" in text))
    warn(_expired(report))
    for owner, number in foreign.items():
        warn([f"{_of(number, 'profile')} of {owner} left out: only {owner} may read them"])
    if report.profiles <= others:
        names = " ".join(str(path) for path in paths)
        show(f"No profiles{' of yours' if others else ''} in {names}.")
        next_steps(*steps("ingest", "nothing"))
        return
    show(_sentence(report, others))
    next_steps(*steps("ingest", "jobs"))


def _sentence(report: IngestReport, others: int = 0) -> str:
    if not report.commits:
        return f"Nothing new in {_of(report.profiles - others, 'profile')}."
    batch = f"; facts of {_of(report.batch_jobs, 'batch job')}" if report.batch_jobs else ""
    machines = f" and {_of(report.component_slices, 'component slice')} of machines"
    words = (
        f"{_of(report.slices, 'process-slice')} of {_of(report.processes, 'process')}"
        f"{machines if report.component_slices else ''} from {_of(report.changed, 'profile')} in "
        f"{duration(report.seconds * 1e9)}, "
        f"{byte_count(report.bytes_written)} of Parquet{batch}"
    )
    return words + (f"; {_of(report.removed, 'spool file')} removed." if report.removed else ".")


def _expired(report: IngestReport) -> list[str]:
    if not report.expired:
        return []
    return [
        f"{_of(report.expired, 'profile')} older than what the repository keeps (`jostle "
        "repository expire`): neither ingested nor removed"
    ]


def _of(number: int, noun: str) -> str:
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{count(number)} {noun if number == 1 else plural}"


def _follow(paths: list[Path], repository: Path, *, remove: bool, as_json: bool) -> None:
    """Ingest until SIGINT or SIGTERM; one line per change."""
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    names = " ".join(str(path) for path in paths)
    if not as_json:
        show(f"Following {names}; Ctrl-C ends it.")

    def on_change(report: IngestReport) -> None:
        if as_json:
            import json

            click.echo(json.dumps(report.to_json()))
        else:
            show(_sentence(report))

    total = open_repository(repository, create=True).follow(
        paths, stop=stopped.is_set, on_change=on_change, remove=remove
    )
    if not as_json:
        warn([*total.warnings, *_expired(total)])
        show(f"Ended: {_of(total.slices, 'process-slice')} published.")
        next_steps(*steps("ingest", "jobs"))
