"""`jostle run`: the command is not affected, and the user learns what it did."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import ROOT, Done, jostle

MIB = 1 << 20


@pytest.fixture(autouse=True)
def _needs_runtime(library: Path) -> None:
    """Fail clearly without libjostle.so."""


@pytest.fixture
def place(tmp_path: Path) -> dict[str, str]:
    """A repository of the test's own."""
    return {
        "JOSTLE_REPOSITORY": str(tmp_path / "repository"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


def run(place: dict[str, str], *words: str, stdin: str | None = None, **more: str) -> Done:
    return jostle("run", *words, stdin=stdin, **place, **more)


def test_output_and_input_are_the_commands_own(place: dict[str, str]) -> None:
    done = run(place, "--", "sh", "-c", "cat; echo to-stderr >&2", stdin="hello\n")
    assert done.code == 0
    assert done.out == "hello\n"
    assert done.err.startswith("to-stderr\n")


@pytest.mark.parametrize("status", [0, 3, 255])
def test_exit_status_is_the_commands_own(place: dict[str, str], status: int) -> None:
    done = run(place, "--", "sh", "-c", f"exit {status}")
    assert done.code == status
    assert f"exit status {status}" in done.err


@pytest.mark.in_turn
@pytest.mark.parametrize("name", ["KILL", "TERM", "SEGV"])
def test_a_killed_command_gives_128_plus_the_signal(place: dict[str, str], name: str) -> None:
    done = run(place, "--", "sh", "-c", f"kill -{name} $$")  # too early to leave a profile
    assert done.code == 128 + getattr(signal, f"SIG{name}")
    assert f"killed by SIG{name}" in done.err


def test_a_realtime_signal_is_an_end_like_others(place: dict[str, str]) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 1)"
    done = run(place, "--", sys.executable, "-c", code)
    assert done.code == 128 + signal.SIGRTMIN + 1
    assert "killed by SIGRTMIN+1" in done.err


def test_a_command_killed_in_mid_run_loses_nothing(place: dict[str, str], tmp_path: Path) -> None:
    code = (
        f"import os; f = open({str(tmp_path / 'f')!r}, 'wb', 0); f.write(bytes(3000000));"
        "os.kill(os.getpid(), 9)"
    )
    done = run(place, "--job", "killed", "--", sys.executable, "-c", code)
    assert done.code == 137
    assert "killed by SIGKILL" in done.err
    rows = json.loads(jostle("jobs", "--json", **place).out)["jobs"]
    assert rows[0]["written_bytes"] == 3_000_000


@pytest.mark.in_turn
@pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler")
@pytest.mark.parametrize("how", ["many", "one"])
def test_killed_in_its_first_second_it_lasted_as_long_as_it_did(
    place: dict[str, str], tmp_path: Path, how: str
) -> None:
    """No end was written, and the heartbeat has not ticked: its calls show how long it ran."""
    program = compiled(tmp_path, "life/killed_early.c")
    done = run(place, "--job", "early", "--json", "--", program, str(tmp_path / "data"), how)
    assert done.code == 137
    digest = json.loads(jostle("digest", "early", "--json", **place).out)
    written = digest["metrics"]["posix_write_ops" if how == "many" else "stream_write_ops"]
    assert written["total"] >= int(done.out)
    # Its clock's rate was measured for less than a millisecond.
    wall = json.loads(done.err.splitlines()[-1])["wall_ns"] / 1e9
    assert 0.6 <= digest["seconds"] <= 1.1 * wall
    shares = {share["name"]: share["share"] for share in digest["shares"]}
    assert max(shares.values()) <= 1
    if how == "many":
        assert shares["file writes"] > 0.3


def compiled(folder: Path, source: str) -> str:
    """Make a program of the runtime's tests."""
    path = ROOT / "tests" / "runtime" / "programs" / source
    subprocess.run(["gcc", "-O1", "-o", folder / path.stem, path], check=True)
    return str(folder / path.stem)


LATE = """
import os, sys, time
f = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
os.write(f, bytes(100_000))  # its profile begins
open(sys.argv[1] + ".begun", "w").close()
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    os.pwrite(f, bytes(1000), 0)
    time.sleep(0.001)
os.kill(os.getpid(), 9)
"""


def late(place: dict[str, str], data: Path, seconds: float, status: int) -> Done:
    """A command that ends while a process of it goes on writing, which is then killed."""
    wait = f'while ! [ -e "{data}.begun" ]; do sleep 0.01; done'
    script = f'"$0" -c "$1" "{data}" {seconds} & {wait}; exit {status}'
    return run(place, "--job", "late", "--", "sh", "-c", script, sys.executable, LATE)


def test_after_a_failure_processes_that_are_being_killed_are_waited_for(
    place: dict[str, str], tmp_path: Path
) -> None:
    done = late(place, tmp_path / "data", 0.7, 17)
    assert done.code == 17
    (job,) = json.loads(jostle("jobs", "--json", **place).out)["jobs"]
    assert not job["running"]
    assert "still run" not in done.err
    digest = json.loads(jostle("digest", "late", "--json", **place).out)
    assert digest["metrics"]["posix_write_ops"]["total"] > 100  # also after the command's end


@pytest.mark.in_turn
def test_a_process_that_goes_on_keeps_its_profile(place: dict[str, str], tmp_path: Path) -> None:
    done = late(place, tmp_path / "data", 4, 0)
    (line,) = (line for line in done.err.splitlines() if "still run" in line)
    folder = Path(line.split()[-1])
    (kept,) = folder.glob("*.jst")  # that of the shell is taken, and gone
    while Path(f"/proc/{kept.name.split('.')[-3]}").exists():
        time.sleep(0.05)
    assert jostle("ingest", "--remove", str(folder), **place).code == 0
    assert not list(folder.glob("*.js*"))
    (job,) = json.loads(jostle("jobs", "--json", **place).out)["jobs"]
    assert not job["running"]
    shutil.rmtree(folder)


def test_missing_and_unusable_commands_end_as_in_a_shell(
    place: dict[str, str], tmp_path: Path
) -> None:
    done = run(place, "--", "no-such-command-here")
    assert done.code == 127
    assert "Cannot run `no-such-command-here`" in done.err
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    assert run(place, "--", str(tmp_path / "plain")).code == 126


def test_headline_counts_what_was_written(place: dict[str, str], tmp_path: Path) -> None:
    words = ("dd", "if=/dev/zero", f"of={tmp_path}/data", "bs=1M", "count=8", "status=none")
    done = run(place, "--job", "eight", "--", *words)
    assert done.code == 0
    assert done.out == ""
    assert "eight  dd, exit status 0" in done.err
    assert "1 process: dd 1" in done.err
    assert "8.00 MiB" in done.err
    assert "jostle itself" in done.err
    assert done.err.splitlines()[-2:] == [
        "next: jostle digest eight",
        "      jostle timeline eight",
    ]
    digest = json.loads(jostle("digest", "eight", "--json", **place).out)
    assert digest["metrics"]["posix_write_bytes"]["total"] == 8 * MIB


def test_children_are_profiled_too(place: dict[str, str], tmp_path: Path) -> None:
    script = f"for i in 1 2 3; do head -c 1000000 /dev/zero > {tmp_path}/f$i; done"
    done = run(place, "--job", "kids", "--", "sh", "-c", script)
    assert done.code == 0
    rows = json.loads(jostle("jobs", "--json", **place).out)["jobs"]
    assert rows[0]["job"] == "kids"
    assert rows[0]["processes"] == 4
    assert rows[0]["written_bytes"] == 3_000_000


def test_json_is_one_line_on_stderr(place: dict[str, str]) -> None:
    done = run(place, "--json", "--", "sh", "-c", "echo out; exit 5")
    assert done.code == 5
    assert done.out == "out\n"
    report = json.loads(done.err.splitlines()[-1])
    assert report["status"] == 5
    assert report["recorded"] is True
    assert report["digest"]["job"] == report["job"]


def test_only_the_command_gets_the_preload_and_others_stay(place: dict[str, str]) -> None:
    show = "echo $LD_PRELOAD"
    done = run(place, "--", "sh", "-c", show, LD_PRELOAD="/lib/x86_64-linux-gnu/libm.so.6")
    first, second = done.out.strip().split(":")
    assert first.endswith("/libjostle.so")
    assert second == "/lib/x86_64-linux-gnu/libm.so.6"


def test_the_private_spool_is_gone_afterwards_or_kept(place: dict[str, str]) -> None:
    words = ("--", "sh", "-c", "echo $JOSTLE_SPOOL")
    assert not Path(run(place, *words).out.strip()).exists()
    kept = Path(run(place, "--keep", *words).out.strip())
    assert list(kept.iterdir())
    shutil.rmtree(kept)


def test_a_named_spool_is_respected(place: dict[str, str], tmp_path: Path) -> None:
    spool = tmp_path / "mine"
    spool.mkdir()
    done = run(place, "--job", "a.b", "--", "true", JOSTLE_SPOOL=str(spool))
    assert done.code == 0
    # Of the program, and if it lasts long enough, of the machine.
    assert [path.suffix for path in spool.iterdir() if path.suffix != ".jsm"] == [".jst"]
    clears = f"jostle ingest --remove {spool}"
    named = rf"profiles? stays? in {spool}, since JOSTLE_SPOOL names it; to clear it: {clears}"
    assert re.search(named, done.err), done.err


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler")
def test_a_static_program_is_named_as_such(place: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text("int main(void) { return 4; }\n")
    built = subprocess.run(
        ["gcc", "-static", "-o", tmp_path / "s", tmp_path / "s.c"], capture_output=True, check=False
    )
    if built.returncode:
        pytest.skip("no static C library")
    done = run(place, "--", str(tmp_path / "s"))
    assert done.code == 4
    assert "nothing recorded" in done.err
    assert "statically linked" in done.err
    assert "wall time" in done.err


def test_switched_off_is_said(place: dict[str, str]) -> None:
    done = run(place, "--", "true", JOSTLE="off")
    assert done.code == 0
    assert "nothing recorded" in done.err
    assert "switched off" in done.err


@pytest.mark.in_turn
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_reach_the_command(
    place: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    ready = tmp_path / "ready"
    script = (
        "import signal, sys, time, pathlib\n"
        f"signal.signal({int(number)}, lambda *_: sys.exit(9))\n"
        f"pathlib.Path({str(ready)!r}).touch()\n"
        "time.sleep(30)\n"
    )
    words = [sys.executable, "-m", "jostle.cli", "run", "--", sys.executable, "-c", script]
    environment = {**os.environ, **place, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as wrapper:
        while not ready.exists():
            time.sleep(0.01)
        wrapper.send_signal(number)
        _, said = wrapper.communicate(timeout=60)
    assert wrapper.returncode == 9
    assert "exit status 9" in said


@pytest.mark.in_turn
def test_ctrl_c_is_delivered_once(place: dict[str, str], tmp_path: Path) -> None:
    """The keyboard's SIGINT goes to the whole group; the wrapper must not send another."""
    ready, log = tmp_path / "ready", tmp_path / "log"
    script = (
        "import signal, sys, time, pathlib\n"
        "got = []\n"
        "signal.signal(signal.SIGINT, lambda *_: got.append(1))\n"
        f"pathlib.Path({str(ready)!r}).touch()\n"
        "end = time.monotonic() + 60\n"
        "while not got and time.monotonic() < end: time.sleep(0.01)\n"
        "time.sleep(0.7)\n"  # the second one, if there is any
        f"pathlib.Path({str(log)!r}).write_text(str(len(got)))\n"
    )
    words = [sys.executable, "-m", "jostle.cli", "run", "--", sys.executable, "-c", script]
    pty = (
        "import os, pty, sys, time, pathlib\n"
        "pid, terminal = pty.fork()\n"
        "if pid == 0: os.execvp(sys.argv[2], sys.argv[2:])\n"
        "while not pathlib.Path(sys.argv[1]).exists(): time.sleep(0.01)\n"
        "os.write(terminal, b'\\x03')\n"
        "try:\n"
        "    while os.read(terminal, 4096): pass\n"
        "except OSError: pass\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
    )
    environment = {**os.environ, **place, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", pty, str(ready), *words], env=environment, timeout=60, check=False
    )
    assert done.returncode == 0
    assert log.read_text() == "1"


def test_descriptors_are_inherited(place: dict[str, str], tmp_path: Path) -> None:
    command = f"{sys.executable} -m jostle.cli run -- sh -c 'echo seven >&7' 7> {tmp_path}/seven"
    environment = {**os.environ, **place, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run(["bash", "-c", command], env=environment, capture_output=True, check=True)
    assert (tmp_path / "seven").read_text() == "seven\n"


def test_ignored_signals_are_defaults_again(place: dict[str, str]) -> None:
    """Python ignores SIGPIPE and we block some signals; the command must not inherit that."""
    done = run(place, "--", "grep", "-E", "SigIgn|SigBlk", "/proc/self/status")
    _, blocked, _, ignored = done.out.split()
    # posix_spawn of glibc leaves its own two, 32 and 33, ignored, which glibc undoes at need.
    glibc = 1 << 31 | 1 << 32
    ours = Path("/proc/self/status").read_text().split("SigIgn:")[1].split()[0]
    python = 1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1
    # What we inherited ourselves (a shell's background job ignores SIGINT) is the command's, too.
    inherited = int(ours, 16) & ~(glibc | python)
    assert (int(blocked, 16), int(ignored, 16) & ~glibc) == (0, inherited)


def test_a_report_that_fails_does_not_change_the_status(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = jostle("run", "--", "sh", "-c", "exit 6", JOSTLE_REPOSITORY=str(tmp_path / "file"))
    assert done.code == 6
    assert "profiles kept in" in done.err
    shutil.rmtree(done.err.split("profiles kept in ")[1].split()[0])


def test_bad_values_are_mistakes(place: dict[str, str]) -> None:
    done = run(place, "--slice", "5 ms", "--", "true")
    assert done.code == 2
    assert "between 100 ms and 60 s" in done.err
    assert run(place, "--job", "a/b", "--", "true").code == 2
    assert run(place).code == 2


def test_the_digest_is_printed_if_asked(place: dict[str, str], tmp_path: Path) -> None:
    words = ("dd", "if=/dev/zero", f"of={tmp_path}/data", "bs=1M", "count=4", "status=none")
    done = run(place, "--job", "asked", "--", *words, JOSTLE_DIGEST="stderr")
    assert done.code == 0
    assert done.out == ""
    assert "Files, by mount" in done.err
    assert done.err.count("asked  1 process: dd 1") == 1
    for value in ("", "off"):
        assert "Files, by mount" not in run(place, "--", *words, JOSTLE_DIGEST=value).err


def test_jobs_behind_mpirun_are_named_after_their_program(place: dict[str, str]) -> None:
    launcher = Path(place["JOSTLE_REPOSITORY"]).parent / "mpirun"
    launcher.write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    launcher.chmod(0o755)
    done = run(place, "--", str(launcher), "-n", "2", "true")
    assert done.code == 0
    assert "next: jostle digest true-" in done.err
