"""Ingest: the content of profiles is in the tables, exactly once, and sums are plain sums."""

from __future__ import annotations

import gc
import os
import random
import struct
import subprocess
import time
import uuid
from pathlib import Path

import pytest
from support import (
    MOVED,
    SHARED,
    SLICE,
    all_rows,
    end_job,
    expected_keys,
    key_of,
    make_profile,
    make_shorts,
    plain_rollup,
    plain_total,
    random_moves,
    stored_keys,
    write_all,
)

from jostle.reader import ProfileError
from jostle.repository import Repository, RepositoryError
from jostle.repository.ingest import ingest as ingest_module
from jostle.repository.ingest.fair_batches import batches, rare_collections
from jostle.repository.ingest.spool import HeaderPeek
from jostle.repository.store.layout import mount_identity
from synth import EPOCH, SECOND, Profile
from synth_random import flip


@pytest.fixture
def profiles(spool: Path) -> list[Profile]:
    made = [make_profile(seed, job="alpha" if seed % 2 else "beta") for seed in range(12)]
    write_all(spool, made)
    return made


def test_every_slice_once_and_again_nothing(store, spool, profiles):
    report = store.ingest([spool])
    assert (report.profiles, report.changed, report.finished) == (12, 12, 12)
    assert report.slices == sum(len(all_rows(p)) for p in profiles)
    assert stored_keys(store) == expected_keys(profiles)
    again = store.ingest([spool])
    assert (again.slices, again.commits, again.changed) == (0, 0, 0)
    assert stored_keys(store) == expected_keys(profiles)


@pytest.fixture(scope="module")
def twelve(tmp_path_factory) -> tuple[Repository, list[Profile]]:
    """A repository that tests only read, and what is in it."""
    folder = tmp_path_factory.mktemp("twelve")
    made = [make_profile(seed, job="alpha" if seed % 2 else "beta") for seed in range(12)]
    write_all(folder / "spool", made)
    store = Repository(folder / "repository", create=True)
    store.ingest([folder / "spool"])
    return store, made


@pytest.mark.parametrize("metric", MOVED)
def test_rollup_is_a_plain_sum(twelve, metric):
    store, profiles = twelve
    rows = store.query(
        f"SELECT job, mount, slice, count, {metric}_sum s, {metric}_min lo, {metric}_max hi "
        "FROM rollup"
    ).to_pylist()
    found = {
        (r["job"], r["mount"], r["slice"]): (r["s"], r["lo"], r["hi"], r["count"]) for r in rows
    }
    plain = plain_rollup(profiles, metric)
    assert found == {key: (sum(v), min(v), max(v), len(v)) for key, v in plain.items()}


@pytest.mark.parametrize("metric", ["posix_write_bytes", "os_user_ns", "posix_write_size"])
def test_totals(twelve, metric):
    store, profiles = twelve
    table = "mount_slices" if metric == "posix_write_bytes" else "slices"
    value = f"list_sum({metric}::BIGINT[])" if metric.endswith("size") else metric
    total = store.query(f"SELECT sum({value}) AS n FROM {table}").to_pylist()[0]["n"]
    assert total == plain_total(profiles, metric)


def test_slices_carry_what_the_profile_says(store, spool):
    profile = make_profile(3)
    profile.write(spool)
    store.ingest([spool])
    rows = store.job_slices("alpha").to_pylist()
    for row, truth in zip(rows, all_rows(profile), strict=True):
        assert (row["process"], row["host"]) == (key_of(profile), profile.host)
        assert (row["slice"], row["span"], row["slice_ns"]) == (truth.slice, truth.span, SLICE)
        assert row["os_user_ns"] == truth.values.get("os_user_ns", 0)
        assert row["os_rss_bytes"] == truth.values["os_rss_bytes"]
        assert row["posix_write_size"] == list(truth.values.get("posix_write_size", [0] * 32))
        assert row["posix_read_size"] == [0] * 32
    mounted = store.job_mount_slices("alpha").to_pylist()
    written = sum(row["posix_write_bytes"] for row in mounted)
    assert written == plain_total([profile], "posix_write_bytes")
    assert {row["mount"] for row in mounted} == {"nfs:server:/scratch", f"{profile.host}:/dev/vda"}


def test_a_growing_profile(store, spool):
    profile = make_profile(1, ended=False, slices=0)
    profile.boot_id = own_boot_id()
    runs = subprocess.Popen(["sleep", "600"])  # as if it were this process's
    profile.pid, profile.proc_start = runs.pid, start_of(runs.pid)
    rng = random.Random(7)
    for number in range(6):
        profile.add_slice(profile.first_slice + number, random_moves(rng))
        profile.set_remainder(random_moves(rng))
        profile.node_samples = (number, 0, 2)
        profile.bindings = [*profile.bindings, (str(number), "0", "0-7", "0-1")]
        profile.write(spool)
        report = store.ingest([spool])
        assert (report.slices, report.finished) == (1, 0)
        assert stored_keys(store) == expected_keys([profile], remainder=False)
        assert store.jobs().to_pylist()[0]["running"]
    end_job(profile, profile.first_slice + 6)
    profile.write(spool)
    assert store.ingest([spool]).finished == 0  # it counts until it is gone
    assert store.jobs().to_pylist()[0]["running"]
    runs.kill()
    runs.wait()
    assert store.ingest([spool]).finished == 1
    assert stored_keys(store) == expected_keys([profile])
    assert store.query("SELECT sum(posix_write_bytes) n FROM mount_slices").to_pylist() == [
        {"n": plain_total([profile], "posix_write_bytes")}
    ]
    mounts = store.query("SELECT DISTINCT mount FROM mount_slices").to_pylist()
    assert {r["mount"] for r in mounts} == {"nfs:server:/scratch", f"{profile.host}:/dev/vda"}
    levels = [row["os_rss_bytes"] for row in store.job_slices("alpha").to_pylist()]
    assert levels == [row.values["os_rss_bytes"] for row in all_rows(profile)]
    job = store.jobs().to_pylist()[0]
    assert not job["running"]
    assert job["end_ns"] == profile.end_ns
    columns = "allowed_cpus, allowed_nodes, group_cpus, group_nodes, node_samples"
    bound = store.query(f"SELECT {columns} FROM processes")
    assert list(bound.to_pylist()[0].values()) == [
        "5",
        "0",
        "0-7",
        "0-1",
        [5, 0, 2],
    ]  # where it was last


def test_a_killed_process_loses_nothing(store, spool):
    profile = make_profile(1, ended=False)
    profile.boot_id = own_boot_id()
    profile.pid, profile.proc_start = 2**22 + 1, 1  # no such process
    profile.set_remainder({"posix_write_bytes": {0: 77}})
    profile.write(spool)
    store.ingest([spool])
    assert stored_keys(store) == expected_keys([profile])
    row = store.job_processes("alpha").to_pylist()[0]
    assert (row["complete"], row["end_reason"]) == (True, "killed")


def test_a_copied_profile_counts_once(store, spool, tmp_path):
    profile = make_profile(1)
    profile.write(spool)
    profile.write(tmp_path / "copy", "other-name.jst")
    store.ingest([spool, tmp_path / "copy"])
    store.ingest([tmp_path / "copy"])
    assert stored_keys(store) == expected_keys([profile])


def test_short_processes(store, spool):
    make_profile(0, host="node0").write(spool)  # names the device of their mount
    shorts = make_shorts(number=5)
    shorts.write(spool)
    report = store.ingest([spool])
    assert report.finished == 6
    rows = store.query(
        "SELECT p.pid, s.slice, s.span, s.os_user_ns, m.mount, m.posix_write_bytes "
        "FROM processes p JOIN slices s USING (process) JOIN mount_slices m USING (process) "
        "WHERE short ORDER BY p.pid"
    ).to_pylist()
    assert [(r["pid"], r["slice"], r["span"], r["os_user_ns"]) for r in rows] == [
        (short.pid, row.slice, row.span, row.values["os_user_ns"])
        for short, row in zip(shorts.shorts, shorts.rows, strict=True)
    ]
    assert {r["mount"] for r in rows} == {"nfs:server:/scratch"}
    # Appended to, only the new ones come in.
    more = make_shorts(number=8)
    more.write(spool)
    assert store.ingest([spool]).finished == 3
    assert store.ingest([spool]).finished == 0
    assert store.query("SELECT count(*) n FROM processes WHERE short").to_pylist() == [{"n": 8}]


def test_different_slice_lengths(store, spool):
    fast = make_profile(1, job="fast", slice_ns=SECOND)
    slow = make_profile(2, job="slow", slice_ns=60 * SECOND)
    write_all(spool, [fast, slow])
    store.ingest([spool])
    assert stored_keys(store) == expected_keys([fast, slow])
    assert {(r["job"], r["slice_ns"]) for r in store.jobs().to_pylist()} == {
        ("fast", SECOND),
        ("slow", 60 * SECOND),
    }


def test_partitions_by_hour_and_day(store, spool):
    profile = Profile(job="night", end_ns=EPOCH + 30 * 3600 * SECOND, end_reason=1)
    profile.add_mount(0)
    for hour in range(30):
        at = profile.first_slice + hour * 900
        profile.add_slice(at, {"posix_write_bytes": {0: hour + 1}, "os_user_ns": 1})
    profile.write(spool)
    store.ingest([spool])
    folders = {path.parent for path in (store.path / "slices").rglob("*.parquet")}
    assert len(folders) == 30
    assert all("hour=" in folder.name and "date=" in folder.parent.name for folder in folders)
    assert len(list((store.path / "rollup").glob("date=*"))) == 3
    assert stored_keys(store) == expected_keys([profile])


def test_zeros_cost_nothing(store, spool):
    import pyarrow.parquet as pq

    make_profile(1).write(spool)
    store.ingest([spool])
    columns = set()
    for path in (store.path / "mount_slices").rglob("*.parquet"):
        columns |= set(pq.ParquetFile(path).schema_arrow.names)
    assert "posix_write_bytes" in columns
    assert "error_io_ops" not in columns
    row = store.query("SELECT error_io_ops FROM mount_slices LIMIT 1").to_pylist()[0]
    assert row == {"error_io_ops": 0}


def test_values_are_split_into_bytes(store, spool):
    import pyarrow.parquet as pq

    make_profile(1).write(spool)
    store.ingest([spool])
    (path,) = (store.path / "mount_slices").rglob("*.parquet")
    group = pq.ParquetFile(path).metadata.row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    encodings = {column.path_in_schema: column.encodings for column in columns}
    assert "BYTE_STREAM_SPLIT" in encodings["posix_write_bytes"]
    assert "DELTA_BINARY_PACKED" in encodings["slice"]


def test_remove_takes_only_finished_profiles(store, spool):
    done = make_profile(1)
    alive = make_profile(2, ended=False)
    alive.boot_id = own_boot_id()
    alive.pid, alive.proc_start = own_process()
    write_all(spool, [done, alive])
    report = store.ingest([spool], remove=True)
    assert report.removed == 1
    assert [path.name for path in spool.iterdir()] == [alive.name]
    assert stored_keys(store) == sorted(
        expected_keys([done]) + expected_keys([alive], remainder=False)
    )


def test_an_ingester_forgets_files_that_are_gone(store, spool):
    ingester = ingest_module.Ingester(store.path, remove=True)
    now = time.time_ns()
    life = {"start_ns": now - 100 * SLICE, "heartbeat_ns": now}
    make_profile(1, ended=False, **life).write(spool)
    ingester.run([spool])
    assert len(ingester._bookmarks.known) == 1  # where the next pass goes on
    make_profile(1, **life).write(spool)
    ingester.run([spool])
    ingester.run([spool])
    memories = (ingester._bookmarks.known, ingester._taken, ingester._over, ingester._written)
    assert not any(memories)


def test_a_pass_leaves_the_collection_of_garbage_as_it_was(store, spool, monkeypatch):
    make_profile(1).write(spool)
    seen = []
    ingester = ingest_module.Ingester(store.path)
    plain = ingest_module.list_spools

    def noted(*args):
        seen.append(gc.get_threshold())
        return plain(*args)

    monkeypatch.setattr(ingest_module, "list_spools", noted)
    before = gc.get_threshold()
    ingester.run([spool])
    assert seen[0][0] > before[0]
    assert gc.get_threshold() == before
    first, second = rare_collections(), rare_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)  # passes of two threads end in any order
    assert gc.get_threshold() == seen[0]
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before


def test_batches_are_of_what_is_new():
    """A file that was taken but for its end is no large file."""
    items = [
        HeaderPeek(Path(str(number)), None, 0, 0, False, 10 << 20, (0, 0, 0))
        for number in range(100)
    ]
    assert len(batches(items, lambda item: item.bytes)) > 10
    assert len(batches(items, lambda item: 500)) == 1


def test_damaged_files_do_not_stop_the_others(store, spool):
    good = make_profile(1)
    good.write(spool)
    (spool / "junk.1.1.jst").write_bytes(b"this is no profile" * 1000)
    (spool / "empty.1.1.jst").write_bytes(b"")
    data = make_profile(2).encode()
    (spool / "cut.1.1.jst").write_bytes(data[: len(data) - 9])
    (spool / "junk.jss").write_bytes(bytes(range(256)) * 10)
    report = store.ingest([spool])
    assert set(expected_keys([good])) <= set(stored_keys(store))
    assert len(report.warnings) >= 3
    assert any("junk.1.1.jst" in text for text in report.warnings)
    store.ingest([spool])
    assert len(stored_keys(store)) == len(set(stored_keys(store)))


def test_what_was_refused_is_read_again_when_it_changes(store, spool, monkeypatch):
    """A follower makes a pass every two seconds: it decodes and reports a damaged file once."""
    read = []

    def counted(function):
        def call(requests, most):
            read.extend(request.path.name for request in requests)
            return function(requests, most)

        return call

    for name in ("read_profiles", "read_machines"):
        monkeypatch.setattr(ingest_module, name, counted(getattr(ingest_module, name)))
    newer = make_profile(1)
    data = bytearray(newer.encode())
    struct.pack_into("<I", data, 8, 99)  # the version of the format
    long_ago = time.time() - 3600
    contents = {
        newer.name: bytes(data),
        "x.1.1.jst": b"this is no profile" * 1000,
        "x.jsm": b"this is no profile" * 1000,
    }
    for name, content in contents.items():
        (spool / name).write_bytes(content)
        os.utime(spool / name, (long_ago, long_ago))
    ingester = ingest_module.Ingester(store.path)
    report = ingester.run([spool])
    assert len(report.warnings) == 3
    assert any("a newer jostle wrote it" in text for text in report.warnings)
    assert sorted(read) == sorted(contents)
    assert ingester.run([spool]).warnings == []
    assert sorted(read) == sorted(contents), "they were not decoded again"
    os.utime(spool / "x.jsm", (long_ago + 1, long_ago + 1))
    newer.write(spool)
    assert len(ingester.run([spool]).warnings) == 1
    assert sorted(read) == sorted([*contents, newer.name, "x.jsm"])
    assert stored_keys(store) == expected_keys([newer])


def test_a_file_that_is_being_created_is_read_in_each_pass(store, spool):
    """Its process may write through a mapping, which may change neither size nor time."""
    profile = make_profile(1)
    path = spool / profile.name
    path.write_bytes(bytes(len(profile.encode())))
    os.utime(path)
    before = path.stat().st_mtime_ns
    ingester = ingest_module.Ingester(store.path)
    assert len(ingester.run([spool]).warnings) == 1
    path.write_bytes(profile.encode())
    os.utime(path, ns=(before, before))
    ingester.run([spool])
    assert stored_keys(store) == expected_keys([profile])


def test_absurd_times_are_refused(store, spool):
    future = make_profile(1, start_ns=EPOCH * 4)
    future.write(spool)
    tiny = make_profile(2, slice_ns=10)
    tiny.write(spool)
    report = store.ingest([spool])
    assert report.slices == 0
    assert len(report.warnings) == 2


def test_a_huge_span_stays_bounded(store, spool):
    profile = Profile(job="stopped", end_ns=EPOCH + SECOND, end_reason=1, slice_ns=SECOND // 10)
    profile.add_mount(0)
    profile.add_slice(profile.first_slice, {"posix_write_bytes": {0: 10**6 + 1}}, 500_000)
    profile.write(spool)
    store.ingest([spool])
    rows = store.query("SELECT count(*) n, sum(posix_write_bytes_sum) s FROM rollup").to_pylist()
    assert rows == [{"n": 200_000, "s": 10**6 + 1}]


def test_an_unreadable_spool_says_so(store, tmp_path):
    with pytest.raises(ProfileError) as error:
        store.ingest([tmp_path / "nowhere"])
    assert error.value.hint


def test_profiles_of_other_users(store, spool, monkeypatch):
    """One line about them; only when there is nothing else is it an error."""
    mine, other = make_profile(1), make_profile(2)
    write_all(spool, [mine, other])
    plain_open = os.open

    def guarded(path, *args, **kw):
        if str(path).endswith(other.name):
            raise PermissionError(13, "Permission denied", str(path))
        return plain_open(path, *args, **kw)

    monkeypatch.setattr(os, "open", guarded)
    report = store.ingest([spool])
    assert stored_keys(store) == expected_keys([mine])
    assert len(report.warnings) == 1
    assert "be that user, or root" in report.warnings[0]
    (spool / mine.name).unlink()
    with pytest.raises(RepositoryError, match="No permission") as error:
        Repository(store.path).ingest([spool])
    assert error.value.hint


def test_mount_identity():
    assert mount_identity("n1", "/scratch", "nfs4", "srv:/x") == "nfs:srv:/x"
    assert mount_identity("n1", "/s", "nfs", "srv:/x") == "nfs:srv:/x"
    assert mount_identity("n1", "/s", "fuse.sshfs", "srv:/x") == "sshfs:srv:/x"
    assert mount_identity("n1", "/l", "lustre", "mgs@tcp:/l") == "lustre:mgs@tcp:/l"
    # A source that names no file system: two of them at two places are two.
    assert mount_identity("n1", "/s", "fuse.ceph-fuse", "ceph-fuse") == "ceph-fuse:/s"
    assert mount_identity("n1", "/data", "ext4", "/dev/sda1") == "n1:/dev/sda1"
    assert mount_identity("n1", "/tmp", "tmpfs", "tmpfs") == "n1:/tmp"
    assert mount_identity("n1", "", "", "") == "n1:other"
    assert mount_identity("n1", "/s", "ext4", "/run/jostle-lab/a/dev/disk") == "lab:a/dev/disk"


def own_boot_id():
    return uuid.UUID(Path("/proc/sys/kernel/random/boot_id").read_text().strip())


def own_process() -> tuple[int, int]:
    return os.getpid(), start_of(os.getpid())


def start_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def test_repository_is_a_repository(tmp_path):
    assert Repository(tmp_path / "r", create=True).jobs().num_rows == 0


HOSTILE = [
    {"start_ns": 2**64 - 1},
    {"end_ns": 2**64 - 1},
    {"heartbeat_ns": 2**64 - 1},
    {"slice_ns": 0},
    {"slice_ns": 2**63},
    {"lost_threads": 2**64 - 1},
    {"clock_error_us": 2**32 - 1},
    {"host": "\udcff\x1b[31m"},
]


def test_hostile_headers_harm_nobody(store, spool):
    good = make_profile(1, job="good")
    good.write(spool)
    for number, header in enumerate(HOSTILE):
        write_hostile(spool, make_profile(2 + number, job="bad"), header)
    store.ingest([spool])
    assert set(expected_keys([good])) <= set(stored_keys(store))
    assert store.series("good", "posix_write_bytes").num_rows
    assert store.jobs().num_rows
    store.background("good", "posix_write_bytes")
    store.compact()
    store.ingest([spool])


@pytest.mark.parametrize("span", [1, 3, 5, 2**31 - 1])
def test_a_record_that_ends_beyond_all_numbers_is_left_out(store, spool, span):
    """Its end would be negative as a number of 64 bits: a slice before all others."""
    bad = Profile(job="bad", pid=9)
    bad.add_mount(0, **SHARED)
    bad.add_slice(2**63 - 3, {"posix_write_bytes": {0: 1}, "os_user_ns": 10**6}, span)
    bad._expected = bad.first_slice + 1  # of the header's commit, which has no room for it
    bad.write(spool)
    report = store.ingest([spool])
    assert "in the future" in report.warnings[0]
    for table in ("slices", "mount_slices", "rollup"):
        assert store.query(f"SELECT * FROM {table}").num_rows == 0, table


def write_hostile(spool: Path, bad: Profile, header: dict) -> None:
    """Writes a profile with a header that no runtime writes."""
    data = bytearray(bad.encode())
    offsets = {
        "start_ns": 72,
        "end_ns": 2072,
        "heartbeat_ns": 2064,
        "slice_ns": 64,
        "lost_threads": 2096,
    }
    name, value = next(iter(header.items()))
    if name in offsets:
        struct.pack_into("<Q", data, offsets[name], value)
    elif name == "host":
        data[144:152] = b"\xff\x1b[31m\0\0"
    else:
        struct.pack_into("<I", data, 2092, value)
    (spool / bad.name).write_bytes(data)


def test_long_profiles_come_in_several_commits(store, spool, monkeypatch):
    monkeypatch.setattr(ingest_module, "_BATCH_ROWS", 50)
    made = [make_profile(seed, slices=60) for seed in range(3)]
    made.append(make_profile(9, job="refused", slices=60, start_ns=EPOCH * 4))
    write_all(spool, made)
    shorts = make_shorts("many", 90, host="node7")
    shorts.write(spool)
    report = store.ingest([spool])
    assert report.commits > 6
    rows = store.query("SELECT process, slice FROM slices WHERE job <> 'many'").to_pylist()
    assert sorted((r["process"], r["slice"]) for r in rows) == expected_keys(made[:3])
    assert store.job_processes("many").num_rows == 90
    assert store.job_slices("many").num_rows == 90
    assert sum("refused" in text for text in report.warnings) == 1


def test_absurd_values_are_cut(store, spool):
    good = make_profile(1, job="good", host="node1")
    good.write(spool)
    bad = Profile(job="bad", pid=9, end_ns=EPOCH + SECOND, end_reason=1)
    bad.add_mount(0, **SHARED)
    for at in range(3):
        bad.add_slice(bad.first_slice + at, {"posix_write_bytes": {0: 2**63 - 1}})
    bad.write(spool)
    for _ in range(2):
        store.ingest([spool])
        rows = store.background("good", "posix_write_bytes").to_pylist()
        assert max(row["sum"] for row in rows) == 2**53
        store.compact()
    assert store.query(
        "SELECT sum(posix_write_bytes_sum) n FROM rollup WHERE job = 'bad'"
    ).to_pylist() == [{"n": 3 * 2**53}]


@pytest.mark.in_turn
@pytest.mark.parametrize("seed", range(2))
def test_flipped_bits_never_stop_an_ingest(store, spool, seed):
    rng = random.Random(seed)
    good = make_profile(1, job="good")
    good.write(spool)
    for number in range(40):
        data = make_profile(100 + number, job="bad").encode()
        where = 8 * (4096 if number % 2 else len(data))  # every other one: in the header
        bits = [rng.randrange(where) for _ in range(rng.choice((1, 3, 40)))]
        (spool / f"bad.{number}.1.jst").write_bytes(flip(data, bits))
    for _ in range(2):
        store.ingest([spool])
        assert set(expected_keys([good])) <= set(stored_keys(store))
        assert store.jobs().num_rows
        store.background("good", "posix_write_bytes")
        store.compact()
