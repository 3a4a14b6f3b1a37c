"""Imports the accounting of jobs into table batch_jobs, each start of a job once."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pyarrow as pa

from jostle.imports.accounting.model import AccountedJob
from jostle.names.users import uid_of
from jostle.repository import Repository
from jostle.repository.writing import (
    TABLES,
    Change,
    ConflictError,
    JobNames,
    Log,
    PartitionChunk,
    Position,
    Reached,
    plain_errors,
    publish,
    write_chunks,
)

_NS = 1_000_000_000
_MOST_ROWS = 100_000  # in one commit
_ROUNDS = 5
#: An owner that is not known; no user has this number.
NOBODY = 2**32 - 2

Reader = Callable[[Iterable[str]], Iterator[tuple[int, AccountedJob | str]]]


@dataclass
class AccountingReport:
    """Result of an import of accounting data.

    Attributes:
        jobs: Number of jobs that were read.
        imported: Number of jobs that were new, or have new facts.
        known: Number of jobs that the repository had already.
        unused: Lines that cannot be used, each with its number and the reason.
        owners_unknown: Number of imported jobs whose owner has no uid on this machine.
        states: Number of imported jobs by state.
        waited_s: Seconds that imported jobs waited for their start, in total.
        energy_j: Energy of imported jobs in total, J.
        seconds: Duration of the import, in seconds.
    """

    jobs: int = 0
    imported: int = 0
    known: int = 0
    unused: list[tuple[int, str]] = field(default_factory=list)
    owners_unknown: int = 0
    states: Counter[str] = field(default_factory=Counter)
    waited_s: float = 0.0
    energy_j: int = 0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain["unused"] = [{"line": number, "reason": why} for number, why in self.unused]
        return plain | {"states": dict(self.states)}


class AccountingImport:
    """Imports accounting into one repository."""

    def __init__(self, store: Repository) -> None:
        """Create the import; it reads nothing yet.

        Args:
            store: The repository.
        """
        self._root = store.path
        self._log = Log(self._root)
        with plain_errors(self._root):
            self._names = JobNames(self._root.stat().st_uid, lambda names: [])

    def run(self, reader: Reader, lines: Iterable[str]) -> AccountingReport:
        """Import jobs.

        Args:
            reader: Reads lines of a batch system.
            lines: The lines.

        Raises:
            AccountingError: The source as a whole cannot be used.
            RepositoryError: The repository cannot be read or written.
        """
        begin = time.monotonic()
        report = AccountingReport()
        batch: dict[int, AccountedJob] = {}
        with plain_errors(self._root):
            for number, found in reader(lines):
                if isinstance(found, str):
                    report.unused.append((number, found))
                    continue
                report.jobs += 1
                batch[batch_job_id(found)] = found  # the last line about a job counts
                if len(batch) >= _MOST_ROWS:
                    self._publish(batch, report)
                    batch = {}
            self._publish(batch, report)
        report.seconds = time.monotonic() - begin
        return report

    def _publish(self, batch: dict[int, AccountedJob], report: AccountingReport) -> None:
        for _ in range(_ROUNDS):
            if not batch:
                return
            state = self._log.refresh()
            done = state.done_of(batch)
            base = dict(zip(batch, state.positions(list(batch)), strict=True))
            fresh = [
                key
                for key, job in batch.items()
                if key not in done and _says(job) > base[key].records
            ]
            if fresh and not self._commit(batch, fresh, base):
                continue  # another process imported some of them: check again
            report.known += len(batch) - len(fresh)
            for key in fresh:
                _count(batch[key], report)
            return

    def _commit(
        self, batch: dict[int, AccountedJob], fresh: Sequence[int], base: dict[int, Position]
    ) -> bool:
        rows = [self._row(key, batch[key], base[key].revision + 1) for key in fresh]
        schema = pa.schema(list(TABLES["batch_jobs"].keys.items()))
        table = pa.Table.from_pylist(rows, schema)
        files = write_chunks(self._root, [PartitionChunk("batch_jobs", table, 0, 0)])
        advance: dict[int, tuple[Position, Reached]] = {}
        for key in fresh:
            job, at = batch[key], base[key]
            to = Position(_says(job), at.revision + 1)
            advance[key] = (at, job.end_s * _NS if job.end_s else to)
        try:
            publish(self._root, self._log, Change("ingest", files, [], advance))
        except ConflictError:
            return False
        return True

    def _row(self, key: int, job: AccountedJob, revision: int) -> dict[str, Any]:
        owner = owner_of(job)
        begin = (job.start_s or job.submit_s) * _NS
        name = self._names.name(owner, f"{job.system}-{job.id}", begin, time.time_ns())
        return {
            "batch_job": key,
            "job": name,
            "system": job.system,
            "cluster": job.cluster,
            "id": job.id,
            "submit_ns": job.submit_s * _NS,
            "start_ns": job.start_s * _NS,
            "end_ns": job.end_s * _NS,
            "complete": job.end_s > 0,
            "name": job.name,
            "user": job.user,
            "uid": owner,
            "gid": -1,
            "account": job.account,
            "partition": job.partition,
            "nodes": list(job.nodes),
            "node": job.nodes[0] if job.nodes else "",
            "cores": job.cores,
            "memory_bytes": job.memory_bytes,
            "time_limit_s": job.time_limit_s,
            "array_job": 0,
            "array_task": -1,
            "het_job": 0,
            "het_component": -1,
            "dependency": "",
            "output": "",
            "state": job.state,
            "exit": job.exit,
            "revision": revision,
            "energy_j": job.energy_j,
        }


def batch_job_id(job: AccountedJob) -> int:
    """Return the id of one start of a batch job; facts from its prolog have the same id."""
    key = f"{job.system}/{job.cluster}/{job.id}/{job.submit_s * _NS}"
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big") >> 1


def owner_of(job: AccountedJob) -> int:
    """Return the owner's uid: from the accounting, else that of the login here, else NOBODY."""
    if 0 <= job.uid < NOBODY:
        return job.uid
    found = _uid(job.user)
    return NOBODY if found is None else found


@cache
def _uid(user: str) -> int | None:
    return uid_of(user) if user else None


def _says(job: AccountedJob) -> int:
    """Return how far a job has got: 1 if it is pending, 2 if it has started, 3 if it has ended."""
    return 3 if job.end_s else 2 if job.start_s else 1


def _count(job: AccountedJob, report: AccountingReport) -> None:
    report.imported += 1
    report.states[job.state or "not known"] += 1
    report.owners_unknown += owner_of(job) == NOBODY
    report.energy_j += job.energy_j
    if job.start_s and job.submit_s:
        report.waited_s += max(job.start_s - job.submit_s, 0)
