"""Assessment of the runs of a folder: what cannot be assessed is reported, and ends nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from jostle.errors import JostleError
from jostle_lab.validation import evaluate as module
from jostle_lab.validation.evaluate import METHODS, RAW, evaluate
from jostle_lab.validation.oracle import Marks
from jostle_lab.validation.plan import ValidationStep
from jostle_lab.validation.runner import ValidationRun
from jostle_lab.validation.score import Assessed

_QUIET = {"steal": 0.0, "foreign": 0.0, "load": 1.0}


def run(number: int, *, raw: bool = False, code: str = "stencil") -> ValidationRun:
    """Makes the record of a clean run."""
    step = ValidationStep(code, number, "clean", raw=raw)
    return ValidationRun(step, step.job, 0, 10**10, 0, _QUIET, (), "", "")


class Tables(str):
    """What stands for the tables of a run: its name; without a core-speed probe."""

    references: ClassVar[dict[str, Any]] = {}


class Folder:
    """A validation's folder with ten runs and a raw one; the repository knows a run by its job."""

    def __init__(self) -> None:
        """Makes the runs."""
        self.made = [*(run(number) for number in range(1, 11)), run(11, raw=True)]

    def runs(self, *, failed: bool = False) -> list[ValidationRun]:
        """Gives the runs; all went well."""
        return self.made

    def repository(self, _code: str) -> Any:
        """Gives what stands for a repository."""
        return SimpleNamespace(run_tables=Tables)


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A folder whose runs take 10 s; the third has no answer, the fifth breaks the estimator."""

    def say(job: str, *, method: str, seed: int) -> Any:
        if "003" in job:
            raise JostleError("Nothing can be said.")
        if "005" in job and method == "jostle":
            raise ZeroDivisionError("division by zero")
        return method

    def read(_repository: Any, job: str) -> Marks:
        if "007" in job:
            raise OSError("no such file")
        return Marks(np.arange(11), np.arange(11) * 10**9)

    monkeypatch.setattr(module, "estimate", say)
    monkeypatch.setattr(module, "marks", read)
    monkeypatch.setattr(module, "assessed", lambda _said, _edges: Assessed(0, 0, 1, 0, 0, 1, 1))
    monkeypatch.setattr(module, "_rate", lambda *_: 0.0)
    monkeypatch.setattr(
        module, "compare", lambda said: SimpleNamespace(displaced_s=[0.0] * len(said))
    )
    return Folder()


def test_a_run_that_cannot_be_assessed_ends_nothing(folder: Any) -> None:
    """The others are scored; each of the three is reported with its reason, a defect as such."""
    found = evaluate(folder)
    assert len(found.rows) == 8
    reported = "\n".join(found.limits)
    assert "stencil-003-clean cannot be assessed: Nothing can be said." in reported
    assert (
        "stencil-005-clean cannot be assessed: ZeroDivisionError" in reported
        and "defect" in reported
    )
    assert "stencil-007-clean cannot be assessed: OSError" in reported


def test_raw_runs_are_assessed_by_the_thesis_alone(folder: Any) -> None:
    """Method jostle is scored on the coalesced runs, the thesis' on both, kept separate."""
    found = evaluate(folder)
    assert [list(row.said) for row in found.rows if row.job.endswith("raw")] == [[RAW]]
    runs = {one.method: one.runs for one in found.scores if one.code == "all"}
    assert runs == {METHODS[0]: 7, METHODS[1]: 7, RAW: 1}


def test_runs_that_cannot_be_compared_are_scored_without_displacement(
    folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thesis' measure loses its second term, and that is reported."""

    def breaks(_said: Any) -> Any:
        raise ValueError("no clusters")

    monkeypatch.setattr(module, "compare", breaks)
    found = evaluate(folder)
    assert len(found.rows) == 8
    assert any("cannot be compared" in line for line in found.limits)


def paced(folder: Any, monkeypatch: pytest.MonkeyPatch, **seconds: list[float]) -> Any:
    """Makes the folder's runs anew, of programs whose runs take so many seconds each.

    Method jostle says of all of them that nothing was lost, for certain.
    """
    took = {}
    folder.made = []
    for code, times in seconds.items():
        for number, time in enumerate(times, 1):
            one = run(number, code=code)
            folder.made.append(one)
            took[one.job] = time

    def read(_repository: Any, job: str) -> Marks:
        return Marks(np.arange(11), (np.arange(11) * took[job] * 1e8).astype(np.int64))

    none = Assessed(0, 0, 0, 0, 0, 1, 1, light="green")
    monkeypatch.setattr(module, "marks", read)
    monkeypatch.setattr(module, "estimate", lambda _job, *, method, seed: method)
    monkeypatch.setattr(module, "assessed", lambda _said, _edges: none)
    return folder


STEADY = [10.0 + 0.01 * number for number in range(20)]


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        ([10.0] * 3 + [12.0] * 17, "two halves of its runs differ"),
        ([8.5] + [10.0] * 9, "a run would have lost -17.6 %"),
    ],
)
def test_a_program_whose_truth_is_not_known_is_reported_and_not_scored(
    folder: Any, monkeypatch: pytest.MonkeyPatch, times: list[float], reason: str
) -> None:
    """Three fast runs lie two to one in any halves; one that is faster than the best lost less."""
    found = evaluate(paced(folder, monkeypatch, stencil=STEADY, odd=times))
    assert list(found.unknown) == ["odd"]
    assert reason in found.unknown["odd"]
    assert sum(row.code == "odd" for row in found.rows) == len(times)
    assert {row.code for row in found.scored} == {"stencil"}
    assert {one.code for one in found.scores} == {"stencil", "all", "quiet"}
    every = next(one for one in found.scores if (one.code, one.method) == ("all", "jostle"))
    assert every.runs == len(STEADY)
    assert every.total.worst == pytest.approx(100 * 0.18 / 10.19, abs=0.01)
    assert any(line.startswith("odd is not scored: ") for line in found.limits)
    assert "odd" in found.to_json()["unknown"]


def test_where_no_truth_is_known_nothing_is_scored(
    folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = evaluate(paced(folder, monkeypatch, odd=[10.0] * 3 + [12.0] * 17))
    assert (found.scores, found.scored) == ([], [])
    assert any(line.startswith("Nothing could be scored") for line in found.limits)


def test_a_truth_that_is_known_is_scored(folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow runs are lost time; 1.8 % less than the second best is within two points."""
    slow = [10.0 - 0.18, *STEADY[:18], 14.0]
    found = evaluate(paced(folder, monkeypatch, slow=slow))
    assert found.unknown == {}
    assert {one.code for one in found.scores} == {"slow", "all", "quiet"}
