"""Stores verdicts on disk, so that each is computed only once for each state of a job's data."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jostle import __version__, analysis, reader, report, repository

#: Packages whose code a verdict depends on.
_ROOMS = (reader, repository, analysis, report)
_TABLE = """
CREATE TABLE IF NOT EXISTS verdicts (
    job TEXT, sight TEXT, mark TEXT, version TEXT, made REAL, seconds REAL,
    brief TEXT, body BLOB, error TEXT, hint TEXT, PRIMARY KEY (job, sight)
)
"""


@dataclass(frozen=True)
class StoredVerdict:
    """The verdict on a job, without its body.

    Attributes:
        job: Name of the job.
        sight: Users whose jobs the verdict may name, as text (see the function `sight`).
        mark: State of the job's data from which the verdict was computed.
        made: Time at which the verdict was computed, s since the epoch.
        seconds: Duration of the evaluation, in seconds.
        brief: Main values, as in VerdictAnswer; None if the evaluation failed.
        error: Reason why the evaluation failed; "" if it did not fail.
        hint: Possible remedy of a failure; "": none is known.
    """

    job: str
    sight: str
    mark: str
    made: float
    seconds: float
    brief: dict[str, Any] | None
    error: str = ""
    hint: str = ""


def code_fingerprint() -> str:
    """Return a fingerprint of the code that computes verdicts, since other code may change them.

    It contains the version and the time of the newest change of a file, since the files of an
    editable installation change while its version stays the same.
    """
    files = [path for room in _ROOMS for path in Path(room.__path__[0]).rglob("*.py")]
    newest = max((path.stat().st_mtime_ns for path in files), default=0)
    return f"{__version__}-{newest:x}"


def sight(users: frozenset[int] | None) -> str:
    """Return a set of users whose jobs may be named as text: "10,12", or "all" for everybody."""
    return "all" if users is None else ",".join(map(str, sorted(users)))


def cache_folder(repository: Path) -> Path:
    """Return the folder of the verdicts and estimates of a repository."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    name = hashlib.sha256(os.path.realpath(repository).encode()).hexdigest()[:16]
    return Path(cache) / "jostle" / "serve" / name


class VerdictStore:
    """The verdicts of a repository; they are in memory only if the folder cannot be written.

    Attributes:
        count: Number of verdicts that this process has added.
    """

    def __init__(self, folder: Path | None) -> None:
        """Read the stored verdicts of this version.

        Args:
            folder: Folder of the store; None: in memory.
        """
        self.count = 0
        self._guard = threading.Lock()
        self._fingerprint = code_fingerprint()
        self._database = _opened(folder)
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.execute("DELETE FROM verdicts WHERE version <> ?", [self._fingerprint])
        self._known: dict[tuple[str, str], StoredVerdict] = {}
        rows = self._database.execute(
            "SELECT job, sight, mark, made, seconds, brief, error, hint FROM verdicts "
            "WHERE version = ?",
            [self._fingerprint],
        )
        for job, sight, mark, made, seconds, brief, error, hint in rows:
            content = json.loads(brief) if brief else None
            self._known[job, sight] = StoredVerdict(
                job, sight, mark, made, seconds, content, error, hint
            )

    def get(self, job: str, sight: str) -> StoredVerdict | None:
        """Return the verdict on a job; it may be from an earlier state of the job's data."""
        return self._known.get((job, sight))

    def body(self, job: str, sight: str) -> dict[str, Any] | None:
        """Return the full verdict on a job; None if another version of jostle has deleted it."""
        with self._guard:
            row = self._database.execute(
                "SELECT body FROM verdicts WHERE job = ? AND sight = ? AND version = ?",
                [job, sight, self._fingerprint],
            ).fetchone()
        if row is None:
            self._known.pop((job, sight), None)
            return None
        body: dict[str, Any] = json.loads(zlib.decompress(row[0]))
        return body

    def put(self, verdict: StoredVerdict, body: bytes) -> None:
        """Store a verdict in place of an earlier one."""
        row = (
            verdict.job,
            verdict.sight,
            verdict.mark,
            self._fingerprint,
            verdict.made,
            verdict.seconds,
            json.dumps(verdict.brief) if verdict.brief else None,
            zlib.compress(body, 5),
            verdict.error,
            verdict.hint,
        )
        with self._guard:
            try:
                self._write(row)
            except sqlite3.Error:  # the disk is full or unavailable: continue in memory
                memory = _opened(None)
                with contextlib.suppress(sqlite3.Error):
                    self._database.backup(memory)
                self._database = memory
                self._write(row)
            self._known[verdict.job, verdict.sight] = verdict
            self.count += 1

    def _write(self, row: tuple[Any, ...]) -> None:
        marks = ", ".join("?" * len(row))
        with self._database:
            self._database.execute(f"INSERT OR REPLACE INTO verdicts VALUES ({marks})", row)


def _opened(folder: Path | None) -> sqlite3.Connection:
    if folder is not None:
        with contextlib.suppress(OSError, sqlite3.Error):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            stored = sqlite3.connect(folder / "verdicts.sqlite", check_same_thread=False, timeout=2)
            stored.execute("PRAGMA journal_mode = WAL")
            stored.execute(_TABLE)
            with stored:  # fails here if the folder is read-only
                stored.execute("PRAGMA user_version = 1")
            os.chmod(folder / "verdicts.sqlite", 0o600)
            return stored
    memory = sqlite3.connect(":memory:", check_same_thread=False)
    memory.execute(_TABLE)
    return memory


def now() -> float:
    """Return the time as in `StoredVerdict.made`: s since the epoch."""
    return time.time()
