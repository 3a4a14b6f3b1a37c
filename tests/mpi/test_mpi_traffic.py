"""Traffic between ranks: by a known program, by Open MPI's own monitoring, and after kills."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from mpis import Mpi, Mpirun, World, needed
from test_mpi_fortran import BINDINGS

RANKS = 4
Account = tuple[dict[int, tuple[int, ...]], list[tuple[int, int, int, tuple[int, ...]]]]


def partners(jostle: Mpirun, mpi: Mpi, *arguments: str, **env: str) -> tuple[World, list[Account]]:
    program = mpi.compiled("traffic", "traffic.c", flags=("-w",))
    account = jostle.spool.parent / "account"
    world = jostle.world(
        mpi,
        RANKS,
        program,
        *arguments,
        counted="",
        env={"ACCOUNT": str(account), **env},
        code=None if "kill" in arguments else 0,
    )
    return world, [read_account(Path(f"{account}.{rank}")) for rank in range(RANKS)]


def read_account(path: Path) -> Account:
    peers, comms = {}, []
    for line in path.read_text().splitlines():
        kind, *words = line.split()
        first, *rest = map(int, words)
        if kind == "peer" and any(rest):
            peers[first] = tuple(rest)
        elif kind == "comm":
            comms.append((first, rest[0], rest[1], tuple(rest[2:])))
    return peers, comms


def agree(world: World, accounts: list[Account]) -> None:
    """Every message, to the byte, and every collective of every communicator."""
    assert len(world.ranks) == RANKS
    for process, (peers, comms) in zip(world.ranks, accounts, strict=True):
        assert {rank: n[:4] for rank, n in process.peers.items()} == peers
        assert {n[4] for n in process.peers.values()} == {0}
        by_members: dict[tuple[int, ...], list[int]] = {}
        for reduced, cast, root, members in comms:
            sums = by_members.setdefault(members, [0, 0, root])
            sums[0] += reduced
            sums[1] += cast
        known = {number: tuple(ranks) for number, (_, ranks) in process.communicators.items()}
        known[0] = tuple(range(RANKS))
        expected = {}
        for members, (reduced, cast, root) in by_members.items():
            expected[members, "MPI_Allreduce", -1] = (reduced, 8 * reduced)
            expected[members, "MPI_Bcast", root] = (cast, 16 * cast)
        found = {
            (known[number], name, root): n
            for (number, name, root), n in process.collectives.items()
        }
        assert {key: found.get(key) for key in expected} == expected
        assert {name for _, name, _ in set(found) - set(expected)} <= {
            "MPI_Allgather",
            "MPI_Barrier",
        }


@pytest.mark.parametrize("how", ["end", "kill"])
def test_a_program_that_knows(jostle: Mpirun, mpi: Mpi, how: str) -> None:
    agree(*partners(jostle, mpi, "60", how))


def test_slices_of_a_rank_that_is_killed(jostle: Mpirun, mpi: Mpi) -> None:
    """Records and what is beyond them add up, and the records lie in the slices of the run.

    A heartbeat that is late makes one record of two slices.
    """
    world, accounts = partners(jostle, mpi, "40", "kill", "20000", JOSTLE_SLICE="200ms")
    agree(world, accounts)
    for process in world.ranks:
        assert len(process.traffic) >= 2
        assert all(first + span <= later for (first, span), (later, _) in pairwise(process.traffic))
        last = max(s.first + s.span for s in process.slices)
        assert all(first + span <= last for first, span in process.traffic)


def test_off(jostle: Mpirun, mpi: Mpi) -> None:
    world, _ = partners(jostle, mpi, "6", "end", JOSTLE_PEERS="off")
    assert all(not p.peers and not p.collectives and not p.communicators for p in world.ranks)
    assert {p.header["peers_capacity"] for p in world.ranks} == {0}


def test_open_mpi_monitoring_counts_the_same(jostle: Mpirun, tmp_path: Path) -> None:
    """Its component counts what the program sends (E) apart from what collectives send (I).

    It does not see persistent messages: here are none.
    """
    mpi = needed("openmpi")
    settings = {
        "OMPI_MCA_pml_monitoring_enable": "2",
        "OMPI_MCA_pml_monitoring_enable_output": "3",
        "OMPI_MCA_pml_monitoring_filename": str(tmp_path / "monitor"),
        "WAYS": "2",
    }
    world, _ = partners(jostle, mpi, "60", "end", **settings)
    for rank, process in enumerate(world.ranks):
        theirs = {}
        for line in (tmp_path / f"monitor.{rank}.prof").read_text().splitlines():
            words = line.split()
            if words and words[0] == "E":
                theirs[int(words[2])] = (int(words[5]), int(words[3]))
        assert {k: n[:2] for k, n in process.peers.items() if n[0]} == theirs


@pytest.mark.parametrize("binding", BINDINGS)
def test_fortran(jostle: Mpirun, mpi: Mpi, binding: str) -> None:
    number = BINDINGS[binding]
    flags = (f"-DBINDING={number}", "-w")
    world = jostle.world(
        mpi, 3, mpi.compiled(f"traffic-{number}", "traffic.F90", flags=flags), counted=""
    )
    size = 4 * (55 + 2 * 55)  # of ten rounds
    for rank, process in enumerate(world.ranks):
        target, source = (rank - 1) % 3, (rank + 1) % 3  # backwards
        assert process.peers == {target: (20, size, 0, 0, 0), source: (0, 0, 20, size, 0)}
        ((backwards, members),) = process.communicators.items()
        assert members == (3, [2, 1, 0])
        assert process.collectives == {
            (backwards, "MPI_Allreduce", -1): (10, 80),
            (0, "MPI_Bcast", 0): (10, 80),
        }
