"""Remembers in columns the profiles of running processes, of which only new slices are read.

A profile is followed once the normal ingest has read it and nothing in it was unusual. A profile of
which more than slices is new is followed no longer: the normal ingest reads it again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.reader import Origin, ProfileHeader, ReadResult
from jostle.reader.follow import FOLLOWED, MetricTable, identify
from jostle.repository.ingest.mirror import placed_origin
from jostle.repository.ingest.spool import MAX_INT
from jostle.repository.store.layout import NO_GPU, TABLES
from jostle.repository.store.owner_names import may_come_back
from jostle.repository.store.profile_positions import Position
from jostle.repository.store.tables import Ints, NameRanks, ProcessSource

#: Most mount slots of a profile that is followed; the runtime's profiles have 8.
MOST_SLOTS = 8
_MOST_TABLES = 64
_MOST_TABLES_OF_USER = 8
# Letters of a profile's notes and mounts, which are kept in memory: a user can write any number.
_MOST_LETTERS = 4096
_MOST_GARBAGE = 1 << 16  # bytes of paths of profiles that may be no longer followed
_LEAST = 256  # places that are made at once
_FACTS = np.dtype(
    [
        *((name, "<i8") for name in ("process", "revision", "row_slice", "entries", "slice_ns")),
        *((name, "<i8") for name in ("start_ns", "file_ns", "first_slice", "row")),
        *((name, "<i8") for name in ("clock_state", "clock_error_us")),  # without the latest ones
        *((name, "<i4") for name in ("job", "host", "returning")),
        ("mounts", "<i4", (MOST_SLOTS,)),
        ("sent", "?"),  # from another machine
    ]
)


@dataclass(frozen=True)
class NewProfile:
    """A profile that the normal ingest has read up to a position.

    Attributes:
        path: The profile.
        origin: Facts about it from a mirror.
        result: Result of reading it.
        source: Its process.
        position: The position up to which the repository has it.
    """

    path: Path
    origin: Origin | None
    result: ReadResult
    source: ProcessSource
    position: Position


@dataclass(frozen=True)
class Left:
    """A profile that is followed no longer, and where its reading stopped."""

    path: Path
    sent: bool
    record: int
    at: int
    slice: int
    inode: int


def may_follow(new: NewProfile) -> bool:
    """Return whether a profile has only features that can be followed."""
    header, result = new.result.header, new.result
    return (
        isinstance(header, ProfileHeader)
        and result.error is None
        and result.complete
        and result.bookmark is not None
        and not result.bookmark.state
        and not result.warnings
        and header.alive is not False
        and not header.end_ns
        and not header.mpi_init_ns
        and not header.gpus
        and header.mount_slots <= MOST_SLOTS
        and len(new.source.mounts) <= MOST_SLOTS
        and sum(map(len, (*new.source.row["notes"], *new.source.mounts))) <= _MOST_LETTERS
        and header.file_ns <= MAX_INT
        # If the file is now an older copy, its next records are in the repository already.
        and result.bookmark.record >= new.position.records
        and new.position.revision > 0
        and new.path.suffix == ".jst"
    )


class Followed:
    """The followed profiles of one ingester, in places 0, 1, ... of columns.

    Attributes:
        places: Place of each profile, by its path.
        processes: Place of each profile, by the id of its process.
        files: What the decoder needs, see native.FOLLOWED.
        facts: What the rows of the repository need.
        paths: All paths, each with a NUL at its end.
        tables: Metric tables of the profiles.
    """

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.processes: dict[int, int] = {}
        self.files = np.zeros(0, FOLLOWED)
        self.facts = np.zeros(0, _FACTS)
        self.paths = np.zeros(0, np.uint8)
        self.tables: list[MetricTable] = []
        self._owners: list[int] = []  # by table: owner of the first profile that had it
        self._free: list[int] = []
        self._texts: list[str] = []
        self._codes: dict[str, int] = {}
        #: Owner, name in profiles, and start of a job whose name may be used again.
        self._returning: dict[tuple[int, str, str], int] = {}
        self._starts: list[int] = []
        self._rows: list[pa.Table] = []  # of table processes; the newest written ones
        self._row_count = 0

    def __len__(self) -> int:
        """Return the number of followed profiles."""
        return len(self.places)

    def add(self, profiles: Iterable[NewProfile]) -> None:
        """Follow further profiles, unless they are unusual."""
        if len(self.tables) >= _MOST_TABLES_OF_USER:
            self._tidy_tables(self._all())
        taken: list[dict[str, Any]] = []
        paths = [self.paths]
        end = len(self.paths)
        try:
            for new in profiles:
                place = self._new_place(new)
                if place is not None:
                    paths.append(np.frombuffer(bytes(new.path) + b"\0", np.uint8))
                    self.files["path"][place] = end
                    end += len(paths[-1])
                    taken.append(new.source.row)
        finally:  # also if one profile causes an error
            self.paths = np.concatenate(paths)
            if taken:
                schema = pa.schema(list(TABLES["processes"].keys.items()))
                rows = [{**dict.fromkeys(schema.names), **row} for row in taken]
                self._rows.append(pa.Table.from_pylist(rows, schema))

    def _new_place(self, new: NewProfile) -> int | None:
        """Give a profile a place, and fill its columns; None if it is unusual."""
        header = new.result.header
        if not isinstance(header, ProfileHeader) or not may_follow(new):
            return None
        known = identify(new.path, header.table_crc)
        if known is None or str(new.path) in self.places:
            return None
        info, table = known
        if (
            info.st_nlink != 1
            or table.slots > MOST_SLOTS
            or new.source.process in self.processes
            or (number := self._number_of(table, header.uid)) is None
        ):
            return None
        place = self._place()
        self._put(place, new, info, number)
        return place

    def _number_of(self, table: MetricTable, owner: int) -> int | None:
        """Return the number of a metric table; None if its owner or all users have too many."""
        if table in self.tables:
            return self.tables.index(table)
        of_user = self._owners.count(owner)
        if len(self.tables) >= _MOST_TABLES or of_user >= _MOST_TABLES_OF_USER:
            return None
        self.tables.append(table)
        self._owners.append(owner)
        return len(self.tables) - 1

    def _all(self) -> Ints:
        return np.array(list(self.places.values()), dtype=np.int64)

    def _place(self) -> int:
        if not self._free:
            count, more = len(self.files), max(len(self.files), _LEAST)
            self.files = np.concatenate([self.files, np.zeros(more, FOLLOWED)])
            self.facts = np.concatenate([self.facts, np.zeros(more, _FACTS)])
            self._free = list(range(count + more - 1, count - 1, -1))
        return self._free.pop()

    def _put(self, place: int, new: NewProfile, info: os.stat_result, table: int) -> None:
        """Write the columns of one profile, except for its path."""
        header, bookmark, at = new.result.header, new.result.bookmark, new.position
        assert isinstance(header, ProfileHeader) and bookmark is not None
        file, fact = self.files[place], self.facts[place]
        file["device"], file["inode"], file["owner"] = info.st_dev, info.st_ino, info.st_uid
        file["head_sum"], file["table"] = new.result.head_sum, table
        file["record"], file["at"] = bookmark.record, bookmark.at
        file["slice"], file["base"] = bookmark.slice, 0
        file["heartbeat_ns"] = header.heartbeat_ns
        source = new.source
        fact["process"], fact["slice_ns"] = source.process, source.slice_ns
        fact["revision"], fact["row_slice"] = at.revision, at.row_slice
        fact["entries"], fact["start_ns"] = at.entries, header.start_ns
        fact["file_ns"], fact["first_slice"] = header.file_ns, header.first_slice
        events = header.clock_events
        fact["clock_state"] = max(header.start_clock_state, *(e.state for e in events), 0)
        error = max(header.start_clock_error_us, *(e.maxerror_us for e in events), 0)
        fact["clock_error_us"] = error
        fact["job"], fact["host"] = self._code(source.job), self._code(source.host)
        fact["returning"] = self._returning_code(header, source.job)
        mounts = [self._code(name) for name in source.mounts]
        fact["mounts"] = mounts + [self._code("")] * (MOST_SLOTS - len(mounts))
        fact["sent"] = new.origin is not None
        fact["row"] = self._row_count
        self._row_count += 1
        self.places[str(new.path)] = self.processes[source.process] = place

    def _code(self, text: str) -> int:
        code = self._codes.setdefault(text, len(self._texts))
        if code == len(self._texts):
            self._texts.append(text)
        return code

    def _returning_code(self, header: ProfileHeader, job: str) -> int:
        if not may_come_back(header.job):
            return -1
        key = (header.uid, header.job, job)
        code = self._returning.setdefault(key, len(self._starts))
        if code == len(self._starts):
            self._starts.append(header.start_ns)
        return code

    def returning(self, places: Sequence[int], now_ns: int) -> list[tuple[int, str, int, int]]:
        """Return the jobs of running profiles whose names may be used again, for JobNames.learn."""
        if not self._starts or not places:
            return []
        used = set(np.unique(self.facts["returning"][list(places)]).tolist())
        return [
            (owner, name, self._starts[code], now_ns)
            for (owner, name, _), code in self._returning.items()
            if code in used
        ]

    def leave(self, places: Iterable[int]) -> list[Left]:
        """Follow some profiles no longer, and return where their reading stopped."""
        left = []
        for place in places:
            file, fact = self.files[place], self.facts[place]
            begin = int(file["path"])
            raw = self.paths[begin : begin + 4096].tobytes().partition(b"\0")[0]
            path = os.fsdecode(raw)
            if self.places.get(path) != place:
                continue
            numbers = (int(file[name]) for name in ("record", "at", "slice", "inode"))
            left.append(Left(Path(path), bool(fact["sent"]), *numbers))
            del self.places[path], self.processes[int(fact["process"])]
            self._free.append(place)
        if len(self.paths) > _MOST_GARBAGE and self._row_count > 2 * len(self.places):
            self._tidy()
        return left

    def _tidy(self) -> None:
        """Free the memory of profiles that are no longer followed."""
        places = self._all()
        rows = self.rows(places)
        self._rows, self._row_count = [rows], rows.num_rows
        self.facts["row"][places] = np.arange(len(places))
        texts, self._texts, self._codes = self._texts, [], {}
        for name in ("job", "host", "mounts"):
            used, which = np.unique(self.facts[name][places], return_inverse=True)
            new = np.array([self._code(texts[code]) for code in used.tolist()], dtype=np.int32)
            self.facts[name][places] = new[which].reshape(self.facts[name][places].shape)
        self._tidy_returning(places)
        self._tidy_tables(places)
        names = [os.fsencode(path) + b"\0" for path in self.places]
        self.paths = np.frombuffer(b"".join(names), np.uint8)
        ends = np.cumsum([0, *map(len, names)])[:-1]
        self.files["path"][places] = ends

    def _tidy_returning(self, places: Ints) -> None:
        keys, starts = list(self._returning), self._starts
        codes = self.facts["returning"][places].tolist()
        used = sorted({code for code in codes if code >= 0})
        new = {code: number for number, code in enumerate(used)}
        self._returning = {keys[code]: number for code, number in new.items()}
        self._starts = [starts[code] for code in used]
        self.facts["returning"][places] = [new.get(code, -1) for code in codes]

    def _tidy_tables(self, places: Ints) -> None:
        used, which = np.unique(self.files["table"][places], return_inverse=True)
        self.tables = [self.tables[number] for number in used.tolist()]
        self._owners = [self._owners[number] for number in used.tolist()]
        self.files["table"][places] = which

    def rows(self, places: Ints) -> pa.Table:
        """Return the rows of processes in table processes as they were when following began."""
        schema = pa.schema(list(TABLES["processes"].keys.items()))
        if len(self._rows) > 1:
            self._rows = [pa.concat_tables(self._rows).combine_chunks()]
        whole = self._rows[0] if self._rows else schema.empty_table()
        return whole.take(pa.array(self.facts["row"][places]))

    def processes_of(self, places: Sequence[int]) -> set[int]:
        """Return the processes of those profiles that are still followed."""
        processes = self.facts["process"][list(places)].tolist() if places else []
        return self.processes.keys() & processes

    def slice_lengths(self) -> list[int]:
        """Return the lengths of slices that some profile has, in ns."""
        places = list(self.places.values())
        return [int(length) for length in np.unique(self.facts["slice_ns"][places])]

    def with_pid_of(self, paths: Iterable[Path]) -> dict[Path, Origin | None]:
        """Return the followed profiles that may be of the processes of *.jsp files."""
        pids = {(str(p.parent), p.name.split(".", 2)[1]) for p in paths if p.name.endswith(".jsp")}
        found = {}
        for path, place in self.places.items() if pids else ():
            folder, _, name = path.rpartition("/")
            if (folder, name.split(".", 2)[1]) in pids:
                sent = self.facts["sent"][place]
                found[Path(path)] = placed_origin(Path(path)) if sent else None
        return found

    def ranks(self, places: Ints) -> FollowedRanks:
        """Return the names of profiles, as numbers in the order of the names."""
        return FollowedRanks(self.facts[places], self._texts)


class FollowedRanks(NameRanks):
    """Numbers for the names of followed profiles."""

    def __init__(self, facts: NDArray[np.void], texts: Sequence[str]) -> None:
        """Create the numbers.

        Args:
            facts: Columns of the profiles.
            texts: The names by their codes in these columns.
        """
        self.jobs, self.job = _ranks(facts["job"], texts)
        self.hosts, self.host = _ranks(facts["host"], texts)
        self.mounts, self.mount = _ranks(facts["mounts"], texts)
        self.gpus, self.gpu = [NO_GPU], np.zeros((len(facts), 1), dtype=np.int64)
        self.process = np.ascontiguousarray(facts["process"])
        order = np.argsort(self.process, kind="stable")
        self.process_rank = np.empty(len(order), dtype=np.int64)
        self.process_rank[order] = np.arange(len(order))
        self.slice_ns = np.ascontiguousarray(facts["slice_ns"])


def _ranks(codes: NDArray[np.int32], texts: Sequence[str]) -> tuple[list[str], Ints]:
    distinct, which = np.unique(codes, return_inverse=True)
    names = [texts[code] for code in distinct.tolist()]
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    return [names[at] for at in order], rank[which].reshape(codes.shape)
