"""Reads files with secrets, only if no other user can read them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from jostle.errors import UsageError
from jostle.files.regular_files import MOST_BYTES, open_regular


class AccessError(UsageError):
    """Access control is not configured, or is not safe."""


def read_private(path: Path, *, group: bool = False) -> str:
    """Read a file that others must not read.

    Args:
        path: Path of the file.
        group: Whether its group may read it as well.

    Raises:
        AccessError: The file cannot be read, or others can read or write it.
    """
    allowed = 0o640 if group else 0o600
    try:
        with open_regular(path) as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & ~(allowed | 0o100):
                raise AccessError(
                    f"{path} has mode {mode:04o}: others could read or change its secrets.",
                    hint=f"chmod {allowed:04o} {path}",
                )
            return file.read(MOST_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise AccessError(
            f"{path} cannot be read: {why}.",
            hint="The user that runs `jostle serve` must be able to read it.",
        ) from error


def read_secret(path: Path) -> str:
    """Read a secret of one line.

    Raises:
        AccessError: The file is empty, or see `read_private`.
    """
    text = read_private(path, group=True).strip()
    if not text:
        raise AccessError(f"{path} is empty.", hint="Write the secret into the file, on one line.")
    return text
