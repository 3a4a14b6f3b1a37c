"""Processes that only compute: however they end, their CPU time is known, slice by slice.

The truth is what the kernel reports to the parent that waits for a process (wait4).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import peek
import pytest
from harness import PROGRAMS, Compile, Runner

from jostle.repository import Repository

S = 10**9
TICK = 10**7  # the unit of a process's CPU time in /proc
ME = str(os.getpid())


def _end(process: subprocess.Popen[str]) -> int:
    """Wait for a process; give its CPU time in ns, with that of those it waited for."""
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return round((usage.ru_utime + usage.ru_stime) * 1e9)


def _cpu(processes: list[peek.Process]) -> int:
    return sum(p.total("os_user_ns") + p.total("os_system_ns") for p in processes)


def _kept(jostle: Runner) -> list[peek.Process]:
    return [peek.read_profile(path) for path in jostle.spool.glob("*.jsp")]


def _ingested(jostle: Runner, tmp_path: Path, threads: int = 1) -> int:
    """CPU time in the repository, ns; no process has more of it in a slice than its threads can."""
    store = Repository(tmp_path / "repository", create=True)
    report = store.ingest([jostle.spool])
    assert not report.warnings
    rows = store.query(
        "SELECT coalesce(os_user_ns, 0) + coalesce(os_system_ns, 0) AS cpu, span * slice_ns AS ns "
        "FROM slices"
    ).to_pylist()
    assert all(row["cpu"] <= threads * row["ns"] * 1.02 + TICK for row in rows), rows
    return sum(row["cpu"] for row in rows)


@pytest.mark.in_turn
@pytest.mark.parametrize("length", ["100ms", "4s"])
def test_what_was_started_by_hand_and_is_killed(
    jostle: Runner, build: Compile, length: str
) -> None:
    """It makes no call, and is killed: at most what came after the last look is missing."""
    process = jostle.start(build("burn.c"), 100, length=length, env={"JOSTLE_FIRST": ME})
    time.sleep(2.5)
    process.kill()
    truth = _end(process)
    (seen,) = jostle.collect().processes
    assert truth - 1.1 * S <= _cpu([seen]) <= truth + TICK


@pytest.mark.in_turn
@pytest.mark.parametrize("end", ["timeout", "kill"])
def test_a_child_that_is_killed(jostle: Runner, build: Compile, tmp_path: Path, end: str) -> None:
    """`timeout` makes no call either; the time of its child is known to the end."""
    words = (
        ("timeout", "3", build("burn.c"), 100)
        if end == "timeout"
        else ("sh", "-c", f"{build('burn.c')} 100 & sleep 3; kill -9 $!; wait")
    )
    process = jostle.start(*words, env={"JOSTLE_FIRST": ME})
    truth = _end(process)
    (kept,) = _kept(jostle)
    assert Path(kept.program).name.startswith("burn")
    assert len(kept.slices) > 10  # slice by slice; a busy machine begins late
    assert abs(_cpu(_kept(jostle)) + _cpu(jostle.collect().processes) - truth) < 0.15 * S
    assert "seen from outside" in kept.notes[0]
    assert abs(_ingested(jostle, tmp_path) - truth) < 0.15 * S


def test_a_forked_child(jostle: Runner, build: Compile, tmp_path: Path) -> None:
    """Its only call is its end: its time is in the slices where it was spent."""
    process = jostle.start(build("burn.c"), 1.5, "fork")
    truth = _end(process)
    assert process.returncode == 0
    child = max(jostle.collect().processes, key=lambda p: _cpu([p]))
    assert not child.short and child.end_reason == 2
    assert abs(_cpu([child]) - truth) < 0.05 * S
    assert child.end_ns - child.start_ns >= 0.95 * _cpu([child])
    assert abs(_ingested(jostle, tmp_path) - truth) < 0.05 * S


def test_a_program_that_ends(jostle: Runner, build: Compile, tmp_path: Path) -> None:
    process = jostle.start(build("burn.c"), 1.2)
    truth = _end(process)
    (seen,) = jostle.collect().processes
    assert not seen.short and seen.end_reason == 1
    assert abs(_cpu([seen]) - truth) < 0.05 * S
    assert abs(_ingested(jostle, tmp_path) - truth) < 0.05 * S


def test_nothing_is_counted_twice(jostle: Runner, build: Compile, tmp_path: Path) -> None:
    """A child gets its own profile in the end: records of it by others are ignored."""
    script = f"{build('burn.c')} 1.5 write {jostle.data}/file; :"
    process = jostle.start("sh", "-c", script, env={"JOSTLE_FIRST": ME})
    truth = _end(process)
    assert len(_kept(jostle)) == 1
    assert abs(_ingested(jostle, tmp_path) - truth) < 0.1 * S
    store = Repository(tmp_path / "repository")
    names = store.query("SELECT program FROM processes")["program"].to_pylist()
    assert sorted(Path(name).name[:4] for name in names) == ["burn", "dash"]


def test_a_child_that_becomes_another_user(jostle: Runner, build: Compile) -> None:
    """The loader preloads nothing into a setuid program, and its user may not inspect it."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs root and setpriv")
    jostle.open_to_all()
    program = shutil.copy(build("burn.c"), jostle.data / "burn-as-root")
    Path(program).chmod(0o4755)
    words = ("setpriv", "--reuid=65534", "--clear-groups", "sh", "-c", f"{program} 2; :")
    truth = _end(jostle.start(*words, env={"JOSTLE_FIRST": ME}))
    (kept,) = _kept(jostle)
    assert (kept.program, kept.header["command"]) == ("burn-as-root", "")
    assert "seen from outside" in kept.notes[0]
    assert truth - 1.2 * S <= _cpu([kept]) <= truth + TICK


MOVES = """
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
    static char block[1 << 20];
    int to = open("moved", O_CREAT | O_RDWR, 0600);
    for (int i = 0; i < 24; i++)
        if (write(to, block, sizeof block) < 0)
            return 1;
    lseek(to, 0, SEEK_SET);
    for (int i = 0; i < 8; i++)
        if (read(to, block, sizeof block) < 0)
            return 1;
    sleep(3);
    return 0;
}
"""


@pytest.mark.in_turn
@pytest.mark.parametrize("starts", ["%s", "%s & wait; true", "(%s); true"])
def test_the_bytes_of_a_static_program(jostle: Runner, tmp_path: Path, starts: str) -> None:
    """It uses hardly any CPU time; its bytes count once, however it was started."""
    source, program = tmp_path / "moves.c", tmp_path / "moves"
    source.write_text(MOVES)
    if subprocess.run(["cc", "-static", source, "-o", program], capture_output=True).returncode:
        pytest.skip("no static C library")
    line = starts % program + "; cat moved > copied"
    process = jostle.start("sh", "-c", line, length="200ms", env={"JOSTLE_FIRST": ME}, cwd=tmp_path)
    _end(process)
    # A shell that waits may be looked at as well, where it gets no core for a while.
    (kept,) = (p for p in _kept(jostle) if Path(p.program).name == "moves")
    assert kept.total("os_write_chars") == 24 << 20
    # The kernel counts what it read of the program's file to start it.
    assert 8 << 20 <= kept.total("os_read_chars") < (8 << 20) + 4096
    assert sum(p.total("os_write_chars") for p in jostle.collect().processes) < 25 << 20


def test_a_static_program(jostle: Runner, tmp_path: Path) -> None:
    """No preload reaches it."""
    program = tmp_path / "static"
    source = str(PROGRAMS["burn.c"])
    if subprocess.run(["cc", "-static", source, "-o", program], capture_output=True).returncode:
        pytest.skip("no static C library")
    process = jostle.start("sh", "-c", f"{program} 1.5; :", env={"JOSTLE_FIRST": ME})
    truth = _end(process)
    assert abs(_ingested(jostle, tmp_path) - truth) < 0.1 * S


@pytest.mark.parametrize(
    "variables", ["JOSTLE=off", "JOSTLE_JOB=another", "JOSTLE_EXCLUDE_PROGRAMS=burn*"]
)
def test_who_wants_to_be_left_alone(jostle: Runner, build: Compile, variables: str) -> None:
    """Processes that are switched off or of another job are not observed."""
    name, _, value = variables.partition("=")
    env = {name: value} if "EXCLUDE" in name else {}
    script = f"env -u LD_PRELOAD {variables} {build('burn.c')} 0.5; :"
    jostle.run("sh", "-c", script, env={"JOSTLE_FIRST": ME, **env})
    assert not _kept(jostle)


def test_others_start_nothing(jostle: Runner) -> None:
    """A process that something else started has neither a file nor a thread at its start.

    One that strace and a busy machine delay by a tenth of a second is old enough for both, hence
    five attempts: the start itself would be seen in each of them.
    """
    log = jostle.spool.parent / "strace.log"
    if shutil.which("strace") is None:
        pytest.skip("no strace")
    command = ["strace", "-f", "-o", str(log), "-e", "trace=clone", "sh", "-c", "/bin/true; :"]
    for _attempt in range(5):
        subprocess.run(command, env=jostle.environment(), check=True)
        if "CLONE_THREAD" not in log.read_text() and not list(jostle.spool.glob("*.jst")):
            return
    pytest.fail(log.read_text())


def test_what_a_launched_program_starts_is_not_first(jostle: Runner) -> None:
    """jostle-run becomes the program: that has its profile at once, its commands do not."""
    launcher = jostle.library.parent / "jostle-run"
    result = jostle.run(launcher, "sh", "-c", "/bin/true; /bin/true; :")
    assert [p.short for p in result.named("true")] == [True, True]
    assert len([p for p in result.processes if not p.short]) == 1


def test_a_session_is_looked_at(jostle: Runner, build: Compile) -> None:
    """Batch scripts lead a session: what they start is seen without a request."""
    process = jostle.start(
        "sh",
        "-c",
        f"{build('burn.c')} 100 & sleep 1.5; kill -{signal.SIGTERM.value} $!; wait",
        start_new_session=True,
    )
    truth = _end(process)
    assert abs(_cpu(_kept(jostle)) - truth) < 0.2 * S
