"""gloo's collectives, with Debian's PyTorch: the counts of a rank agree with its program."""

from __future__ import annotations

import socket
import subprocess

import pytest
from harness import PROGRAMS, Runner

from jostle.reader import ReadRequest, read_header, read_segments

PYTHON = "/usr/bin/python3"
PROGRAM = PROGRAMS["collectives.py"]


@pytest.fixture(scope="session", autouse=True)
def _pytorch() -> None:
    command = [PYTHON, "-c", "import torch.distributed as d; assert d.is_gloo_available()"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("PyTorch with gloo is not installed: apt-get install python3-torch")


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def launch(jostle: Runner, ranks: int, *arguments: object, **more: str) -> list[str]:
    """Start ranks as torchrun does. Returns what each printed."""
    port = str(free_port())
    running = []
    for rank in range(ranks):
        env: dict[str, str | None] = {
            "RANK": str(rank),
            "LOCAL_RANK": str(rank),
            "WORLD_SIZE": str(ranks),
            "LOCAL_WORLD_SIZE": str(ranks),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": port,
            "OMP_NUM_THREADS": "1",
            "JOSTLE_SEGMENTS": "raw",
            **more,
        }
        running.append(jostle.start(PYTHON, PROGRAM, *map(str, arguments), env=env))
    outputs = [p.communicate(timeout=120) for p in running]
    assert [p.returncode for p in running] == [0] * ranks, outputs
    return [out for out, _ in outputs]


def check_counts(jostle: Runner, ranks: int, steps: int, *, but: str = "") -> None:
    """Compares profiles with the program; `but`: a metric of rank 0 that is not known."""
    result = jostle.collect(0, "", "")
    assert len(result.processes) == ranks
    of_kinds = {p.header["world_rank"]: p for p in result.processes}
    for rank, process in of_kinds.items():
        assert process.header["world_size"] == ranks
        assert process.header["mpi_library"] == "gloo"
        # A step: 1000 floats, 10 doubles of a subgroup of the first two, an allgather of 7 bytes.
        pair = steps if rank < 2 else 0
        said = {
            "ccl_all_to_all_ops": 2 * steps + pair,
            "ccl_all_to_all_bytes": steps * (4000 + 7) + pair * 80,
            "ccl_one_to_all_ops": steps,
            "ccl_one_to_all_bytes": steps * 12,
            "ccl_all_to_one_ops": steps,
            "ccl_all_to_one_bytes": steps * 40,
            "ccl_barrier_ops": steps,
        }
        known = [name for name in said if rank or not but or not name.startswith(but)]
        assert {n: process.total(n) for n in known} == {n: said[n] for n in known}, rank
        assert process.total("ccl_all_to_all_ns") > 0


def test_counts_are_the_programs(jostle: Runner) -> None:
    launch(jostle, 4, 10)
    check_counts(jostle, 4, 10)


def test_all_ranks_have_the_same_boundaries(jostle: Runner) -> None:
    launch(jostle, 2, 30, "many")
    sequences = []
    for path in sorted(jostle.spool.glob("*.jst")):
        if read_header(path).world_size:
            rows = read_segments([ReadRequest(path, 1)]).segments.to_pylist()
            sequences.append(
                {row["globals_before"] + row["globals"]: row["sequence_hash"] for row in rows}
            )
    first, second = sequences
    # Operations that are found over at once end one segment: not all boundaries are on both ranks.
    common = first.keys() & second.keys()
    assert len(common) > 30 * 4
    assert all(first[n] == second[n] for n in common)


@pytest.mark.in_turn
def test_an_exception_passes(jostle: Runner) -> None:
    """Operations before it are counted; here all ranks are in the subgroup."""
    out = launch(jostle, 2, 3, "fails")
    assert "caught RuntimeError" in out[0], out
    check_counts(jostle, 2, 3, but="ccl_all_to_all")


@pytest.mark.in_turn
def test_loaders_of_data_are_no_ranks(jostle: Runner) -> None:
    launch(jostle, 2, 1, "loaders")
    headers = [read_header(path) for path in jostle.spool.glob("*.jst")]
    assert sorted(h.world_rank for h in headers if h.world_size) == [0, 1]


@pytest.mark.in_turn
def test_a_world_without_a_launchers_variables(jostle: Runner) -> None:
    """The largest group of a rank is the world.

    Of the first two ranks this is not the first; of the third it is.
    """
    launch(jostle, 3, 3, "pair-first", JOSTLE_TEST_HIDE="1")
    headers = [read_header(path) for path in jostle.spool.glob("*.jst")]
    worlds = [(h.world_size, h.world_rank, h.mpi_library) for h in headers if h.world_size]
    assert sorted(worlds) == [(3, 0, "gloo"), (3, 1, "gloo"), (3, 2, "gloo")]


@pytest.mark.in_turn
def test_ranks_that_a_program_spawns(jostle: Runner) -> None:
    """torch.multiprocessing.spawn: the number of a rank is an argument, and nothing else."""
    env: dict[str, str | None] = {"OMP_NUM_THREADS": "1", "JOSTLE_SEGMENTS": "raw"}
    running = jostle.start(PYTHON, PROGRAM.with_name("spawned.py"), str(free_port()), env=env)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 0, (out, err)
    ranks = [p for p in jostle.collect(0, "", "").processes if p.header["world_size"]]
    assert sorted(p.header["world_rank"] for p in ranks) == [0, 1]
    assert [p.total("ccl_all_to_all_ops") for p in ranks] == [20, 20]
    assert all(p.header["world_size"] == 2 for p in ranks)
    globals_ = [
        sum(row["globals"] for row in read_segments([ReadRequest(path, 1)]).segments.to_pylist())
        for path in jostle.spool.glob("*.jst")
        if read_header(path).world_size
    ]
    assert globals_ == [20, 20]
