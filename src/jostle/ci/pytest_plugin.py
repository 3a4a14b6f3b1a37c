"""The pytest plug-in, which repeats tests that measure time and were disturbed by other load.

The plug-in is active if pytest is profiled (`jostle run --slice 100ms -- pytest`). It watches the
tests that use the fixture of pytest-benchmark, or that have the marker `undisturbed`. It imports no
package but pytest, since another process does the analysis (window.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

MARKER = "undisturbed"
#: The loss in percent above which a run is no longer green, and the most repeats of a test.
_GATE, _RETRIES = 7.5, 2
_SPAN = pytest.StashKey[tuple[int, int]]()
_HOW = "Start it as `jostle run --slice 100ms -- pytest`."

Answer = dict[str, Any]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for the largest accepted loss and for the number of repeats."""
    group = parser.getgroup("jostle", "benchmarks and interference")
    group.addoption(
        "--jostle-gate",
        type=float,
        metavar="PERCENT",
        help="Repeat a benchmark that lost more than PERCENT to interference, if pytest is "
        f"profiled [{_GATE:g}].",
    )
    group.addoption(
        "--jostle-retries",
        type=int,
        default=_RETRIES,
        metavar="N",
        help=f"Repeat a disturbed benchmark at most N times [{_RETRIES}].",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and start to watch benchmarks if pytest is profiled."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(percent): its result depends on time, so it is repeated if it lost more than "
        "this to interference, and a failure while it was disturbed does not count",
    )
    if hasattr(config, "workerinput"):  # several tests at once disturb each other
        return
    if is_profiled():
        config.pluginmanager.register(Watch(config), "jostle-watch")
    elif config.getoption("jostle_gate") is not None:
        raise pytest.UsageError(f"--jostle-gate: pytest is not profiled here. {_HOW}")


def is_profiled() -> bool:
    """Return whether the runtime of jostle records this process."""
    with open("/proc/self/maps") as maps:
        loaded = any("libjostle.so" in line for line in maps)
    return loaded and {"JOSTLE_SPOOL", "JOSTLE_JOB"} <= os.environ.keys()


class Evaluator:
    """A process that evaluates spans of pytest's own run; the first request starts it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, start_ns: int, end_ns: int, most: float) -> Answer:
        """Return the finding about a span: the fields of `jostle.ci.window.WindowAnswer`."""
        if self._process is None:
            own = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
            command = [sys.executable, "-m", "jostle.ci.window"]
            self._process = subprocess.Popen(
                [*command, os.environ["JOSTLE_SPOOL"], os.environ["JOSTLE_JOB"]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=own | {"JOSTLE": "off"},
            )
        assert self._process.stdin and self._process.stdout
        try:
            print(json.dumps([start_ns, end_ns, most]), file=self._process.stdin, flush=True)
            answer: Answer = json.loads(self._process.stdout.readline())
        except (OSError, ValueError):
            return {"finding": "undecided", "message": "The analysis process died.", "again": False}
        return answer

    def end(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.communicate()


class Watch:
    """Repeats disturbed benchmarks, and leaves those that stay disturbed out of the results."""

    def __init__(self, config: pytest.Config) -> None:
        gate = config.getoption("jostle_gate")
        self._most: float = _GATE if gate is None else gate
        self._tries: int = 1 + config.getoption("jostle_retries")
        self._evaluator = Evaluator()
        self._lines: list[str] = []

    def pytest_report_header(self) -> str:
        """Return a header line that benchmarks are watched."""
        slices = os.environ.get("JOSTLE_SLICE", "the default length")
        return (
            f"jostle: benchmarks repeated above {self._most:g} % of interference, at most "
            f"{self._tries - 1} times; slices of {slices}"
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Note the span of time in which the test itself ran."""
        begin = time.time_ns()
        try:
            return (yield)
        finally:
            item.stash[_SPAN] = begin, time.time_ns()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> object:
        """Run a benchmark until it was not disturbed, or no repeats are left."""
        marker = item.get_closest_marker(MARKER)
        if marker is None and not _is_benchmark(item):
            return None
        most = marker.args[0] if marker is not None and marker.args else self._most
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for attempt in range(1, self._tries + 1):
            before = len(_results(item))
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            ran = [report for report in reports if report.when == "call"]
            # Without the marker a failure has nothing to do with time.
            if not ran or ran[0].skipped or (ran[0].failed and marker is None):
                break
            answer = self._evaluator.ask(*item.stash[_SPAN], most)
            if not answer["again"] or attempt == self._tries:
                self._note(item, reports, ran[0], answer, attempt)
                if answer["finding"] == "disturbed":
                    del _results(item)[before:]
                break
            del _results(item)[before:]
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _note(
        self,
        item: pytest.Item,
        reports: list[pytest.TestReport],
        ran: pytest.TestReport,
        answer: Answer,
        attempt: int,
    ) -> None:
        """Put a finding into the reports of a test; a test that stayed disturbed is skipped."""
        text = f"{answer['finding']}: {answer['message']}"
        for report in reports:
            report.user_properties.append(("jostle", text))
        for result in _results(item):
            if result.fullname == item.nodeid:
                result.extra_info["jostle"] = {**answer, "attempt": attempt}
        if answer["finding"] == "disturbed":
            ran.outcome = "skipped"
            ran.longrepr = (str(item.path), (item.location[1] or 0) + 1, f"Skipped: {text}")
        if answer["finding"] != "clean" or attempt > 1:
            self._lines.append(f"{item.nodeid}: run {attempt}: {text}")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """List the tests that were repeated, are undecided, or stayed disturbed."""
        if self._lines:
            terminalreporter.section("jostle: interference")
            for line in self._lines:
                terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        """End the process that evaluates."""
        self._evaluator.end()


def _is_benchmark(item: pytest.Item) -> bool:
    """Return whether pytest-benchmark measures in a test."""
    session = getattr(item.config, "_benchmarksession", None)
    disabled = session is not None and (session.disabled or session.skip)
    return not disabled and "benchmark" in getattr(item, "fixturenames", ())


def _results(item: pytest.Item) -> list[Any]:
    """Return what pytest-benchmark has measured so far; empty without it."""
    session = getattr(item.config, "_benchmarksession", None)
    return [] if session is None else session.benchmarks
