"""The errors of the reader of profiles."""

from __future__ import annotations

import errno
from pathlib import Path

from jostle.errors import JostleError

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
