"""The state after all commits: files, positions of profiles, and retention horizon."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import astuple, dataclass, field
from typing import Any

from jostle.repository.errors import ConflictError
from jostle.repository.store.file_days import Day, File, FileDays, file_row
from jostle.repository.store.layout import COMMITS, is_piece
from jostle.repository.store.pieces import Pieces
from jostle.repository.store.profile_positions import (
    Position,
    ProfilePositions,
    Reached,
    Run,
    pack,
    unpack_ids,
)
from jostle.repository.store.sealed import DamageError

#: Time for which unused pieces stay: a reader may be about to open them.
PIECE_GRACE_NS = 900_000_000_000


class RepositoryState:
    """The state after all commits up to `number`.

    Attributes:
        number: Number of the newest commit.
        base: Number of the checkpoint from which it was read; 0: none.
        horizon_ns: Retention horizon: older data is not ingested any more, ns since the epoch.
        time_ns: Time of the newest commit by its writer's clock, ns since the epoch.
        files: Files, by table and day.
        profiles: Positions of profiles.
    """

    def __init__(self, pieces: Pieces, number: int = 0) -> None:
        """Create an empty state.

        Args:
            pieces: Reads and writes the pieces of checkpoints.
            number: Number of the newest commit.
        """
        self.number = number
        self.base = 0
        self.horizon_ns = 0
        self.time_ns = 0
        self.files = FileDays(pieces)
        self.profiles = ProfilePositions(pieces)
        self._pieces = pieces
        self._dropped: dict[str, int] = {}  # unused pieces -> since when, ns

    @staticmethod
    def of_checkpoint(pieces: Pieces, number: int, value: Mapping[str, Any]) -> RepositoryState:
        """Return the state in a checkpoint.

        Raises:
            DamageError: The checkpoint is incomplete.
        """
        state = RepositoryState(pieces, number)
        try:
            state.horizon_ns, state.time_ns = value["horizon_ns"], value.get("time_ns", 0)
            if "files" in value:
                state._take_old(value)
            else:
                state.files = FileDays(pieces, [Day(*day) for day in value["days"]])
                done = {
                    int(day): [Run(*run) for run in runs] for day, runs in value["done"].items()
                }
                opened = [Run(*run) for run in value["open"]]
                state.profiles = ProfilePositions(pieces, opened, done)
                state._dropped = dict(value["dropped"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamageError(f"it is incomplete ({error})") from error
        if not all(isinstance(name, str) and is_piece(name) for name in state.pieces):
            raise DamageError("it names files that are not pieces")
        state.base = number
        pieces.forget_but(state._named())
        return state

    def _take_old(self, value: Mapping[str, Any]) -> None:
        """Read a checkpoint before version 4, which has no pieces."""
        self.files.change(File(*file) for file in value["files"])
        moves: dict[int, Reached] = dict.fromkeys(unpack_ids(value["done"]), self.time_ns)
        moves |= {int(key): Position(*at) for key, at in value["open"].items()}
        self.profiles.advance(moves)

    def checkpoint(self) -> dict[str, Any]:
        """Write the changes as pieces, and return the content of a checkpoint with their names.

        Raises:
            DamageError: A piece that must be rewritten cannot be read.
            OSError: A piece cannot be written.
        """
        now = time.time_ns()
        before = self._named()
        self.files.write()
        self.profiles.write(self.horizon_ns)
        named = self._named()
        self._pieces.forget_but(named)
        fresh = dict.fromkeys(before - named, now)
        late = {name: at for name, at in self._dropped.items() if now < at + PIECE_GRACE_NS}
        self._dropped = {name: at for name, at in (fresh | late).items() if name not in named}
        return {
            "days": [astuple(day) for day in self.files.days],
            "open": [astuple(run) for run in self.profiles.open_runs],
            "done": {
                str(day): [astuple(run) for run in runs]
                for day, runs in self.profiles.done_runs.items()
            },
            "dropped": self._dropped,
            "horizon_ns": self.horizon_ns,
            "time_ns": self.time_ns,
        }

    def _named(self) -> set[str]:
        """Return the names of the pieces in use."""
        days = {day.name for day in self.files.days}
        return days | {run.name for run in self.profiles.runs}

    @property
    def pieces(self) -> set[str]:
        """The names of the pieces in use, and of those that readers may still open."""
        return self._named() | self._dropped.keys()

    @property
    def lost(self) -> dict[str, str]:
        """Unusable pieces, with the reason."""
        return {name: why for name, (why, _) in self.files.lost.items()} | self.profiles.lost

    def verify(self) -> None:
        """Read all pieces, also those already read; `lost` then contains the damaged ones."""
        self._pieces.forget_but(())
        for _ in self.files:
            pass
        self.profiles.verify()

    def __iter__(self) -> Iterator[File]:
        """Yield all files."""
        return iter(self.files)

    def __contains__(self, path: object) -> bool:
        """Return whether a file, by its path, is in the repository, or a piece of its log."""
        if not isinstance(path, str):
            return False
        folder, _, name = path.partition("/")
        return name in self.pieces if folder == COMMITS else path in self.files

    def of(self, table: str) -> list[File]:
        """Return the files of one table."""
        return self.files.reaching(table)

    def reaching(self, table: str, lo: int, hi: int) -> list[File]:
        """Return the files of a table with slices that overlap a span, ns since the epoch."""
        return self.files.reaching(table, lo, hi)

    @property
    def newest_ns(self) -> int:
        """End of the newest slice, ns since the epoch."""
        return self.files.newest_ns

    def positions(self, keys: Collection[int]) -> list[Position]:
        """Return the positions of profiles, by the ids of their processes.

        Raises:
            LogError: A piece with a position is damaged.
        """
        known = self.profiles.of(keys)
        at = (known.get(key) for key in keys)
        return [here if isinstance(here, Position) else Position() for here in at]

    def done_of(self, keys: Collection[int]) -> set[int]:
        """Return which of some processes (by id) have a profile that is completely ingested.

        Raises:
            LogError: A piece with a position is damaged.
        """
        return {key for key, at in self.profiles.of(keys).items() if isinstance(at, int)}

    def expired_of(self, keys: Collection[int]) -> set[int]:
        """Return which of some processes (by id) ended before the retention horizon.

        Raises:
            LogError: A piece with a position is damaged.
        """
        known = self.profiles.of(keys) if self.horizon_ns else {}
        return {key for key, at in known.items() if isinstance(at, int) and at <= self.horizon_ns}


@dataclass
class Change:
    """The change of the state by one commit.

    Attributes:
        kind: Kind of the commit: ingest, compact or expire.
        add: Files that the commit adds.
        remove: Paths of files that it removes.
        advance: By id of a process: the position of its profile before the commit, and after it.
            If the profile is then complete, the second is the end of the process, ns since the
            epoch.
        horizon_ns: New retention horizon, 0: unchanged.
        published: Whether the commit has its number; from then on its files belong to the log.
    """

    kind: str
    add: list[File] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    advance: dict[int, tuple[Position, Reached]] = field(default_factory=dict)
    horizon_ns: int = 0
    published: bool = False


def check(state: RepositoryState, change: Change) -> None:
    """Check that a change was planned from the current state, not from an earlier one.

    Raises:
        ConflictError: Another commit changed the same profiles or files in between.
        LogError: The state is damaged.
    """
    known = state.profiles.of(change.advance)
    for key, (base, _) in change.advance.items():
        at = known.get(key, Position())
        if isinstance(at, int) or at.revision != base.revision:
            raise ConflictError("Another ingester took the same profiles first.")
    if any(path not in state for path in change.remove):
        raise ConflictError("Another process compacted the same files first.")


def encode(change: Change) -> dict[str, Any]:
    """Return the content of the commit of a change."""
    return {
        "kind": change.kind,
        "time_ns": time.time_ns(),
        "add": [file_row(file) for file in change.add],
        "remove": change.remove,
        "advance": pack({key: to for key, (_, to) in change.advance.items()}),
        "horizon_ns": change.horizon_ns,
    }


def apply(state: RepositoryState, commit: Mapping[str, Any]) -> None:
    """Apply a commit to a state: completely, or not at all.

    Raises:
        DamageError: The commit is incomplete.
    """
    try:
        files = [File(*entry) for entry in commit["add"]]
        remove = list(commit["remove"])
        horizon_ns = max(state.horizon_ns, commit["horizon_ns"])
        time_ns = int(commit["time_ns"])
        advance: str | dict[int, Reached] = commit["advance"]
        if not isinstance(advance, str):  # before version 4
            moves: Mapping[str, Any] = commit["advance"]
            advance = {int(key): Position(*to) if to else time_ns for key, to in moves.items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamageError(f"it is incomplete ({error})") from error
    state.files.change(files, remove)
    state.profiles.advance(advance)
    state.horizon_ns, state.time_ns = horizon_ns, time_ns
