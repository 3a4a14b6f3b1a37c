"""The commit log, which alone defines the valid files of a repository.

A commit is a JSON file `commits/00000042.json`, written completely under another name and then
given its number with link(2), which fails if the number is taken. Before that, the files that the
commit adds are not part of the repository. A lock around read, check and link makes conflicts rare;
if the file system has no locks, link alone still separates two writers.

Every CHECKPOINT_EVERY commits a checkpoint `00000100.checkpoint.json` is written, and commits that
the previous checkpoint already contains are removed. So the newest state can be read from the
newest checkpoint, or from the previous one with the commits since then. A checkpoint is small: it
names pieces (`pieces.py`), of which it shares most with the previous one.

If a file is damaged, only its content is lost: readers continue without it and report it
(`damage`); writing is refused until `repair.py` has repaired the log.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from jostle.repository.errors import ConflictError, LogError, RepositoryError, log_error
from jostle.repository.store.durable import cannot_read, read_patiently, sync_folder, write_durably
from jostle.repository.store.file_days import File
from jostle.repository.store.layout import COMMITS
from jostle.repository.store.pieces import Pieces
from jostle.repository.store.sealed import DamageError, NewerError, seal, unseal
from jostle.repository.store.state import Change, RepositoryState, apply, check, encode
from jostle.repository.store.storage import open_storage

CHECKPOINT_EVERY = 50
LOCK_WAIT_S = 60.0
# File with the number of the newest commit, so that its loss is noticed.
NEWEST = "newest"
_MOST_GONE = 1000


def reached(step: str) -> None:
    """Mark a step of publishing; tests replace this function to simulate crashes."""


class Log:
    """Reads and extends the commit log of one repository."""

    def __init__(self, root: Path) -> None:
        self.storage = open_storage(root)
        self.root = self.storage.root
        self.folder = self.root / COMMITS
        self.pieces = Pieces(self.folder)
        self.state = RepositoryState(self.pieces)
        self._damage: dict[str, str] = {}

    @property
    def damage(self) -> dict[str, str]:
        """Damage of files of the log, by name, as parts of sentences."""
        return self._damage | self.state.lost

    def refresh(self) -> RepositoryState:
        """Read the commits since the last call.

        Raises:
            RepositoryError: The log is damaged.
        """
        for attempt in range(3):
            try:
                self._fetch()
                self._catch_up(sure=attempt == 2)
                break
            except FileNotFoundError:  # removed by a writer between listing and reading
                if attempt == 2:
                    raise self._broken("commits vanish while they are read") from None
                self.state, self._damage = RepositoryState(self.pieces), {}
        return self.state

    def _fetch(self, *, all_there: bool = False) -> None:
        try:
            self.storage.catch_up(-1 if all_there else self.state.number)
        except OSError as error:
            raise RepositoryError(
                f"The repository {self.storage.name} cannot be used: {error.strerror or error}.",
                hint="Check the network and the settings of the object store; then try again.",
            ) from error

    def _catch_up(self, *, sure: bool) -> None:
        before = self.state
        fresh = before.number == 0
        self._apply_new(sure=sure)
        if (fresh or self.state is not before) and self._noted_newest() > self.state.number:
            self._apply_new(sure=sure)  # it was written while the folder was listed
            self._miss_newest()

    def _apply_new(self, *, sure: bool) -> None:
        """Apply the new commits.

        Args:
            sure: Whether a missing commit is certainly lost. In earlier attempts it may be missing
                since a writer is just removing old commits, after a new checkpoint.
        """
        commits, checkpoints = self._numbers()
        newest = max(checkpoints, default=0)
        between = range(self.state.number + 1, newest + 1)
        # Changes by commits are held in memory: a long-lived reader restarts from checkpoints.
        is_old = newest and self.state.base not in checkpoints
        if is_old or (between and not commits.issuperset(between)):
            self._damage = {}  # commits in the checkpoint are not needed any more
            self.state = self._checkpoint_of(commits, checkpoints)
        last = max(commits, default=0)
        if last - self.state.number > len(commits) + _MOST_GONE:
            raise self._broken(f"commits {self.state.number + 1} to {last - 1} are gone")
        for number in range(self.state.number + 1, last + 1):
            name = f"{number:08d}.json"
            try:
                if number in commits or not sure:
                    apply(self.state, self._read(name, number))
                else:
                    self._damage[name] = "it is gone"
            except DamageError as error:
                self._damage[name] = str(error)
            self.state.number = number

    def _noted_newest(self) -> int:
        """Return the number of the newest commit, as its writer noted it; 0: not noted."""
        try:
            return int((self.folder / NEWEST).read_bytes().split()[0])
        except (OSError, ValueError, IndexError):
            return 0

    def _miss_newest(self) -> None:
        for number in range(
            self.state.number + 1, min(self._noted_newest(), self.state.number + _MOST_GONE) + 1
        ):
            self._damage[f"{number:08d}.json"] = "it is gone"

    def _checkpoint_of(self, commits: set[int], checkpoints: set[int]) -> RepositoryState:
        """Read the newest intact checkpoint since which all commits exist."""
        for number in (*sorted(checkpoints, reverse=True), 0):
            if not commits.issuperset(range(number + 1, max(checkpoints) + 1)):
                break
            if number == 0:
                return RepositoryState(self.pieces)
            name = f"{number:08d}.checkpoint.json"
            try:
                return self._read_checkpoint(name, number)
            except DamageError as error:
                self._damage[name] = str(error)
                self._fetch(all_there=True)  # commits that the previous checkpoint needs
                commits |= self._numbers()[0]
        name, why = next(iter(self._damage.items()))
        raise self._broken(f"{name}: {why}, and its content is stored nowhere else")

    def _numbers(self) -> tuple[set[int], set[int]]:
        commits, checkpoints = set(), set()
        try:
            names = os.listdir(self.folder)
        except OSError as error:
            raise cannot_read(self.folder, error) from error
        for name in names:
            stem, _, rest = name.partition(".")
            if stem.isdigit() and rest == "json":
                commits.add(int(stem))
            elif stem.isdigit() and rest == "checkpoint.json":
                checkpoints.add(int(stem))
        return commits, checkpoints

    def _read(self, name: str, number: int) -> dict[str, Any]:
        try:
            try:
                return unseal(read_patiently(self.folder / name, Path.read_bytes), number)
            except DamageError:
                if not self.storage.forget(f"{COMMITS}/{name}"):
                    raise
                self.storage.bring([f"{COMMITS}/{name}"])
                return unseal(read_patiently(self.folder / name, Path.read_bytes), number)
        except NewerError:
            raise RepositoryError(
                f"{self.folder / name} was written by a newer jostle.", hint="Upgrade jostle."
            ) from None

    def _read_checkpoint(self, name: str, number: int) -> RepositoryState:
        return RepositoryState.of_checkpoint(self.pieces, number, self._read(name, number))

    def _broken(self, why: str) -> LogError:
        return log_error(self.root, why)

    def newest_number(self) -> int:
        """Return the highest number of a commit or checkpoint, also of removed ones."""
        commits, checkpoints = self._numbers()
        return max(commits | checkpoints | {self._noted_newest(), self.state.number})

    def start_over(self) -> RepositoryState:
        """Return an empty state, for use if the newest one is lost."""
        self.state = RepositoryState(self.pieces, self.newest_number())
        return self.state

    def require_whole(self) -> None:
        """Refuse to continue from an incomplete state.

        Raises:
            RepositoryError: A commit is damaged or missing.
        """
        lost = [name for name in self.damage if "checkpoint" not in name]
        if lost:
            more = f", and {len(lost) - 1} more" if len(lost) > 1 else ""
            raise self._broken(f"{lost[0]}: {self._damage[lost[0]]}{more}")

    def commit(self, change: Change) -> int:
        """Publish a change: all of it, or nothing.

        Returns:
            The number of the commit.

        Raises:
            ConflictError: Another process advanced the same profiles or removed the same files.
        """
        with self.lock():
            while True:
                self.refresh()
                self.require_whole()
                check(self.state, change)
                if not self._holds(change.add):
                    raise ConflictError(
                        "The new files were removed, since their commit took too long."
                    )
                if self._publish(self.state.number + 1, change):
                    break
            self.refresh()
            number = self.state.number
            if change.add and all(file.path not in self.state for file in change.add):
                # Without locks a writer that was suspended for long can take a number that was
                # removed.
                change.published = False
                raise ConflictError("The number of the commit is already used.")
            if number % CHECKPOINT_EVERY == 0:
                self._checkpoint_if_possible()
        return number

    def _holds(self, files: Iterable[File]) -> bool:
        return self.storage.holds([file.path for file in files])

    def _publish(self, number: int, change: Change) -> bool:
        temporary = self.folder / f".{uuid.uuid4().hex}"
        write_durably(temporary, seal(encode(change), number))
        reached("commit-written")
        change.published = self.storage.take_name(temporary, f"{COMMITS}/{number:08d}.json")
        if not change.published:
            return False
        sync_folder(self.folder)
        reached("commit-linked")
        with contextlib.suppress(OSError):  # it only helps to notice a lost commit
            self._note_newest(number)
        return True

    def _note_newest(self, number: int) -> None:
        """Write the number of the newest commit, and those of the checkpoints up to it."""
        checkpoints = sorted(self._numbers()[1], reverse=True)[:2]
        words = " ".join(map(str, [number, *checkpoints]))
        self.storage.replace(f"{COMMITS}/{NEWEST}", words.encode())

    def _checkpoint_if_possible(self) -> None:
        try:
            self._checkpoint()
        # On a full disk the commits have the same data; the next commit reports a damaged piece.
        # The state may refer to pieces that are in no checkpoint: it is read again.
        except (OSError, DamageError, LogError):
            self.state = RepositoryState(self.pieces)
            with contextlib.suppress(OSError, RepositoryError):
                self.refresh()

    def _checkpoint(self) -> None:
        before = self.state.pieces
        self.write_state()
        reached("checkpoint-renamed")
        # A reader that has just listed the folder still finds the previous checkpoint.
        keep = self.state.number - CHECKPOINT_EVERY
        commits, checkpoints = self._numbers()
        old = [f"{number:08d}.json" for number in sorted(commits) if number <= keep]
        old += [f"{number:08d}.checkpoint.json" for number in sorted(checkpoints) if number < keep]
        self.storage.remove([f"{COMMITS}/{name}" for name in old])
        for name in before - self.state.pieces:
            self.pieces.remove(name)

    def write_state(self) -> None:
        """Write the state as the checkpoint of its number."""
        value = self.state.checkpoint()
        sync_folder(self.folder)
        reached("pieces-written")
        temporary = self.folder / f".{uuid.uuid4().hex}"
        write_durably(temporary, seal(value, self.state.number))
        reached("checkpoint-written")
        name = f"{COMMITS}/{self.state.number:08d}.checkpoint.json"
        if not self.storage.take_name(temporary, name):
            raise FileExistsError  # by a writer without locks: its pieces count, not ours
        self.state.base = self.state.number
        self._note_newest(self.state.number)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the log against other writers."""
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
                            hint=f"Find it with `fuser {self.folder / 'lock'}`; that process may "
                            "be stopped.",
                        ) from None
                    time.sleep(0.005)
                except OSError as error:
                    if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):
                        raise
                    break  # no locks on this file system: link(2) separates writers
            yield
        finally:
            with contextlib.suppress(OSError):  # no data was written, and the lock is released
                os.close(descriptor)
