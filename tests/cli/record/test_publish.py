"""`jostle run` publishes slices while its command runs, at the lowest priority."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from jostle.cli.launch import publish
from jostle.cli.launch.environment import RunSpool, child_environment
from jostle.cli.launch.free_memory import free_bytes
from jostle.cli.launch.one_run import RunOptions, once
from jostle.cli.launch.run_spool import NameOfRun
from jostle.cli.launch.spawn import run
from jostle.repository import Repository

WORK = "import time\nfor n in range({}): open('data', 'wb').write(bytes(300000)); time.sleep(.05)"


@pytest.fixture(autouse=True)
def _needs_runtime(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail clearly without libjostle.so."""
    monkeypatch.chdir(tmp_path)
    for name in [*os.environ]:
        if name.startswith(("JOSTLE_", "SLURM_")) and name != "JOSTLE_NATIVE":
            monkeypatch.delenv(name)


def until(true: Callable[[], object]) -> None:
    """Wait for something, at most 30 s."""
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def state(root: Path) -> list[bool]:
    """Which jobs of a repository run."""
    try:
        return [bool(running) for running in Repository(root).jobs()["running"].to_pylist()]
    except Exception:  # there is none yet
        return []


def test_a_run_is_in_the_repository_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(publish, "BEGIN_S", 0.1)
    monkeypatch.setenv("JOSTLE_SPOOL", str(tmp_path))
    seen: list[bool] = []
    root = tmp_path / "r"

    def watch_it() -> None:
        until(lambda: seen.extend(state(root)) or seen)
        (tmp_path / "seen").touch()

    watch = threading.Thread(target=watch_it)
    watch.start()
    # It runs until it was seen: how soon that is depends on what else the machine does.
    stay = "\nimport os\nfor n in range(600): os.path.exists('seen') or time.sleep(.05)"
    words = ["python3", "-c", f"{WORK.format(60)}{stay}\nprint('done'); raise SystemExit(3)"]
    wanted = NameOfRun("one", named=True)
    status = once(words, wanted, RunOptions(root, 200_000_000, verdict=False))
    watch.join()
    out, err = capfd.readouterr()
    assert (status, out, seen[0]) == (3, "done\n", True)
    assert "17.2 MiB" in err  # all of it, once
    assert state(root) == [False]


@pytest.mark.in_turn
def test_what_a_killed_run_left_is_published(tmp_path: Path) -> None:
    spool = RunSpool(tmp_path / "spool", private=True)
    spool.folder.mkdir()
    words = ["python3", "-c", WORK.format(1000)]
    program = subprocess.Popen(words, env=child_environment(spool, "one", 200_000_000))
    publisher = publish.Publisher(spool, "one", tmp_path / "r")
    publisher.start()
    child = publisher._child
    assert child is not None
    until(lambda: state(tmp_path / "r") == [True])
    assert os.getpriority(os.PRIO_PROCESS, child.pid) == 19
    program.kill()
    program.wait()
    for pipe in (child.stdin, child.stdout):  # as the kernel does for a run that is killed
        assert pipe is not None
        pipe.close()
    assert child.wait(30) == 0
    assert state(tmp_path / "r") == [False]


@pytest.mark.in_turn
def test_a_publisher_that_is_killed_or_stuck_holds_nothing_up(tmp_path: Path) -> None:
    publisher = publish.Publisher(RunSpool(tmp_path, private=True), "one", tmp_path / "r")
    publisher.start()
    assert publisher._child is not None
    publisher._child.kill()
    assert publisher.end() == []
    publisher.start()
    assert publisher._child is not None
    publisher._child.send_signal(19)  # stopped
    begin = time.monotonic()
    assert publisher.end() == []
    assert time.monotonic() - begin < 5


def test_short_runs_do_not_pay_for_it() -> None:
    calls: list[int] = []
    assert run(["sleep", "0.1"], os.environ, (5, lambda: calls.append(1))).status == 0
    assert calls == []
    assert run(["sleep", "0.3"], os.environ, (0.05, lambda: calls.append(1))).status == 0
    assert calls == [1]


def test_the_older_a_run_the_rarer_a_pass_and_none_takes_more_than_a_hundredth() -> None:
    rests = [publish.rest_after(0.02, age) for age in (5, 1000, 86400)]
    assert rests == pytest.approx([4, 10, 60])
    assert publish.rest_after(1, 5) == 100


@pytest.mark.parametrize("version", [1, 2])
def test_the_limit_of_a_group_above_counts(tmp_path: Path, version: int) -> None:
    proc, groups = tmp_path / "proc", tmp_path / "groups"
    (proc / "self").mkdir(parents=True)
    (proc / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    8000 kB\n")
    (proc / "self/cgroup").write_text(
        "0::/job/step\n" if version == 2 else "4:cpu,memory:/job/step\n"
    )
    assert free_bytes(proc, groups) == 8_192_000
    job = groups / "job" if version == 2 else groups / "memory/job"
    (job / "step").mkdir(parents=True)
    names = (
        ("memory.max", "memory.current", "")
        if version == 2
        else ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_")
    )
    (job / names[0]).write_text("5000\n")
    (job / names[1]).write_text("4000\n")
    (job / "memory.stat").write_text(f"anon 1\n{names[2]}inactive_file 500\n")
    (job / "step" / names[0]).write_text("max\n")
    assert free_bytes(proc, groups) == 1500
