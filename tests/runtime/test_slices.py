"""Slices: one clock for all, no gaps between them, and the true span where one was missed."""

from __future__ import annotations

import itertools
import os
import signal
import time
from pathlib import Path

import peek
import pytest
from harness import Compile, Runner

MS = 1_000_000


def boundaries(process: peek.Process) -> list[tuple[int, int]]:
    """Begin and end of each record, in ns since the epoch."""
    length = process.slice_ns
    return [(s.first * length, (s.first + s.span) * length) for s in process.slices]


@pytest.mark.tries(3)
def test_two_processes_share_boundaries(jostle: Runner, build: Compile) -> None:
    """Slices of processes that started at different times begin at the same instants."""
    program = build("steady.c")
    first = jostle.start(program, jostle.data / "a", 900)
    time.sleep(0.137)
    second = jostle.start(program, jostle.data / "b", 600)
    for process in (first, second):
        process.communicate()
        assert process.returncode == 0
    result = jostle.collect()
    result.check("posix")
    a, b = (result.of(p.pid)[0] for p in (first, second))
    assert a.slice_ns == b.slice_ns == 100 * MS
    common = {s.first for s in a.slices} & {s.first for s in b.slices}
    assert common
    for process in (a, b):
        assert all(begin % (100 * MS) == 0 for begin, _end in boundaries(process))
        assert process.start_ns // process.slice_ns == process.header["first_slice"]


@pytest.mark.parametrize("length", ["100ms", "0.25", "1s"])
def test_sum_over_slices_is_the_total(jostle: Runner, build: Compile, length: str) -> None:
    """Records are in order, do not overlap, cover the run, and add up to the account."""
    result = jostle.run(build("steady.c"), jostle.data / "file", 700, length=length)
    result.check("posix")
    process = result.only()
    ordered = boundaries(process)
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(ordered))
    assert ordered[0][0] // process.slice_ns >= process.header["first_slice"]
    assert ordered[-1][1] >= process.end_ns > ordered[-1][0]
    moved = [n for n in process.per_slice("posix_write_bytes").values() if n]
    assert sum(moved) == result.total("posix_write_bytes")
    assert length != "100ms" or len(moved) >= 2


@pytest.mark.tries(3)
def test_traffic_falls_into_its_slice(jostle: Runner, build: Compile) -> None:
    """What a program did in a slice is in the record of that slice.

    Where the heartbeat comes late to a boundary, what was done since is in the record before: of
    work in the middle of slices that must be the exception, and nothing may come later or be lost.
    """
    result = jostle.run(build("bursts.c"), jostle.data)
    process = result.only()
    length, cells = process.slice_ns, process.table.cells_of("posix_write_ops")
    written = [
        (begin, end, sum(record.cells.get(cell, 0) for cell in cells))
        for record, (begin, end) in zip(process.slices, boundaries(process), strict=True)
    ]
    bursts = [tuple(map(int, line.split())) for line in result.notes["burst"]]
    in_time, done = 0, 0
    for begin, end, count in bursts:
        done += count
        seen = sum(n for first, last, n in written if last > begin and first <= end)
        in_time += seen >= count
        assert sum(n for first, _last, n in written if first <= end) >= done
    assert len(bursts) == 6 and in_time >= 4, (bursts, written, length)
    assert process.total("posix_write_ops") == done


@pytest.mark.parametrize("size", [0, 100, 4096])
def test_a_profile_that_is_being_made_is_waited_for(tmp_path: Path, size: int) -> None:
    """A file may have no header yet: the helper that waits tolerates this."""
    (tmp_path / "test.1.1.jst").write_bytes(bytes(size))
    assert peek.begun(tmp_path / "test.1.1.jst") is None


@pytest.mark.tries(3)
def test_stopped_process_spans(jostle: Runner, build: Compile) -> None:
    """SIGSTOP over several slices gives a record that says so, and sums stay whole."""
    process = jostle.start(build("steady.c"), jostle.data / "file", 1200)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    time.sleep(0.3)
    stopped = time.time_ns()
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.5)
    process.send_signal(signal.SIGCONT)
    woken = time.time_ns()
    assert process.wait() == 0
    process.stdout.close()
    result = jostle.collect()
    result.check("posix")
    seen = result.only()
    length = seen.slice_ns
    between = range(stopped // length + 1, woken // length)
    assert len(between) >= 3  # half a second of 100 ms slices
    cut = {s.first for s in seen.slices} & set(between[1:])
    assert not cut, "a record begins at an instant when the process stood still"
    assert any(s.span >= len(between) for s in seen.slices)


def test_idle_process_costs_no_records(jostle: Runner) -> None:
    """Slices in which nothing moves take (next to) no space."""
    script = "f = open('x', 'wb'); f.write(bytes(1 << 17)); f.flush(); import time; time.sleep(1.2)"
    import sys

    result = jostle.run(sys.executable, "-S", "-c", script)
    process = result.only()
    records_end = process.path.stat().st_size - int(str(process.header["head_bytes"]))
    assert records_end < 2500


@pytest.mark.tries(3)
def test_gauges_are_levels(jostle: Runner, build: Compile) -> None:
    """Threads and resident memory are what the kernel says, ours left out."""
    result = jostle.run(build("gauges.c"), jostle.data)
    process = result.only()
    levels, level = [], 0
    cell = process.table.cells_of("os_threads")[0]
    for record in process.slices:
        level += record.cells.get(cell, 0)
        levels.append(level)
    assert max(levels) == 6
    assert levels[0] in (1, 6)
    rss = process.total("os_rss_bytes")
    assert 1 << 20 < rss < 1 << 30


def test_self_accounting(jostle: Runner, build: Compile) -> None:
    """A profile says how many calls it counted and what that cost."""
    result = jostle.run(build("steady.c"), jostle.data / "file", 400)
    account = next(iter(result.truth.values()))
    assert result.total("self_calls_ops") >= account["posix_write_ops"]
    assert 0 < result.total("self_heartbeat_ns") < 100 * MS
    assert result.total("self_cost_ns") >= result.total("self_heartbeat_ns")


@pytest.mark.parametrize("value", [None, "program", "all", "none"])
def test_of_a_command_line_as_much_is_recorded_as_wanted(
    jostle: Runner, build: Compile, value: str | None
) -> None:
    """By default its first word: arguments may hold passwords."""
    words = [str(build("steady.c")), str(jostle.data / "file"), "300"]
    variables = {"JOSTLE_COMMAND_LINES": value, "JOSTLE_FILES": "off"}  # which names the same file
    result = jostle.run(*words, env=variables)
    reported = {"all": " ".join(words), "none": ""}.get(str(value), words[0])
    assert result.only().header["command"] == reported
    assert (words[1].encode() in result.only().path.read_bytes()) == (value == "all")


def test_header_says_who_and_where(jostle: Runner, build: Compile) -> None:
    """The header names the process, and its clock records are there."""
    program = build("steady.c")
    before = time.time_ns()
    result = jostle.run(program, jostle.data / "file", 300)
    process = result.only()
    head = process.header
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")
    assert head["host"] == os.uname().nodename
    assert isinstance(head["boot_id"], bytes) and head["boot_id"].hex() == boot
    assert head["program"] == str(program) and head["job"] == "test"
    assert head["command"] == str(program)
    assert (head["ppid"], head["uid"], head["gid"]) == (os.getpid(), os.getuid(), os.getgid())
    assert head["sid"] == os.getsid(0)
    assert (
        before <= process.start_ns <= int(str(head["file_ns"])) <= process.end_ns <= time.time_ns()
    )
    assert int(str(head["clock_state"])) in range(6)
    assert process.path.name == f"test.{process.pid}.{process.start_ns}.jst"
    assert process.path.stat().st_mode & 0o7777 == 0o600


def test_reader_agrees(jostle: Runner, build: Compile) -> None:
    """`jostle.reader` finds the same numbers as the tests' own reader."""
    reader = pytest.importorskip("jostle.reader")
    jostle.run(build("steady.c"), jostle.data / "file", 400)
    jostle.run(build("split.c"), jostle.data, jostle.data)
    jostle.run(build("ends.c"), jostle.data, "return", "small", length="4s")
    for path in reader.find_profiles([jostle.spool]):
        if path.suffix != ".jst":
            continue
        decoded = reader.read_profiles([reader.ReadRequest(path, 7)])
        mine = peek.read_profile(path)
        for metric in mine.table.metrics.values():
            if metric.kind in ("gauge", "histogram"):
                continue
            table = decoded.mount_slices if metric.scope == "mount" else decoded.slices
            assert sum(table[metric.id].to_pylist()) == mine.total(metric.id), metric.id


def test_any_clock(jostle: Runner, build_runtime: Compile) -> None:
    """Whatever the clock does, records and header together have all counts, at any instant."""
    program = build_runtime("ticks.c")
    for seed in range(3):
        result = jostle.run(program, seed, env={"LD_PRELOAD": None})
        assert result.stdout
        for line in result.stdout.splitlines():
            step, counted, ns = map(int, line.split())
            process = peek.read_profile(jostle.data / f"copy.{step}")
            assert process.total("posix_write_bytes") == counted
            # What rounding leaves is carried on, and the head keeps the rest: nothing is lost.
            assert process.total("posix_write_ns") == ns
            assert all(s.span >= 1 for s in process.slices)
