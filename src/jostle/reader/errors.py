"""The errors of the reader of profiles."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from jostle.errors import JostleError

#: The hint for errors that pass.
LATER = "It is ingested once it can be read: check the file system that it is on."

_PASSING = (
    errno.EIO,
    errno.ESTALE,
    errno.ETIMEDOUT,
    errno.EAGAIN,
    errno.ENOMEM,
    errno.ENOBUFS,
    errno.EMFILE,
    errno.ENFILE,
)


def passes(error: OSError) -> bool:
    """Return whether an error is temporary: due to the disk or the machine, not to the file."""
    return error.errno in _PASSING


class ProfileError(JostleError):
    """A file that cannot be read as a profile.

    Attributes:
        path: Path of the file.
        offset: Offset, bytes, at which reading failed.
        reason: Description of the error, without the file's name.
        passing: Whether the error may be temporary, so that the reading may succeed later.
        lasting: Whether the content was read and refused, so that reading fails again until the
            content changes.
    """

    def __init__(
        self,
        path: Path,
        reason: str,
        *,
        offset: int = 0,
        hint: str = "",
        exit_code: int = 1,
        passing: bool = False,
        lasting: bool = False,
    ) -> None:
        where = f" (byte {offset})" if offset else ""
        super().__init__(f"{path}: {reason}{where}.", hint=hint, exit_code=exit_code)
        self.path = path
        self.offset = offset
        self.reason = reason
        self.passing = passing
        self.lasting = lasting


def open_error(path: Path, error: OSError) -> ProfileError:
    """Return the error that says why a file cannot be opened or read."""
    reasons = {
        errno.ENOENT: (
            "there is no such file or folder",
            "Did the job use another spool (JOSTLE_SPOOL)? `jostle doctor` shows the default.",
        ),
        errno.EISDIR: ("it is a folder, not a profile", "`jostle ingest DIR` reads whole folders."),
        errno.ELOOP: (
            "it is a symbolic link, and links in a spool are not followed",
            "Name the file that it points to.",
        ),
        errno.EACCES: (
            "no permission to read it",
            "Profiles belong to the user who ran the program: be that user, or root.",
        ),
    }
    reason, hint = reasons.get(
        error.errno or 0, (f"it cannot be read ({os.strerror(error.errno or 0)})", LATER)
    )
    mistakes = (errno.ENOENT, errno.EISDIR, errno.ELOOP)
    code = 2 if error.errno in mistakes else 1
    return ProfileError(path, reason, hint=hint, exit_code=code, passing=passes(error))
