"""The probe of main memory: some in a slice while the program computes, none while it is idle."""

from __future__ import annotations

import sys

import pytest
from harness import Runner

START = "f = open('x', 'wb'); f.write(bytes(1 << 17)); f.flush(); import os, time; "  # a profile
ON = {"JOSTLE_MEMORY_PROBE": "on"}
BUSY = "end = time.monotonic() + {}; exec('while time.monotonic() < end: pass'); "


def python(script: str) -> tuple[str, ...]:
    """A program that has a profile from its first moment on, and then does what the script says."""
    return (sys.executable, "-S", "-c", START + script)


@pytest.mark.tries(3)
def test_ten_times_a_second_while_it_computes(jostle: Runner) -> None:
    """Latency and bandwidth are those of memory, not of a cache and not of a disk."""
    process = jostle.run(*python(BUSY.format(3)), length="250ms", env=ON).only()
    counts = process.per_slice("memory_probe_count")
    whole = [each.first for each in process.slices[1:] if each.span == 1]
    assert len(whole) >= 8
    assert all(counts[first] <= 3 for first in whole)
    assert sum(counts[first] for first in whole) >= 0.8 * len(whole)  # 2.5 where it gets a core
    count = process.total("memory_probe_count")
    assert 20 < process.total("memory_latency_ns") / (64 * count) < 5000
    assert 0.02 < 32768 * count / process.total("memory_stream_ns") < 200  # GB/s


@pytest.mark.in_turn
def test_in_long_slices_once_a_second(jostle: Runner) -> None:
    process = jostle.run(*python(BUSY.format(3.5)), length="60s", env=ON).only()
    assert 1 <= process.total("memory_probe_count") <= 4


@pytest.mark.in_turn
def test_none_while_it_sleeps(jostle: Runner) -> None:
    """A program at rest is probed once at most, when it has just begun, and has no record then."""
    process = jostle.run(*python("time.sleep(3)"), length="250ms", env=ON).only()
    counts = process.per_slice("memory_probe_count")
    begun = min(each.first for each in process.slices)
    assert sum(counts[first] for first in counts if first > begun + 2) == 0


@pytest.mark.parametrize("value", ["off", "0", None])
def test_off_is_nothing_and_the_default(jostle: Runner, value: str | None) -> None:
    env = {"JOSTLE_MEMORY_PROBE": value} if value else {}
    process = jostle.run(*python(BUSY.format(1)), length="250ms", env=env).only()
    for name in ("memory_probe_count", "memory_latency_ns", "memory_stream_ns"):
        assert process.total(name) == 0


def test_a_forked_child_is_probed_too(jostle: Runner) -> None:
    script = (
        "child = os.fork(); f.write(bytes(1 << 17)); f.flush(); "
        + BUSY.format(1.5)
        + "exec('if child: os.waitpid(child, 0)')"
    )
    processes = jostle.run(*python(script), length="250ms", env=ON).processes
    assert len(processes) == 2
    assert all(each.total("memory_probe_count") >= 1 for each in processes)


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_it_costs_a_thousandth_of_a_core_at_most(jostle: Runner) -> None:
    """At the shortest slice: the heartbeat's time with it, minus that without it."""
    cost = {}
    for value in ("off", "on"):
        env = {"JOSTLE_MEMORY_PROBE": value}
        jostle.run(*python(BUSY.format(4)), length="100ms", env=env)
        (process,) = jostle.collect().processes
        cost[value] = process.total("self_heartbeat_ns")
        process.path.unlink()
    assert cost["on"] - cost["off"] < 1.5 * 4e9 / 1000  # and the way to the core and back
