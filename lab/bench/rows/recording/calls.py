"""Measures the cost of one call, of a second thread, and of the start and end of a process."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from measure import OURS, PEER, Bench, MissingError, Row, added, alternate, compared, joined, output
from profiles import totals

NS_PER_US = 1000.0
LEAST_CALLS = 10_000  # micro makes hundreds of thousands
SHARE = 0.5  # of what Darshan adds


@dataclass(frozen=True)
class Call:
    """A call of programs/micro.c.

    Attributes:
        what: Name of the call in the table.
        limit: Largest time that jostle may add to the call if there is no peer, in ns.
        metric: Metric that must have counted the call; otherwise nothing was measured.
    """

    what: str
    limit: float
    metric: str


CALLS = {
    "pwrite": Call("pwrite 8 B, tmpfs", 35, "posix_write_ops"),
    "pread": Call("pread 8 B, tmpfs", 35, "posix_read_ops"),
    "fwrite": Call("fwrite 64 B", 10, "stdio_write_ops"),
    "fputc": Call("fputc", 2, "stdio_write_ops"),
    "openclose": Call("open + close", 250, "posix_open_ops"),
}


def call_row(bench: Bench, key: str) -> Row:
    """Measure one call, bare and preloaded, pinned to one CPU."""
    call = CALLS[key]
    command = [bench.compile("micro"), key, str(bench.memory), "1", str(bench.cpus[-1])]

    def once(variant: Mapping[str, str]) -> float:
        return float(output(command, variant))

    spool = bench.spool(key)
    once(bench.jostle(spool))
    counted = totals(spool).get(call.metric, 0)
    if counted < LEAST_CALLS:
        raise RuntimeError(f"not counted: {call.metric} = {counted}")
    samples = alternate(bench.variants(), bench.rounds(15), once)
    row = compared(samples, key, call.what, "ns", call.limit, SHARE)
    if row.peer is not None:
        return row
    return replace(row, note=joined([row.note, prices(bench.compile("micro"), bench.cpus[-1])]))


@cache
def prices(micro: str, cpu: int) -> str:
    """Return the times on which figures in ns depend on this machine, in words."""
    words = {"stamps": "two time stamps", "system": "a system call that does nothing"}
    found = {
        what: float(output([micro, name, "/tmp", "1", str(cpu)], {}))
        for name, what in words.items()
    }
    return "here " + ", ".join(f"{what} {ns:.0f} ns" for what, ns in found.items())


def threads_row(bench: Bench) -> Row:
    """Return the added cost of a pwrite with two threads, relative to that with one."""
    what, target, limit = "2 threads writing, added / 1 thread", "<= 1.2 x added", 1.2
    if len(bench.cpus) < 2:
        raise MissingError("needs two CPUs")
    micro, cpus = bench.compile("micro"), bench.cpus[-2:]

    def once(threads: int, variant: Mapping[str, str]) -> float:
        pinned = ",".join(str(cpu) for cpu in cpus[-threads:])
        command = [micro, "pwrite", str(bench.memory), str(threads), pinned]
        return statistics.fmean(float(line) for line in output(command, variant).split())

    variants = {
        f"{name}{threads}": {**variant, "BENCH_THREADS": str(threads)}
        for name, variant in bench.variants().items()
        for threads in (1, 2)
    }
    samples = alternate(
        variants, bench.rounds(25), lambda variant: once(int(variant["BENCH_THREADS"]), variant)
    )
    one, two = ({name: samples[f"{name}{n}"] for name in bench.variants()} for n in (1, 2))
    (first, _), (second, spread) = added(one, OURS), added(two, OURS)
    row = replace(compared(two, "threads", what, "ns", limit), target=target)
    note = f"{second:.1f} ns against {first:.1f}; spread is of the ratio"
    if PEER in one:
        note += f"; Darshan {added(two, PEER)[0] / added(one, PEER)[0]:.1f} x"
    return replace(
        row, ratio=second / first, spread=spread / first, reached=second <= limit * first, note=note
    )


def spawn_row(bench: Bench) -> Row:
    """Measure start and exit of /bin/true, as its parent waits for it."""
    variants = bench.variants()
    command = [bench.compile("spawn"), str(bench.rounds(600)), str(bench.cpus[-1]), "/bin/true"]
    for variant in variants.values():
        command += ["--", *(f"{key}={value}" for key, value in variant.items())]
    rounds = [[int(n) for n in line.split()] for line in output(command, {}).splitlines()]
    columns = zip(*rounds, strict=True)
    samples = {
        name: [ns / NS_PER_US for ns in column]
        for name, column in zip(variants, columns, strict=True)
    }
    return compared(samples, "spawn", "start and exit of /bin/true", "us", 150.0, SHARE)
