"""Watches the losses of a running job: a line for the terminal, and a command to start."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from typing import TYPE_CHECKING

from jostle.report.format.values import points
from jostle.report.models.now import Now, NowJob, loss_facts

if TYPE_CHECKING:
    from jostle.analysis.live.model import LiveChange
    from jostle.repository import Repository

#: Loss in percent at which the command is started; it is started again only after the loss was
#: below the second number, and after a time, s.
BEGINS_PERCENT, ENDS_PERCENT, APART_S = 5.0, 2.0, 60.0


class LossWatch:
    """The current loss of one job of a repository."""

    def __init__(self, store: Repository, job: str, command: str = "") -> None:
        """Create the object without reading any slices.

        Args:
            store: The repository.
            job: The job's name, as given to the run.
            command: Shell command to start when the job begins to lose time; "": none.
        """
        self._now, self._job, self._command = Now(store), job, command
        self._losing, self._last = False, -APART_S
        self._said = ""

    def look(self) -> str:
        """Read new slices; return a line on the job's loss now, or on its last change.

        The command is started if the job has begun to lose time.
        """
        changes = [change for job, change in self._now.refresh() if self._is_own(job)]
        found = next((j for j in self._now.report().jobs if self._is_own(j.answer.job)), None)
        if found is None:
            return ""
        change = changes[-1] if changes else None
        self._act(found, change)
        if change is not None:
            clock = time.strftime("%H:%M:%S", time.localtime(change.at_ns / 1e9))
            self._said = f"since {clock} {found.last_change}"
        percent = found.answer.now_percent
        if percent >= ENDS_PERCENT:
            return f"loses {points(percent)} % on {found.place}: {found.why}"
        return self._said

    def _is_own(self, job: str) -> bool:
        return job == self._job or job.startswith(f"{self._job}@")

    def _act(self, job: NowJob, change: LiveChange | None) -> None:
        """Start the command at the beginning of a loss."""
        percent = job.answer.now_percent
        if percent < ENDS_PERCENT:
            self._losing = False
        if not self._command or self._losing or percent < BEGINS_PERCENT:
            return
        if time.monotonic() - self._last < APART_S:
            return
        self._losing, self._last = True, time.monotonic()
        newest = job.answer.changes[-1] if job.answer.changes else None
        with contextlib.suppress(OSError):
            subprocess.Popen(
                ["/bin/sh", "-c", self._command],
                stdin=subprocess.DEVNULL,
                stdout=2,  # standard output of the run is the command's own
                env=os.environ | loss_facts(job, change or newest),
                start_new_session=True,
            )
