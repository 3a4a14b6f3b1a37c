"""Reads runs with delays in windows from a validation's folder, and estimates their loss."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from jostle.analysis import estimate
from jostle_lab.analysis.validation import soft_accuracy
from jostle_lab.inject import read, windows
from jostle_lab.inject.log import InjectLog
from jostle_lab.validation.errors import why
from jostle_lab.validation.evaluate import Evaluation, references_of
from jostle_lab.validation.marks import marks
from jostle_lab.validation.oracle import Marks
from jostle_lab.validation.runner import Store, ValidationRun
from jostle_lab.validation.score import ScoreSpread
from jostle_lab.validation.within.plan import WithinCode
from jostle_lab.validation.within.rows import RunRow, WholeRow, WindowRow
from jostle_lab.validation.within.truth import (
    LoggedDelays,
    SegmentLosses,
    progress_loss,
    window_losses,
)

if TYPE_CHECKING:
    from jostle.repository import CoreReference, Repository, RunTables

METHOD = "jostle"


def evaluate_within(
    store: Store,
    codes: Sequence[WithinCode],
    seed: int,
    progress: Callable[[int, int, str], None] = lambda *_: None,
) -> tuple[list[RunRow], list[WindowRow]]:
    """Estimate the loss of all runs of a folder that have delays in windows.

    Args:
        store: Folder of the validation.
        codes: Programs; runs of other programs are left out.
        seed: Seed of the measurement.
        progress: Called before each run: runs done, runs in all, the next run.

    Returns:
        A row for each run, and the rows of its windows. The row of a run that cannot be read or
        estimated states the reason.
    """
    by_name = {each.code.name: each for each in codes}
    made = [run for run in store.runs() if run.step.code in by_name]
    references = references_of(store, made)
    made = [run for run in made if run.step.period_ms]
    runs: list[RunRow] = []
    found: list[WindowRow] = []
    for number, run in enumerate(made):
        progress(number, len(made), run.job)
        row = _row(run, by_name[run.step.code], seed)
        try:
            repository = store.repository(run.step.code)
            whole, own = _windows(repository, run, references.get(run.step.code, {}), seed)
            runs.append(replace(row, whole=whole))
            found += own
        except Exception as error:  # one run ends nothing; it is shown with the reason
            runs.append(replace(row, error=why(error)))
    return runs, found


def whole_rows(evaluation: Evaluation, seed: int, codes: Sequence[str]) -> list[WholeRow]:
    """Return, for each program, the scores of estimates of its whole runs.

    The true loss of whole runs follows from comparing runs with each other.

    Args:
        evaluation: Evaluation of the same folder.
        seed: Seed of the measurement.
        codes: Programs. The row of a program whose true loss is not known states the reason.
    """
    rows = []
    for code in codes:
        own = [row for row in evaluation.rows if row.code == code and METHOD in row.said]
        fine = evaluation.resolutions.get(code)
        reason = evaluation.unknown.get(code, "")
        if fine is None and not reason:
            reason = "its truth is not known: too few runs to compare halves of them"
        pairs = [(row.measured(METHOD), row.estimated(METHOD)) for row in own]
        soft = ScoreSpread.of([soft_accuracy(*pair) for pair in pairs])
        off = ScoreSpread.of([abs(true - found) for true, found in pairs], good=max)
        rows.append(
            WholeRow(
                seed,
                code,
                len(own),
                None if fine is None else fine.total,
                soft.median,
                soft.tenth,
                off.median,
                reason,
            )
        )
    return rows


def _row(run: ValidationRun, within: WithinCode, seed: int) -> RunRow:
    step = run.step
    return RunRow(
        seed,
        step.code,
        run.job,
        step.calls,
        step.shape,
        step.ranks,
        100 * step.strength,
        step.window_ms,
        step.period_ms // step.window_ms,
        (run.end_ns - run.start_ns) / 1e9,
        within.code.ranks * within.threads <= (os.cpu_count() or 1),
        run.noise["steal"],
        run.noise["foreign"],
    )


def _windows(
    repository: Repository, run: ValidationRun, references: Mapping[str, CoreReference], seed: int
) -> tuple[float, list[WindowRow]]:
    """Return the estimated loss of a whole run in percent, and the rows of its windows."""
    tables = repository.run_tables(run.job)
    if tables.references:
        tables = replace(tables, references=references)
    found = estimate(tables, method="jostle", seed=0)
    log = read(Path(run.inject))
    # The first and the last segments are those of set-up and end.
    drawn = windows(log, found.start_ns, found.end_ns)
    losses = window_losses(
        drawn.start_ns,
        drawn.end_ns,
        drawn.period,
        drawn.on,
        segments=_segments(tables, found.world, found.segments),
        delays=_delays(log),
    )
    kept = np.isin(drawn.period, losses.period)
    seen = marks(repository, run.job) or Marks(np.zeros(0, np.int64), np.zeros(0, np.int64))
    slower = progress_loss(
        seen.done,
        seen.at_ns,
        start_ns=drawn.start_ns[kept],
        end_ns=drawn.end_ns[kept],
        on=drawn.on[kept],
    )
    first = int(losses.period[0]) if len(losses.period) else 0
    return found.percent.value, [
        WindowRow(
            seed,
            run.job,
            int(losses.period[number]) - first,
            bool(losses.on[number]),
            float(losses.covered[number]),
            float(losses.low[number]),
            float(losses.true[number]),
            float(losses.high[number]),
            float(losses.estimated[number]),
            None if np.isnan(slower[number]) else float(slower[number]),
        )
        for number in range(len(losses.period))
    ]


def _segments(tables: RunTables, world: int, found: pa.Table) -> SegmentLosses:
    """Return the segments of an estimate, with the number of global collectives in each."""
    start, end, lost = (
        found[name].to_numpy().astype(np.int64) for name in ("start_ns", "end_ns", "lost_ns")
    )
    collectives = np.ones(len(start), dtype=np.int64)
    own = [each.segments for each in tables.worlds if each.number == world]
    if own and own[0].num_rows == len(start):
        collectives = own[0]["globals"].to_numpy().astype(np.int64)
    return SegmentLosses(start, end, collectives, lost / 1e9)


def _delays(log: InjectLog) -> LoggedDelays:
    start, delay = (
        log.delays[name].to_numpy().astype(np.int64) for name in ("start_ns", "delay_ns")
    )
    rank = log.delays["rank"].fill_null(-1).to_numpy().astype(np.int64)
    return LoggedDelays(start, delay, rank)
