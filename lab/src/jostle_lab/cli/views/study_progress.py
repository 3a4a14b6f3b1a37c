"""The live table of `jostle study run`; in a pipe, one line per finished run."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.output import console, table
from jostle.report.format.values import byte_count, duration

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live as RichLive

    from jostle_lab.study import PlannedRun, Study, StudyProgress

_LAST = 8
_REFRESH_S = 0.5


def throughput(program: Mapping[str, Any]) -> str:
    """Return a program's data rate, or its run time if the rate is not known."""
    moved = program.get("bytes") or program.get("written")
    span = (program.get("end_ns") or 0) - (program.get("begin_ns") or 0)
    if not span:
        return "-"
    return f"{byte_count(moved / span * 1e9)}/s" if moved else duration(span)


class LiveTable:
    """Shows the progress of a study."""

    def __init__(self, study: Study, total: int, *, quiet: bool) -> None:
        """Make a table for `total` runs; a quiet one never shows."""
        self._study = study
        self._total = total
        self._quiet = quiet
        self._live: RichLive | None = None
        self._rows: deque[tuple[str, str, str, str]] = deque(maxlen=_LAST)
        self._run: PlannedRun | None = None
        self._began = time.monotonic()
        self._drawn = 0.0

    def __enter__(self) -> LiveTable:
        """Show the table in a terminal."""
        if not self._quiet and sys.stderr.isatty():
            from rich.live import Live as RichLive

            self._live = RichLive(console=console(err=True), auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the table."""
        if self._live:
            self._live.stop()

    def report(self, progress: StudyProgress) -> None:
        """Record an event of the study."""
        if self._quiet:
            return
        if progress.record is not None and progress.run is not None:
            self._finished(progress.run, progress)
        elif progress.run is not self._run:
            self._run, self._began = progress.run, time.monotonic()
        elif time.monotonic() < self._drawn + _REFRESH_S:
            return
        elif progress.said and not self._live:
            click.echo(progress.said, err=True)
        if self._live:
            self._drawn = time.monotonic()
            self._live.update(self._drawing(progress), refresh=True)

    def _finished(self, run: PlannedRun, progress: StudyProgress) -> None:
        assert progress.record is not None
        programs = progress.record["programs"]
        took = duration(max(program["end_ns"] - program["begin_ns"] for program in programs))
        rates = " / ".join(throughput(program) for program in programs)
        faults = "; ".join(
            f"{program['name']}: {program['error']}" for program in programs if program["error"]
        )
        self._rows.append((run.id, run.label, took, faults or rates))
        self._run = None
        if not self._live:
            click.echo(
                f"[{progress.done}/{progress.total}] {run.id}  {run.label}: {took}, "
                f"{faults or rates}; {_left(progress.left_s)}",
                err=True,
            )

    def _drawing(self, progress: StudyProgress) -> Group:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        frame = table(["=run", "program or pair", ">took", "throughput"])
        for row in self._rows:
            frame.add_row(*row)
        if self._run is not None:
            since = duration((time.monotonic() - self._began) * 1e9)
            frame.add_row(self._run.id, self._run.label, since, "runs now", style="bold")
        message = f"; {progress.said}" if progress.said else ""
        state = Text(
            f"{self._study.name}: {progress.done} of {progress.total} runs, "
            f"{_left(progress.left_s)}{message}"
        )
        bar = ProgressBar(total=max(1, progress.total), completed=progress.done, width=60)
        return Group(frame, state, bar)


def _left(seconds: float) -> str:
    return f"about {duration(seconds * 1e9)} left" if seconds >= 1 else "nothing left"
