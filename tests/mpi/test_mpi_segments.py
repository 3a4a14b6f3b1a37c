"""Execution segments: their ends, lengths, content and storage."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import peek_segments
import pytest
from mpis import Mpi, Mpirun, World

Segment = dict[str, Any]


def program(mpi: Mpi) -> Path:
    return mpi.compiled("segments", "segments.c", flags=("-w",))


def cut(world: World) -> list[list[Segment]]:
    """The segments of each rank, and that they are a whole: no gap, in order."""
    out = []
    for rank in world.ranks:
        found = peek_segments.segments(rank.path)
        assert found
        assert found[0]["start_ns"] == rank.header["mpi_init_ns"]
        out.append(found)
    return out


def run(jostle: Mpirun, mpi: Mpi, ranks: int, what: str, times: int, ms: int, **more: Any) -> World:
    world = jostle.world(mpi, ranks, program(mpi), what, str(times), str(ms), counted="", **more)
    if what not in ("sleepy", "killed"):
        world.agree(ranks=ranks)
    return world


def stamps(world: World, rank: int) -> list[int]:
    """The ends of this rank's delimiters by its own account."""
    return [int(line) for line in world.notes[f"times.{rank}"]]


def close(measured: float, true: float, share: float = 0.05, least: float = 4e6) -> bool:
    return abs(measured - true) <= max(share * true, least)


def right(measured: list[float], true: list[float]) -> bool:
    """Most are right to 5 %, and so is their sum: a rank may lose its core before it looks."""
    good = sum(map(close, measured, true))
    return good >= 0.7 * len(true) and close(sum(measured), sum(true))


@pytest.mark.tries(4)
@pytest.mark.parametrize("ranks", [1, 3])
def test_each_global_collective_ends_a_segment(jostle: Mpirun, mpi: Mpi, ranks: int) -> None:
    world = run(jostle, mpi, ranks, "phases", 10, 100)
    segments = cut(world)
    for rank, found in enumerate(segments):
        assert [s["rule"] for s in found] == ["every"] * 10 + ["final"]
        assert [s["function"] for s in found] == ["MPI_Allreduce"] * 10 + [""]
        assert [s["globals"] for s in found] == [1] * 10 + [0]
        assert [s["sendrecvs"] for s in found] == [1] * 10 + [0]
        assert [s["all_to_all"] for s in found] == [1] * 10 + [0]
        assert [s["collective_bytes"] for s in found] == [16] * 10 + [0]
        ends = stamps(world, rank)
        true = [b - a for a, b in itertools.pairwise(ends)]
        measured = [s["duration_ns"] for s in found[1:10]]
        assert right(measured, true), (measured, true)
        end = world.ranks[rank].header["mpi_finalize_ns"]
        assert close(found[10]["end_ns"], end, 0)
        assert len({s["signature_sum"] for s in found[1:10]}) == 1
        assert len({s["signature_set"] for s in found[1:10]}) == 1
    assert len({tuple(s["sequence_hash"] for s in found) for found in segments}) == 1
    assert len({s["sequence_hash"] for s in segments[0][:10]}) == 10


@pytest.mark.tries(4)
def test_dense_collectives_are_coalesced_to_measurable_segments(jostle: Mpirun, mpi: Mpi) -> None:
    world = run(jostle, mpi, 2, "dense", 20000, 100)
    (true,) = {account["mpi_all_to_all_ops"] for account in world.truth.values()}
    for found in cut(world):
        assert sum(s["globals"] for s in found) == true
        assert sum(s["sendrecvs"] for s in found) == true
        inner = [s for s in found if s["rule"] == "coalesced"]
        share = sum(s["globals"] for s in inner) / true
        seconds = sum(s["duration_ns"] for s in found) / 1e9
        assert share > 0.6, [(s["rule"], s["globals"]) for s in found]
        assert len(found) < 22 * seconds + 25
        settled = inner[len(inner) // 2 :]
        # The level follows the rate: where a machine has just got faster it is a little late.
        assert sorted(s["duration_ns"] for s in settled)[len(settled) // 2] >= 40e6
        # Equal content, but for the level, which follows the rate, on a busy machine also up and
        # down within a segment.
        alike = [
            s["globals"] / (1 << s["level"])
            for before, s in itertools.pairwise(found)
            if before["rule"] == s["rule"] == "coalesced" and before["level"] >= s["level"]
        ]
        assert all(times.is_integer() for times in alike)
        assert alike.count(1) >= 0.9 * len(alike)
        for s in inner:
            assert s["globals"] == s["all_to_all"] == s["sendrecvs"]


@pytest.mark.tries(4)
def test_boundaries_nest_over_ranks(jostle: Mpirun, mpi: Mpi) -> None:
    world = run(jostle, mpi, 3, "dense", 5000, 100)
    ends = []
    for found in cut(world):
        at, of = 0, {}
        for s in found:
            at += s["globals"]
            of[at] = s["sequence_hash"]
        ends.append(of)
    common = set(ends[0]) & set(ends[1]) & set(ends[2])
    assert len(common) >= 0.4 * min(map(len, ends))
    for at in common:
        assert len({of[at] for of in ends}) == 1


@pytest.mark.tries(4)
@pytest.mark.parametrize("how", ["wait", "test"])
def test_a_nonblocking_one_ends_with_its_completion(jostle: Mpirun, mpi: Mpi, how: str) -> None:
    world = run(jostle, mpi, 2, how, 8, 60)
    for rank, found in enumerate(cut(world)):
        assert [s["function"] for s in found] == ["MPI_Iallreduce"] * 8 + [""]
        ends = stamps(world, rank)
        late = sorted(abs(s["end_ns"] - e) for s, e in zip(found, ends, strict=False))
        assert late[5] < 10e6, late


@pytest.mark.tries(3)
def test_without_global_collectives_epochs_subdivide(jostle: Mpirun, mpi: Mpi) -> None:
    env = {"JOSTLE_SEGMENT_SPAN": "200ms"}
    world = run(jostle, mpi, 2, "epochs", 250, 12, env=env)
    for found in cut(world):
        assert {s["rule"] for s in found} <= {"epoch", "final"}
        assert len(found) >= 6
        assert sum(s["sendrecvs"] for s in found) == 250
        inner = found[len(found) // 2 : -1]
        assert {s["function"] for s in inner} == {"MPI_Sendrecv"}
        assert len({s["signature_set"] for s in inner}) == 1


def test_raw_records_every_end(jostle: Mpirun, mpi: Mpi) -> None:
    world = run(jostle, mpi, 2, "dense", 3000, 0, env={"JOSTLE_SEGMENTS": "raw"})
    (true,) = {account["mpi_all_to_all_ops"] for account in world.truth.values()}
    for found in cut(world):
        assert [s["rule"] for s in found] == ["raw"] * true + ["final"]
        assert {s["globals"] for s in found[:-1]} == {1}
    assert len({tuple(s["sequence_hash"] for s in f) for f in cut(world)}) == 1


def test_off_means_off(jostle: Mpirun, mpi: Mpi) -> None:
    world = run(jostle, mpi, 2, "phases", 3, 10, env={"JOSTLE_SEGMENTS": "off"})
    assert all(not peek_segments.segments(p.path) for p in world.ranks)


@pytest.mark.tries(3)
def test_half_of_the_ranks_are_no_delimiter_and_a_copy_of_all_is(
    jostle: Mpirun, mpi: Mpi, tmp_path: Path
) -> None:
    world = run(jostle, mpi, 4, "half", 6, 30)
    for found in cut(world):
        assert sum(s["globals"] for s in found) == 0
        assert {s["rule"] for s in found} <= {"epoch", "final"}  # an epoch where it took long
        assert sum(s["barriers"] for s in found) == 6
    (tmp_path / "dup").mkdir()
    world = run(Mpirun(jostle.library, tmp_path / "dup"), mpi, 4, "dup", 6, 30)
    for found in cut(world):
        assert [s["function"] for s in found] == ["MPI_Barrier"] * 6 + [""]


def test_killed_ranks_keep_their_segments(jostle: Mpirun, mpi: Mpi) -> None:
    world = run(jostle, mpi, 2, "killed", 10, 30, code=None)
    assert len(world.ranks) == 2
    for found in cut(world):
        assert [s["rule"] for s in found] == ["every"] * 10
        assert [s["function"] for s in found] == ["MPI_Allreduce"] * 10


@pytest.mark.tries(4)
def test_time_in_a_long_call_is_booked_where_it_passes(jostle: Mpirun, mpi: Mpi) -> None:
    world = run(jostle, mpi, 2, "sleepy", 1, 650)
    waiting, sleeping = world.ranks
    begin, end = stamps(world, 0)
    # A heartbeat that comes late to a boundary has more in one record and less in the next.
    length, state = waiting.slice_ns, waiting.per_slice("state_p2p_ns")
    inside = [
        (state.get(s.first, 0), s.span * length)
        for s in waiting.slices
        if s.first * length > begin and (s.first + s.span) * length < end
    ]
    wall = sum(span for _ns, span in inside)
    assert len(inside) >= 2 and wall >= 4 * length, state
    assert all(abs(ns - span) < 0.55 * length for ns, span in inside), inside
    assert abs(sum(ns for ns, _span in inside) - wall) < 0.55 * length
    assert close(waiting.total("state_p2p_ns"), end - begin, 0.1)
    assert sleeping.total("state_p2p_ns") < 100e6


def test_what_one_waits_beyond_the_usual(jostle: Mpirun, mpi: Mpi) -> None:
    world = run(jostle, mpi, 2, "late", 600, 200)
    for rank, found in zip(world.ranks, cut(world), strict=True):
        calls = stamps(world, rank.header["world_rank"])
        usual = sorted(calls)[len(calls) // 4]
        beyond = [max(0, ns - usual) for ns in calls]
        # What is usual is learned from call to call: 40 us of each are left to that.
        some = 0.1 * sum(beyond) + 600 * (usual + 40e3)
        reported, short = rank.total("wait_mpi_ns"), rank.total("wait_short_ns")
        assert abs(reported - sum(beyond)) < some, (reported, sum(beyond), usual)
        assert abs(sum(s["wait_ns"] for s in found) - reported) < 0.05 * reported
        # The one that comes late is an event, most of the 599 others are not.
        assert abs(short - sum(ns for ns in beyond if ns < 100e3)) < some
    assert max(stamps(world, 0)) > 100e6
    assert world.ranks[0].total("wait_mpi_ns") - world.ranks[0].total("wait_short_ns") > 100e6


@pytest.mark.tries(3)
@pytest.mark.parametrize("cores", [1, None])
def test_all_ranks_of_oversubscribed_cores_in_mpi_at_once(
    jostle: Mpirun, mpi: Mpi, cores: int | None
) -> None:
    """Four ranks take turns on a core: only while one sleeps in MPI does nobody compute."""
    pinned = ("taskset", "-c", str(min(os.sched_getaffinity(0)))) if cores else ()
    ranks = 4 if cores else 1
    world = jostle.world(
        mpi,
        ranks,
        *pinned,
        program(mpi),
        "stalled",
        "120",
        "60",
        counted="",
        env={"JOSTLE_SLICE": "100ms"},
    )
    slept = int(world.notes["slept"][0])
    reported = sum(rank.total("wait_all_ns") for rank in world.ranks)
    if cores is None:  # alone nobody takes turns
        assert reported == 0
        return
    assert slept > 500e6
    # On one core it takes a while until all have seen that they met. One computed as long as slept.
    assert 0.8 * slept < reported < 1.5 * slept
    for rank in world.ranks:
        assert rank.total("wait_all_ns") <= rank.total("wait_mpi_ns")


def strange_files(spool: Path, like: Path) -> list[Path]:
    """Files next to a profile that are named like ranks of its job and are none."""
    job = like.name.partition(".")[0]
    fifo, folder, link, short, cut, noise = (spool / f"{job}.{n}.1.jst" for n in range(1, 7))
    os.mkfifo(fifo)
    folder.mkdir()
    link.symlink_to("/dev/zero")
    short.write_bytes(like.read_bytes()[:100])
    cut.write_bytes(like.read_bytes()[:4096].replace(like.name.split(".")[1].encode(), b"1"))
    noise.write_bytes(os.urandom(300_000))
    return [fifo, folder, link, short, cut, noise]


@pytest.mark.tries(3)
def test_other_ranks_are_looked_for_among_strange_files(jostle: Mpirun) -> None:
    from mpis import needed

    mpi = needed("openmpi")
    core = str(min(os.sched_getaffinity(0)))
    command, env = jostle.mpirun(
        mpi, 4, "taskset", "-c", core, program(mpi), "stalled", "240", "60"
    )
    process = jostle.start(*command, env=env, length="1s")
    jostle.await_profile()
    strange = strange_files(jostle.spool, next(jostle.spool.glob("*.jst")))
    _, err = process.communicate(timeout=120)
    for path in strange:
        path.rmdir() if path.is_dir() else path.unlink()
    assert process.returncode == 0, err
    world = jostle.as_world(jostle.collect(0, "", err))
    assert len(world.ranks) == 4
    slept = int(world.notes["slept"][0])
    assert 0.2 * slept < sum(rank.total("wait_all_ns") for rank in world.ranks) < 1.5 * slept


@pytest.mark.tries(3)
def test_time_off_the_core_is_seen_in_gaps(jostle: Mpirun) -> None:
    from mpis import needed

    mpi = needed("openmpi")
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("processes cannot be pinned here")
    core = min(os.sched_getaffinity(0))
    hog = subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c", "while True: pass"])
    try:
        world = jostle.world(
            mpi, 1, "taskset", "-c", str(core), program(mpi), "pressed", "150", "12", counted=""
        )
    finally:
        hog.kill()
        hog.wait()
    (rank,) = world.ranks
    queued = int(world.notes["queued"][0])
    assert queued > 200e6, "the hog did not press"
    assert 0.4 * queued < rank.total("wait_offcpu_ns") < 1.1 * queued
