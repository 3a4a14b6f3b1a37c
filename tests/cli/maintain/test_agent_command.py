"""`jostle agent`: the agent of one's own machine, in one command."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jostle.repository import Repository

COMMAND = str(Path(sys.executable).parent / "jostle")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(library: Path, tmp_path: Path) -> Iterator[Run]:
    """Run `jostle` with folders of its own, and end its agent afterwards."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("JOSTLE_", "SLURM_")) or key == "JOSTLE_NATIVE"
    }
    kept |= {"XDG_STATE_HOME": str(tmp_path / "state"), "JOSTLE_REPOSITORY": str(tmp_path / "r")}

    def go(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *words], env=kept, capture_output=True, text=True, timeout=60, check=False
        )

    yield go
    go("agent", "stop")


def test_it_starts_records_and_stops(run: Run, tmp_path: Path) -> None:
    started = run("agent", "start", "--slice", "200ms")
    assert started.returncode == 0, started.stderr
    pid = int(started.stdout.partition("pid ")[2].partition(")")[0])
    assert Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[1] == b"sample"
    again = run("agent", "start")
    assert again.returncode == 2
    assert f"is running already (pid {pid})" in again.stderr
    hog = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    time.sleep(2)
    hog.kill()
    hog.wait()
    assert f"pid {pid}" in run("agent", "status").stdout
    stopped = run("agent", "stop")
    assert f"(pid {pid}) has ended" in stopped.stdout
    assert "no agent is running" in run("agent", "status").stdout
    store = Repository(tmp_path / "r")
    kinds = store.query("SELECT DISTINCT kind FROM component_slices")["kind"].to_pylist()
    assert {"machine", "process"} <= set(kinds)
    rows = store.watched_processes([os.uname().nodename], (0, 2**62)).to_pylist()
    seen = sum(row["cpu_ns"] for row in rows if row["pid"] == hog.pid) / 1e9
    # On an oversubscribed machine it gets a part of a core; it is looked at until it ends.
    assert seen > 0.3
    assert not list((tmp_path / "state").rglob("*.jsm"))


@pytest.mark.in_turn
def test_each_run_takes_what_it_wrote(run: Run, tmp_path: Path) -> None:
    run("agent", "start", "--slice", "200ms")
    done = run("run", "--no-verdict", "--", "sleep", "1")
    assert done.returncode == 0, done.stderr
    kinds = Repository(tmp_path / "r").query("SELECT DISTINCT kind FROM component_slices")
    assert "machine" in kinds["kind"].to_pylist()
