"""The file patterns against strace, counters of MPI calls, profiles, and the files on disk."""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness import Runner
from mpis import Mpi, Mpirun
from signal_runner import Done, Signals, consistent, rows

from jostle_lab.signals import program

FILES = ("open-write-close", "write-seek", "aggregate-write", "read", "write-seek-read")
COUNTS = ("opens", "closes", "writes", "reads", "seeks", "syncs")
_CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
_UNFINISHED = re.compile(r"^(\d+) +(.*) <unfinished \.\.\.>$")
_RESUMED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")


@dataclass(frozen=True)
class Call:
    """A system call on a file of the load."""

    pid: int
    name: str
    file: str
    size: int
    """What it returned: bytes, or the offset of a seek."""
    text: str


def traced(signals: Signals, *words: str) -> tuple[list[Call], Done]:
    """Run a signal under strace: its calls on files of the load, in order, and its log."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    output = signals.folder / "strace.log"
    data = str(signals.folder / "data")
    before = [
        "strace",
        "-f",
        "-y",
        "-s",
        "0",
        "-o",
        str(output),
        "-e",
        "signal=none",
        "-e",
        "trace=/^(open|openat|creat|close|p?writev?(64)?|p?readv?(64)?|lseek|f(data)?sync|"
        "sync_file_range|ftruncate|unlink|unlinkat)$",
    ]
    done = signals.run(*words, before=before)
    calls: list[Call] = []
    begun: dict[str, str] = {}
    for line in output.read_text(errors="replace").splitlines():
        if held := _UNFINISHED.match(line):
            begun[held[1]] = held[2]
            continue
        if resumed := _RESUMED.match(line):
            line = f"{resumed[1]} {begun.pop(resumed[1], '')}{resumed[2]}"
        if not (match := _CALL.match(line)) or f"{data}/" not in line:
            continue
        name, arguments, result = match.groups()
        # The folder itself, and what cleans up.
        if name.startswith("unlink") or "O_DIRECTORY" in arguments:
            continue
        file = re.findall(rf"{re.escape(data)}/[^>\"]*/([^/>\"]+)", line)
        if file:
            number = 0 if name in ("openat", "close", "fsync") else int(result)
            pid = int(line.split()[0])
            calls.append(Call(pid, name, file[0], number, line))
    return calls, done


def order(calls: Sequence[Call]) -> str:
    """Calls as a short text: open, write 8192, ..."""
    short = {"openat": "open", "lseek": "seek", "fsync": "sync"}
    return ", ".join(
        short.get(c.name, c.name) + (f" {c.size}" if c.name in ("write", "read", "lseek") else "")
        for c in calls
    )


def times(count: int, what: str) -> str:
    """The same again."""
    return ", ".join([what] * count)


ORDERS = {
    "open-write-close": times(3, "open, write 8192, sync, close"),
    "open-write-close --flush none": times(3, "open, write 8192, close"),
    "open-write-close --reuse": times(3, "open, write 8192, sync, close"),
    "open-write-close --piece 3000": times(
        3, "open, write 3000, write 3000, write 2192, sync, close"
    ),
    "open-write-close --shared": times(3, "open, seek 0, write 8192, sync, close"),
    "write-seek": f"open, {times(3, 'seek 0, write 8192, sync')}, close",
    "write-seek --flush none": f"open, {times(3, 'seek 0, write 8192')}, close",
    "write-seek --flush end": f"open, {times(3, 'seek 0, write 8192')}, sync, sync, close",
    "write-seek --piece 4KiB": f"open, {times(3, 'seek 0, write 4096, write 4096, sync')}, close",
    "aggregate-write": f"open, {times(3, 'write 8192')}, close",
    "aggregate-write --flush each": f"open, {times(3, 'write 8192, sync')}, close",
    "aggregate-write --flush end": f"open, {times(3, 'write 8192')}, sync, sync, close",
    "aggregate-write --shared": f"open, seek 0, {times(3, 'write 8192')}, close",
    "read": f"open, {times(3, 'write 8192')}, sync, seek 0, {times(3, 'read 8192')}, close",
    "write-seek-read": f"open, {times(3, 'seek 0, write 8192, sync, seek 0, read 8192')}, close",
}


@pytest.mark.parametrize("words", ORDERS)
def test_order_of_calls(signals: Signals, words: str) -> None:
    calls, done = traced(signals, *words.split(), "--chunk", "8KiB", "--iterations", "3")
    assert order(calls) == ORDERS[words]
    opened = [c for c in calls if c.name == "openat"]
    assert all("O_CREAT" in c.text for c in opened)
    names = {c.file for c in opened}
    assert len(names) == (3 if words.startswith("open-write-close") and "reuse" not in words else 1)
    # A new file is new, a re-used one keeps what it has.
    assert all(
        ("O_TRUNC" in c.text) == ("reuse" not in words and "shared" not in words) for c in opened
    )
    equal_to_log(calls, done)
    done.leaves_nothing()


def equal_to_log(calls: Sequence[Call], done: Done) -> None:
    """Per process: calls that were counted are calls that were made."""
    names = {
        "openat": "opens",
        "close": "closes",
        "write": "writes",
        "read": "reads",
        "lseek": "seeks",
        "fsync": "syncs",
    }
    consistent(done)
    for one in rows(done):
        made = [names[c.name] for c in calls if c.pid == one["pid"]]
        assert {n: one[n] for n in COUNTS} == {n: made.count(n) for n in COUNTS}
        moved = sum(c.size for c in calls if c.pid == one["pid"] and c.name in ("write", "read"))
        # What is read must have been written; that is no operation.
        prepared = sum(c.size for c in calls if c.pid == one["pid"] and c.name == "write")
        assert one["bytes"] == moved - (prepared if one["pattern"] == "read" else 0)


@pytest.mark.parametrize("pattern", FILES)
@pytest.mark.parametrize("sharing", ["", "--shared"])
def test_three_processes(signals: Signals, pattern: str, sharing: str) -> None:
    calls, done = traced(
        signals,
        pattern,
        *sharing.split(),
        "--chunk",
        "8KiB",
        "--processes",
        "3",
        "--volume",
        "104KiB",
    )
    equal_to_log(calls, done)
    assert [one["rank"] for one in rows(done)] == [0, 1, 2]
    assert len({one["pid"] for one in rows(done)}) == 3
    # In whole operations, the first ranks taking the rest of what does not divide: 13 chunks.
    moves = 2 if pattern == "write-seek-read" else 1
    parts = [3, 2, 2] if moves == 2 else [5, 4, 4]
    assert [one["operations"] for one in rows(done)] == parts
    assert {one["reason"] for one in rows(done)} == {"volume"}
    if sharing:
        sections(pattern, calls, done, parts)
    else:
        assert all(
            c.file.startswith(f"{one['rank']}.")
            for one in rows(done)
            for c in calls
            if c.pid == one["pid"]
        )


def sections(pattern: str, calls: Sequence[Call], done: Done, parts: list[int]) -> None:
    """Each process has its contiguous section of the one file."""
    chunk = 8192
    for one in rows(done):
        rank = one["rank"]
        seeks = {c.size for c in calls if c.pid == one["pid"] and c.name == "lseek"}
        if pattern == "aggregate-write":
            assert seeks == {sum(parts[:rank]) * chunk}
        elif pattern == "read":
            assert len(seeks) == 1
        else:
            assert seeks == {rank * chunk}
    assert all(c.file.startswith("shared.") for c in calls)


def test_a_new_file_for_each_iteration_is_the_same_for_all(signals: Signals) -> None:
    done = signals.run(
        "open-write-close",
        "--shared",
        "--chunk",
        "4KiB",
        "--processes",
        "2",
        "--iterations",
        "5",
        "--keep",
    )
    (folder,) = (signals.folder / "data").iterdir()
    assert sorted(p.name for p in folder.iterdir()) == [f"shared.{i}" for i in range(5)]
    assert all(p.stat().st_size == 8192 for p in folder.iterdir())
    assert done.sum("opens") == 10


@pytest.mark.parametrize("pattern", ["open-write-close", "write-seek", "aggregate-write"])
def test_bytes_are_random_and_all_there(signals: Signals, pattern: str) -> None:
    signals.run(
        pattern, "--shared", "--chunk", "64KiB", "--processes", "3", "--volume", "640KiB", "--keep"
    )
    (folder,) = (signals.folder / "data").iterdir()
    for path in folder.iterdir():
        content = path.read_bytes()
        last = path.name == "shared.3" and pattern == "open-write-close"  # by rank 0 alone
        whole = 655360 if pattern == "aggregate-write" else 65536 * (1 if last else 3)
        assert len(content) == whole
        assert len(zlib.compress(content, 1)) > 0.99 * len(content)
        assert all(any(content[i : i + 512]) for i in range(0, whole, 512))
        blocks = [content[i : i + 4096] for i in range(0, whole, 4096)]
        assert len(set(blocks)) == len(blocks)  # nothing to store once instead of twice


def test_direct(signals: Signals) -> None:
    data = signals.folder / "data"
    probe = subprocess.run(
        ["dd", "if=/dev/zero", f"of={data / 'probe'}", "bs=4k", "count=1", "oflag=direct"],
        capture_output=True,
        check=False,
    )
    (data / "probe").unlink(missing_ok=True)
    if probe.returncode != 0:
        pytest.skip(f"the file system of {data} has no O_DIRECT")
    calls, done = traced(signals, "write-seek", "--direct", "--chunk", "8KiB", "--iterations", "2")
    assert order(calls) == f"open, {times(2, 'seek 0, write 8192, sync')}, close"
    assert all("O_DIRECT" in c.text for c in calls if c.name == "openat")
    equal_to_log(calls, done)


def test_matrix_of_cluster_13(signals: Signals) -> None:
    """An element per call, on a file that is re-used: CLUSTER'13, scaled down."""
    calls, done = traced(
        signals,
        "open-write-close",
        "--reuse",
        "--flush",
        "none",
        "--chunk",
        "400",
        "--piece",
        "4",
        "--iterations",
        "2",
    )
    assert order(calls) == times(2, f"open, {times(100, 'write 4')}, close")
    equal_to_log(calls, done)


# ---- against jostle's own profile ---------------------------------------------------------------
METRICS = {
    "opens": "open",
    "closes": "close",
    "writes": "write",
    "reads": "read",
    "seeks": "seek",
    "syncs": "sync",
}


@pytest.mark.parametrize("pattern", FILES)
def test_profile_of_plain_processes(signals: Signals, library: Path, pattern: str) -> None:
    (signals.folder / "profiled").mkdir()
    runner = Runner(library, signals.folder / "profiled")
    result = runner.run(
        program(None),
        *signals.words(pattern, "--chunk", "64KiB", "--processes", "2", "--volume", "768KiB"),
    )
    done = signals.result(result.code, result.stderr)
    assert {p.pid for p in result.processes} == {one["pid"] for one in rows(done)}
    for one in rows(done):
        seen = {n: result.total(f"posix_{m}_ops", one["pid"]) for n, m in METRICS.items()}
        assert seen == {n: one[n] for n in METRICS}
        written, read = (result.total(f"posix_{m}_bytes", one["pid"]) for m in ("write", "read"))
        # What is read must have been written first; that is no operation.
        assert one["bytes"] == read + (0 if pattern == "read" else written)
    done.leaves_nothing()


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "words", [f"{pattern} --api mpiio --shared" for pattern in FILES] + ["write-seek --api posix"]
)
def test_profile_of_ranks(signals: Signals, library: Path, mpi: Mpi, words: str) -> None:
    (signals.folder / "profiled").mkdir()
    runner = Mpirun(library, signals.folder / "profiled")
    command = signals.words(*words.split(), "--chunk", "64KiB", "--volume", "512KiB")
    world = runner.world(mpi, 2, program(mpi.name), *command, counted="")
    done = signals.result(0, world.stderr)
    consistent(done)
    assert done.sum("bytes") == 524288
    for one in rows(done):
        for name, metric in METRICS.items():
            if "mpiio" in words and metric == "seek":
                continue  # jostle counts it among the other calls of MPI-IO
            kind = "mpiio" if "mpiio" in words else "posix"
            seen = world.total(f"{kind}_{metric}_ops", one["pid"])
            # An MPI opens files and sockets of its own.
            own = kind == "posix" and metric != "sync"
            assert seen >= one[name] if own else seen == one[name], name
    done.leaves_nothing()


@pytest.mark.in_turn
@pytest.mark.parametrize("pattern", FILES)
@pytest.mark.parametrize("sharing", ["", "--shared"])
def test_mpi_io_against_a_counter(signals: Signals, mpi: Mpi, pattern: str, sharing: str) -> None:
    done = signals.run(
        pattern,
        "--api",
        "mpiio",
        *sharing.split(),
        "--chunk",
        "8KiB",
        "--volume",
        "240KiB",
        mpi=mpi,
        ranks=3,
        counted=True,
    )
    consistent(done)
    assert len(done.counted) == 3
    for one in rows(done):
        counted = done.counted[one["pid"]]
        for name, metric in (
            ("opens", "open"),
            ("closes", "close"),
            ("writes", "write"),
            ("reads", "read"),
            ("syncs", "sync"),
        ):
            assert counted[f"mpiio_{metric}_ops"] == one[name], name
        moved = counted["mpiio_write_bytes"] + counted["mpiio_read_bytes"]
        prepared = counted["mpiio_write_bytes"] if pattern == "read" else 0
        assert one["bytes"] == moved - prepared
    done.leaves_nothing()


def test_mpi_io_sections(signals: Signals, mpi: Mpi) -> None:
    signals.run(
        "aggregate-write",
        "--api",
        "mpiio",
        "--shared",
        "--chunk",
        "64KiB",
        "--volume",
        "640KiB",
        "--keep",
        mpi=mpi,
        ranks=3,
    )
    (folder,) = (signals.folder / "data").iterdir()
    content = (folder / "shared.0").read_bytes()
    assert len(content) == 655360
    assert all(any(content[i : i + 512]) for i in range(0, len(content), 512))
