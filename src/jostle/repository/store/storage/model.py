"""What the store asks of the place that a repository lies on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from jostle.repository.store.file_days import File


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
        """Fetch the commits after a number (0: and what leads to them), and checkpoints.

        Raises:
            OSError: The place cannot be reached.
        """

    def take_name(self, temporary: Path, name: str) -> bool:
        """Give a whole file its name if that is free; return whether it was. The old name goes.

        Raises:
            OSError: The place cannot be written.
        """

    def replace(self, name: str, data: bytes) -> None:
        """Write a hint that may be lost, or older than it should be."""

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

    def remove(self, names: Collection[str]) -> None:
        """Remove files; those that do not exist are no error."""

    def holds(self, names: Collection[str]) -> bool:
        """Return whether all of some files exist."""

    def leave(self, names: Collection[str]) -> None:
        """Note that files were taken out of the log now: readers may use them for a while."""

    def strays(self, named: Any, older_than_s: float, now_s: float) -> Iterator[str]:
        """Return files that no commit names (`name in named`) and nobody needs any more."""

    def sources(self, files: Iterable[File]) -> list[str]:
        """Return what DuckDB's read_parquet takes to read files that `bring` was told of."""

    def forget(self, name: str) -> bool:
        """Drop the copy of a file that cannot be read; return whether another try may help."""
