"""Immutable pieces of the state, which checkpoints share; each is named after its content."""

from __future__ import annotations

import contextlib
import hashlib
import os
import uuid
from collections.abc import Collection
from pathlib import Path
from typing import Any

from jostle.repository.errors import LogError, log_error
from jostle.repository.store.durable import write_durably
from jostle.repository.store.sealed import DamageError, file_sum

#: Endings of pieces; nothing else in the folder of commits has them.
ENDINGS = (".parquet", ".ids")


class Pieces:
    """Reads and writes the pieces in one folder; remembers what was decoded of them."""

    def __init__(self, folder: Path) -> None:
        """Remember nothing yet.

        Args:
            folder: The folder of commits.
        """
        self._folder = folder
        self._known: dict[str, Any] = {}

    def write(self, kind: str, ending: str, data: bytes) -> str:
        """Write a piece durably; return its name.

        Args:
            kind: What it holds, the beginning of its name.
            ending: One of ENDINGS.
            data: Its content.
        """
        name = f"{kind}-{_sum(data)}{ending}"
        temporary = self._folder / f".{uuid.uuid4().hex}"
        write_durably(temporary, data)
        os.rename(temporary, self._folder / name)
        return name

    def read(self, name: str) -> bytes:
        """Return the content of a piece.

        Raises:
            DamageError: It is not as it was written, or gone.
            OSError: It cannot be read at this time.
        """
        try:
            data = (self._folder / name).read_bytes()
        except FileNotFoundError:
            raise DamageError("it is gone") from None
        if _sum(data) != _sum_of(name):
            raise DamageError("its sum is not that of its content")
        return data

    def path(self, name: str) -> Path:
        """Return the file of a piece, to be mapped.

        Raises:
            DamageError: It is not as it was written, or gone.
            OSError: It cannot be read at this time.
        """
        path = self._folder / name
        try:
            if file_sum(path) != _sum_of(name):
                raise DamageError("its sum is not that of its content")
        except FileNotFoundError:
            raise DamageError("it is gone") from None
        return path

    def broken(self, name: str, why: str) -> LogError:
        """Return the error for a piece, or another file of the log, that cannot be used."""
        return log_error(self._folder.parent, f"{name}: {why}")

    def known(self, name: str) -> Any:
        """Return what was remembered of a piece; None: nothing."""
        return self._known.get(name)

    def remember(self, name: str, value: Any) -> None:
        """Remember what was decoded of a piece."""
        self._known[name] = value

    def forget_but(self, names: Collection[str]) -> None:
        """Forget all pieces but some."""
        self._known = {name: value for name, value in self._known.items() if name in names}

    def remove(self, name: str) -> None:
        """Remove a piece that no checkpoint names."""
        self._known.pop(name, None)
        with contextlib.suppress(OSError):  # a compaction removes it
            (self._folder / name).unlink(missing_ok=True)


def is_piece(name: str) -> bool:
    """Return whether a name is that of a piece, in the folder of commits itself."""
    return name.endswith(ENDINGS) and not name.startswith(".") and "/" not in name


def _sum(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _sum_of(name: str) -> str:
    return name.rpartition(".")[0].rpartition("-")[2]
