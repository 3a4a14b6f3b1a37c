"""Progress bar on stderr for steps that take longer than a second; not shown in pipes."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE_S = 1.0


class Bar:
    """A progress bar that appears after a second, and only in a terminal.

    Use it as a context manager; call `advance` from any thread, or never if the end is unknown.
    """

    def __init__(self, label: str, *, quiet: bool = False) -> None:
        """Create a bar with the text `label`; a quiet one is never shown."""
        self._label = label
        self._shown: Progress | None = None
        self._done: float = 0
        self._total: float | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        if not quiet and sys.stderr.isatty():
            self._timer = threading.Timer(_PATIENCE_S, self._appear)
            self._timer.daemon = True

    def __enter__(self) -> Bar:
        """Start the delay of a second."""
        self.started = time.monotonic()
        if self._timer:
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        if self._timer:
            self._timer.cancel()
        with self._lock:
            if self._shown:
                self._shown.stop()
                self._shown = None

    def advance(self, done: float, total: float | None, label: str | None = None) -> None:
        """Show that `done` of `total` is finished."""
        with self._lock:
            self._done, self._total = done, total
            self._label = label or self._label
            self._update()

    def _update(self) -> None:
        if self._shown:
            task = self._shown.task_ids[0]
            self._shown.update(
                task, completed=self._done, total=self._total, description=self._label
            )

    def _appear(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        from jostle.cli.output import console

        with self._lock:
            self._shown = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeElapsedColumn(),
                console=console(err=True),
                transient=True,
            )
            self._shown.add_task(self._label, total=self._total)
            self._update()
            self._shown.start()
