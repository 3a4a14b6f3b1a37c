"""Users of the cores of a job's nodes, from profiles and from samples of other processes."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc
import pytest
from test_machine_loads import stored

from jostle.repository.query.resources.co_running import CoRunning
from synth import EPOCH, SECOND, Profile
from synth_machine import MachineProfile

HOST, SLICES = "node1", 3
HALF = 2 * SECOND


def loop(name: str, pid: int, cpus: str, cpu_s: float) -> Profile:
    """A job that computes on some cores, in slices of 4 s, and waits for one."""
    p = Profile(job=name, host=HOST, pid=pid, bindings=[(cpus, "0", "0-1", "0")])
    for number in range(SLICES):
        p.add_slice(
            p.first_slice + number, {"os_user_ns": round(cpu_s * SECOND), "os_runqueue_ns": SECOND}
        )
    p.end_ns, p.end_reason = EPOCH + SLICES * p.slice_ns, 1
    p.heartbeat_ns = p.end_ns
    return p


def watcher(seen: dict[int, list[dict[str, int]]]) -> MachineProfile:
    """An observer of processes in slices of 2 s: by pid CPU time on sets of cores."""
    p = MachineProfile(host=HOST, pid=77, start_ns=EPOCH, slice_ns=HALF)
    numbers = {
        (pid, cores): p.add_component(kind="process", name="loop", source=cores, pid=pid)
        for pid, slices in seen.items()
        for cores in sorted({c for each in slices for c in each})
    }
    for at in range(2 * SLICES):
        values = {
            numbers[pid, cores]: {"cpu_used_ns": ns}
            for pid, slices in seen.items()
            if at < len(slices)
            for cores, ns in slices[at].items()
        }
        p.add_slice(p.first_slice + at, values)
    p.end_ns, p.end_reason = EPOCH + SLICES * 2 * HALF, 1
    return p


def on_cores(alongside: CoRunning, job: str) -> list[dict[str, float]]:
    """CPU time in seconds by set of cores, slice by slice."""
    rows = alongside.core_use.users
    rows = rows.filter(pc.equal(rows["job"], job)).to_pylist()
    found: dict[int, dict[str, float]] = {}
    for row in rows:
        mine = found.setdefault(row["start_ns"], {})
        if row["cpu_ns"]:
            mine[row["cpus"]] = mine.get(row["cpus"], 0) + row["cpu_ns"] / SECOND
    return [found[start] for start in sorted(found)]


def test_cpu_time_is_where_its_process_was_seen(tmp_path: Path) -> None:
    """CPU time from profiles, cores from observers, in slices of other lengths."""
    second = SECOND
    seen = {
        # Half of the first slice on each core, then three quarters on core 0, then nobody looked.
        2: [{"0": second}, {"1": second}, {"0": second}, {"0": second // 2, "0-1": second // 2}],
        3: [{"0-1": second}] * 6,  # not seen anywhere in particular
        4: [{"0": second // 2, "1": second // 2}] * 6,  # no profile
    }
    store = stored(
        tmp_path,
        loop("mine", 1, "0", 1.0),
        loop("free", 2, "0-1", 2.4),
        loop("unseen", 3, "0-1", 2.0),
        loop("pinned", 5, "1", 0.5),
        watcher(seen),
    )
    alongside = store.alongside("mine")
    free = on_cores(alongside, "free")
    assert free[0] == pytest.approx({"0": 1.2, "1": 1.2}, rel=0.01)
    assert free[1] == pytest.approx({"0": 1.8, "0-1": 0.6}, rel=0.01)
    assert free[2] == pytest.approx({"0-1": 2.4}, rel=0.01)
    assert on_cores(alongside, "unseen") == [pytest.approx({"0-1": 2.0}, rel=0.01)] * 3
    assert on_cores(alongside, "pinned") == [pytest.approx({"1": 0.5}, rel=0.01)] * 3
    assert on_cores(alongside, "mine") == [pytest.approx({"0": 1.0}, rel=0.01)] * 3
    # One that waited keeps what it waited, once.
    rows = alongside.core_use.users
    waited = rows.filter(pc.equal(rows["job"], "free"))["queue_ns"].to_pylist()
    assert sum(waited) / SECOND == pytest.approx(SLICES, rel=0.01)
    other = [each for each in on_cores(alongside, "loop (pid 4)") if each]
    assert other == [pytest.approx({"0": 0.5, "1": 0.5}, rel=0.01)] * (2 * SLICES)


def test_where_nobody_is_bound_nothing_is_divided(tmp_path: Path) -> None:
    """Then no share depends on it, and it is not queried."""
    store = stored(
        tmp_path,
        loop("mine", 1, "0-1", 1.0),
        loop("free", 2, "0-1", 2.4),
        watcher({2: [{"0": SECOND}] * 6}),
    )
    assert on_cores(store.alongside("mine"), "free") == [pytest.approx({"0-1": 2.4}, rel=0.01)] * 3
