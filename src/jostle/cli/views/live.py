"""The last four lines of the terminal under a running command (`jostle run --live`).

The terminal scrolls only above them, so that the output of the command stays readable and
unchanged. They are for programs that print lines: programs that use the whole screen (an editor)
would overwrite them.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jostle.cli.output import has_colour, utf8
from jostle.report.format.values import byte_count, significant

if TYPE_CHECKING:
    from jostle.report.models.job.live import LiveLoad

_ROWS = 4
#: Largest mean of threads or cores that is shown as 0.
_NEXT_TO_NONE = 0.005
#: Least lines of the terminal.
_LEAST_LINES = 10
_SAVE, _RESTORE = "\0337", "\0338"


def why_not() -> str:
    """Return why the terminal cannot show these lines; "" if it can."""
    if not sys.stderr.isatty():
        return "standard error is not a terminal"
    if os.environ.get("TERM", "dumb") == "dumb":
        return "this terminal cannot move its cursor (TERM)"
    lines = os.get_terminal_size(sys.stderr.fileno()).lines
    return f"the terminal has only {lines} lines" if lines < _LEAST_LINES else ""


class LiveLines:
    """The last lines of the terminal on standard error."""

    def __init__(self) -> None:
        """Create the object without printing."""
        self._size = os.terminal_size((0, 0))

    def open(self) -> None:
        """Reserve lines at the bottom; the cursor must be at the beginning of a line."""
        self._write("\n" * _ROWS + f"\033[{_ROWS}A")
        self._fit()

    def draw(self, lines: Sequence[str]) -> None:
        """Write the lines, cut to the width, unless another program controls the terminal."""
        if not self._fit():
            return
        dim, plain = ("\033[2m", "\033[0m") if has_colour(sys.stderr) else ("", "")
        width, height = self._size
        text = "".join(
            f"\033[{height - _ROWS + 1 + number};1H\033[2K{dim}{line[: width - 1]}{plain}"
            for number, line in enumerate([*lines, *[""] * _ROWS][:_ROWS])
        )
        self._write(_SAVE + text + _RESTORE)

    def close(self) -> None:
        """Release the lines; harmless if that was done already."""
        with contextlib.suppress(OSError):
            first = os.get_terminal_size(sys.stderr.fileno()).lines - _ROWS + 1
            self._write(f"{_SAVE}\033[r\033[{first};1H\033[J{_RESTORE}")

    def _fit(self) -> bool:
        """Keep the rest of the terminal from scrolling over the lines, whatever its size is now."""
        stderr = sys.stderr.fileno()
        try:
            if os.tcgetpgrp(stderr) != os.getpgrp():
                return False
            size = os.get_terminal_size(stderr)
        except OSError:  # it was closed
            return False
        if size != self._size:
            self._write(f"{_SAVE}\033[1;{size.lines - _ROWS}r{_RESTORE}")
            self._size = size
        return size.lines >= _LEAST_LINES

    def _write(self, text: str) -> None:
        """Write with one call, so that the command's output is before or after it."""
        with contextlib.suppress(OSError):
            os.write(sys.stderr.fileno(), text.encode("utf-8" if utf8(sys.stderr) else "ascii"))


def live_lines(load: LiveLoad | None, seconds: float, lost: str = "") -> list[str]:
    """Return the lines for a job.

    Args:
        load: Load of the job; None: its first slice has not ended yet.
        seconds: Run time so far, in seconds.
        lost: Text on its current loss or newest change; "": the loss is not known.
    """
    minutes, rest = divmod(int(seconds), 60)
    clock = f"jostle {minutes}:{rest:02}  "
    if load is None:
        return [f"{clock}the first slice has not ended yet"]
    others = f"{_many(load.others_cores)} cores, {byte_count(load.others_bytes)}/s"
    quiet = load.others_cores < _NEXT_TO_NONE and load.others_bytes < 1
    return [
        f"{clock}cores: {_many(load.cores)} busy, {_many(load.waiting)} waited for",
        f"  files: read {byte_count(load.read)}/s, written {byte_count(load.written)}/s, "
        f"{_many(load.in_files)} in calls",
        f"  others there: {'none known' if quiet else f'{others} (last minute)'}",
        *([f"  {lost}"] if lost else []),
    ]


def _many(mean: float) -> str:
    """Return a mean number of threads or cores; 0 for tiny values, never 5.3e-06."""
    return significant(mean) if mean >= _NEXT_TO_NONE else "0"
