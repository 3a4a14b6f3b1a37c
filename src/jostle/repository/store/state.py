"""What a commit log says: files, positions of profiles, and the state that commits add up to."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from jostle.repository.errors import ConflictError
from jostle.repository.store.sealed import DamageError


@dataclass(frozen=True)
class File:
    """A Parquet file of the repository.

    Attributes:
        table: Table it belongs to.
        path: Relative to the root.
        rows: Number of rows.
        bytes: Size.
        lo: Start of its earliest slice, ns since the epoch (0 for tables without time).
        hi: End of its latest slice.
        sum: Of its content, as `file_sum` gives it; "" in commits of version 2.
    """

    table: str
    path: str
    rows: int
    bytes: int
    lo: int
    hi: int
    sum: str = ""


@dataclass(frozen=True)
class Position:
    """How far the repository holds one unfinished profile.

    Attributes:
        records: Records held.
        revision: Commits that advanced it.
        row_slice: last_slice of its newest row in table processes.
        entries: Entries of its stream of segments held.
    """

    records: int = 0
    revision: int = 0
    row_slice: int = -1
    entries: int = 0


class RepositoryState:
    """What all commits up to `number` add up to.

    Attributes:
        number: Of the newest commit.
        horizon_ns: What ended before it is not taken any more, ns since the epoch.
        time_ns: When the newest commit was made, by its writer's clock.
        open: Positions of the profiles that are not complete.
        done: Ids of those that are.
    """

    def __init__(self, number: int = 0, files: Iterable[File] = ()) -> None:
        """Start without profiles.

        Args:
            number: As above.
            files: The files.
        """
        self.number = number
        self.horizon_ns = 0
        self.time_ns = 0
        self.open: dict[int, Position] = {}
        self.done: set[int] = set()
        self._tables: dict[str, dict[str, File]] = {}
        self.change_files(files)

    def __iter__(self) -> Iterator[File]:
        """Give all files."""
        return (file for table in list(self._tables.values()) for file in list(table.values()))

    def __contains__(self, path: object) -> bool:
        """Return whether a file, by its path, is one of the repository."""
        return isinstance(path, str) and path in self._tables.get(_table_of(path), ())

    def of(self, table: str) -> list[File]:
        """Return the files of one table."""
        return list(self._tables.get(table, {}).values())

    def reaching(self, table: str, lo: int, hi: int) -> list[File]:
        """Return the files of a table with slices that reach into a span, ns since the epoch."""
        return [file for file in self.of(table) if file.hi > lo and file.lo < hi]

    def positions(self, keys: Iterable[int]) -> list[Position]:
        """Return how far profiles are held, by the ids of their processes."""
        return [self.open.get(key, Position()) for key in keys]

    def done_of(self, keys: Iterable[int]) -> set[int]:
        """Return those ids of processes whose profiles are complete."""
        return self.done.intersection(keys)

    def change_files(self, add: Iterable[File] = (), remove: Iterable[str] = ()) -> None:
        """Take paths out, then add files."""
        for path in remove:
            self._tables.get(_table_of(path), {}).pop(path, None)
        for file in add:
            self._tables.setdefault(_table_of(file.path), {})[file.path] = file


def _table_of(path: str) -> str:
    return path.partition("/")[0]


@dataclass
class Change:
    """What one commit does to the state.

    Attributes:
        kind: ingest, compact or expire.
        add: Files published.
        remove: Paths taken out.
        advance: Per process id: the position this starts from, the one it leads to (None when
            the process is complete).
        forget: Process ids of which nothing is left.
        horizon_ns: New retention horizon, 0 to leave it.
        published: Set once the commit has its number: from then on its files are not ours.
    """

    kind: str
    add: list[File] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    advance: dict[int, tuple[Position, Position | None]] = field(default_factory=dict)
    forget: list[int] = field(default_factory=list)
    horizon_ns: int = 0
    published: bool = False


def check(state: RepositoryState, change: Change) -> None:
    """Make sure that a change still starts from where the state is.

    Raises:
        ConflictError: It does not.
    """
    held = state.positions(change.advance)
    moved = any(
        at.revision != base.revision
        for at, (base, _) in zip(held, change.advance.values(), strict=True)
    )
    if moved or state.done_of(change.advance):
        raise ConflictError("Another ingester took the same profiles first.")
    if any(path not in state for path in change.remove):
        raise ConflictError("Another process compacted the same files first.")


def encode(change: Change) -> dict[str, Any]:
    """Turn a change into what a commit says."""
    return {
        "kind": change.kind,
        "time_ns": time.time_ns(),
        "add": [list(vars(file).values()) for file in change.add],
        "remove": change.remove,
        "advance": {
            str(key): None if to is None else list(vars(to).values())
            for key, (_, to) in change.advance.items()
        },
        "forget": change.forget,
        "horizon_ns": change.horizon_ns,
    }


def apply(state: RepositoryState, commit: dict[str, Any]) -> None:
    """Bring a state up to a commit: all of it, or nothing.

    Raises:
        DamageError: The commit is incomplete.
    """
    try:
        files = [File(*entry) for entry in commit["add"]]
        advance = {int(key): to and Position(*to) for key, to in commit["advance"].items()}
        remove, forget = list(commit["remove"]), list(commit["forget"])
        horizon_ns = max(state.horizon_ns, commit["horizon_ns"])
        time_ns = int(commit["time_ns"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamageError(f"it is incomplete ({error})") from error
    state.change_files(files, remove)
    for key, position in advance.items():
        if position is None:
            state.open.pop(key, None)
            state.done.add(key)
        else:
            state.open[key] = position
    state.done.difference_update(forget)
    state.horizon_ns, state.time_ns = horizon_ns, time_ns
