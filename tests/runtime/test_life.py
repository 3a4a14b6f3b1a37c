"""However a process begins, forks and ends, its counts are complete and it behaves as before."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from harness import PROGRAMS, Compile, Runner, needs_plain_build

# How each way to end looks from outside, and what the profile calls it (see profile-format.md).
ENDS = {
    "return": (0, 1),
    "exit": (0, 1),
    "_exit": (0, 2),
    "_Exit": (0, 2),
    "quick_exit": (0, None),
    "exit_group": (0, None),
    "abort": (-signal.SIGABRT, 4),
    "exec": (0, None),
    "exec-fails": (0, 1),
    "exec-in-thread": (0, None),
    "SIGKILL": (-signal.SIGKILL, 0),
    "SIGTERM": (-signal.SIGTERM, 0),
    "SIGSEGV": (-signal.SIGSEGV, 0),
    "time-limit": (-signal.SIGXCPU, 0),
    "shared-child": (-signal.SIGKILL, 0),
    "thread-exit": (0, None),
    "raw-exit": (0, None),
    "raw-thread-exit": (0, 2),
}


@pytest.mark.parametrize("way", ENDS)
def test_ends_after_much(jostle: Runner, build: Compile, way: str) -> None:
    """A process that moved more than 64 KiB has a profile, and no way of ending loses a count."""
    if way == "SIGSEGV":
        needs_plain_build(jostle.library, "ubsan")
    code, reason = ENDS[way]
    program = build("ends.c")
    result = jostle.run(program, jostle.data, way, "large", code=code)
    result.check("posix")
    images = [p for p in result.processes if not p.short]
    execs = way in ("exec", "exec-in-thread")
    assert len(images) == (2 if execs else 1)
    assert all(Path(p.program).name == program.name for p in images)
    if reason is not None:
        assert images[0].end_reason == reason
        assert (images[0].end_ns > 0) == (reason != 0)
    if execs:
        assert sorted(p.end_reason for p in images) == [1, 3]


def test_an_exec_that_fails_keeps_no_profile_away(jostle: Runner, build: Compile) -> None:
    """A process that goes on after it and is killed has a profile like any other of that age."""
    result = jostle.run(build("goes_on.c"), jostle.data, code=-signal.SIGKILL)
    (profile,) = [p for p in result.processes if not p.short]
    assert profile.end_reason == 0
    assert profile.total("posix_meta_ops") > 100
    assert result.total("posix_write_bytes") == 10


LITTLE = [
    "return",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "exec",
    "exec-fails",
    "no-new-privileges",
]


@pytest.mark.tries(3)
@pytest.mark.parametrize("way", LITTLE)
def test_ends_after_little(jostle: Runner, build: Compile, way: str) -> None:
    """A short process leaves one line in its job's shorts file, and no file of its own."""
    result = jostle.run(
        build("ends.c"), jostle.data, way, "small", code=ENDS.get(way, (0, 0))[0], length="4s"
    )
    result.check("posix")
    if way == "no-new-privileges":
        return  # what it takes to keep the counts there is not laid down
    assert all(p.short for p in result.processes)
    (path,) = jostle.spool.iterdir()
    assert path.match(f"test.{os.getuid()}.*.jss")


@pytest.mark.parametrize("way", ["thread-exit", "raw-exit"])
def test_ends_in_time(jostle: Runner, build: Compile, way: str) -> None:
    """A process ends when its last thread does, not many slices later."""
    jostle.run(build("ends.c"), jostle.data, way, "large", length="2s", timeout=20)


def test_signal_storm(jostle: Runner, build: Compile) -> None:
    """A handler that writes 10 000 times a second into busy writers: no hang, exact counts."""
    jostle.run(build("storm.c"), jostle.data).check("posix", "stdio_write", "stdio_open")


def test_first_calls_in_handlers(jostle: Runner, build: Compile) -> None:
    """First wrapped calls of process and threads, out of malloc and the loader: no deadlock."""
    jostle.run(build("first_in_handler.c"), jostle.data).check("posix_read")


@pytest.mark.parametrize(
    ("source", "metrics"),
    [
        ("posix_data.c", "posix_write"),
        ("posix_meta.c", "posix_meta"),
        ("stdio_all.c", "stdio_write"),
        ("errors.c", "error"),
    ],
)
def test_first_calls_while_a_library_is_loaded(
    jostle: Runner, build: Compile, source: str, metrics: str
) -> None:
    """A constructor waits for a thread's first calls: none of them waits for the loader's lock."""
    library = build("in_constructor.c", "-shared", "-fPIC", f'-DPROGRAM="{PROGRAMS[source]}"')
    jostle.run(build("loads.c"), library, jostle.data, timeout=20).check(metrics)


def test_early_calls_and_small_stacks(jostle: Runner, build: Compile) -> None:
    """Before any constructor; first of all on an 8 KiB signal stack; on the least thread stack."""
    needs_plain_build(jostle.library)
    jostle.run(build("early.c"), jostle.data).check("posix")


def test_fork_alongside_threads(jostle: Runner, build: Compile) -> None:
    """fork, _Fork and raw clone while others write: parent and each child are exact."""
    result = jostle.run(build("fork_threads.c"), jostle.data)
    result.check("posix")
    assert len(result.truth) == 31


def test_vfork_and_spawn(jostle: Runner, build: Compile) -> None:
    """What a vfork child does to its descriptors is not done to the parent's."""
    result = jostle.run(build("vfork.c"), jostle.data)
    (pid,) = result.truth
    account = result.truth[pid]
    # A vfork child's own calls may count as its parent's or as the child's; none may be lost.
    assert result.total("posix_write_bytes") == account["posix_write_bytes"]
    assert result.total("posix_write_ops") == account["posix_write_ops"]
    shells = [
        p for p in result.processes if p.ppid == pid and Path(p.program).name in ("sh", "dash")
    ]
    assert len(shells) == 52
    (parent,) = result.of(pid)
    assert parent.end_reason == 1


def test_threads_by_the_thousand(jostle: Runner, build: Compile) -> None:
    """40 000 short threads, then 200 at once: exact, in a small file, none lost."""
    result = jostle.run(build("threads.c"), jostle.data, 40_000, 200)
    result.check("posix")
    process = result.only()
    assert process.header["lost_threads"] == 0
    assert process.path.stat().st_size < 4 << 20


def test_more_threads_than_blocks(jostle: Runner, build: Compile) -> None:
    """2000 threads at once: more than any block table; still exact when the process ends well."""
    jostle.run(build("threads.c"), jostle.data, 0, 2000).check("posix")


def test_threads_made_by_libc(jostle: Runner, build: Compile) -> None:
    """Timer threads and C11 threads next to the main thread: no update is lost."""
    jostle.run(build("hidden_threads.c"), jostle.data).check("posix")


def test_cancellation_and_jumps(jostle: Runner, build: Compile) -> None:
    """Cancellation points are the same, and longjmp may leave a call at any time."""
    jostle.run(build("cancel.c"), jostle.data).check("posix")


def test_kill_in_mid_run(jostle: Runner, build: Compile) -> None:
    """SIGKILL from outside loses nothing but the call in flight."""
    process = jostle.start(build("steady.c"), jostle.data / "file", 60_000)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    jostle.await_ticks(process.pid, 3)
    process.kill()
    process.wait()
    result = jostle.collect()
    account = result.truth[process.pid]
    seen = result.of(process.pid)[0]
    in_flight = seen.total("posix_write_ops") - account["posix_write_ops"]
    assert in_flight in (0, 1)
    assert seen.end_ns == 0 and seen.header["heartbeat_ns"]
    process.stdout.close()


def test_kill_at_any_instant(jostle: Runner, build: Compile) -> None:
    """Sixteen processes killed at sixteen instants around slice boundaries: all whole."""
    program = build("steady.c")
    running = [jostle.start(program, jostle.data / f"file{i}", 60_000) for i in range(16)]
    for process in running:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
    for process in running:
        jostle.await_profile(process.pid)
    for process in running:
        time.sleep(0.013)
        process.kill()
    for process in running:
        process.communicate()
    result = jostle.collect()
    for process in running:
        (seen,) = result.of(process.pid)
        done = result.truth[process.pid]["posix_write_ops"]
        assert seen.total("posix_write_ops") - done in (0, 1)


def test_thousand_small_processes(jostle: Runner) -> None:
    """A script that starts 1000 programs leaves two files, and each program is counted.

    One that waits for a core until it is no longer young has a profile of its own.
    """
    script = "i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i+1)); done"
    result = jostle.run("/bin/sh", "-c", script, length="60s")
    names = {p.name for p in jostle.spool.iterdir()}
    (shorts,) = jostle.spool.glob(f"test.{os.getuid()}.*.jss")
    trues = result.named("true")
    old = [p for p in trues if not p.short]
    assert len(trues) == 1000 and len(old) < 20
    assert len(names) <= 2 + len(old), "at most the shorts file and the shell's own profile"
    assert len({p.pid for p in trues}) == 1000
    assert shorts.stat().st_size < 200 * 1000


def test_shorts_from_many_at_once(jostle: Runner) -> None:
    """Records of processes that end at the same time do not run into one another."""
    script = "for a in 1 2 3 4; do (for i in $(seq 50); do /bin/true & done; wait) & done; wait"
    result = jostle.run("/bin/sh", "-c", script, length="60s")
    assert len(result.named("true")) == 200
