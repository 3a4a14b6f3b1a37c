"""Measures the overhead of the injector on calls that it does not delay, compared with jostle."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from measure import BARE, OURS, Bench, Row, alternate, compared, output
from mpi import OPENMPI, mpis
from rows.mpi import mpi_calls

NOTE = "bare: jostle without the injector"


def without_and_with(bench: Bench, rules: str) -> dict[str, dict[str, str]]:
    """Return the two variants: jostle, and jostle with the injector after it."""
    alone = bench.jostle()
    library = bench.preload.parent / "libjostle_inject.so"
    more = {"LD_PRELOAD": f"{bench.preload}:{library}"}
    if rules:
        more["JOSTLE_INJECT"] = f"{rules} log={bench.disk / 'inject'}"
    return {BARE: alone, OURS: {**alone, **more}}


def io_row(bench: Bench, what: str, rules: str, limit: float) -> Row:
    """Measure a pwrite under jostle, without and with the injector."""
    micro = bench.compile("micro")
    command = [micro, "pwrite", str(bench.memory), "1", str(bench.cpus[-1])]

    def once(variant: Mapping[str, str]) -> float:
        return float(output(command, variant))

    samples = alternate(without_and_with(bench, rules), bench.rounds(15), once)
    return compared(samples, "inject", f"pwrite, {what}", "ns", limit, note=NOTE)


def mpi_row(bench: Bench, what: str, rules: str, limit: float) -> Row:
    """Measure an Allreduce of one rank under jostle, without and with the injector."""
    milliseconds = str(mpi_calls.milliseconds(bench))
    words = [mpi_calls.build(bench, OPENMPI, "C"), milliseconds, "allreduce"]

    def once(variant: Mapping[str, str]) -> float:
        return mpi_calls.once(bench, OPENMPI, words, variant, 1)["allreduce"]

    samples = alternate(without_and_with(bench, rules), bench.rounds(9), once)
    title = f"Open MPI, Allreduce, {what}"
    return compared(samples, "inject", title, "ns", limit, note=NOTE)


def late_row(bench: Bench) -> Row:
    """Measure how much longer a delay of 1 ms is than requested."""
    from jostle_lab.inject import read_log

    micro, folder = bench.compile("micro"), bench.disk / "late"
    variant = without_and_with(bench, "calls=write probability=0.001 delay=fixed:1ms")[OURS]
    variant["JOSTLE_INJECT"] = variant["JOSTLE_INJECT"].rsplit("=", 1)[0] + f"={folder}"
    output([micro, "pwrite", str(bench.memory), "1", str(bench.cpus[-1])], variant)
    late = [ns - 1_000_000 for ns in read_log(folder)["delay_ns"].to_pylist()]
    median, deciles = statistics.median(late), statistics.quantiles(late, n=10)
    return Row(
        "inject",
        "a delay of 1 ms: longer by",
        "ns",
        "<= 5000 ns",
        median <= 5000,
        ours=median,
        note=f"{len(late)} delays, the 9th decile {deciles[8]:.0f} ns",
    )


def rows(bench: Bench) -> list[Row]:
    """Measure calls that are not delayed, by the reason why they are not, and a delay's length."""
    never = "probability=0 delay=fixed:1ms"
    found = [
        io_row(bench, "injector preloaded without rules", "", 5),
        io_row(bench, "injector for other calls", f"calls=sync {never}", 5),
        io_row(bench, "injector never due", f"calls=write {never}", 60),
        late_row(bench),
    ]
    if OPENMPI in mpis():
        found += [
            mpi_row(bench, "injector preloaded without rules", "", 5),
            mpi_row(bench, "injector for other calls", f"calls=p2p {never}", 10),
            mpi_row(bench, "injector never due", f"calls=all-to-all {never}", 30),
        ]
    return found
