"""quick_tests.py: pytest plugin of quick.py, which ends the tests in time and names those left out.

The time of each test is remembered; one that does not fit into the time left is left out.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path

import pytest

_seen_file = Path(os.environ["QUICK_SEEN"])
_end = float(os.environ["QUICK_END"])
_left_out: Counter[str] = Counter()
_running: dict[str, float] = {}


def _seen() -> dict[str, float]:
    try:
        return dict(json.loads(_seen_file.read_text()))
    except (OSError, ValueError):
        return {}


_seconds = _seen()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move long tests to the end; the time of a test is not known before its first run."""
    items.sort(key=lambda item: item.get_closest_marker("in_turn") is not None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Leave a test out when the time is over, or would be during the test."""
    if time.time() + _seconds.get(item.nodeid, 0) < _end:
        _running.clear()
        _running[item.nodeid] = time.time()
        return None
    _left_out[item.location[0]] += 1
    return True


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember how long a test took, with its fixtures."""
    before = 0 if report.when == "setup" else _seconds.get(report.nodeid, 0)
    _seconds[report.nodeid] = round(before + report.duration, 2)


def pytest_keyboard_interrupt() -> None:
    """Remember that the running test takes longer than the time it had."""
    for name, begin in _running.items():
        _seconds[name] = round(2 * (time.time() - begin), 2)
        _left_out[name.partition("::")[0]] += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the files whose tests were left out."""
    _seen_file.write_text(json.dumps(_seconds))
    if _left_out:
        files = ", ".join(f"{name} ({number})" for name, number in _left_out.most_common())
        terminalreporter.write_line(f"Left out, since the time was over: {files}")
