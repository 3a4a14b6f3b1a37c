"""The mirror of one node's spool: stores ranges of bytes, and reports the state of each file."""

from __future__ import annotations

import contextlib
import os
import struct
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from jostle.receive.journal import Journal, Key, MirroredFile
from jostle.receive.ranges import Range
from jostle.receive.shares import Shares
from jostle.receive.usage import Usage

MOST_FILE = 64 << 30
#: Most files of a node that are not complete: of one user, and of all (see Shares).
MOST_OF_USER, MOST_FILES = 10_000, 50_000
_MOST_KNOWN = 2 * MOST_FILES
#: Interval of searches for removed files while there is no space for new ones, s.
_LOOK_EVERY_S = 10.0
_GENERATION, _GENERATION_END = 2048, 2056
_WITH_HEAD = (".jst", ".jsp", ".jsm")
_KEPT_S, _KEPT_LEAST_S = 86_400, 600  # for a node that missed the answer
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass
class Group:
    """Changes of several requests, to be synced to the disk together.

    Attributes:
        files: By node and path in the node's folder: a changed file, and the number of bytes that
            it had before.
        folders: Folders in which files or folders were created, relative to the mirror.
        journals: Nodes whose journal has new lines.
        overs: Complete files: mirror of the node, identity and size of the file. They are marked as
            complete once their bytes are on the disk.
    """

    files: dict[tuple[str, str], tuple[MirroredFile, int]] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    journals: set[str] = field(default_factory=set)
    overs: list[tuple[NodeMirror, Key, int]] = field(default_factory=list)


class NodeMirror:
    """The folder in the mirror that has the copies of one node's files."""

    def __init__(self, root: int, node: str, usage: Usage) -> None:
        """Read the state of the node's folder.

        Args:
            root: Descriptor of the mirror.
            node: Name of the node, see `is_node_name`.
            usage: Counter of the bytes in the mirror.

        Raises:
            OSError: The folder cannot be created or read.
        """
        self.node = node
        self._root = root
        self._usage = usage
        with contextlib.suppress(FileExistsError):
            os.mkdir(node, 0o700, dir_fd=root)
        with self._folder() as folder:
            self._journal = Journal()
            self._journal.read(folder)
            for key, known in list(self.files.items()):
                self._recover(known, folder)
                if not known.over and _is_gone(known, folder):
                    del self.files[key]
        self._taken = {known.path for known in self.files.values()}
        self._open = Shares(MOST_FILES, MOST_OF_USER)
        self._known = Shares(_MOST_KNOWN, _MOST_KNOWN)
        for (_, owner), known in self.files.items():
            self._known.add(owner)
            self._open.add(owner, not known.over)
        self._next_look = 0.0

    @property
    def files(self) -> dict[Key, MirroredFile]:
        """The node's files."""
        return self._journal.files

    @contextlib.contextmanager
    def _folder(self) -> Iterator[int]:
        folder = os.open(self.node, _FOLDER, dir_fd=self._root)
        try:
            yield folder
        finally:
            os.close(folder)

    def _recover(self, known: MirroredFile, folder: int) -> None:
        """Find out how many bytes of a file are stored; mark it if the journal has its end."""
        try:
            size = os.stat(known.path, dir_fd=folder, follow_symlinks=False).st_size
        except (FileNotFoundError, NotADirectoryError):
            if not known.over:
                known.have = known.gap
            return
        if known.over:
            _mark_over(known, folder)
        else:
            known.have = max(size, known.gap)

    def put(self, ranges: Sequence[Range], group: Group) -> dict[Key, str]:
        """Store ranges, in their order.

        Args:
            ranges: Ranges of files of this node.
            group: The group to which changes are added.

        Returns:
            For each file of which not all ranges were stored, the reason (a WHY of
            docs/reference/receive.md).

        Raises:
            OSError: The disk is full or broken; ranges that were stored before the error stay.
        """
        why: dict[Key, str] = {}
        with self._folder() as folder, _Writer(folder) as writer:
            stale = self._stale(ranges, folder)
            for part in ranges:
                key = part.file, part.owner
                known = self.files.get(key)
                if known is None:
                    if not (part.data or part.over or part.gap):
                        continue
                    if part.offset and not part.gap:
                        why[key] = "offset"
                        continue
                    if not self._may_add(part.owner):
                        why[key] = "files"
                        continue
                    known = self._add(key, part, folder, group)
                if known.over:
                    continue
                if part.gap:
                    reason = self._skip(key, known, part.offset, folder, group)
                else:
                    reason = self._store(known, part, writer, group, is_stale=key in stale)
                if reason:
                    why[key] = reason
                if part.over and reason in ("", "stale") and part.end == known.have:
                    group.overs.append((self, key, part.end))
            self._shorten_journal(folder)
        return why

    def _stale(self, ranges: Sequence[Range], folder: int) -> set[Key]:
        """Return the files whose header in these ranges is older than that in the mirror."""
        stale: set[Key] = set()
        for part in ranges:
            if part.offset > _GENERATION or part.end < _GENERATION_END:
                continue
            known = self.files.get((part.file, part.owner))
            if (
                known is None
                or known.over
                or known.have < _GENERATION_END
                or not known.name.endswith(_WITH_HEAD)
            ):
                continue
            now = _generation(known, folder)
            (sent,) = struct.unpack_from("<Q", part.data, _GENERATION - part.offset)
            if sent < now:
                stale.add((part.file, part.owner))
        return stale

    def _may_add(self, owner: int) -> bool:
        """Return whether there may be one more file of a user."""
        now = time.monotonic()
        if not self._has_slot(owner) and now >= self._next_look:
            self._next_look = now + _LOOK_EVERY_S
            self.prune(time.time(), _KEPT_LEAST_S)
        return self._has_slot(owner)

    def _has_slot(self, owner: int) -> bool:
        return self._open.fits(owner) and self._known.fits(owner)

    def _add(self, key: Key, part: Range, folder: int, group: Group) -> MirroredFile:
        """Begin a file; its line in the journal is written first, so that no file lacks a line."""
        place = str(part.owner)
        if self._is_taken(f"{place}/{part.name}", folder):
            place = f"{place}/again-{part.file}"
        for depth in (place.partition("/")[0], place):
            with contextlib.suppress(FileExistsError):
                os.mkdir(depth, 0o700, dir_fd=folder)
            group.folders.add(f"{self.node}/{depth}")
        group.folders |= {self.node, "."}
        self._journal.add(folder, ["file", *key, place, part.name])
        group.journals.add(self.node)
        known = MirroredFile(place, part.name)
        self.files[key] = known
        self._taken.add(known.path)
        self._open.add(part.owner)
        self._known.add(part.owner)
        return known

    def _is_taken(self, path: str, folder: int) -> bool:
        if path in self._taken:
            return True
        try:
            os.stat(path, dir_fd=folder, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def _skip(self, key: Key, known: MirroredFile, to: int, folder: int, group: Group) -> str:
        """Note a gap in the journal; return why this is not possible, "" if it is."""
        if to > MOST_FILE:
            return "size"
        if to > known.have:
            self._journal.add(folder, ["gap", *key, known.have, to])
            group.journals.add(self.node)
            known.gap = known.have = to
            self._usage.gaps += 1
        return ""

    def _store(
        self, known: MirroredFile, part: Range, writer: _Writer, group: Group, *, is_stale: bool
    ) -> str:
        """Store the bytes of a range; return why not all can be stored, "" if all are stored."""
        if part.offset > known.have:
            return "offset"
        offset, data = part.offset, part.data
        if is_stale:
            data = data[known.have - offset :]
            offset = min(known.have, part.end)
        growth = part.end - known.have
        if part.end > MOST_FILE:
            return "size"
        if growth > 0 and not self._usage.has_room(self.node, part.owner, growth):
            return "quota"
        if data or part.over:
            group.files.setdefault((self.node, known.path), (known, known.have))
            try:
                writer.write(known, data, offset)
            except FileNotFoundError:  # removed: its node must send all of it again
                growth = known.have = known.gap = 0
                return "offset"
            except OSError:
                growth = max(writer.size(known), known.gap) - known.have
                raise
            finally:
                if growth > 0:
                    known.have += growth
                    self._usage.add(self.node, part.owner, growth)
        return "stale" if is_stale else ""

    def finish(self, key: Key, end: int, group: Group) -> None:
        """Mark a file as complete; all its bytes must be on the disk already.

        Raises:
            OSError: The mark cannot be written.
        """
        known = self.files[key]
        if known.over or known.have != end:
            return
        now = int(time.time())
        with self._folder() as folder:
            self._journal.add(folder, ["over", *key, known.have, now])
            _mark_over(known, folder)
        known.over, known.over_s = True, now
        self._open.add(key[1], -1)
        group.journals.add(self.node)
        group.folders.add(f"{self.node}/{known.folder}")

    def undo(self, known: MirroredFile, have: int) -> None:
        """Drop new bytes of a file, since they were not written to the disk."""
        with contextlib.suppress(OSError), self._folder() as folder, _Writer(folder) as writer:
            writer.truncate(known, have)
        known.have = max(have, known.gap)

    def reopen(self, key: Key) -> None:
        """Drop the mark that a file is complete, since it was not written to the disk."""
        known = self.files[key]
        self._open.add(key[1], known.over)
        known.over = False

    def prune(self, now_s: float, kept_s: float = _KEPT_S) -> None:
        """Forget the files that the ingester has removed from the mirror.

        A complete file is remembered for some time. If its node missed the answer and sends the
        file again, the receiver can then answer that it already had the whole file. The ingester
        removes an incomplete file to which nothing was added for seven days; if its node still has
        the file, the node sends it again from the beginning.

        Args:
            now_s: Present time, s since the epoch.
            kept_s: Time for which complete files are remembered, in seconds.

        Raises:
            OSError: The journal cannot be written.
        """
        with self._folder() as folder:
            for key, known in list(self.files.items()):
                if known.over and known.over_s >= now_s - kept_s:
                    continue
                if _is_gone(known, folder):
                    del self.files[key]
                    self._taken.discard(known.path)
                    self._known.add(key[1], -1)
                    self._open.add(key[1], -1 + known.over)
            self._shorten_journal(folder)

    def _shorten_journal(self, folder: int) -> None:
        if self._journal.lines > 4096 + 4 * len(self.files):
            self._journal.rewrite(folder)


class _Writer:
    """Writes into the files of a node; the file that was written last stays open."""

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self._path = ""
        self._file = -1

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _open(self, known: MirroredFile) -> int:
        if self._path != known.path:
            self.__exit__()
            flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            if known.have == known.gap:
                flags |= os.O_CREAT
            self._file = os.open(known.path, flags, 0o600, dir_fd=self._folder)
            self._path = known.path
        return self._file

    def write(self, known: MirroredFile, data: memoryview, offset: int) -> None:
        file = self._open(known)
        while data:
            written = os.pwrite(file, data, offset)
            data, offset = data[written:], offset + written

    def size(self, known: MirroredFile) -> int:
        return os.fstat(self._open(known)).st_size

    def truncate(self, known: MirroredFile, size: int) -> None:
        file = self._open(known)
        if os.fstat(file).st_size > size:
            os.ftruncate(file, size)


def _generation(known: MirroredFile, folder: int) -> int:
    try:
        file = os.open(known.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return 0
    try:
        raw = os.pread(file, 8, _GENERATION)
    finally:
        os.close(file)
    return int.from_bytes(raw, "little")


def _mark_over(known: MirroredFile, folder: int) -> None:
    """Create the mark (*.over) of a complete file, unless the ingester has removed the file."""
    if not _exists(known.path, folder):
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    os.close(os.open(f"{known.path}.over", flags, 0o600, dir_fd=folder))


def _is_gone(known: MirroredFile, folder: int) -> bool:
    """Return whether a file was removed; a file of which all bytes are a gap never existed."""
    is_gap = not known.over and 0 < known.gap == known.have
    return not is_gap and not _exists(known.path, folder)


def _exists(path: str, folder: int) -> bool:
    try:
        os.stat(path, dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True
