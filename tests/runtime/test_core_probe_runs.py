"""The core-speed probe: the requested interval, the same work in every build, nothing when off."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import peek
import pytest
from harness import Compile, Runner

ON: dict[str, str | None] = {"JOSTLE_CORE_PROBE": "20ms"}
START = "f = open('x', 'wb'); f.write(bytes(1 << 17)); f.flush(); import os, time; "  # a profile
BUSY = "end = time.monotonic() + float({}); exec('while time.monotonic() < end: pass')"


def python(script: str) -> tuple[str, ...]:
    """A program that has a profile from its first moment on, and then does what the script says."""
    return (sys.executable, "-S", "-c", START + script)


def mean_ns(process: peek.Process) -> float:
    """The mean time of one run of the core-speed probe, over the whole profile."""
    return process.total("core_probe_ns") / process.total("core_probe_count")


def switches(pid: int) -> int:
    """How often the heartbeat of a process of one thread has gone to sleep."""
    (tid,) = {int(t.name) for t in Path(f"/proc/{pid}/task").iterdir()} - {pid}
    status = Path(f"/proc/{pid}/task/{tid}/status").read_text()
    return int(status.split("\nvoluntary_ctxt_switches:")[1].split()[0])


@pytest.mark.parametrize("value", [None, "off"])
def test_off_is_nothing(jostle: Runner, value: str | None) -> None:
    """No wake-up between boundaries, no count, no record for its sake."""
    child = jostle.start(
        *python("input()"), length="500ms", stdin=subprocess.PIPE, env={"JOSTLE_CORE_PROBE": value}
    )
    jostle.await_ticks(child.pid, 2)
    begin, before = time.monotonic(), switches(child.pid)
    time.sleep(1)
    slept, seconds = switches(child.pid) - before, time.monotonic() - begin
    child.communicate("\n")
    assert slept < 10 * seconds  # two boundaries, and the counters of the processor look around
    process = jostle.collect().only()
    assert process.total("core_probe_ns") == process.total("core_probe_count") == 0


@pytest.mark.tries(3)
@pytest.mark.parametrize(("interval", "most"), [("20ms", 25), ("5ms", 100), ("0.25", 2)])
def test_as_often_as_asked(jostle: Runner, interval: str, most: int) -> None:
    """Each slice has as many runs as intervals, of a plausible length, in idle slices too."""
    env: dict[str, str | None] = {"JOSTLE_CORE_PROBE": interval}
    process = jostle.run(*python("time.sleep(1.8)"), length="500ms", env=env).only()
    counts, sums = process.per_slice("core_probe_count"), process.per_slice("core_probe_ns")
    whole = [s.first for s in process.slices[1:] if s.span == 1]
    assert len(whole) >= 2
    assert all(counts[first] <= most for first in whole)
    assert max(counts[first] for first in whole) >= 0.8 * most
    for first in whole:
        if counts[first]:
            assert 1_000 < sums[first] / counts[first] < 100_000


@pytest.mark.in_turn
def test_its_cost_is_reported(jostle: Runner) -> None:
    """The profile says what the heartbeat costs with it; `make bench` has how much that may be."""
    cost = {}
    for value in ("off", "20ms"):
        jostle.run(*python(BUSY.format(2)), env={"JOSTLE_CORE_PROBE": value}, length="500ms")
        (process,) = jostle.collect().processes
        cost[value] = process.total("self_heartbeat_ns")
        assert process.total("self_cost_ns") >= cost[value]
        process.path.unlink()
    assert cost["20ms"] > cost["off"]


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_neighbour_on_the_same_core(jostle: Runner) -> None:
    """A process that takes turns on its core is not seen: only what runs concurrently is."""
    core = str(max(os.sched_getaffinity(0)))
    means: dict[bool, list[float]] = {False: [], True: []}
    for oversubscribed in (False, True, False, True):
        hogs = [
            subprocess.Popen(["taskset", "-c", core, sys.executable, "-c", "while True: pass"])
            for _ in range(oversubscribed)
        ]
        try:
            jostle.run("taskset", "-c", core, *python(BUSY.format(0.8)), env=ON)
        finally:
            for hog in hogs:
                hog.kill()
                hog.wait()
        for process in jostle.collect().processes:
            if process.total("core_probe_count"):
                means[oversubscribed].append(mean_ns(process))
            process.path.unlink()
    assert min(means[True]) < 1.3 * min(means[False]), means


def core_of(pid: int, tid: int) -> int:
    """The core on which a thread ran last."""
    text = Path(f"/proc/{pid}/task/{tid}/stat").read_text()
    return int(text.rpartition(")")[2].split()[36])


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_follows_the_main_thread(jostle: Runner) -> None:
    """It runs on the core of the program's main thread, and may go anywhere afterwards."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        pytest.skip("needs two CPUs")
    child = jostle.start(*python("time.sleep(0.3); " + BUSY.format(20)), env=ON, length="60s")
    try:
        while len(tasks := os.listdir(f"/proc/{child.pid}/task")) < 2:
            time.sleep(0.01)
        (tid,) = {int(t) for t in tasks} - {child.pid}
        masks = set()
        for core in cores * 2:
            os.sched_setaffinity(child.pid, {core})  # of the main thread alone
            time.sleep(0.2)
            seen = []
            for _ in range(20):
                time.sleep(0.02)
                seen.append(core_of(child.pid, tid))
                masks.add(frozenset(os.sched_getaffinity(tid)))
            assert seen.count(core) >= 15, (core, seen)
        assert frozenset(os.sched_getaffinity(0)) in masks and len(masks) <= 1 + len(cores)
    finally:
        child.kill()
        child.communicate()


def test_forked_child_has_its_own(jostle: Runner) -> None:
    """Parent and child each run it, in a profile of their own."""
    child = "pid = os.fork(); f = open(f'y{pid}', 'wb'); f.write(bytes(1 << 17)); f.flush(); "
    result = jostle.run(*python(child + "time.sleep(0.6); pid and os.wait()"), env=ON)
    assert len(result.processes) == 2
    for process in result.processes:
        assert (
            5 <= process.total("core_probe_count") <= (process.end_ns - process.start_ns) / 20e6 + 2
        )
        assert mean_ns(process) < 100_000


def test_killed(jostle: Runner) -> None:
    """Results up to a kill -9 are in the profile."""
    child = jostle.start(*python("time.sleep(60)"), env=ON)
    jostle.await_ticks(child.pid, 5)
    child.kill()
    child.communicate()
    process = jostle.collect().only()
    assert process.total("core_probe_count") >= 10
    assert 1_000 < mean_ns(process) < 100_000


def test_stopped(jostle: Runner) -> None:
    """A stopped process measures nothing, and no slow core."""
    child = jostle.start(*python("time.sleep(60)"), env=ON)
    jostle.await_ticks(child.pid, 3)
    for _ in range(3):
        child.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        child.send_signal(signal.SIGCONT)
        time.sleep(0.1)
    child.kill()
    child.communicate()
    process = jostle.collect().only()
    assert process.total("core_probe_count") > 0
    assert mean_ns(process) < 100_000


def loop_of(listing: str, function: str) -> list[str]:
    """The instructions of a function's loop, as a listing has them."""
    body = listing.split(f"<{function}>:\n")[1].split("\n\n")[0]
    code = [line.strip().split(":\t", 1) for line in body.splitlines() if ":\t" in line]
    (end,) = [i for i, (_at, text) in enumerate(code) if re.match(r"jne |b\.ne", text)]
    jump, target, *_where = code[end][1].split()
    assert int(target, 16) % 64 == 0
    (begin,) = [i for i, (at, _text) in enumerate(code) if int(at, 16) == int(target, 16)]
    return [*(text for _at, text in code[begin:end]), jump]


def test_same_instructions_in_every_build(build: Compile, root: Path) -> None:
    """Whatever the options of the compiler, the work is the same, and begins on a cache line."""
    if not shutil.which("objdump"):
        pytest.skip("needs objdump")
    flags = (
        "-D_GNU_SOURCE",
        *(f"-I{root / p}" for p in ("runtime/include", "runtime/src", "schema")),
    )
    found = []
    for level in (("-O0",), ("-O3", "-march=native"), ("-Os", "-fPIC")):
        program = str(build("core_probe_alone.c", *flags, *level))
        command = ["objdump", "-d", "--no-show-raw-insn", program]
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found.append([loop_of(listing, name) for name in ("integers", "stencil", "walk")])
    assert all(7 <= len(loop) <= 24 for loop in found[0])
    assert found[0] == found[1] == found[2]
    # Going on by so many bytes each time would measure the prefetchers.
    assert not [text for text in found[0][2] if re.match(r"add\s.*[$#]0x", text)]
    # Factors that a shift and an addition make (3, 5, 9, 13) are found out by some, as well.
    assert len([text for text in found[0][2] if re.match(r"(imul|madd)\s", text)]) == 4
