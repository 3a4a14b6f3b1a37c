"""Finds logs of Darshan in files, folders and trees of dates."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jostle.errors import UsageError

#: Endings of logs: of those that a runtime was about to write when it was stopped, the second.
ENDINGS = (".darshan", ".darshan_partial")
_BLOCK = 1 << 20
#: No log of a real site is near to it; a file may be anything.
_MOST_BYTES = 4 << 30


@dataclass(frozen=True)
class FoundLog:
    """A file that may be a log.

    Attributes:
        path: The file.
        digest: Of its content, hexadecimal, 32 digits.
        owner: Uid of its owner.
    """

    path: Path
    digest: str
    owner: int


def find_logs(paths: Sequence[Path]) -> list[Path]:
    """Return the logs in files and folders, by path: a tree of dates is then in order of time.

    Args:
        paths: Files, whatever their names, and folders, of which files that end like logs count.

    Raises:
        UsageError: One of them is not there, or cannot be read.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            failed: list[OSError] = []
            for folder, folders, names in os.walk(path, onerror=failed.append):
                folders.sort()
                for name in sorted(names):
                    if name.endswith(ENDINGS):
                        found[Path(folder) / name] = None
            if failed and Path(str(failed[0].filename)) == path:
                raise UsageError(
                    f"{path} cannot be read: {failed[0].strerror}.",
                    hint="Name a folder of logs that you may read.",
                )
        elif path.exists():
            found[path] = None
        else:
            raise UsageError(
                f"{path} is not there.", hint="Name logs of Darshan, or folders with them."
            )
    return list(found)


def identify(path: Path) -> FoundLog:
    """Read a file's content once, for its digest.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no regular file, or too large; the message is the reason.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise ValueError("it is no regular file")
        if info.st_size > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_BYTES >> 30} GiB")
        if not info.st_size:
            raise ValueError("it is empty")
        digest = hashlib.blake2b(digest_size=16)
        while block := os.read(descriptor, _BLOCK):
            digest.update(block)
    finally:
        os.close(descriptor)
    return FoundLog(path, digest.hexdigest(), info.st_uid)
