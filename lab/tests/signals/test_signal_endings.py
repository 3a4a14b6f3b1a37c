"""However a signal ends, it leaves nothing behind, and its log has the reason."""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from mpis import Mpi
from signal_runner import Signals, consistent, on_time, rows

from jostle_lab.signals import program


def alive(pid: int) -> bool:
    """Whether a process runs; a dead one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def processes_of(signals: Signals) -> list[int]:
    """The processes of a signal, by their logs."""
    return [int(p.name.split(".")[-2]) for p in (signals.folder / "log").iterdir()]


def gone(signals: Signals, pids: list[int]) -> None:
    """Within a time that allows for a busy machine: no process, no file."""
    until = time.monotonic() + 60
    data = signals.folder / "data"
    while time.monotonic() < until and (any(map(alive, pids)) or list(data.iterdir())):
        time.sleep(0.05)
    assert [p for p in pids if alive(p)] == []
    assert list(data.iterdir()) == []


def load(*words: str) -> list[str]:
    return [*words, "--chunk", "16KiB", "--flush", "none", "--until-stopped"]


@pytest.mark.in_turn
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"])
@pytest.mark.parametrize("pattern", ["open-write-close", "aggregate-write"])
def test_stopped(signals: Signals, pattern: str, name: str) -> None:
    done = signals.run(*load(pattern), "--processes", "3", stop=(0.2, signal.Signals[name]))
    consistent(done)
    assert {one["reason"] for one in rows(done)} == {"signal"}
    assert done.err == ""
    done.leaves_nothing()


def test_interrupted_before_its_end(signals: Signals) -> None:
    stop = (0.1, signal.SIGINT)
    done = signals.run("write-seek", "--time", "50", "--processes", "2", stop=stop, code=130)
    assert {one["reason"] for one in rows(done)} == {"signal"}
    done.leaves_nothing()


def test_stopped_before_it_starts(signals: Signals) -> None:
    start = str(time.time() + 3000)
    done = signals.run(
        *load("write-seek"), "--processes", "2", "--start", start, stop=(0.3, signal.SIGTERM)
    )
    assert [one["operations"] for one in rows(done)] == [0, 0]
    assert done.log.bursts.num_rows == 0
    done.leaves_nothing()


def test_stopped_in_its_silence(signals: Signals) -> None:
    begin = time.monotonic()
    signals.run(
        *load("write-seek"),
        "--period",
        "3000",
        "--duty",
        "0.001",
        "--phase",
        str((time.time() + 1500) % 3000),
        stop=(0.3, signal.SIGTERM),
    )
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize("which", [1, 0])
def test_one_process_killed(signals: Signals, which: int) -> None:
    process = signals.start(*load("open-write-close"), "--processes", "3")
    signals.wait_for_load(process, 3)
    time.sleep(0.4)
    pids = processes_of(signals)
    victim = next(pid for pid in pids if (pid == process.pid) == (which == 0))
    os.kill(victim, signal.SIGKILL)
    _out, err = process.communicate(timeout=60)
    gone(signals, pids)
    if which == 0:
        assert process.returncode == -signal.SIGKILL
        return
    assert process.returncode == 1
    assert f"pid {victim}) was killed by signal 9" in err
    reasons = {one["pid"]: one["reason"] for one in rows(signals.result(1, err))}
    assert {reasons[pid] for pid in pids if pid != victim} == {"error"}


def test_all_killed(signals: Signals) -> None:
    process = signals.start(*load("open-write-close"), "--processes", "3")
    signals.wait_for_load(process, 3)
    time.sleep(0.4)
    pids = processes_of(signals)
    for pid in sorted(pids, reverse=True):
        os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=60)
    gone(signals, pids)


MEETING = "open-write-close --shared --api mpiio --flush each"


# Asked to end at once (a kill may follow), a rank waits 0.6 s for the others and no longer.
@pytest.mark.in_turn
@pytest.mark.tries(3)
@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("open-write-close", "SIGUSR1"),
        ("open-write-close", "SIGTERM"),
        (MEETING, "SIGUSR1"),
        (MEETING, "SIGINT"),
    ],
)
def test_launcher_stopped(signals: Signals, mpi: Mpi, words: str, name: str) -> None:
    done = signals.run(
        *load(), *words.split(), mpi=mpi, ranks=3, stop=(0.3, signal.Signals[name]), code=None
    )
    if name == "SIGUSR1":  # the others end the launcher too
        assert done.code == 0, done.err
    gone(signals, processes_of(signals))
    assert {one["reason"] for one in rows(done)} == {"signal"}


@pytest.mark.in_turn
@pytest.mark.tries(3)  # for the same reason
@pytest.mark.parametrize("words", ["open-write-close", "write-seek --shared --api mpiio"])
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_one_rank_ends(signals: Signals, mpi: Mpi, words: str, name: str) -> None:
    process = signals.start(*words.split(), "--chunk", "16KiB", "--until-stopped", mpi=mpi, ranks=3)
    signals.wait_for_load(process, 3)
    time.sleep(0.5)
    pids = processes_of(signals)
    os.kill(pids[-1], signal.Signals[name])
    try:
        _out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail("hung")
    gone(signals, pids)
    if name == "SIGTERM":
        assert process.returncode == 0, err
        assert {one["reason"] for one in rows(signals.result(0, err))} == {"signal"}


# ---- the disk ------------------------------------------------------------------------------------
@pytest.fixture
def small(signals: Signals) -> Iterator[Signals]:
    """A place whose data are on a file system of 8 MiB."""
    data = signals.folder / "data"
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("needs root: it mounts a small file system")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", data], check=True)
    yield signals
    subprocess.run(["umount", "-l", data], check=True)


def test_does_not_fit(small: Signals) -> None:
    done = small.run("aggregate-write", "--volume", "8MiB", code=2)
    assert "8.00 MiB" in done.err and "7.20 MiB" in done.err and "--volume" in done.err
    done.leaves_nothing()
    done = small.run("write-seek", "--chunk", "4MiB", "--processes", "2", code=2)
    assert "a tenth of the free space is always left" in done.err
    done.leaves_nothing()


@pytest.mark.parametrize("sharing", ["", "--shared"])
def test_starts_its_files_over(small: Signals, sharing: str) -> None:
    process = small.start(
        "aggregate-write",
        *sharing.split(),
        "--processes",
        "2",
        "--time",
        "0.5",
        "--chunk",
        "256KiB",
    )
    held = 0
    while process.poll() is None:
        facts = os.statvfs(small.folder / "data")
        held = max(held, (facts.f_blocks - facts.f_bavail) * facts.f_bsize)
        time.sleep(0.005)
    _out, err = process.communicate()
    assert process.returncode == 0, err
    done = small.result(0, err)
    assert done.sum("bytes") > 8 * 1024**2  # more than there is room for
    assert held <= 0.92 * 8 * 1024**2
    text = "".join(p.read_text() for p in (small.folder / "log").iterdir())
    assert '"type":"wrap"' in text
    consistent(done)
    done.leaves_nothing()


def fill(path: Path) -> None:
    """Write until there is no room."""
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 65536):
            pass


@pytest.mark.in_turn
@pytest.mark.tries(3)
@pytest.mark.parametrize("pattern", ["open-write-close", "aggregate-write", "write-seek"])
def test_disk_filled_by_another(small: Signals, pattern: str) -> None:
    process = small.start(
        pattern,
        "--chunk",
        "64KiB",
        "--processes",
        "2",
        "--until-stopped",
        "--start",
        str(time.time() + 1),
    )
    small.wait_for_load(process, 2)
    fill(small.folder / "data" / "other")
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "No space left on device" in err and "free space" in err
    assert err.count("jostle-signal:") == 1
    (small.folder / "data" / "other").unlink()
    done = small.result(1, err)
    done.leaves_nothing()
    assert {one["reason"] for one in rows(done)} == {"error"}
    assert any("No space left" in one["error"] for one in rows(done))


def test_max_disk(signals: Signals) -> None:
    done = signals.run("aggregate-write", "--volume", "4MiB", "--max-disk", "3MiB", code=2)
    assert "--max-disk" in done.err
    signals.run("aggregate-write", "--volume", "3MiB", "--max-disk", "3MiB")
    done = signals.run(
        "open-write-close",
        "--chunk",
        "64KiB",
        "--iterations",
        "20",
        "--max-disk",
        "256KiB",
        "--keep",
        "--flush",
        "none",
    )
    (folder,) = (signals.folder / "data").iterdir()
    assert sorted(int(p.name.split(".")[1]) for p in folder.iterdir()) == [16, 17, 18, 19]


def test_limit_of_file_size(signals: Signals) -> None:
    done = signals.run(
        "aggregate-write",
        "--volume",
        "8MiB",
        code=1,
        before=["sh", "-c", 'ulimit -f 2048; exec "$@"', "sh"],
    )
    assert "ulimit -f" in done.err
    done.leaves_nothing()


def test_memory_that_is_not_there(signals: Signals) -> None:
    done = signals.run("write-seek", "--chunk", "64TiB", code=None)
    assert done.code in (1, 2) and "--chunk" in done.err
    done.leaves_nothing()


# ---- limits and instants -------------------------------------------------------------------------
def test_first_limit_ends_it(signals: Signals) -> None:
    words = ["write-seek", "--chunk", "4KiB", "--flush", "none", "--iterations", "7"]
    done = signals.run(*words, "--time", "30", "--volume", "1MiB", "--processes", "2")
    assert [(one["operations"], one["reason"]) for one in rows(done)] == [(7, "iterations")] * 2


def test_time_and_start(signals: Signals) -> None:
    start = int(time.time()) + 2
    done = signals.run(
        "write-seek",
        "--chunk",
        "4KiB",
        "--flush",
        "none",
        "--time",
        "0.3",
        "--start",
        f"{start}.125",
        "--processes",
        "2",
    )
    for one in rows(done):
        assert one["start_ns"] == start * 10**9 + 125_000_000
        assert one["end_ns"] >= one["start_ns"] + 300_000_000
        assert one["reason"] == "time"
    for burst in done.log.bursts.to_pylist():
        assert burst["due_ns"] == start * 10**9 + 125_000_000 <= burst["begin_ns"]


def test_default_start_is_a_slice_boundary(signals: Signals) -> None:
    done = signals.run("write-seek", "--chunk", "4KiB", "--iterations", "1", "--processes", "2")
    assert len({one["start_ns"] for one in rows(done)}) == 1
    assert all(one["start_ns"] % 100_000_000 == 0 for one in rows(done))


def test_late_start_is_said(signals: Signals) -> None:
    done = signals.run("write-seek", "--iterations", "1", "--start", str(time.time() - 5))
    assert "has passed" in done.err
    assert done.log.bursts.to_pylist()[0]["begin_ns"] > rows(done)[0]["start_ns"] + 5e9


@pytest.mark.tries(3)
def test_bursts(signals: Signals, mpi: Mpi) -> None:
    """Shared MPI-IO files, whose processes must agree when a burst is over."""
    done = signals.run(
        "write-seek",
        "--shared",
        "--api",
        "mpiio",
        "--chunk",
        "4KiB",
        "--period",
        "0.4",
        "--duty",
        "0.25",
        "--time",
        "1.5",
        mpi=mpi,
        ranks=2,
    )
    late = on_time(done, 0.4, 0.25)
    assert len(late) >= 6
    assert len({one["operations"] for one in rows(done)}) == 1
    consistent(done)


# ---- logs and terminals --------------------------------------------------------------------------
def test_log_that_cannot_be(signals: Signals, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    command = [
        str(program(None)),
        "write-seek",
        "--iterations",
        "3",
        "--dir",
        str(tmp_path / "data"),
    ]
    run = subprocess.run(
        [*command, "--log", str(tmp_path / "file" / "x"), "--processes", "2"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 1
    assert "--log" in run.stderr
    assert list((tmp_path / "data").iterdir()) == []
    for words, environment in ((["--log", "none"], {}), ([], {"TMPDIR": str(tmp_path)})):
        subprocess.run([*command, *words], check=True, timeout=60, env=os.environ | environment)
    (folder,) = tmp_path.glob("jostle-signal-*")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert len(list(folder.iterdir())) == 1


def test_folder_of_another_is_not_trusted(tmp_path: Path) -> None:
    folder = tmp_path / f"jostle-signal-{os.geteuid()}"
    folder.mkdir(mode=0o700)
    folder.chmod(0o777)
    run = subprocess.run(
        [str(program(None)), "cpu", "--iterations", "1"],
        check=False,
        timeout=60,
        capture_output=True,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert run.returncode == 1
    assert "--log" in run.stderr


@pytest.mark.tries(3)
@pytest.mark.parametrize("quiet", [False, True])
def test_progress_on_a_terminal(signals: Signals, quiet: bool) -> None:
    leader, follower = pty.openpty()
    words = [
        w
        for w in signals.words("write-seek", "--time", "1.2", "--processes", "2", "--flush", "none")
        if quiet or w != "--quiet"
    ]
    with subprocess.Popen([str(program(None)), *words], stderr=follower) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            shown += part
        assert process.wait(timeout=60) == 0
    os.close(leader)
    if quiet:
        assert shown == b""
        return
    assert b"2 processes" in shown and b"MiB/s" in shown and b"left" in shown
    assert str(signals.folder / "log").encode() in shown


def test_nothing_is_said_to_a_pipe(signals: Signals) -> None:
    words = [w for w in signals.words("write-seek", "--time", "0.8") if w != "--quiet"]
    run = subprocess.run([str(program(None)), *words], capture_output=True, check=True, timeout=60)
    assert run.stdout == run.stderr == b""


@pytest.mark.tries(3)
def test_log_costs_little(signals: Signals) -> None:
    """A log grows with its slices, not with what is done; its time is a matter of the benchmark."""
    words = ["write-seek", "--chunk", "4KiB", "--flush", "none", "--time", "0.6"]
    done = signals.run(*words)
    size = sum(p.stat().st_size for p in (signals.folder / "log").iterdir())
    assert done.sum("operations") > 1000
    assert size < 8192


def test_pids_are_those_of_the_started(signals: Signals) -> None:
    """A signal of n processes is n processes; the janitor aside, who is not one of the job."""
    process = signals.start(*load("write-seek"), "--processes", "3")
    signals.wait_for_load(process, 3)
    assert process.pid in processes_of(signals)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    names: list[str] = []
    end = time.monotonic() + 20
    # The janitor takes its name when it first runs, which on a busy machine is later.
    while "jostle-janitor" not in names and time.monotonic() < end:
        names = [
            Path(f"/proc/{child}/comm").read_text().strip()
            for child in children.read_text().split()
        ]
        time.sleep(0.02)
    assert sorted(names) == ["jostle-janitor", "jostle-signal", "jostle-signal"]
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_the_first_to_end_leaves_the_others_alone(signals: Signals) -> None:
    """Who is done removes its files, and not the folder that is empty for a moment."""
    for _ in range(10):
        done = signals.run(
            "open-write-close",
            "--chunk",
            "4KiB",
            "--processes",
            "4",
            "--volume",
            "52KiB",
            "--flush",
            "none",
        )
        done.leaves_nothing()
