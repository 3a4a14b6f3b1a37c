"""Delays of MPI calls: once per call as the profiler counts it, in every binding."""

from __future__ import annotations

from pathlib import Path

import pytest
from injected import Injected
from mpis import Mpi, classes

#: Class of the log -> metric of the profile.
P2P = {
    "send": "mpi_send",
    "recv": "mpi_recv",
    "sendrecv": "mpi_sendrecv",
    "isend": "mpi_isend",
    "irecv": "mpi_irecv",
    "wait": "mpi_wait",
}
COLLECTIVE = {
    name: f"mpi_{name.replace('-', '_')}"
    for name in (
        "all-to-all",
        "all-to-one",
        "one-to-all",
        "barrier",
        "scan",
        "neighbor",
        "iall-to-all",
        "iall-to-one",
        "ione-to-all",
        "ibarrier",
        "iscan",
    )
}
ONESIDED = {"put": "mpi_put", "get": "mpi_get", "accumulate": "mpi_accumulate"}


def test_every_class_once_per_call(injected: Injected, mpi: Mpi) -> None:
    """Calls seen by the injector = calls counted by the profiler; the program does not notice."""
    world, run = injected.suffer_mpi(
        "calls=mpi probability=0.2 seed=2 delay=fixed:300us", mpi, 2, classes(mpi), counted=""
    )
    world.agree(ranks=2)
    seen = {(row["rank"], row["class"]): row["calls"] for row in run.log.totals.to_pylist()}
    for rank, profile in enumerate(world.ranks):
        for name, metric in (P2P | COLLECTIVE | ONESIDED).items():
            if name.startswith("i"):
                continue  # a persistent request's start counts as one, and is a call of another
            assert seen.get((rank, name), 0) == profile.total(f"{metric}_ops"), (rank, name)
    assert run.given > 20
    assert not {row["class"] for row in run.log.totals.to_pylist()} & {
        "test",
        "init",
        "finalize",
        "comm",
        "io-write",
        "write",
    }
    # the time of a class holds its delays
    delayed = {}
    for row in run.log.totals.to_pylist():
        key = (row["rank"], row["class"])
        delayed[key] = delayed.get(key, 0) + row["delay_ns"]
    for (rank, name), ns in delayed.items():
        if metric := (P2P | COLLECTIVE | ONESIDED).get(name):
            assert world.ranks[rank].total(f"{metric}_ns") >= 0.97 * ns, (rank, name)


@pytest.mark.parametrize("binding", [1, 3])
def test_fortran_is_delayed_once(injected: Injected, mpi: Mpi, binding: int) -> None:
    """Its bindings call C's inside (MPI_..., PMPI_...): one call, one chance."""
    program = mpi.compiled(
        f"bindings-{binding}", "bindings.F90", flags=(f"-DBINDING={binding}", "-w")
    )
    world, run = injected.suffer_mpi("calls=mpi,mpi-io delay=fixed:100us", mpi, 2, program)
    assert world.processes
    for name, metric in {
        **P2P,
        "all-to-all": "mpi_all_to_all",
        "barrier": "mpi_barrier",
        "io-write": "mpiio_write",
    }.items():
        if not name.startswith("is") and not name.startswith("ir"):
            assert run.calls(name) == world.total(f"{metric}_ops"), name
    assert run.given == sum(row["calls"] for row in run.log.totals.to_pylist()) > 20
    assert all(name.startswith("MPI_") for name in run.log.delays["call"].to_pylist())


def test_only_the_ranks_and_classes_asked_for(injected: Injected, mpi: Mpi) -> None:
    program = classes(mpi)
    rules = "calls=all-to-all probability=0.5 seed=9 ranks=1 delay=fixed:200us"
    world, run = injected.suffer_mpi(rules, mpi, 2, program, counted="")
    world.agree(ranks=2)
    assert set(run.log.delays["rank"].to_pylist()) == {1}
    assert set(run.log.delays["class"].to_pylist()) <= {"all-to-all", "iall-to-all"}
    # the same fate in the next run, and it began after MPI_Init
    again = injected.suffer_mpi(rules, mpi, 2, program, counted="")[1]
    assert again.fates() == run.fates() != []
    process = run.log.processes.to_pylist()[0]
    assert process["ready_ns"] and process["ready_ns"] <= run.log.delays["start_ns"][0].as_py()


def test_io_inside_the_mpi_is_the_mpis(injected: Injected, mpi: Mpi) -> None:
    """Neither its own files and sockets, nor what MPI-IO hands to the system; nor mpirun's."""
    rules = "calls=read,write,open,close,meta,sync delay=fixed:200us"
    world, run = injected.suffer_mpi(rules, mpi, 2, classes(mpi), counted="")
    names = set(run.log.processes["program"].to_pylist())
    assert all(name.startswith("classes") for name in names), names
    writes = sum(p.total("posix_write_ops") for p in world.ranks)
    assert run.calls("write") <= writes
    both = "calls=mpi-io delay=fixed:200us"
    world, run = injected.suffer_mpi(both, mpi, 2, classes(mpi), counted="")
    assert run.calls("io-write") == world.total("mpiio_write_ops") > 0
    assert not {row["class"] for row in run.log.totals.to_pylist()} & {"write", "read"}


def test_threads_of_a_rank(injected: Injected, mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compiled("threads", "threads.c")
    world, run = injected.suffer_mpi(
        "calls=p2p probability=0.02 delay=fixed:100us", mpi, 2, program, counted=""
    )
    world.agree(ranks=2)
    assert run.given == run.log.delays.num_rows > 0
