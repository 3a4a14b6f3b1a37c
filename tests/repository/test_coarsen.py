"""Old slices are merged into longer ones: every total stays, and recent slices are unchanged."""

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


HOUR = 3600 * 4  # in slices of 250 ms
#: Records as (slice, span) of 250 ms, and what they become in slices of 1 s.
REACHING = [
    ([(0, 4), (4, 4)], [(0, 1), (1, 1)]),
    ([(2, 4), (6, 1)], [(0, 2)]),
    ([(2, 4), (8, 1)], [(0, 2), (2, 1)]),
    ([(1, 1), (2, 1), (3, 3), (6, 2), (8, 1)], [(0, 2), (2, 1)]),
    ([(2, 4), (6, 4), (10, 2), (12, 1)], [(0, 3), (3, 1)]),
    ([(0, 40), (41, 1)], [(0, 10), (10, 1)]),
    # Records are divided at the ends of hours, which are made longer one by one.
    ([(HOUR - 2, 4), (HOUR + 2, 1)], [(3599, 1), (3600, 1)]),
    ([(HOUR - 8, 4), (HOUR - 4, 7), (HOUR + 3, 1)], [(3598, 1), (3599, 1), (3600, 1)]),
    ([(HOUR - 6, 8), (HOUR + 2, 1)], [(3598, 2), (3600, 1)]),
    ([(HOUR - 4, 11), (HOUR + 7, 1)], [(3599, 1), (3600, 2)]),
    # At midnight, up to which is made longer first.
    ([(4 * HOUR - 2, 4), (4 * HOUR + 2, 1)], [(14399, 1), (14400, 1)]),
    ([(4 * HOUR - 2, 4)], [(14399, 1), (14400, 1)]),
    ([(4 * HOUR - 7, 9)], [(14398, 2), (14400, 1)]),
]


@pytest.mark.parametrize("cases", [REACHING, REACHING[-2:]], ids=["all", "none after midnight"])
def test_no_slice_counts_twice_where_records_reach_over_its_end(
    store: Repository, spool: Path, cases: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]]
) -> None:
    """Each process wrote 1000 bytes in each slice, and always had 100 bytes of memory."""
    jobs = {f"case{number}": case for number, case in enumerate(cases)}
    for pid, (job, (records, _)) in enumerate(jobs.items(), 1):
        made = Profile(job=job, pid=pid, slice_ns=QUARTER, start_ns=FIRST, end_reason=1)
        made.end_ns = FIRST + sum(records[-1]) * QUARTER
        made.add_mount(0, **SHARED)
        for at, span in records:
            values = {"posix_write_bytes": {0: 1000 * span}, "os_rss_bytes": 100}
            made.add_slice(made.first_slice + at, {**values, "os_user_ns": 8000 * span}, span)
        made.write(spool)
    store.ingest([spool])
    before = {(table, job): totals(store, table, job) for table in (*SLICED, *SUMS) for job in jobs}
    for days in (1, 4):
        module.coarsen(store.path, 0, SECOND, now_s=(FIRST + days * DAY) / SECOND)
        for key, sums in before.items():
            assert totals(store, *key) == sums, key
    for job, (_, expected) in jobs.items():
        for table in SLICED:
            rows = sorted(stored(store, table, job), key=lambda row: int(row["slice"]))
            assert [(row["slice"] - FIRST // SECOND, row["span"]) for row in rows] == expected
        rows = stored(store, "mount_slices", job)
        assert all(row["posix_write_bytes"] <= 4000 * row["span"] for row in rows), "the true rate"
        for row in stored(store, "node_rollup", job):
            assert (row["count"], row["os_rss_bytes_sum"], row["os_rss_bytes_max"]) == (1, 100, 100)
        assert {row["count"] for row in stored(store, "rollup", job)} == {1}
    for file in Log(store.path).refresh().of("slices"):  # a query of their time finds all
        rows = pq.read_table(store.path / file.path).to_pylist()
        assert {row["slice"] * row["slice_ns"] // (3600 * SECOND) for row in rows} == {
            file.lo // (3600 * SECOND)
        }
        assert all(row["slice"] * row["slice_ns"] >= file.lo for row in rows)
        assert all((row["slice"] + row["span"]) * row["slice_ns"] <= file.hi for row in rows)


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (904, [(59, 1, 2), (60, 60, 900), (120, 1, 2)]),
        (21_602, [(59, 1441, 21_602)]),  # more than a day: it would make files in all its hours
    ],
)
def test_a_record_is_divided_at_the_ends_of_hours(
    store: Repository, spool: Path, span: int, expected: list[tuple[int, int, int]]
) -> None:
    made = Profile(job="one", pid=1, start_ns=FIRST, end_reason=1)
    made.end_ns = FIRST + (898 + span) * 4 * SECOND
    made.add_slice(made.first_slice + 898, {"stream_read_ops": span}, span)
    made.write(spool)
    store.ingest([spool])
    module.coarsen(store.path, 86_400, 60 * SECOND, now_s=NOW)
    rows = sorted(stored(store, "slices", "one"), key=lambda row: int(row["slice"]))
    first = FIRST // (60 * SECOND)
    found = [(row["slice"] - first, row["span"], row["stream_read_ops"]) for row in rows]
    assert found == expected


@pytest.mark.parametrize("length", [60 * SECOND, 3600 * SECOND])
def test_who_was_there_at_another_time_of_a_long_slice_is_no_neighbour(
    store: Repository, spool: Path, length: int
) -> None:
    for pid, (job, begin) in enumerate({"early": 0, "late": 1812, "alongside": 1816}.items(), 1):
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
    assert store.neighbours("late", "posix_write_bytes")["job"].to_pylist() == ["alongside"]
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
