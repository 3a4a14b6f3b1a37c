"""Opens files named by users, variables or configuration files, if they are regular files.

A read of a pipe without a writer never returns, a device may never end or have effects when it is
opened, and a huge file fills the memory.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

#: Of configurations, studies and secrets, which people write (bytes).
MOST_BYTES = 1 << 20


def check_regular(path: Path) -> None:
    """Make sure, without opening it, that a path leads to a regular file.

    Raises:
        OSError: The path leads to no regular file; `strerror` has the reason.
    """
    _refuse_others(path, path.stat().st_mode)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading, without ever waiting for it.

    Raises:
        OSError: The file does not exist, or is not a regular file; `strerror` has the reason.
    """
    check_regular(path)  # opening some devices does something
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        _refuse_others(path, os.fstat(descriptor).st_mode)  # it may have been replaced
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Read a whole regular file.

    Args:
        path: Path of the file.
        most_bytes: Largest permitted size.

    Raises:
        OSError: As for `open_regular`, or the file is larger.
    """
    if is_null(path):
        return b""
    with open_regular(path) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        size = f"{most_bytes >> 20} MiB" if most_bytes >= 1 << 20 else f"{most_bytes >> 10} KiB"
        raise OSError(errno.EFBIG, f"it is larger than {size}", str(path))
    return content


def is_null(path: Path) -> bool:
    """Return whether a path leads to /dev/null, which users name when they want no file."""
    try:
        status = path.stat()
    except OSError:
        return False
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == os.makedev(1, 3)


def _refuse_others(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe, device or socket, not a file", str(path))
