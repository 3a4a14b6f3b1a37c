"""Judging the runs of a folder: what cannot be judged is told, and ends nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from jostle.errors import JostleError
from jostle.validation import evaluate as module
from jostle.validation.evaluate import METHODS, RAW, evaluate
from jostle.validation.oracle import Marks
from jostle.validation.plan import Step
from jostle.validation.runner import Run
from jostle.validation.score import Judged

_QUIET = {"steal": 0.0, "foreign": 0.0, "load": 1.0}


def run(number: int, *, raw: bool = False) -> Run:
    """Makes the record of a clean run."""
    step = Step("stencil", number, "clean", raw=raw)
    return Run(step, step.job, 0, 10**10, 0, _QUIET, (), "", "")


class Tables(str):
    """What stands for the tables of a run: its name; without a canary."""

    floors: ClassVar[dict[str, Any]] = {}


class Folder:
    """A validation's folder with ten runs and a raw one; the repository knows a run by its job."""

    def __init__(self) -> None:
        """Makes the runs."""
        self.made = [*(run(number) for number in range(1, 11)), run(11, raw=True)]

    def runs(self, *, failed: bool = False) -> list[Run]:
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
    monkeypatch.setattr(module, "judged", lambda _said, _edges: Judged(0, 0, 1, 0, 0, 1, 1))
    monkeypatch.setattr(module, "_rate", lambda *_: 0.0)
    monkeypatch.setattr(
        module, "compare", lambda said: SimpleNamespace(displaced_s=[0.0] * len(said))
    )
    return Folder()


def test_a_run_that_cannot_be_judged_ends_nothing(folder: Any) -> None:
    """The others are scored; each of the three is told with its reason, a defect as one."""
    found = evaluate(folder)
    assert len(found.rows) == 8
    told = "\n".join(found.limits)
    assert "stencil-003-clean cannot be judged: Nothing can be said." in told
    assert "stencil-005-clean cannot be judged: ZeroDivisionError" in told and "defect" in told
    assert "stencil-007-clean cannot be judged: OSError" in told


def test_raw_runs_are_judged_by_the_thesis_alone(folder: Any) -> None:
    """Method jostle is scored on the coalesced runs, the thesis' on both, told apart."""
    found = evaluate(folder)
    assert [list(row.said) for row in found.rows if row.job.endswith("raw")] == [[RAW]]
    runs = {one.method: one.runs for one in found.scores if one.code == "all"}
    assert runs == {METHODS[0]: 7, METHODS[1]: 7, RAW: 1}


def test_runs_that_cannot_be_compared_are_scored_without_displacement(
    folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thesis' measure loses its second term, and that is told."""

    def breaks(_said: Any) -> Any:
        raise ValueError("no clusters")

    monkeypatch.setattr(module, "compare", breaks)
    found = evaluate(folder)
    assert len(found.rows) == 8
    assert any("cannot be compared" in line for line in found.limits)
