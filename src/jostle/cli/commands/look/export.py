"""`jostle export`: writes tables and jobs as files for other tools."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.options.common import Instant, json_option, open_repository, repository_option
from jostle.cli.options.engine import asking, engine_option
from jostle.cli.options.estimate import how_to_estimate
from jostle.cli.options.metrics import complete_metric
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.report.format.values import byte_count, count
from jostle.report.models.machines.machine_steps import component_view
from jostle.report.models.metrics import view
from jostle.repository.errors import JobError

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import RunEstimate
    from jostle.repository import Repository
    from jostle.repository.types import ExportReport

TABLES = (
    "slices",
    "mount_slices",
    "rollup",
    "node_rollup",
    "gpu_slices",
    "gpu_rollup",
    "gpus",
    "processes",
    "mounts",
    "jobs",
    "segments",
    "tokens",
    "peer_slices",
    "collective_slices",
    "communicators",
    "peers",
    "files",
    "batch_jobs",
    "machines",
    "components",
    "component_slices",
)
_NEVER_NS = 2**63 - 1
#: Forms of a whole job, and the default endings of their files.
_TRACES = {"perfetto": ".perfetto.json", "otf2": ".otf2"}
_SUFFIX = {".parquet": "parquet", ".csv": "csv", ".json": "json"}


@click.command("export")
@click.argument("what", metavar="TABLE|JOB")
@click.option(
    "--format",
    "form",
    default=None,
    type=click.Choice(["parquet", "csv", "json", *_TRACES]),
    help="Format of the file [from its ending, else parquet].",
)
@click.option("-o", "--out", metavar="FILE", help="File to write [./TABLE.FORMAT, ./JOB.FORMAT].")
@click.option(
    "--from",
    "begin_ns",
    type=Instant(),
    metavar="TIME",
    help="Only slices that end after TIME, such as 2026-03-01T14:30Z.",
)
@click.option(
    "--to", "end_ns", type=Instant(), metavar="TIME", help="Only slices that begin before TIME."
)
@click.option(
    "--metric",
    default=None,
    metavar="NAME",
    shell_complete=complete_metric,
    help="Export only the keys and this metric or pair (as in `timeline`).",
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@engine_option
@repository_option
@json_option
def command(
    what: str,
    form: str | None,
    out: str | None,
    begin_ns: int | None,
    end_ns: int | None,
    metric: str | None,
    force: bool,
    engine: str | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Write a table of the repository, or all slices of a job, as Parquet, CSV or JSON.

    TABLE is one of slices, mount_slices, rollup, node_rollup, gpu_slices, gpu_rollup, gpus,
    processes, mounts, jobs, segments, tokens, peer_slices, collective_slices, communicators, peers,
    files, batch_jobs, machines, components, component_slices. For a job, its rows of slices (with
    an empty mount) and of mount_slices are written; with --format perfetto, a trace of its
    processes, neighbours, loads and losses; with --format otf2, a folder with its processes,
    metrics and losses.
    """
    chosen = form or _form_of(out)
    metrics = (
        None
        if metric is None
        else [
            name for line in (component_view(metric) or view(metric)).lines for name in line.metrics
        ]
    )
    span = None if begin_ns is None and end_ns is None else (begin_ns or 0, end_ns or _NEVER_NS)
    if span is not None and span[0] >= span[1]:
        raise UsageError("`--from` is not before `--to`.", hint="Exchange the two times.")
    store = open_repository(repository)
    name = what if what in TABLES else _job(store, what)
    trace = chosen in _TRACES
    if trace and (name in TABLES or span is not None or metrics is not None):
        raise UsageError(
            f"`--format {chosen}` exports a whole job.",
            hint=f"jostle export JOB --format {chosen}, without --from, --to and --metric.",
        )
    if trace and engine is not None:
        raise UsageError(
            f"`--format {chosen}` cannot be combined with --engine.", hint="Leave out --engine."
        )
    path = Path(out or name + _TRACES.get(chosen, f".{chosen}"))
    if path.exists() and engine is not None:
        raise UsageError(
            f"{path} already exists, but Spark writes only new folders.",
            hint="Remove it, or name a different folder with --out.",
        )
    if path.exists() and not force:
        raise UsageError(
            f"{path} already exists.", hint="Add --force, or name a different file with --out."
        )
    with Bar(f"writing {path}", quiet=as_json):
        if trace:
            report = (_write_otf2 if chosen == "otf2" else _write_trace)(store, name, path)
        else:
            with asking(store, engine) as asked:
                report = asked.export(name, chosen, path, span=span, metrics=metrics)
    if as_json:
        emit_json(report.to_json())
        return
    show(
        f"{count(report.rows)} {'events' if trace else 'rows'}, {byte_count(report.bytes)}: "
        f"{report.path}"
    )
    if not trace:
        next_steps(_reader(chosen, path if engine is None else path / f"*.{chosen}"))


def _estimate(store: Repository, job: str) -> RunEstimate | None:
    """Return the estimate of a job; None if there is none."""
    from jostle.analysis.estimation.errors import EstimateError
    from jostle.report.verdict.verdict import evaluate_job

    try:
        return evaluate_job(store, job, how_to_estimate("jostle", None, 0)).estimate
    except EstimateError:
        return None


def _write_otf2(store: Repository, job: str, path: Path) -> ExportReport:
    """Write a job as an OTF2 archive, in place of an earlier one."""
    from jostle.report.models.job.job_otf2 import write_otf2
    from jostle.repository.store.files import cannot_write
    from jostle.repository.types import ExportReport

    if path.exists() and not (path / "traces.otf2").exists():
        raise UsageError(
            f"{path} exists and is not a trace, so it is not replaced.",
            hint="Name another with --out.",
        )
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        events = write_otf2(store, job, _estimate(store, job), temporary)
        if path.exists():
            shutil.rmtree(path)
        temporary.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    size = sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
    return ExportReport(path, events, size)


def _write_trace(store: Repository, job: str, path: Path) -> ExportReport:
    """Write a job with its neighbours, and its losses if they can be estimated."""
    from jostle.report.models.job.job_trace import job_trace
    from jostle.repository.store.files import cannot_write
    from jostle.repository.types import ExportReport

    trace = job_trace(store, job, _estimate(store, job))
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(json.dumps(trace, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)
    return ExportReport(path, len(trace["traceEvents"]), path.stat().st_size)


def _job(store: Repository, what: str) -> str:
    """Return a job's name; the error lists the tables."""
    try:
        return store.resolve_job(what)
    except JobError as error:
        tables = f"Tables are {', '.join(TABLES)}."
        raise JobError(str(error), hint=f"{error.hint} {tables}") from error


def _form_of(out: str | None) -> str:
    """Return the format that the ending of a file names; parquet if it has no ending.

    Raises:
        UsageError: The ending belongs to a different format.
    """
    ending = Path(out or "").suffix.lower()
    if ending and ending not in _SUFFIX:
        raise UsageError(
            f"`{out}`: {ending[1:]} is not a format of tables.",
            hint=f"End it in {', '.join(_SUFFIX)}; or name the format: --format csv.",
        )
    return _SUFFIX.get(ending, "parquet")


def _reader(form: str, path: Path) -> str:
    if form == "parquet":
        return f"python3 -c \"import duckdb; print(duckdb.read_parquet('{path}'))\""
    return f"head {path}"
