"""Computes sums of other users' load, from cells that may be published (see disclosure.py).

A cell is the load on one resource in 4 s. It is published if the rules of disclosure.py hold for
the cell itself and for its hour. If they do not hold for the hour, all cells of the hour are
hidden. So nobody can compute a hidden cell as the difference of two answers with different spans or
steps.

A cell is published one minute after its end, when the slices of all jobs have arrived. Later it
changes only if the change itself satisfies the rules. So the difference of an earlier and a later
answer does not reveal a late job either, as long as this server runs.

On a single node, the load of other users is always hidden, since few users share a node; it is
included in the sum of all nodes. Levels of others (a speed, a queue length) are not sums and are
not published.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa

from jostle.analysis import resample
from jostle.repository.store.layout import HOUR_NS, Rollup
from jostle.server.access import Viewer
from jostle.server.background.disclosure import (
    LINES,
    Flags,
    Floats,
    Ints,
    family,
    may_be_disclosed,
    unsafe,
)
from jostle.server.background.tiles import CELL_NS, SETTLED_NS, Tiles
from jostle.server.cache.lru_cache import LruCache

Line = Sequence[str]
#: Returns the user of a job; None: several.
UserOf = Callable[[str], int | None]
#: Least share of a step that must be publishable; the step then gets the mean over that share.
_LEAST_DISCLOSED = 0.5
#: Hours that are processed together.
_HOURS = 24
_KEPT_BYTES = 64 << 20
_SEVERAL = -1
#: Sums of the same numbers in another order differ by less than this share.
_ROUNDING = 1e-9
_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class _Rows:
    """Loads, one row per job, resource and cell.

    Attributes:
        resource: Number of each row's resource (see `Others._number`).
        job: Number of each row's job.
        user: Uid of the job's user; _SEVERAL: the job belongs to several users.
        seen: Whether the viewer may see the job.
        start: Start of the cell, ns since the epoch.
        loads: Load in each metric, (rows, metrics).
    """

    resource: Ints
    job: Ints
    user: Ints
    seen: Flags
    start: Ints
    loads: Floats

    def where(self, which: Flags) -> _Rows:
        """Return the rows for which a flag is set."""
        return _Rows(*(getattr(self, field.name)[which] for field in fields(self)))

    def cells(self, length_ns: int) -> tuple[Ints, Ints, Floats]:
        """Add up the loads of each user on each resource in each time step.

        Args:
            length_ns: Length of a time step.

        Returns:
            For each row, the number of its resource and step, from 0. For each sum, the same number
            for its resource and step. The sums, (sums, metrics).
        """
        _, user = np.unique(self.user, return_inverse=True)
        _, cell = np.unique(self.places(length_ns), return_inverse=True)
        width = int(user.max(initial=0)) + 1
        sums, place = np.unique(cell * width + user, return_inverse=True)
        loads = np.zeros((len(sums), self.loads.shape[1]))
        np.add.at(loads, place, self.loads)
        return cell, sums // width, loads

    def places(self, length_ns: int) -> Ints:
        """Return for each row a number that stands for its resource and its time step."""
        places: Ints = self.start // length_ns * (1 << 31) + self.resource
        return places


class Others:
    """Sums of all users' load, as far as they may be published to a viewer."""

    def __init__(self, tiles: Tiles, now_ns: Callable[[], int] = time.time_ns) -> None:
        """Create the object without reading any loads.

        Args:
            tiles: Loads of all jobs.
            now_ns: Function that returns the time, ns since the epoch.
        """
        self._tiles = tiles
        self._now_ns = now_ns
        self._guard = threading.Lock()
        self._names: list[str] = []
        self._known: dict[str, int] = {}
        self._released = LruCache(_KEPT_BYTES)

    def disclosed(
        self,
        viewer: Viewer,
        user: UserOf,
        table: Rollup,
        line: Line,
        axis: tuple[int, int, int],
        *,
        without: AbstractSet[str] = frozenset(),
        all_nodes: bool = False,
        within: tuple[int, int] | None = None,
    ) -> dict[str, Floats]:
        """Return the load of all jobs on each resource, as far as it may be published.

        Args:
            viewer: The viewer.
            user: Function that returns the user of a job.
            table: Name of the table: rollup (by mount) or node_rollup (by node).
            line: Ids of the metrics that are added up.
            axis: Start (ns), length of a step (ns), and number of steps.
            without: Names of jobs whose load is left out; the viewer may see these jobs.
            all_nodes: Whether all nodes together are one resource, whose name is "".
            within: Span (ns) outside of which loads are left out.

        Returns:
            For each resource with a load, the load in each step, (steps,); NaN where it may not be
            published. If at least half of a step may be published, the mean of that part is used
            for the whole step.
        """
        names, end = family(line), axis[0] + axis[1] * axis[2]
        at = range(axis[0] // HOUR_NS, -(-end // HOUR_NS))
        sums: dict[str, Floats] = {}
        hidden: dict[str, Floats] = {}

        def add(to: dict[str, Floats], resource: str, start: Ints, load: Floats) -> None:
            found = to.setdefault(resource, np.zeros(axis[2]))
            found += resample(start, np.full_like(start, CELL_NS), load, axis, within=within)

        for first in at[::_HOURS]:
            hours = range(first, min(first + _HOURS, at.stop))
            rows = self._rows(viewer, user, table, names, hours, all_nodes=all_nodes)
            load = rows.loads[:, [names.index(name) for name in line]].sum(axis=1)
            load[np.isin(rows.job, [self._number(job) for job in without])] = 0.0
            shut = self._shut(rows, line, names, is_node=table == "node_rollup" and not all_nodes)
            for number in np.unique(rows.resource).tolist():
                here, name = rows.resource == number, self._names[number]
                shown = here & (rows.seen | ~np.isin(rows.start, shut[number]))
                add(sums, name, rows.start[shown], load[shown])
                add(hidden, name, shut[number], np.full(len(shut[number]), float(CELL_NS)))
        whole = np.array([axis[0]]), np.array([axis[1] * axis[2]])
        room = resample(*whole, whole[1].astype(float), axis, within=within)
        return {name: _scaled(load, hidden[name], room) for name, load in sums.items()}

    def _rows(
        self,
        viewer: Viewer,
        user: UserOf,
        table: Rollup,
        names: list[str],
        hours: range,
        *,
        all_nodes: bool,
    ) -> _Rows:
        """Return the loads of some hours; changes that may not be published are undone."""
        found, fresh = [], self._fresh_ns()
        tiles = self._tiles.cells(table, [[name] for name in names], hours)
        for hour, tile in tiles.items():
            key = (viewer.users, table, tuple(names), hour, all_nodes)
            before: tuple[pa.Table, _Rows, int] | None = self._released.get(key)
            if before is not None and before[0] is tile:
                rows = before[1]
            else:
                rows = self._read(tile, viewer, user, len(names), all_nodes=all_nodes)
                if before is not None:
                    rows = _released(*before[1:], rows, names)
            self._released.put(key, (tile, rows, fresh))
            found.append(rows)
        return _joined(found, len(names))

    def _read(
        self, tile: pa.Table, viewer: Viewer, user: UserOf, metrics: int, *, all_nodes: bool
    ) -> _Rows:
        jobs = tile["job"].combine_chunks()
        names = jobs.dictionary.to_pylist()
        uids = [user(name) for name in names]
        job = jobs.indices.to_numpy().astype(np.int64)
        resources = tile["resource"].combine_chunks()
        resource = resources.indices.to_numpy().astype(np.int64)
        numbers = [
            self._number("" if all_nodes else name) for name in resources.dictionary.to_pylist()
        ]
        return _Rows(
            _of(numbers, resource),
            _of([self._number(name) for name in names], job),
            _of([_SEVERAL if uid is None else uid for uid in uids], job),
            _of([int(viewer.sees(uid)) for uid in uids], job).astype(bool),
            tile["start_ns"].to_numpy(),
            np.column_stack([tile[f"v{at}"].to_numpy() for at in range(metrics)]),
        )

    def _fresh_ns(self) -> int:
        """Return the start of the first cell whose slices may not all have arrived."""
        return (self._now_ns() - SETTLED_NS) // CELL_NS * CELL_NS

    def _number(self, name: str) -> int:
        """Return the number of a resource or job; a new name gets the next one."""
        with self._guard:
            if name not in self._known:
                self._known[name] = len(self._names)
                self._names.append(name)
            return self._known[name]

    def _shut(self, rows: _Rows, line: Line, names: list[str], *, is_node: bool) -> dict[int, Ints]:
        """Return, by resource, the starts of cells that may not be shown."""
        unseen = rows.where(~rows.seen)
        hours, cells = (
            _unsafe(unseen, line, names, length, any_load=is_node) for length in (HOUR_NS, CELL_NS)
        )
        fresh = self._fresh_ns()
        last = (int(rows.start.max(initial=0)) // HOUR_NS + 1) * HOUR_NS
        late = np.arange(fresh, max(last, fresh), CELL_NS) if fresh < last else _NONE
        found = {}
        for number in np.unique(rows.resource).tolist():
            here = unseen.resource == number
            whole = np.unique(unseen.start[hours & here] // HOUR_NS * HOUR_NS)
            of_hours = (whole[:, None] + np.arange(0, HOUR_NS, CELL_NS)).ravel()
            found[number] = np.unique(np.concatenate([late, of_hours, unseen.start[cells & here]]))
        return found


def _of(values: list[int], codes: Ints) -> Ints:
    found: Ints = np.array([*values, 0], dtype=np.int64)[codes]
    return found


def _joined(parts: list[_Rows], metrics: int) -> _Rows:
    none = _Rows(_NONE, _NONE, _NONE, _NONE.astype(bool), _NONE, np.zeros((0, metrics)))
    parts = [none, *parts]
    return _Rows(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(_Rows))
    )


def _unsafe(rows: _Rows, line: Line, names: list[str], length_ns: int, *, any_load: bool) -> Flags:
    """Return whether each row is in a time step of a resource whose sum must be hidden."""
    cell, cells, loads = rows.cells(length_ns)
    if any_load:
        return np.ones(len(cell), dtype=bool)
    found: Flags = ~may_be_disclosed(frozenset(line), names, loads, cells)[cell]
    return found


def _released(before: _Rows, until_ns: int, now: _Rows, names: list[str]) -> _Rows:
    """Return the current loads, without changes of others' loads that must stay hidden.

    The change of a cell is itself a sum over other users, which is the difference of two answers.
    If this sum does not satisfy the rules, and the cell may have been published, the cell keeps its
    earlier loads.

    Args:
        before: The earlier loads.
        until_ns: Time of the earlier answer: cells that ended later were not published then.
        now: The current loads.
        names: Ids of the metrics of both.
    """
    old, new = before.where(~before.seen), now.where(~now.seen)
    both = _joined([old, new], len(names))
    cell, cells, size = both.cells(CELL_NS)
    both.loads[: len(old.start)] *= -1
    change = np.abs(both.cells(CELL_NS)[2])
    change[change <= _ROUNDING * size] = 0.0
    # If each metric's change satisfies the rules, so does that of any line.
    few = np.any([unsafe(one, cells) for one in change.T], axis=0)[cell]
    stays, comes = few[: len(old.start)], few[len(old.start) :]
    stays &= _were_disclosed(old, until_ns, names)
    comes &= np.isin(new.places(CELL_NS), old.where(stays).places(CELL_NS))
    return _joined([now.where(now.seen), old.where(stays), new.where(~comes)], len(names))


def _were_disclosed(rows: _Rows, until_ns: int, names: list[str]) -> Flags:
    """Return whether each row is in a cell of which at least one line may have been published."""
    cell, cells, loads = rows.cells(CELL_NS)
    shown = np.zeros(int(cells.max(initial=-1)) + 1, dtype=bool)
    for line in (*(frozenset({name}) for name in names), *LINES):
        of = [name in line for name in names]
        load = loads[:, of].sum(axis=1)
        shown |= ~unsafe(load, cells) & (np.bincount(cells, load, len(shown)) > 0)
    found: Flags = shown[cell] & (rows.start + CELL_NS <= until_ns)
    return found


def _scaled(load: Floats, hidden_ns: Floats, room_ns: Floats) -> Floats:
    """Scale up the load of partly hidden steps to full steps; NaN where too much is hidden."""
    share = 1 - hidden_ns / np.maximum(room_ns, 1)
    known = share >= _LEAST_DISCLOSED
    found: Floats = np.where(known, load / np.where(known, share, 1), np.nan)
    return found
