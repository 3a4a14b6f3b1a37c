"""Has every run of a validation judged, and brings truth and judgements together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jostle.analysis import compare, estimate
from jostle.analysis.estimation.model import Estimate, Method
from jostle.analysis.estimation.runs import measured_percent
from jostle.validation.errors import why
from jostle.validation.marks import marks
from jostle.validation.oracle import Band, Marks, Truth, band, displacement, truths
from jostle.validation.runner import Run, Store
from jostle.validation.score import Judged, Row, Score, score

if TYPE_CHECKING:
    from jostle.repository import Repository

METHODS: tuple[Method, ...] = ("jostle", "thesis")
#: Method thesis on segments that are not coalesced, as the thesis had them.
RAW = "thesis, raw"
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Evaluation:
    """The scores of a validation.

    Attributes:
        rows: All runs that have a truth, and of which every method said something.
        scores: Per program and method, then of all programs together, then of their quiet runs.
        calls: Global collectives a second and rank, per program.
        limits: What a person should know, one sentence each.
    """

    rows: list[Row]
    scores: list[Score]
    calls: dict[str, float]
    limits: list[str]

    def to_json(self) -> dict[str, Any]:
        """Gives it as plain values."""
        from dataclasses import asdict

        return {
            "rows": [row.to_json() for row in self.rows],
            "scores": [asdict(one) for one in self.scores],
            "calls": self.calls,
            "limits": self.limits,
        }


def evaluate(store: Store, *, seed: int = 0, progress: Progress = lambda *_: None) -> Evaluation:
    """Judges all runs of a folder.

    Args:
        store: The folder.
        seed: Of the random steps of the methods.
        progress: Told before each run: how many are judged, of how many, which is next.

    Returns:
        Scores; programs with too few runs for an oracle are named in the limits.
    """
    runs = store.runs()
    rows: list[Row] = []
    calls: dict[str, float] = {}
    limits: list[str] = []
    done = 0
    for code in dict.fromkeys(run.step.code for run in runs):
        own = [run for run in runs if run.step.code == code]

        def tell(number: int, job: str, begun: int = done) -> None:
            progress(begun + number, len(runs), job)

        found, rate = _of_code(store.repository(code), code, own, seed, tell, limits)
        rows += found
        calls[code] = rate
        done += len(own)
    return Evaluation(rows, _scores(rows), calls, limits)


def _scores(rows: Sequence[Row]) -> list[Score]:
    """Scores every method per program, then on all runs, then on the quiet ones."""
    groups = {code: [row for row in rows if row.code == code]
              for code in dict.fromkeys(row.code for row in rows)}  # fmt: skip
    groups |= {"all": list(rows), "quiet": [row for row in rows if row.quiet]}
    return [score(name, method, own) for name, own in groups.items()
            for method in (*METHODS, RAW) if any(method in row.said for row in own)]  # fmt: skip


def _of_code(
    repository: Repository, code: str, runs: Sequence[Run], seed: int,
    tell: Callable[[int, str], None], limits: list[str],
) -> tuple[list[Row], float]:  # fmt: skip
    """Judges the runs of one program; gives its rate of global collectives, too."""
    seen: dict[str, Marks] = {}
    said: dict[str, dict[str, Estimate]] = {}
    for number, run in enumerate(runs):
        tell(number, run.job)
        # One run that cannot be read or judged, for whatever reason, ends nothing; it is told.
        try:
            found = marks(repository, run.job)
            if found is None:
                limits.append(f"{run.job} has no segments.")
                continue
            seen[run.job] = found
            said[run.job] = _said(repository, run, seed)
        except Exception as error:
            limits.append(f"{run.job} cannot be judged: {why(error)}")
    known = truths(seen, {run.job: run.disturbed for run in runs})
    if not known:
        limits.append(f"{code} has too few runs of the same work for an oracle ({len(seen)}).")
        return [], 0.0
    if other := len(seen) - len(known):
        limits.append(f"{other} of {len(seen)} runs of {code} did other work.")
    runs = [run for run in runs if run.job in known and run.job in said]
    if not runs:
        return [], 0.0
    measured = _by_thesis(runs, said, known, limits)
    rows = [
        Row(run.job, code, run.step.kind, run.step.strength, known[run.job],
            _band(run, seen[run.job], known[run.job]), measured[run.job], run.noise,
            {name: judged(one) for name, one in said[run.job].items()})
        for run in runs
    ]  # fmt: skip
    return rows, _rate(repository, runs[0].job, known[runs[0].job])


def _said(repository: Repository, run: Run, seed: int) -> dict[str, Estimate]:
    """Asks the methods about a run; about one with raw segments the thesis' alone."""
    tables = repository.run_tables(run.job)
    if run.step.raw:
        return {RAW: estimate(tables, method="thesis", seed=seed)}
    return {method: estimate(tables, method=method, seed=seed) for method in METHODS}


def _by_thesis(
    runs: Sequence[Run], said: dict[str, dict[str, Estimate]], known: dict[str, Truth],
    limits: list[str],
) -> dict[str, float]:  # fmt: skip
    """Measures the loss of runs as thesis 5.2.3 does: against the fastest of those cut alike."""
    found: dict[str, float] = {}
    for method in ("thesis", RAW):
        own = [run for run in runs if method in said[run.job]]
        if not own:
            continue
        try:
            moved = compare([said[run.job][method] for run in own]).displaced_s
        except Exception as error:
            limits.append(f"{own[0].step.code} cannot be compared: {why(error)}")
            moved = [0.0] * len(own)
        fastest = min(known[run.job].run_s for run in own)
        for run, shift in zip(own, moved, strict=True):
            percent = measured_percent(known[run.job].run_s, fastest, shift)
            found[run.job] = max(percent, 0.0)
    return found


def _rate(repository: Repository, job: str, truth: Truth) -> float:
    worlds = repository.segments(job).worlds
    count = sum(int(world.segments["globals"].to_numpy().sum()) for world in worlds[:1])
    return count / truth.run_s


def _band(run: Run, seen: Marks, truth: Truth) -> Band | None:
    """Gives what was planted in a run: by the injector's log, or while a disturber was on."""
    if not run.inject:
        return truth.beside
    from jostle.inject import read_log

    log = read_log(Path(run.inject))
    start, delay = (log[name].to_numpy().astype(np.int64) for name in ("start_ns", "delay_ns"))
    rank = log["rank"].fill_null(-1).to_numpy().astype(np.int64)
    return band(start, delay, rank, seen.at_ns)


def judged(found: Estimate) -> Judged:
    """Takes from an estimate what is scored."""
    percent = found.percent
    moved = 0.0
    if found.segments.num_rows:
        duration = found.segments["duration_ns"].to_numpy() / 1e9
        excess = found.segments["excess_ns"].fill_null(0).to_numpy() / 1e9
        moved = displacement(duration, duration - excess)
    return Judged(
        percent.value, percent.low, percent.high,
        found.continuous.percent.value if found.continuous else 0.0,
        100 * moved / found.run_s, found.coverage, found.inferred_coverage,
    )  # fmt: skip
