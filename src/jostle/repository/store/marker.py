"""The marker of a repository: the file that marks a folder as one, with the version of its format.

It contains nothing that the log does not imply, so it can be written again from the log.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import uuid
from pathlib import Path
from typing import Any

from jostle.repository.errors import LogError, RepositoryError
from jostle.repository.store.durable import write_durably
from jostle.repository.store.layout import COMMITS, FORMAT_VERSION, MARKER
from jostle.repository.store.log import NEWEST, Log
from jostle.repository.store.storage import Storage, open_storage

#: Names in a log: commits, checkpoints, and the number of the newest commit.
_OF_LOG = re.compile(rf"[0-9]{{8,}}\.(checkpoint\.)?json|{re.escape(NEWEST)}")


def create(root: Path) -> None:
    """Create an empty repository, unless there is one already.

    Raises:
        RepositoryError: The folder has other content, or cannot be written.
    """
    storage = open_storage(root)
    if storage.is_remote:
        _create_in_objects(storage)
        return
    marker = root / MARKER
    try:
        if marker.exists():
            return
        root.mkdir(parents=True, exist_ok=True)
        strangers = [
            name for name in os.listdir(root) if name != COMMITS and not name.startswith(".")
        ]
        if strangers and _has_log(storage):
            raise _flawed(storage, "missing")
        if strangers:
            raise RepositoryError(
                f"{root} is not a jostle repository but holds other files ({strangers[0]}).",
                hint="Name an empty or new folder with --repository.",
            )
        (root / COMMITS).mkdir(exist_ok=True)
        _write(storage)
    except OSError as error:
        raise RepositoryError(
            f"The repository {root} cannot be created: {error.strerror}.",
            hint="Choose a folder that you may write with --repository or JOSTLE_REPOSITORY.",
        ) from error


def _create_in_objects(storage: Storage) -> None:
    try:
        with contextlib.suppress(FileNotFoundError):
            storage.read(MARKER)
            return
        if not storage.excludes():
            raise RepositoryError(
                f"The object store of {storage.name} ignores `If-None-Match: *`: two ingesters "
                "would overwrite each other's commits.",
                hint="Use a store that supports conditional writes (`If-None-Match`); `jostle "
                "doctor` tests it.",
            )
        names = storage.listed("")  # another writer may be creating it now
        strangers = (name for name in names if not name.startswith((".", f"{COMMITS}/")))
        if (stranger := next(strangers, MARKER)) != MARKER:
            if _has_log(storage):
                raise _flawed(storage, "missing")
            raise RepositoryError(
                f"{storage.name} is not a jostle repository but holds other objects ({stranger}).",
                hint="Name an empty or new prefix with --repository.",
            )
        storage.replace(f"{COMMITS}/{NEWEST}", b"0")
        _write(storage)
    except OSError as error:
        raise RepositoryError(
            f"The repository {storage.name} cannot be created: {error.strerror or error}.",
            hint="Check the bucket's name, the credentials and the settings of the object store.",
        ) from error


def open_marker(root: Path) -> None:
    """Check that a folder is a repository that this version can read.

    Raises:
        RepositoryError: The folder is no such repository; the message has the reason.
    """
    storage = open_storage(root)
    place, is_there = storage.name, storage.is_remote or root.exists()
    try:
        if not is_there:
            raise RepositoryError(
                f"No job is recorded yet, because there is no repository at {place}.",
                hint="Record a command with `jostle run -- CMD` or ingest a spool with `jostle "
                "ingest SPOOL`; --repository names another repository.",
                exit_code=2,
            )
        version = _version(storage)
    except (FileNotFoundError, NotADirectoryError):
        if is_there and _has_log(storage):
            raise _flawed(storage, "missing") from None
        raise RepositoryError(
            f"{place} is not a jostle repository ({MARKER} is missing).",
            hint="Name a folder that `jostle ingest` created with --repository.",
            exit_code=2,
        ) from None
    except OSError as error:
        raise RepositoryError(
            f"The repository {place} cannot be read: {error.strerror}.",
            hint="Ask its owner for access, or name a different one with --repository.",
        ) from error
    if version is None:
        raise _flawed(storage, "damaged")
    if version > FORMAT_VERSION:
        raise RepositoryError(
            f"{place} has format version {version}; this jostle knows {FORMAT_VERSION}.",
            hint="Upgrade jostle.",
        )


def restore_marker(root: Path) -> str:
    """Write the marker of a repository again if it is missing or damaged.

    The log has all that is needed for this: it shows that the folder is a repository, and it cannot
    be read if its format is newer than this jostle.

    Args:
        root: The repository.

    Returns:
        "missing" or "damaged"; "" if the marker was intact.

    Raises:
        RepositoryError: There is no repository, or its log is of a newer version.
    """
    storage = open_storage(root)
    flaw = ""
    try:
        flaw = "" if _version(storage) is not None else "damaged"
    except (FileNotFoundError, NotADirectoryError):
        flaw = "missing"
    except OSError:
        open_marker(root)  # its error says why it cannot be read
    if not flaw:
        return ""
    if not _has_log(storage):
        open_marker(root)  # its error says that this is none
    log = Log(storage.root)
    with contextlib.suppress(LogError):  # damage in it is repaired next
        log.refresh()
    try:
        if flaw == "damaged":
            storage.set_aside(MARKER)
        _write(storage)
    except OSError as error:
        raise RepositoryError(
            f"{storage.name}/{MARKER} cannot be written: {error.strerror or error}.",
            hint="Run the command as the owner of the repository; check permissions and free "
            "space.",
        ) from error
    return flaw


def _write(storage: Storage) -> None:
    content: dict[str, Any] = {"format": "jostle", "version": FORMAT_VERSION}
    if storage.is_remote:
        # Copies of another repository with the same address earlier are recognised by this id.
        content["id"] = uuid.uuid4().hex
    temporary = storage.root / f".{uuid.uuid4().hex}"
    temporary.parent.mkdir(parents=True, exist_ok=True)
    write_durably(temporary, json.dumps(content).encode())
    if not storage.is_remote:  # some file systems have no links
        os.rename(temporary, storage.root / MARKER)
    else:
        storage.take_name(temporary, MARKER)


def _version(storage: Storage) -> int | None:
    """Return the format version in a marker; None: the marker is damaged.

    Raises:
        OSError: It cannot be read, or is missing.
    """
    try:
        value = json.loads(storage.read(MARKER))
        version = value["version"] if value["format"] == "jostle" else None
    except (ValueError, KeyError, TypeError):
        return None
    return version if isinstance(version, int) else None


def _has_log(storage: Storage) -> bool:
    """Return whether there is a log, even without commits: only repositories have a log."""
    try:
        if storage.is_remote:
            names = list(storage.listed(COMMITS))
        else:
            names = os.listdir(storage.root / COMMITS)
            if not names:
                return True
    except OSError:
        return False
    return any(_OF_LOG.fullmatch(name.rpartition("/")[2]) for name in names)


def _flawed(storage: Storage, how: str) -> RepositoryError:
    place = storage.name
    if how == "damaged" and not _has_log(storage):
        return RepositoryError(
            f"{place}/{MARKER} is damaged, and there is no log of commits in {place}/{COMMITS}.",
            hint="Restore the repository from a backup, or name a different one with --repository.",
        )
    return RepositoryError(
        f"{place}/{MARKER} is {how}; the rest of the repository exists.",
        hint=f"`jostle repository check --fix --repository {place}` writes the marker again.",
    )
