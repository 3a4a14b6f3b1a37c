"""Measures jostle's constant cost in a process: the heartbeat's CPU time, and memory."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from measure import OURS, Bench, Row, alternate, compared, environment, half_width, joined
from profiles import totals

NS_PER_US = 1000.0
SETTLED_S = 0.5  # memory that only the start needs is freed at the first boundary


def others_ns(pid: int) -> int | None:
    """CPU time (ns) of all threads of a process but its main one; None when there are none."""
    found = None
    for task in Path(f"/proc/{pid}/task").iterdir():
        if task.name != str(pid):
            found = (found or 0) + int((task / "schedstat").read_text().split()[0])
    return found


def watch_heartbeat(pid: int, slice_s: float, seconds: float) -> list[float]:
    """CPU time (us) that the heartbeat of a process took in each slice, read in mid-slice."""
    used: list[float] = []
    before = None
    end = time.time() + seconds
    while time.time() < end:
        now = time.time()
        time.sleep((int(now / slice_s + 0.5) + 0.5) * slice_s - now)
        after = others_ns(pid)
        if before is not None and after is not None:
            used.append((after - before) / NS_PER_US)
        before = after
    return used


def heartbeat_row(bench: Bench) -> Row:
    """CPU time of the heartbeat per slice: from the kernel, and by the profile itself."""
    seconds, slice_s = bench.pick(8.0, 3.0, 2.0), 0.1
    used, spool = heartbeat_of(bench, "heartbeat", slice_s, seconds)
    row = Row("heartbeat", "heartbeat, CPU per slice", "us", "<= 75 us")
    if not used:
        return replace(row, note="no thread of ours was seen")
    median = statistics.median(used)
    own = totals(spool).get("self_heartbeat_ns", 0) / NS_PER_US / ((seconds + 1) / slice_s)
    note = joined(
        [f"mean {statistics.fmean(used):.0f} us", f"profile says {own:.0f} us", "100 ms slices"]
    )
    return replace(
        row, ours=median, added=median, spread=half_width(used), reached=median <= 75, note=note
    )


def heartbeat_of(
    bench: Bench, name: str, slice_s: float, seconds: float, **variables: str
) -> tuple[list[float], Path]:
    """CPU time (us) of the heartbeat in each slice of a busy program, and where its profile is."""
    spool = bench.spool(name)
    command = [bench.compile("micro"), "tick", str(bench.memory), str(seconds + 1), "-"]
    variant = bench.jostle(spool, SLICE=f"{slice_s * 1000:.0f}ms", **variables)
    with subprocess.Popen(command, env=environment(variant)) as process:
        time.sleep(0.5)
        return watch_heartbeat(process.pid, slice_s, seconds), spool


def core_probe_row(bench: Bench) -> Row:
    """Measure what a core-speed probe every 20 ms adds to the heartbeat: off and on in turn."""
    seconds, slice_s = bench.pick(4.0, 2.0, 2.0), 0.1
    used: dict[str, list[float]] = {"off": [], "20ms": []}
    runs = took = 0
    for turn in range(bench.rounds(5)):
        for value, found in used.items():
            new, spool = heartbeat_of(
                bench, f"core-probe-{turn}-{value}", slice_s, seconds, CORE_PROBE=value
            )
            found += new
            runs += totals(spool).get("core_probe_count", 0)
            took += totals(spool).get("core_probe_ns", 0)
    row = Row(
        "heartbeat", "core-speed probe every 20 ms, CPU per slice", "us", "<= 0.5 % of a core"
    )
    if not used["off"] or not used["20ms"] or not runs:
        return replace(row, note="no thread of ours was seen, or no core-speed probe ran")
    bare, ours = (statistics.median(found) for found in used.values())
    share = (ours - bare) / (slice_s * 1e6)
    note = joined(
        [f"{share:.2%} of a core", f"{took / runs / NS_PER_US:.1f} us a loop", "100 ms slices"]
    )
    return replace(
        row,
        bare=bare,
        ours=ours,
        added=ours - bare,
        spread=half_width(used["20ms"]),
        reached=share <= 0.005,
        note=note,
    )


def memory_kib(command: list[str], variant: Mapping[str, str]) -> float:
    """Memory (KiB) of `micro hold` once all its threads have done their I/O.

    The proportional set size: all of our library and of the profile's mapped header counts, since
    no other process maps them, but not how much of libc happened to be mapped.
    """
    with subprocess.Popen(
        command, env=environment(variant), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{command[0]} did not come up")
        time.sleep(SETTLED_S)
        rollup = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
        process.communicate("")
    lines = dict(line.split(":", 1) for line in rollup.splitlines()[1:])
    return float(lines["Pss"].split()[0])


def memory_rows(bench: Bench) -> list[Row]:
    """Memory that jostle adds to a process, and to each further thread that does I/O."""
    rounds, many = bench.rounds(15), 64

    def hold(threads: int) -> dict[str, list[float]]:
        command = [bench.compile("micro"), "hold", str(bench.memory), str(threads), "-"]
        variants = bench.variants() | {OURS: bench.jostle(SLICE="100ms")}
        return alternate(variants, rounds, lambda v: memory_kib(command, v))

    one, all_of_them = hold(1), hold(many)
    per_thread = {
        name: [(b - a) / (many - 1) for a, b in zip(one[name], all_of_them[name], strict=True)]
        for name in one
    }
    return [
        compared(one, "memory", "memory per process", "KiB", 300, note="PSS"),
        compared(per_thread, "memory", "memory per thread", "KiB", 8, note="PSS, 64 threads"),
    ]
