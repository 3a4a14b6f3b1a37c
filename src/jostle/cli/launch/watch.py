"""Watches the machine while a command runs, to find the processes that disturb it.

A child of `jostle run`, jostle-agent, records in each slice which processes used the machine's
cores and disks, in a profile of the machine. The agent needs no privileges, prints nothing, and
ends with `jostle run`, even if that is killed.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

from jostle.cli.launch.environment import RunSpool
from jostle.errors import JostleError

#: Longest wait for its last record, s.
_PATIENCE_S = 1.0


class Watcher:
    """The child process of a run that records the machine's processes."""

    def __init__(self, spool: RunSpool, name: str, slice_ns: int) -> None:
        """Create a watcher without starting it.

        Args:
            spool: Folder of the run's profiles.
            name: Name of the job.
            slice_ns: Length of the slices, in ns.
        """
        self._spool, self._name, self._slice_ns = spool, name, slice_ns
        self._child: subprocess.Popen[bytes] | None = None

    def start(self, pid: int) -> None:
        """Start the watcher, if it is installed and a further process can be created.

        Args:
            pid: Process id of the command, whose children belong to the job.
        """
        from jostle import native_path

        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        environment |= {
            "JOSTLE": "on",
            "JOSTLE_SPOOL": str(self._spool.folder),
            "JOSTLE_SLICE": f"{self._slice_ns // 1_000_000}ms",
        }
        with contextlib.suppress(OSError, JostleError):
            self._child = subprocess.Popen(
                [str(native_path("jostle-agent")), "watch", self._name, str(pid), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )

    def end(self) -> None:
        """End the watcher after its last record is written."""
        child = self._child
        if child is None:
            return
        child.terminate()
        try:
            child.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def files(self) -> list[Path]:
        """Return the files that the watcher wrote."""
        from jostle.reader.errors import ProfileError
        from jostle.repository.ingest.spool import peek_header

        found = []
        for path in self._spool.folder.glob("machine.*.jsm") if self._child else ():
            with contextlib.suppress(OSError, ProfileError):
                life = peek_header(path).life
                if life is not None and self._child and life[1] == self._child.pid:
                    found.append(path)
        return sorted(found)
