"""Receiver, ingester and shipper are killed at random instants while real processes run.

What each process wrote is known: the repository must have exactly that, nothing lost and nothing
twice. As a program: `test_kill_all.py [KILLS] [SEED]`.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from running_receiver import Running, ingester_of, start

from jostle import NativeMissingError, native_path
from jostle.repository import Repository

#: Writes of a process, and bytes of each.
WRITES, BYTES = 60, 1000
PROGRAM = f"""
import os, sys, time
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
for _ in range({WRITES}):
    os.write(file, bytes({BYTES}))
    time.sleep(float(sys.argv[2]))
"""


class Site:
    """A node whose spool a shipper sends, and a receiver."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.spool = folder, folder / "spool"
        self.spool.mkdir(mode=0o1777)
        token = folder / "token"
        token.touch(mode=0o600)
        token.write_text("secret-n1\n")
        self.receiver: Running = start(folder)
        (folder / "agent.conf").write_text(
            f"spool = {self.spool}\nreceiver = http://127.0.0.1:{self.receiver.port}\nnode = n1\n"
            f"token_file = {token}\ninterval = 100ms\n"
        )
        self.shipper = self.ship()
        self.jobs: dict[str, subprocess.Popen[bytes]] = {}

    def ship(self) -> subprocess.Popen[bytes]:
        with (self.folder / "shipper.log").open("ab") as log:
            return subprocess.Popen(
                [native_path("jostle-ship"), "--config", self.folder / "agent.conf"], stderr=log
            )

    def begin(self, seconds: float) -> None:
        """Start a process that writes for some time."""
        job = f"job{len(self.jobs)}"
        self.jobs[job] = subprocess.Popen(
            [
                native_path("jostle-run"),
                "--job",
                job,
                "--",
                sys.executable,
                "-BSc",
                PROGRAM,
                self.folder / job,
                str(seconds / WRITES),
            ],
            env={**os.environ, "JOSTLE_SPOOL": str(self.spool), "JOSTLE_SLICE": "100ms"},
        )

    def kill(self, victim: str) -> None:
        if victim == "shipper":
            self.shipper.kill()
            self.shipper.wait()
            self.shipper = self.ship()
        elif victim == "ingester":
            os.kill(ingester_of(self.receiver.process.pid), signal.SIGKILL)
        else:
            self.receiver.kill()
            self.receiver.restart()

    def settle(self) -> None:
        """Wait until all data are in the repository."""
        for process in self.jobs.values():
            process.wait()
        end = time.monotonic() + 120
        while left := [*self.spool.glob("*.js*"), *self.receiver.mirror.glob("*/*/*.js*")]:
            assert time.monotonic() < end, (left, (self.folder / "log").read_text()[-2000:])
            time.sleep(0.1)

    def end(self) -> None:
        self.shipper.kill()
        self.shipper.wait()
        self.receiver.kill()
        for process in self.jobs.values():
            process.kill()
            process.wait()


def kill_all(folder: Path, kills: int, seed: int) -> int:
    """Kill one or the other repeatedly; returns how many jobs ran meanwhile."""
    chance = random.Random(seed)
    site = Site(folder)
    try:
        for number in range(kills):
            site.begin(chance.uniform(0.2, 3))
            time.sleep(chance.uniform(0.05, 0.8))
            victims = ["shipper", "receiver"]
            # It takes a moment until it is started again.
            victims += ["ingester"] if number % 5 == 1 else []
            try:
                site.kill(chance.choice(victims))
            except ValueError:  # it is not there yet
                continue
        site.settle()
        store = Repository(site.folder / "repository")
        found = store.query(
            "SELECT job, sum(posix_write_bytes)::BIGINT AS bytes, "
            "sum(posix_write_ops)::BIGINT AS writes FROM mount_slices GROUP BY job"
        ).to_pylist()
        jobs = store.jobs()["job"].to_pylist()
        store.close()
        got = {row["job"]: (row["writes"], row["bytes"]) for row in found}
        assert sorted(jobs) == sorted(site.jobs)
        assert got == dict.fromkeys(site.jobs, (WRITES, WRITES * BYTES))
    finally:
        site.end()
    return len(site.jobs)


@pytest.mark.in_turn
@pytest.mark.slow
def test_nothing_is_lost_and_nothing_is_there_twice(tmp_path: Path) -> None:
    try:
        native_path("jostle-ship")
    except NativeMissingError:
        pytest.skip("the agent was not built")
    assert kill_all(tmp_path, 5, seed=2) == 5


if __name__ == "__main__":
    count, first_seed = (
        [*map(int, sys.argv[1:]), 200, 1] if len(sys.argv) < 3 else [*map(int, sys.argv[1:])]
    )[:2]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        ran = kill_all(Path(name), count, first_seed)
    print(
        f"{count} kills (seed {first_seed}) of shipper, receiver and ingester: the writes of "
        f"{ran} jobs are all there, once"
    )
