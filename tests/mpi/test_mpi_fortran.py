"""Fortran's three bindings are counted like C's, once per call, whatever calls what inside."""

from __future__ import annotations

import pytest
from mpis import Mpi, Mpirun

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
    world = jostle.world(mpi, ranks, program)
    world.agree(ranks=ranks)
    assert sorted(world.stdout.split("\n")) == ["", *(f"rank {i}" for i in range(ranks))]
