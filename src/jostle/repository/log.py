"""The commit log: the one truth about which files a repository holds.

A commit is a JSON file `commits/00000042.json`, made whole under another name and then given
its number with link(2), which fails when the number is taken. Until then nothing that an
ingester wrote counts. A lock around read-check-link makes losing rare; where the file system
has no locks, link alone still keeps two writers apart.

Every CHECKPOINT_EVERY commits the whole state is written as `00000100.checkpoint.json`, and
commits that the checkpoint before it already held are removed.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import fcntl
import json
import os
import time
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from jostle.repository.errors import ConflictError, RepositoryError
from jostle.repository.layout import COMMITS, FORMAT_VERSION, MARKER

CHECKPOINT_EVERY = 50
# 2: positions know the entries of segments. An earlier jostle says that it is too old for it.
LOG_VERSION = 2
LOCK_WAIT_S = 60.0


@dataclass(frozen=True)
class File:
    """A Parquet file of the repository.

    Attributes:
        table: Table it belongs to.
        path: Relative to the root.
        rows: Number of rows.
        bytes: Size.
        lo: Start of its earliest slice, ns since the epoch (0 for tables without time).
        hi: End of its latest slice.
    """

    table: str
    path: str
    rows: int
    bytes: int
    lo: int
    hi: int


@dataclass(frozen=True)
class Position:
    """How far the repository holds one unfinished profile.

    Attributes:
        records: Records held.
        revision: Commits that advanced it.
        row_slice: last_slice of its newest row in table processes.
        entries: Entries of its stream of segments held.
    """

    records: int = 0
    revision: int = 0
    row_slice: int = -1
    entries: int = 0


@dataclass
class State:
    """What all commits up to `number` add up to."""

    number: int = 0
    files: dict[str, File] = field(default_factory=dict)
    open: dict[int, Position] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)
    horizon_ns: int = 0

    def of(self, table: str) -> list[File]:
        """Gives the files of one table."""
        return [file for file in list(self.files.values()) if file.table == table]


@dataclass
class Change:
    """What one commit does to the state.

    Attributes:
        kind: ingest, compact or expire.
        add: Files published.
        remove: Paths taken out.
        advance: Per process id: the position this starts from, the one it leads to (None when
            the process is complete).
        forget: Process ids of which nothing is left.
        horizon_ns: New retention horizon, 0 to leave it.
        published: Set once the commit has its number: from then on its files are not ours.
    """

    kind: str
    add: list[File] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    advance: dict[int, tuple[Position, Position | None]] = field(default_factory=dict)
    forget: list[int] = field(default_factory=list)
    horizon_ns: int = 0
    published: bool = False


def reached(step: str) -> None:
    """Marks a step of publishing; tests replace it to crash there."""


class Log:
    """Reads and extends the commit log of one repository."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / COMMITS
        self.state = State()

    def refresh(self) -> State:
        """Reads what was committed since the last call.

        Raises:
            RepositoryError: The log is damaged.
        """
        for attempt in range(3):
            try:
                self._catch_up()
                break
            except FileNotFoundError:  # tidied up by a writer between listing and reading
                if attempt == 2:
                    raise self._broken("commits vanish while they are read") from None
                self.state = State()
        return self.state

    def _catch_up(self) -> None:
        commits, checkpoints = self._numbers()
        newest = max(checkpoints, default=0)
        between = range(self.state.number + 1, newest + 1)
        if between and (self.state.number == 0 or not commits.issuperset(between)):
            self.state = self._read_checkpoint(newest)
        for number in sorted(n for n in commits if n > self.state.number):
            if number != self.state.number + 1:
                raise self._broken(f"commit {self.state.number + 1} is missing")
            apply(self.state, self._read(f"{number:08d}.json"), number)

    def _numbers(self) -> tuple[set[int], set[int]]:
        commits, checkpoints = set(), set()
        try:
            names = os.listdir(self.folder)
        except OSError as error:
            raise self._broken(f"its folder cannot be listed ({error.strerror})") from error
        for name in names:
            stem, _, rest = name.partition(".")
            if stem.isdigit() and rest == "json":
                commits.add(int(stem))
            elif stem.isdigit() and rest == "checkpoint.json":
                checkpoints.add(int(stem))
        return commits, checkpoints

    def _read(self, name: str) -> dict[str, Any]:
        try:
            value = json.loads((self.folder / name).read_bytes())
        except ValueError as error:
            raise self._broken(f"{name} is no JSON ({error})") from error
        except PermissionError as error:
            raise self._broken(f"{name} cannot be read ({error.strerror})") from error
        if not isinstance(value, dict) or value.get("version", 0) > LOG_VERSION:
            raise RepositoryError(
                f"{self.folder / name} was written by a newer jostle.", hint="Upgrade jostle."
            )
        return value

    def _read_checkpoint(self, number: int) -> State:
        value = self._read(f"{number:08d}.checkpoint.json")
        try:
            done = np.frombuffer(zlib.decompress(base64.b64decode(value["done"])), dtype="<i8")
            return State(
                number,
                {file[1]: File(*file) for file in value["files"]},
                {int(key): Position(*position) for key, position in value["open"].items()},
                set(done.tolist()),
                value["horizon_ns"],
            )
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            raise self._broken(f"checkpoint {number} is damaged ({error})") from error

    def _broken(self, why: str) -> RepositoryError:
        return RepositoryError(
            f"The log of the repository {self.root} is damaged: {why}.",
            hint="Restore its folder `commits`, or ingest the spools into a new repository.",
        )

    def commit(self, change: Change) -> int:
        """Publishes a change: all of it, or nothing.

        Returns:
            The number of the commit.

        Raises:
            ConflictError: Someone else advanced the same profiles or removed the same files.
        """
        with self._lock():
            while True:
                self.refresh()
                check(self.state, change)
                if any(not (self.root / file.path).exists() for file in change.add):
                    raise ConflictError("Files waited so long for their commit that they are gone.")
                if self._publish(self.state.number + 1, change):
                    break
            self.refresh()
            number = self.state.number
            if change.add and all(file.path not in self.state.files for file in change.add):
                # Without locks a writer that slept for long can take a number that was tidied up.
                change.published = False
                raise ConflictError("The number of the commit was used up before.")
            if number % CHECKPOINT_EVERY == 0:
                with contextlib.suppress(OSError):  # a full disk: the commits say the same
                    self._checkpoint()
        return number

    def _publish(self, number: int, change: Change) -> bool:
        temporary = self.folder / f".{uuid.uuid4().hex}"
        text = json.dumps(encode(change), separators=(",", ":"))
        write_durably(temporary, text.encode())
        reached("commit-written")
        final = self.folder / f"{number:08d}.json"
        try:
            os.link(temporary, final)
            change.published = True
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
                raise
            if final.exists():  # no hard links here: the lock must do
                return False
            os.rename(temporary, final)
            change.published = True
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
        sync_folder(self.folder)
        reached("commit-linked")
        return True

    def _checkpoint(self) -> None:
        state = self.state
        done = np.sort(np.fromiter(state.done, dtype="<i8", count=len(state.done)))
        value = {
            "version": LOG_VERSION,
            "files": [list(vars(file).values()) for file in state.files.values()],
            "open": {str(key): list(vars(at).values()) for key, at in state.open.items()},
            "done": base64.b64encode(zlib.compress(done.tobytes(), 1)).decode(),
            "horizon_ns": state.horizon_ns,
        }
        temporary = self.folder / f".{uuid.uuid4().hex}"
        write_durably(temporary, json.dumps(value, separators=(",", ":")).encode())
        reached("checkpoint-written")
        os.rename(temporary, self.folder / f"{state.number:08d}.checkpoint.json")
        reached("checkpoint-renamed")
        # A reader that listed the folder a moment ago still finds the checkpoint before this.
        keep = state.number - CHECKPOINT_EVERY
        commits, checkpoints = self._numbers()
        for number in sorted(n for n in commits if n <= keep):
            (self.folder / f"{number:08d}.json").unlink(missing_ok=True)
        for number in sorted(n for n in checkpoints if n < keep):
            (self.folder / f"{number:08d}.checkpoint.json").unlink(missing_ok=True)

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            deadline = time.monotonic() + LOCK_WAIT_S
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise RepositoryError(
                            f"Another process has held {self.folder / 'lock'} for a minute.",
                            hint=f"Find it with `fuser {self.folder / 'lock'}`; it may be stopped.",
                        ) from None
                    time.sleep(0.005)
                except OSError as error:
                    if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):
                        raise
                    break  # no locks on this file system: link(2) keeps writers apart
            yield
        finally:
            os.close(descriptor)


def check(state: State, change: Change) -> None:
    """Makes sure that a change still starts from where the state is.

    Raises:
        ConflictError: It does not.
    """
    for key, (base, _) in change.advance.items():
        if key in state.done or state.open.get(key, Position()).revision != base.revision:
            raise ConflictError("Another ingester took the same profiles first.")
    if any(path not in state.files for path in change.remove):
        raise ConflictError("Another process compacted the same files first.")


def encode(change: Change) -> dict[str, Any]:
    """Turns a change into the content of a commit file."""
    return {
        "version": LOG_VERSION,
        "kind": change.kind,
        "time_ns": time.time_ns(),
        "add": [list(vars(file).values()) for file in change.add],
        "remove": change.remove,
        "advance": {
            str(key): None if to is None else list(vars(to).values())
            for key, (_, to) in change.advance.items()
        },
        "forget": change.forget,
        "horizon_ns": change.horizon_ns,
    }


def apply(state: State, commit: dict[str, Any], number: int) -> None:
    """Brings a state up to a commit.

    Raises:
        RepositoryError: The commit is damaged.
    """
    try:
        for path in commit["remove"]:
            state.files.pop(path, None)
        for entry in commit["add"]:
            file = File(*entry)
            state.files[file.path] = file
        for key, to in commit["advance"].items():
            if to is None:
                state.open.pop(int(key), None)
                state.done.add(int(key))
            else:
                state.open[int(key)] = Position(*to)
        for key in commit["forget"]:
            state.done.discard(key)
        state.horizon_ns = max(state.horizon_ns, commit["horizon_ns"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RepositoryError(
            f"Commit {number} is damaged ({error}).",
            hint="Restore it from a backup, or ingest the spools into a new repository.",
        ) from error
    state.number = number


def write_durably(path: Path, data: bytes) -> None:
    """Writes a file and waits until the disk has it; leaves nothing behind on failure."""
    try:
        with path.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError:
        path.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Makes new names in a folder durable."""
    with contextlib.suppress(OSError):  # some file systems cannot; the names are there all the same
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def create(root: Path) -> None:
    """Makes an empty repository; does nothing where there is one.

    Raises:
        RepositoryError: The folder holds something else, or cannot be written.
    """
    marker = root / MARKER
    if marker.exists():
        return
    try:
        root.mkdir(parents=True, exist_ok=True)
        strangers = [
            name for name in os.listdir(root) if name != COMMITS and not name.startswith(".")
        ]
        if strangers:
            raise RepositoryError(
                f"{root} is no jostle repository but holds other files ({strangers[0]}).",
                hint="Name an empty or new folder with --repository.",
            )
        (root / COMMITS).mkdir(exist_ok=True)
        temporary = root / f".{uuid.uuid4().hex}"
        write_durably(temporary, json.dumps({"format": "jostle", "version": 1}).encode())
        os.rename(temporary, marker)
    except OSError as error:
        raise RepositoryError(
            f"The repository {root} cannot be made: {error.strerror}.",
            hint="Choose a folder that you may write with --repository or JOSTLE_REPOSITORY.",
        ) from error


def open_marker(root: Path) -> None:
    """Makes sure that a folder is a repository that this version understands.

    Raises:
        RepositoryError: It is not; says why.
    """
    if not root.exists():
        raise RepositoryError(
            f"There is no repository at {root}.",
            hint="Make one with `jostle ingest SPOOL` or `jostle run -- COMMAND`, "
            "or name another with --repository.",
            exit_code=2,
        )
    try:
        value = json.loads((root / MARKER).read_bytes())
        version = value["version"] if value["format"] == "jostle" else None
    except (FileNotFoundError, NotADirectoryError):
        raise RepositoryError(
            f"{root} is no jostle repository ({MARKER} is missing).",
            hint="Name the folder that `jostle ingest` wrote with --repository.",
            exit_code=2,
        ) from None
    except OSError as error:
        raise RepositoryError(
            f"The repository {root} cannot be read: {error.strerror}.",
            hint="Ask its owner for access, or name another with --repository.",
        ) from error
    except (ValueError, KeyError, TypeError):
        version = None
    if version is None:
        raise RepositoryError(
            f"{root / MARKER} is damaged.",
            hint='Its content should be {"format": "jostle", "version": 1}.',
        )
    if version > FORMAT_VERSION:
        raise RepositoryError(
            f"{root} has format version {version}; this jostle knows {FORMAT_VERSION}.",
            hint="Upgrade jostle.",
        )
