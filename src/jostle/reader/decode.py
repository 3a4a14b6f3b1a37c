"""Decodes many profiles in one pass into tables of slices."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from jostle.reader.errors import LATER, ProfileError, open_error
from jostle.reader.gpus import gpu_slices
from jostle.reader.header import (
    ClockEvent,
    Gpu,
    Mount,
    ProfileHeader,
    ProfileNote,
    ShortMount,
    ShortProcess,
    ShortsHeader,
    parse_header,
)
from jostle.reader.liveness import is_alive
from jostle.reader.native import (
    BUCKETS,
    MOUNT_SLICES,
    REMAINDER,
    SEGMENTS,
    SHORTS,
    SLICES,
    UNREADABLE,
    DecoderBatch,
    Position,
    Result,
)
from jostle.reader.texts import clean_text, name_of
from jostle.reader.traffic import collective_slices, communicators, peer_slices
from jostle.schema.metrics import HISTOGRAM_IDS, MOUNT_IDS, PROCESS_IDS
from jostle.schema.profile import END_REASONS, HEAD_BYTES, MAGIC, EventType, RecordType

MAX_ROWS = 1 << 22  # of all tables: a few GB at most; a day of 200 processes with slices of 4 s
_NO_ROWS = 2**64 - 1
NUMBER_IDS = tuple(name for name in PROCESS_IDS if name not in HISTOGRAM_IDS)


@dataclass(frozen=True, slots=True)
class Origin:
    """Facts about a file that came from another machine.

    Attributes:
        owner: Uid of its owner on that machine.
        over: Whether its process has ended and the file is complete here. Until then the process
            counts as alive, since this machine cannot check it.
        node: The machine that it came from, by its credential; "" where that is not known.
    """

    owner: int
    over: bool
    node: str = ""

    @property
    def is_coming(self) -> bool:
        """Whether more of the file may arrive."""
        return not self.over


@dataclass(frozen=True, slots=True)
class Bookmark:
    """The position where the reading of a profile stopped, and its other records up to there.

    Attributes:
        record: Value of ReadResult.records_read.
        at: Value of ReadResult.records_end.
        slice: Earliest slice of the next record.
        mounts: Mounts from its 'M' records, the latest of each slot.
        clock_events: Clock events from its 'C' records.
        notes: Notes from its 'N' records.
        state: What the decoder needs of those records of partners, collectives and GPUs.
    """

    record: int
    at: int
    slice: int
    mounts: tuple[Mount, ...]
    clock_events: tuple[ClockEvent, ...]
    notes: tuple[ProfileNote, ...]
    state: bytes = b""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request to read one file.

    Attributes:
        path: Path of a profile, or of a file of short-lived processes.
        process: Number of its rows (a short-lived process has its own negative one).
        from_record: Records before this one give no rows; see ReadResult.records_read.
        remainder: Whether the last, partial slice is taken from the live counters: always, never,
            or (None) when the process has finished. Rows of a remainder are not records: a
            running process will write the same slice again, with larger values.
        first_number: For read_segments, which ignores the two above: entries whose
            number is smaller give no rows; see SegmentRead.next_number.
        names: Number of hard links that the caller knows of; a file with more is not read.
        origin: Facts from a mirror, instead of the file system's; see Origin.
        bookmark: ReadResult.bookmark of an earlier reading of this file up to from_record: with
            it, only the new part of the file is read.
        stream_state: SegmentRead.state of an earlier reading of this file, up to first_number or an
            earlier entry: with it, read_segments reads only the new part of the file.
    """

    path: Path
    process: int
    from_record: int = 0
    remainder: bool | None = True
    first_number: int = 0
    names: int = 1
    origin: Origin | None = None
    bookmark: Bookmark | None = None
    stream_state: bytes = b""


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Result of reading one file.

    Attributes:
        request: The request.
        header: Header of the file (ProfileHeader or ShortsHeader); None after an error.
        error: Reason why nothing could be read; None if the file was read.
        warnings: One sentence per omission, with its position in the file.
        records_read: from_record for the next reading.
        records_end: Offset after the last good record, bytes.
        slices: Rows of the file in Decoded.slices, (first, count).
        mount_slices: Rows of the file in Decoded.mount_slices, (first, count).
        short_processes: Entries of the file in Decoded.short_processes, (first, count).
        remainder: Whether its last row is the remainder.
        complete: Whether the whole file was read; if max_rows stopped the reading, continue from
            records_read.
        bookmark: Bookmark for the next reading; None if the whole file must be read again.
        head_sum: Checksum of the header, without the fields that every heartbeat changes.
    """

    request: ReadRequest
    header: ProfileHeader | ShortsHeader | None
    error: ProfileError | None
    warnings: list[str]
    records_read: int
    records_end: int
    slices: tuple[int, int] = (0, 0)
    mount_slices: tuple[int, int] = (0, 0)
    short_processes: tuple[int, int] = (0, 0)
    remainder: bool = False
    complete: bool = True
    bookmark: Bookmark | None = None
    head_sum: int = 0


@dataclass(frozen=True, slots=True)
class Decoded:
    """The slices of many files.

    Attributes:
        slices: One row per process and record: process (int32), slice (int64), span (int32, slices
            that the row covers), then every process-scope metric of the schema as int64. Timers
            in ns, gauges as levels at the end, all others as increases. Histograms are lists of 32,
            null if there was no call.
        mount_slices: One row per process, record and mount slot with changes: process, slice, span,
            slot (int8), then every mount-scope metric.
        results: One per request, in their order.
        peer_slices: One row per process, record and partner with changes: process, slice, span,
            peer (int64, rank of MPI_COMM_WORLD; -1: all that are not in the table), then
            PEER_VALUES (int64). Rows may have the same key: they add up.
        collective_slices: One row per process, record and operation with changes: process, slice,
            span, communicator (int64, a hash; 0: MPI_COMM_WORLD), root (int64, world rank; -1:
            none), ops, bytes (int64), operation (string; empty: all others).
        communicators: process, communicator, size (int64), ranks (list of int64: world ranks in
            order; empty where they are not recorded). One row per communicator and process that
            used it, none for MPI_COMM_WORLD.
        gpu_slices: One row per process, record and GPU with changes: process, slice, span, place
            (int64, of ProfileHeader.gpus), then GPU_VALUES (int64).
        bits: Of each metric of slices and mount_slices the bits that are set in at least one of its
            values, of histograms bucket by bucket (32 numbers): 0 says that all are zero, and no
            value is larger. Unsigned: a negative value has bit 63.
        short_processes: The processes of files of short-lived processes; entry k has the number -1
            - k in the tables and one row in slices.
    """

    slices: pa.Table
    mount_slices: pa.Table
    peer_slices: pa.Table
    collective_slices: pa.Table
    communicators: pa.Table
    gpu_slices: pa.Table
    results: list[ReadResult]
    short_processes: list[ShortProcess]
    bits: dict[str, list[int]]


def find_profiles(dirs: Iterable[Path | str]) -> list[Path]:
    """List the profiles in folders (and files named directly), sorted.

    They include files of short-lived processes, those that heartbeats keep of child processes
    (*.jsp), and those of machines (*.jsm).

    Raises:
        ProfileError: A folder does not exist or cannot be read.
    """
    paths: set[Path] = set()
    for path in map(Path, dirs):
        try:
            if not path.is_dir():
                path.lstat()
                paths.add(path)
                continue
            with os.scandir(path) as entries:
                paths.update(
                    Path(entry.path)
                    for entry in entries
                    if entry.name.endswith((".jst", ".jss", ".jsp", ".jsm"))
                    and entry.is_file(follow_symlinks=False)
                )
        except OSError as error:
            raise open_error(path, error) from None
    return sorted(paths, key=str)


def read_header(path: Path | str) -> ProfileHeader | ShortsHeader:
    """Read the header of a file.

    Raises:
        ProfileError: The file is no profile, or cannot be read.
    """
    _, (result,), _ = _read([ReadRequest(Path(path), 0, _NO_ROWS, remainder=False)], 1)
    if result.error is not None:
        raise result.error
    assert result.header is not None
    return result.header


def read_profiles(items: Sequence[ReadRequest], max_rows: int = MAX_ROWS) -> Decoded:
    """Read the slices of many files.

    A file that cannot be read does not stop the others: see ReadResult.error.

    Args:
        items: Requests for the files.
        max_rows: Rows of all tables together after which reading stops, at the next record:
            it bounds the memory. See ReadResult.complete.
    """
    batch, results, short_processes = _read(items, max_rows)
    return Decoded(
        slice_rows(batch),
        mount_rows(batch),
        peer_slices(batch),
        collective_slices(batch),
        communicators(batch),
        gpu_slices(batch),
        results,
        short_processes,
        used_bits(batch),
    )


def _read(
    items: Sequence[ReadRequest], max_rows: int
) -> tuple[DecoderBatch, list[ReadResult], list[ShortProcess]]:
    batch = DecoderBatch(NUMBER_IDS, HISTOGRAM_IDS, MOUNT_IDS, max_rows)
    raw = [_add(batch, item) for item in items]
    events = Events(batch)
    results = [_result(item, entry, events) for item, entry in zip(items, raw, strict=True)]
    return batch, results, events.short_processes


def slice_rows(batch: DecoderBatch) -> pa.Table:
    """Return the rows of Decoded.slices."""
    columns = _fixed(batch, SLICES)
    numbers = {name: batch.column(SLICES, 3 + i, pa.int64()) for i, name in enumerate(NUMBER_IDS)}
    histograms = {name: batch.histogram(i) for i, name in enumerate(HISTOGRAM_IDS)}
    for name in PROCESS_IDS:
        columns[name] = histograms[name] if name in histograms else numbers[name]
    return pa.table(columns)


def mount_rows(batch: DecoderBatch) -> pa.Table:
    """Return the rows of Decoded.mount_slices."""
    columns = _fixed(batch, MOUNT_SLICES)
    columns["slot"] = batch.column(MOUNT_SLICES, 3, pa.int8())
    for i, name in enumerate(MOUNT_IDS):
        columns[name] = batch.column(MOUNT_SLICES, 4 + i, pa.int64())
    return pa.table(columns)


def used_bits(batch: DecoderBatch) -> dict[str, list[int]]:
    """Return Decoded.bits."""
    numbers = batch.bits(SLICES, 3 + len(NUMBER_IDS))[3:]
    mounts = batch.bits(MOUNT_SLICES, 4 + len(MOUNT_IDS))[4:]
    buckets = batch.bucket_bits(len(HISTOGRAM_IDS))
    values = {name: [bits] for name, bits in zip(NUMBER_IDS, numbers, strict=True)}
    values |= {name: [bits] for name, bits in zip(MOUNT_IDS, mounts, strict=True)}
    for i, name in enumerate(HISTOGRAM_IDS):
        values[name] = buckets[i * BUCKETS : (i + 1) * BUCKETS]
    return values


def _fixed(batch: DecoderBatch, table: int) -> dict[str, pa.Array]:
    kinds = {"process": pa.int32(), "slice": pa.int64(), "span": pa.int32()}
    return {name: batch.column(table, i, kind) for i, (name, kind) in enumerate(kinds.items())}


def _add(batch: DecoderBatch, item: ReadRequest) -> FileRead | ProfileError:
    flags = {True: REMAINDER, False: 0, None: None}[item.remainder]
    return add_file(batch, item, item.from_record, flags)


@dataclass(frozen=True, slots=True)
class FileRead:
    """Result of decoding one file.

    Attributes:
        result: Result of the decoder.
        alive: Whether its process ran when the reading began; None where that cannot be seen.
        owner: Uid of the file's owner, by the file system: the only source of it that the file's
            writer cannot choose.
        state: What a later reading needs to know of the records up to here; empty: nothing.
    """

    result: Result
    alive: bool | None
    owner: int
    state: bytes


def add_file(
    batch: DecoderBatch, item: ReadRequest, begin: int, flags: int | None
) -> FileRead | ProfileError:
    """Decode one file.

    Whether the process lives is checked before the file is read: if it has ended by then, the file
    does not change any more and is read completely.

    Args:
        batch: The batch to which its rows are added.
        item: The file.
        begin: Number of the first record or entry that is decoded into rows.
        flags: Flags of Batch.add; None: with the remainder if the process has finished.
    """
    with opened(item.path, item.names) as fd:
        if isinstance(fd, ProfileError):
            return fd
        try:
            owner = item.origin.owner if item.origin else os.fstat(fd).st_uid
            head = os.pread(fd, HEAD_BYTES, 0)
        except OSError as error:
            return open_error(item.path, error)
        alive = None
        if len(head) == HEAD_BYTES and head.startswith(MAGIC):
            alive = not item.origin.over if item.origin else is_alive(head, item.path.name)
        if flags is None:
            flags = REMAINDER if alive is False else 0
        place, state, mark = None, b"", item.bookmark
        if flags & SEGMENTS:
            place, state = Position(), item.stream_state
        elif mark is not None:
            place, state = Position(mark.record, mark.at, mark.slice), mark.state
        result = batch.add(fd, item.process, begin, flags, place, state)
        if result.error.text == b"out of memory":
            raise MemoryError(f"there is not enough memory for the content of {item.path}")
        return FileRead(result, alive, owner, batch.state(result))


@contextmanager
def opened(path: Path, names: int) -> Iterator[int | ProfileError]:
    """Open a regular file with at most so many hard links, following no symbolic link."""
    fd = -1
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        info = os.fstat(fd)
        mode = info.st_mode
        if stat.S_ISREG(mode) and info.st_nlink > names:
            # Some kernels allow users to link files that they cannot write, and so to place them
            # in another folder.
            yield ProfileError(
                path,
                f"the file has other names elsewhere (hard links, {info.st_nlink} in all), so its "
                "creator is not known",
                hint="Copy the file: a copy belongs to the user who made it.",
            )
        elif stat.S_ISREG(mode):
            yield fd
        elif stat.S_ISDIR(mode):
            yield open_error(path, IsADirectoryError(errno.EISDIR, ""))
        else:
            yield ProfileError(
                path, "the path leads to a pipe, device or socket, not to a file", exit_code=2
            )
    except OSError as error:
        yield open_error(path, error)
    finally:
        if fd >= 0:
            os.close(fd)


def _hint(reason: str) -> str:
    if reason == UNREADABLE.decode():
        return LATER
    if "newer jostle" in reason:
        return "Read it with the version of jostle that wrote it, or a newer one."
    if "begin like" in reason or "empty" in reason:
        return "Profiles are the *.jst and *.jss files in the spool; is this one of them?"
    if "(yet)" in reason:
        return "It is being written or was damaged; try again after the job."
    return "It is damaged: leave it out; the other profiles of the job are not affected."


class Events:
    """Records of files other than slices, as Python objects."""

    def __init__(self, batch: DecoderBatch) -> None:
        self._events = batch.events()
        self._text = batch.text()
        self.short_processes: list[ShortProcess] = []

    def _string(self, event: tuple[int, ...], number: int) -> bytes:
        at, count = event[10 + 2 * number : 12 + 2 * number]
        return self._text[at : at + count]

    def _strings(self, event: tuple[int, ...], count: int) -> list[str]:
        return [clean_text(self._string(event, number)) for number in range(count)]

    def each(self, result: Result, texts: int) -> Iterator[tuple[int, tuple[int, ...], list[str]]]:
        """Yield the events of a file: type, nine numbers, and the first of its four texts."""
        for event in self._events[result.first_event : result.first_event + result.events]:
            yield event[18], event[:9], self._strings(event, texts)

    def profile(
        self, read: FileRead, known: Bookmark | None
    ) -> tuple[ProfileHeader, Bookmark | None]:
        """Return the header of a profile, and the bookmark for the next reading.

        Args:
            read: Result of the decoder.
            known: The bookmark with which the reading began.
        """
        result = read.result
        mounts: dict[int, Mount] = {}
        clock: list[ClockEvent] = []
        notes: list[ProfileNote] = []
        gpus: list[Gpu] = []
        if result.resumed and known is not None:
            mounts = {mount.slot: mount for mount in known.mounts}
            clock, notes = [*known.clock_events], [*known.notes]
        for kind, numbers, texts in self.each(result, 4):
            if kind == RecordType.MOUNT:
                slot, major, minor, mnt_id, fs_magic = numbers[:5]
                mounts[slot] = Mount(slot, major, minor, mnt_id, fs_magic, *texts[:3])
            elif kind == RecordType.CLOCK:
                clock.append(clock_event(numbers))
            elif kind == RecordType.NOTE:
                notes.append(ProfileNote(numbers[0], texts[0]))
            elif kind == EventType.GPU:
                pci, uuid, name, path = texts
                gpus.append(Gpu(pci, uuid, name, path, numbers[1] - 1, numbers[2]))
        said = (tuple(mounts.values()), tuple(clock), tuple(notes))
        place = (result.records_read, result.records_end, result.next_slice)
        header = parse_header(
            bytes(result.head), read.owner, *said, gpus, read.alive, result.newest_ns
        )
        return header, Bookmark(*place, *said, read.state) if result.goes_on else None

    def shorts(self, read: FileRead) -> ShortsHeader | None:
        """Add the processes of a file of short-lived processes; return its last header."""
        result = read.result
        headers: dict[int, ShortsHeader] = {}
        mine = self._events[result.first_event : result.first_event + result.events]
        for number, event in enumerate(mine):
            numbers, kind = event[:9], event[18]
            if kind == RecordType.SHORTS_HEADER:
                host, job, library = self._strings(event, 3)
                boot_id = _dashes(self._string(event, 3).hex())
                headers[number] = ShortsHeader(numbers[0], boot_id, host, job, library, numbers[4])
            elif kind == RecordType.SHORT_PROCESS:
                self.short_processes.append(self._short(event, headers[event[19]], read.owner))
            elif kind == EventType.SHORT_MOUNT:
                self.short_processes[-1].mounts.append(ShortMount(*event[:4]))
        return next(reversed(headers.values()), None)

    def _short(self, event: tuple[int, ...], header: ShortsHeader, owner: int) -> ShortProcess:
        pid, ppid, _, gid, sid, start_ns, end_ns, reason, row = event[:9]
        return ShortProcess(
            process=-1 - len(self.short_processes),
            header=header,
            record=event[9],
            row=row,
            pid=pid,
            ppid=ppid,
            uid=owner,
            gid=gid,
            sid=sid,
            start_ns=start_ns,
            end_ns=end_ns,
            end_reason=name_of(END_REASONS, reason),
            program=clean_text(self._string(event, 0)),
            mounts=[],
        )


def clock_event(numbers: tuple[int, ...]) -> ClockEvent:
    """Return a clock event from the numbers of its record."""
    step = numbers[3] - 2**64 if numbers[3] >= 2**63 else numbers[3]
    return ClockEvent(numbers[0], numbers[1], numbers[2], step)


def _dashes(digits: str) -> str:
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _result(item: ReadRequest, entry: FileRead | ProfileError, events: Events) -> ReadResult:
    if isinstance(entry, ProfileError):
        return ReadResult(item, None, entry, [], item.from_record, 0)
    raw = entry.result
    if raw.error.text:
        if raw.kind == SHORTS:
            events.shorts(entry)  # their rows exist: the next ones have higher numbers
        return ReadResult(item, None, error_of(item, raw), [], item.from_record, 0)
    first = len(events.short_processes)
    header: ProfileHeader | ShortsHeader | None
    header, bookmark = (
        (events.shorts(entry), None) if raw.kind == SHORTS else events.profile(entry, item.bookmark)
    )
    return ReadResult(
        item,
        header,
        None,
        warnings_of(item.path, raw),
        # A file that became shorter must not make the next reading begin earlier than this one.
        max(raw.records_read, 0 if item.from_record == _NO_ROWS else item.from_record),
        raw.records_end,
        (raw.first_slice, raw.slices),
        (raw.first_mount, raw.mounts),
        (first, len(events.short_processes) - first),
        bool(raw.remainder),
        bool(raw.complete),
        bookmark,
        raw.head_sum,
    )


def error_of(item: ReadRequest, raw: Result) -> ProfileError:
    """Return the error of a file that could not be read."""
    reason = raw.error.text.decode()
    return ProfileError(
        item.path,
        reason,
        offset=raw.error.offset,
        hint=_hint(reason),
        passing=raw.error.text == UNREADABLE,
        lasting=raw.error.text != UNREADABLE,
    )


def warnings_of(path: Path, raw: Result) -> list[str]:
    """Return the warnings as sentences."""
    kept = min(raw.warning_count, len(raw.warnings))
    texts = [
        f"{path}: {issue.text.decode()} (byte {issue.offset})." for issue in raw.warnings[:kept]
    ]
    if raw.warning_count > kept:
        texts.append(f"{path}: {raw.warning_count - kept} more warnings.")
    return texts
