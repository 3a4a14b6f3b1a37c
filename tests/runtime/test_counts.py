"""Counts agree with the program's own account, to the byte and the call."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
import tracing
from harness import PROGRAMS, Compile, Result, Runner, heartbeat_held, needs_plain_build, needs_root


def test_posix_data(jostle: Runner, build: Compile) -> None:
    """Each call that opens, moves bytes, seeks and syncs, aio and copies included."""
    result = jostle.run(build("posix_data.c"), jostle.data)
    result.check("posix_open", "posix_close", "posix_read", "posix_write", "posix_seek")
    result.check("posix_sync", "stream_read", "stream_write", "error")


def test_posix_metadata(jostle: Runner, build: Compile) -> None:
    """The stat family of both generations, names, sizes and directories."""
    jostle.run(build("posix_meta.c"), jostle.data).check("posix_meta")


@pytest.mark.parametrize(
    "flags", [["-O0"], ["-O2"], *([f"-D_FORTIFY_SOURCE={n}", "-O2"] for n in (2, 3))]
)
def test_stdio(jostle: Runner, build: Compile, flags: list[str]) -> None:
    """The stdio families, under the names that each kind of build calls them by."""
    result = jostle.run(build("stdio_all.c", *flags), jostle.data)
    result.check("stdio")


@pytest.mark.parametrize("level", [2, 3])
def test_fortified_posix(jostle: Runner, build: Compile, level: int) -> None:
    """__read_chk, __open_2 and similar functions."""
    program = build("fortified.c", "-O2", f"-D_FORTIFY_SOURCE={level}")
    names = subprocess.run(["nm", "-D", program], capture_output=True, text=True).stdout
    assert "__read_chk" in names and "__open_2" in names
    jostle.run(program, jostle.data).check("posix")


def test_other_names(jostle: Runner, build: Compile) -> None:
    """libc's internal and old names of the same functions count just the same."""
    jostle.run(build("aliases.c"), jostle.data).check("posix", "stdio")


def test_streams_are_not_files(jostle: Runner, build: Compile) -> None:
    """Sockets and pipes are counted apart, also when dup2 turns one into the other."""
    jostle.run(build("streams.c"), jostle.data).check("stream", "posix_write", "posix_read")


@pytest.mark.parametrize("what", ["memory", "commands", "wide", "scanning"])
def test_other_streams(jostle: Runner, build: Compile, what: str) -> None:
    """Streams in memory count nothing, those to commands as streams, scanned bytes exactly."""
    result = jostle.run(build("streams_other.c"), jostle.data, what)
    if what == "wide":
        assert result.total("stdio_write_ops") >= 2 and result.total("stdio_read_ops") >= 3
        return
    (pid,) = result.truth
    for metric in ("stdio_read", "stdio_write", "stream_read", "stream_write"):
        for unit in ("ops", "bytes"):
            name = f"{metric}_{unit}"
            assert result.total(name, pid) == result.truth[pid][name], name


@pytest.mark.tries(3)
def test_descriptor_closed_unseen(jostle: Runner, build: Compile) -> None:
    """A number that changed hands by raw system calls is looked at again, a slice later."""
    result = jostle.run(build("unseen_close.c"), jostle.data)
    result.check("posix_write", "stream_write")


def test_failed_calls_by_class(jostle: Runner, build: Compile) -> None:
    """Failures count once, in the class of their error; errno is what it is without jostle."""
    jostle.run(build("errors.c"), jostle.data).check("error")


def test_two_file_systems(jostle: Runner, build: Compile, other_mount: Path) -> None:
    """Everything is kept per mount."""
    process = jostle.run(build("split.c"), jostle.data, other_mount).only()
    for side, folder in enumerate([jostle.data, other_mount], start=1):
        slot = process.slot_of(folder)
        assert slot is not None
        seen = {
            m.id: process.total(m.id, slot)
            for m in process.table.metrics.values()
            if m.scope == "mount" and m.kind == "counter"
        }
        assert {m: v for m, v in seen.items() if v} == {
            "posix_open_ops": 1,
            "posix_close_ops": 1,
            "posix_seek_ops": 1,
            "posix_sync_ops": 1,
            "posix_write_ops": 10 * side,
            "posix_write_bytes": 10 * side * (6999 + side),
            "posix_read_ops": 5 * side,
            "posix_read_bytes": 500 * side,
            "posix_meta_ops": 1,
            "stdio_open_ops": 1,
            "stdio_close_ops": 1,
            "stdio_write_ops": 3 * side,
            "stdio_write_bytes": 192 * side,
            "error_missing_ops": 1 + side,
            "access_read_file_ops": 1,
            "access_file_ops": 2,
            "access_file_bytes": 10 * side * (6999 + side) + 192 * side,
        }, folder
        timers = ["posix_write_ns", "posix_read_ns", "posix_meta_ns", "posix_sync_ns"]
        assert all(process.total(t, slot) > 0 for t in timers)
    types = {kind for _path, kind, _source in process.mounts.values()}
    assert process.short or "tmpfs" in types


def test_waiting_for_a_lock_is_time_of_metadata(jostle: Runner, build: Compile) -> None:
    """On the mount of the file that is locked: it is how a job waits for others there."""
    result = jostle.run(build("lock_wait.c"), jostle.data)
    waited = max(result.processes, key=lambda process: process.total("posix_meta_ns"))
    assert waited.total("posix_meta_ns", waited.slot_of(jostle.data)) > 300_000_000


def test_links_that_leave_the_mount(jostle: Runner, build: Compile, other_mount: Path) -> None:
    """Traffic is never guessed by its directory, and few opens are; all of them count."""
    result = jostle.run(build("leaving.c"), jostle.data, other_mount)
    result.check("posix_write", "stream_write")
    process = result.only()
    for calls in ("posix_open_ops", "posix_close_ops"):
        assert 0 <= result.total(calls) - result.truth[process.pid][calls] <= 1, calls  # the queue
    here, there = process.slot_of(jostle.data), process.slot_of(other_mount)
    assert here is not None
    assert there is not None
    assert process.total("posix_write_bytes", here) == 0
    assert process.total("posix_write_bytes", there) == 30 * 3 * 1000
    # At most one until a written file is found out, and until the next one that is looked at.
    (opened,) = result.notes["there"]
    for calls in ("posix_open_ops", "posix_close_ops"):
        assert int(opened) - 17 <= process.total(calls, there) <= int(opened), calls


def test_histograms(jostle: Runner, build: Compile) -> None:
    """Buckets hold sizes in [2^(b-1), 2^b), and their sum is the number of calls."""
    process = jostle.run(build("split.c"), jostle.data, jostle.data).only()
    writes = process.histogram("posix_write_size")
    assert {b: n for b, n in enumerate(writes) if n} == {13: 30}
    assert {b: n for b, n in enumerate(process.histogram("posix_read_size")) if n} == {7: 15}
    assert {b: n for b, n in enumerate(process.histogram("stdio_write_size")) if n} == {7: 9}


def test_cplusplus_streams(jostle: Runner, build: Compile) -> None:
    """std::fstream reaches wrapped symbols."""
    program = build("fstream.cc")
    seen = jostle.run(program, jostle.data)
    truth = tracing.trace(jostle, program, jostle.data, about=jostle.data)
    assert truth.bytes_written == 500 * 1001 + 64
    assert seen.total("posix_write_bytes") == truth.bytes_written
    assert seen.total("posix_read_bytes") == truth.bytes_read
    assert seen.total("posix_write_ops") == truth.writes
    assert seen.total("posix_read_ops") == truth.reads
    assert seen.total("stdio_open_ops") + seen.total("posix_open_ops") == truth.opens == 2


@pytest.mark.parametrize("language", ["python", "java"])
def test_managed_languages(
    jostle: Runner, tmp_path: Path, other_mount: Path, language: str, tools: tracing.Tools
) -> None:
    """Python's and Java's file work equals what strace saw, per mount."""
    command = tools.command(language, tmp_path)
    seen = jostle.run(*command, other_mount)
    truth = tracing.trace(jostle, *command, other_mount, about=other_mount)
    (process,) = [p for p in seen.processes if p.slot_of(other_mount) is not None]
    slot = process.slot_of(other_mount)
    assert truth.bytes_written > 100_000
    found = {
        "posix_write_bytes": truth.bytes_written,
        "posix_read_bytes": truth.bytes_read,
        "posix_write_ops": truth.writes,
        "posix_read_ops": truth.reads,
        "posix_open_ops": truth.opens,
        "posix_seek_ops": truth.seeks,
        "posix_sync_ops": truth.syncs,
    }
    assert {m: process.total(m, slot) for m in found} == found


def test_shell(jostle: Runner, other_mount: Path) -> None:
    """A script and all its children, against strace, per mount."""
    needs_plain_build(jostle.library, "ubsan")
    script = PROGRAMS["plain.sh"]
    seen = jostle.run("/bin/sh", script, other_mount)
    truth = tracing.trace(jostle, "/bin/sh", script, other_mount, about=other_mount)
    written = read = 0
    for process in seen.processes:
        slot = process.slot_of(other_mount)
        if slot is not None:
            written += process.total("posix_write_bytes", slot)
            written += process.total("stdio_write_bytes", slot)
            read += process.total("posix_read_bytes", slot)
    assert written == truth.bytes_written
    assert truth.bytes_read >= read > 0
    names = {Path(p.program).name for p in seen.processes}
    assert {"cat", "head", "cp", "sort", "dd", "rm"} <= names


def kernel_writes(jostle: Runner, program: Path) -> tuple[int, int]:
    """Bytes and calls of proc_io.c by the kernel without jostle, except its note's bytes."""
    note = jostle.run(program, jostle.data, preload=[]).notes["io"][-1]
    kernel = {k: int(v) for k, v in (part.split(": ") for part in note.split(";") if part)}
    # The note and a line are written after the program read its account: three more writes.
    return kernel["wchar"] + len("\ndone\n"), kernel["syscw"] + 3


def our_writes(result: Result, pid: int) -> tuple[int, int]:
    """Their counts in the profile."""
    (process,) = result.of(pid)
    chars = process.total("os_write_chars") - len(result.notes["io"][-1])
    return chars, process.total("os_write_calls")


def test_against_proc_self_io(jostle: Runner, build: Compile) -> None:
    """os_* is the kernel's own account of the process, without our share of it."""
    program = build("proc_io.c")
    with jostle.start(program, jostle.data, stdin=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == "done\n"
        jostle.await_ticks(process.pid, 2)  # the first may have begun before
        process.communicate()
    result = jostle.collect()
    assert len([s for s in result.only().slices if s.cells]) >= 2
    assert our_writes(result, process.pid) == kernel_writes(jostle, program)
    result.check("posix_read", "posix_write")


@pytest.mark.parametrize("held", [0, 0.015])
def test_kernels_account_at_the_end(jostle: Runner, build: Compile, held: float) -> None:
    """An orderly end waits for the last reading of os_*, also where the heartbeat gets no core.

    It does not wait long, so on an oversubscribed machine it may take some tries.
    """
    needs_plain_build(jostle.library, "ubsan")
    program = build("proc_io.c")
    wanted = kernel_writes(jostle, program)
    for _ in range(6):
        with jostle.start(program, jostle.data, stdin=subprocess.PIPE, length="60s") as process:
            assert process.stdout is not None and process.stdout.readline() == "done\n"
            with heartbeat_held(process.pid):
                assert process.stdin is not None
                process.stdin.close()
                time.sleep(held)
            assert process.wait() == 0
        if our_writes(jostle.collect(), process.pid) == wanted:
            return
    pytest.fail("what was done since the last boundary is missing")


def test_more_mounts_than_slots(jostle: Runner, build: Compile) -> None:
    """Seven mounts have slots of their own, all others share "other"; nothing is lost."""
    needs_root()
    result = jostle.run("unshare", "-m", build("many_mounts.c"), jostle.data)
    result.check("posix")
    (process,) = [p for p in result.processes if "many_mounts" in p.program]
    per_slot = sorted(process.total("posix_write_bytes", s) for s in range(8))
    # The folder's own file system takes a slot too; six of the ten get one.
    assert per_slot == [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000 + 8000 + 9000 + 10_000]


def test_pseudo_files_are_left_out(jostle: Runner) -> None:
    """/proc, /sys and /dev/null are no file systems that jobs share."""
    script = "head -c 100 /proc/self/status; cat /sys/kernel/uevent_seqnum; echo x >/dev/null"
    result = jostle.run("/bin/sh", "-c", script, code=None)
    reads = sum(p.total("posix_read_bytes") + p.total("stdio_read_bytes") for p in result.processes)
    writes = sum(p.total("posix_write_bytes") for p in result.processes)
    assert (reads, writes) == (0, 0)


def test_numbers_that_come_back_for_other_things(jostle: Runner, build: Compile) -> None:
    """Sent by another process, timers, signals, watches: none is taken for the file before it."""
    jostle.run(build("sent_descriptor.c")).check(
        "posix_write", "stream_write", "posix_read", "error"
    )
