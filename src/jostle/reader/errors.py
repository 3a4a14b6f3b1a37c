"""What can be wrong with a profile."""

from __future__ import annotations

from pathlib import Path

from jostle.errors import JostleError


class ProfileError(JostleError):
    """A file that cannot be read as a profile.

    Attributes:
        path: The file.
        offset: Byte in it where reading failed.
        reason: What is wrong there, without the file's name.
    """

    def __init__(
        self, path: Path, reason: str, *, offset: int = 0, hint: str = "", exit_code: int = 1
    ) -> None:
        where = f" (byte {offset})" if offset else ""
        super().__init__(f"{path}: {reason}{where}.", hint=hint, exit_code=exit_code)
        self.path = path
        self.offset = offset
        self.reason = reason
