"""The errors that a user may see."""

from __future__ import annotations


class JostleError(Exception):
    """Something went wrong that the user should hear about in one sentence.

    The command prints the message, then the hint, and ends with `exit_code`.

    Attributes:
        exit_code: 1 for a failure, 2 for a user's mistake.
        hint: How to mend it; may be empty.
    """

    exit_code: int = 1

    def __init__(self, message: str, *, hint: str = "", exit_code: int | None = None) -> None:
        """Make the error.

        Args:
            message: What is wrong, and why; names the file, job or option concerned.
            hint: What to do about it, as a sentence or a command.
            exit_code: Overrides the class's exit status.
        """
        super().__init__(message)
        self.hint = hint
        if exit_code is not None:
            self.exit_code = exit_code


class UsageError(JostleError):
    """The user asked for something that cannot be: wrong option, unknown job, missing file."""

    exit_code = 2
