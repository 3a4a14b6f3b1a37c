"""Merged segments are stored in files, which are used only if their content is valid."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import newer
from test_follow import living_profile
from test_segment_tables import make_loop

from jostle.repository import Repository
from jostle.repository.ingest import follow, ingest
from jostle.repository.segments import merge, merger
from jostle.repository.segments import merge_cache as copies
from jostle.repository.segments.worlds import MpiWorld
from jostle.repository.types import WorldSegments


@pytest.fixture(autouse=True)
def _always_worth_it(monkeypatch):
    monkeypatch.setattr(copies, "WORTH_ROWS", 1)
    monkeypatch.setattr(ingest, "WORTH_ROWS", 1)


@pytest.fixture(scope="module")
def injected(tmp_path_factory):
    """A repository with a job of four ranks that is over, whose segments are kept."""
    folder = tmp_path_factory.mktemp("injected")
    for rank in range(4):
        make_loop(rank, level=rank % 3).write(folder / "spool")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(copies, "WORTH_ROWS", 1)
        patch.setattr(ingest, "WORTH_ROWS", 1)
        Repository(folder / "repository", create=True).ingest([folder / "spool"])
    return folder / "repository"


@pytest.fixture
def kept(injected, store):
    """The same as the test's own, and the file with its segments."""
    shutil.copytree(injected, store.path, dirs_exist_ok=True)
    return Repository(store.path), only_file(store)


def only_file(store):
    (path,) = (store.path / "merged").iterdir()
    return path


@pytest.fixture
def merged_worlds(monkeypatch):
    """The worlds that were merged, rather than read."""
    found = []
    real = merger.merge_world

    def merge(world, *rest):
        found.append(world.number)
        return real(world, *rest)

    monkeypatch.setattr(merger, "merge_world", merge)
    return found


def only(store: Repository) -> WorldSegments:
    return Repository(store.path).segments("alpha").worlds[0]


def same(one: WorldSegments, other: WorldSegments) -> bool:
    plain = one.segments.to_pydict() == other.segments.to_pydict()
    names = one.segments.column_names == other.segments.column_names
    return plain and names and one.to_json() == other.to_json()


def test_a_copy_is_what_merging_gives(kept, merged_worlds):
    store, path = kept
    read = only(store)
    assert merged_worlds == []
    path.unlink()
    made = only(store)
    assert merged_worlds == [0]
    assert same(read, made) and read.segments.num_rows == 17
    assert only_file(store).exists()  # asked for once, it is there again
    assert same(only(store), made) and merged_worlds == [0]


def test_what_an_estimate_needs_is_read_without_the_rest(kept, merged_worlds):
    store, _ = kept
    (world,) = store.run_tables("alpha").worlds
    assert "wait_bins" not in world.segments.column_names
    assert "wait_min_bins" in world.segments.column_names
    assert "wait_bins" in store.segments("alpha").worlds[0].segments.column_names
    assert merged_worlds == []


def test_a_rank_that_comes_late_makes_a_copy_stale(store, spool, merged_worlds):
    for rank in range(3):
        make_loop(rank).write(spool)
    store.ingest([spool])
    assert only(store).missing == [3] and merged_worlds == [0]
    make_loop(3).write(spool)
    store.ingest([spool])
    assert only(store).missing == [] and only(store).ranks == [0, 1, 2, 3]
    assert merged_worlds == [0, 0]


def test_a_key_is_of_processes_revisions_and_what_retention_took():
    one, two = (MpiWorld(0, "w", 2, False, own, list(range(len(own)))) for own in ([7], [7, 8]))
    rows = [pa.table({"process": [7, 8], "revision": [number, 1]}) for number in (1, 2)]
    keys = {
        copies.key_of(world, some, lost) for world in (one, two) for some in rows for lost in (0, 5)
    }
    assert len(keys) == 8


def test_copies_by_other_rules_are_not_believed(kept, merged_worlds, monkeypatch):
    store, _ = kept
    monkeypatch.setattr(copies, "_rules", lambda: "others")
    only(store)
    assert merged_worlds == [0]
    only(store)
    assert merged_worlds == [0]  # it was replaced
    assert only_file(store)


def test_damaged_copies_are_never_believed(kept, merged_worlds):
    store, path = kept
    good, content = only(store), path.read_bytes()
    flipped = [bytearray(content) for _ in range(5)]
    draw = random.Random(4)
    for bad in flipped:
        bad[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    for bad in (*flipped, b"", content[: len(content) // 2], content[:-1], b"PAR1" * 9):
        only_file(store).unlink()
        path.write_bytes(bytes(bad))
        assert same(only(store), good)
    assert len(merged_worlds) == 9


@pytest.mark.parametrize("facts", [None, b"no json", b"[]", b'{"other": 1}'])
def test_whole_files_of_another_jostle_are_passed_over(kept, merged_worlds, facts):
    store, path = kept
    good, stem = only(store), path.stem.rpartition("-")[0]
    path.unlink()
    rows = pa.table({"a": [1]}).replace_schema_metadata(facts and {b"jostle": facts})
    pq.write_table(rows, path)
    digest = hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    path.rename(path.with_name(f"{stem}-{digest}.parquet"))
    assert same(only(store), good) and merged_worlds == [0]


def test_all_that_merging_is_made_of_is_in_the_key():
    package = Path(merge.__file__).parents[1]
    found, left = set(), ["segments/merge", "segments/merge_cache"]
    while left:
        name = left.pop()
        found.add(name)
        text = (package / f"{name}.py").read_text()
        used = re.findall(r"^from jostle\.repository\.(\S+) import", text, re.MULTILINE)
        left += {module.replace(".", "/") for module in used} - found
    assert found <= set(copies._RULES)


def test_a_job_that_cannot_be_merged_ends_no_ingest(store, spool, monkeypatch):
    tried = []

    def broken(*_):
        tried.append(1)
        raise ValueError("hostile")

    monkeypatch.setattr(merger, "merge_world", broken)
    ingester = ingest.Ingester(store.path)
    make_loop(0, world_size=1).write(spool)
    assert ingester.run([spool]).finished == 1
    assert list(ingester.large) == ["alpha"]
    ingester.merge()
    assert tried == [1] and not ingester.large


def test_what_would_fill_the_memory_is_left_to_who_asks(store, spool, monkeypatch):
    monkeypatch.setattr(ingest, "most_rows", lambda: 64)
    make_loop(0, world_size=1).write(spool)  # 65 segments
    store.ingest([spool])
    assert not (store.path / "merged").exists()
    assert only(store).boundaries and only_file(store)


def test_a_follower_merges_alongside_its_work(store, spool, monkeypatch):
    monkeypatch.setattr(follow, "_MERGE_EVERY_S", 0.0)
    for rank in range(4):
        make_loop(rank).write(spool)
    end = time.monotonic() + 60

    def stop():
        return any((store.path / "merged").glob("*.parquet")) or time.monotonic() > end

    store.follow([spool], stop=stop)
    assert only_file(store)


def test_what_cannot_be_kept_is_merged_each_time(store, spool, merged_worlds):
    (store.path / "merged").write_text("no folder")
    make_loop(0, world_size=1).write(spool)
    store.ingest([spool])
    assert only(store).boundaries == only(store).boundaries > 0
    assert len(merged_worlds) == 3


def test_expiry_removes_copies_and_compaction_what_crashes_left(kept, spool):
    store, path = kept
    stray = path.with_name(".0123")
    stray.write_bytes(b"half")
    os.utime(stray, (0, 0))
    store.compact()
    assert path.exists() and not stray.exists()
    newer(store)
    store.expire(3600)
    assert not path.exists()


def test_jobs_that_run_are_not_kept(store, spool):
    make_loop(0, world_size=1).write(spool)
    living_profile(5).write(spool)  # of the same job
    store.ingest([spool])
    assert store.segments("alpha").worlds[0].boundaries
    assert not (store.path / "merged").exists()


def test_small_jobs_are_not_kept(store, spool, monkeypatch):
    monkeypatch.setattr(copies, "WORTH_ROWS", 1000)
    make_loop(0, world_size=1).write(spool)
    store.ingest([spool])
    store.segments("alpha")
    assert not (store.path / "merged").exists()
