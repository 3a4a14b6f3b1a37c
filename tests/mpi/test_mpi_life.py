"""The counts of a rank are kept however it ends, and are separate from those of its children."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from mpis import Mpi, Mpirun, World, needed


def life(mpi: Mpi) -> Path:
    return mpi.compiled("life", "life.c", flags=("-w",))


def wait_for(what: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something holds, or fail."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)


def ready(jostle: Mpirun, ranks: int) -> list[int]:
    """The processes of a world, once all of them have started."""
    said = jostle.truth / "note.ready"
    wait_for(lambda: said.exists() and len(said.read_text().splitlines()) == ranks)
    return [int(line.split()[1]) for line in sorted(said.read_text().splitlines())]


def gone(pid: int) -> bool:
    """Whether a process is dead (a zombie that nobody reaps is)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def start(jostle: Mpirun, mpi: Mpi, ranks: int, *program: str | Path) -> subprocess.Popen[str]:
    command, env = jostle.mpirun(mpi, ranks, *program)
    return jostle.start(*command, env=env, start_new_session=True)


def left(jostle: Mpirun, process: subprocess.Popen[str]) -> World:
    """End what still runs and read what all of it left."""
    try:
        out, err = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    return jostle.as_world(jostle.collect(process.returncode, out, err))


def unfinished(world: World, ranks: int) -> None:
    """All ranks' accounts are there, and their ends are known not to have been orderly."""
    world.agree(ranks=ranks)
    assert [p.header["world_rank"] for p in world.ranks] == list(range(ranks))
    for p in world.ranks:
        assert p.header["mpi_state"] == 2 and p.header["mpi_finalize_ns"] == 0


def test_a_rank_is_killed(jostle: Mpirun, mpi: Mpi) -> None:
    process = start(jostle, mpi, 3, life(mpi), "kill")
    ready(jostle, 3)
    world = left(jostle, process)
    assert world.code != 0
    unfinished(world, 3)


def test_mpi_abort(jostle: Mpirun, mpi: Mpi) -> None:
    world = jostle.world(mpi, 3, life(mpi), "abort", code=7)
    unfinished(world, 3)
    assert sum(p.total("mpi_abort_ops") for p in world.ranks) == 1


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGTERM])
def test_mpirun_is_ended(jostle: Mpirun, mpi: Mpi, signal_number: int) -> None:
    process = start(jostle, mpi, 2, life(mpi), "sleep")
    pids = ready(jostle, 2)
    process.send_signal(signal_number)
    try:
        wait_for(lambda: all(map(gone, pids)))
    finally:
        for pid in pids:
            if not gone(pid):
                os.kill(pid, signal.SIGKILL)
    unfinished(left(jostle, process), 2)


def test_a_time_limit_ends_everything_at_once(jostle: Mpirun, mpi: Mpi) -> None:
    process = start(jostle, mpi, 2, life(mpi), "sleep")
    for pid in ready(jostle, 2):
        with contextlib.suppress(ProcessLookupError):  # a launcher that was quicker
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    unfinished(left(jostle, process), 2)


@pytest.mark.parametrize("end", ["exit", "crash"])
def test_ranks_leave_without_finalize(jostle: Mpirun, mpi: Mpi, end: str) -> None:
    unfinished(jostle.world(mpi, 2, life(mpi), end, code=None, counted=""), 2)


def test_an_error_handler_jumps_out_of_mpi(jostle: Mpirun, mpi: Mpi) -> None:
    world = jostle.world(mpi, 2, life(mpi), "jump", counted="")
    jumped = 5  # calls that never returned: they may count or not
    for account in world.truth.values():
        account.pop("mpi_send_ops")
    world.agree(ranks=2)
    for p in world.ranks:
        assert p.total("mpi_send_ops") <= jumped


def test_children_of_a_rank_count_for_themselves(jostle: Mpirun, mpi: Mpi) -> None:
    world = jostle.world(mpi, 2, life(mpi), "fork", counted="")
    world.agree(ranks=2)
    parents = {p.pid for p in world.ranks}
    assert len(parents) == 2 == len(world.ranks)
    children = [p for p in world.processes if p.ppid in parents]
    assert {Path(p.program).name for p in children} >= {"true", "sh"}
    for p in children:
        assert p.total("mpi_all_to_all_ops") == p.total("mpi_init_ops") == 0
        assert p.short or p.header["mpi_state"] == 0


def test_spawned_ranks_belong_to_their_mpirun(jostle: Mpirun, mpi: Mpi) -> None:
    program = mpi.compiled("spawn", "spawn.c", flags=("-w",))
    bare = {**os.environ, **mpi.environment}
    if subprocess.run(mpi.command(2, program), env=bare, capture_output=True).returncode != 0:
        pytest.skip(f"this {mpi.name} cannot spawn, with us or without")
    world = jostle.world(mpi, 2, program, counted="")
    world.agree(ranks=4)
    assert [p.header["spawned"] for p in world.ranks] == [0, 0, 1, 1]
    assert [p.header["world_rank"] for p in world.ranks] == [0, 1, 0, 1]
    assert {p.header["world_size"] for p in world.ranks} == {2}
    assert len({p.job for p in world.ranks}) == 1
    assert world.ranks[0].job.startswith("mpi-")


def test_never_in_mpi(jostle: Mpirun, mpi: Mpi) -> None:
    program = mpi.compiled("noinit", "noinit.c", flags=("-w",))
    result = jostle.run(program, code=3, env=mpi.environment)
    assert result.stdout == "0 0 version\n"
    process = result.only()
    assert all(process.total(m) == 0 for m in process.table.metrics if m.startswith("mpi"))
    assert process.header["mpi_state"] == process.header["world_size"] == 0


def test_a_late_flush_makes_no_second_process(jostle: Mpirun, mpi: Mpi) -> None:
    """Libraries that flush when they are unloaded, after jostle, start no new profile."""
    program = mpi.compiled("noinit", "noinit.c", flags=("-w",))
    result = jostle.run(program, "quiet", code=3, env=mpi.environment)
    result.only()


def test_sessions_are_counted(jostle: Mpirun) -> None:
    mpi = needed("mpich")
    program = mpi.compiled("session", "session.c", flags=("-w",))
    jostle.world(mpi, 2, program).agree(ranks=2)


@pytest.mark.parametrize("ranks", [2, 3])
def test_threads_in_mpi_at_once_lose_no_count(jostle: Mpirun, mpi: Mpi, ranks: int) -> None:
    program = mpi.compiled("threads", "threads.c", flags=("-w",))
    world = jostle.world(mpi, ranks, program, 4, 150, counted="")
    if "level" in world.notes:
        pytest.skip(f"{mpi.name} was built without MPI_THREAD_MULTIPLE")
    world.agree(ranks=ranks)
    assert {p.header["thread_level"] for p in world.ranks} == {3}
