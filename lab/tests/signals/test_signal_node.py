"""Memory, cache, cpu and metadata: the log against strace, /proc and arithmetic."""

from __future__ import annotations

import re
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from signal_runner import Done, Signals, consistent, on_time

BLOCK = 24 * 65536  # bytes of an operation of memory
CHASE = 64 * 4096  # and of cache
MIB = 1 << 20


@pytest.mark.in_turn
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize("sharing", ["--shared", ""])
def test_metadata_against_strace(signals: Signals, tmp_path: Path, sharing: str) -> None:
    trace = tmp_path / "strace.log"
    calls = "open,openat,creat,close,stat,newfstatat,statx,lstat,unlink,unlinkat"
    done = signals.run(
        "metadata",
        "--iterations",
        "30",
        "--processes",
        "2",
        *sharing.split(),
        before=["strace", "-f", "-y", "-o", str(trace), "-e", f"trace={calls}"],
    )
    # The files of the load: a name of two numbers below the data folder.
    ours = [
        line
        for line in trace.read_text().splitlines()
        if re.search(rf"{tmp_path}/data/\S*/\d+\.\d+[\">]", line) and " = -1 " not in line
    ]

    def seen(names: str, also: str = "") -> int:
        return sum(bool(re.search(rf"^\d+ +(?:{names})\(", x) and also in x) for x in ours)

    assert seen("open|openat|creat", "O_CREAT") == 60
    assert {k: done.sum(k) for k in ("operations", "opens", "closes", "stats", "unlinks")} == {
        "operations": 60,
        "opens": seen("open|openat|creat"),
        "closes": seen("close"),
        "stats": seen("stat|newfstatat|statx|lstat"),
        "unlinks": seen("unlink|unlinkat"),
    }
    assert done.sum("bytes") == done.sum("writes") == 0
    consistent(done)
    done.leaves_nothing()


#: Calls of each kind that a pattern makes in one operation, on files of its own.
KINDS = {
    "create-files": {"create": 1, "close": 1},
    "stat-files": {"stat": 1},
    "unlink-files": {"unlink": 1},
}


@pytest.mark.in_turn
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize("pattern", [*KINDS, "list-folder", "lock-file"])
def test_one_kind_of_metadata_against_strace(
    signals: Signals, tmp_path: Path, pattern: str
) -> None:
    """Alongside what it prepared, a pattern makes the calls of its operation, and no others."""
    trace = tmp_path / "strace.log"
    wanted = 1100 if pattern == "unlink-files" else 20
    done = signals.run(
        pattern,
        "--iterations",
        str(wanted),
        before=["strace", "-f", "-y", "-o", str(trace), "-e", "trace=%file,%desc"],
    )
    assert done.sum("operations") == wanted
    lines = [line for line in trace.read_text().splitlines() if " = -1 " not in line]
    files = [line for line in lines if re.search(rf"{tmp_path}/data/\S*/\d+\.\d+[\">]", line)]

    def seen(names: str, among: list[str], also: str = "") -> int:
        return sum(bool(re.search(rf"\d +(?:{names})\(", x) and also in x) for x in among)

    prepared = {"stat-files": 1000, "list-folder": 1000, "unlink-files": 2000}.get(pattern, 0)
    own = {kind: each * wanted for kind, each in KINDS.get(pattern, {}).items()}
    assert seen("open|openat|creat", files, "O_CREAT") == prepared + own.get("create", 0)
    assert seen("close", files) == prepared + own.get("close", 0)
    assert seen("stat|newfstatat|statx|lstat", files) == own.get("stat", 0)
    assert {k: done.sum(k) for k in ("opens", "closes", "stats", "unlinks")} == {
        "opens": own.get("create", 0),
        "closes": own.get("close", 0),
        "stats": own.get("stat", 0),
        "unlinks": own.get("unlink", 0),
    }
    if pattern == "list-folder":
        folder = [x for x in lines if re.search(r"getdents64\(\d+<\S*/data/[^/>]*/0>", x)]
        assert seen("getdents64", folder, " = 0") >= wanted
    if pattern == "lock-file":
        assert seen("fcntl", lines, "F_SETLKW") == 2 * wanted
    consistent(done)
    done.leaves_nothing()


def test_processes_wait_for_the_lock_of_one_file(signals: Signals) -> None:
    done = signals.run("lock-file", "--processes", "3", "--time", "0.5")
    assert min(done.log.processes["operations"].to_pylist()) > 0
    done.leaves_nothing()


@pytest.mark.tries(3)
def test_cpu_never_sleeps(signals: Signals) -> None:
    """A cpu signal is always on a core or waiting for one, in its silences too."""
    process = signals.start("cpu", "--period", "0.4", "--until-stopped")
    signals.wait_for_load(process)
    time.sleep(0.3)
    try:
        begin, ran = time.monotonic(), schedstat(process.pid)
        time.sleep(1)
        end, then = time.monotonic(), schedstat(process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert then - ran > 0.8e9 * (end - begin)
    done = Done(0, err, signals.folder)
    consistent(done)
    on_time(done, 0.4, 0.5)
    # 50 000 rounds of dependent multiplications: no core is through with them in 20 us.
    assert done.log.processes["p50_ns"][0].as_py() > 20_000


def schedstat(pid: int) -> int:
    """Nanoseconds that a process was on a core, or waited for one."""
    ran, waited, _times = Path(f"/proc/{pid}/schedstat").read_text().split()
    return int(ran) + int(waited)


def resident_kib(pid: int) -> int:
    """How much memory a process has."""
    return int(Path(f"/proc/{pid}/status").read_text().split("\nVmRSS:")[1].split()[0])


@pytest.mark.parametrize(("pattern", "each"), [("memory", BLOCK), ("cache", CHASE)])
def test_working_set(signals: Signals, pattern: str, each: int) -> None:
    """The working set is all there, and used; an operation is as large as documented."""
    process = signals.start(pattern, "--chunk", "48MiB", "--until-stopped", "--processes", "1")
    signals.wait_for_load(process)
    try:
        end = time.monotonic() + 60
        while resident_kib(process.pid) <= 47 * 1024 and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.3)
        resident = resident_kib(process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert 47 * 1024 < resident < 60 * 1024
    done = Done(0, err, signals.folder)
    consistent(done)
    assert done.sum("operations") > 0
    assert done.sum("bytes") == each * done.sum("operations")
    # Faster than any memory or cache could deliver: then something was left out.
    assert done.log.processes["p50_ns"][0].as_py() > 4_000


@pytest.mark.tries(3)
def test_small_working_sets_are_faster(signals: Signals, tmp_path: Path) -> None:
    """The chain of loads really goes where it says: from the first-level cache to memory."""
    middle: dict[str, Any] = {}
    for size in ("16KiB", "64MiB"):
        done = signals.run("cache", "--chunk", size, "--iterations", "300", "--job", size)
        rows = done.log.processes.to_pylist()
        middle[size] = next(row["p50_ns"] for row in rows if row["job"] == size)
    assert middle["64MiB"] > 1.5 * middle["16KiB"]


def test_memory_by_volume(signals: Signals) -> None:
    done = signals.run(
        "memory", "--chunk", "4MiB", "--processes", "2", "--volume", str(100 * BLOCK)
    )
    assert done.log.processes["operations"].to_pylist() == [50, 50]
    assert done.log.processes["reason"].to_pylist() == ["volume", "volume"]


@pytest.mark.in_turn
@pytest.mark.tries(3)
@pytest.mark.parametrize("pattern", ["memory", "cache", "cpu", "metadata"])
def test_periodic(signals: Signals, pattern: str) -> None:
    """On and off as requested, every period; how punctual is reported, not asserted."""
    done = signals.run(
        pattern, "--period", "0.4", "--duty", "0.5", "--time", "1.6", "--chunk", "1MiB"
    )
    consistent(done)
    late = on_time(done, 0.4, 0.5)
    assert len(late) >= 3
    print(f"{pattern}: bursts began up to {max(late):.2f} ms late")


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "pattern", ["memory", "cache", "cpu", "metadata", "create-files", "unlink-files", "lock-file"]
)
def test_interrupted(signals: Signals, pattern: str) -> None:
    done = signals.run(
        pattern, "--time", "50", "--processes", "2", stop=(0.5, signal.SIGINT), code=130
    )
    consistent(done)
    assert done.log.processes["reason"].to_pylist() == ["signal", "signal"]
    done.leaves_nothing()


def test_metadata_says_what_failed(signals: Signals, tmp_path: Path) -> None:
    """A folder that goes away is an error that names it, and the log says so."""
    process = signals.start("metadata", "--until-stopped")
    signals.wait_for_load(process)
    time.sleep(0.3)
    (folder,) = (tmp_path / "data").iterdir()
    moved = folder.rename(tmp_path / "gone")
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert folder.name in err
    row = Done(1, err, tmp_path).log.processes.to_pylist()[0]
    assert row["reason"] == "error" and folder.name in row["error"]
    shutil.rmtree(moved)
