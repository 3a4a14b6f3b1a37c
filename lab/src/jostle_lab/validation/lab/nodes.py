"""Runs a program of a validation on nodes of a lab, and disturbs it by messages over its link."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jostle.errors import JostleError
from jostle_lab.cluster import Lab, LabSpec, up
from jostle_lab.native import lab_native_path
from jostle_lab.signals import read_log

#: The MPI whose waiting ranks leave their core to others.
_MPI = "openmpi"
#: Four nodes on either side of one link.
_NODES = 8
_RATE = "200mbit"
#: Size of the concurrent messages, one of which is in flight at a time.
_CHUNK = "256KiB"
#: Time that starting ranks on two nodes takes.
_LEAD_S = 2.0
_LONGEST_END_S = 20.0


class Nodes:
    """A lab whose nodes run programs instead of this machine."""

    def __init__(self, lab: Lab) -> None:
        """Use a lab that `running` has started."""
        self._lab = lab

    def words(
        self, ranks: int, variables: Mapping[str, str], argv: Sequence[str], folder: Path
    ) -> list[str]:
        """Return the command that runs a program, with half of its ranks on each side of the link.

        Args:
            ranks: Number of ranks, an even number. Up to six ranks have a node each.
            variables: Environment of the ranks.
            argv: The command line of a rank.
            folder: Folder in which the program runs.
        """
        sides = [self._lab.nodes[:3], self._lab.nodes[_NODES // 2 : -1]]
        each = ranks // 2
        spread = [
            (node, each // len(used) + (place < each % len(used)))
            for side in sides
            if (used := side[: min(each, len(side))])
            for place, node in enumerate(used)
        ]
        return self._lab.mpirun(_MPI, spread, argv, variables, folder)

    def disturb(
        self, pattern: str, at: float, seconds: float, logs: Path, over: threading.Event
    ) -> tuple[int, int] | None:
        """Send messages between two other nodes, over the link that the program uses.

        Args:
            pattern: Pattern of `jostle signal`.
            at: Start time, by time.monotonic.
            seconds: Duration, in seconds.
            logs: Folder for the log.
            over: Event that is set when the program has ended.

        Returns:
            Begin and end of the messages, ns since the epoch, by their log; None without messages.
        """
        if over.wait(max(at - _LEAD_S - time.monotonic(), 0)):
            return None
        start = time.time() + at - time.monotonic()
        job = f"{pattern}-{start:.3f}"
        argv = [
            str(lab_native_path(f"jostle-signal-{_MPI}")),
            pattern,
            "--chunk",
            _CHUNK,
            "--time",
            f"{seconds:.3f}",
            "--start",
            f"{start:.6f}",
            "--log",
            str(logs),
            "--job",
            job,
            "--quiet",
        ]
        pair = [(self._lab.nodes[_NODES // 2 - 1], 1), (self._lab.nodes[-1], 1)]
        process = subprocess.Popen(
            self._lab.mpirun(_MPI, pair, argv, {"JOSTLE": "off"}, "/"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(_LEAD_S + seconds + _LONGEST_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        bursts = [row for row in read_log([logs]).bursts.to_pylist() if row["job"] == job]
        if not bursts:
            return None
        return min(row["begin_ns"] for row in bursts), max(row["end_ns"] for row in bursts)


@contextlib.contextmanager
def running() -> Iterator[Nodes]:
    """Run a lab during the block.

    Raises:
        LabError: No lab can be started here.
    """
    lab = up(
        LabSpec(
            name=f"val{os.getpid()}-nodes",
            nodes=_NODES,
            uplink_rate=_RATE,
            queue="fifo",
            fs="plain",
            size="64MiB",
        )
    )
    try:
        yield Nodes(lab)
    finally:
        with contextlib.suppress(JostleError):
            lab.down()
