"""The interface of storages of repositories."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from pathlib import Path
from typing import Protocol


class Storage(Protocol):
    """A storage of named files; names are relative to the repository, with slashes.

    Files are read and written in the local folder `root`. If the storage is a folder, `root` is the
    repository itself. If it is an object store, `root` has copies of its objects: `bring` fetches
    files before they are read, and `publish` or `take_name` uploads files that were written.

    Attributes:
        root: The local folder.
        name: Name of the storage in messages.
        is_remote: Whether it is an object store.
    """

    root: Path
    name: str
    is_remote: bool

    def catch_up(self, after: int) -> None:
        """Fetch the commits after a number, and checkpoints.

        Args:
            after: Number of the last known commit. 0: none is known, so all that is needed to read
                the newest state is fetched. -1: something is damaged, so all of the log is fetched.

        Raises:
            OSError: The storage cannot be reached.
        """

    def take_name(self, temporary: Path, name: str) -> bool:
        """Rename a complete file if the name is free; return whether it was.

        Raises:
            OSError: The storage cannot be written.
        """

    def replace(self, name: str, data: bytes) -> None:
        """Replace a hint: a small file that another process may replace by an older version.

        Raises:
            OSError: The storage cannot be written.
        """

    def publish(self, names: Collection[str]) -> None:
        """Make new files durable, under names that no other process uses.

        Raises:
            OSError: The storage cannot be written.
        """

    def bring(self, names: Iterable[str], sums: Iterable[str] = ()) -> None:
        """Make files readable below `root`.

        Args:
            names: Names of the files.
            sums: Checksums of their contents, as from `file_sum`; "" if unknown.

        Raises:
            FileNotFoundError: A file does not exist.
            OSError: The storage cannot be reached.
        """

    def bring_folder(self, folder: str, *, now: bool) -> None:
        """Make the files of a small folder readable below `root`, also those that were replaced.

        Args:
            folder: Name of the folder.
            now: Whether to fetch its current state, not one that may be a minute old.

        Raises:
            OSError: The storage cannot be reached.
        """

    def remove(self, names: Collection[str]) -> None:
        """Remove files; those that do not exist are no error."""

    def read(self, name: str) -> bytes:
        """Return the content of a file that may change, without copies.

        Raises:
            FileNotFoundError: The file does not exist.
            OSError: The storage cannot be reached.
        """

    def holds(self, names: Collection[str]) -> bool:
        """Return whether all of some files exist."""

    def leave(self, names: Collection[str]) -> None:
        """Note files that were removed from the log; readers may still use them for a while."""

    def strays(self, named: Container[str], older_than_s: float, now_s: float) -> Iterator[str]:
        """Return files of at least an age (s) that are in no commit and no longer needed."""

    def listed(self, folder: str) -> Iterator[str]:
        """Return the files in a folder and below; for maintenance only.

        Raises:
            OSError: The storage cannot be reached.
        """

    def set_aside(self, name: str) -> None:
        """Move a damaged file, if it still exists, to the same path below QUARANTINE."""

    def excludes(self) -> bool:
        """Test whether `take_name` separates two writers.

        Raises:
            OSError: The storage cannot be written.
        """

    def forget(self, name: str) -> bool:
        """Drop the copy of a file that cannot be read; return whether another try may help."""
