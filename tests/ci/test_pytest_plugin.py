"""The plug-in of pytest: which tests it repeats, and how it reports those that stay disturbed.

What is lost is set by the tests, but for the last, which is a real run under real load.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as Xml
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: What the analysis answers: the words after `# answers:` of a test, one for each of its runs.
CONFTEST = """
import inspect, re
import pytest
from jostle.ci import pytest_plugin

ANSWERS = {}

class Evaluator:
    def ask(self, start_ns, end_ns, most):
        assert 0 < end_ns - start_ns < 60e9
        finding = ANSWERS["left"].pop(0)
        again = finding == "disturbed"
        return {"finding": finding, "message": f"of {most:g} %", "percent": 9.0, "again": again}

    def end(self):
        pass

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        item.answers = re.findall("# answers: (.*)", inspect.getsource(item.function))

@pytest.fixture(autouse=True)
def answers(request):
    if ANSWERS.get("of") != request.node.nodeid:
        words = request.node.answers[0].split() if request.node.answers else []
        ANSWERS.update({"of": request.node.nodeid, "left": words})

pytest_plugin.is_profiled = lambda: True
pytest_plugin.Evaluator = Evaluator
"""
TESTS = """
import pytest
runs = {}

def run(name):
    runs[name] = runs.get(name, 0) + 1
    return runs[name]

@pytest.mark.undisturbed
def test_clean():
    # answers: clean
    assert run("clean") == 1

@pytest.mark.undisturbed(3.0)
def test_clean_at_last():
    # answers: disturbed clean
    assert run("at last") == 2

@pytest.mark.undisturbed
def test_slow_only_while_disturbed():
    # answers: disturbed disturbed disturbed
    assert run("while") > 3

@pytest.mark.undisturbed
def test_never_clean():
    # answers: disturbed disturbed disturbed
    run("never")

@pytest.mark.undisturbed
def test_slower():
    # answers: disturbed clean
    run("slower")
    assert False

@pytest.mark.undisturbed
def test_too_short():
    # answers: undecided
    pass

def test_of_no_time():
    assert run("no time") == 1

def test_last():
    assert runs == {"clean": 1, "at last": 2, "while": 3, "never": 3, "slower": 2, "no time": 1}
"""


@pytest.fixture
def pytest_in(tmp_path: Path) -> Callable[..., tuple[int, str, dict[str, Xml.Element]]]:
    """Runs pytest with the plug-in; gives status, output, and the test cases of its JUnit XML."""

    def run(
        tests: str, *words: str, conftest: str = CONFTEST, front: tuple[str, ...] = ()
    ) -> tuple[int, str, dict[str, Xml.Element]]:
        (tmp_path / "test_it.py").write_text(tests)
        (tmp_path / "conftest.py").write_text(conftest)
        (tmp_path / "pytest.ini").write_text("[pytest]\n")
        plugin = ["-p", "jostle.ci.pytest_plugin"] if not installed() else []
        done = subprocess.run(
            [*front, sys.executable, "-m", "pytest", *plugin, "--junitxml=it.xml", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
        )
        if not (tmp_path / "it.xml").exists():
            return done.returncode, done.stdout + done.stderr, {}
        cases = Xml.parse(tmp_path / "it.xml").iter("testcase")
        return (
            done.returncode,
            done.stdout + done.stderr,
            {case.attrib["name"].removeprefix("test_"): case for case in cases},
        )

    return run


def installed() -> bool:
    """Whether the plug-in is registered with pytest here."""
    found = importlib.metadata.entry_points(group="pytest11")
    return any(point.value == "jostle.ci.pytest_plugin" for point in found)


def outcome(case: Xml.Element) -> str:
    return next((child.tag for child in case if child.tag in ("failure", "skipped")), "passed")


def test_a_disturbed_test_is_repeated(pytest_in) -> None:
    status, output, cases = pytest_in(TESTS)
    assert status == 1, output
    assert {name: outcome(case) for name, case in cases.items()} == {
        "clean": "passed",
        "clean_at_last": "passed",
        "slow_only_while_disturbed": "skipped",
        "never_clean": "skipped",
        "slower": "failure",  # also when nothing disturbed it
        "too_short": "passed",
        "of_no_time": "passed",
        "last": "passed",
    }, output
    facts = {name: case.find(".//property") for name, case in cases.items()}
    assert facts["clean_at_last"].attrib == {"name": "jostle", "value": "clean: of 3 %"}
    assert facts["of_no_time"] is None
    assert "jostle: benchmarks repeated above 7.5 % of interference, at most 2 times" in output
    assert "test_it.py::test_never_clean: run 3: disturbed: of 7.5 %" in output
    assert "test_it.py::test_too_short: run 1: undecided" in output
    assert "1 failed, 5 passed, 2 skipped" in output


def test_repeats_and_percentage_are_options(pytest_in) -> None:
    tests = "import pytest\n@pytest.mark.undisturbed\ndef test_it():\n    # answers: disturbed"
    tests += "\n    pass"
    _, output, cases = pytest_in(tests, "--jostle-retries=0", "--jostle-gate=5")
    assert outcome(cases["it"]) == "skipped"
    assert "above 5 % of interference, at most 0 times" in output
    assert "run 1: disturbed: of 5 %" in output


def test_a_gate_without_a_profile_is_an_error(pytest_in) -> None:
    status, output, _ = pytest_in("def test_it(): pass", "--jostle-gate=5", conftest="")
    assert status == 4
    assert "pytest is not profiled here. Start it as `jostle run --slice 100ms -- pytest`" in output


def test_without_a_profile_nothing_changes(pytest_in) -> None:
    tests = "import pytest\n@pytest.mark.undisturbed\ndef test_it(): pass"
    status, output, cases = pytest_in(tests, "--strict-markers", conftest="")
    assert (status, outcome(cases["it"])) == (0, "passed"), output
    assert "jostle: " not in output


BENCHMARKS = """
import time
runs = []

def test_work(benchmark):
    # answers: {answers}
    runs.append(1)
    benchmark.pedantic(time.sleep, args=({seconds} * (10 if len(runs) < {slow} else 1),), rounds=3)
"""


@pytest.mark.skipif(
    not importlib.util.find_spec("pytest_benchmark"), reason="no pytest-benchmark here"
)
@pytest.mark.parametrize(
    ("answers", "seconds", "slow", "regresses"),
    [
        ("disturbed disturbed clean", 0.001, 3, False),  # its last run is as fast as before
        ("clean", 0.01, 0, True),
        ("disturbed disturbed disturbed", 0.01, 0, False),  # nothing is known of it
    ],
)
def test_only_undisturbed_benchmarks_are_compared(
    pytest_in, tmp_path: Path, answers: str, seconds: float, slow: int, regresses: bool
) -> None:
    before = BENCHMARKS.format(answers="clean", seconds=0.001, slow=0)
    status, output, _ = pytest_in(before, "--benchmark-save=before")
    assert status == 0, output
    after = BENCHMARKS.format(answers=answers, seconds=seconds, slow=slow)
    words = ("--benchmark-compare", "--benchmark-compare-fail=min:200%", "--benchmark-json=it.json")
    status, output, cases = pytest_in(after, *words)
    assert (status != 0) == regresses, output
    assert ("Performance has regressed" in output) == regresses
    reported = (tmp_path / "it.json").read_text() if (tmp_path / "it.json").exists() else ""
    found = json.loads(reported)["benchmarks"] if reported else []
    if answers.endswith("clean"):
        (only,) = found
        assert only["extra_info"]["jostle"]["finding"] == "clean"
        assert only["extra_info"]["jostle"]["attempt"] == len(answers.split())
        assert only["stats"]["min"] < 2 * seconds
    else:
        assert found == []
        assert outcome(cases["work"]) == "skipped"


REAL = """
import os, subprocess, sys, time
import pytest

def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(1000))

@pytest.mark.undisturbed(15.0)
def test_alone():
    work(1.6)

@pytest.mark.undisturbed(15.0)
def test_alongside_loops():
    core = min(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    code = f"import os; os.sched_setaffinity(0, {{{core}}})\\nwhile True: pass"
    own = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    others = [subprocess.Popen([sys.executable, "-c", code], env=own) for _ in range(2)]
    work(1.6)
    for each in others:
        each.kill()
        each.wait()
"""


@pytest.mark.tries(3)
def test_a_real_run_alongside_load(pytest_in, library: Path, tmp_path: Path) -> None:
    """Two loops on the core of a test take two thirds of it."""
    front = (str(ROOT / ".venv/bin/jostle"), "run", "--slice", "100ms", "--no-verdict")
    front += ("--repository", str(tmp_path / "repository"), "--")
    status, output, cases = pytest_in(REAL, "--jostle-retries=0", conftest="", front=front)
    assert status == 0, output
    assert outcome(cases["alongside_loops"]) == "skipped", output
    lost = {name: lost_percent(case) for name, case in cases.items()}
    # Other tests may run meanwhile, and take more.
    assert lost["alongside_loops"] > 50, output
    assert lost["alone"] < lost["alongside_loops"], output


def lost_percent(case: Xml.Element) -> float:
    """The loss of a test by the plug-in."""
    found = re.search(r"lost ([\d.]+) %", case.find(".//property").attrib["value"])
    assert found
    return float(found[1])
