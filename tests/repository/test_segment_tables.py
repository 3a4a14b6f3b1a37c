"""Segments, tokens and peers in the repository: incremental, exactly once, kept and dropped."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from children import ended, ingesting
from support import end_job, make_profile, newer
from test_crash import STEPS, kill_at
from test_follow import living_profile, replace

from jostle.repository import Repository
from jostle.repository.ingest import batch_reads
from synth import EPOCH, SECOND
from synth_segments import Segment, Stream, Token, peers_record, random_stream

#: Lines of a child that limit the segments of a batch.
LITTLE = "from jostle.repository.ingest import batch_reads\nbatch_reads._BATCH_SEGMENTS = 30\n"
WORLD = {
    "mpi_state": 4,
    "mpi_adapter": 1,
    "mpi_adapter_name": "openmpi",
    "world": "abc",
    "mpi_library": "Open MPI v4.1.4",
    "thread_level": 3,
    "launcher": "orte",
    "batch": "",
    "mpi_init_ns": EPOCH,
    "mpi_ready_ns": EPOCH + 1,
    "omp_threads": 2,
    "perf_asked": 7,
    "papi_names": ("PAPI_FP_OPS", "", "", ""),
}


def peers(store, job):
    return store.query("SELECT * FROM peers WHERE job = ? ORDER BY process, peer", [job])


def make_rank(rank, size=4, *, seed=0, job="alpha", count=40, ended=True, **header):
    """A profile of a rank with a random stream of segments."""
    mpi = {**WORLD, "world_size": size, "world_rank": rank, **header.pop("mpi", {})}
    profile = make_profile(seed * 100 + rank, job, slices=5, ended=ended, mpi=mpi, **header)
    stream = random_stream(seed * 100 + rank, count, mpi["mpi_init_ns"])
    stream.into(profile, in_records=count // 2, overlap=2)
    return profile, stream


def make_loop(rank, *, level=0, job="alpha", count=64, start_ns=EPOCH, seed=0, **mpi):
    """A rank of a program whose loop ends with an Allreduce, every 2^level-th of which it keeps."""
    profile, _ = make_rank(
        rank, seed=seed, job=job, count=0, start_ns=start_ns, mpi={"mpi_init_ns": start_ns, **mpi}
    )
    stream = Stream(start_ns)
    stream.add_token(Token(1, 0xABC))
    step = 1 << level
    for i in range(count // step):
        stream.add(
            Segment(
                100_000_000 * step,
                "coalesced",
                level,
                1,
                step,
                (i + 1) * step * 7 % 65536,
                step,
                5 if i == 0 else None,
                {"sends": step, "cpu_ns": 4096 * step},
                occurrence=(i + 1) * step,
            )
        )
    stream.add(Segment(1_000_000, "final", sequence_hash=count * 7 % 65536))
    stream.into(profile, in_records=count // step // 2)
    return profile


def rows_of(store, job="alpha"):
    rows = store.process_segments(job).to_pylist()
    for row in rows:
        del row["job"]
    return rows


def expected(found):
    """The expected rows of (process id, stream) pairs."""
    return [
        {"process": key, **row}
        for key, stream in sorted(found, key=lambda pair: pair[0])
        for row in stream.segments
    ]


def plain(rows):
    return [{name: row[name] for name in sorted(row)} for row in rows]


def key(store, rank):
    sql = "SELECT process FROM processes WHERE world_rank = ?"
    return store.query(sql, [rank])["process"][0].as_py()


def test_every_segment_and_token_comes_back(store, spool):
    made = [make_rank(rank) for rank in range(3)]
    for profile, _ in made:
        profile.write(spool)
    report = store.ingest([spool])
    streams = [(key(store, rank), stream) for rank, (_, stream) in enumerate(made)]
    assert plain(rows_of(store)) == plain(expected(streams))
    assert report.segments == sum(len(s.segments) for _, s in made)
    tokens = {
        (t["hash"], t["function"], t["bytes"], t["site"], t["module"])
        for _, s in made
        for t in s.tokens
    }
    shown = store.tokens("alpha").to_pylist()
    assert {(t["hash"], t["function"], t["bytes"], t["site"], t["module"]) for t in shown} == tokens
    assert len(shown) == len(tokens)
    assert store.ingest([spool]).segments == 0


def test_headers_of_mpi_are_in_processes(store, spool):
    make_rank(2)[0].write(spool)
    make_profile(7, "plain").write(spool)
    store.ingest([spool])
    row = store.job_processes("alpha").to_pylist()[0]
    for name, value in WORLD.items():
        assert row[name] == (["PAPI_FP_OPS"] if name == "papi_names" else value), name
    assert row["world_size"] == 4 and row["world_rank"] == 2
    assert row["spawned"] is False
    assert store.job_processes("plain").to_pylist()[0]["world_size"] == 0
    assert store.segments("plain").worlds == ()
    assert store.job_tables("plain").segments is None


def test_peers_come_once_when_the_process_is_over(store, spool):
    profile = living_profile(3)
    profile.mpi = {**WORLD, "world_size": 2, "world_rank": 1}
    profile.records.append(peers_record([(0, 3, 300, 2, 200), (2**32 - 1, 1, 10, 0, 0)]))
    profile.write(spool)
    store.ingest([spool])
    assert peers(store, profile.job).num_rows == 0
    end_job(profile, time.time_ns() // profile.slice_ns)
    os.kill(profile.pid, signal.SIGKILL)
    os.waitpid(profile.pid, 0)
    replace(profile, spool)
    store.ingest([spool])
    store.ingest([spool])
    rows = peers(store, profile.job).to_pylist()
    assert [
        (r["peer"], r["sent_ops"], r["sent_bytes"], r["recv_ops"], r["recv_room"]) for r in rows
    ] == [(0, 3, 300, 2, 200), (2**32 - 1, 1, 10, 0, 0)]


def test_segments_of_a_living_process_are_taken_as_they_come(store, spool):
    profile = living_profile(5)
    begin = profile.start_ns
    profile.mpi = {**WORLD, "mpi_state": 2, "world_size": 1, "mpi_init_ns": begin}
    full = random_stream(9, 60, begin)
    cut = Stream(begin)
    for part in (10, 10, 31, 60):
        cut.entries = full.entries[:part]
        del profile.records[:]
        cut.into(profile, in_records=part * 2 // 3)
        replace(profile, spool)
        store.ingest([spool])
        shown = store.process_segments(profile.job)["number"].to_pylist()
        assert shown == [s["number"] for s in full.segments if s["number"] < part]
    end_job(profile, time.time_ns() // profile.slice_ns)
    replace(profile, spool)
    store.ingest([spool])
    found = [(store.job_processes(profile.job)["process"][0].as_py(), full)]
    assert plain(rows_of(store, profile.job)) == [
        row for row in plain(expected(found)) if row["number"] < 60
    ]


def test_more_segments_than_fit_into_a_batch(store, spool, monkeypatch):
    monkeypatch.setattr(batch_reads, "_BATCH_SEGMENTS", 7)
    made = [make_rank(rank) for rank in range(3)]
    for profile, _ in made:
        profile.write(spool)
    report = store.ingest([spool])
    assert report.commits > 5
    streams = [(key(store, rank), stream) for rank, (_, stream) in enumerate(made)]
    assert plain(rows_of(store)) == plain(expected(streams))
    slices = store.query("SELECT count(*) n FROM slices").to_pylist()[0]["n"]
    assert slices == sum(len(p.rows) + (p.remainder is not None) for p, _ in made)
    assert store.job_processes("alpha")["complete"].to_pylist() == [True] * 3


@pytest.mark.in_turn
@pytest.mark.parametrize("step", STEPS[:4])
@pytest.mark.parametrize("count", [1, 4, 9])
def test_killed_at_every_step(tmp_path, spool, step, count):
    made = [make_rank(rank) for rank in range(4)]
    for profile, _ in made:
        profile.write(spool)
    prelude = kill_at(step, count) + LITTLE
    child = ingesting(tmp_path / "repository", spool, prelude)
    assert ended(child) in (-signal.SIGKILL, 0)
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([spool])
    streams = [(key(store, rank), stream) for rank, (_, stream) in enumerate(made)]
    assert plain(rows_of(store)) == plain(expected(streams))


def test_compaction_and_export_keep_them(store, spool, tmp_path):
    made = []
    for rank in range(4):
        made.append(make_rank(rank))
        made[-1][0].write(spool)
        store.ingest([spool])
    before, tokens = rows_of(store), store.tokens("alpha").to_pylist()
    report = store.compact()
    assert report.files_after < report.files_before
    fresh = Repository(store.path)
    assert rows_of(fresh) == before
    assert fresh.tokens("alpha").to_pylist() == tokens
    for what in ("segments", "tokens", "peers"):
        for form in ("parquet", "csv", "json"):
            out = tmp_path / f"{what}.{form}"
            rows = fresh.export(what, form, out, job="alpha").rows
            assert rows == {"segments": len(before), "tokens": len(tokens), "peers": 0}[what]


def test_expiry_drops_them_with_their_job(store, spool):
    make_rank(0)[0].write(spool)
    store.ingest([spool])
    assert store.process_segments("alpha").num_rows
    newer(store)
    store.expire(3600)
    assert store.process_segments("alpha").num_rows == 0
    assert store.tokens("alpha").num_rows == 0
    os.utime(next(spool.iterdir()))
    store.ingest([spool])
    assert store.process_segments("alpha").num_rows == 0


def test_a_job_is_merged_and_digested(store, spool):
    for rank in range(4):
        make_loop(rank, level=rank % 3).write(spool)
    store.ingest([spool])
    found = store.segments("alpha")
    (world,) = found.worlds
    assert world.boundaries == 17 and world.agreement == 1
    assert world.segments["sends"].to_pylist() == [16] * 16 + [0]
    assert world.segments["duration_ns"].to_pylist() == [400_000_000] * 16 + [1_000_000]
    assert world.verdict == "segmented" and world.coverage == pytest.approx(1)
    assert world.world == "abc" and world.ranks == [0, 1, 2, 3]
    assert world.segments["function"][0].as_py() == "MPI_Allreduce"
    assert store.job_tables("alpha").segments is found  # merged once


def test_worlds_of_spawns_and_of_several_runs(store, spool):
    for rank in range(2):
        make_loop(rank, world_size=2).write(spool)
    for turn in range(3):  # the same two ranks are spawned three times
        for rank in range(2):
            begin = EPOCH + (turn + 1) * SECOND
            make_loop(rank, seed=turn + 1, start_ns=begin, world_size=2, spawned=1).write(spool)
    make_loop(0, seed=8, world="other", world_size=2).write(spool)
    store.ingest([spool])
    table = store.worlds("alpha").to_pylist()
    worlds = store.segments("alpha").worlds
    assert len(worlds) == 5
    assert sorted(w.spawned for w in worlds) == [False, False, True, True, True]
    assert [w.missing for w in worlds if w.world == "other"] == [[1]]
    assert len(table) == 9
    assert all(w.boundaries == 65 for w in worlds)


def test_a_name_that_comes_back_is_another_job(store, spool):
    hour = 3600 * SECOND
    name = "mpi-1a2b3c4d"
    for turn, start in enumerate((EPOCH, EPOCH + hour, EPOCH + 2 * hour)):
        for rank in range(2):
            make_loop(rank, job=name, seed=turn, start_ns=start).write(spool)
        if turn == 0:
            store.ingest([spool])
    store.ingest([spool])  # two new ones at once
    Repository(store.path).ingest([spool])
    jobs = store.query("SELECT job, processes FROM jobs ORDER BY job").to_pylist()
    assert [(j["job"], j["processes"]) for j in jobs] == [
        (name, 2),
        (f"{name}@2", 2),
        (f"{name}@3", 2),
    ]
    assert store.newest(name) == f"{name}@3"
    for job in jobs:
        assert store.query("SELECT DISTINCT job FROM slices WHERE job = ?", [job["job"]]).num_rows
        assert store.segments(job["job"]).worlds[0].boundaries == 65


def test_ranks_that_start_late_belong_to_their_job(store, spool):
    name = "mpi-1a2b3c4d"
    make_loop(0, job=name).write(spool)
    store.ingest([spool])
    make_loop(1, job=name, start_ns=EPOCH + 200 * SECOND).write(spool)
    make_loop(1, job="mine", start_ns=EPOCH + 9999 * SECOND).write(spool)
    store.ingest([spool])
    assert sorted(store.jobs()["job"].to_pylist()) == ["mine", name]


def test_a_spool_is_read_without_a_repository(spool):
    for rank in range(4):
        make_loop(rank).write(spool)
        make_profile(50 + rank, job="beta").write(spool)
    with Repository.of_spool(spool) as store:
        folder = store.path
        assert sorted(store.jobs()["job"].to_pylist()) == ["alpha", "beta"]
        assert store.segments("alpha").worlds[0].boundaries == 65
    assert not folder.exists()
    with Repository.of_spool([spool], job="beta") as store:
        assert store.jobs()["job"].to_pylist() == ["beta"]
        assert store.newest("beta") == "beta"
    assert len(list(spool.iterdir())) == 8


def test_hostile_times_are_left_out(store, spool):
    profile, _ = make_rank(0, mpi={"mpi_init_ns": 5})
    profile.write(spool)
    report = store.ingest([spool])
    assert any("left out" in text for text in report.warnings)
    assert store.process_segments("alpha").num_rows == 0


def test_a_repository_of_the_earlier_version_stays_readable(tmp_path, spool):
    """Its files lack columns and tables; its log has positions of three numbers."""
    root = earlier_repository(tmp_path / "earlier", spool)
    store = Repository(root)
    (row,) = store.job_processes("old").to_pylist()
    assert row["world_size"] is None and row["papi_names"] is None
    assert store.segments("old").worlds == ()
    assert store.process_segments("old").num_rows == 0
    assert store.tokens("old").num_rows == peers(store, "old").num_rows == 0
    make_loop(0).write(spool)
    store.ingest([spool])
    store.compact()
    assert store.segments("alpha").worlds[0].boundaries == 65
    assert store.job_processes("old").to_pylist()[0]["world_size"] is None


def earlier_repository(root: Path, spool: Path) -> Path:
    """A repository as version 0.1.0 wrote it: made today, then stripped of what is new."""
    import json

    import pyarrow.parquet as pq

    from jostle.repository.store.layout import MPI_COLUMNS
    from jostle.repository.store.profile_positions import Position, unpack

    make_profile(1, "old").write(spool)
    living = living_profile(2)
    living.job = "living"
    living.add_slice(living.first_slice, {"os_user_ns": 5})
    living.write(spool)
    Repository(root, create=True).ingest([spool])
    for path in root.glob("processes/*.parquet"):
        rows = pq.read_table(path)
        pq.write_table(rows.drop_columns(list(MPI_COLUMNS)), path)
    for path in root.glob("commits/*.json"):
        commit = json.loads(path.read_text())
        del commit["sum"], commit["number"]
        commit["add"] = [file[:6] for file in commit["add"]]  # no sum of its content
        commit["version"] = 1
        commit["advance"] = {
            str(key): [at.records, at.revision, at.row_slice] if isinstance(at, Position) else None
            for key, at in unpack(commit["advance"]).items()
        }
        commit["forget"] = []
        path.write_text(json.dumps(commit))
    for path in list(spool.iterdir()):
        path.unlink()
    return root


def test_random_streams_survive_following(store, spool):
    rng = random.Random(4)
    profile = living_profile(6)
    profile.mpi = {**WORLD, "mpi_state": 2, "world_size": 1, "mpi_init_ns": profile.start_ns}
    full = random_stream(11, 200, profile.start_ns)
    cut = Stream(profile.start_ns)
    at = 0
    while at < 200:
        at = min(at + rng.randrange(1, 60), 200)
        cut.entries = full.entries[:at]
        del profile.records[:]
        cut.into(profile, in_records=rng.randrange(at + 1))
        replace(profile, spool)
        Repository(store.path).ingest([spool])
    shown = store.process_segments(profile.job)["number"].to_pylist()
    assert shown == [s["number"] for s in full.segments if s["number"] < 200]


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize(
    ("events", "work"),
    [
        (("PAPI_FP_OPS", "PAPI_L2_DCM", "", ""), True),
        (("PAPI_TOT_INS", "", "", ""), True),
        (("PAPI_VEC_DP", "", "", ""), True),
        (("perf::INSTRUCTIONS:u", "", "", ""), True),
        (("FP_ARITH_INST_RETIRED:SCALAR_DOUBLE", "", "", ""), True),
        (("PAPI_TOT_CYC", "PAPI_FP_OPS", "", ""), False),
        (("PAPI_L2_DCM", "", "", ""), False),
        (("PAPI_FP_STAL", "", "", ""), False),
        (("INSTRUCTION_CACHE_MISSES", "", "", ""), False),
        (("", "", "", ""), False),
    ],
)
def test_only_what_counts_operations_stands_for_work(store, spool, monkeypatch, events, work, old):
    if old:  # what an older version has put into the repository
        monkeypatch.setattr("jostle.repository.segments.rows.counts_work", lambda _names: True)
    for rank in range(2):
        profile, _ = make_rank(rank, 2, count=0, mpi={"papi_names": events})
        stream = Stream(EPOCH)
        stream.add_token(Token(1, 0xABC))
        for i in range(6):
            stream.add(Segment(10_000_000, token=1, globals=i + 1, values={"flops": 1000 + i}))
        stream.into(profile, in_records=3)
        profile.write(spool)
    store.ingest([spool])
    reported = 1000 if work else 0
    if not old:
        assert rows_of(store)[0]["flops"] == reported
    (world,) = store.segments("alpha").worlds
    assert world.segments["flops"].to_pylist()[0] == 2 * reported
    again = Repository(store.path).segments("alpha").worlds[0]
    assert again.segments["flops"].to_pylist()[0] == 2 * reported
