"""The errors that a repository raises, with hints how to fix them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from jostle.errors import JostleError
from jostle.files.repository_address import shown

#: The command that removes damaged files from a repository.
FIX = "`jostle repository check --fix`"


class RepositoryError(JostleError):
    """The repository cannot be read or written."""


class LogError(RepositoryError):
    """The commit log of the repository is damaged."""


def log_error(root: Path, why: str) -> LogError:
    """Return the error for a damaged log.

    Args:
        root: Folder of the repository.
        why: Description of the damage, as the end of a sentence.
    """
    return LogError(
        f"The log of the repository {shown(root)} is damaged: {why}.",
        hint="`jostle repository check` lists the damage, and `jostle repository check --fix` "
        "continues with the remaining files; or restore the folder `commits` from a backup.",
    )


class DamagedError(RepositoryError):
    """A file of the repository is missing or damaged.

    Attributes:
        file: Path of the file in the repository; "" if it is not known.
        reason: Description of the damage, from the error when it was read.
        span: Time of the file's rows, (start, end) in ns since the epoch; data of other times are
            not affected.
    """

    def __init__(self, root: Path, file: str, reason: str, span: tuple[int, int]) -> None:
        """Create the error.

        Args:
            root: Folder of the repository.
            file: Path of the file in the repository.
            reason: Description of the damage.
            span: Time of its rows, (start, end) in ns since the epoch.
        """
        for again in (f'Failed to read file "{file}": ', f" '{file}'") if file else ():
            reason = reason.replace(again, "")
        what = f"The file {file}" if file else "A file"
        super().__init__(
            f"{what} of the repository {shown(root)} cannot be read: {reason}",
            hint=f"Restore the file from a backup, or continue without it: {FIX}.",
        )
        self.file = file
        self.reason = reason
        self.span = span

    def missing(self) -> str:
        """Return a sentence on the data that an answer without the file lacks."""
        table = self.file.partition("/")[0]
        when = ""
        if self.span[1] - self.span[0] < 2**62:
            first, last = (datetime.fromtimestamp(ns // 10**9, UTC) for ns in self.span)
            when = f" from {first:%Y-%m-%d %H:%M:%S} to {last:%Y-%m-%d %H:%M:%S} UTC"
        what = "the files that it lists" if table == "commits" else f"its rows of the table {table}"
        return f"{self.file} cannot be read ({self.reason}): {what}{when} are missing here."


class SnapshotGoneError(RepositoryError):
    """A file of a snapshot was removed, by a compaction or by retention."""

    def __init__(self, name: str, file: str, number: int) -> None:
        """Create the error.

        Args:
            name: Path or URL of the repository.
            file: Path of the file within it.
            number: Number of the snapshot's commit.
        """
        super().__init__(
            f"The file {file} of the repository {name} as of commit {number} is gone: it was "
            "compacted or expired meanwhile.",
            hint="Repeat the query: replaced files stay for 15 minutes.",
        )


class NoRoomError(RepositoryError):
    """A disk is full to which an export or a temporary file is written; not the repository's.

    Attributes:
        why: The system's message.
    """

    def __init__(self, place: str, why: str) -> None:
        """Create the error.

        Args:
            place: Path of the file.
            why: The system's message.
        """
        super().__init__(
            f"{place} cannot be written: {why}.",
            hint="Free some space there or use another disk, then repeat the command.",
        )
        self.why = why


class JobError(JostleError):
    """The user named a job, metric or format that does not exist."""

    exit_code = 2


class ConflictError(RepositoryError):
    """Another ingester committed first; the work must be planned again."""
