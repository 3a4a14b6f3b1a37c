"""Reads and writes immutable files (pieces) that checkpoints of the log share."""

from __future__ import annotations

import os
import uuid
from collections.abc import Collection
from pathlib import Path
from typing import Any

from jostle.repository.errors import LogError, log_error
from jostle.repository.store.durable import read_patiently, write_durably
from jostle.repository.store.sealed import DamageError, file_sum, sum_of
from jostle.repository.store.storage import open_storage


class Pieces:
    """Reads and writes the pieces in one folder; caches their decoded content."""

    def __init__(self, folder: Path) -> None:
        """Create the object without reading any files.

        Args:
            folder: The folder of commits.
        """
        self._folder = folder
        self._storage = open_storage(folder.parent)
        self._known: dict[str, Any] = {}

    def write(self, kind: str, ending: str, data: bytes) -> str:
        """Write a piece durably; return its name.

        Args:
            kind: Kind of the content, the beginning of the piece's name.
            ending: One of the endings of pieces.
            data: Content of the piece.
        """
        name = f"{kind}-{sum_of(data)}{ending}"
        temporary = self._folder / f".{uuid.uuid4().hex}"
        write_durably(temporary, data)
        os.rename(temporary, self._folder / name)
        self._storage.publish([self._name(name)])
        return name

    def read(self, name: str) -> bytes:
        """Return the content of a piece.

        Raises:
            DamageError: Its content has changed, or it is missing.
            RepositoryError: The piece cannot be read at this time.
        """
        return read_patiently(self.path(name), Path.read_bytes)

    def path(self, name: str) -> Path:
        """Return the file of a piece, for mapping it.

        Raises:
            DamageError: Its content has changed, or it is missing.
            RepositoryError: The piece cannot be read at this time.
        """
        path = self._folder / name
        for _ in range(2):
            try:
                self._storage.bring([self._name(name)], [_sum_of(name)])
                if read_patiently(path, file_sum) == _sum_of(name):
                    return path
            except FileNotFoundError:
                raise DamageError("it is gone") from None
            if not self._storage.forget(self._name(name)):
                break
        raise DamageError("its checksum does not match its content")

    def broken(self, name: str, why: str) -> LogError:
        """Return the error for a piece, or another file of the log, that cannot be used."""
        return log_error(self._folder.parent, f"{name}: {why}")

    def known(self, name: str) -> Any:
        """Return the cached content of a piece; None: not cached."""
        return self._known.get(name)

    def remember(self, name: str, value: Any) -> None:
        """Cache the decoded content of a piece."""
        self._known[name] = value

    def forget_but(self, names: Collection[str]) -> None:
        """Drop the cached content of all pieces but some."""
        self._known = {name: value for name, value in self._known.items() if name in names}

    def remove(self, name: str) -> None:
        """Remove a piece that no checkpoint names."""
        self._known.pop(name, None)
        self._storage.remove([self._name(name)])

    def _name(self, name: str) -> str:
        return f"{self._folder.name}/{name}"


def _sum_of(name: str) -> str:
    return name.rpartition(".")[0].rpartition("-")[2]
