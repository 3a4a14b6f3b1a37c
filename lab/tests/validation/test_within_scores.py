"""Plans, scores and the page of measurements with windows in runs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from jostle_lab.validation.codes import of_length
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.plan import LEAST, MOST
from jostle_lab.validation.within.page import code_scores, load, page, printed, save
from jostle_lab.validation.within.plan import WithinCode, within_steps
from jostle_lab.validation.within.rows import RunRow, WholeRow, WindowRow
from jostle_lab.validation.within.score import score_runs

CODES = [
    WithinCode(of_length("solver", 11)),
    WithinCode(of_length("checkpoint", 11), ("collective,send,receive", "io"), 500),
]


def test_longer_programs() -> None:
    long, usual = of_length("solver", 12), of_length("solver", 4)
    assert long.steps == 3 * usual.steps and long.name == "solver"
    assert of_length("hybrid", 11, 1).name == "hybrid@1"
    with pytest.raises(ValidationError, match="no program"):
        of_length("nothing", 4)


def test_plans() -> None:
    plan = within_steps(CODES, injected=12, clean=4, seed=3)
    assert plan == within_steps(CODES, injected=12, clean=4, seed=3)
    assert plan != within_steps(CODES, injected=12, clean=4, seed=4)
    assert len(plan) == 32 and len({step.job for step in plan}) == 32
    own = [step for step in plan if step.code == "checkpoint"]
    # one clean run for each set of calls comes first: its calls are counted
    assert [(step.kind, step.calls) for step in own[:2]] == [
        ("clean", "collective,send,receive"),
        ("clean", "io"),
    ]
    injected = [step for step in own if step.kind == "inject"]
    assert Counter(step.kind for step in own) == {"inject": 12, "clean": 4}
    assert Counter(step.calls for step in injected) == {"collective,send,receive": 6, "io": 6}
    assert {step.window_ms for step in injected} == {500}
    assert {step.period_ms for step in injected} == {1000, 2000}
    assert sum(not step.ranks for step in injected) == 4
    strengths = sorted(step.strength for step in injected)
    assert strengths[0] == LEAST and strengths[-1] == MOST
    assert len({step.seed for step in plan}) == 32
    # of each set of calls, weak and strong ones
    for calls in CODES[1].calls:
        part = [step.strength for step in injected if step.calls == calls]
        assert min(part) < 0.05 and max(part) > 0.25


def test_windows_end_where_slices_do() -> None:
    with pytest.raises(ValueError, match="300 ms"):
        WithinCode(of_length("solver", 4), window_ms=300)


def run(number: int, code: str = "solver", **more: object) -> RunRow:
    """A run."""
    values: dict[str, object] = {
        "seed": 1,
        "calls": "io",
        "shape": "fixed:1ms",
        "ranks": "0",
        "aimed": 10.0,
        "window_ms": 1000,
    }
    values |= {
        "places": 2,
        "run_s": 24.0,
        "own_cores": True,
        "steal": 0.0,
        "foreign": 0.01,
        "whole": 5.0,
    }
    return RunRow(code=code, job=f"{code}-{number:03d}-inject", **(values | more))  # type: ignore[arg-type]


def windows(
    one: RunRow, true: float, found: float, *, periods: int = 10, noise: float = 0.0
) -> list[WindowRow]:
    """Its windows: the cost of delays in them, and the estimate of it."""
    dice = np.random.default_rng(int(one.job[-10:-7]))
    rows = []
    for period in range(periods):
        chosen = dice.integers(one.places)
        for place in range(one.places):
            on = bool(place == chosen)
            scatter = noise * float(dice.normal())
            loss = true if on else 0.0
            said = 1.0 + (found if on else 0.0) + scatter
            slower = loss + scatter
            rows.append(
                WindowRow(1, one.job, period, on, 0.97, loss, loss, 1.2 * loss, said, slower)
            )
    return rows


def test_scores() -> None:
    runs = [run(1), run(2), run(3), run(4, error="left no profile"), run(5)]
    own = windows(runs[0], 10, 11, noise=0.2) + windows(runs[1], 20, 20, noise=0.2)
    own += windows(runs[2], 3, 3, noise=0.2) + windows(runs[4], 5, 5, periods=2)
    scores, left_out = score_runs(runs, own)
    assert [each.run.job for each in scores] == [one.job for one in runs[:3]]
    assert {one.job: why for one, why in left_out} == {
        runs[3].job: "left no profile",
        runs[4].job: "only 2 periods that segments cover",
    }
    first = scores[0]
    assert first.true == pytest.approx(10) and first.estimated == pytest.approx(11, abs=0.3)
    assert first.low == pytest.approx(10) and first.high == pytest.approx(12)
    assert first.error.low is not None and 0.5 < first.error.low < 1 < first.error.high  # type: ignore[operator]
    assert not first.error.holds_zero and scores[1].error.holds_zero
    assert first.elsewhere == pytest.approx(1, abs=0.2) and first.covered == pytest.approx(0.97)
    assert first.slower is not None and first.slower.value == pytest.approx(10, abs=0.3)
    assert 0.88 < first.soft < 0.93  # p(10) = .39, p(11) = .48
    assert scores[1].soft > 0.98 and scores[2].soft > 0.98
    solver, every = code_scores(runs, scores, None)
    assert (solver.runs, solver.left_out, solver.decidable, solver.hidden) == (3, 2, 3, 0)
    assert solver.reached and solver.soft is not None and solver.soft > 0.95
    assert solver.found == pytest.approx(34 / 33, abs=0.03)
    assert every.code == "all" and every.runs == 3


def test_runs_on_a_machine_that_others_use_are_not_scored() -> None:
    busy = run(1, foreign=0.2, steal=0.1)
    scores, left_out = score_runs([busy], windows(busy, 10, 10))
    assert scores == [] and left_out == [(busy, "others took 30% of the machine's cores")]


def test_delays_that_the_program_hides_are_counted() -> None:
    one = run(1)
    own = windows(one, 10, 10, noise=0.2)
    hidden = [
        WindowRow(**{**row.__dict__, "slower": (row.slower or 0) - (8 if row.on else 0)})
        for row in own
    ]
    scores, _ = score_runs([one], hidden)
    (code, _) = code_scores([one], scores, None)
    assert (code.hidden, code.decidable) == (1, 1)
    unknown = [WindowRow(**{**row.__dict__, "slower": None}) for row in own]
    scores, _ = score_runs([one], unknown)
    assert scores[0].slower is None
    assert code_scores([one], scores, None)[0].decidable == 0


def test_programs_with_more_threads_than_cores_have_no_goal() -> None:
    one = run(1, own_cores=False)
    scores, _ = score_runs([one], windows(one, 20, 0))
    code, every = code_scores([one], scores, None)
    assert code.reached is None and code.soft is not None and code.soft < 0.2
    assert every.runs == 0


def test_the_page_is_that_of_its_data(tmp_path: Path) -> None:
    runs = [run(1), run(2, places=4), run(3, error="left no profile"), run(4, "milc")]
    own = windows(runs[0], 10, 16, noise=0.5) + windows(runs[1], 20, 20, noise=0.5)
    own += windows(runs[3], 5, 5)
    whole = [
        WholeRow(1, "solver", 16, 0.8, 0.97, 0.9, 1.2),
        WholeRow(1, "milc", 16, 4.0, 0.9, 0.5, 3.0, "two halves differ"),
    ]
    save(tmp_path, runs, own, whole)
    kept = load(tmp_path)
    assert kept[0] == runs and len(kept[1]) == len(own) and kept[2] == whole
    text = page(*kept, ["Seed 1: today."])
    assert text == page(*load(tmp_path), ["Seed 1: today."])
    assert "Seed 1: today." in text and "| solver |" in text and "left no profile" in text
    rows = [line for line in text.splitlines() if line.startswith("| solver-001-inject |")]
    assert len(rows) == 1 and " ! |" in rows[0] and "10 × 2 × 1 s" in rows[0]
    assert "10 × 4 × 1 s" in text and "10.0 (10.0 to 12.0)" in rows[0]
    assert "| milc | 1 | 16 | 4.0 |  |  | two halves differ |" in text
    assert "**" in next(line for line in text.splitlines() if line.startswith("| solver |"))
    assert "solver-001-inject" in printed(*kept)
    later = [RunRow(**{**each.__dict__, "seed": 2}) for each in runs]
    both = page([*runs, *later], own, whole, ["Seed 1.", "Seed 2."])
    assert "All seeds together" in both and "Seed 2:\n" in both
