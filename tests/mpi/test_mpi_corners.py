"""Corners of the standard: whatever a program may do still works under jostle, and is counted."""

from __future__ import annotations

import peek_segments
import pytest
from mpis import Mpi, Mpirun, World

CXX = ("-Wl,--no-as-needed", "-lstdc++", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")


def globals_of(world: World) -> list[int]:
    """How many global collectives the segments of each rank have."""
    return [sum(s["globals"] for s in peek_segments.segments(p.path)) for p in world.ranks]


def test_a_call_left_by_longjmp_hides_no_later_ones(jostle: Mpirun, mpi: Mpi) -> None:
    program = mpi.compiled("left", "left.c")
    world = jostle.world(mpi, 1, program, counted="")
    world.agree("mpi_barrier", ranks=1)


def test_a_failed_call_without_ierror_ends_no_program(jostle: Mpirun, mpi: Mpi) -> None:
    program = mpi.compiled("no_ierror", "no_ierror.F90")
    world = jostle.world(mpi, 1, program, counted="")
    assert world.total("mpi_send_ops") == 1
    assert world.total("mpi_send_bytes") == 0
    assert world.total("mpi_one_to_all_bytes") == 0
    assert world.total("mpi_all_to_all_bytes") == 16


def test_a_communicator_freed_by_another_is_forgotten(jostle: Mpirun, mpi: Mpi) -> None:
    world = jostle.world(mpi, 2, mpi.compiled("reuse", "reuse.c"), counted="")
    assert globals_of(world) == [10, 10]


def test_requests_that_ended_together_are_forgotten(jostle: Mpirun, mpi: Mpi) -> None:
    world = jostle.world(mpi, 2, mpi.compiled("pending", "pending.c"), counted="")
    assert globals_of(world) == [3, 3]


def test_exceptions_out_of_error_handlers_hide_no_calls(jostle: Mpirun, mpi: Mpi) -> None:
    """The handler's exception passes through the MPI's frames and ours, as it does bare."""
    program = mpi.compiled("thrown", "thrown.cc", flags=CXX)
    world = jostle.world(mpi, 2, program, counted="")
    assert world.total("mpi_all_to_all_ops") == 2 * 100
    assert world.total("mpi_send_ops") == 0


def test_a_poll_in_which_a_rank_was_stopped_represents_no_others(jostle: Mpirun, mpi: Mpi) -> None:
    """One poll in 16 is timed; the one that takes a second is not taken for 16 of them."""
    world = jostle.world(mpi, 1, mpi.compiled("long_poll", "long_poll.c"), counted="")
    assert world.total("mpi_test_ops") == 33
    assert 1_000_000_000 <= world.total("mpi_test_ns") < 4_000_000_000


@pytest.mark.tries(3)
def test_time_in_calls_that_never_return_ends_where_they_are_left(jostle: Mpirun, mpi: Mpi) -> None:
    """By an exception, a jump and a cancellation; behind each the ranks compute for a second."""
    program = mpi.compiled("never_returns", "never_returns.cc", flags=CXX)
    world = jostle.world(mpi, 2, program, counted="")
    for rank in world.ranks:
        assert rank.total("state_p2p_ns") < 50_000_000
        # The helper may begin late, and is cancelled 0.1 s after it was asked for.
        assert 50_000_000 <= rank.total("state_io_ns") < 300_000_000
