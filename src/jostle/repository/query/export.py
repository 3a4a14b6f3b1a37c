"""Exports tables and jobs as files for other tools."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from jostle.errors import no_room
from jostle.reader import GPU_VALUES
from jostle.repository.errors import JobError, NoRoomError, RepositoryError
from jostle.repository.query.engine import Engine
from jostle.repository.store.files import cannot_write
from jostle.repository.store.layout import ROLLUPS, SCALAR_IDS, STATS, TABLES
from jostle.repository.types import ExportReport
from jostle.schema.metrics import COMPONENT_IDS, HISTOGRAM_IDS, MOUNT_IDS, PROCESS_IDS
from jostle.values.plain_values import FORMULA

_FORMATS = {
    "parquet": "FORMAT parquet, COMPRESSION zstd",
    "csv": "FORMAT csv, HEADER true",
    "json": "FORMAT json, ARRAY true",
}

#: Metrics by table.
_METRICS_OF = {
    "slices": PROCESS_IDS,
    "mount_slices": MOUNT_IDS,
    "rollup": MOUNT_IDS,
    "node_rollup": SCALAR_IDS,
    "component_slices": COMPONENT_IDS,
    "gpu_slices": GPU_VALUES,
    "gpu_rollup": GPU_VALUES,
}

#: Begin and end of a row, ns since the epoch, by table; of running processes, the end is 0.
_SLICE = ("slice * slice_ns", "(slice + 1) * slice_ns")
_ROW = ("slice * slice_ns", "(slice + coalesce(span, 1)) * slice_ns")
_TIMES_OF = {
    "slices": _ROW,
    "mount_slices": _ROW,
    "rollup": _SLICE,
    "node_rollup": _SLICE,
    "gpu_slices": _ROW,
    "gpu_rollup": _SLICE,
    "component_slices": _ROW,
    "peer_slices": _ROW,
    "collective_slices": _ROW,
    **dict.fromkeys(("processes", "segments", "jobs", "machines"), ("start_ns", "end_ns")),
}

# NOTE: DuckDB 2.0 writes null fixed-size lists to Parquet in a way that others cannot read.
_AS_LISTS = f"REPLACE ({', '.join(f'{name}::BIGINT[] AS {name}' for name in HISTOGRAM_IDS)})"


@dataclass(frozen=True)
class ExportSelection:
    """The requested part of a table.

    Attributes:
        job: Name of the job whose rows are exported.
        span: Time that exported slices and segments overlap, ns since the epoch.
        metrics: Ids of the metrics; None: all.
    """

    job: str | None = None
    span: tuple[int, int] | None = None
    metrics: tuple[str, ...] | None = None


def export(
    engine: Engine,
    what: str,
    form: str,
    out: Path,
    part: ExportSelection,
    resolve: Callable[[str], str],
) -> ExportReport:
    """Write a table, or the slices of a job, to a file (see Repository.export).

    Args:
        engine: The query engine.
        what: Name of a table or of a job.
        form: Format: parquet, csv or json.
        out: Path of the file.
        part: The requested part.
        resolve: Function that finds the job that a user's text refers to.
    """
    if form not in _FORMATS:
        raise JobError(
            f"There is no format {form!r}.", hint="The formats are parquet, csv and json."
        )
    temporary = out.with_name(f".{out.name}.{uuid.uuid4().hex}")

    def copy(
        ask: Callable[[Callable[[], str]], pa.Table],
        select: Callable[[], str],
        texts: Sequence[str],
    ) -> ExportReport:
        to = f"{_quoted(str(temporary))} ({_FORMATS[form]})"

        def made() -> str:
            return _without_formulas(select(), texts) if form == "csv" else select()

        return _kept(lambda: ask(lambda: f"COPY ({made()}) TO {to}"), temporary, out)

    if what == "jobs" or what in TABLES:
        part = replace(part, job=None if part.job is None else resolve(part.job))
        _fits(what, part)
        if what == "jobs":
            rows = _stamped(f"SELECT * FROM jobs {_where(part.job, None)}", "jobs", form)
            return copy(lambda sql: engine.query(sql()), lambda: rows, ["job", "program"])
        return copy(
            engine.ask, lambda: _stamped(_rows(engine, what, part), what, form), _texts(what)
        )
    part = replace(part, job=resolve(what))
    return copy(
        engine.ask,
        lambda: _stamped(
            "SELECT job, process, host, NULL::VARCHAR AS mount, * EXCLUDE (job, process, host) "
            f"FROM ({_rows(engine, 'slices', part)}) "
            f"UNION ALL BY NAME {_rows(engine, 'mount_slices', part)}",
            "mount_slices",
            form,
        ),
        _texts("mount_slices"),
    )


def _stamped(select: str, table: str, form: str) -> str:
    """Return a SELECT of the same rows with columns `start` and `end`, if the table has times.

    In Parquet they are timestamps (ns, UTC); in CSV and JSON text by ISO 8601, in UTC.
    """
    if table not in _TIMES_OF:
        return select
    start, end = (_instant(ns, text=form != "parquet") for ns in _TIMES_OF[table])
    return f'SELECT *, {start} AS "start", {end} AS "end" FROM ({select})'


def _instant(ns: str, *, text: bool) -> str:
    """Return SQL for an instant; null where it is not known."""
    # NOTE: DuckDB's strftime writes the ns of its TIMESTAMP_NS wrongly.
    shown = (
        f"strftime(make_timestamp(({ns}) // 1000), '%Y-%m-%dT%H:%M:%S') || '.' || "
        f"lpad((({ns}) % 1000000000)::VARCHAR, 9, '0') || 'Z'"
    )
    known = f"({ns}) > 0 AND ({ns}) < {2**63 - 1000}"
    return f"CASE WHEN {known} THEN {shown if text else f'make_timestamp_ns({ns})'} END"


def _without_formulas(select: str, texts: Sequence[str]) -> str:
    """Return a SELECT of the same rows without texts that a spreadsheet would take for formulas."""
    safe = ", ".join(
        f"CASE WHEN regexp_matches({name}, {_quoted(FORMULA)}) THEN '''' || {name} ELSE {name} END "
        f"AS {name}"
        for name in texts
    )
    return f"SELECT * REPLACE ({safe}) FROM ({select})"


def _texts(table: str) -> list[str]:
    """Return the names of a table's text columns."""
    return [name for name, kind in TABLES[table].keys.items() if kind == pa.string()]


def _fits(name: str, part: ExportSelection) -> None:
    """Refuse a part that a table does not have."""
    known = _METRICS_OF.get(name)
    if part.span is not None:
        reaching(name, part.span)
    missing = [metric for metric in part.metrics or () if known is None or metric not in known]
    if missing:
        having = [table for table, ids in _METRICS_OF.items() if set(missing) <= set(ids)]
        raise JobError(
            f"`{name}` has no `{missing[0]}`.",
            hint=f"Tables that have it: {', '.join(having)}."
            if having
            else f"Tables with metrics: {', '.join(_METRICS_OF)}.",
        )


def reaching(name: str, span: tuple[int, int]) -> str:
    """Return the SQL condition of rows that overlap a span of time (ns since the epoch).

    Raises:
        JobError: The rows of this table have no time.
    """
    if name not in _METRICS_OF and name != "segments":
        raise JobError(
            f"`{name}` has no times, so no span can be selected.",
            hint=f"Only these have times: {', '.join((*_METRICS_OF, 'segments'))}, and jobs.",
        )
    start, end = _TIMES_OF[name]
    return f"{start} < {span[1]} AND {end} > {span[0]}"


def _rows(engine: Engine, name: str, part: ExportSelection) -> str:
    """Return a SELECT of the part of a table."""
    columns = "*"
    if part.metrics is not None:
        stats = [f"_{stat}" for stat in STATS] if name in ROLLUPS else [""]
        wanted = [metric for metric in part.metrics if metric in _METRICS_OF[name]]
        known = ["epoch", "unknown"] if name == "component_slices" else []
        columns = ", ".join(
            [*TABLES[name].keys, *known, *(metric + stat for metric in wanted for stat in stats)]
        )
    elif name == "slices":
        columns += f" {_AS_LISTS}"
    reach = None if part.span is None else reaching(name, part.span)
    source = engine.source(name, *(part.span or ()))
    return f"SELECT {columns} FROM ({source}) {_where(part.job, reach)}"


def _where(job: str | None, reach: str | None) -> str:
    asked = [f"job = {_quoted(job)}"] if job is not None else []
    asked += [reach] if reach else []
    return f"WHERE {' AND '.join(asked)}" if asked else ""


def _kept(copy: Callable[[], pa.Table], temporary: Path, out: Path) -> ExportReport:
    """Write a file under a temporary name, and rename it once it is complete."""
    if not out.parent.is_dir():
        raise RepositoryError(
            f"The folder {out.parent} does not exist.", hint="Create the folder first.", exit_code=2
        )
    try:
        done = copy()
        rows = int(done.column(0)[0].as_py()) if done.num_rows else 0
        os.replace(temporary, out)
    except NoRoomError as error:  # of the temporary name
        raise NoRoomError(str(out), error.why) from error
    except OSError as error:
        if why := no_room(error):
            raise NoRoomError(str(out), why) from error
        raise cannot_write(out, error) from error
    finally:
        temporary.unlink(missing_ok=True)
    return ExportReport(out, rows, out.stat().st_size)


def _quoted(text: str) -> str:
    """Quote a text for SQL where parameters are not supported (COPY)."""
    return "'" + text.replace("'", "''") + "'"
