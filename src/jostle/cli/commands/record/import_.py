"""`jostle import`: imports existing records of a site: Darshan logs, accounting and counters."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.added_verbs import ExtensibleGroup
from jostle.cli.commands.record.import_counters import ldms, prometheus
from jostle.cli.next_step import steps
from jostle.cli.options.common import (
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, next_steps, show, warn
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.names.basis import NEEDS, basis_of
from jostle.report.format.values import byte_count, count, duration

if TYPE_CHECKING:
    from jostle.imports import AccountingReport, DarshanReport
    from jostle.imports.accounting.importer import Reader

_SHOWN = 10  # files that are set aside, and mounts
_RESOLUTIONS = {
    "operations": "with every read and write",
    "bins": "with bytes per slice",
    "totals": "with totals only",
}


@click.group("import", cls=ExtensibleGroup)
def command() -> None:
    """Import existing records of a site: logs, accounting and counters; no profiles are needed.

    A repeated import adds only new records.
    """


@command.command("darshan")
@click.argument(
    "paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path)
)
@click.option(
    "--system",
    type=click.Choice(["slurm", "pbs", "lsf"]),
    help="Batch system of the job numbers in the logs [unknown: jobs are called darshan-N].",
)
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, 64),
    help="Number of processes that read logs [one per core, at most 8].",
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
    """Import Darshan logs, each of which becomes a job.

    PATH is a log, a folder, or a tree of folders by date. Bytes, calls and files come from the
    counters; the times of transfers come from traced operations (DXT), else from heat maps (Darshan
    3.4 or newer), else from the first and last access of each file. Anonymised logs can be
    imported, too. A damaged log is skipped, and the reason is reported. Logs of runs with profiles
    in the repository are left out.
    """
    from jostle.imports import DarshanImport

    store = open_repository(repository, create=True)
    number = workers or min(os.cpu_count() or 1, 8)
    with Bar("reading logs", quiet=as_json) as bar:
        importer = DarshanImport(store, system=system or "darshan", workers=number)
        report = importer.run(paths, bar.advance)
    _require_logs(report)
    if as_json:
        emit_json(report.to_json())
        return
    show(*_darshan_view(report))
    warn(_aside(report.set_aside))
    next_steps(*steps("import", "jobs", flag=repository_flag(repository)))


command.add_command(prometheus)
command.add_command(ldms)


def _require_logs(report: DarshanReport) -> None:
    """Refuse a list of files without any log, since most likely the wrong folder was given."""
    if report.imported or report.known or report.profiled or report.expired:
        return
    from jostle.imports import ImportFailedError

    name, why = report.set_aside[0]
    more = f", and {len(report.set_aside) - 1} more" if len(report.set_aside) > 1 else ""
    raise ImportFailedError(
        f"No file could be used as a Darshan log: {name}: {why}{more}.",
        hint="Name logs that Darshan wrote; `darshan-parser FILE` reports whether a log is "
        "damaged.",
    )


@command.command("sacct")
@click.argument("file", metavar="FILE|-")
@click.option(
    "--zone",
    metavar="ZONE",
    help="Time zone of the times in FILE, such as Europe/Berlin [that of this machine].",
)
@repository_option
@json_option
def sacct(file: str, zone: str | None, repository: Path, as_json: bool) -> None:
    """Import the output of Slurm's `sacct`: states, nodes, waiting and energy of jobs.

    FILE is the output of `sacct -a -P -o JobIDRaw,JobName,User,UID,Account,Partition,Submit,Start,
    End,State,ExitCode,NodeList,AllocCPUS,ReqMem,Timelimit,ConsumedEnergyRaw`, or - for the standard
    input. It is joined with profiles and logs by the number of the job, its owner and its time.
    """
    from functools import partial

    from jostle.imports import read_sacct

    where = None
    if zone is not None:
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            where = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise UsageError(
                f"`{zone}` is not a time zone that this machine knows.",
                hint="For example: --zone Europe/Berlin, or --zone UTC",
            ) from None
    _account(file, partial(read_sacct, zone=where), repository, as_json=as_json)


@command.command("pbs")
@click.argument("file", metavar="FILE|-")
@repository_option
@json_option
def pbs(file: str, repository: Path, as_json: bool) -> None:
    """Import the accounting of PBS: starts and ends of jobs.

    FILE is one of the server's daily files (server_priv/accounting), or - for the standard
    input.
    """
    from jostle.imports import read_pbs

    _account(file, read_pbs, repository, as_json=as_json)


@command.command("lsf")
@click.argument("file", metavar="FILE|-")
@repository_option
@json_option
def lsf(file: str, repository: Path, as_json: bool) -> None:
    """Import the accounting of LSF: the ends of jobs.

    FILE is lsb.acct, or - for the standard input.
    """
    from jostle.imports import read_lsf

    _account(file, read_lsf, repository, as_json=as_json)


def _account(file: str, reader: Reader, repository: Path, *, as_json: bool) -> None:
    """Import accounting from a file or the standard input, and print the result."""
    from jostle.imports import AccountingError, AccountingImport

    store = open_repository(repository, create=True)
    try:
        with Bar("reading accounting", quiet=as_json), _opened(file) as lines:
            report = AccountingImport(store).run(reader, lines)
    except AccountingError as error:
        raise UsageError(
            f"{file} cannot be used: {error}.",
            hint="`jostle import --help` lists what can be read; `sacct` needs -P and the columns "
            "named by `jostle import sacct --help`.",
        ) from error
    if report.unused and not report.jobs:
        number, why = report.unused[0]
        raise UsageError(
            f"No line of {file} is about a job: line {number}: {why}.",
            hint="Name a file of this batch system's accounting: `jostle import --help`.",
        )
    if as_json:
        emit_json(report.to_json())
        return
    show(*_accounting_view(report))
    warn(_unused(file, report.unused))
    what = "jobs" if report.jobs else "nothing"
    next_steps(*steps("import", what, flag=repository_flag(repository)))


@contextmanager
def _opened(file: str) -> Iterator[Iterable[str]]:
    """Open a file, or the standard input, which has at least one line.

    Raises:
        UsageError: The file cannot be read, or is empty.
    """
    if file == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "`-` means standard input, but no data is piped into it.",
                hint="Pipe accounting into it (`sacct ... | jostle import sacct -`), or name a "
                "file.",
            )
        text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
        yield _not_empty(text, "The standard input")
        return
    try:
        lines = Path(file).open(encoding="utf-8", errors="replace")  # noqa: SIM115 (closed below)
    except FileNotFoundError:
        raise UsageError(
            f"{file} does not exist.",
            hint="Name a file of accounting data, or - for standard input.",
        ) from None
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read: {error.strerror}.",
            hint="Name a readable file of accounting data, or - for standard input.",
        ) from None
    with lines:
        yield _not_empty(lines, file)


def _not_empty(lines: Iterable[str], name: str) -> Iterator[str]:
    rest = iter(lines)
    first = next(rest, None)
    if first is None:
        raise UsageError(f"{name} is empty.", hint="`jostle import --help` lists what can be read.")
    return chain([first], rest)


def _accounting_view(report: AccountingReport) -> Iterator[str]:
    if not report.jobs:
        yield "There are no jobs in it."
        return
    yield (
        f"{_of(report.imported, 'batch job')} new of {_of(report.jobs, 'line')} about jobs, "
        f"{count(report.known)} known already, in {duration(report.seconds * 1e9)}."
    )
    if not report.imported:
        return
    states = ", ".join(f"{state} {count(n)}" for state, n in report.states.most_common())
    yield f"States: {states}."
    yield f"Together they waited {duration(report.waited_s * 1e9)} for their starts."
    if report.energy_j:
        yield f"They used {count(report.energy_j)} J."
    if report.owners_unknown:
        yield (
            f"The owners of {_of(report.owners_unknown, 'job')} have no uid here (in column UID, "
            "or as a login of this machine). These are matched only by job number and time."
        )


def _unused(file: str, lines: list[tuple[int, str]]) -> list[str]:
    said = [f"{file}, line {number} is left out: {why}." for number, why in lines[:_SHOWN]]
    if len(lines) > _SHOWN:
        said.append(f"{_of(len(lines) - _SHOWN, 'more line')} left out (--json lists all).")
    return said


def _darshan_view(report: DarshanReport) -> Iterator[str]:
    words = f"{_of(report.imported, 'job')} from {_of(report.logs, 'log')} in "
    yield f"{words}{duration(report.seconds * 1e9)}, {byte_count(report.bytes_written)} of Parquet."
    for number, why in (
        (report.known, "are in the repository already"),
        (report.profiled, "are of runs that have profiles, which contain more"),
        (report.expired, "are older than what the repository keeps (`jostle repository expire`)"),
    ):
        if number:
            yield f"{_of(number, 'log')} {why if number > 1 else _one(why)}."
    if report.mounts:
        shown = [f"{name} ({count(jobs)})" for name, jobs in report.mounts.most_common(_SHOWN)]
        more = f" and {len(report.mounts) - _SHOWN} more" if len(report.mounts) > _SHOWN else ""
        yield f"Shared file systems, and how many jobs used each: {', '.join(shown)}{more}."
    if report.imported:
        yield from ("", "Questions that these logs can answer:")
        yield from _allowed(report)


def _allowed(report: DarshanReport) -> Iterator[str]:
    """Yield the possible answers, with the numbers of imported jobs."""
    for text, number in report.basis.most_common():
        basis = basis_of(text)
        possible = [answer for answer in NEEDS if not basis.lacks(answer)]
        what = _RESOLUTIONS.get(basis.resolution, basis.resolution)
        yield f"  {_of(number, 'job')} {what}: {', '.join(possible)}"
    if report.coarse:
        yield (
            f"  {_of(report.coarse, 'job')} began and ended at times known only to the second "
            "(Darshan before 3.4.1)"
        )


def _aside(files: list[tuple[str, str]]) -> list[str]:
    """Return the files that were skipped, and why."""
    lines = [f"{name} is skipped: {why}." for name, why in files[:_SHOWN]]
    if len(files) > _SHOWN:
        lines.append(f"{_of(len(files) - _SHOWN, 'more file')} skipped (--json lists all).")
    return lines


def _of(number: int, noun: str) -> str:
    return f"{count(number)} {noun if number == 1 else noun + 's'}"


def _one(words: str) -> str:
    return words.replace("are ", "is ", 1).replace("of runs that have", "of a run that has", 1)
