"""Ingests facts on batch jobs (*.jsb files of prologs and epilogs) into table batch_jobs.

The format is described in docs/reference/batch-facts.md. A file may be about a job of any user, so
only files that root or the repository's owner wrote are accepted, and all of their content is
checked.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from jostle.reader import Origin
from jostle.repository.errors import ConflictError
from jostle.repository.ingest.mirror import forget_file
from jostle.repository.ingest.spool import Mark
from jostle.repository.store.files import plain_errors, publish, write_chunks
from jostle.repository.store.layout import TABLES
from jostle.repository.store.log import Log
from jostle.repository.store.owner_names import JobNames
from jostle.repository.store.profile_positions import Position, Reached
from jostle.repository.store.state import Change
from jostle.repository.store.tables import PartitionChunk
from jostle.repository.types import IngestReport
from jostle.values.plain_values import one_line

#: Two lines of a job of 40 000 bytes of nodes, which is what prologs and epilogs write.
_MOST_BYTES = 256 << 10
_MOST_EVENTS = 100
_MOST_NODES = 20_000
_MOST_TEXT = 4096
_MOST_INT = 2**62
_YEAR_2000_NS = 946_684_800_000_000_000
_AHEAD_NS = 86_400_000_000_000
_SYSTEMS = ("slurm", "pbs", "lsf")
#: Commands of Slurm that the prolog and the epilog call: what each of them alone knows.
_COMMANDS = {"squeue": "name, size, limits and state", "scontrol": "nodes"}
_ID = re.compile(r"[A-Za-z0-9_.\[\]-]{1,64}")
_TEXTS = (
    "cluster",
    "name",
    "user",
    "account",
    "partition",
    "node",
    "dependency",
    "output",
    "state",
    "exit",
)
_NUMBERS = {
    "submit_ns": 0,
    "start_ns": 0,
    "uid": -1,
    "gid": -1,
    "cores": 0,
    "memory_bytes": 0,
    "time_limit_s": 0,
    "array_job": 0,
    "array_task": -1,
    "het_job": 0,
    "het_component": -1,
}


#: The values of keys that a line leaves out.
_NOTHING: dict[str, Any] = {**dict.fromkeys(_TEXTS, ""), **_NUMBERS, "nodes": []}


@dataclass(frozen=True)
class _Facts:
    """The content of one file: its job's row, and the number of its events."""

    path: Path
    mark: Mark
    batch_job: int
    events: int
    row: dict[str, Any]

    @property
    def says(self) -> tuple[bool, int]:
        """How much the file says, for comparisons: whether the job ended, and number of events."""
        return self.row["complete"], self.events


class FactsError(ValueError):
    """A file of facts is malformed; the message is a part of a sentence."""


class BatchFacts:
    """Ingests facts on batch jobs into one repository; remembers the files that it has read."""

    def __init__(
        self, root: Path, log: Log, guard: threading.Lock, names: JobNames, *, remove: bool
    ) -> None:
        """Create the object without reading any files.

        Args:
            root: Folder of the repository.
            log: Commit log of the repository, used while `guard` is held.
            guard: Lock of this log.
            names: Object that assigns names of jobs.
            remove: Whether to remove a file once its job's end is in the repository.
        """
        self._root, self._log, self._guard, self._names = root, log, guard, names
        self._remove = remove
        with plain_errors(root):
            self._home = root.stat().st_uid
        self._seen: dict[Path, tuple[Mark, int]] = {}  # and the number of hard links

    def take(self, files: Mapping[Path, Origin | None]) -> IngestReport:
        """Ingest the new facts in spools and mirrors.

        Args:
            files: Files of facts, and facts from a mirror about them.

        Raises:
            RepositoryError: The repository cannot be read or written.
        """
        report = IngestReport()
        newest: dict[int, _Facts] = {}
        for path, origin in files.items():
            facts = self._read(path, origin, report)
            if facts is not None:
                held = newest.setdefault(facts.batch_job, facts)
                if facts.says > held.says:
                    newest[facts.batch_job] = facts
        if newest:
            self._publish(newest, report)
        return report

    def _read(self, path: Path, origin: Origin | None, report: IngestReport) -> _Facts | None:
        """Read a new or changed file; None if it has nothing new, or is refused."""
        try:
            info, data = _read_bytes(path)
        except OSError:  # removed, or not readable for this user
            return None
        mark = (info.st_ino, info.st_size, info.st_mtime_ns)
        if self._seen.get(path) == (mark, info.st_nlink):
            return None
        self._seen[path] = mark, info.st_nlink
        owner = origin.owner if origin else info.st_uid
        try:
            if owner not in (0, self._home):
                raise FactsError("facts of batch jobs belong to root or the repository's owner")
            if info.st_nlink > 1:  # some kernels allow users to link files of others
                raise FactsError("it has several names (hard links), so its creator is not known")
            rows = parse_facts(data)
        except FactsError as error:
            report.warnings.append(f"{path} is left out: {error}.")
            return None
        row = rows[-1]
        for command in row.pop("missing"):
            report.warnings.append(
                f"{path}: `{command}` failed at the {'end' if row['complete'] else 'begin'} of the "
                f"job, so its {_COMMANDS[command]} may be unknown."
            )
        uid, begin = row["uid"], row["start_ns"] or row["submit_ns"]
        row["job"] = self._names.name(uid, row["job"], begin, time.time_ns())
        return _Facts(path, mark, row["batch_job"], len(rows), row)

    def _publish(self, newest: Mapping[int, _Facts], report: IngestReport) -> None:
        with self._guard:
            state = self._log.refresh()
            over = state.done_of(newest)
            done = [facts for key, facts in newest.items() if key in over]
            base = dict(zip(newest, state.positions(newest), strict=True))
        fresh = [
            facts
            for key, facts in newest.items()
            if facts not in done and facts.says > (False, base[key].records)
        ]
        if fresh and not self._commit(fresh, base, report):
            for facts in fresh:
                self._seen.pop(facts.path, None)  # another process ingested some: check again
            return
        for facts in (*done, *(facts for facts in fresh if facts.row["complete"])):
            self._remove_file(facts, report)

    def _commit(
        self, fresh: Sequence[_Facts], base: Mapping[int, Position], report: IngestReport
    ) -> bool:
        rows = []
        advance: dict[int, tuple[Position, Reached]] = {}
        for facts in fresh:
            at = base[facts.batch_job]
            rows.append(facts.row | {"revision": at.revision + 1})
            to = Position(facts.events, at.revision + 1)
            advance[facts.batch_job] = (at, facts.row["end_ns"] if facts.row["complete"] else to)
        schema = pa.schema(list(TABLES["batch_jobs"].keys.items()))
        table = pa.Table.from_pylist(rows, schema)
        files = write_chunks(self._root, [PartitionChunk("batch_jobs", table, 0, 0)])
        try:
            with self._guard:
                publish(self._root, self._log, Change("ingest", files, [], advance))
        except ConflictError:
            return False
        written = sum(file.bytes for file in files)
        report.add(IngestReport(commits=1, batch_jobs=len(rows), bytes_written=written))
        return True

    def _remove_file(self, facts: _Facts, report: IngestReport) -> None:
        if not self._remove:
            return
        with contextlib.suppress(OSError):
            if facts.path.lstat().st_ino == facts.mark[0]:
                facts.path.unlink()
                forget_file(facts.path)
                report.removed += 1
        self._seen.pop(facts.path, None)


def _read_bytes(path: Path) -> tuple[os.stat_result, bytes]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise OSError("not a file")
        return info, os.pread(descriptor, _MOST_BYTES + 1, 0)
    finally:
        os.close(descriptor)


def parse_facts(data: bytes) -> list[dict[str, Any]]:
    """Parse the lines of a file of facts.

    Args:
        data: Content of the file.

    Returns:
        Rows of table batch_jobs, one per event, without `revision`; `job` is the job's name in
        profiles. The row of an end also contains the facts that only earlier lines have. A further
        key `missing` lists the commands of the prolog or epilog that failed.

    Raises:
        FactsError: The content is malformed.
    """
    if len(data) > _MOST_BYTES:
        raise FactsError(f"it has more than {_MOST_BYTES >> 10} KiB")
    lines = data.decode("utf-8", "replace").split("\n")
    rows = [_row(_object(line)) for line in lines[: _MOST_EVENTS + 1] if line]
    if not rows:
        raise FactsError("it has no events")
    if len(rows) > _MOST_EVENTS:
        raise FactsError(f"it has more than {_MOST_EVENTS} events")
    if len({row["batch_job"] for row in rows}) > 1:
        raise FactsError("it contains facts on several jobs")
    for before, row in pairwise(rows):
        if row["complete"]:
            row |= {key: before[key] for key, nothing in _NOTHING.items() if row[key] == nothing}
            row["end_ns"] = max(row["end_ns"], row["start_ns"])
    return rows


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FactsError(f"a line is not JSON ({type(error).__name__})") from None
    if not isinstance(value, dict):
        raise FactsError("a line is not an object")
    return value


def _row(facts: Mapping[str, Any]) -> dict[str, Any]:
    system, number = facts.get("system"), facts.get("id")
    if system not in _SYSTEMS or not isinstance(number, str) or not _ID.fullmatch(number):
        raise FactsError("its batch system or the number of its job is not known")
    row: dict[str, Any] = {"system": system, "id": number, "job": f"{system}-{number}"}
    for key in _TEXTS:
        value = facts.get(key, "")
        if not isinstance(value, str):
            raise FactsError(f"its {key} is not text")
        row[key] = one_line(value[:_MOST_TEXT])
    for key, nothing in _NUMBERS.items():
        value = facts.get(key, nothing)
        if type(value) is not int or not -1 <= value <= _MOST_INT:
            raise FactsError(f"its {key} is not a number in range")
        row[key] = value
    if not 0 <= row["uid"] < 2**32 - 1:
        raise FactsError("it does not name the owner of its job")
    nodes = facts.get("nodes", [])
    if not isinstance(nodes, list) or len(nodes) > _MOST_NODES:
        raise FactsError("its list of nodes is malformed or too long")
    if not all(isinstance(node, str) and len(node) < 256 for node in nodes):
        raise FactsError("its nodes are not names")
    row["nodes"] = [one_line(node) for node in nodes]
    missing = facts.get("missing", [])
    row["missing"] = [name for name in _COMMANDS if isinstance(missing, list) and name in missing]
    return row | _life(facts, row)


def _life(facts: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """Return whether and when a job ended, and its id."""
    event, at = facts.get("event"), facts.get("time_ns")
    latest = time.time_ns() + _AHEAD_NS
    if event not in ("begin", "end"):
        raise FactsError("a line is neither a begin nor an end")
    if type(at) is not int or not _YEAR_2000_NS <= at <= latest:
        raise FactsError("its times are before the year 2000, or in the future")
    key = f"{row['system']}/{row['cluster']}/{row['id']}/{row['submit_ns']}"
    number = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big") >> 1
    return {
        "batch_job": number,
        "start_ns": row["start_ns"] or (at if event == "begin" else 0),
        # The clocks of controller and node may differ.
        "end_ns": max(at, row["start_ns"]) if event == "end" else 0,
        "complete": event == "end",
    }
