"""Old slices are added up to longer ones: every total stays, and so does what was not old."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from support import SHARED, make_profile, make_shorts

from jostle.repository import Repository, RepositoryError
from jostle.repository.maintenance import coarsen as module
from jostle.repository.store.layout import TABLES
from jostle.repository.store.log import Log
from synth import EPOCH, SECOND, Profile

DAY = 86_400 * SECOND
FIRST = EPOCH // DAY * DAY + 20 * 3600 * SECOND  # reaches over midnight
NOW = (FIRST + 5 * DAY) / SECOND
QUARTER = SECOND // 4
SLICED = ("slices", "mount_slices")
SUMS = ("node_rollup", "rollup")


def write(spool: Path, day: int, count: int = 4) -> None:
    """Writes profiles of slices of 250 ms that begin on one day."""
    for number in range(count):
        begin = FIRST + day * DAY + number * 5400 * SECOND  # of several hours, and both days
        name = f"day{day}"
        made = make_profile(10 * day + number, name, slices=60, slice_ns=QUARTER, start_ns=begin)
        made.write(spool)


@pytest.fixture
def filled(store: Repository, spool: Path) -> Repository:
    write(spool, 0)
    write(spool, 4)
    make_shorts("day0", 5, slice_ns=QUARTER).write(spool)
    store.ingest([spool])
    return store


def stored(store: Repository, table: str, job: str) -> list[dict[str, Any]]:
    """The rows of a job, as its files have them; what a file leaves out is zero."""
    rows = []
    for file in Log(store.path).refresh().of(table):
        rows += [
            row for row in pq.read_table(store.path / file.path).to_pylist() if row["job"] == job
        ]
    return [{**dict.fromkeys(TABLES[table].values, 0), **row} for row in rows]


def totals(store: Repository, table: str, job: str) -> dict[str, int]:
    """Sums of all amounts of a job; states are left out: only their last value is kept."""
    names = [
        name
        for name in TABLES[table].values
        if not name.startswith("os_rss") and (table in SLICED or name.endswith("_sum"))
    ]
    rows = stored(store, table, job)
    found = {name: sum(row[name] for row in rows) for name in names}
    return {name: value for name, value in found.items() if value}


def lengths(store: Repository, table: str, job: str) -> set[int]:
    rows = store.query(f"SELECT DISTINCT slice_ns FROM {table} WHERE job = '{job}'").to_pylist()
    return {row["slice_ns"] for row in rows}


@pytest.mark.parametrize("length", [SECOND, 4 * SECOND])
def test_all_totals_stay_and_only_old_days_change(filled: Repository, length: int) -> None:
    tables = (*SLICED, *SUMS)
    before = {
        (table, job): totals(filled, table, job) for table in tables for job in ("day0", "day4")
    }
    assert all(before.values())
    report = module.coarsen(filled.path, 2 * 86_400, length, now_s=NOW)
    assert report.rows_after < report.rows_before
    assert not report.damaged
    for table, job in before:
        assert totals(filled, table, job) == before[table, job]
        assert lengths(filled, table, job) == {length if job == "day0" else QUARTER}
    again = module.coarsen(filled.path, 2 * 86_400, length, now_s=NOW)
    assert (again.rows_before, again.rows_after) == (0, 0)
    assert filled.ingest([filled.path.parent / "spool"]).slices == 0  # positions stay as well


def test_sums_are_those_of_a_profile_with_longer_slices(store: Repository, tmp_path: Path) -> None:
    """Two processes on one mount, recorded in 1 s, and in 250 ms that are added up."""
    for name, parts in (("long", 1), ("short", 4)):
        for pid in (1, 2):
            made = Profile(
                job=name,
                pid=10 * parts + pid,
                host="node1",
                slice_ns=SECOND // parts,
                start_ns=FIRST,
                end_ns=FIRST + 20 * SECOND,
                end_reason=1,
            )
            made.add_mount(0, **SHARED)
            for at in range(20 * parts):
                moved = 1000 * pid * (at // parts + 1) // parts
                values = {"posix_write_bytes": {0: moved}, "os_user_ns": 8000 * pid // parts}
                values["os_rss_bytes"] = pid * (100 + at // parts)
                made.add_slice(made.first_slice + at, values)
            made.write(tmp_path / "spool")
    store.ingest([tmp_path / "spool"])
    module.coarsen(store.path, 86_400, SECOND, now_s=NOW)
    for table in (*SLICED, *SUMS):
        found = {job: stored(store, table, job) for job in ("long", "short")}
        for rows in found.values():
            for row in rows:
                del row["job"]
                row.pop("process", None)
        by_size = {
            job: sorted(map(repr, map(sorted, map(dict.items, rows))))
            for job, rows in found.items()
        }
        assert by_size["short"] == by_size["long"], table
        assert len(found["long"]) == (20 if table in SUMS else 40)


@pytest.mark.parametrize("length", [60 * SECOND, 3600 * SECOND])
def test_who_was_there_at_another_time_of_a_long_slice_is_no_neighbour(
    store: Repository, spool: Path, length: int
) -> None:
    for pid, (job, begin) in enumerate({"early": 0, "late": 1812, "beside": 1816}.items(), 1):
        start = FIRST + begin * SECOND
        end = start + 40 * SECOND
        made = Profile(job=job, pid=pid, start_ns=start, end_ns=end, end_reason=1)
        made.add_mount(0, **SHARED)
        for at in range(10):
            made.add_slice(made.first_slice + at, {"posix_write_bytes": {0: 1000}})
        made.write(spool)
    store.ingest([spool])
    module.coarsen(store.path, 86_400, length, now_s=NOW)
    assert lengths(store, "rollup", "late") == {length}
    assert store.neighbours("late", "posix_write_bytes")["job"].to_pylist() == ["beside"]
    assert sum(store.background("late", "posix_write_bytes")["sum"].to_pylist()) <= 10_000


def test_rows_that_come_late_are_added_to_the_longer_slice(filled: Repository, spool: Path) -> None:
    module.coarsen(filled.path, 86_400 * 2, 4 * SECOND, now_s=NOW)
    late = make_profile(77, "day0", slices=40, slice_ns=QUARTER, start_ns=FIRST + SECOND)
    late.write(spool)
    filled.ingest([spool])
    before = totals(filled, "rollup", "day0")
    assert lengths(filled, "rollup", "day0") == {QUARTER, 4 * SECOND}
    module.coarsen(filled.path, 86_400 * 2, 4 * SECOND, now_s=NOW)
    assert lengths(filled, "rollup", "day0") == {4 * SECOND}
    assert totals(filled, "rollup", "day0") == before
    filled.compact()
    assert totals(filled, "rollup", "day0") == before


def test_a_length_of_which_slices_are_no_part_leaves_them(store: Repository, spool: Path) -> None:
    make_profile(1, "old", slices=20, slice_ns=3 * SECOND, start_ns=FIRST).write(spool)
    store.ingest([spool])
    before = store.query("SELECT * FROM slices ORDER BY ALL").to_pylist()
    module.coarsen(store.path, 86_400, 4 * SECOND, now_s=NOW)
    assert store.query("SELECT * FROM slices ORDER BY ALL").to_pylist() == before


def test_a_damaged_file_is_named_and_its_hour_stays(filled: Repository) -> None:
    file = min(Log(filled.path).refresh().of("mount_slices"), key=lambda one: one.lo)
    path = filled.path / file.path
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)
    report = module.coarsen(filled.path, 86_400 * 2, 4 * SECOND, now_s=NOW)
    assert file.path in report.damaged
    assert path.read_bytes() == data


@pytest.mark.parametrize(("age", "length"), [(-1, SECOND), (1, 7 * SECOND), (1, 0)])
def test_what_cannot_be_is_refused(store: Repository, age: float, length: int) -> None:
    with pytest.raises(RepositoryError):
        store.coarsen(age, length)


def test_files_stay_in_the_order_of_their_table(filled: Repository) -> None:
    module.coarsen(filled.path, 86_400 * 2, 4 * SECOND, now_s=NOW)
    for file in Log(filled.path).refresh().of("mount_slices"):
        rows = pq.read_table(filled.path / file.path).to_pylist()
        keys = [(row["job"], row["slice"], row["process"], row["mount"]) for row in rows]
        assert keys == sorted(keys)
        assert time.time_ns() > file.hi > file.lo
