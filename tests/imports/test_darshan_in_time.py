"""When bytes were moved: by traced operations, by heat maps, by first and last access."""

from __future__ import annotations

from pathlib import Path

import pytest
from logs import START_NS, job, only, per_slice, taken

from jostle.repository import Repository
from jostle_lab.synthetic.darshan_logs import LoggedFile, LoggedOperation

SECOND = 10**9
#: Number of the first slice of 100 ms of jobs that start at START_NS.
FIRST = START_NS // (SECOND // 10)


def basis(store: Repository) -> str:
    (row,) = store.query("SELECT min(basis) AS basis FROM process_kinds").to_pylist()
    return str(row["basis"])


def test_bins_that_begin_with_a_slice_are_that_slice(store: Repository, tmp_path: Path) -> None:
    bins = [[0, 500, 0, 30_000], [7, 0, 0, 0]]
    taken(store, tmp_path / "logs", job(written=bins, read=[[0, 0, 11]], start_ns=START_NS))
    # Its clock is known to a second, but it is the second that its slices begin with.
    assert per_slice(store, "posix_write_bytes") == {FIRST: 7, FIRST + 1: 500, FIRST + 3: 30_000}
    assert per_slice(store, "posix_read_bytes") == {FIRST + 2: 11}
    assert basis(store) == "darshan:bins"


def test_bins_across_slices_are_divided_and_nothing_is_lost(
    store: Repository, tmp_path: Path
) -> None:
    start = START_NS + SECOND // 40  # a quarter of a slice late
    taken(store, tmp_path / "logs", job(written=[[1000, 0, 0, 10]], start_ns=start, run_s=0.4))
    assert per_slice(store, "posix_write_bytes") == {
        FIRST: 750,
        FIRST + 1: 250,
        FIRST + 3: 8,
        FIRST + 4: 2,
    }


def test_shared_files_are_divided_by_the_heat_map(store: Repository, tmp_path: Path) -> None:
    own = LoggedFile("/scratch/own", 1, {"POSIX_BYTES_WRITTEN": 4000, "POSIX_WRITES": 4})
    shared = LoggedFile("/scratch/all", -1, {"POSIX_BYTES_WRITTEN": 6000, "POSIX_WRITES": 6})
    bins = [[6000], [4000], [0]]  # of rank 1 all bytes are those of its own file
    taken(store, tmp_path / "logs", job(written=bins, files=[own, shared], processes=3))
    rows = store.query(
        "SELECT p.pid AS rank, sum(posix_write_bytes) AS n FROM mount_slices m "
        "JOIN processes p USING (process) GROUP BY 1 HAVING n > 0 ORDER BY 1"
    ).to_pylist()
    assert [(row["rank"], int(row["n"])) for row in rows] == [(0, 6000), (1, 4000)]
    files = {row["path"]: row["processes"] for row in store.job_files(only(store)).to_pylist()}
    assert files == {"/scratch/own": 1, "/scratch/all": 3}


def test_traced_operations_have_bytes_calls_and_time_of_each_slice(
    store: Repository, tmp_path: Path
) -> None:
    counters = {"POSIX_WRITES": 2, "POSIX_BYTES_WRITTEN": 1100, "POSIX_READS": 1}
    counters |= {"POSIX_BYTES_READ": 50, "POSIX_OPENS": 1}
    file = LoggedFile("/scratch/a", -1, counters, {"POSIX_F_WRITE_TIME": 0.25})
    operations = [
        LoggedOperation("/scratch/a", 0, "node1", True, 0.05, 0.25, 1000),
        LoggedOperation("/scratch/a", 1, "node2", True, 0.31, 0.36, 100),
        LoggedOperation("/scratch/a", 1, "node2", False, 0.5, 0.51, 50),
    ]
    start = START_NS + 5 * SECOND + SECOND // 10  # known to the nanosecond
    taken(
        store,
        tmp_path / "logs",
        job(files=[file], operations=operations, processes=2, start_ns=start),
    )
    first = start // (SECOND // 10)
    assert basis(store) == "darshan:operations"
    assert per_slice(store, "posix_write_bytes") == {
        first: 250,
        first + 1: 500,
        first + 2: 250,
        first + 3: 100,
    }
    assert per_slice(store, "posix_write_ops") == {first + 2: 1, first + 3: 1}
    assert per_slice(store, "posix_write_ns") == {
        first: 50_000_000,
        first + 1: 100_000_000,
        first + 2: 50_000_000,
        first + 3: 50_000_000,
    }
    assert store.query("SELECT DISTINCT host FROM processes ORDER BY 1")["host"].to_pylist() == [
        "node1",
        "node2",
    ]


def test_a_trace_with_holes_is_not_used(store: Repository, tmp_path: Path) -> None:
    file = LoggedFile("/scratch/a", 0, {"POSIX_WRITES": 2, "POSIX_BYTES_WRITTEN": 1100})
    operations = [LoggedOperation("/scratch/a", 0, "n", True, 0.05, 0.25, 1000)]
    log = job(files=[file], operations=operations, written=[[0, 0, 0, 0, 1100]])
    taken(store, tmp_path / "logs", log)
    assert basis(store) == "darshan:bins"
    assert sum(per_slice(store, "posix_write_bytes").values()) == 1100
    notes = store.query("SELECT notes FROM processes WHERE len(notes) > 0")["notes"].to_pylist()
    assert "The trace lacks 9 % of the bytes, so it is not used where it is incomplete." in notes[0]


def test_totals_lie_between_first_and_last_access(store: Repository, tmp_path: Path) -> None:
    times = {"POSIX_F_WRITE_START_TIMESTAMP": 2.0, "POSIX_F_WRITE_END_TIMESTAMP": 4.0}
    file = LoggedFile("/scratch/a", 0, {"POSIX_WRITES": 4, "POSIX_BYTES_WRITTEN": 2000}, times)
    taken(store, tmp_path / "logs", job(files=[file], start_ns=START_NS, run_s=10))
    found = per_slice(store, "posix_write_bytes")
    assert (min(found), max(found), sum(found.values())) == (FIRST + 20, FIRST + 39, 2000)
    assert basis(store) == "darshan:totals"


@pytest.mark.parametrize(
    ("run_s", "slice_ms"), [(19.0, 100), (21.0, 200), (3600.0, 25_600), (90_000.0, 51_200)]
)
def test_slices_are_as_long_as_the_bins_of_such_a_run(
    store: Repository, tmp_path: Path, run_s: float, slice_ms: int
) -> None:
    file = LoggedFile("/scratch/a", 0, {"POSIX_WRITES": 4, "POSIX_BYTES_WRITTEN": 2000})
    taken(store, tmp_path / "logs", job(files=[file], run_s=run_s))
    assert store.query("SELECT DISTINCT slice_ns FROM jobs")["slice_ns"].to_pylist() == [
        slice_ms * 10**6
    ]
    assert sum(per_slice(store, "posix_write_bytes").values()) == 2000


@pytest.mark.parametrize(("part", "error_us"), [(0, 1_000_000), (1, 0)])
def test_the_clock_is_as_precise_as_the_log(
    store: Repository, tmp_path: Path, part: int, error_us: int
) -> None:
    taken(store, tmp_path / "logs", job(written=[[5]], start_ns=START_NS + part))
    (row,) = store.query("SELECT start_ns, clock_error_us FROM jobs").to_pylist()
    assert row == {"start_ns": START_NS + part, "clock_error_us": error_us}
