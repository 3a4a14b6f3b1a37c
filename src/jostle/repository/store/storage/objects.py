"""A repository in an object store (S3), with copies in a local folder (decision 0050).

Objects never change once they have their name, so copies are never out of date. Commits get their
numbers by put-if-absent. Readers do not list: `commits/newest` has the first number, and commits
are requested one by one until there is none.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import time
import uuid
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from jostle.repository.store.layout import COMMITS, QUARANTINE, TABLES, is_piece
from jostle.repository.store.sealed import sum_of
from jostle.repository.store.storage.copies import Copies, copies_folder

T = TypeVar("T")
NEWEST = f"{COMMITS}/newest"
#: Folder of notes, which list files that left the log; a note is removed together with its files.
_LEFT = "left"
#: Age after which an upload in no commit counts as abandoned, s.
_ABANDONED_S = 86_400.0
_PART_BYTES = 8 << 20
#: Time limit of one request, including its data.
TIMEOUT = timedelta(seconds=300)
_AT_ONCE = 8
_TRIES = 5
_FIRST_PAUSE_S = 0.2
#: Pause after which commits may have been removed unnoticed, s: fifty commits take longer.
_LOOK_EVERY_S = 1.0
#: Time for which a small folder counts as unchanged, s.
_FOLDER_S = 60.0


class ObjectStorage:
    """A bucket's objects below a prefix (see `model.Storage`)."""

    is_remote = True

    def __init__(self, bucket: str, prefix: str) -> None:
        """Create the object; the store's URL and credentials come from the environment.

        Raises:
            OSError: The settings are not valid.
        """
        self.name = "s3://" + "/".join(part for part in (bucket, prefix) if part)
        self.root = copies_folder(self.name)
        self._copies = Copies(self.root)
        self._looked = float("-inf")
        self._folders: dict[str, float] = {}
        self._prefix = f"{prefix}/" if prefix else ""
        # Retries after an error are decided here, not in the library: after a lost
        # answer a commit may exist.
        retry: Any = {"max_retries": 2, "retry_timeout": timedelta(seconds=20)}
        plain = os.environ.get("AWS_ENDPOINT_URL", os.environ.get("AWS_ENDPOINT", ""))
        client: Any = {
            "timeout": TIMEOUT,
            "connect_timeout": "5s",
            "allow_http": plain.startswith("http://"),
        }
        try:
            self._store = S3Store(bucket, client_options=client, retry_config=retry)
        except BaseError as error:
            raise OSError(errno.EREMOTEIO, _plain(error), self.name) from error

    # ---- the log ----

    def catch_up(self, after: int) -> None:
        """Fetch new commits; if there are no copies yet, begin with the newest checkpoint."""
        (self.root / COMMITS).mkdir(parents=True, exist_ok=True)
        if after <= 0:
            self._begin(all_there=after < 0)
            return
        newest = self._follow(after)
        # If this reader was suspended, the next commits may be removed, and checkpoints exist.
        if newest == after and time.monotonic() < self._looked + _LOOK_EVERY_S:
            return
        noted, checkpoints = self._hint()
        if noted > newest and self._follow(newest) < noted:
            self._begin()
        else:
            self._bring_checkpoints(checkpoints)

    def _follow(self, after: int) -> int:
        while self._fetch_commit(after + 1):
            after += 1
        return after

    def _hint(self) -> tuple[int, list[int]]:
        """Return the numbers of the newest commit and its checkpoints, if they are recorded."""
        content = self._get(NEWEST)
        self._looked = time.monotonic()
        try:
            noted, *checkpoints = (int(word) for word in (content or b"").split())
        except ValueError:
            return -1, []
        self._write_copy(NEWEST, content or b"")
        return noted, checkpoints

    def _begin(self, *, all_there: bool = False) -> None:
        """Fetch the files of the log that a reader without copies needs."""
        noted, checkpoints = self._hint()
        there = self._bring_checkpoints(checkpoints)
        first = max(there, default=0)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            numbers = range(first + 1, noted + 1)
            complete = all(list(pool.map(self._fetch_commit, numbers)))
        if all_there or noted < 0 or not complete or len(there) < len(checkpoints[:1]):
            # The hint is missing or too old: only then a reader lists.
            names = [name for name in self.listed(COMMITS) if name.endswith(".json")]
            with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                self.bring(names)
        self._follow(max(noted, 0))

    def _bring_checkpoints(self, numbers: list[int]) -> list[int]:
        """Fetch checkpoints, and drop older copies; return the checkpoints that exist."""
        there = []
        for number in numbers:
            with contextlib.suppress(FileNotFoundError):
                self.bring([f"{COMMITS}/{number:08d}.checkpoint.json"])
                there.append(number)
        if there:
            for path in (self.root / COMMITS).glob("*.json"):
                number = int(path.name[:8]) if path.name[:8].isdigit() else max(there)
                is_checkpoint = path.name.endswith(".checkpoint.json")
                if number < min(there) or (number == min(there) and not is_checkpoint):
                    path.unlink(missing_ok=True)
        return there

    def _fetch_commit(self, number: int) -> bool:
        try:
            self.bring([f"{COMMITS}/{number:08d}.json"])
        except FileNotFoundError:
            return False
        return True

    def _write_copy(self, name: str, data: bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{uuid.uuid4().hex}")
        try:
            temporary.write_bytes(data)
            os.rename(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    def take_name(self, temporary: Path, name: str) -> bool:
        """Give a file its name by put-if-absent."""
        data = temporary.read_bytes()
        try:
            is_ours = self._create(name, data)
            if is_ours:
                self._write_copy(name, data)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
        return is_ours

    def _create(self, name: str, data: bytes) -> bool:
        """Put an object if there is none; return whether ours exists now.

        An answer may be lost after the object was created, and the library retries by itself: so
        the stored object is compared with the one that was put.
        """
        for attempt in range(_TRIES):
            try:
                obstore.put(self._store, self._prefix + name, data, mode="create")
                return True
            except AlreadyExistsError:
                return self._get(name) == data
            except (BaseError, OSError) as error:
                there = self._get(name)
                if there is not None:
                    return there == data
                if attempt == _TRIES - 1:
                    raise _cannot(self.name, name, error) from error
                time.sleep(_FIRST_PAUSE_S * 2**attempt)
        raise AssertionError("unreachable")

    def excludes(self) -> bool:
        """Return whether the store refuses to replace an object that is put if absent."""
        name = f".{uuid.uuid4().hex}"
        try:
            self._create(name, b"1")
            try:
                obstore.put(self._store, self._prefix + name, b"2", mode="create")
            except AlreadyExistsError:
                return True
            except BaseError as error:
                raise _cannot(self.name, name, error) from error
            return False
        finally:
            self.remove([name])

    def replace(self, name: str, data: bytes) -> None:
        """Replace a hint (a small object)."""
        self._again(name, lambda: obstore.put(self._store, self._prefix + name, data))
        self._write_copy(name, data)

    def read(self, name: str) -> bytes:
        """Return the content of an object, and update its copy.

        If the copy of the marker differs, all copies are of an earlier repository with the same
        address: they are removed.
        """
        data = self._get(name)
        if data is None:
            raise FileNotFoundError(2, "it is not in the object store", name)
        copy = self.root / name
        if copy.exists() and copy.read_bytes() != data:
            shutil.rmtree(self.root, ignore_errors=True)
        if not copy.exists():
            self._write_copy(name, data)
        return data

    # ---- files ----

    def publish(self, names: Collection[str]) -> None:
        """Upload new files; large ones in parts."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(self._upload, names))

    def _upload(self, name: str) -> None:
        path = self.root / name
        self._again(
            name,
            lambda: obstore.put(
                self._store, self._prefix + name, path, mode="overwrite", chunk_size=_PART_BYTES
            ),
        )
        # A store may truncate an upload without an error.
        arrived = self._again(name, lambda: obstore.head(self._store, self._prefix + name))["size"]
        if arrived != (size := path.stat().st_size):
            self.remove([name])
            raise OSError(errno.EREMOTEIO, f"only {arrived} of {size} bytes arrived", name)
        self._copies.use(name)

    def bring(self, names: Iterable[str], sums: Iterable[str] = ()) -> None:
        """Fetch files that have no copy here."""
        wanted = dict(zip(names, [*sums], strict=False)) if sums else dict.fromkeys(names, "")
        missing = [name for name in wanted if not self._copies.use(name)]
        if not missing:
            return
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(lambda name: self._fetch(name, wanted[name]), missing))
        self._copies.make_room(set(wanted))

    def bring_folder(self, folder: str, *, now: bool) -> None:
        """Fetch all objects of a folder, which are few, and drop copies of removed ones."""
        if not now and time.monotonic() < self._folders.get(folder, float("-inf")) + _FOLDER_S:
            return
        there = {name: self._get(name) for name in list(self.listed(folder))}
        for name, data in there.items():
            copy = self.root / name
            if data is not None and not (copy.exists() and copy.read_bytes() == data):
                self._write_copy(name, data)
        if (self.root / folder).is_dir():
            for copy in (self.root / folder).iterdir():
                if f"{folder}/{copy.name}" not in there and not copy.name.startswith("."):
                    copy.unlink(missing_ok=True)
        self._folders[folder] = time.monotonic()

    def _fetch(self, name: str, checksum: str) -> None:
        for attempt in range(_TRIES):
            data = self._get(name)
            if data is None:
                raise FileNotFoundError(2, "it is not in the object store", name)
            # One that stays wrong is damaged in the store: its reader reports it.
            if not checksum or sum_of(data) == checksum or attempt == _TRIES - 1:
                self._write_copy(name, data)
                return

    def _get(self, name: str) -> bytes | None:
        """Return the content of an object; None: there is none."""

        def read() -> bytes | None:
            try:
                answer = obstore.get(self._store, self._prefix + name)
                data = bytes(answer.bytes())
            except FileNotFoundError:
                return None
            if len(data) != answer.meta["size"]:
                raise OSError(
                    errno.EREMOTEIO,
                    f"only {len(data)} of {answer.meta['size']} bytes arrived",
                    name,
                )
            return data

        return self._again(name, read)

    def _again(self, name: str, ask: Callable[[], T]) -> T:
        """Send a request, and retry with backoff while the store is slow or fails."""
        for attempt in range(_TRIES):
            try:
                return ask()
            except (BaseError, OSError) as error:
                if attempt == _TRIES - 1 or _is_final(error):
                    raise _cannot(self.name, name, error) from error
                time.sleep(_FIRST_PAUSE_S * 2**attempt)
        raise AssertionError("unreachable")

    def remove(self, names: Collection[str]) -> None:
        """Remove objects and their copies."""
        for name in names:
            with contextlib.suppress(OSError):
                (self.root / name).unlink(missing_ok=True)
        with contextlib.suppress(BaseError, OSError):  # a compaction removes them
            if names:
                obstore.delete(self._store, [self._prefix + name for name in names])

    def holds(self, names: Collection[str]) -> bool:
        """Return whether all of some objects exist."""

        def there(name: str) -> bool:
            try:
                obstore.head(self._store, self._prefix + name)
            except FileNotFoundError:
                return False
            return True

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return all(pool.map(lambda name: self._again(name, lambda: there(name)), names))

    def leave(self, names: Collection[str]) -> None:
        """Write a note of files that were removed from the log, with the time."""
        if names:
            note = json.dumps({"time_s": time.time(), "names": list(names)}).encode()
            self._create(f"{_LEFT}/{uuid.uuid4().hex}.json", note)

    def strays(self, named: Container[str], older_than_s: float, now_s: float) -> Iterator[str]:
        """Yield objects that left the log long ago, and uploads that got no commit within a day."""
        recent = set()
        for note in list(self.listed(_LEFT)):
            try:
                value = json.loads(self._get(note) or b"{}")
                names, is_old = list(value["names"]), value["time_s"] < now_s - older_than_s
            except (ValueError, KeyError, TypeError):
                names, is_old = [], True
            if is_old:
                yield from (str(name) for name in names if name not in named)
                yield note
            else:
                recent |= set(names)
        for place in (*TABLES, COMMITS):
            for name, modified_s in self._listed(place):
                counts = place in TABLES or is_piece(Path(name).name)
                is_old = modified_s < now_s - max(older_than_s, _ABANDONED_S)
                if counts and is_old and name not in named and name not in recent:
                    yield name

    def listed(self, folder: str) -> Iterator[str]:
        """Return the names of the objects in a folder and below."""
        return (name for name, _ in self._listed(folder))

    def _listed(self, folder: str) -> Iterator[tuple[str, float]]:
        """List the objects of a folder: name, time of change (s)."""
        stream = obstore.list(self._store, f"{self._prefix}{folder}/" if folder else self._prefix)
        while batch := self._again(folder, lambda: next(stream, None)):
            for entry in batch:
                name = entry["path"].removeprefix(self._prefix)
                yield name, entry["last_modified"].timestamp()

    def forget(self, name: str) -> bool:
        """Drop a copy; return whether there was one."""
        try:
            (self.root / name).unlink()
        except OSError:
            return False
        return True

    def set_aside(self, name: str) -> None:
        """Move a damaged object into the quarantine."""
        aside = f"{self._prefix}{QUARANTINE}/{name}.{time.time_ns()}"
        with contextlib.suppress(BaseError, OSError):  # it may be removed; it is in no commit
            obstore.copy(self._store, self._prefix + name, aside)
            self.remove([name])


def _is_final(error: Exception) -> bool:
    """Return whether a retry cannot help: errors of permissions or of the request."""
    return isinstance(
        error,
        (
            obstore.exceptions.PermissionDeniedError,
            obstore.exceptions.UnauthenticatedError,
            obstore.exceptions.InvalidPathError,
        ),
    )


def _plain(error: Exception) -> str:
    """Return the reason of an error in one line: the store's message, not the request."""
    text = " ".join(str(error).partition("Debug source:")[0].split())
    text = text.partition(" - ")[2] or text
    if message := re.search("<Message>(.+?)</Message>", text):
        text = text.partition("<")[0] + message[1]
    return text[:300] or type(error).__name__


def _cannot(place: str, name: str, error: Exception) -> OSError:
    return OSError(
        errno.EREMOTEIO, f"the object store answered: {_plain(error)}", f"{place}/{name}"
    )
