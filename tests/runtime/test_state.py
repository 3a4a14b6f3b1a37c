"""State marks: time is counted in the slice in which it passes; no call leaves its mark behind."""

from __future__ import annotations

import os
import signal
import struct
from pathlib import Path

import pytest
from harness import Compile, Runner

MS = 1_000_000


def marks(profile: Path) -> list[int]:
    """State marks of the blocks in a profile's header: 0 where no call is in progress."""
    data = profile.read_bytes()
    offset, size = struct.unpack_from("<II", data, 20)
    (used,) = struct.unpack_from("<I", data, 2084)
    (capacity,) = struct.unpack_from("<I", data, 28)
    blocks = range(1, min(used, capacity))
    return [struct.unpack_from("<I", data, offset + i * size + 4)[0] for i in blocks]


@pytest.mark.tries(3)
def test_a_long_call_shows_in_every_slice(jostle: Runner, build: Compile) -> None:
    """A read that waits for 1.2 s is in each of the slices of 100 ms that it spans.

    A heartbeat that comes late to a boundary, by half a slice at most, has more in one record and
    less in the next.
    """
    result = jostle.run(build("blocked.c"), jostle.data, 1200)
    begin, end = map(int, result.notes["waited"][0].split())
    program = next(p for p in result.processes if not p.short)
    length, state = program.slice_ns, program.per_slice("state_io_ns")
    inside = [
        (state.get(s.first, 0), s.span * length)
        for s in program.slices
        if s.first * length >= begin and (s.first + s.span) * length <= end
    ]
    wall = sum(span for _ns, span in inside)
    assert wall > end - begin - 3 * length and len(inside) >= 5
    assert all(abs(ns - span) < 0.55 * length for ns, span in inside), inside
    assert abs(sum(ns for ns, _span in inside) - wall) < 0.55 * length
    assert program.total("state_io_ns") == pytest.approx(end - begin, rel=0.1)


def test_a_killed_process_keeps_what_it_waited(jostle: Runner, build: Compile) -> None:
    """Kill -9 in the middle of a call: the time up to the last slice is there."""
    process = jostle.start(build("blocked.c"), jostle.data, 60_000)
    jostle.await_ticks(process.pid, 3)
    (before,) = (p.total("state_io_ns") for p in jostle.collect().of(process.pid))
    jostle.await_ticks(process.pid, 5)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    (program,) = jostle.collect().of(process.pid)
    # Five boundaries later: four slices have passed, less what the first of them came late.
    assert program.total("state_io_ns") > before + 300 * MS


@pytest.mark.parametrize(
    "source", ["posix_data.c", "posix_meta.c", "stdio_all.c", "streams.c", "aliases.c", "errors.c"]
)
def test_no_mark_is_left_behind(jostle: Runner, build: Compile, source: str) -> None:
    """Every wrapped call, failed ones too, takes its mark away."""
    mover = build("mover.c", "-shared", "-fPIC")
    jostle.run(build(source), jostle.data, preload=[*jostle.preload(), mover])
    profiles = list(jostle.spool.glob("*.jst"))
    assert profiles
    for profile in profiles:
        assert not any(marks(profile)), profile.name


def test_state_is_no_less_than_its_parts(jostle: Runner, build: Compile) -> None:
    """Timed file calls of one thread are outermost: their times add up to the state's."""
    process = jostle.run(build("steady.c"), jostle.data / "file", 700).only()
    parts = sum(process.total(f"{m}_ns") for m in ("posix_write", "posix_read", "posix_meta"))
    parts += process.total("posix_sync_ns")
    state = process.total("state_io_ns")
    assert parts * 0.95 <= state <= parts * 1.3 + MS


NEVER_RETURNS = (
    "siglongjmp",
    "longjmp",
    "again",
    "stream",
    "setcontext",
    "swapcontext",
    "exception",
    "cancel",
    "pthread_exit",
    "thread_end",
)


@pytest.mark.in_turn
@pytest.mark.tries(3)
@pytest.mark.parametrize("way", NEVER_RETURNS)
def test_a_call_that_never_returns_ends_where_it_is_left(
    jostle: Runner, build: Compile, way: str
) -> None:
    """The time in files is what was waited, although no call follows for four times as long.

    When a thread ended by a bare system call is known to the slice only.
    """
    result = jostle.run(build("never_returns.cc"), way, text=False)
    (waited,) = struct.unpack("<q", bytes(result.stdout))  # type: ignore[arg-type]
    assert waited >= 190 * MS
    slack = 110 * MS if way == "thread_end" else 30 * MS
    assert abs(result.only().total("state_io_ns") - waited) < slack
    profiles = list(jostle.spool.glob("*.jst"))
    assert not any(mark for profile in profiles for mark in marks(profile))
