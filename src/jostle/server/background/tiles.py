"""Loads of all jobs by hour, cached while the files of an hour are unchanged.

A past hour does not change until its files are merged. So a repeated query about a day reads only
the current hour from the repository.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository import Repository
from jostle.repository.store.layout import HOUR_NS, Rollup
from jostle.server.cache.lru_cache import LruCache

MINUTE_NS = 60 * 10**9
#: The length of a cell of others' load, ns: that of a usual slice.
CELL_NS = 4 * 10**9
#: Time after which the slices of all jobs are assumed to have arrived, ns.
SETTLED_NS = 60 * 10**9
Lines = Sequence[Sequence[str]]


class Tiles:
    """Answers queries for loads, hour by hour, from a cache or from the repository.

    Attributes:
        repository: The repository of the loads.
    """

    def __init__(self, repository: Repository, cache: LruCache) -> None:
        self.repository = repository
        self._cache = cache
        self._guard = threading.Lock()
        self._turns: dict[Any, threading.Lock] = {}

    def minutes(self, table: Rollup, lines: Lines, span: tuple[int, int]) -> pa.Table:
        """Return loads by job, resource and minute.

        Args:
            table: Name of the table: rollup (by mount) or node_rollup (by node).
            lines: Lines, each a sum of metrics of that table.
            span: Start and end, ns since the epoch; whole hours are returned.

        Returns:
            Columns job, resource, start_ns, length_ns, and one for each line: v0, v1, ...
        """
        return self._together(table, lines, span, MINUTE_NS)

    def slices(self, table: Rollup, lines: Lines, span: tuple[int, int]) -> pa.Table:
        """Return the load of all jobs together by resource and slice; arguments as in `minutes`."""
        return self._together(table, lines, span, None)

    def cells(self, table: Rollup, lines: Lines, hours: range) -> dict[int, pa.Table]:
        """Return loads by job, resource and cell (a time of CELL_NS), in one table per hour.

        Args:
            table: Name of the table: rollup (by mount) or node_rollup (by node).
            lines: Lines, each a sum of metrics of that table.
            hours: Numbers of hours since the epoch.

        Returns:
            For each hour with a load, a table with the columns of `minutes`.
        """
        span = hours.start * HOUR_NS, hours.stop * HOUR_NS
        return self._hours(table, lines, span, CELL_NS) if hours else {}

    def _together(
        self, table: Rollup, lines: Lines, span: tuple[int, int], step_ns: int | None
    ) -> pa.Table:
        found = list(self._hours(table, lines, span, step_ns).values())
        if not found:
            return self.repository.loads.sums(table, lines, (0, 0), step_ns=step_ns)
        return pa.concat_tables(found)

    def _hours(
        self, table: Rollup, lines: Lines, span: tuple[int, int], step_ns: int | None
    ) -> dict[int, pa.Table]:
        base = ("tile", table, tuple(tuple(line) for line in lines), step_ns)
        whole = span[0] // HOUR_NS * HOUR_NS, -(-span[1] // HOUR_NS) * HOUR_NS
        with self._guard:
            turn = self._turns.setdefault(base, threading.Lock())
        with turn:
            marks = self.repository.loads.hours(table, whole)
            found = {hour: self._cache.get((*base, hour), mark) for hour, mark in marks.items()}
            missing = [hour for hour, tile in found.items() if tile is None]
            if missing:
                made = self._made(table, lines, missing, step_ns)
                for hour, tile in made.items():
                    self._cache.put((*base, hour), tile, marks[hour])
                found |= made
        return {hour: tile for hour, tile in found.items() if tile is not None}

    def _made(
        self, table: Rollup, lines: Lines, missing: list[int], step_ns: int | None
    ) -> dict[int, pa.Table]:
        """Read the missing hours with one query, which also covers the hours between them."""
        # A slice longer than a step extends into later steps, and into the next hour.
        before = MINUTE_NS if step_ns is not None and step_ns < MINUTE_NS else 0
        span = missing[0] * HOUR_NS - before, (missing[-1] + 1) * HOUR_NS
        rows = self.repository.loads.sums(table, lines, span, step_ns=step_ns)
        hour = pc.divide(rows["start_ns"], HOUR_NS)
        return {each: rows.filter(pc.equal(hour, each)).combine_chunks() for each in missing}
