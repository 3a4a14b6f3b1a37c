"""Fixtures for all tests: the repository's root and the built native parts."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

__all__ = [
    "ROOT",
    "fresh_console",
    "library",
    "native",
    "open_to_all",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_runtest_protocol",
    "pytest_terminal_summary",
    "root",
]

# Tests send SIGINT; in the background of a shell it is ignored, by all that we start as well.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# A busy machine is no defect. What nobody has met yet is looked for by people, who fix it: what
# continuous integration says of a commit is the same each time.
settings.register_profile(
    "house",
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("house")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def fresh_console() -> Iterator[None]:
    """A console writes to what was standard output when it was made: the next test has another."""
    yield
    output = sys.modules.get("jostle.cli.output")
    if output is not None:
        output.console.cache_clear()


# ---- tests that are run in turn ----

TURNS = 7


def turns(items: Sequence[pytest.Item]) -> list[int | None]:
    """Return the day of each test that is run in turn, None for all others.

    The tests of a file, or its groups, are dealt out in order; each file begins with another day.
    """
    dealt: dict[Path, dict[str, int]] = defaultdict(dict)
    days: list[int | None] = []
    for item in items:
        mark = item.get_closest_marker("in_turn")
        if mark is None:
            days.append(None)
            continue
        groups = dealt[item.path]
        number = groups.setdefault(mark.args[0] if mark.args else item.name, len(groups))
        days.append((zlib.crc32(item.path.name.encode()) + number) % TURNS)
    return days


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of other days; without TEST_TURN all are run."""
    today = os.environ.get("TEST_TURN")
    if not today:
        return
    wanted = (None, int(today))
    days = turns(items)
    left = [item for item, day in zip(items, days, strict=True) if day not in wanted]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item, day in zip(items, days, strict=True) if day in wanted]


# ---- tests that look at clocks ----

_tried_again: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks of tests that are tried again, and of tests that are run in turn."""
    config.addinivalue_line(
        "markers", "tries(n): depends on when it gets a core; one time of n it must be right"
    )
    config.addinivalue_line(
        "markers",
        "in_turn(group): long, and rarely breaks; where TEST_TURN is a day from 0 to 6, a seventh "
        "of such tests is run, those of one group together",
    )


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Try a test so marked again, from its fixtures on: what is wrong is wrong each time."""
    mark = item.get_closest_marker("tries")
    if mark is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for left in reversed(range(mark.args[0])):
        item._initrequest()  # type: ignore[attr-defined]
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if left == 0 or not any(report.failed for report in reports):
            break
        _tried_again.append(item.nodeid)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what had to be tried again."""
    for name in _tried_again:
        terminalreporter.write_line(f"AGAIN {name}")


# ---- what is built ----


def native(name: str) -> Path | None:
    """A built native file: from JOSTLE_NATIVE when set, else from the build tree."""
    if named := os.environ.get("JOSTLE_NATIVE"):
        found = Path(named) / name
        return found if found.exists() else None
    found = ROOT / "build" / "native" / name
    return found if found.exists() else None


@pytest.fixture(scope="session")
def root() -> Path:
    """Root of the repository."""
    return ROOT


def open_to_all(path: Path) -> bool:
    """Whether any user may reach a file."""
    return all(folder.stat().st_mode & 0o001 for folder in path.parents)


@pytest.fixture(scope="session")
def library() -> Iterator[Path]:
    """The preload library under test, where every user may read it.

    Some tests change the user; a checkout below /root is closed to others, so they get a copy.
    """
    found = native("libjostle.so")
    if found is None:
        pytest.fail("libjostle.so is not built: run `make build`, or set JOSTLE_NATIVE")
    if os.geteuid() != 0 or open_to_all(found):
        yield found
        return
    with tempfile.TemporaryDirectory(prefix="jostle-test-") as folder:
        copy = shutil.copytree(found.parent, Path(folder) / "native")
        Path(folder).chmod(0o755)
        yield copy / found.name
