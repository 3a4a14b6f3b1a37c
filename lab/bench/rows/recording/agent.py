"""Measures the cost of jostle-agent's sampler on a node: here, and on a dense node (dense.py)."""

from __future__ import annotations

import os
import random
import re
import subprocess
import tempfile
import time
from pathlib import Path

import dense
from jostle.schema.settings import DEFAULT_SLICE_NS
from measure import Bench, MissingError, Row

SLICE_S = 1.0  # slices are short here; a day has as many as it has at 4 s
DAY_SLICES = 21_600
CORE_SHARE = 0.2  # percent of a core at slices of 4 s
RSS_KIB = 16 * 1024
DAY_BYTES = 10_000_000
LIMIT_BYTES = 1024 * 1024 + 412 * DAY_SLICES  # agent/src/file.c


def _cpu_ns(pid: int) -> int:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


def _status(pid: int, key: str) -> int:
    found = re.search(rf"{key}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else 0


def _size(spool: Path) -> int:
    return sum(path.stat().st_size for path in spool.glob("machine.*.jsm"))


def _watch(agent: Path, root: Path | None, slices: int) -> tuple[float, int, float]:
    """CPU time (ms) per slice, the most memory (KiB), bytes per slice."""
    chance = random.Random(26)
    with tempfile.TemporaryDirectory() as spool:
        process = subprocess.Popen(
            [agent, "sample", *(["--root", str(root)] if root else [])],
            env=os.environ | {"JOSTLE_SPOOL": spool, "JOSTLE_SLICE": f"{SLICE_S:.0f}s"},
        )
        try:
            _middle_of(2, root, chance)
            cpu, size = _cpu_ns(process.pid), _size(Path(spool))
            _middle_of(slices, root, chance)
            cpu, size = _cpu_ns(process.pid) - cpu, _size(Path(spool)) - size
            return cpu / 1e6 / slices, _status(process.pid, "VmHWM"), size / slices
        finally:
            process.terminate()
            process.wait()


def _middle_of(slices: int, root: Path | None, chance: random.Random) -> None:
    """Sleep to the middle of a slice, so many slices from now; counters grow in each."""
    for _ in range(slices):
        now = time.time()
        time.sleep((int(now / SLICE_S + 0.5) + 0.5) * SLICE_S - now)
        if root:
            dense.grow(root, chance)


def rows(bench: Bench) -> list[Row]:
    """Return CPU, memory and space of the sampler, on this machine and on a dense node."""
    agent = bench.preload.parent / "jostle-agent"
    if not agent.exists():
        raise MissingError("no jostle-agent next to the library")
    slices = {"full": 20, "quick": 8, "smoke": 2}[bench.level]
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        dense.build(root)
        for place, at in (("this machine", None), ("a dense node", root)):
            ms, kib, size = _watch(agent, at, slices)
            share, wanted = ms * 1e6 / DEFAULT_SLICE_NS * 100, size * DAY_SLICES
            day = min(wanted, LIMIT_BYTES)
            found += [
                Row(
                    "agent",
                    f"sampler, {place}: CPU at 4 s slices",
                    "% of a core",
                    f"<= {CORE_SHARE}",
                    share <= CORE_SHARE,
                    ours=share,
                ),
                Row(
                    "agent",
                    f"sampler, {place}: memory",
                    "KiB",
                    f"<= {RSS_KIB}",
                    kib <= RSS_KIB,
                    ours=kib,
                ),
                Row(
                    "agent",
                    f"sampler, {place}: profile of a day",
                    "MB",
                    "<= 10",
                    day <= DAY_BYTES,
                    ours=day / 1e6,
                    note=""
                    if day == wanted
                    else f"without a limit {wanted / 1e6:.0f} MB: "
                    "records of the largest sources span",
                ),
            ]
    return found
