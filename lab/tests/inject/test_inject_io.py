"""Delays of I/O calls: as requested, and the same in log and profile."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from harness import PROGRAMS
from injected import Injected, compiled

from jostle_lab.inject import windows

ALL = ("write=40", "read=40", "open=40", "stat=40", "sync=5", "flush=10", "printf=10")


@pytest.mark.tries(3)
def test_log_program_and_profile_agree(injected: Injected) -> None:
    run = injected.suffer("calls=write,read probability=0.5 seed=3 delay=fixed:3ms", *ALL)
    calm = injected.suffer("calls=write probability=0 delay=fixed:3ms", *ALL)
    assert run.result.stdout == calm.result.stdout
    assert calm.given == 0 and calm.calls("write") == run.calls("write")
    # what the stream writes goes no further than its buffer, until it is flushed
    assert run.calls("read") == run.calls("write") == 40
    assert 25 < run.given < 55
    process = run.result.only()
    spent = sum(
        process.total(f"{m}_ns")
        for m in ("posix_write", "posix_read", "stdio_write", "stdio_meta", "posix_meta")
    )
    own = calm.result.only()
    assert run.delay_ns >= 3_000_000 * run.given
    assert spent >= 0.99 * run.delay_ns
    assert process.total("state_io_ns") >= 0.99 * run.delay_ns
    # nothing but the delays and the calls themselves
    assert spent - run.delay_ns < max(0.1 * run.delay_ns, 5 * own.total("state_io_ns"), 20_000_000)
    rows = run.log.delays.to_pylist()
    assert {row["call"] for row in rows} == {"write", "pread"}
    assert all(row["delay_ns"] >= 3_000_000 for row in rows)


@pytest.mark.parametrize(
    ("calls", "kind", "name", "count"),
    [
        ("open", "open=20", "open", 22),
        ("close", "open=20", "close", 20),
        ("meta", "stat=20", "meta", 21),  # it looks at its file at the end
        ("sync", "sync=20", "sync", 20),
        ("sync", "flush=20", "sync", 20),
        ("write", "threads=2", "write", 200),
        ("io", "read=20", "read", 20),
    ],
)
def test_each_class(injected: Injected, calls: str, kind: str, name: str, count: int) -> None:
    run = injected.suffer(f"calls={calls} delay=fixed:100us", kind)
    assert run.calls(name) == count
    assert run.log.delays.num_rows == run.given >= count


def test_what_is_no_file_is_not_delayed(injected: Injected) -> None:
    run = injected.suffer("calls=io delay=fixed:1ms", "socket=50", "proc=20", "char=5000")
    # two files opened; the stream's buffer went to the kernel once or twice
    assert run.calls("open") == 2
    assert run.calls("read") == 0
    assert run.calls("meta") == 1  # of the file at the end
    assert run.calls("write") <= 2
    assert run.calls("close") == 0


def test_what_fails_fails_alike(injected: Injected) -> None:
    """errno is the call's own; an address that is none gives EFAULT, not a crash."""
    injected.suffer("calls=io delay=fixed:100us", "wrong=20")


def test_the_same_seed_is_the_same_fate(injected: Injected) -> None:
    words = "calls=write,read probability=0.3 delay=gauss:200us,50us"
    first, again, other = (
        injected.suffer(f"{words} seed={seed}", "write=100", "read=100") for seed in (5, 5, 6)
    )
    assert first.fates() == again.fates() != other.fates()
    assert 30 < first.given < 90


def test_the_order_of_classes_does_not_matter(injected: Injected) -> None:
    words = "calls=write,read probability=0.3 delay=fixed:100us seed=1"
    one = injected.suffer(words, "write=50", "read=50")
    other = injected.suffer(words, "read=50", "write=50")
    assert one.fates() == other.fates()


def test_children_have_fates_of_their_own(injected: Injected) -> None:
    words = "calls=write probability=0.5 delay=fixed:100us seed=1"
    one, again = (injected.suffer(words, "write=3", "fork=16") for _ in range(2))
    assert one.calls("write") == 3 + 16
    children = [row["given"] for row in one.log.totals.to_pylist() if row["calls"] == 1]
    assert 2 < sum(children) < 14
    assert sorted(one.fates()) == sorted(again.fates())


@pytest.mark.tries(3)
def test_only_in_the_window(injected: Injected) -> None:
    script = "for i in 1 2 3 4 5 6 7 8; do echo x; sleep 0.1; done >file"
    run = injected.suffer(
        "calls=write from=250ms until=550ms delay=fixed:1ms", Path("/bin/sh"), "-c", script
    )
    begin = run.log.processes["start_ns"][0].as_py()
    starts = [at - begin for at in run.log.delays["start_ns"].to_pylist()]
    assert run.calls("write") == 8
    assert 1 <= len(starts) <= 5
    assert all(200e6 < at < 560e6 for at in starts)


@pytest.mark.tries(3)
def test_only_while_the_schedule_is_on(injected: Injected) -> None:
    script = "for i in 1 2 3 4 5 6 7 8 9 0; do echo x; echo y; echo z; sleep 0.05; done >file"
    run = injected.suffer(
        "calls=write period=200ms on=100ms phase=50ms delay=fixed:1ms",
        Path("/bin/sh"),
        "-c",
        script,
    )
    starts = run.log.delays["start_ns"].to_pylist()
    assert run.calls("write") == 30
    assert 2 < len(starts) < 30
    assert all((at - 50_000_000) % 200_000_000 < 101_000_000 for at in starts)


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_only_in_windows_that_are_drawn(injected: Injected) -> None:
    script = "for i in $(seq 60); do echo x; echo y; sleep 0.02; done >file"
    begun = time.time_ns()
    run = injected.suffer(
        "calls=write seed=11 period=200ms on=50ms place=random delay=fixed:1ms",
        Path("/bin/sh"),
        "-c",
        script,
    )
    found = windows(run.log, begun, time.time_ns())  # raises where a delay is outside of them
    starts = run.log.delays["start_ns"].to_numpy()
    at = np.searchsorted(found.start_ns, starts, "right") - 1
    assert run.calls("write") == 120
    assert 10 < len(starts) < 60
    assert found.on[at[at >= 0]].mean() > 0.9  # one may be late, by what the machine does meanwhile
    places = np.flatnonzero(found.on) % 4
    assert len(set(places.tolist())) > 1


def test_no_rank_no_delay_where_ranks_are_asked_for(injected: Injected) -> None:
    rules = "calls=write ranks=1-2 delay=fixed:1ms"
    assert injected.suffer(rules, "write=10").log.processes.num_rows == 0
    run = injected.suffer(rules, "write=10", env={"PMI_RANK": "2"})
    assert run.given == 10 and run.log.processes["rank"].to_pylist() == [2]


def test_kill_9_keeps_what_was_given(injected: Injected) -> None:
    process = injected.start(
        compiled("calls.c"), "write=100000", env=injected.rules("calls=write delay=fixed:5ms")
    )
    written, end = injected.data / "calls", time.monotonic() + 60
    while not written.exists() or written.stat().st_size < 8 * 1024:  # a write has 1 KiB
        assert time.monotonic() < end
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    run = injected.suffered(injected.collect(-9))
    assert run.log.delays.num_rows == run.given > 5
    assert run.log.processes["unfinished"].to_pylist() in ([0], [1])
    assert run.log.delays["n"].to_pylist() == list(range(run.given))


def test_a_full_log_is_counted(injected: Injected) -> None:
    """A limit on the size of files: no SIGXFSZ, no silent loss."""
    limit = 72704  # 1008 records
    run = injected.suffer(
        "calls=write delay=fixed:1us",
        "threads=12",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    process = run.log.processes.to_pylist()[0]
    assert run.given == run.calls("write") == 1200
    assert run.log.delays.num_rows == 1008
    assert process["lost"] == 192
    assert process["lost_ns"] == run.delay_ns - sum(run.log.delays["delay_ns"].to_pylist())
    assert any("192 delays" in note for note in run.log.notes)


def test_the_log_grows(injected: Injected) -> None:
    run = injected.suffer("calls=write delay=fixed:1us", "threads=60")
    assert run.log.delays.num_rows == run.given == 6000
    assert sorted(run.log.delays["n"].to_pylist()) == list(range(6000))
    assert len(set(run.log.delays["tid"].to_pylist())) > 4


def test_without_a_place_for_logs_nothing_is_delayed(injected: Injected, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    env = {"JOSTLE_INJECT": f"calls=write delay=fixed:1s log={tmp_path}/file/logs"}
    result = injected.run(compiled("calls.c"), "write=5", env=env)
    assert result.stderr.count("so no delays are injected") == 1


@pytest.mark.parametrize(
    "rules",
    ["calls=wirte delay=fixed:1ms", "calls=write", "delay=fixed:1ms", "calls=write delay=1"],
)
def test_rules_that_are_none_delay_nothing(injected: Injected, rules: str) -> None:
    run = injected.suffer(rules, "write=5")
    assert run.log.processes.num_rows == 0
    assert run.result.stderr.startswith("jostle: JOSTLE_INJECT:")


def test_a_handler_may_jump_out_of_a_delay(injected: Injected) -> None:
    run = injected.suffer("calls=write delay=fixed:80ms", "jump=2", "write=1")
    process = run.log.processes.to_pylist()[0]
    # two delays left by a jump, whose handlers' writes were not delayed; the last one was
    assert process["unfinished"] == 2
    assert run.given == 1


def test_exec_in_one_process_makes_two_logs(injected: Injected) -> None:
    run = injected.suffer(
        "calls=write delay=fixed:1ms",
        Path("/bin/sh"),
        "-c",
        "echo a >one; exec dd if=one of=two status=none",
    )
    found = {(row["program"], row["pid"]) for row in run.log.processes.to_pylist()}
    assert {program for program, _ in found} == {"sh", "dd"}
    assert len({pid for _, pid in found}) == 1


def test_off_is_off(injected: Injected) -> None:
    run = injected.suffer("calls=io delay=fixed:1ms", "write=5", env={"JOSTLE": "off"})
    assert run.log.processes.num_rows == 0 and not run.result.processes
    # and without rules the injector is not even asked
    result = injected.run(compiled("calls.c"), "write=5", env={"JOSTLE_INJECT": None})
    assert result.only().total("posix_write_ops") == 5


@pytest.mark.tries(3)
def test_delays_are_as_long_as_asked(injected: Injected) -> None:
    """A sleep that spins at its end: late only when the machine has no core for it."""
    run = injected.suffer("calls=write delay=fixed:2ms", "write=100")
    late = sorted(ns - 2_000_000 for ns in run.log.delays["delay_ns"].to_pylist())
    assert late[0] >= 0
    assert late[10] < 200_000, late
    assert os.path.getsize(next(iter((injected.logs / "1").glob("*.jil")))) == 72704


@pytest.mark.tries(3)
def test_a_late_sleep_is_learned(injected: Injected) -> None:
    """Sleeps end 150 us late, by their timer's slack: delays do not, nor do they spin long."""
    set_slack = ctypes.CDLL(None).prctl
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = injected.suffer(
        "calls=write delay=fixed:2ms",
        "write=200",
        preexec_fn=lambda: set_slack(29, ctypes.c_ulong(150_000)),  # PR_SET_TIMERSLACK
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    late = sorted(ns - 2_000_000 for ns in run.log.delays["delay_ns"].to_pylist())
    assert late[0] >= 0
    assert late[len(late) // 2] < 5_000, late
    assert after.ru_utime - before.ru_utime < 0.25e-3 * run.given + 0.1


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("source", "metrics"),
    [
        ("cancel.c", "posix"),
        ("storm.c", "posix"),
        ("fork_threads.c", "posix"),
        ("stdio_all.c", "stdio"),
        ("posix_data.c", "posix"),
    ],
)
def test_hard_programs_do_not_notice(injected: Injected, source: str, metrics: str) -> None:
    """Cancelled threads, storms of signals, forks among threads: all is done and counted."""
    program = compiled(str(PROGRAMS[source]), "-ldl", "-lrt")
    env = injected.rules("calls=io probability=0.2 delay=fixed:30us")
    result = injected.run(program, injected.data, env=env)
    result.check(metrics)
    assert injected.suffered(result).given > 0
