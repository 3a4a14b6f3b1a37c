"""Runs with windows: how they are made, read and estimated; one that fails ends nothing."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from jostle_lab.inject import InjectLog
from jostle_lab.inject.log import DELAYS, PROCESSES, TOTALS
from jostle_lab.inject.schedule import place
from jostle_lab.synthetic import SPECS, trace
from jostle_lab.validation import runner
from jostle_lab.validation.codes import of_length
from jostle_lab.validation.oracle import Marks
from jostle_lab.validation.plan import ValidationStep
from jostle_lab.validation.runner import UndisturbedRun, ValidationRun
from jostle_lab.validation.within import evaluate as module
from jostle_lab.validation.within.evaluate import evaluate_within, whole_rows
from jostle_lab.validation.within.plan import WithinCode

CODE = WithinCode(of_length("solver", 11))


def step(number: int = 1, **more: Any) -> ValidationStep:
    """A run with windows."""
    values: dict[str, Any] = {"kind": "inject", "strength": 0.2, "shape": "fixed:1ms"}
    values |= {"calls": "io", "period_ms": 2000, "window_ms": 500, "seed": 9, "ranks": "1"}
    return ValidationStep("solver", number, **(values | more))


def rules(words: list[str]) -> dict[str, str]:
    """The rules among the variables of an injector."""
    text = next(word for word in words if word.startswith("JOSTLE_INJECT="))
    pairs = text.removeprefix("JOSTLE_INJECT=").split()
    return dict(pair.partition("=")[::2] for pair in pairs)


def test_delays_come_in_windows(tmp_path: Path, library: Path) -> None:
    usual = UndisturbedRun(20.0, 10_000)
    found = rules(runner._injection(CODE.code, step(), tmp_path / "1", usual))
    assert found["period"] == "2000000000ns" and found["on"] == "500000000ns"
    assert found["place"] == "random" and found["calls"] == "io" and found["ranks"] == "1"
    # 20 % of a window: 5 s of delays in 20 s of work, 0.5 ms a call; every second call, not longer
    chance = float(found["probability"])
    length = float(found["delay"].removeprefix("fixed:").removesuffix("ns")) / 1e6
    assert chance * length == pytest.approx(0.5) and chance == pytest.approx(0.1)
    few = rules(runner._injection(CODE.code, step(), tmp_path / "2", UndisturbedRun(20.0, 400)))
    # 12.5 ms a call: half of them are delayed by 25 ms, a twentieth of a window, not a tenth by 125
    assert float(few["probability"]) == pytest.approx(0.5)
    assert few["delay"] == "fixed:25000000ns"
    always = step(period_ms=0, window_ms=0, calls="")
    plain = rules(runner._injection(CODE.code, always, tmp_path / "3", usual))
    assert "period" not in plain and "place" not in plain and plain["calls"].startswith("coll")


def test_calls_of_clean_runs_are_counted_and_not_delayed(tmp_path: Path, library: Path) -> None:
    found = rules(runner._counting(step(kind="clean"), tmp_path / "1"))
    assert found["calls"] == "io" and float(found["probability"]) == 0


def made(number: int, **more: Any) -> ValidationRun:
    """The record of a run."""
    one = step(number, **more)
    return ValidationRun(
        one, one.job, 0, 24 * 10**9, 0, {"steal": 0.0, "foreign": 0.01}, (), "logs", ""
    )


class Folder:
    """A folder with a clean run, one with windows, and one that cannot be read."""

    def runs(self, *, failed: bool = False) -> list[ValidationRun]:
        """Return the runs."""
        return [made(1, kind="clean", period_ms=0, window_ms=0), made(2), made(3)]

    def repository(self, _code: str) -> Any:
        """Return a repository whose runs are one synthetic run."""

        def tables(job: str) -> Any:
            if "003" in job:
                raise OSError("no such file")
            return trace(SPECS["steady-70"], 5)[0]

        return SimpleNamespace(run_tables=tables)


def log(begin: int, end: int, period: int, seed: int) -> InjectLog:
    """A log with a delay of a tenth of each window that is on."""
    on = period // 4
    text = f"seed={seed} calls=io period={period}ns on={on}ns phase=0ns place=random log=/x"
    process = {**dict.fromkeys(PROCESSES.names), "rules": text, "seed": seed, "rank": 0}
    starts = [
        number * period + on * place(seed, number, 4) + on // 2
        for number in range(begin // period, end // period + 1)
    ]
    rows = [
        {**dict.fromkeys(DELAYS.names), "start_ns": ns, "delay_ns": on // 10, "rank": 0}
        for ns in starts
    ]
    return InjectLog(
        pa.Table.from_pylist(rows, DELAYS),
        TOTALS.empty_table(),
        pa.Table.from_pylist([process], PROCESSES),
    )


def test_runs_are_estimated_by_their_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    tables, _ = trace(SPECS["steady-70"], 5)
    segments = tables.worlds[0].segments
    begin, end = segments["start_ns"][0].as_py(), segments["end_ns"][-1].as_py()
    period = (end - begin) // 6
    monkeypatch.setattr(module, "read", lambda _path: log(begin, end, period, 9))
    monkeypatch.setattr(
        module, "marks", lambda *_: Marks(np.array([0, 1000]), np.array([begin, end]))
    )
    folder: Any = Folder()
    runs, windows = evaluate_within(folder, [CODE], 4)
    assert [run.job for run in runs] == [made(2).job, made(3).job]
    assert runs[0].error == "" and runs[0].whole is not None and runs[0].places == 4
    assert runs[0].aimed == pytest.approx(20) and runs[0].seed == 4
    assert "no such file" in runs[1].error and runs[1].whole is None
    assert {window.job for window in windows} == {runs[0].job} and len(windows) >= 4 * 4
    assert windows[0].period == 0
    by_place = [window for window in windows if window.on]
    assert len(by_place) == len(windows) / 4
    for window in windows:
        assert window.true == pytest.approx(10 / window.covered * window.on, abs=0.5 / 0.9)
        assert window.slower == pytest.approx(0, abs=1e-6)


def test_whole_runs_of_unknown_truth_have_the_reason() -> None:
    from jostle_lab.validation.evaluate import Evaluation

    (none,) = whole_rows(Evaluation([], [], {}, []), 1, ["solver"])
    assert none.runs == 0 and "too few runs" in none.why and none.soft is None
    row: Any = SimpleNamespace(
        code="solver",
        said={"jostle": None},
        measured=lambda _method: 10.0,
        estimated=lambda _method: 11.0,
    )
    (few,) = whole_rows(Evaluation([row], [], {}, []), 1, ["solver"])
    assert "too few runs" in few.why and few.resolution is None and few.error == pytest.approx(1)
    fine: Any = SimpleNamespace(total=0.7)
    (known,) = whole_rows(Evaluation([row], [], {}, [], {"solver": fine}), 1, ["solver"])
    assert known.why == "" and known.resolution == 0.7 and known.soft is not None
