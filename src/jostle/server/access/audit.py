"""The record of accesses to other users' jobs: lines of JSON, written before access is given."""

from __future__ import annotations

import errno
import json
import logging
import os
import stat
import threading
import time
from pathlib import Path
from typing import Any

from jostle.errors import JostleError
from jostle.server.access.files import AccessError
from jostle.server.access.viewer import Viewer

_log = logging.getLogger("jostle.serve")
#: Requests of one viewer for one job within this time count as one access: a page makes many.
ACCESS_S = 600.0
_CHUNK = 1 << 16


class AuditError(JostleError):
    """An access cannot be recorded, and is therefore refused."""


class Audit:
    """The audit file: the record of accesses to other users' jobs."""

    def __init__(self, path: Path) -> None:
        """Open the file, so that a server that cannot record does not start.

        Raises:
            AccessError: The file cannot be written, or others can read it.
        """
        self._path = path
        self._recent: dict[tuple[str, str], float] = {}
        self._guard = threading.Lock()
        try:
            with os.fdopen(self._open(), "ab") as file:
                facts = os.fstat(file.fileno())
        except OSError as error:
            raise AccessError(
                f"The record of accesses, {path}, cannot be written: {error.strerror}.",
                hint=f"Make {path.parent} and give it to the user that `jostle serve` runs as.",
            ) from error
        if stat.S_ISREG(facts.st_mode) and facts.st_mode & 0o077:
            raise AccessError(
                f"{path} has mode {stat.S_IMODE(facts.st_mode):04o}: others could read who "
                f"viewed whose jobs.",
                hint=f"chmod 0600 {path}",
            )

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        return os.open(self._path, flags, 0o600)

    def record(self, viewer: Viewer, job: str, owner: int | None) -> None:
        """Record an access to a job; of repeated accesses within ACCESS_S, only the first.

        Args:
            viewer: The viewer.
            job: Name of the job that is viewed.
            owner: Uid of the job's owner; None: it belongs to several users.

        Raises:
            AuditError: The line could not be written to the disk.
        """
        key, now = (viewer.name, job), time.monotonic()
        with self._guard:
            last = self._recent.get(key)
            if last is not None and now - last < ACCESS_S:
                return
            line = {
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "viewer": viewer.name,
                "role": viewer.role,
                "address": viewer.address,
                "job": job,
                "owner": owner,
            }
            text = json.dumps(line, separators=(",", ":")).encode() + b"\n"
            try:
                # Opened each time, so that the file can be rotated without a restart.
                with os.fdopen(self._open(), "ab", buffering=0) as file:
                    begin = file.seek(0, os.SEEK_END)
                    if file.write(text) != len(text):
                        file.truncate(begin)
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                    os.fsync(file.fileno())
            except OSError as error:
                _log.error(
                    "others' jobs are not shown: the access cannot be recorded: %s: %s",
                    self._path,
                    error.strerror,
                )
                raise AuditError(
                    "This access cannot be recorded, so the job is not shown.",
                    hint="Tell the server's operator; the server's log has the reason.",
                ) from error
            if len(self._recent) > 10_000:
                self._recent = {k: t for k, t in self._recent.items() if now - t < ACCESS_S}
            self._recent[key] = now

    def page(self, before: int | None, limit: int) -> tuple[list[dict[str, Any]], int | None]:
        """Return one page of the accesses, the newest first.

        Args:
            before: Position at which the previous page ended; None: begin with the newest access.
            limit: Largest number of accesses.

        Returns:
            The accesses, and the `before` of the next page; None: this page is the last.
        """
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                end = min(size if before is None else before, size)
                text, start = b"", end
                while start > 0 and text.count(b"\n") <= limit:
                    start = max(start - _CHUNK, 0)
                    file.seek(start)
                    text = file.read(end - start)
        except OSError as error:
            raise AuditError(f"The record of accesses cannot be read: {error.strerror}.") from error
        whole = text.rfind(b"\n") + 1  # an unfinished last line
        end -= len(text) - whole
        lines = text[:whole].split(b"\n")
        lines = lines[1:] if start else lines  # the first may be incomplete
        lines = [line for line in lines if line][-limit:]
        rest = end - sum(len(line) + 1 for line in lines)
        return [entry for line in reversed(lines) if (entry := _parsed(line))], rest or None


def _parsed(line: bytes) -> dict[str, Any] | None:
    """Return the access of a line; None if a crash truncated the line."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None
