"""Measures what jostle adds to one call of NCCL, with a library and a driver of ours, without GPU.

Two rows: without a driver, where the call is only counted, and with one, where events are recorded
and queried. The note has the time of the substitute's own functions for events; those of a real
driver take longer.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from measure import PROGRAMS, Bench, Row, alternate, compared, joined, output
from profiles import totals

STAND_INS = Path(__file__).parents[4] / "tests" / "runtime" / "programs" / "gpu"
KEY = "nccl-calls"
RANK = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
LEAST_CALLS = 10_000
COUNTED_NS, TIMED_NS = 60.0, 300.0


def build(folder: Path, driver: str) -> str:
    """Compile the program with its substitutes; `driver` is the name of the driver's file."""
    folder.mkdir()
    cuda, nccl, program = (str(folder / name) for name in (driver, "libnccl.so.2", "nccl_calls"))
    fake_cuda, fake_nccl = (str(STAND_INS / name) for name in ("fake_cuda.c", "fake_nccl.c"))
    for words in (
        ["-shared", "-fPIC", f"-Wl,-soname,{driver}", fake_cuda, "-o", cuda],
        ["-shared", "-fPIC", "-Wl,-soname,libnccl.so.2", fake_nccl, cuda, "-o", nccl],
        [str(PROGRAMS / "nccl_calls.c"), nccl, cuda, f"-Wl,-rpath,{folder}", "-o", program],
    ):
        subprocess.run(["cc", "-std=gnu11", "-O2", *words], check=True)
    return program


def rows(bench: Bench) -> list[Row]:
    """Measure an all-reduce of no elements, counted, and with the times of its operation."""
    counted = build(bench.disk / "nccl-counted", "libother.so.1")
    timed = build(bench.disk / "nccl-timed", "libcuda.so.1")
    events = float(output([timed, "events", str(bench.cpus[-1])], {}))
    with_times = row(bench, timed, "ncclAllReduce, with its times", TIMED_NS)
    note = f"of it {events:.0f} ns in the stand-in's functions for events"
    return [
        row(bench, counted, "ncclAllReduce, counted only", COUNTED_NS),
        replace(with_times, note=joined([with_times.note, note])),
    ]


def row(bench: Bench, program: str, what: str, limit: float) -> Row:
    """Measure one program bare and under jostle, in turn, ns per call."""
    command = [program, "call", str(bench.cpus[-1])]
    spool = bench.spool(Path(program).parent.name)

    def once(variant: Mapping[str, str]) -> float:
        return float(output(command, {**RANK, **variant}))

    once(bench.jostle(spool))
    calls = totals(spool).get("ccl_all_to_all_ops", 0)
    if calls < LEAST_CALLS:
        raise RuntimeError(f"not counted: ccl_all_to_all_ops = {calls}")
    samples = alternate(bench.variants(peer=False), bench.rounds(15), once)
    return compared(samples, KEY, what, "ns", limit)
