"""The terminal of `jostle top`: draws the screen, and handles keys.

Slices are read in a separate thread, so that keys work while a repository is slow or a
server hangs.
"""

from __future__ import annotations

import contextlib
import curses
import threading
from collections.abc import Mapping
from typing import Any

from jostle.cli.output import utf8
from jostle.cli.top.screen import SORTS, TopState, chosen, screen
from jostle.cli.top.source import Source
from jostle.errors import JostleError
from jostle.values.plain_values import one_line

#: Interval at which the screen is drawn while no key is pressed, ms.
_TICK_MS = 250
_ESCAPE = 27
_ENTER = (curses.KEY_ENTER, 10, 13)
_BACKSPACE = (curses.KEY_BACKSPACE, 8, 127)


class _Reader:
    """Reads a report at each interval, in a thread."""

    def __init__(self, source: Source, first: Mapping[str, Any], interval_s: float) -> None:
        self.report, self.error = first, ""
        self._source, self._interval_s = source, interval_s
        self._over = threading.Event()
        threading.Thread(target=self._run, daemon=True, name="top").start()

    def end(self) -> None:
        self._over.set()

    def _run(self) -> None:
        while not self._over.wait(self._interval_s):
            try:
                self.report, self.error = self._source(), ""
            except JostleError as error:  # perhaps temporary: the shown report stays
                self.error = one_line(f"{error} {error.hint}")


def show_top(source: Source, interval_s: float, sort: str, text: str) -> None:
    """Show the running jobs until the user quits.

    Args:
        source: Function that returns a report; the first call must succeed, later calls may fail.
        interval_s: Time between two reports, in seconds.
        sort: Initial sort key.
        text: Initial filter text.
    """
    reader = _Reader(source, source(), interval_s)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            curses.wrapper(_loop, reader, TopState(sort=sort, filter=text))
    finally:
        reader.end()


def _loop(window: curses.window, reader: _Reader, state: TopState) -> None:
    styles = _styles()
    window.timeout(_TICK_MS)
    report = reader.report
    while True:
        if not state.frozen:
            report, state.error = reader.report, reader.error
        height, width = window.getmaxyx()
        window.erase()
        for at, (line, style) in enumerate(
            screen(report, state, (width, height), ascii_only=not utf8())
        ):
            with contextlib.suppress(curses.error):  # the terminal has just become smaller
                window.addstr(at, 0, line, styles[style])
        window.refresh()
        key = window.getch()
        if key != -1 and not press(state, key, report):
            return


def _styles() -> dict[str, int]:
    with contextlib.suppress(curses.error):
        curses.curs_set(0)
    red = curses.A_BOLD
    if curses.has_colors():
        curses.use_default_colors()
        curses.init_pair(1, curses.COLOR_RED, -1)
        red = curses.color_pair(1)
    return {
        "": curses.A_NORMAL,
        "bold": curses.A_BOLD,
        "dim": curses.A_DIM,
        "selected": curses.A_REVERSE,
        "red": red,
    }


def press(state: TopState, key: int, report: Mapping[str, Any]) -> bool:
    """Handle a key; return False if the user quits.

    Args:
        state: The user's choices, which the key changes.
        key: Code of the key.
        report: The shown report.
    """
    if state.typing:
        _type(state, key)
        return True
    names = [row["job"] for row in chosen(report, state.sort, state.filter)]
    at = names.index(state.selected) if state.selected in names else 0
    if key in (ord("q"), ord("Q")):
        return False
    if key == ord(" "):
        state.frozen = not state.frozen
    elif key == ord("s"):
        state.sort = SORTS[(SORTS.index(state.sort) + 1) % len(SORTS)]
    elif key == ord("/"):
        state.typing, state.opened = True, ""
    elif key == _ESCAPE:
        state.opened, state.filter = "", state.filter if state.opened else ""
    elif key in _ENTER and names:
        state.opened = "" if state.opened else names[at]
    elif key in (curses.KEY_DOWN, ord("j"), curses.KEY_UP, ord("k")) and names:
        step = 1 if key in (curses.KEY_DOWN, ord("j")) else -1
        state.selected = names[min(max(at + step, 0), len(names) - 1)]
    return True


def _type(state: TopState, key: int) -> None:
    """Handle a key of the filter."""
    if key in _ENTER:
        state.typing = False
    elif key == _ESCAPE:
        state.typing, state.filter = False, ""
    elif key in _BACKSPACE:
        state.filter = state.filter[:-1]
    elif 32 <= key < 127:
        state.filter += chr(key)
