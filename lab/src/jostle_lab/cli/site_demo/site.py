"""A small site in a lab: hosts with agents, a receiver that can be killed, Slurm, a capped disk."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from jostle.errors import JostleError
from jostle_lab.cli.site_demo.plan import CAP, SLICE, Script
from jostle_lab.cluster import Lab, LabSpec, up

_BLKIO = Path("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device")
_PATIENCE_S = 60.0
_PYTHON = [sys.executable, "-m", "jostle.cli"]


class DemoSite:
    """The demo's site; closing it removes everything but the repository and the jobs' outputs."""

    def __init__(self, folder: Path) -> None:
        """Start the lab and the receiver.

        Args:
            folder: Folder for the repository, the jobs' outputs and the logs.
        """
        self.folder = folder
        self.repository = folder / "repository"
        spec = LabSpec(
            name="demo-site", nodes=4, slurm=True, agents=SLICE, store="disk", size="2GiB"
        )
        self.lab: Lab = up(spec)
        self._processes: list[subprocess.Popen[bytes]] = []
        self.receiver: subprocess.Popen[bytes] | None = None
        self._device = self._disk()
        site_conf = folder / "site.conf"
        site_conf.write_text("digest = output\nwait = 30\n")
        self.start_receiver()
        self._wait_for_repository()
        self._start(
            "digests",
            [
                *_PYTHON,
                "site",
                "digest",
                "--follow",
                "--config",
                str(site_conf),
                "--repository",
                str(self.repository),
            ],
        )

    def _wait_for_repository(self) -> None:
        end = time.monotonic() + _PATIENCE_S
        while not (self.repository / "jostle-repository.json").exists():
            if time.monotonic() > end or (self.receiver and self.receiver.poll() is not None):
                log = (self.folder / "receiver.log").read_text().strip()
                self.close()
                raise JostleError(f"The receiver did not start: {log[-500:]}")
            time.sleep(0.1)

    def close(self) -> None:
        """Remove the site."""
        self.cap(on=False)
        for process in (*self._processes, *filter(None, [self.receiver])):
            process.terminate()
        for process in (*self._processes, *filter(None, [self.receiver])):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
        self.lab.down()

    def _start(self, name: str, words: Sequence[str]) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            process = self.lab.popen(
                "storage", words, cwd=self.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        if name != "receiver":
            self._processes.append(process)
        return process

    def start_receiver(self) -> None:
        """Start the receiver on the storage."""
        config = self.lab.folder / "receive.toml"
        self.receiver = self._start(
            "receiver",
            [*_PYTHON, "receive", "--config", str(config), "--repository", str(self.repository)],
        )

    def kill_receiver(self) -> None:
        """Kill the receiver, as a crash would."""
        assert self.receiver is not None
        self.receiver.send_signal(signal.SIGKILL)
        self.receiver.wait()

    def submit(self, script: Script) -> str:
        """Submit a batch job; return its job ID."""
        path = self.folder / f"{script.name}.sh"
        path.write_text(f"#!/bin/sh\n{script.text}\necho {script.name}: done\n")
        path.chmod(0o755)
        words = [
            "sbatch",
            "--parsable",
            f"--job-name={script.name}",
            f"--nodelist={script.node}",
            f"--output={self.folder}/slurm-%j.out",
            *script.options,
            str(path),
        ]
        done = subprocess.run(self.lab.command("node1", words), capture_output=True, text=True)
        if done.returncode:
            raise JostleError(f"sbatch failed: {done.stderr.strip()}")
        return done.stdout.strip().partition(";")[0]

    def running(self) -> bool:
        """Return whether jobs are in the queue."""
        words = self.lab.command("node1", ["squeue", "--noheader"])
        return bool(subprocess.run(words, capture_output=True, text=True).stdout.strip())

    def _disk(self) -> str:
        """Return the number of the storage's device, in the format of control groups."""
        mountinfo = Path(f"/proc/{self.lab.state.pid}/mountinfo").read_text().splitlines()
        lines = [line.split() for line in mountinfo]
        store = str(self.lab.folder / "store")
        return next(line[2] for line in lines if line[4] == store)

    def can_cap(self) -> bool:
        """Return whether this machine's kernel can limit a disk."""
        return os.access(_BLKIO, os.W_OK)

    def cap(self, *, on: bool) -> None:
        """Limit the storage's disk, or lift the limit."""
        if self.can_cap():
            _BLKIO.write_text(f"{self._device} {CAP if on else 0}")


def sleep_until(instant: float) -> None:
    """Sleep until an instant of the monotonic clock, in seconds."""
    time.sleep(max(instant - time.monotonic(), 0.0))
