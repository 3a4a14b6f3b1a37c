"""`jostle run --gate`: decides whether a run may be used, or was too disturbed."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from jostle.cli.output import heading, show
from jostle.errors import JostleError
from jostle.report.verdict.gate import GateResult, find
from jostle.report.verdict.verdict import estimate_json

if TYPE_CHECKING:
    from jostle.ci.reports import Case, Outcome
    from jostle.cli.launch.spawn import CommandOutcome

#: Exit status of a disturbed run; that of an undecided one is the next number. Users may choose
#: another one, so that CI jobs can distinguish both from those of the program (docs/how-to).
DISTURBED = 3

#: Tolerance for starts of profiles before the run, for steps of the clock.
_SLACK_NS = 2_000_000_000
_SUITE = "jostle run"


class Gate:
    """Evaluates runs, one after another, until a run is undisturbed or no attempts are left.

    Attributes:
        key: Key of the gate in a report as JSON.
    """

    key = "gate"

    def __init__(self, most: float, attempts: int, status: int) -> None:
        """Create a gate.

        Args:
            most: Largest accepted loss, percent of the run time.
            attempts: Largest number of runs.
            status: Exit status if a run is disturbed; if it is undecided, the next number.
        """
        self._most, self._attempts, self._status = most, attempts, status
        self._attempt = 0
        self._result = GateResult("undecided", "It has not run.")
        self._outcome: CommandOutcome | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Variables for the command: the number of the attempt, from 1."""
        return {"JOSTLE_ATTEMPT": str(self._attempt + 1)}

    @property
    def status(self) -> int:
        """The exit status for the last run."""
        more = {"clean": -self._status, "disturbed": 0, "undecided": 1}
        return self._status + more[self._result.finding]

    @property
    def has_estimate(self) -> bool:
        """Whether there is an estimate of the last run to show."""
        return self._result.estimate is not None

    @property
    def wants_another(self) -> bool:
        """Whether to repeat the run; a run that cannot be evaluated is not repeated."""
        return self._may_differ and self._attempt < self._attempts

    @property
    def _may_differ(self) -> bool:
        return self._result.finding == "disturbed" or self._result.again

    def evaluate(self, files: Sequence[Path], outcome: CommandOutcome) -> bool:
        """Evaluate the run with these profiles; earlier runs of the same name are ignored.

        Returns:
            False if the run failed: then there is no verdict on it.
        """
        self._outcome = outcome
        if outcome.status:
            return False
        self._attempt += 1
        self._result = self._evaluate(files, outcome.start_ns)
        return True

    def _evaluate(self, files: Sequence[Path], start_ns: int) -> GateResult:
        own = [path for path in files if _is_of(path, start_ns)]
        if not own:
            short = "The run was too short for a profile, so its loss cannot be estimated."
            return GateResult("undecided", short if files else "The run left no profile.")
        from jostle.analysis import estimate
        from jostle.repository import Repository

        # The repository may contain earlier runs with the same name: only this run is evaluated.
        try:
            with Repository.of_spool(own) as store:
                run_estimate = estimate(store.run_tables(store.resolve_job("last")))
        except Exception as error:  # the run has ended; an error must not look like a pass
            return GateResult("undecided", str(error) or type(error).__name__)
        return find(run_estimate, self._most)

    def say(self) -> None:
        """Print the verdict and the finding of the gate on stderr."""
        from jostle.cli.views.estimate import percent_within, verdict

        estimate = self._result.estimate
        if estimate is not None:
            show(verdict(estimate), err=True)
        if estimate is not None and estimate.continuous is not None:
            more = percent_within(estimate.continuous.percent)
            show(
                f"  warning: perhaps another {more} of the time was lost throughout, which the "
                "gate does not count: "
                f"{estimate.continuous.reason}",
                err=True,
            )
        message = self._message()
        if self._attempts > 1 and self._may_differ:
            last = self._attempt == self._attempts
            message = message.rstrip(".") + f"; run {self._attempt} of {self._attempts}"
            message += "" if last else ", once more"
        show(heading("gate:", f" {message}"), err=True)

    def _message(self) -> str:
        return {
            "clean": f"clean: at most {self._most:g} % was lost",
            "disturbed": f"too disturbed: more than {self._most:g} % was lost",
            "undecided": f"undecided: {self._result.why}",
        }[self._result.finding]

    def case(self, cmd: Sequence[str]) -> Case:
        """Return the finding about the last run as a test case for a CI pipeline.

        Args:
            cmd: The command, by which pipelines recognise the test.
        """
        from jostle.ci.reports import Case, own_file
        from jostle.report.format.values import percent_within

        own, seconds = own_file(cmd), self._outcome.wall_ns / 1e9 if self._outcome else 0.0
        if self._outcome and self._outcome.status:
            end = self._outcome.signal or f"exit status {self._outcome.status}"
            return Case(
                _SUITE, shlex.join(cmd), "failed", f"It ended with {end}.", seconds, {}, own
            )
        message, facts = self._message(), {"runs": str(self._attempt)}
        estimate = self._result.estimate
        if estimate is not None:
            lost = percent_within(estimate.percent)
            facts |= {"job": estimate.job, "lost": lost}
            decided = self._result.finding != "undecided"
            message = f"{message} ({lost})" if decided else message
        said: Outcome = "passed" if self._result.finding == "clean" else "skipped"
        return Case(_SUITE, shlex.join(cmd), said, message, seconds, facts, own)

    def to_json(self) -> dict[str, Any]:
        """Return the last result as JSON-compatible values."""
        estimate = self._result.estimate
        return {
            "finding": self._result.finding,
            "most_percent": self._most,
            "why": self._result.why,
            "sure": self._result.sure,
            "attempt": self._attempt,
            "attempts": self._attempts,
            "status": self.status,
            "estimate": estimate_json(estimate) if estimate else None,
        }


def _is_of(path: Path, start_ns: int) -> bool:
    """Return whether a profile is of a process that began after an instant."""
    from jostle.reader import ProfileHeader, read_header

    try:
        header = read_header(path)
    except (JostleError, OSError):
        return False
    return isinstance(header, ProfileHeader) and header.start_ns >= start_ns - _SLACK_NS


class HeldOutput:
    """Stores the standard output of attempts until one of them is accepted."""

    def __init__(self) -> None:
        """Create the object without any output."""
        self._file: IO[bytes] | None = None

    def descriptor(self) -> int:
        """Discard the output of the last attempt; return the descriptor for the next one."""
        if self._file is not None:
            self._file.close()
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (until the next attempt)
        return self._file.fileno()

    def release(self) -> None:
        """Write the output of the last attempt to standard output.

        Raises:
            OSError: The output cannot be written: the disk is full, or the pipe has no reader.
        """
        if self._file is None:
            return
        with self._file, os.fdopen(1, "wb", closefd=False) as out:
            self._file.seek(0)
            shutil.copyfileobj(self._file, out)
        self._file = None


class Rewind:
    """Rewinds standard input, so that a second run reads the same input as the first."""

    def __init__(self) -> None:
        """Store the position of standard input, if it is a file."""
        try:
            self._place: int | None = os.lseek(0, 0, os.SEEK_CUR)
        except OSError:
            self._place = None  # a pipe or a terminal

    def back(self) -> None:
        """Return to the stored position."""
        if self._place is not None:
            os.lseek(0, self._place, os.SEEK_SET)
