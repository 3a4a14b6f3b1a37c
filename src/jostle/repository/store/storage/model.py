"""What the store asks of the place that a repository lies on."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from pathlib import Path
from typing import Protocol


class Storage(Protocol):
    """A place of named files; names are relative to the repository, with slashes.

    Everybody reads and writes below `root`. In a folder that is the place itself. Of an object
    store it holds copies: what is written there counts after `publish` or `take_name`, and what is
    to be read is fetched by `bring`.

    Attributes:
        root: The local folder.
        name: The place in messages.
        is_remote: It is an object store.
    """

    root: Path
    name: str
    is_remote: bool

    def catch_up(self, after: int) -> None:
        """Fetch the commits after a number, and checkpoints.

        Args:
            after: The number; 0: also what leads to them; -1: all that there is, after damage.

        Raises:
            OSError: The place cannot be reached.
        """

    def take_name(self, temporary: Path, name: str) -> bool:
        """Give a whole file its name if that is free; return whether it was. The old name goes.

        Raises:
            OSError: The place cannot be written.
        """

    def replace(self, name: str, data: bytes) -> None:
        """Write a hint, which others may replace by an older one.

        Raises:
            OSError: The place cannot be written.
        """

    def publish(self, names: Collection[str]) -> None:
        """Make new files durable, under names that nobody else gives.

        Raises:
            OSError: The place cannot be written.
        """

    def bring(self, names: Iterable[str], sums: Iterable[str] = ()) -> None:
        """Make files readable below `root`.

        Args:
            names: The files.
            sums: Checksums of their contents, as `file_sum` gives them; "" where unknown.

        Raises:
            FileNotFoundError: One does not exist.
            OSError: The place cannot be reached.
        """

    def bring_folder(self, folder: str, *, now: bool) -> None:
        """Make the files of a small folder readable below `root`, also where they were replaced.

        Args:
            folder: Its name.
            now: As it is now, not as it was a minute ago at most.

        Raises:
            OSError: The place cannot be reached.
        """

    def remove(self, names: Collection[str]) -> None:
        """Remove files; those that do not exist are no error."""

    def read(self, name: str) -> bytes:
        """Return the content of a file that may change, past all copies.

        Raises:
            FileNotFoundError: It does not exist.
            OSError: The place cannot be reached.
        """

    def holds(self, names: Collection[str]) -> bool:
        """Return whether all of some files exist."""

    def leave(self, names: Collection[str]) -> None:
        """Note that files were taken out of the log now: readers may use them for a while."""

    def strays(self, named: Container[str], older_than_s: float, now_s: float) -> Iterator[str]:
        """Return files that no commit names and nobody needs any more, so old (s)."""

    def listed(self, folder: str) -> Iterator[str]:
        """Return the files in a folder and below; for maintenance only.

        Raises:
            OSError: The place cannot be reached.
        """

    def set_aside(self, name: str) -> None:
        """Move a damaged file, if it is still there, to the same path below QUARANTINE."""

    def excludes(self) -> bool:
        """Return whether `take_name` keeps two writers apart, by trying it.

        Raises:
            OSError: The place cannot be written.
        """

    def forget(self, name: str) -> bool:
        """Drop the copy of a file that cannot be read; return whether another try may help."""
