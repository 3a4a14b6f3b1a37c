"""Writes files so that they survive a power failure; retries reads that may fail temporarily."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from jostle.repository.errors import RepositoryError

T = TypeVar("T")
# Errors of network file systems while another node removes or writes a file.
_FLEETING = (errno.EIO, errno.ESTALE)
_TRIES = 4


def read_patiently(path: Path, read: Callable[[Path], T]) -> T:
    """Read a file of the log, with up to four attempts in half a second.

    Args:
        path: Path of the file.
        read: Function that reads it.

    Raises:
        FileNotFoundError: The file does not exist.
        RepositoryError: The file cannot be read.
    """
    for attempt in range(_TRIES):
        try:
            return read(path)
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno not in _FLEETING or attempt == _TRIES - 1:
                raise cannot_read(path, error) from error
            time.sleep(0.05 * 2**attempt)
    raise AssertionError("unreachable")


def cannot_read(path: Path, error: OSError) -> RepositoryError:
    """Return the error for a file or folder that cannot be read."""
    return RepositoryError(
        f"{path} cannot be read: {error.strerror}.",
        hint="Check its permissions, and the file system that it is on.",
    )


def write_durably(path: Path, data: bytes) -> None:
    """Write a file and wait until it is on the disk; leave nothing behind on failure."""
    try:
        with path.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError:
        path.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Make new entries of a folder durable (fsync)."""
    with contextlib.suppress(OSError):  # some file systems do not support it
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
