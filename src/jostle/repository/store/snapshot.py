"""Snapshots: the files of one commit, for queries while others write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jostle.repository.store.file_days import File
from jostle.repository.store.layout import COMMITS
from jostle.repository.store.pieces import Pieces
from jostle.repository.store.state import RepositoryState
from jostle.repository.store.storage import open_storage


@dataclass(frozen=True)
class Snapshot:
    """The files of one commit; small, and safe to pickle.

    Files that a compaction replaced stay for 15 minutes. If a query of a snapshot later needs a
    removed file, it fails (SnapshotGoneError); the answer is never incomplete.

    Attributes:
        number: Number of the commit.
        files: Files by table; only of the requested tables and span of time.
        horizon_ns: Retention horizon, ns since the epoch.
        name: Path or address of the repository.
    """

    number: int
    files: Mapping[str, tuple[File, ...]]
    horizon_ns: int
    name: str


class SnapshotLog:
    """Replaces the Log of a repository in queries; its state is that of a snapshot, unchanging."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Use a snapshot as the state of a log."""
        self.state = RepositoryState(
            Pieces(open_storage(snapshot.name).root / COMMITS), snapshot.number
        )
        self.state.files.change(file for table in snapshot.files.values() for file in table)
        self.state.horizon_ns = snapshot.horizon_ns
        self.damage: dict[str, str] = {}

    def refresh(self) -> RepositoryState:
        """Return the state, always the same."""
        return self.state
