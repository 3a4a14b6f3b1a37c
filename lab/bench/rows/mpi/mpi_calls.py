"""Measures what jostle adds to one MPI call, in C and each Fortran binding, on every MPI.

With two ranks the figures include what a program experiences, and the jitter of two CPUs; with one
rank (MPI_COMM_WORLD or MPI_COMM_SELF of one, messages to oneself) they include the wrapper and
little else.
"""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import BARE, OURS, PROGRAMS, Bench, MissingError, Row, half_width, joined, say
from mpi import OPENMPI, RANKS, Mpi, compiler, counted, emptied, mpis, run, variants

BINDINGS = {"C": "", "mpif.h": "BENCH_MPIFH", "use mpi": "BENCH_MPI", "mpi_f08": "BENCH_F08"}
ROUNDS = 5
ALLOWED_NS = 15.0  # in addition to the two time stamps
ALLREDUCE_NS = 34.0  # in one rank, by the slowest binding
LEAST_CALLS = 10_000


@dataclass(frozen=True)
class Operation:
    """An operation of programs/mpi_calls.c.

    Attributes:
        what: Name of the operation in the table.
        metric: Metric that must have counted the operation; otherwise nothing was measured.
    """

    what: str
    metric: str


TWO = {
    "sendrecv": Operation("Send + Recv, there and back", "mpi_send_ops"),
    "isend": Operation("Irecv + Isend + 2 Wait", "mpi_isend_ops"),
    "allreduce": Operation("Allreduce 8 B", "mpi_all_to_all_ops"),
    "barrier": Operation("Barrier", "mpi_barrier_ops"),
}
ONE = {
    "allreduce": Operation("Allreduce 8 B", "mpi_all_to_all_ops"),
    "selfreduce": Operation("Allreduce 8 B, MPI_COMM_SELF", "mpi_all_to_all_ops"),
    "barrier": Operation("Barrier", "mpi_barrier_ops"),
    "selfsend": Operation("Irecv + Isend + 2 Wait", "mpi_isend_ops"),
    "iprobe": Operation("Iprobe", "mpi_probe_ops"),
    "test": Operation("Test, nothing there", "mpi_test_ops"),
}

Figures = dict[str, list[float]]  # by operation, ns per call, a figure per round
STAMPS = "clock"


def build(bench: Bench, mpi: Mpi, binding: str) -> str:
    """Compile programs/mpi_calls.c with one binding; return the program's path."""
    folder = bench.disk / f"calls-{mpi.name}-{binding.replace(' ', '-')}"
    folder.mkdir(exist_ok=True)
    program = folder / "mpi_calls"
    if program.exists():
        return str(program)
    sources, link = [("mpi_calls.c", "c")], compiler(mpi, "c")
    sources.append(("mpi_calls_c.c", "c") if binding == "C" else ("mpi_calls_f.F90", "fortran"))
    objects = []
    for source, language in sources:
        made = folder / f"{source}.o"
        flags = ["-std=gnu11"]
        if language == "fortran":
            flags = [f"-D{BINDINGS[binding]}", "-fallow-argument-mismatch", "-J", str(folder)]
            link = compiler(mpi, language)
        words = [str(compiler(mpi, language)), "-O2", *flags, "-c", str(PROGRAMS / source)]
        subprocess.run([*words, "-o", str(made)], check=True)
        objects.append(str(made))
    subprocess.run([str(link), *objects, "-o", str(program)], check=True)
    return str(program)


def milliseconds(bench: Bench) -> int:
    """Milliseconds for each operation in each run."""
    return bench.pick(100, 100, 10)


def once(
    bench: Bench, mpi: Mpi, words: Sequence[str], variant: Mapping[str, str], ranks: int
) -> dict[str, float]:
    """Run the program; return ns per call by operation: the lower quartile of its batches."""
    found = {}
    for line in filter(None, run(bench, mpi, words, variant, ranks=ranks).splitlines()):
        name, *numbers = line.split()
        if len(numbers) == 3 and name in words:  # the other profilers print
            found[name] = float(numbers[2]) / int(numbers[0])
    return found


def alternate(bench: Bench, mpi: Mpi, binding: str, ranks: int) -> dict[str, Figures]:
    """Run one program bare, under jostle and (C on Open MPI) under its peers, in turn."""
    operations = TWO if ranks > 1 else ONE
    words = [build(bench, mpi, binding), str(milliseconds(bench)), *operations, STAMPS]
    spool = bench.disk / "spool-mpi-calls"
    turns = variants(bench, spool, with_peers=mpi is OPENMPI and binding == "C")
    turns.pop("Darshan", None)  # it leaves these calls alone
    samples: dict[str, Figures] = {name: {} for name in turns}
    names = list(turns)
    for number in range(bench.rounds(ROUNDS)):
        for place in range(len(names)):
            name = names[(number + place) % len(names)]
            emptied(spool)
            for key, value in once(bench, mpi, words, turns[name], ranks).items():
                samples[name].setdefault(key, []).append(value)
            if name == OURS:
                require_counts(spool, operations, bench.pick(LEAST_CALLS, LEAST_CALLS, 1))
    return samples


def require_counts(spool: Path, operations: Mapping[str, Operation], least: int) -> None:
    """Raise RuntimeError if jostle did not count the calls: then nothing was measured."""
    problem = counted(spool, sorted({each.metric for each in operations.values()}), least)
    if problem:
        raise RuntimeError(problem)


def differences(samples: Mapping[str, Figures], name: str, operation: str) -> list[float]:
    """Return what a variant adds to a call, by round."""
    pairs = zip(samples[name][operation], samples[BARE][operation], strict=True)
    return [profiled - bare for profiled, bare in pairs]


def row(
    mpi: Mpi, ranks: int, key: str, what: str, bindings: Mapping[str, dict[str, Figures]]
) -> Row:
    """One operation on one MPI: the median over the bindings counts, each is in the note."""
    by_binding = {name: differences(found, OURS, key) for name, found in bindings.items()}
    medians = {name: statistics.median(values) for name, values in by_binding.items()}
    everything = [value for values in by_binding.values() for value in values]
    stamps = [ns for found in bindings.values() for ns in found[BARE][STAMPS]]
    two_stamps = statistics.median(stamps)
    limit = two_stamps + ALLOWED_NS
    if ranks == 1 and key in ("allreduce", "selfreduce"):
        limit = ALLREDUCE_NS
    more = max(medians.values()) if ranks == 1 else statistics.median(everything)
    of_peers = {
        name: statistics.median(differences(found, name, key))
        for found in bindings.values()
        for name in found
        if name not in (BARE, OURS)
    }
    best = min(of_peers, key=of_peers.__getitem__, default="")
    spread, target = half_width(everything), f"<= {limit:.0f} ns"
    if best:
        target, limit = f"{target}, <= {best}'s", min(limit, of_peers[best])
    reached = more <= limit
    noisy = "too noisy to decide" if abs(more - limit) < spread > limit else ""
    note = ", ".join(f"{name} {value:.0f}" for name, value in medians.items()) + " ns"
    others = ", ".join(f"{name} {value:.0f}" for name, value in of_peers.items())
    (bare, ours) = (statistics.median(bindings["C"][each][key]) for each in (BARE, OURS))
    return Row(
        "mpi-calls",
        f"{mpi.title}, {ranks} rank{'s' * (ranks > 1)}: {what}",
        "ns/call",
        target,
        None if noisy else reached,
        bare,
        ours,
        more,
        spread,
        peer=of_peers.get(best),
        peer_name=best,
        note=joined(
            [
                noisy,
                note,
                "the most counts" if ranks == 1 else "their middle counts",
                others,
                f"here two time stamps {two_stamps:.0f} ns",
            ]
        ),
    )


def rows(bench: Bench, mpi: Mpi) -> list[Row]:
    """Measure all operations on an MPI."""
    if mpi not in mpis():
        raise MissingError(f"{mpi.title} is not installed")
    found: list[Row] = []
    usable = ["C", *list(BINDINGS)[1:]] if compiler(mpi, "fortran") else ["C"]
    for ranks, operations in ((1, ONE), (RANKS, TWO)):
        say(f"  {mpi.title}, {ranks} rank{'s' * (ranks > 1)}")
        if bench.level == "smoke" and ranks > 1:
            usable = ["C"]  # ranks that spin take long where others have the cores
        bindings = {name: alternate(bench, mpi, name, ranks) for name in usable}
        found += [row(mpi, ranks, key, op.what, bindings) for key, op in operations.items()]
    return found
