"""Which files a compaction merges, and its results in bounded memory."""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import expected_keys, make_profile, stored_keys

from jostle.repository import Repository
from jostle.repository.maintenance import merge as merge_module
from jostle.repository.maintenance.compact import Compactor
from jostle.repository.maintenance.tiers import FAN, LATE_NS, WHOLE_BYTES, due, small_files
from jostle.repository.store.files import ROW_GROUP, write_parquet
from jostle.repository.store.layout import DAY_NS, HOUR_NS
from jostle.repository.store.log import Log
from jostle.repository.store.state import File
from synth_rows import SECOND, add_rows

DAY = 20_000 * DAY_NS  # some day


def grow(hours: int, commits: int, size: int) -> tuple[int, float, list[File]]:
    """Ingest commits of one size and compact as they come.

    Returns:
        The most files that a partition had, bytes written per byte ingested, and the files.
    """
    files: list[File] = []
    written = ingested = most = 0
    for number in range(hours * commits):
        at = DAY + number * HOUR_NS // commits
        hour = f"slices/date=x/hour={at // HOUR_NS}"
        files.append(File("slices", f"{hour}/{number}", 1, size, at, at + 1))
        ingested += size
        written += size
        if number % 4 and number + 1 < hours * commits:
            continue
        for members in small_files(files):
            most = max(most, len(members))
            for group in due(members, at):
                merged = sum(file.bytes for file in group)
                written += merged
                lo, hi = min(file.lo for file in group), max(file.hi for file in group)
                files = [file for file in files if file not in group]
                for part in range(max(1, merged // WHOLE_BYTES)):
                    path = f"{Path(group[0].path).parent}/{number}-{len(files)}-{part}"
                    files.append(File("slices", path, 1, merged, lo, hi))
    return most, written / ingested, files


@pytest.mark.parametrize(("commits", "size"), [(60, 20_000), (400, 80_000), (450, 800_000)])
def test_files_stay_few_and_rewriting_bounded(commits: int, size: int) -> None:
    most, amplification, files = grow(8, commits, size)
    assert most < 3 * FAN
    assert amplification <= 3.1
    per_hour = [
        sum(f"hour={DAY // HOUR_NS + hour}/" in file.path for file in files) for hour in range(6)
    ]
    assert max(per_hour) <= max(2, commits * size // WHOLE_BYTES + 1)


def test_late_slices_do_not_have_a_whole_hour_written_again() -> None:
    big = File("slices", "slices/date=x/hour=0/a", 1, 50 << 20, DAY, DAY + 1)
    late = [File("slices", f"slices/date=x/hour=0/{n}", 1, 9000, DAY, DAY + 1) for n in range(9)]
    now = DAY + HOUR_NS + LATE_NS
    (members,) = small_files([big, *late])
    assert due(members, now) == [sorted(late, key=lambda file: file.path)]
    assert due([big, late[0]], now) == []
    assert due([*late], now - 1) == []  # the hour is not over


def content(store: Repository) -> dict[str, list[str]]:
    tables = ("slices", "mount_slices", "rollup", "node_rollup", "processes", "mounts")
    return {
        name: sorted(map(repr, store.query(f"SELECT * FROM {name}").to_pylist())) for name in tables
    }


@pytest.mark.parametrize("rows", [1, 7, 100])
def test_a_merge_in_parts_is_the_merge_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    """However few rows of each file are in memory at once."""
    monkeypatch.setattr(merge_module, "_BATCH_VALUES", 1)
    monkeypatch.setattr(merge_module, "_FEWEST_ROWS", rows)
    spool = tmp_path / "spool"
    spool.mkdir()
    store = Repository(tmp_path / "repository", create=True)
    profiles = []
    for seed in range(4):
        profiles.append(make_profile(seed, slices=30))
        profiles[-1].write(spool)
        store.ingest([spool])
    before = content(store)
    whole = {}
    for table in ("slices", "mount_slices", "rollup", "node_rollup"):
        whole[table] = merge_module.merge(store.path, Log(store.path).refresh().of(table))
    store.compact()
    assert content(store) == before
    assert stored_keys(store) == expected_keys(profiles)
    for table, rows_of in whole.items():
        (file,) = Log(store.path).refresh().of(table)
        assert file.rows == rows_of.num_rows
        merged = pq.ParquetFile(store.path / file.path).read()
        for name in rows_of.column_names:
            assert merged[name].to_pylist() == rows_of[name].to_pylist(), (table, name)


def test_a_merge_ends_files_where_they_are_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    paths = []
    for number in range(3):
        count = 5000
        rows = pa.table(
            {
                "job": pa.array(np.sort(rng.integers(0, 9, count)).astype(str)),
                "process": np.zeros(count, np.int64),
                "host": pa.array(["n"] * count),
                "slice": np.zeros(count, np.int64),
                "slice_ns": np.ones(count, np.int64),
                "span": np.ones(count, np.int32),
                "os_user_ns": rng.integers(0, 2**40, count),
            }
        )
        path = f"{number}.parquet"
        pq.write_table(rows, tmp_path / path)
        size = (tmp_path / path).stat().st_size
        paths.append(File("slices", path, count, size, DAY, DAY + 1))
    monkeypatch.setattr(merge_module, "_BATCH_VALUES", 1)
    monkeypatch.setattr(merge_module, "_FEWEST_ROWS", 500)
    parts = [
        pa.concat_tables(chunk.parts)
        for chunk in merge_module.merged_chunks(tmp_path, paths, paths[0].bytes)
    ]
    assert len(parts) == 3
    assert sum(part.num_rows for part in parts) == 15000
    jobs = pa.concat_tables([part.select(["job"]) for part in parts])["job"].to_pylist()
    assert jobs == sorted(jobs)


def test_collectives_in_the_order_of_a_profile_are_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ingest writes those of one slice in the order of their places: in none of names."""
    monkeypatch.setattr(merge_module, "_BATCH_VALUES", 1)
    monkeypatch.setattr(merge_module, "_FEWEST_ROWS", 3)
    calls = ("MPI_Barrier", "MPI_Scan", "MPI_Reduce_scatter", "MPI_Allreduce", "MPI_Allgather")
    store = Repository(tmp_path / "repository", create=True)
    for process in (1, 2):
        rows = [
            {
                "job": "a",
                "process": process,
                "host": "n",
                "rank": process,
                "slice": 0,
                "slice_ns": SECOND,
                "span": 1,
                "communicator": 0,
                "operation": call,
                "root": -1,
                "ops": number + 1,
            }
            for number, call in enumerate(calls)
        ]
        add_rows(store, "collective_slices", rows)
    files = Log(store.path).refresh().of("collective_slices")
    inputs = [merge_module._Input(store.path, file) for file in files]
    read = inputs[0].start(inputs[0].schema, 3)
    assert read.take(read.last()).num_rows == 3  # else a merge has no end
    store.compact()
    (file,) = Log(store.path).refresh().of("collective_slices")
    merged = pq.ParquetFile(store.path / file.path).read(["process", "operation", "ops"])
    assert sorted(zip(*merged.to_pydict().values(), strict=True)) == sorted(
        (process, call, number + 1) for process in (1, 2) for number, call in enumerate(calls)
    )


def test_what_is_due_is_merged_alongside_an_ingest(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    store = Repository(tmp_path / "repository", create=True)
    seeds = list(range(FAN + 1))
    random.Random(1).shuffle(seeds)
    for seed in seeds:
        make_profile(seed, slices=2).write(spool)
        store.ingest([spool])
    before = content(store)
    Compactor(store.path).tend()
    assert content(store) == before
    state = Log(store.path).refresh()
    assert all(len(state.of(table)) < FAN for table in ("processes", "mounts", "rollup"))


def test_a_clock_that_is_ahead_ends_no_hour(tmp_path: Path) -> None:
    """Else what comes in every few seconds would be merged with all before it repeatedly."""
    spool = tmp_path / "spool"
    spool.mkdir()
    store = Repository(tmp_path / "repository", create=True)
    now = time.time_ns() // HOUR_NS * HOUR_NS
    for seed, start in enumerate((now, now, now + 6 * HOUR_NS)):
        life = {"start_ns": start, "heartbeat_ns": start}
        make_profile(seed, slices=2, ended=False, **life).write(spool)
        store.ingest([spool])
    before = len(Log(store.path).refresh().of("slices"))
    Compactor(store.path).tend()
    assert len(Log(store.path).refresh().of("slices")) == before


def test_large_files_hold_values_that_recur_by_dictionary(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    few = rng.integers(2**30, 2**31, 100)[rng.integers(0, 100, ROW_GROUP)]
    rows = pa.table(
        {
            "slice": np.arange(ROW_GROUP),
            "few": few,
            "many": rng.integers(0, 2**40, ROW_GROUP),
            "scratch_bytes": rng.integers(0, 2**40, ROW_GROUP),
        }
    )
    for count, way in ((1000, "BYTE_STREAM_SPLIT"), (ROW_GROUP, "RLE_DICTIONARY")):
        path = tmp_path / f"{count}.parquet"
        assert write_parquet(iter([rows.slice(0, count)]), path, {"slice"}, {}, 3) == count
        group = pq.read_metadata(path).row_group(0)
        ways = {
            group.column(at).path_in_schema: group.column(at).encodings
            for at in range(group.num_columns)
        }
        assert way in ways["few"]
        assert "BYTE_STREAM_SPLIT" in ways["many"]
        assert "BYTE_STREAM_SPLIT" in ways["scratch_bytes"]
        assert pq.read_table(path).equals(rows.slice(0, count))
