"""`jostle import prometheus` and `ldms`: import machine counters of other monitoring systems."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.next_step import steps
from jostle.cli.options.common import (
    Instant,
    Since,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, next_steps, show, warn
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.report.format.values import count, duration

if TYPE_CHECKING:
    from jostle.imports import CounterReport, LdmsReport

_SHOWN = 10  # files that are set aside, and machines


@click.command("prometheus")
@click.argument("url", metavar="URL")
@click.option(
    "--from",
    "begin_ns",
    type=Since(),
    required=True,
    metavar="AGE|TIME",
    help="Start of the import: an age such as `2d`, or a time such as 2026-03-01T14:30Z.",
)
@click.option("--to", "end_ns", type=Instant(), metavar="TIME", help="End of the import [now].")
@click.option(
    "--map",
    "maps",
    multiple=True,
    required=True,
    metavar="FILE|NAME",
    help="Map from series to metrics: node-exporter, lustre-exporter, dcgm, ceph, or a TOML file; "
    "may be given more than once.",
)
@repository_option
@json_option
def prometheus(
    url: str,
    begin_ns: int,
    end_ns: int | None,
    maps: tuple[str, ...],
    repository: Path,
    as_json: bool,
) -> None:
    """Import series of Prometheus as components of machines: disks, links, CPUs, servers, GPUs.

    URL is that of the server, such as http://prometheus.site:9090. The raw samples are read; the
    increase of a counter between two samples is spread evenly over the time between them. Machines
    with an agent of jostle at that time are left out.
    """
    from jostle.imports import PrometheusClient, import_prometheus, read_map

    until = min(end_ns or time.time_ns(), time.time_ns())
    if begin_ns >= until:
        raise UsageError("--to is not after --from.", hint="For example: --from 2d")
    read = [read_map(name) for name in maps]
    client = PrometheusClient(url)
    store = open_repository(repository, create=True)
    reports = []
    with Bar("reading series", quiet=as_json) as bar:
        for counters in read:
            reports.append(import_prometheus(store, client, counters, begin_ns, until, bar.advance))
    if as_json:
        emit_json([report.to_json() for report in reports])
        return
    for counters, report in zip(read, reports, strict=True):
        show(*_view(counters.title, report))
    _next(repository, reports)


@click.command("ldms")
@click.argument(
    "paths", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@click.option(
    "--map",
    "name",
    default="ldms",
    show_default=True,
    metavar="FILE|NAME",
    help="Map from columns to metrics: a TOML file.",
)
@repository_option
@json_option
def ldms(paths: tuple[Path, ...], name: str, repository: Path, as_json: bool) -> None:
    """Import files of LDMS's store_csv as components of machines: CPUs, disks, links, mounts.

    FILE is a file with a line that names its columns, or a folder of such files. The samplers
    procstat, meminfo, procdiskstats, procnetdev and lustre2_client are known; others need a map.
    """
    from jostle.imports import ImportFailedError, import_ldms, read_map

    counters = read_map(name)
    store = open_repository(repository, create=True)
    with Bar("reading samples", quiet=as_json) as bar:
        report = import_ldms(store, paths, counters, bar.advance)
    if not report.files:
        file, why = report.set_aside[0]
        more = len(report.set_aside) - 1
        also = f", and {count(more)} more" if more else ""
        raise ImportFailedError(
            f"No file could be imported. {file}: {why}{also}.",
            hint="Name files of store_csv whose columns the map names "
            "(docs/reference/counter-maps.md).",
        )
    if as_json:
        emit_json(report.to_json())
        return
    show(*_view(counters.title, report))
    warn(_aside(report))
    _next(repository, [report])


def _view(title: str, report: CounterReport) -> Iterator[str]:
    machines = _of(len(report.hosts), "machine")
    yield (
        f"{title}: {_of(report.rows, 'slice')} of {machines} from {_of(report.samples, 'sample')}, "
        f"in {duration(report.seconds * 1e9)}."
    )
    if report.components:
        kinds = ", ".join(f"{kind} {count(n)}" for kind, n in sorted(report.components.items()))
        yield f"  Components: {kinds}."
    yield (
        f"  Samples every {duration(report.usual_ns)} became slices of "
        f"{duration(report.slice_ns)}: a counter's increase is spread evenly between two samples."
    )
    if report.known and not report.rows:
        yield "  All of it is in the repository already."
    if report.watched:
        some = ", ".join(sorted(report.watched)[:_SHOWN])
        more = " and others" if len(report.watched) > _SHOWN else ""
        yield f"  Left out, since jostle's agent recorded them: {some}{more}."
    for kind, metrics in sorted(report.missing.items()):
        yield f"  No series for {kind}: {', '.join(metrics)}: these are not known."


def _aside(report: LdmsReport) -> list[str]:
    lines = [f"{name} is skipped: {why}." for name, why in report.set_aside[:_SHOWN]]
    if len(report.set_aside) > _SHOWN:
        lines.append(f"{count(len(report.set_aside) - _SHOWN)} more are skipped (--json).")
    if report.lines_left_out:
        lines.append(
            f"{_of(report.lines_left_out, 'line')} left out: incomplete, or with a time before "
            "2001 or in the future."
        )
    return lines


def _next(repository: Path, reports: list[CounterReport] | list[LdmsReport]) -> None:
    hosts = sorted({host for report in reports for host in report.hosts})
    seen = "machines" if hosts else "nothing"
    words = {"NODE": hosts[0]} if hosts else {}
    next_steps(*steps("import", seen, flag=repository_flag(repository), words=words))


def _of(number: int, noun: str) -> str:
    return f"{count(number)} {noun if number == 1 else noun + 's'}"
