"""Writes digests of ended jobs: appends each to the job's output as its user, or mails a link.

This service runs on the repository's host. It reads the ends of jobs from table batch_jobs, waits
for a limited time for the profiles of all nodes of a job, and writes at most one digest per job.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jostle.cli.commands.batch_job import job_end
from jostle.errors import JostleError, UsageError
from jostle.files.regular_files import read_regular
from jostle.names.batch_jobs import batch_job_of
from jostle.names.users import login_of
from jostle.report.models.job.scheduler import missing_nodes
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from jostle.repository import Repository

SITE_CONFIG = Path("/etc/jostle/site.conf")
WAYS = ("off", "output", "mail")
#: Jobs that ended longer ago get no digest, ns: the service was not running then.
_LATEST_NS = 3_600 * 10**9
#: Time limit of a write into a user's file, which may hang with its file system, s.
_PATIENCE_S = 20.0
#: Folder of the repository with notes of written digests, and how long they are kept, s.
_NOTES, _NOTED_S = "digests", 86_400.0
_LOGIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_URL = re.compile(r"https?://[\x21-\x7e]{1,200}")

#: Time without new data of a job before its digest is written, s. Agents send every 16 s, several
#: nodes one after another.
_SETTLE_S = 5.0

_PROCESSES = """
SELECT host, bool_and(complete) AS complete, max(slice_ns) AS slice_ns, count(*) AS processes,
       sum(revision) AS revisions
FROM processes WHERE list_contains($1, job) GROUP BY host ORDER BY host
"""


@dataclass(frozen=True)
class SiteSettings:
    """The operator's settings for digests at the end of jobs.

    Attributes:
        digest: off, output (append it to the job's output) or mail (a link).
        wait_s: Longest wait for the profiles of all nodes after the job's end, in seconds.
        url: URL of the pages, without a final slash; "" if there are none.
    """

    digest: str = "off"
    wait_s: float = 60.0
    url: str = ""


def site_settings(path: Path = SITE_CONFIG) -> SiteSettings:
    """Read the site's file.

    Raises:
        UsageError: The file has a line that is not valid; the message names it.
    """
    values: dict[str, Any] = {}
    try:
        text = read_regular(path).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read ({error.strerror}).",
            hint="Create the file, for example with the line: digest = output",
        ) from error
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        key, _, value = (word.strip() for word in line.partition("="))
        if key == "digest" and value in WAYS:
            values["digest"] = value
        elif key == "wait" and re.fullmatch(r"\d{1,4}s?", value):
            values["wait_s"] = float(value.rstrip("s"))
        elif key == "url" and _URL.fullmatch(value):
            values["url"] = value.rstrip("/")
        else:
            raise UsageError(
                f"{path}, line {number}: `{one_line(line[:80])}` is not a valid setting.",
                hint="Keys are digest (off, output, mail), wait (seconds) and url (http...).",
            )
    if values.get("digest") == "mail" and "url" not in values:
        raise UsageError(
            f"{path}: digest = mail needs the URL of the web pages.",
            hint="For example: url = https://jostle.example.org",
        )
    return SiteSettings(**values)


class JobOutputs:
    """Writes the digests of jobs that ended."""

    def __init__(
        self, store: Repository, settings: SiteSettings, settle_s: float = _SETTLE_S
    ) -> None:
        """Create the folder of notes: a file for each job whose digest was written.

        Args:
            store: The repository.
            settings: The operator's settings.
            settle_s: Time without new data of a job before its digest is written, in seconds.

        Raises:
            JostleError: The folder cannot be created.
        """
        self._store, self._settings, self._settle_s = store, settings, settle_s
        #: Waiting jobs: the state of their data, and since when it is unchanged (monotonic, s).
        self._waiting: dict[int, tuple[object, float]] = {}
        self._notes = store.path / _NOTES
        try:
            self._notes.mkdir(mode=0o755, exist_ok=True)
        except OSError as error:
            raise JostleError(
                f"{self._notes} cannot be created ({os.strerror(error.errno or 0)}).",
                hint="Run it as the owner of the repository, or as root.",
            ) from error

    def turn(self) -> list[str]:
        """Write the digests that are due, and return a line about each."""
        if self._settings.digest == "off":
            return []
        now = time.time_ns()
        sql = "SELECT * FROM batch_jobs WHERE complete AND end_ns > $1 ORDER BY end_ns, job"
        said = []
        for facts in self._store.query(sql, [now - _LATEST_NS]).to_pylist():
            if (self._notes / str(facts["batch_job"])).exists():
                continue
            parts = self._parts(facts)
            waited = now - facts["end_ns"] > self._settings.wait_s * 1e9
            if not waited and not self._is_there(facts, parts, now):
                continue
            self._waiting.pop(facts["batch_job"], None)
            if self._note(facts["batch_job"]):
                said.append(f"{facts['job']}: {self._write(facts, parts)}")
        self._forget()
        return said

    def _parts(self, facts: Mapping[str, Any]) -> list[str]:
        """Return the parts of a batch job that the repository has."""
        batch = batch_job_of(facts["job"])
        try:
            return self._store.resolve_parts(batch.name) if batch else []
        except JostleError:
            return []

    def _is_there(self, facts: Mapping[str, Any], parts: Sequence[str], now: int) -> bool:
        """Return whether all profiles of a job are in the repository."""
        rows = self._store.query(_PROCESSES, [list(parts)]).to_pylist()
        if not rows or not all(row["complete"] for row in rows):
            return False
        rest = max(2 * 10**9, *(2 * row["slice_ns"] for row in rows))
        hosts = [row["host"] for row in rows]
        if missing_nodes(facts["nodes"], hosts) or now <= facts["end_ns"] + rest:
            return False
        # The last processes may have left profiles that have not arrived yet.
        if self._store.loads.behind(hosts, facts["end_ns"]):
            return False
        known, since = self._waiting.get(facts["batch_job"], (None, 0.0))
        if known != rows:
            since = time.monotonic()
            self._waiting[facts["batch_job"]] = rows, since
        return time.monotonic() - since >= self._settle_s

    def _note(self, batch_job: int) -> bool:
        """Note that a job's digest is being written; return False if that was noted before."""
        try:
            os.close(os.open(self._notes / str(batch_job), os.O_CREAT | os.O_EXCL, 0o644))
        except FileExistsError:
            return False
        return True

    def _forget(self) -> None:
        """Remove old notes.

        Only files that look like notes are removed, since the repository's owner could replace the
        folder by a link to another one.
        """
        for path in self._notes.iterdir():
            if path.name.isdecimal() and path.lstat().st_mtime < time.time() - _NOTED_S:
                path.unlink(missing_ok=True)

    def _write(self, facts: Mapping[str, Any], parts: Sequence[str]) -> str:
        """Write one digest; return the result."""
        if not parts:
            return "no profile of it came: no digest"
        batch = batch_job_of(facts["job"])
        assert batch is not None
        link = f"{self._settings.url}/jobs?batch={quote(batch.name)}" if self._settings.url else ""
        try:
            if self._settings.digest == "mail":
                return mail(facts["uid"], batch.title, link)
            text = job_end(self._store, batch.name, link)
            return append_as(facts["uid"], output_of(facts), text)
        except JostleError as error:
            return one_line(f"no digest: {error}")


def output_of(facts: Mapping[str, Any]) -> str:
    """Return the path of a job's output, expanding the pattern in Slurm's file name.

    Args:
        facts: A row of table batch_jobs.
    """
    array, task = facts["array_job"], facts["array_task"]
    known = {
        "j": facts["id"],
        "J": facts["id"],
        "A": array or facts["id"],
        "a": task,
        "N": facts["node"],
        "n": 0,
        "t": 0,
        "s": "batch",
        "u": facts["user"],
        "x": facts["name"],
        "b": None if task is None else task % 10,
    }

    def value(match: re.Match[str]) -> str:
        width, letter = match[1], match[2]
        if letter == "%":
            return "%"
        text = known.get(letter)
        if text is None:
            return match[0]
        return str(text).zfill(min(int(width or 0), 10)) if str(text).isdigit() else str(text)

    return re.sub(r"%(\d*)([A-Za-z%])", value, facts["output"])


def append_as(uid: int, path: str, text: str) -> str:
    """Append a text to a file with the rights of a user; never through a link, nor a new file.

    Args:
        uid: Uid of the user.
        path: Path of the file.
        text: Text to append.

    Returns:
        The result, as a part of a sentence.
    """
    if not path.startswith("/") or "\0" in path or path == "/dev/null":
        return "its output is no file: no digest"
    rights, why = _rights_of(uid)
    if why:
        return why
    # O_APPEND, so that two writers do not overwrite each other; O_NONBLOCK: a pipe must not block;
    # O_NOFOLLOW, and with the user's rights a path leads only where the user has access.
    command = [
        "dd",
        f"of={path}",
        "oflag=append,nofollow,nonblock",
        "conv=notrunc,nocreat",
        "bs=64K",
        "status=none",
    ]
    try:
        done = subprocess.run(
            command,
            input=text.encode(),
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            cwd="/",
            **rights,
        )
    except subprocess.TimeoutExpired:
        return f"{one_line(path)} did not answer: no digest"
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().rpartition(": ")[2]
        return one_line(f"{path} cannot be written ({why}): no digest")
    return one_line(f"digest appended to {path}")


def _rights_of(uid: int) -> tuple[dict[str, Any], str]:
    """Return the arguments that run a process as a user; or why that is not possible."""
    if os.geteuid() == uid:
        return {}, ""
    if os.geteuid() != 0:
        return {}, "only root may write into another user's output: no digest"
    try:
        user = pwd.getpwuid(uid)
    except KeyError:
        return {}, f"user {uid} is not known here: no digest"
    groups = os.getgrouplist(user.pw_name, user.pw_gid)
    return {"user": uid, "group": user.pw_gid, "extra_groups": groups}, ""


def mail(uid: int, title: str, link: str) -> str:
    """Mail the address of a job's page to its user; return the result."""
    program = shutil.which("sendmail", path="/usr/sbin:/usr/lib:/usr/bin")
    if program is None:
        return "there is no sendmail here: no mail"
    login = login_of(uid)
    if not _LOGIN.fullmatch(login):
        return f"user {uid} is not known here: no mail"
    title = one_line(title)
    head = f"To: {login}\nSubject: {title}: digest\n"
    text = f"{head}\n{title} has ended. What it did and lost:\n{link}\n"
    try:
        done = subprocess.run(
            [program, "-i", "-t"],
            input=text.encode(),
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return "sendmail did not answer: no mail"
    return f"mailed to {login}" if done.returncode == 0 else "sendmail failed: no mail"
