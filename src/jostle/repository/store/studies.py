"""Stores studies: `studies/NAME/` with the file, the plan, one line per run, and logs.

study.toml    the study's file, unchanged
plan.json     the resolved plan, the target, versions
runs.jsonl    one line per finished run, made durable before the next begins
logs/RUN/     logs and output of programs
lock          held while the study runs
running.json  the run in progress; left over after a crash
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jostle.files.repository_address import shown
from jostle.repository.errors import RepositoryError
from jostle.repository.store.durable import sync_folder
from jostle.repository.store.files import cannot_write

FOLDER = "studies"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,23}")


def study_names(root: Path) -> list[str]:
    """List the studies of a repository, by name."""
    try:
        entries = sorted(os.listdir(root / FOLDER))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RepositoryError(
            f"{root / FOLDER} cannot be read: {error.strerror}.", hint="Check its permissions."
        ) from error
    return [name for name in entries if (root / FOLDER / name / "plan.json").is_file()]


class StudyStore:
    """The folder of one study."""

    def __init__(self, root: Path, name: str) -> None:
        """Create the object; the folder need not exist yet.

        Args:
            root: The repository.
            name: The study's name.

        Raises:
            RepositoryError: The name is not valid for a study.
        """
        if not _NAME.fullmatch(name):
            raise RepositoryError(
                f"`{name}` cannot name a study.",
                hint="Names have at most 24 letters, digits, `_`, `.` and `-`.",
                exit_code=2,
            )
        if shown(root) != str(root):
            raise RepositoryError(
                f"Studies need a repository in a folder; {shown(root)} is an object store.",
                hint="Name a folder with --repository.",
                exit_code=2,
            )
        self.root = root
        self.name = name
        self.folder = root / FOLDER / name

    @property
    def exists(self) -> bool:
        """Whether the study has been started."""
        return (self.folder / "plan.json").is_file()

    def logs(self, run: str) -> Path:
        """Return the folder of a run's logs; it may not exist."""
        return self.folder / "logs" / run

    # Writing

    def begin(self, text: str, plan: Mapping[str, Any]) -> None:
        """Store the study's file and plan.

        Raises:
            RepositoryError: The files cannot be written.
        """
        with self._writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            _replace(self.folder / "study.toml", text)
            _replace(self.folder / "plan.json", json.dumps(plan, indent=1))

    def append_run(self, record: Mapping[str, Any]) -> None:
        """Add a finished run; it is durable when this returns.

        Raises:
            RepositoryError: The run cannot be written; no part of it is stored.
        """
        line = (json.dumps(record, separators=(",", ":")) + "\n").encode()
        with self._writing():
            path = self.folder / "runs.jsonl"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                end = _end_of_lines(descriptor)
                os.ftruncate(descriptor, end)  # a crash may have truncated the last line
                _write_at(descriptor, line, end)
            finally:
                os.close(descriptor)

    def note_running(self, content: Mapping[str, Any] | None) -> None:
        """Note the run that is about to start; None: no run."""
        path = self.folder / "running.json"
        with self._writing():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                _replace(path, json.dumps(content))

    def forget(self) -> None:
        """Remove the study's plan, records and logs; profiles stay in the repository."""
        with self._writing():
            for name in ("plan.json", "runs.jsonl", "study.toml", "running.json"):
                (self.folder / name).unlink(missing_ok=True)
            shutil.rmtree(self.folder / "logs", ignore_errors=True)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the study against a second runner.

        Raises:
            RepositoryError: Another process runs the study.
        """
        with self._writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                    raise cannot_write(self.root, error) from error
                raise RepositoryError(
                    f"The study {self.name} is already running (process "
                    f"{os.pread(descriptor, 20, 0).decode(errors='replace').strip() or '?'}).",
                    hint="Wait until it ends, or give this study a different name with --name.",
                ) from error
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            yield
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise cannot_write(self.root, error) from error

    # Reading

    def text(self) -> str:
        """Return the study's file."""
        return self._read("study.toml").decode(errors="replace")

    def plan(self) -> dict[str, Any]:
        """Return the plan of the study.

        Raises:
            RepositoryError: There is no plan, or it is damaged.
        """
        return self._json("plan.json")

    def running(self) -> dict[str, Any] | None:
        """Return the run that was in progress when the study stopped; None if it ended normally."""
        try:
            return self._json("running.json")
        except RepositoryError:
            return None

    def read_runs(self) -> list[dict[str, Any]]:
        """Return the finished runs, each once, in the order in which they ended.

        A truncated last line, which a crash leaves, is ignored.

        Raises:
            RepositoryError: Another line is damaged; the message has its number.
        """
        path = self.folder / "runs.jsonl"
        try:
            lines = path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise RepositoryError(
                f"{path} cannot be read: {error.strerror}.", hint="Check its permissions."
            ) from error
        runs: dict[str, dict[str, Any]] = {}
        for number, line in enumerate(lines[:-1], 1):
            record = _record(line)
            if record is None:
                raise RepositoryError(
                    f"{path}:{number}: this line is damaged.",
                    hint=f"Remove the line (`sed -i {number}d {path}`); its run is repeated.",
                )
            runs.setdefault(record["run"], record)
        return list(runs.values())

    def _json(self, name: str) -> dict[str, Any]:
        try:
            content = json.loads(self._read(name))
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise RepositoryError(
                f"{self.folder / name} is damaged.",
                hint=f"Start study {self.name} again: `jostle study run --fresh STUDY`. STUDY is "
                "its TOML file, or its name if it is shipped with jostle.",
            )
        return content

    def _read(self, name: str) -> bytes:
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            names = study_names(self.root)
            raise RepositoryError(
                f"There is no study `{self.name}` in {self.root}.",
                hint=f"Known studies: {', '.join(names)}."
                if names
                else "`jostle study list` shows those that can be run.",
                exit_code=2,
            ) from None
        except OSError as error:
            raise RepositoryError(
                f"{self.folder / name} cannot be read: {error.strerror}.",
                hint="Check its permissions.",
            ) from error


def _record(line: bytes) -> dict[str, Any] | None:
    """Read one line of runs.jsonl; None if it is not valid."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not isinstance(record.get("run"), str):
        return None
    programs = record.get("programs")
    right = isinstance(programs, list) and all(isinstance(program, dict) for program in programs)
    return record if right else None


def _write_at(descriptor: int, line: bytes, end: int) -> None:
    """Append a line durably to a file, or leave the file as it was."""
    try:
        written = 0
        while written < len(line):
            written += os.pwrite(descriptor, line[written:], end + written)
        os.fsync(descriptor)
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, end)
        raise


def _end_of_lines(descriptor: int) -> int:
    """Return the end of the last complete line of a file."""
    end = os.fstat(descriptor).st_size
    while end:
        begin = max(0, end - 65536)
        newline = os.pread(descriptor, end - begin, begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        end = begin
    return 0


def _replace(path: Path, text: str) -> None:
    """Replace a file completely or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
