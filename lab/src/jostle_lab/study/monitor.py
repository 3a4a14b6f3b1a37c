"""Samples the servers' counters during a run, and finds the traffic of other jobs in them.

A Monitor reads ever-growing counters of a shared resource, such as a lab's links or a disk. The
Sampler queries the Monitor at every slice boundary.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

_SECTOR = 512


class Monitor(Protocol):
    """Counters of a shared resource.

    Attributes:
        name: Name of the monitor in records: "lab", "disk".
        server: Name of the counter of all bytes that the servers receive, e.g. "storage.in"; "" if
            unknown.
    """

    name: str
    server: str

    def read(self) -> Mapping[str, int]:
        """Return all counters now: ever-growing numbers, in bytes where they count traffic.

        Raises:
            OSError: The counters cannot be read now; the sample is left out.
        """

    def own(self, nodes: Sequence[str]) -> list[str]:
        """Return the names of the counters of bytes that some nodes sent, if there are any."""


class DiskMonitor:
    """Bytes written to the local disk that holds a folder, from /proc/diskstats."""

    name = "disk"
    server = "disk.written"

    def __init__(self, folder: Path) -> None:
        """Find the disk.

        Raises:
            OSError: The folder is not on a disk (memory, network), or /proc has no diskstats.
        """
        device = os.stat(folder).st_dev
        self._number = (str(os.major(device)), str(os.minor(device)))
        self.read()

    def read(self) -> Mapping[str, int]:
        """Return the bytes written and read since the machine was started."""
        for line in Path("/proc/diskstats").read_text().splitlines():
            words = line.split()
            if tuple(words[:2]) == self._number:
                return {
                    "disk.read": int(words[5]) * _SECTOR,
                    "disk.written": int(words[9]) * _SECTOR,
                }
        raise OSError(f"no disk {':'.join(self._number)} in /proc/diskstats")

    def own(self, nodes: Sequence[str]) -> list[str]:
        """Return no names, since a disk does not know which node wrote."""
        return []


class Sampler:
    """Reads a monitor at every slice boundary, in a thread."""

    def __init__(self, monitor: Monitor | None, slice_ns: int) -> None:
        """Prepare sampling; nothing happens without a monitor."""
        self._monitor = monitor
        self._slice_ns = slice_ns
        self._samples: list[dict[str, int]] = []
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Take a first sample, then one at each boundary."""
        if self._monitor is not None:
            self._take()
            self._thread = threading.Thread(target=self._run, name="monitor", daemon=True)
            self._thread.start()

    def stop(self) -> list[dict[str, int]]:
        """End sampling with a last sample; return all of them."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            self._take()
        return self._samples

    def _run(self) -> None:
        while True:
            now = time.time_ns()
            boundary = (now // self._slice_ns + 1) * self._slice_ns
            if self._stop.wait((boundary - now) / 1e9):
                return
            self._take()

    def _take(self) -> None:
        assert self._monitor is not None
        # A counter that cannot be read now leaves a gap in the samples; it does not end the study.
        with contextlib.suppress(OSError, ValueError):
            before = time.time_ns()
            counters = self._monitor.read()
            now = (before + time.time_ns()) // 2
            self._samples.append({"time_ns": now, **counters})


@dataclass(frozen=True)
class Traffic:
    """Traffic at the servers between two samples.

    Attributes:
        begin_ns, end_ns: Times of the two samples, in ns.
        server: Bytes that the servers received.
        own: Bytes that the nodes of the run sent to the servers.
    """

    begin_ns: int
    end_ns: int
    server: int
    own: int

    @property
    def foreign(self) -> int:
        """Bytes that other jobs sent to the servers."""
        return max(0, self.server - self.own)


def traffic(record: Mapping[str, Any]) -> list[Traffic]:
    """Return the traffic between neighbouring samples of a run's record.

    Args:
        record: Record of the run, a line of runs.jsonl.

    Returns:
        One entry per slice; empty without a monitor, or if it cannot assign traffic to nodes.
    """
    samples, server, own = record.get("monitor") or [], record.get("server"), record.get("own")
    if not (samples and server and own):
        return []
    return [
        Traffic(
            begin_ns=first["time_ns"],
            end_ns=second["time_ns"],
            server=second[server] - first[server],
            own=sum(second[name] - first[name] for name in own),
        )
        for first, second in itertools.pairwise(samples)
        if {server, *own} <= first.keys() & second.keys()
    ]
