"""Measures what counting partners and collectives adds to a call: on and off, in turn."""

from __future__ import annotations

import statistics

from measure import Bench, MissingError, Row, half_width, say
from mpi import OPENMPI, Mpi, emptied, mpis
from rows.mpi.mpi_calls import build, milliseconds, once

ROUNDS = 12
ALLOWED_NS = 5.0
MESSAGES = "Irecv + Isend + 2 Wait"
#: Operations of programs/mpi_calls.c in one rank: two that have partners, and a collective.
OPERATIONS = {
    "worldsend": f"{MESSAGES}, MPI_COMM_WORLD",
    "selfsend": f"{MESSAGES}, another communicator",
    "allreduce": "Allreduce 8 B",
}
SETTINGS = ("off", "on")


def rows(bench: Bench) -> list[Row]:
    """Measure each operation on each MPI.

    The note of a row about messages has the added time per message, too.
    """
    present = mpis()
    if not present:
        raise MissingError(f"{OPENMPI.title} is not installed")
    return [row for mpi in present for row in of_mpi(bench, mpi)]


def of_mpi(bench: Bench, mpi: Mpi) -> list[Row]:
    """The operations on one MPI."""
    say(f"  {mpi.title}")
    spool = bench.disk / "spool-mpi-peers"
    words = [build(bench, mpi, "C"), str(milliseconds(bench)), *OPERATIONS]
    turns = {each: bench.jostle(spool, SEGMENTS="on", PEERS=each) for each in SETTINGS}
    samples: dict[str, dict[str, list[float]]] = {each: {} for each in SETTINGS}
    for _ in range(bench.rounds(ROUNDS)):
        for setting, variant in turns.items():  # off, on, off, on, ...
            emptied(spool)
            for key, value in once(bench, mpi, words, variant, 1).items():
                samples[setting].setdefault(key, []).append(value)
    return [row(mpi, key, samples["off"][key], samples["on"][key]) for key in OPERATIONS]


def row(mpi: Mpi, key: str, off: list[float], on: list[float]) -> Row:
    """One operation: the median of the rounds' differences, ns per call."""
    differences = [more - less for more, less in zip(on, off, strict=True)]
    added, spread = statistics.median(differences), half_width(differences)
    noisy = abs(added - ALLOWED_NS) < spread
    note = "too noisy to decide" if noisy else ""
    if MESSAGES in OPERATIONS[key]:
        note = f"{note}{'; ' if note else ''}{2 * added:.1f} ns per message: two of four calls wait"
    return Row(
        "mpi-peers",
        f"{mpi.title}, partners counted: {OPERATIONS[key]}",
        "ns/call",
        f"<= {ALLOWED_NS:.0f} ns",
        None if noisy else added <= ALLOWED_NS,
        statistics.median(off),
        statistics.median(on),
        added,
        spread,
        note=note,
    )
