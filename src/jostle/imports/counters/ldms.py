"""Reads files of LDMS's store_csv: a line with the names of columns, then one per sample."""

from __future__ import annotations

import csv
import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from jostle.errors import UsageError
from jostle.files.regular_files import open_regular
from jostle.imports.counters.components import Series, Wanted, components_of, wanted
from jostle.imports.counters.importer import CounterImport, CounterReport, blocks
from jostle.imports.counters.mapping import CounterMap
from jostle.imports.counters.slices import Floats, Ints, interval_ns, slice_length
from jostle.repository import Repository
from jostle.values.plain_values import one_line

#: Columns of every file: the time and the host of a sample.
_TIME, _HOST = "Time", "ProducerName"
_BLOCK = 4 << 20  # bytes of a file that are read at once
_MOST_HEADER = 8 << 20
#: How long samples are kept: they may be needed for the next hour.
_MARGIN_NS = 300_000_000_000
_NS = 1_000_000_000
#: Earliest time of a sample (September 2001), and how far it may be ahead of now, s: others are
#: from clocks that were not set.
_EARLIEST_S, _AHEAD_S = 1_000_000_000, 86_400
#: After the name of a schema, store_csv writes the time when the file was begun.
_ROLLED = re.compile(r"(\.\d{6,}|\.csv)+$")
_HEADER_FILE = ".HEADER"

Progress = Callable[[int, int, str], None]


class UnusableFileError(ValueError):
    """A file cannot be used; the message is the reason, a part of a sentence."""


@dataclass
class LdmsReport(CounterReport):
    """Result of an import of LDMS's files.

    Attributes:
        files: Number of files that were read.
        set_aside: Files that cannot be used, and why.
        lines_left_out: Number of lines that differ from the first one in the number of columns, or
            with a time before 2001 or in the future.
    """

    files: int = 0
    set_aside: list[tuple[str, str]] = field(default_factory=list)
    lines_left_out: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        named = [{"file": name, "reason": why} for name, why in self.set_aside]
        return super().to_json() | {"set_aside": named}


@dataclass
class _Samples:
    """Lines of a file that are not imported yet: hosts, times (ns), and values by column."""

    hosts: list[Any] = field(default_factory=list)
    times: list[Ints] = field(default_factory=list)
    values: dict[str, list[Floats]] = field(default_factory=lambda: defaultdict(list))

    def add(self, hosts: Any, times: Ints, values: dict[str, Floats]) -> None:
        self.hosts.append(hosts)
        self.times.append(times)
        for name, column in values.items():
            self.values[name].append(column)

    def join(self) -> tuple[Any, Ints]:
        """Join all lines; return hosts and times."""
        if len(self.times) != 1:
            self.hosts = [np.concatenate(self.hosts or [np.zeros(0, object)])]
            self.times = [np.concatenate(self.times or [np.zeros(0, np.int64)])]
            self.values = defaultdict(
                list, {name: [np.concatenate(parts)] for name, parts in self.values.items()}
            )
        return self.hosts[0], self.times[0]

    def drop(self, before_ns: int) -> None:
        """Drop samples older than an instant."""
        _, times = self.join()
        keep = times >= before_ns
        self.hosts, self.times = [self.hosts[0][keep]], [times[keep]]
        self.values = defaultdict(
            list, {name: [parts[0][keep]] for name, parts in self.values.items()}
        )


def import_ldms(
    store: Repository, paths: Sequence[Path], counters: CounterMap, progress: Progress | None = None
) -> LdmsReport:
    """Import files of store_csv.

    Args:
        store: The repository.
        paths: Files, and folders of which all files are read.
        counters: The map of columns to metrics.
        progress: Function that is called with files done, number of files, and the current step.

    Raises:
        UsageError: A path does not exist or cannot be read, or has no files.
        RepositoryError: The repository cannot be read or written.
    """
    begin = time.monotonic()
    report = LdmsReport()
    files = _files(paths)
    seen: set[tuple[str, str]] = set()
    for number, path in enumerate(files):
        if progress is not None:
            progress(number, len(files), path.name)
        try:
            _one_file(store, path, counters, report, seen)
            report.files += 1
        except (UnusableFileError, OSError, pa.ArrowInvalid) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            report.set_aside.append((str(path), one_line(why)[:300]))
    report.seconds = time.monotonic() - begin
    return report


def _files(paths: Sequence[Path]) -> list[Path]:
    """Return the files in paths, sorted by name, so that those of a schema are in time order."""
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            for folder, folders, names in os.walk(path):
                folders.sort()
                for name in sorted(names):
                    if not name.startswith(".") and not name.endswith(_HEADER_FILE):
                        found[Path(folder) / name] = None
        elif path.exists():
            found[path] = None
        else:
            raise UsageError(f"{path} does not exist.", hint="Name files of LDMS's store_csv.")
    if not found:
        raise UsageError(
            f"There are no files in {', '.join(map(str, paths))}.",
            hint="Name the folder that store_csv writes to (its `path`), or single files.",
        )
    return list(found)


def _one_file(
    store: Repository, path: Path, counters: CounterMap, report: LdmsReport, seen: set[Any]
) -> None:
    schema = _ROLLED.sub("", path.name)
    names, in_file = _header(path)
    asked = [
        (want, name)
        for want in wanted(counters)
        for name in names
        if name.partition("#")[0] == want.series.series
    ]
    if not asked:
        raise UnusableFileError("the map names no column of the file")
    seen |= {(want.component.kind, want.metric) for want, _ in asked}
    importer = CounterImport(store, "ldms", f"{counters.title}, {schema}")
    samples, since = _Samples(), 0
    usual, columns = 0, list(dict.fromkeys(name for _, name in asked))
    for hosts, times, values in _rows(path, names, columns, in_file, report):
        samples.add(hosts, times, values)
        report.samples += len(times) * len(columns)
        usual = usual or _usual(samples)
        since = since or int(times.min()) - _NS * 60
        done = int(times.max()) - _MARGIN_NS
        if usual and done // (3600 * _NS) > since // (3600 * _NS):
            until = done // (3600 * _NS) * 3600 * _NS
            _take(importer, counters, asked, schema, samples, (since, until, usual), report)
            samples.drop(until - _MARGIN_NS)
            since = until
    if not usual:
        raise UnusableFileError("the file has no machine with two samples between 2001 and now")
    _, times = samples.join()
    last = (since, int(times.max()) + 60 * _NS, usual)
    _take(importer, counters, asked, schema, samples, last, report)


def _usual(samples: _Samples) -> int:
    hosts, times = samples.join()
    return interval_ns([np.unique(times[hosts == host]) for host in np.unique(hosts)[:20]])


def _take(
    importer: CounterImport,
    counters: CounterMap,
    asked: Sequence[tuple[Wanted, str]],
    schema: str,
    samples: _Samples,
    span: tuple[int, int, int],
    report: LdmsReport,
) -> None:
    """Import the slices between two instants."""
    since, until, usual = span
    hosts, times = samples.join()
    report.usual_ns, report.slice_ns = usual, slice_length(usual)
    names, host = np.unique(hosts, return_inverse=True)
    by = np.argsort(host.reshape(-1), kind="stable")
    edges = np.searchsorted(host.reshape(-1)[by], np.arange(len(names) + 1))
    grids = (
        grid
        for begin, end in _stretches(times, since, until, usual)
        for grid in blocks(begin, end, report.slice_ns)
    )
    for grid in grids:
        found = []
        for want, column in asked:
            values = samples.values[column][0]
            _, _, instance = column.partition("#")
            several = []
            for number, name in enumerate(names.tolist()):
                rows = by[edges[number] : edges[number + 1]]
                labels = {"instance": instance, _HOST: str(name), "schema": schema}
                several.append(Series(labels, times[rows], values[rows]))
            found.append((want, several))
        report.series = max(report.series, sum(len(several) for _, several in found))
        importer.add(components_of(counters, found, {}, grid, usual), grid, report)


def _stretches(times: Ints, since: int, until: int, usual: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a span that have samples, without the long gaps between samples."""
    margin = _MARGIN_NS + 5 * usual
    at = np.sort(times)
    breaks = np.flatnonzero(np.diff(at) > 2 * margin)
    begins, ends = at[[0, *(breaks + 1)]] - margin, at[[*breaks, -1]] + margin
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        yield max(begin, since), min(end, until)


def _header(path: Path) -> tuple[list[str], bool]:
    """Return the names of a file's columns, and whether they are in the file itself.

    Raises:
        UnusableFileError: No file names the columns.
        OSError: The file cannot be read.
    """
    alongside = path.with_name(path.name + _HEADER_FILE)
    for where, in_file in ((path, True), (alongside, False)):
        if not in_file and not where.exists():
            break
        with open_regular(where) as file:
            first = file.readline(_MOST_HEADER).decode(errors="replace").strip()
        if first.startswith("#"):
            names = [name.strip() for name in next(csv.reader([first.lstrip("#")]), [])]
            if _TIME in names and _HOST in names and len(set(names)) == len(names):
                return names, in_file
            break
    raise UnusableFileError(
        f"the first line does not name the columns {_TIME} and {_HOST}, as that of store_csv does"
    )


def _rows(
    path: Path, names: Sequence[str], columns: Sequence[str], in_file: bool, report: LdmsReport
) -> Iterator[tuple[Any, Ints, dict[str, Floats]]]:
    """Yield hosts, times (ns) and values of the file's lines, one block of lines at a time."""
    from pyarrow import csv as arrow_csv

    def left_out(_row: Any) -> str:
        report.lines_left_out += 1
        return "skip"

    chosen = {_HOST: pa.string(), _TIME: pa.float64(), **dict.fromkeys(columns, pa.float64())}
    with (
        open_regular(path) as file,
        arrow_csv.open_csv(
            file,
            arrow_csv.ReadOptions(
                column_names=list(names), skip_rows=int(in_file), block_size=_BLOCK
            ),
            arrow_csv.ParseOptions(invalid_row_handler=left_out),
            arrow_csv.ConvertOptions(
                include_columns=list(chosen),
                column_types=chosen,
                # A restarted daemon may write the names again.
                null_values=["", "nan", "NaN", f"#{_TIME}", *names],
            ),
        ) as reader,
    ):
        for batch in reader:
            hosts = batch.column(_HOST).fill_null("")
            at = batch.column(_TIME).fill_null(-1.0).to_numpy(zero_copy_only=False)
            fine = (at >= _EARLIEST_S) & (at < time.time() + _AHEAD_S)
            report.lines_left_out += int(np.sum(~fine & (at != -1)))
            fine &= hosts.to_numpy(zero_copy_only=False) != ""
            if not fine.any():
                continue
            values = {
                name: batch.column(name).fill_null(np.nan).to_numpy(zero_copy_only=False)[fine]
                for name in columns
            }
            times = np.rint(at[fine] * 1e6).astype(np.int64) * 1000
            yield hosts.to_numpy(zero_copy_only=False)[fine], times, values
