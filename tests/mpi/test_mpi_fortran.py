"""Fortran's three bindings are counted like C's, once per call, however they call each other."""

from __future__ import annotations

import pytest
from mpis import Mpi, Mpirun

# A neighbour gets as much as it gives.
SENT = (
    "mpi_send_bytes",
    "mpi_isend_bytes",
    "mpi_sendrecv_sent_bytes",
    "mpi_neighbor_bytes",
    "mpi_put_bytes",
    "mpi_accumulate_bytes",
)
ARRIVED = (
    "mpi_recv_arrived_bytes",
    "mpi_irecv_arrived_bytes",
    "mpi_sendrecv_arrived_bytes",
    "mpi_neighbor_bytes",
    "mpi_get_bytes",
)
BINDINGS = {"mpif.h": 1, "use mpi": 2, "use mpi_f08": 3}


@pytest.mark.parametrize("ranks", [1, 5])
@pytest.mark.parametrize("binding", BINDINGS)
def test_fortran_agrees_with_both_accounts(
    jostle: Mpirun, mpi: Mpi, binding: str, ranks: int
) -> None:
    number = BINDINGS[binding]
    program = mpi.compiled(
        f"bindings-{number}", "bindings.F90", flags=(f"-DBINDING={number}", "-w")
    )
    world = jostle.world(mpi, ranks, program, env={"JOSTLE_PEERS": "1"})
    world.agree(ranks=ranks)
    for rank, p in enumerate(world.ranks):
        for place, metrics in ((1, SENT), (3, ARRIVED)):
            passed = {peer: v[place] for peer, v in p.peers.items() if v[place]}
            assert sum(passed.values()) == sum(world.total(metric, p.pid) for metric in metrics)
            assert set(passed) <= {(rank + 1) % ranks, (rank - 1) % ranks}
    assert sorted(world.stdout.split("\n")) == ["", *(f"rank {i}" for i in range(ranks))]
