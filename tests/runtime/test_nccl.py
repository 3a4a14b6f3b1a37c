"""Collectives of NCCL, against stand-ins for library and driver on another clock."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import Compile, Result, Runner

from jostle.reader import ReadRequest, read_header, read_segments

Run = Callable[..., Result]


@pytest.fixture
def play(jostle: Runner, build: Compile, tmp_path: Path) -> Run:
    """Run a rank with the stand-ins."""
    folder = tmp_path / "gpu"
    folder.mkdir()
    cuda = build("fake_cuda.c", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1")
    shutil.copy(cuda, folder / "libcuda.so.1")
    nccl = build("fake_nccl.c", "-shared", "-fPIC", "-Wl,-soname,libnccl.so.2", str(cuda))
    shutil.copy(nccl, folder / "libnccl.so.2")
    program = build("nccl.c", str(nccl), str(cuda))

    def run(mode: str, *more: object, code: int = 0, **env: str | None) -> Result:
        variables = {
            "LD_LIBRARY_PATH": str(folder),
            "RANK": "1",
            "WORLD_SIZE": "4",
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": "29500",
            **env,
        }
        return jostle.run(program, mode, *map(str, more), code=code, env=variables)

    return run


def segments(jostle: Runner) -> list[dict[str, int]]:
    """The segments of the one rank among the profiles."""
    (path,) = [p for p in jostle.spool.glob("*.jst") if read_header(p).world_size]
    result = read_segments([ReadRequest(path, 1)])
    assert not result.results[0].warnings, result.results[0].warnings
    rows: list[dict[str, int]] = result.segments.to_pylist()
    return rows


def test_kinds(play: Run) -> None:
    process = play("kinds").only()
    count, of = process.total("ccl_all_to_all_ops"), process.total
    assert (count, of("ccl_all_to_all_bytes")) == (4, 4000 + 4 * 800 + 10 + 4 * 14)
    assert (of("ccl_one_to_all_ops"), of("ccl_one_to_all_bytes")) == (2, 12)
    assert (of("ccl_all_to_one_ops"), of("ccl_all_to_one_bytes")) == (1, 40)
    assert (of("ccl_send_ops"), of("ccl_send_bytes")) == (1, 44)
    assert (of("ccl_recv_ops"), of("ccl_recv_bytes")) == (1, 52)
    # A microsecond an element, and what the stand-in's own clock passes between two events.
    assert 1_110_000 <= of("ccl_all_to_all_ns") < 3_000_000
    assert 10_900 <= of("ccl_send_ns") < 1_000_000


def test_segments_end_where_collectives_do(play: Run, jostle: Runner) -> None:
    result = play("steps", 40, "destroy", JOSTLE_SEGMENTS="raw")
    over = [int(ns) for ns in re.findall(r"over (\d+)", result.stdout)]
    (path,) = jostle.spool.glob("*.jst")
    header = read_header(path)
    assert (header.world_size, header.world_rank) == (4, 1)
    assert header.mpi_library == "NCCL 2.27.3"
    ends = [s["end_ns"] for s in segments(jostle)]
    late = sorted(min(abs(end - wanted) for end in ends) for wanted in over)
    assert late[len(late) * 9 // 10] < 1_000_000, late
    assert sum(s["globals"] for s in segments(jostle)) == 40 * 3
    process = result.only()
    assert process.total("ccl_all_to_all_ops") == 40 * 4
    assert process.total("ccl_all_to_all_bytes") == 40 * (4000 + 1000 + 85000 + 2000)
    assert 40 * 23_100_000 <= process.total("ccl_all_to_all_ns") < 40 * 27_000_000
    assert process.total("wait_mpi_ns") > 2 * 9_000_000  # the longer ones, from the 17th on


def test_a_world_that_is_made_anew(play: Run, jostle: Runner) -> None:
    """Where its communicator was may be another's; segments go on with the next one of all."""
    play("again", 16, "destroy", JOSTLE_SEGMENTS="raw")
    rows = segments(jostle)
    # Three of all ranks in each step; the middle ones of a group end together.
    assert sum(row["globals"] for row in rows) == 16 * 3
    assert rows[-1]["start_ns"] - rows[0]["start_ns"] > 10 * 80_000_000


def test_few_events_are_made(play: Run) -> None:
    made = re.search(r"events (\d+) records (\d+)", play("steps", 20).stdout)
    assert made
    assert int(made[1]) <= 16  # of two communicators, used repeatedly
    assert int(made[2]) == 20 * 4 * 2  # four operations or groups of them in a step, two for each


def test_a_graph_is_left_alone(play: Run) -> None:
    result = play("capture", 4)
    assert "events 0 records 0" in result.stdout
    assert result.only().total("ccl_all_to_all_ops") == 16
    assert result.only().total("ccl_all_to_all_ns") == 0


@pytest.mark.parametrize("variable", ["FAKE_CUDA_FAILS", "FAKE_NCCL_FAILS"])
def test_errors_stay_the_programs(play: Run, variable: str) -> None:
    result = play("steps", 3, **{variable: "1"})
    assert result.stdout.count("failed") == (3 if variable == "FAKE_NCCL_FAILS" else 0)
    assert result.only().total("ccl_one_to_all_ops") == 3


def test_a_helper_with_the_ranks_variables_is_no_rank(play: Run, jostle: Runner) -> None:
    result = play("fork", 8, "destroy")
    parent = result.processes[0]
    headers = [read_header(path) for path in jostle.spool.glob("*.jst")]
    assert [h.world_size for h in headers if h.world_size] == [4]
    assert parent.total("ccl_one_to_all_ops") + sum(
        p.total("ccl_one_to_all_ops") for p in result.processes[1:]
    ) in (8, 9)


def test_without_a_launcher_the_communicator_gives_rank_and_size(play: Run, jostle: Runner) -> None:
    result = play("steps", 3, RANK=None, WORLD_SIZE=None)
    (path,) = jostle.spool.glob("*.jst")
    header = read_header(path)
    assert (header.world_size, header.world_rank) == (2, 0)
    assert header.mpi_library == "NCCL 2.27.3"
    assert result.only().total("ccl_all_to_all_ops") == 12


def test_threads_with_communicators_of_their_own(play: Run) -> None:
    process = play("threads").only()
    assert process.total("ccl_all_to_all_ops") == 800
    assert process.total("ccl_all_to_all_bytes") == 800 * 40
    assert process.total("ccl_all_to_all_ns") >= 700 * 10_000
