"""Estimates the size of a process's profile after a day of 4 s slices, from a few real slices."""

from __future__ import annotations

import statistics
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from measure import Bench, Row, environment, say
from profiles import Record, records, totals

SLICE_S = 4
SLICES_PER_DAY = 86_400 // SLICE_S
MB = 1e6
SLICES = ("S", "L")
# Bits of a metric that counts failures, in an 'L' record: neither that of another nor its own last
# one (2), and a number of one to three bits against one of as many (3).
BITS_OF_FEW = 5


def watch(bench: Bench, modes: list[str], slices: int, slice_s: int) -> dict[str, Path]:
    """Run programs/mover.c in all modes at once, for some whole slices; return the spools."""
    program, processes, spools = bench.compile("mover"), [], {}
    for mode in modes:
        folder = bench.disk / f"mover-{mode}"
        folder.mkdir()
        spools[mode] = bench.spool(mode)
        env = environment(bench.jostle(spools[mode], SLICE=f"{slice_s}s"))
        seconds = (slices + 1.5) * slice_s - time.time() % slice_s
        command = [program, mode, str(folder), f"{seconds:.2f}"]
        processes.append(subprocess.Popen(command, env=env))
    for process in processes:
        process.wait()
    return spools


def full_slices(found: list[Record]) -> list[float]:
    """Sizes of the slice records, without the first and last (parts of a slice).

    One of 64 is written in full, and more of the first ones.
    """
    whole = [record for record in found if record.kind in SLICES][1:-1]
    likes = [record.size for record in whole if record.kind == "L"]
    if not likes:
        return [float(record.size) for record in whole]
    full = statistics.fmean(record.size for record in whole if record.kind == "S")
    return [size + (full - size) / 64 for size in likes]


def row(name: str, spool: Path, limit_mb: float, still: int) -> Row:
    """Extrapolate a profile to a day, including `still` metrics that did not change."""
    what, target = f"profile of a process and day, {name}", f"<= {limit_mb:g} MB"
    paths = sorted(spool.glob("*.jst"))
    if len(paths) != 1:
        return Row("size", what, "MB", target, note=f"{len(paths)} profiles instead of one")
    head, found = records(paths[0])
    sizes = full_slices(found)
    if not sizes:
        return Row("size", what, "MB", target, note="no whole slice was recorded")
    per_slice = statistics.fmean(sizes) + still * BITS_OF_FEW / 8
    others = sum(record.size for record in found if record.kind not in SLICES)
    day = (per_slice * SLICES_PER_DAY + head + others) / MB
    spread = (max(sizes) - min(sizes)) / 2 * SLICES_PER_DAY / MB
    beat = totals(spool).get("self_heartbeat_ns", 0) / 1e3 / (len(sizes) + 1)
    note = (
        f"one mount, {per_slice:.0f} B per slice (n = {len(sizes)}), head {head / 1024:.0f} KiB, "
        f"heartbeat {beat:.0f} us per slice"
    )
    return Row("size", what, "MB", target, day <= limit_mb, None, day, None, spread, note=note)


def size_rows(bench: Bench) -> list[Row]:
    """Return both rows: a process that changes every metric in every slice, and an ordinary one."""
    slices, slice_s = bench.pick(7, 3, 3), bench.pick(SLICE_S, SLICE_S, 1)
    say(f"  {(slices + 1) * slice_s} s of whole slices")
    spools = watch(bench, ["every", "typical"], slices, slice_s)
    moved = totals(spools["every"])
    still = sorted(name for name, value in moved.items() if value == 0 and "_" in name)
    full = row("every metric moving", spools["every"], 5, len(still))
    if still:
        full = replace(full, note=f"{full.note}; at rest, priced in: {', '.join(still)}")
    return [full, row("typical", spools["typical"], 2, 0)]
