"""Runs whose cores were far apart: measured, repeated, and reported."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from jostle_lab.validation import codes, runner
from jostle_lab.validation.evaluate import _apart
from jostle_lab.validation.placement import APART, Ruler, together
from jostle_lab.validation.plan import ValidationStep
from jostle_lab.validation.runner import Store, ValidationRun, make


@pytest.mark.tries(3)  # both cores must be free for ten microseconds
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
def test_a_round_trip_is_measured(tmp_path: Path) -> None:
    """Ten nanoseconds are no way from core to core, and ten microseconds are no cores."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs")
    found = Ruler(tmp_path / "programs").measure()
    assert found is not None and 10 < found < 10_000


@pytest.mark.parametrize("missing", ["core", "compiler"])
def test_what_cannot_be_measured_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    """One core is nowhere apart; without a compiler it is unknown. Nothing waits."""
    if missing == "core":
        monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0})
    else:
        monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert Ruler(tmp_path).wait([{APART: 90.0}]) is None


def test_being_together_is_decided_by_the_least_latency() -> None:
    """Runs of which nothing is known count as they did before there was a measure."""
    noises = [{APART: 490.0}, {APART: 92.0}, {}, {APART: 101.0}, {APART: 276.0}, {APART: 277.0}]
    assert together(noises) == [False, True, True, True, True, False]
    assert together([{}, {}]) == [True, True]
    # Once, of many, both were threads of one core: the others are no farther apart for that.
    assert all(together([{APART: 29.0}, *[{APART: 92.0}] * 30]))
    assert together([]) == []


def test_a_run_with_cores_apart_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four times at most; all are remembered, those with cores together count."""
    apart = iter([90.0, 480.0, 95.0, *[480.0] * 4])

    def made(store: Store, step: ValidationStep, *_rest: object) -> ValidationRun:
        job = f"{step.job}.a{len(store.runs(failed=True))}"
        return ValidationRun(step, job, 0, 10**9, 0, {APART: next(apart)}, (), "", "")

    monkeypatch.setattr(runner, "one", made)
    store = Store(tmp_path)
    plan = [ValidationStep("solver", number, "clean") for number in (1, 2, 3)]
    make(store, plan, [codes.CODES["solver"]], progress=lambda *_: None)
    assert [run.noise[APART] for run in store.runs(failed=True)] == [90, 480, 95, *[480] * 4]
    assert [run.step for run in store.runs()] == plan[:2]
    (reported,) = _apart(store)
    assert reported.startswith("5 runs are left out") and "480 ns, 90 at best" in reported


def test_a_first_run_with_cores_apart_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is unknown until there are others; how long its program runs is reported all the same."""
    apart = iter([452.0, 113.0, 102.0, 105.0])

    def made(store: Store, step: ValidationStep, code: codes.Code, _nodes: object) -> ValidationRun:
        if step.kind == "inject":
            assert runner._usual(store, code).seconds == 1
        job = f"{step.job}.a{len(store.runs(failed=True))}"
        return ValidationRun(step, job, 0, 10**9, 0, {APART: next(apart)}, (), "", "")

    class Rows:
        column_names = ("sends",)

        def __getitem__(self, _name: str) -> pa.Array:
            return pa.array([100])

    monkeypatch.setattr(runner, "one", made)
    monkeypatch.setattr(
        Store, "repository", lambda *_: SimpleNamespace(process_segments=lambda _: Rows())
    )
    store = Store(tmp_path)
    plan = [
        ValidationStep("solver", 1, "clean"),
        ValidationStep("solver", 2, "inject"),
        ValidationStep("solver", 3, "inject"),
    ]
    make(store, plan, [codes.CODES["solver"]], progress=lambda *_: None)
    assert {run.step.job for run in store.runs()} == {step.job for step in plan}
    assert [run.noise[APART] for run in store.runs()] == [113, 102, 105]
