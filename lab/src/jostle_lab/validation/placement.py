"""Measures how far apart this machine's cores are, as a hypervisor may move them.

The distance is the time of a round trip between two cores. If it is large, ranks that exchange much
data are a fifth slower during the whole run. This is not interference, and clock, steal time and
core-speed probe do not show it. So the distance is measured before and after each run, and runs
with distant cores are repeated.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

#: Name of the measure among the measures of a run's noise: ns of a round trip.
APART = "apart_ns"
#: A round trip between cores that share no cache takes at least so many times the usual best time.
_FAR = 3.0
_BEST = 0.1  # quantile of the runs; the least may be of two threads of one core
_CORES = 8  # only the first cores are measured: each pair takes 20 ms
_PATIENCE_S = 60.0


class Ruler:
    """Measures the distance between cores."""

    def __init__(self, folder: Path) -> None:
        """Build the program that measures.

        Args:
            folder: Folder for the program. On a machine without a C compiler, or with one core,
                the distance stays unknown.
        """
        self._program = folder / "apart"
        self._cores = sorted(os.sched_getaffinity(0))[:_CORES]
        compiler = shutil.which("cc")
        if not self._program.exists() and compiler:
            folder.mkdir(parents=True, exist_ok=True)
            source = Path(__file__).with_name("apart.c")
            command = [compiler, "-O2", "-pthread", "-o", str(self._program), str(source)]
            subprocess.run(command, capture_output=True, check=False)

    def measure(self) -> float | None:
        """Return the longest round trip from the first core to another, ns; None if not known."""
        found = []
        for other in self._cores[1:]:
            with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
                words = [str(self._program), str(self._cores[0]), str(other)]
                done = subprocess.run(words, capture_output=True, timeout=10, check=True)
                found.append(float(done.stdout))
        return max(found, default=None)

    def wait(self, noises: Sequence[Mapping[str, float]]) -> float | None:
        """Wait until the cores share a cache, at most a minute.

        Args:
            noises: Records of the noise during earlier runs, which contain the round trips.

        Returns:
            The last measured round trip, ns; None if not known.
        """
        until = time.monotonic() + _PATIENCE_S
        while (now := self.measure()) is not None and time.monotonic() < until:
            if now <= _most([now, *_known(noises)]):
                break
            time.sleep(1)
        return now


def together(noises: Sequence[Mapping[str, float]]) -> list[bool]:
    """Return for each run whether its cores shared a cache; True if not known.

    Args:
        noises: Record of the noise during each run, which contains the longest round trip.
    """
    most = _most(_known(noises))
    return [noise.get(APART, 0.0) <= most for noise in noises]


def _most(known: Sequence[float]) -> float:
    """Return the round trip in ns up to which cores count as sharing a cache."""
    return _FAR * float(np.quantile(known, _BEST, method="lower")) if known else 0.0


def _known(noises: Sequence[Mapping[str, float]]) -> list[float]:
    return [noise[APART] for noise in noises if APART in noise]
