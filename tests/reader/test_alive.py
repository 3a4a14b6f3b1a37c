"""Files that their process still writes."""

from __future__ import annotations

import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

from jostle.reader import ProfileHeader, ReadRequest, read_header, read_profiles, read_segments
from jostle.schema.profile import END_REASONS
from synth import EPOCH, Profile
from synth_format import record
from synth_random import random_profile
from synth_segments import Ring, Segment, Stream

BOOT_ID = uuid.UUID(Path("/proc/sys/kernel/random/boot_id").read_text().strip())


def stat_start(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def state(folder: Path, **header: Any) -> tuple[bool | None, bool]:
    p = Profile(**{"boot_id": BOOT_ID, "host": socket.gethostname(), **header})
    p.set_remainder({"self_calls_ops": 1})
    path = p.write(folder)
    h = read_header(path)
    assert isinstance(h, ProfileHeader)
    taken = read_profiles([ReadRequest(path, 0, remainder=None)]).results[0].remainder
    assert taken == h.finished
    return h.alive, h.finished


def test_a_living_process(tmp_path: Path) -> None:
    me = os.getpid()
    assert state(tmp_path, pid=me, proc_start=stat_start(me)) == (True, False)
    assert state(tmp_path, pid=me, proc_start=0) == (True, False)


def test_its_number_was_given_to_another(tmp_path: Path) -> None:
    me = os.getpid()
    assert state(tmp_path, pid=me, proc_start=stat_start(me) - 1) == (False, True)


def ends(reason: str) -> dict[str, Any]:
    now = time.time_ns()
    return {"heartbeat_ns": now, "end_ns": now + 1, "end_reason": END_REASONS.index(reason)}


def test_it_ended(tmp_path: Path) -> None:
    child = subprocess.Popen(["sleep", "60"])
    header = {"pid": child.pid, "proc_start": stat_start(child.pid), **ends("exit")}
    assert state(tmp_path, **header) == (True, False)  # it may count as long as it is there
    child.kill()
    child.wait()
    assert state(tmp_path, **header) == (False, True)


def test_it_became_another_program_or_wants_to(tmp_path: Path) -> None:
    me = {"pid": os.getpid(), "proc_start": stat_start(os.getpid()), **ends("exec")}
    assert state(tmp_path, **me) == (False, True)
    profile = Profile(boot_id=BOOT_ID, **me)
    path = profile.write(tmp_path)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ):
        assert state(tmp_path, **me) == (True, False)  # its exec may fail yet
    assert state(tmp_path, **me) == (False, True)


def test_it_goes_on_in_another_file(tmp_path: Path) -> None:
    me = {"pid": os.getpid(), "proc_start": stat_start(os.getpid()), **ends("continued")}
    assert state(tmp_path, **me) == (False, True)


def test_its_first_thread_has_ended(tmp_path: Path) -> None:
    code = (
        "import ctypes, threading, time; threading.Thread(target=time.sleep, args=[60]).start(); "
    )
    child = subprocess.Popen([sys.executable, "-c", code + "ctypes.CDLL(None).pthread_exit(None)"])
    header = {"pid": child.pid, "proc_start": stat_start(child.pid)}
    wait_for_zombie(child.pid)
    assert state(tmp_path, **header) == (True, False)
    child.kill()
    child.wait()
    assert state(tmp_path, **header) == (False, True)


@pytest.mark.skipif(os.geteuid() != 0, reason="makes a time namespace")
def test_its_clock_is_another_one(tmp_path: Path) -> None:
    script = "sleep 60 & cat /proc/$!/stat; wait"
    child = subprocess.Popen(
        ["unshare", "--time", "--boottime", "1000", "sh", "-c", script],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout
    words = child.stdout.readline().replace(")", " ) ").split()
    pid, inside = int(words[0]), int(words[words.index(")") + 20])
    header = {"pid": pid, "proc_start": inside}
    assert inside != stat_start(pid)
    try:
        assert state(tmp_path, **header) == (True, False)
        assert state(tmp_path, pid=pid, proc_start=inside + 200) == (False, True)
    finally:
        os.kill(pid, signal.SIGKILL)
        child.wait()
    assert state(tmp_path, **header) == (False, True)


def wait_for_zombie(pid: int) -> None:
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)


def test_it_was_killed(tmp_path: Path) -> None:
    child = subprocess.Popen(["sleep", "60"])
    header = {"pid": child.pid, "proc_start": stat_start(child.pid)}
    assert state(tmp_path, **header) == (True, False)
    child.kill()
    wait_for_zombie(child.pid)
    assert state(tmp_path, **header) == (False, True)  # nobody has waited for it yet
    child.wait()
    assert state(tmp_path, **header) == (False, True)


def test_another_machine_or_another_boot(tmp_path: Path) -> None:
    other = uuid.UUID(int=5)
    assert state(tmp_path, boot_id=other, host="elsewhere", pid=1) == (None, False)
    assert state(tmp_path, boot_id=other, pid=1) == (False, True)
    newer = {"start_ns": time.time_ns(), "heartbeat_ns": time.time_ns()}
    assert state(tmp_path, boot_id=other, pid=1, **newer) == (None, False)  # has our name


def test_read_while_it_is_written(tmp_path: Path) -> None:
    """A writer commits as the format says; no reading may see a torn commit or count twice."""
    p = Profile(tick_ns=2**32)
    p.blocks_used, p.block_capacity, p.generation = 1, 1, 0
    path = p.write(tmp_path)
    steps = [random_profile(1, slices=0)]  # only for its layout
    layout = steps[0].layout
    cell = next(m.cell for m in layout.metrics if m.id == "self_calls_ops")
    data = p.encode()
    head_bytes, block_offset = struct.unpack_from("<I4xI", data, 12)
    commit_bytes = struct.unpack_from("<I", data, 44)[0]
    stop = threading.Event()
    written = 0

    def write() -> None:
        nonlocal written
        fd = os.open(path, os.O_RDWR)
        end, generation, total = head_bytes, 0, 0
        while not stop.is_set() and generation < 20_000:
            total += 7
            os.pwrite(fd, struct.pack("<Q", total), block_offset + 64 + 8 * cell)
            p.records.clear()
            p.add_slice(p.first_slice + generation, {"self_calls_ops": 7})
            end += os.pwrite(fd, p.records[0], end)
            generation += 1
            at = 4096 + commit_bytes * (generation & 1)
            os.pwrite(fd, struct.pack("<2Q", 2**64 - 1, 2**63), at)  # torn, for a moment
            os.pwrite(fd, struct.pack("<Q", total), at + 16 + 8 * cell)
            os.pwrite(fd, struct.pack("<2Q", end, p.first_slice + generation), at)
            os.pwrite(fd, struct.pack("<Q", generation), 2048)
            written = total
        os.close(fd)

    writer = threading.Thread(target=write)
    writer.start()
    sound = 0
    try:
        for _ in range(120):
            before = written
            decoded = read_profiles([ReadRequest(path, 0)])
            counted = sum(decoded.slices["self_calls_ops"].to_pylist())
            result = decoded.results[0]
            assert result.error is None
            if any("faster" in text for text in result.warnings):
                continue
            assert result.warnings == []
            assert before <= counted <= written + 7
            assert counted % 7 == 0
            sound += 1
    finally:
        stop.set()
        writer.join()
    assert sound > 0
    decoded = read_profiles([ReadRequest(path, 0)])
    assert sum(decoded.slices["self_calls_ops"].to_pylist()) == written


class RingWriter(threading.Thread):
    """Puts entries into the ring of a file and moves them into records, as the format says."""

    def __init__(self, path: Path, stream: Stream, size: int) -> None:
        super().__init__()
        self.path, self.stream, self.size = path, stream, size
        self.segments = 0  # in the file
        self.stop = threading.Event()

    def run(self) -> None:
        fd = os.open(self.path, os.O_RDWR)
        head = os.pread(fd, 4096, 0)
        end = head_bytes = struct.unpack_from("<I", head, 12)[0]
        assert end == head_bytes
        (at,) = struct.unpack_from("<I", head, 1504)
        written = drained = 0
        pending = b""
        for number, text in enumerate(self.stream.entries):
            if self.stop.is_set():
                break
            if written + len(text) - drained > self.size:
                end += os.pwrite(fd, record("G", pending), end)
                os.pwrite(fd, struct.pack("<Q", end), 4096)  # generation 0: the first commit
                drained, pending = written, b""
                os.pwrite(fd, struct.pack("<Q", drained), at + 8)
            for i, byte in enumerate(text):
                os.pwrite(fd, bytes([byte]), at + 64 + (written + i) % self.size)
            written += len(text)
            pending += text
            os.pwrite(fd, struct.pack("<Q", written), at)
            self.segments = number + 1
        os.close(fd)


def test_segments_are_read_while_they_are_written(tmp_path: Path) -> None:
    stream = Stream(EPOCH)
    for i in range(12_000):
        stream.add(Segment(i + 1, signature_sum=i, values={"sends": i, "flops": i * 7919}))
    p = Profile(generation=0, ring=Ring(100, 0, b""), mpi={"mpi_state": 2, "mpi_init_ns": EPOCH})
    writer = RingWriter(p.write(tmp_path), stream, 100)
    writer.start()
    checked = first = 0
    try:
        while writer.is_alive() and checked < 60:
            before = writer.segments
            result = read_segments([ReadRequest(writer.path, 0, first_number=first)])
            (one,) = result.results
            if one.warnings:  # the ring was drained repeatedly meanwhile
                assert all("faster" in text for text in one.warnings)
                continue
            assert before <= one.next_number <= writer.segments + 1
            rows = result.segments.drop_columns(["process"]).to_pylist()
            assert rows == stream.segments[first : one.next_number]
            first = one.next_number if checked % 3 else 0
            checked += 1
    finally:
        writer.stop.set()
        writer.join()
    assert checked > 10
