"""Base classes of the errors that users see, with hints how to fix them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath, strerror

#: Errors of a disk that is full, of a quota that is used up, and of a limit on the size of files.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_ROOM_WORDS = tuple(strerror(number) for number in NO_ROOM)


class JostleError(Exception):
    """An error that is reported to the user in one sentence.

    The command prints the message, then the hint, and ends with `exit_code`.

    Attributes:
        exit_code: Exit status: 1 for a failure, 2 for a user's mistake.
        hint: Remedy, as a sentence or a command; may be empty.
    """

    exit_code: int = 1

    def __init__(self, message: str, *, hint: str = "", exit_code: int | None = None) -> None:
        """Create the error.

        Args:
            message: Description of the error and its cause; it names the file, job or option
                concerned.
            hint: Remedy, as a sentence or a command.
            exit_code: Exit status in place of that of the class.
        """
        super().__init__(message)
        self.hint = hint
        if exit_code is not None:
            self.exit_code = exit_code


class UsageError(JostleError):
    """The request cannot be met: wrong option, unknown job, missing file."""

    exit_code = 2


def no_room(error: BaseException) -> str:
    """Return the reason (such as a full disk) why no more data can be written; "" for other errors.

    Libraries that write files pass on the number, or only the words, of the system's error.

    Args:
        error: Error of a write operation.
    """
    number = error.errno if isinstance(error, OSError) else None
    if number in NO_ROOM:
        return strerror(number)
    text = str(error)
    return next((words for words in _NO_ROOM_WORDS if words in text), "")


@contextmanager
def naming(path: str | PathLike[str]) -> Iterator[None]:
    """Add the name of the file that is written to an error that lacks it.

    Raises:
        OSError: The error of the block, with `filename`.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = fspath(path)
        raise
