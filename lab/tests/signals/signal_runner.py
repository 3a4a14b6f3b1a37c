"""Runs signals, each test in a folder of its own, and reads the log they leave."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from harness import read_truth
from mpis import Mpi

from jostle_lab.signals import SignalLog, program, read_log


@dataclass
class Done:
    """A signal that has ended."""

    code: int
    err: str
    folder: Path
    counted: dict[int, dict[str, int]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def log(self) -> SignalLog:
        """What it says that it did."""
        return read_log(self.folder / "log")

    def sum(self, name: str) -> int:
        """A total over all processes."""
        return sum(self.log.processes[name].to_pylist())

    def leaves_nothing(self) -> None:
        """Fail when a file of the load is left."""
        assert list((self.folder / "data").iterdir()) == []


class Signals:
    """Starts signals."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("data", "log", "counter"):
            (folder / name).mkdir()

    def words(self, *words: str) -> list[str]:
        """The options that put files and log where the test looks for them."""
        return [
            *words,
            "--dir",
            str(self.folder / "data"),
            "--log",
            str(self.folder / "log"),
            "--slice",
            "100ms",
            "--quiet",
        ]

    def start(
        self,
        *words: str,
        mpi: Mpi | None = None,
        ranks: int = 0,
        counted: bool = False,
        before: Sequence[str] = (),
    ) -> subprocess.Popen[str]:
        """Start a signal, under an MPI's launcher where one is given, behind another command."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("JOSTLE_")}
        command = [*before, str(program(mpi.name if mpi else None)), *self.words(*words)]
        if mpi is not None:
            extra = {}
            if counted:
                counter = mpi.compiled(
                    "counter",
                    "counter/counter.c",
                    "counter/counter_collectives.c",
                    "counter/counter_io.c",
                    flags=("-shared", "-Wno-stringop-overread"),
                )
                extra = {"LD_PRELOAD": str(counter), "COUNTER": str(self.folder / "counter")}
            command = mpi.command(ranks, *command, **extra)
            environment |= mpi.environment
        return subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
        )

    def run(
        self,
        *words: str,
        mpi: Mpi | None = None,
        ranks: int = 0,
        counted: bool = False,
        stop: tuple[float, signal.Signals] | None = None,
        code: int | None = 0,
        before: Sequence[str] = (),
    ) -> Done:
        """Run a signal to its end.

        Args:
            words: pattern and options.
            mpi: which MPI, if any.
            ranks: how many.
            counted: preload the independent counter of MPI calls.
            stop: a signal to send, and how many seconds after the first burst began.
            code: the status it must end with; None for any.
            before: a command that starts it, say strace.
        """
        begin = time.monotonic()
        process = self.start(*words, mpi=mpi, ranks=ranks, counted=counted, before=before)
        try:
            if stop is not None:
                self.wait_for_load(process, max(ranks, 1))
                time.sleep(stop[0])
                process.send_signal(stop[1])
            _out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            _out, err = process.communicate()
            pytest.fail(f"hung: {words}\n{err}")
        assert code is None or process.returncode == code, f"status {process.returncode}\n{err}"
        return self.result(process.returncode, err, time.monotonic() - begin)

    def result(self, code: int, err: str, seconds: float = 0.0) -> Done:
        """What a signal left, however it was started."""
        counted = read_truth(self.folder / "counter")[0]
        return Done(code, err, self.folder, counted, seconds)

    def wait_for_load(self, process: subprocess.Popen[str], processes: int = 1) -> None:
        """Wait until so many processes have begun their logs: the load begins then, or soon."""
        until = time.monotonic() + 60
        while time.monotonic() < until and process.poll() is None:
            logs = list((self.folder / "log").iterdir())
            if sum(path.stat().st_size > 0 for path in logs) >= processes:
                return
            time.sleep(0.02)


def rows(done: Done) -> list[dict[str, Any]]:
    """The processes of a log, by rank."""
    return list(done.log.processes.to_pylist())


def consistent(done: Done) -> None:
    """Totals, bursts and slices of a log say the same, and no slice is from outside a burst."""
    log = done.log
    assert log.notes == ()
    for one in log.processes.to_pylist():
        bursts, slices = (
            [row for row in table.to_pylist() if row["pid"] == one["pid"]]
            for table in (log.bursts, log.slices)
        )
        for name in ("operations", "bytes"):
            assert one[name] == sum(b[name] for b in bursts) == sum(s[name] for s in slices)
        spans = [(b["begin_ns"], b["end_ns"]) for b in bursts]
        for row in slices:
            begin = row["slice"] * one["slice_ns"]
            assert any(b < begin + one["slice_ns"] and e >= begin for b, e in spans)
            assert row["busy_ns"] <= row["operations"] * row["max_ns"]
            assert row["p50_ns"] <= row["p95_ns"] <= row["p99_ns"] <= row["max_ns"] * 1.01


def on_time(done: Done, period: float, duty: float, half: str | None = None) -> list[float]:
    """Check the bursts of a periodic signal; give how late each began, in ms."""
    late = []
    length = round(period * 1e9)
    for one in done.log.processes.to_pylist():
        if one["half"] != half:
            continue
        for burst in done.log.bursts.to_pylist():
            if burst["pid"] != one["pid"]:
                continue
            due, begin, end = (burst[f"{name}_ns"] for name in ("due", "begin", "end"))
            # The first may be cut off by the start.
            assert due % length == 0 or due == one["start_ns"]
            assert begin >= due
            # Off when it should be, but for the operation at hand.
            off = due // length * length + round(duty * length)
            assert end <= off + 2 * one["max_ns"] + 1_000_000
            late.append((begin - due) / 1e6)
    return late
