"""The positions up to which profiles are ingested; used by ingesters, never by readers.

A month has many ids of processes. They are stored in runs: files of sorted ids, which are mapped
into memory and searched. Each checkpoint writes a run with the new ids; runs of similar size are
merged, so that an id is rewritten only a few times. There are two kinds of runs:

open: ids with positions. If several runs have an id, the newest one counts; GONE instead of a
    position marks a complete profile.
done: ids of complete profiles, by the day on which their process ended. Retention drops all runs of
    a day together. A profile from that day that is still in a spool is then refused since it is too
    old.
"""

from __future__ import annotations

import base64
import contextlib
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jostle.repository.errors import LogError
from jostle.repository.store.durable import read_patiently
from jostle.repository.store.layout import DAY_NS
from jostle.repository.store.pieces import Pieces
from jostle.repository.store.sealed import DamageError

Ints = NDArray[np.int64]
#: Number of records that marks complete profiles in runs of open ones.
_GONE = -1
_OPEN_COLUMNS = 5
#: Largest error of the end of a process (its clock may have been set).
_SKEW_NS = DAY_NS


@dataclass(frozen=True, slots=True)
class Position:
    """The position up to which one unfinished profile is ingested.

    Attributes:
        records: Number of ingested records.
        revision: Number of commits that advanced this position.
        row_slice: Value of last_slice in the newest row of its process in table processes.
        entries: Number of ingested entries of its segments.
    """

    records: int = 0
    revision: int = 0
    row_slice: int = -1
    entries: int = 0


#: State of a profile: its position, or the end of its process (ns) if it is complete.
Reached = Position | int


@dataclass(frozen=True)
class Run:
    """A piece with sorted ids.

    Attributes:
        name: Name of the piece.
        count: Number of ids.
    """

    name: str
    count: int


def pack(advance: Mapping[int, Reached]) -> str:
    """Return positions as text of a commit: six columns of 64-bit integers, zlib, base64."""
    rows = [
        (key, at.records, at.revision, at.row_slice, at.entries, -1)
        if isinstance(at, Position)
        else (key, 0, 0, 0, 0, max(at, 0))
        for key, at in advance.items()
    ]
    columns = np.array(rows, dtype="<i8").reshape(-1, 6).T
    return base64.b64encode(zlib.compress(columns.tobytes(), 1)).decode()


def unpack(text: str) -> dict[int, Reached]:
    """Return positions from the text of a commit.

    Raises:
        ValueError: The text is not valid.
    """
    try:
        columns = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<i8")
    except zlib.error as error:
        raise ValueError(str(error)) from error
    rows = columns.reshape(6, -1).T.tolist()
    return {row[0]: row[5] if row[5] >= 0 else Position(*row[1:5]) for row in rows}


def unpack_ids(text: str) -> list[int]:
    """Return ids of complete profiles from the text of a checkpoint before version 4.

    Raises:
        ValueError: The text is not valid.
    """
    try:
        ids = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<i8")
    except zlib.error as error:
        raise ValueError(str(error)) from error
    return [int(key) for key in ids]


class ProfilePositions:
    """The positions of all profiles in a log."""

    def __init__(
        self,
        pieces: Pieces,
        open_runs: Iterable[Run] = (),
        done_runs: Mapping[int, Iterable[Run]] | None = None,
    ) -> None:
        """Start from a checkpoint.

        Args:
            pieces: Reads and writes pieces.
            open_runs: Runs of open profiles, the newest last.
            done_runs: Runs of complete profiles, by day since the epoch.
        """
        self._pieces = pieces
        self.open_runs = list(open_runs)
        self.done_runs = {day: list(runs) for day, runs in (done_runs or {}).items()}
        #: Unusable pieces, with the reason.
        self.lost: dict[str, str] = {}
        self._texts: list[str] = []  # texts of commits that are not unpacked yet
        self._recent: dict[int, Reached] = {}

    @property
    def runs(self) -> list[Run]:
        """All runs in the checkpoint."""
        return [*self.open_runs, *(run for runs in self.done_runs.values() for run in runs)]

    def advance(self, moves: str | Mapping[int, Reached]) -> None:
        """Add the positions of a commit; a text is unpacked when it is first needed.

        Args:
            moves: Text from `pack`, or the positions themselves.
        """
        if isinstance(moves, str):
            self._texts.append(moves)
        else:
            self._read_texts()
            self._recent |= moves

    def of(self, keys: Collection[int]) -> dict[int, Reached]:
        """Return the states of those profiles that are known.

        Args:
            keys: Ids of their processes.

        Raises:
            LogError: A run with their states cannot be read.
        """
        self._read_texts()
        known = {key: self._recent[key] for key in keys if key in self._recent}
        ids = np.array(sorted({key for key in keys if key not in known}), dtype=np.int64)
        left = ids
        for run in reversed(self.open_runs):
            rows = self._mapped(run, _OPEN_COLUMNS)
            at, hit = _find(rows[0], left)
            left = left[~hit]
            known |= {
                row[0]: Position(*row[1:]) for row in rows[:, at[hit]].T.tolist() if row[1] != _GONE
            }
        left = np.array([key for key in ids.tolist() if key not in known], dtype=np.int64)
        for day, runs in self.done_runs.items():
            for run in runs:
                _, hit = _find(self._mapped(run, 1)[0], left)
                known |= dict.fromkeys(left[hit].tolist(), (day + 1) * DAY_NS)
                left = left[~hit]
        return known

    def verify(self) -> None:
        """Read all runs; `lost` then contains the damaged ones."""
        for run in self.runs:
            with contextlib.suppress(LogError):
                self._mapped(run, _OPEN_COLUMNS if run in self.open_runs else 1)

    def drop_lost(self) -> bool:
        """Drop the runs that cannot be used; return whether all open runs were dropped.

        If one open run is lost, the others are dropped, too, since their positions may be outdated.
        """
        lost, self.lost = self.lost, {}
        is_open = any(run.name in lost for run in self.open_runs)
        if is_open:
            self.open_runs = []
        self.done_runs = {
            day: [run for run in runs if run.name not in lost]
            for day, runs in self.done_runs.items()
        }
        return is_open

    def write(self, horizon_ns: int) -> None:
        """Write new positions as runs, and drop days before the retention horizon.

        Args:
            horizon_ns: Profiles of processes that ended before it are not ingested any more.

        Raises:
            LogError: A run cannot be read.
            OSError: A run cannot be written.
        """
        self._read_texts()
        ended: dict[int, list[int]] = defaultdict(list)
        rows = []
        for key, at in self._recent.items():
            if isinstance(at, Position):
                rows.append((key, at.records, at.revision, at.row_slice, at.entries))
            else:
                ended[at // DAY_NS].append(key)
        gone = self._in_open_runs(key for keys in ended.values() for key in keys)
        rows += [(key, _GONE, 0, 0, 0) for key in gone]
        done_runs = {}
        for day in sorted({*self.done_runs, *ended}):
            if _is_past(day, horizon_ns):
                continue
            runs, keys = self.done_runs.get(day, []), ended.get(day, [])
            is_closed = day < max(ended, default=0) - 1 and not keys and len(runs) > 1
            if keys or is_closed:
                new = np.array([keys], dtype="<i8")
                runs = self._grown(f"done-{_date(day)}", runs, new, whole=is_closed)
            done_runs[day] = runs
        if rows:
            new = np.array(rows, dtype="<i8").reshape(-1, _OPEN_COLUMNS).T
            self.open_runs = self._grown("open", self.open_runs, new)
        self.done_runs = done_runs
        self._recent = {}

    def _in_open_runs(self, keys: Iterable[int]) -> list[int]:
        left = np.array(sorted(keys), dtype=np.int64)
        there: list[int] = []
        for run in reversed(self.open_runs):
            _, hit = _find(self._mapped(run, _OPEN_COLUMNS)[0], left)
            there += left[hit].tolist()
            left = left[~hit]
        return there

    def _grown(
        self, kind: str, runs: Sequence[Run], new: Ints, *, whole: bool = False
    ) -> list[Run]:
        """Return runs with a new one, merged with previous ones that are not much larger.

        Args:
            kind: Beginning of the new run's name.
            runs: The previous runs, the newest last.
            new: Columns of the new run, not sorted.
            whole: Whether to merge all runs into one.
        """
        runs, parts, count = list(runs), [new], new.shape[1]
        while runs and (whole or runs[-1].count < 2 * count):
            part = self._mapped(runs.pop(), len(new))
            parts.append(part)
            count += part.shape[1]
        rows = np.concatenate(parts[::-1], axis=1)
        rows = rows[:, np.argsort(rows[0], kind="stable")]
        rows = rows[:, np.append(np.diff(rows[0]) != 0, True)[: rows.shape[1]]]
        if not runs and len(rows) == _OPEN_COLUMNS:
            rows = rows[:, rows[1] != _GONE]
        if rows.shape[1]:
            name = self._pieces.write(kind, ".ids", np.ascontiguousarray(rows).tobytes())
            runs.append(Run(name, rows.shape[1]))
        return runs

    def _mapped(self, run: Run, columns: int) -> Ints:
        """Return the columns of a run, the first of them sorted ids.

        Raises:
            LogError: Its content has changed.
        """
        known = self._pieces.known(run.name)
        if known is None:
            try:
                path = self._pieces.path(run.name)
                if path.stat().st_size != 8 * columns * run.count:
                    raise DamageError(f"it does not have {run.count} ids")
            except DamageError as error:
                self.lost[run.name] = str(error)
                raise self._pieces.broken(run.name, str(error)) from error
            known = read_patiently(path, _map).reshape(columns, -1)
            self._pieces.remember(run.name, known)
        rows: Ints = known
        return rows

    def _read_texts(self) -> None:
        while self._texts:
            try:
                self._recent |= unpack(self._texts[0])
            except ValueError as error:
                why = f"its positions are malformed ({error})"
                raise self._pieces.broken("a commit", why) from error
            self._texts.pop(0)


def _map(path: Path) -> Ints:
    return np.memmap(path, dtype="<i8", mode="r")


def _find(ids: Ints, wanted: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the positions of sorted ids among others, and which of them exist."""
    at = np.searchsorted(ids, wanted)
    inside = at < len(ids)
    hit = np.zeros(len(wanted), dtype=bool)
    hit[inside] = ids[at[inside]] == wanted[inside]
    return at, hit


def _is_past(day: int, horizon_ns: int) -> bool:
    return (day + 1) * DAY_NS + _SKEW_NS <= horizon_ns


def _date(day: int) -> str:
    return f"{datetime.fromtimestamp(day * 86_400, UTC):%Y-%m-%d}"
