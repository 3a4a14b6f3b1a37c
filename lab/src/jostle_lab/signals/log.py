"""Reads the ground-truth logs of signals into tables.

A log is JSON lines, one file per process; lab/docs/reference/signal.md has every field. Logs come
from shared folders and are not trusted: an invalid log raises an error with file, line, reason and
remedy. A killed process leaves a log without an end, perhaps with half a last line; such a log is
read as far as possible, and a note says so.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from jostle.errors import JostleError
from jostle.files.regular_files import open_regular
from jostle_lab.signals.lines import LineError, LogLine, parse_line
from jostle_lab.signals.schema import BURSTS, HEADER, PROCESSES, SLICES

#: Lines that jostle-signal writes are shorter: the longest has the program's arguments.
LONGEST_LINE = 1 << 20
_WHOSE = ("job", "host", "pid", "rank")
_LEAVE_OUT = "Remove the file or leave it out; the others can be read without it."


class SignalLogError(JostleError):
    """A log of a signal cannot be read; the message names file, line and reason."""


@dataclass(frozen=True)
class SignalLog:
    """The load that signals actually made, as tables.

    Attributes:
        processes: One row per process: its identity, options and totals; the totals and
            `reason` are null, and `complete` is false, where it was killed. Times in ns of Unix
            time, sizes in bytes.
        bursts: One row per burst: begin_ns, end_ns, due_ns (when it should begin), operations,
            bytes; with job, host, pid, rank. Ordered by process, then time.
        slices: One row per process and slice with operations: slice (its number since the epoch),
            operations, bytes, busy_ns, p50_ns, p95_ns, p99_ns, max_ns; with job, host, pid, rank.
        notes: Sentences about killed processes and incomplete last lines.
    """

    processes: pa.Table
    bursts: pa.Table
    slices: pa.Table
    notes: tuple[str, ...] = ()


@dataclass
class _FileLog:
    """The content of one log file."""

    header: dict[str, object]
    bursts: list[dict[str, object]]
    slices: list[dict[str, object]]
    end: dict[str, object] | None
    notes: list[str]


def read_log(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], job: str | None = None
) -> SignalLog:
    """Read the logs of signals.

    Args:
        source: Path of a folder (all its `*.jsonl` files) or of a file, or a list of such paths.
        job: Name of the job whose processes are returned; None: all processes.

    Returns:
        The tables, ordered by job, host and rank.

    Raises:
        SignalLogError: There is no log, or one of the logs cannot be read.
    """
    places = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    paths = list(_files(places, job))
    read: list[_FileLog] = []
    notes: list[str] = []
    others: set[str] = set()
    for path in paths:
        log_file = _read_file(path, job)
        if isinstance(log_file, str):
            others.add(log_file)
            continue
        notes += log_file.notes
        if log_file.header:
            read.append(log_file)
    if not read and not (notes and job is None):
        _nothing(places, job, others)
    read.sort(
        key=lambda log_file: (
            tuple(str(log_file.header[k]) for k in ("job", "host")) + _rank_and_pid(log_file)
        )
    )
    return SignalLog(
        processes=_table([_process(log_file) for log_file in read], PROCESSES),
        bursts=_table(
            [_owned(row, log_file) for log_file in read for row in log_file.bursts], _whose(BURSTS)
        ),
        slices=_table(
            [_owned(row, log_file) for log_file in read for row in log_file.slices], _whose(SLICES)
        ),
        notes=tuple(notes),
    )


def _rank_and_pid(log_file: _FileLog) -> tuple[int, int]:
    rank, pid = log_file.header["rank"], log_file.header["pid"]
    assert isinstance(rank, int) and isinstance(pid, int)
    return rank, pid


def _files(places: Iterable[str | os.PathLike[str]], job: str | None) -> Iterator[Path]:
    """Return the files to read: a folder's logs, selected by name if a job is given."""
    for place in map(Path, places):
        try:
            if place.is_dir():
                # Regular files only: reading a pipe would block.
                inside = (path for path in place.iterdir() if path.suffix == ".jsonl")
                yield from sorted(
                    path
                    for path in inside
                    if path.is_file() and (job is None or path.name.startswith(f"{job}."))
                )
            elif place.is_file():
                yield place
            else:
                raise SignalLogError(
                    f"{place} is neither a folder nor a file.",
                    hint="Give the folder that `jostle signal --log DIR` wrote to.",
                )
        except OSError as error:
            raise _unreadable(place, error) from None


def _nothing(places: list[str | os.PathLike[str]], job: str | None, others: set[str]) -> None:
    where = ", ".join(str(place) for place in places) or "nowhere"
    if job is None:
        raise SignalLogError(
            f"No log of a signal in {where}.",
            hint="`jostle signal PATTERN --log DIR` writes one file per process into DIR.",
        )
    known = others | {name for place in places for name in _jobs(Path(place))}
    close = difflib.get_close_matches(job, known, n=3, cutoff=0.5) or sorted(known)[:3]
    raise SignalLogError(
        f"No log of a signal named {job} in {where}.",
        hint=f"There is {', '.join(close)}." if close else "No signal logged there at all.",
    )


def _jobs(place: Path) -> Iterator[str]:
    """Return the jobs of a folder from its file names, JOB.HOST.PID.jsonl."""
    if place.is_dir():
        for path in place.glob("*.jsonl"):
            pieces = path.name.rsplit(".", 3)
            if len(pieces) == 4:
                yield pieces[0]


def _unreadable(path: Path, error: OSError) -> SignalLogError:
    return SignalLogError(
        f"{path} cannot be read: {error.strerror or error}.",
        hint="Ask the file's owner for access, or leave the file out."
        if isinstance(error, PermissionError)
        else "",
    )


def _read_file(path: Path, job: str | None) -> _FileLog | str:
    """Read one file; if it is of another job than `job`, return only the name of that job."""
    try:
        with open_regular(path) as file:
            return _read(path, file, job)
    except OSError as error:
        raise _unreadable(path, error) from None


def _read(path: Path, file: BinaryIO, job: str | None) -> _FileLog | str:
    log_file = _FileLog({}, [], [], None, [])
    number = 0
    while raw := file.readline(LONGEST_LINE):
        number += 1
        whole = raw.endswith(b"\n")
        if not whole and len(raw) == LONGEST_LINE:
            raise _bad(path, number, f"it is longer than {LONGEST_LINE} bytes")
        try:
            line = parse_line(raw)
        except LineError as error:
            if whole:
                raise _bad(path, number, str(error), error.hint) from None
            log_file.notes.append(f"{path}: line {number} is incomplete and was skipped")
            break
        try:
            _take(log_file, line)
        except LineError as error:
            raise _bad(path, number, str(error), error.hint) from None
        if line.kind == "signal" and job is not None and line.fields["job"] != job:
            return str(line.fields["job"])
    if not log_file.header:
        log_file.notes.append(
            f"{path}: the log has no complete line; its process ended just after its start"
        )
    elif log_file.end is None:
        log_file.notes.append(f"{path}: the log has no end; its process was killed, or still runs")
    return log_file


def _bad(path: Path, number: int, reason: str, hint: str = "") -> SignalLogError:
    return SignalLogError(f"{path}, line {number}: {reason}.", hint=hint or _LEAVE_OUT)


def _take(log_file: _FileLog, line: LogLine) -> None:
    """Add a line to the log.

    Raises:
        LineError: The line cannot follow the lines before it.
    """
    if line.kind == "signal":
        if log_file.header:
            raise LineError("a second signal begins in one file")
        log_file.header = line.checked()
        return
    if not log_file.header:
        raise LineError(
            f"the file begins with `{line.kind}`, not with `signal`",
            hint="The file is not a log of a signal, or its beginning is lost: leave it out.",
        )
    if log_file.end is not None:
        raise LineError(f"`{line.kind}` comes after the end")
    if line.kind == "burst":
        _take_burst(log_file, line.checked())
    elif line.kind == "slice":
        _take_slice(log_file, line.checked())
    elif line.kind == "end":
        log_file.end = line.checked()
    # Other kinds are later additions, which do not change the meaning of these four.


def _take_burst(log_file: _FileLog, burst: dict[str, object]) -> None:
    begin, end = burst["begin_ns"], burst["end_ns"]
    assert isinstance(begin, int) and isinstance(end, int)
    if end < begin:
        raise LineError(f"a burst ends at {end}, before its beginning at {begin}")
    if log_file.bursts and isinstance(last := log_file.bursts[-1]["end_ns"], int) and begin < last:
        raise LineError(f"a burst begins at {begin}, before the end of the last one at {last}")
    log_file.bursts.append(burst)


def _take_slice(log_file: _FileLog, row: dict[str, object]) -> None:
    number = row["slice"]
    assert isinstance(number, int)
    if log_file.slices and isinstance(last := log_file.slices[-1]["slice"], int) and number <= last:
        raise LineError(f"slice {number} comes after slice {last}")
    log_file.slices.append(row)


def _process(log_file: _FileLog) -> dict[str, object]:
    return {**log_file.header, **(log_file.end or {}), "complete": log_file.end is not None}


def _owned(row: dict[str, object], log_file: _FileLog) -> dict[str, object]:
    return {**{name: log_file.header[name] for name in _WHOSE}, **row}


def _whose(fields: pa.Schema) -> pa.Schema:
    return pa.schema([*(HEADER.field(name) for name in _WHOSE), *fields])


def _table(rows: list[dict[str, object]], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=schema)


__all__ = ["LONGEST_LINE", "SignalLog", "SignalLogError", "read_log"]
