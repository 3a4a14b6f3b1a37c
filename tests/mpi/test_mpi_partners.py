"""Bytes between ranks, exactly, and that a program's own statuses are unchanged."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from mpis import Mpi, Mpirun, World

RANKS = 4
BYTES = (
    "mpi_send_bytes",
    "mpi_isend_bytes",
    "mpi_recv_arrived_bytes",
    "mpi_irecv_arrived_bytes",
    "mpi_sendrecv_sent_bytes",
    "mpi_sendrecv_arrived_bytes",
)
ROOM = ("mpi_recv_bytes", "mpi_irecv_bytes", "mpi_sendrecv_bytes")
Peers = dict[int, dict[int, tuple[int, ...]]]


def said(world: World) -> Peers:
    """Rank -> partner -> sent messages and bytes, received messages and bytes, as it printed."""
    peers: Peers = {rank: {} for rank in range(RANKS)}
    for line in world.stdout.splitlines():
        rank, partner, *numbers = map(int, line.removeprefix("peer ").split())
        peers[rank][partner] = tuple(numbers)
    return peers


@pytest.mark.parametrize("words", ["status", "ignore", "ignore threads"])
def test_what_was_sent_and_what_arrived(jostle: Mpirun, mpi: Mpi, words: str) -> None:
    program = mpi.compiled("partners", "partners.c", flags=("-w",))
    world = jostle.world(mpi, RANKS, program, *words.split(), counted="", env={"JOSTLE_PEERS": "1"})
    world.agree(*BYTES, ranks=RANKS)
    assert not any(world.total(metric, p.pid) for p in world.ranks for metric in ROOM)
    counted = {
        p.header["world_rank"]: {peer: tuple(v[:4]) for peer, v in p.peers.items()}
        for p in world.ranks
    }
    assert counted == said(world)
    assert not any(v[4] for p in world.ranks for v in p.peers.values())


def test_collectives_are_recorded_with_their_members(jostle: Mpirun, mpi: Mpi) -> None:
    program = mpi.compiled("partners", "partners.c", flags=("-w",))
    world = jostle.world(mpi, RANKS, program, "ignore", counted="", env={"JOSTLE_PEERS": "1"})
    for rank, p in enumerate(world.ranks):
        names = {n: members for n, (_, members) in p.communicators.items()}
        backwards = next(n for n, members in names.items() if members == [3, 2, 1, 0])
        expected = {
            (0, "MPI_Allreduce", -1): (1, 24),
            (0, "MPI_Bcast", 1): (1, 100),
            (backwards, "MPI_Bcast", 3): (1, 30),
        }
        if rank % 2 == 0:
            even = next(n for n, members in names.items() if members == [0, 2])
            expected[even, "MPI_Reduce", 2] = (1, 12)
        assert p.collectives == expected


def test_collectives_of_a_plug_in_that_is_loaded_locally(jostle: Mpirun, mpi: Mpi) -> None:
    """They have rows as those of any program; those of one rank by itself have none."""
    plug_in = mpi.compiled("plug_in.so", "plug_in.c", flags=("-shared", "-w"))
    load = "import ctypes, sys; assert ctypes.CDLL(sys.argv[1], mode=2).run() == 1"
    world = jostle.world(mpi, 2, sys.executable, "-c", load, plug_in, counted="")
    for p in world.ranks:
        assert p.total("mpi_all_to_all_ops") == 11
        assert p.collectives == {(0, "MPI_Allreduce", -1): (10, 40), (0, "MPI_Bcast", 1): (1, 4)}


def test_a_program_sees_its_statuses_and_errors_as_without(jostle: Mpirun, mpi: Mpi) -> None:
    program = mpi.compiled("completions", "completions.c", flags=("-w",))
    seen = jostle.world(mpi, 2, program, counted="", env={"JOSTLE_PEERS": "1"}).stdout
    alone = subprocess.run(
        mpi.command(2, program),
        env={**os.environ, **mpi.environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    assert sorted(seen.splitlines()) == sorted(alone.splitlines())
    assert len(alone.splitlines()) == 96
