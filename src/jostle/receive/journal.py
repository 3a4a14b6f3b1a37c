"""The journal of one node's files in the mirror: their identities, names, gaps, and ends.

Each line is a JSON list, and lines are only appended. If the receiver was killed while it wrote the
last line, this line is removed.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

NAME = ".files"
#: Identity of a file: the number that its node gave it, and its owner.
Key = tuple[int, int]


@dataclass(slots=True)
class MirroredFile:
    """A file of a node in the mirror.

    Attributes:
        folder: Folder of the file within the node's folder: `1000`, or `1000/again-77`.
        name: Name of the file in that folder.
        have: Number of bytes, from the file's begin on, that the mirror has or that will never
            arrive.
        gap: Offset at which the last gap (bytes that will never arrive) ends; 0: there is none.
        over: Whether the process that wrote the file has ended and all bytes have arrived, so that
            the file does not change any more.
        over_s: Time at which the file became complete, s since the epoch.
        path: Path of the file in the folder of the node.
    """

    folder: str
    name: str
    have: int = 0
    gap: int = 0
    over: bool = False
    over_s: int = 0
    path: str = field(init=False)

    def __post_init__(self) -> None:
        self.path = f"{self.folder}/{self.name}"


@dataclass
class Journal:
    """The journal in the folder of a node, and its content.

    Its methods take a descriptor of that folder.

    Attributes:
        files: The node's files.
        lines: Number of lines in the journal.
    """

    files: dict[Key, MirroredFile] = field(default_factory=dict)
    lines: int = 0

    def read(self, folder: int) -> None:
        """Read the journal, and remove an unfinished last line.

        Raises:
            OSError: The journal cannot be read.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(NAME, flags, 0o600, dir_fd=folder), "rb+") as file:
            content = file.read()
            whole = content.rfind(b"\n") + 1
            if whole < len(content):
                file.truncate(whole)
        for line in content[:whole].splitlines():
            self.lines += 1
            # RATIONALE: a line that a bad disk changed must only cost the files that it names,
            # not the node's other files.
            with contextlib.suppress(ValueError, TypeError, KeyError, IndexError):
                self._take(json.loads(line))

    def _take(self, entry: list[Any]) -> None:
        kind, file, owner, *rest = entry
        if kind == "file":
            self.files[file, owner] = MirroredFile(str(rest[0]), str(rest[1]))
        elif kind == "gap":
            self.files[file, owner].gap = int(rest[1])
        elif kind == "over":
            known = self.files[file, owner]
            known.over, known.have, known.over_s = True, int(rest[0]), int(rest[1])

    def add(self, folder: int, *entries: list[Any]) -> None:
        """Append lines to the journal: all of them, or none if they cannot be written.

        Raises:
            OSError: The lines cannot be written.
        """
        text = b"".join(_line(entry) for entry in entries)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(NAME, flags, 0o600, dir_fd=folder)
        try:
            before = os.fstat(descriptor).st_size
            if os.write(descriptor, text) < len(text):
                os.ftruncate(descriptor, before)  # else the next line would be joined to it
                raise OSError(28, os.strerror(28), NAME)
        finally:
            os.close(descriptor)
        self.lines += len(entries)

    def rewrite(self, folder: int) -> None:
        """Rewrite the journal without entries that are not in `files` any more.

        Raises:
            OSError: The new journal cannot be written; the old one stays.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        new = f"{NAME}.new"
        entries = list(self._all())
        with open(os.open(new, flags, 0o600, dir_fd=folder), "wb") as file:
            file.write(b"".join(map(_line, entries)))
            file.flush()
            os.fsync(file.fileno())
        os.rename(new, NAME, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
        self.lines = len(entries)

    def _all(self) -> Iterator[list[Any]]:
        for (file, owner), known in self.files.items():
            yield ["file", file, owner, known.folder, known.name]
            if known.gap:
                yield ["gap", file, owner, 0, known.gap]
            if known.over:
                yield ["over", file, owner, known.have, known.over_s]


def _line(entry: list[Any]) -> bytes:
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"
