"""Finds Darshan logs in files, folders and folder trees by date."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jostle.errors import UsageError

#: Endings of logs: the second one: the runtime was stopped while it wrote the log.
ENDINGS = (".darshan", ".darshan_partial")
_BLOCK = 1 << 20
#: Largest file that is read; logs of real sites are far smaller.
_MOST_BYTES = 4 << 30


@dataclass(frozen=True)
class FoundLog:
    """A file that may be a Darshan log.

    Attributes:
        path: Path of the file.
        digest: Digest of the file's content, 32 hexadecimal digits.
        file: Owner (uid) and size of the file that was read. They show later whether the path still
            leads to the same file.
    """

    path: Path
    digest: str
    file: tuple[int, int]

    @property
    def owner(self) -> int:
        """Uid of the file's owner."""
        return self.file[0]


@dataclass(frozen=True)
class Found:
    """The result of a search for logs.

    Attributes:
        logs: Files that may be logs, sorted by path, so that a tree of folders by date is in order
            of time.
        unread: Folders in the searched ones that cannot be read, each with the reason.
    """

    logs: list[Path]
    unread: list[tuple[str, str]]


def find_logs(paths: Sequence[Path]) -> Found:
    """Return the logs in files and folders.

    Args:
        paths: Files and folders. A file may have any name; in a folder, only files whose names end
            as those of logs are taken.

    Raises:
        UsageError: A path does not exist or cannot be read, or there are no logs.
    """
    logs: dict[Path, None] = {}
    unread: list[tuple[str, str]] = []
    for path in paths:
        if not _is_folder(path):
            logs[path] = None
            continue
        failed: list[OSError] = []
        for folder, folders, names in os.walk(path, onerror=failed.append):
            folders.sort()
            for name in sorted(names):
                if name.endswith(ENDINGS):
                    logs[Path(folder) / name] = None
        for error in failed:
            if Path(str(error.filename)) == path:
                raise _unreadable(path, error)
            unread.append((str(error.filename), error.strerror or "it cannot be read"))
    if not logs:
        reason = f" ({len(unread)} folders cannot be read)" if unread else ""
        raise UsageError(
            f"There are no logs of Darshan in {', '.join(map(str, paths))}{reason}: no file there "
            f"ends with {ENDINGS[0]}.",
            hint="Name the folder in which Darshan writes (`darshan-config --log-path` prints it), "
            "or single logs, which may have any name.",
        )
    return Found(list(logs), unread)


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        if str(path) == "-":
            raise UsageError(
                "Darshan logs cannot be read from standard input.",
                hint="Name files or folders; `-` is for `import sacct`, `pbs` and `lsf`.",
            ) from None
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> UsageError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return UsageError(
            f"{path} does not exist.", hint="Name logs of Darshan, or folders with them."
        )
    return UsageError(
        f"{path} cannot be read: {error.strerror}.",
        hint="Name logs that you may read, or run the import as their owner.",
    )


def identify(path: Path) -> FoundLog:
    """Return a file with its owner, its size and the digest of its content.

    Raises:
        OSError: The file cannot be read.
        ValueError: The path leads to no regular file, or it is too large; the message has the
            reason.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise ValueError("it is no regular file")
        if info.st_size > _MOST_BYTES:
            raise ValueError(f"the file has more than {_MOST_BYTES >> 30} GiB")
        if not info.st_size:
            raise ValueError("it is empty")
        digest = hashlib.blake2b(digest_size=16)
        while block := os.read(descriptor, _BLOCK):
            digest.update(block)
    finally:
        os.close(descriptor)
    return FoundLog(path, digest.hexdigest(), (info.st_uid, info.st_size))
