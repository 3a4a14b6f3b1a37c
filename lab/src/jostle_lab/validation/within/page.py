"""Writes the tables of a measurement with windows for a terminal and for the docs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jostle_lab.validation.csv_rows import load_rows, save_rows
from jostle_lab.validation.within.differences import Difference
from jostle_lab.validation.within.rows import RunRow, WholeRow, WindowRow
from jostle_lab.validation.within.score import (
    SOFT,
    TENTH,
    CodeScore,
    RunScore,
    score_code,
    score_runs,
)

PAGE = "truth-within-runs.md"
RUNS = "truth-within-runs.csv"
WINDOWS = "truth-within-runs-windows.csv"
WHOLE = "truth-within-runs-whole.csv"

_HEAD = """\
# Estimates against delays in windows of the same run

Written by `lab/bench/proofs/windows.py --page` from its data: [runs]({runs}), their
[windows]({windows}), and [whole runs]({whole}); nothing here is written by hand.
{facts}

Delays are injected into the calls of a program in windows of its run that are drawn at random, and
logged. What the log says that the windows with delays lost more than those without is compared with
what `jostle estimate` says of the same windows. No other run is needed for that, so a machine that
is slower in one run than in another does not matter.
[How this truth is computed](../../lab/docs/explanation/validation.md#truth-from-within-a-run).
"""

_CODES = f"""\
**soft accuracy** over the runs of a program: median; tenth percentile. The goal is {SOFT:g} and
{TENTH:g} for every program that has a core for each thread; bold misses it. **points off**: median
of the absolute errors. **error**: mean of estimate minus truth over the runs, with a 95 % interval.
**found**: what the estimate finds of all delays. **elsewhere**: median loss by the estimate in the
windows without delays: the machine's own noise, and what is found by mistake. **band**: median
width of the truth. **hidden**: runs whose work was slowed by less than the lower bound of the
truth, of those of which the speed of the work shows this; there the program hid delays behind other
waiting.
"""

_RUNS = """\
Losses are points: windows with delays minus windows without. **true**: by the log, in brackets the
lower and upper bound where they differ. **slower**: by how much slower the work was done, which
needs neither the log nor the estimate. **error** and **slower** have a 95 % interval by
randomisation; `!` marks an error beyond chance. **elsewhere**: as above. **covered**: share of the
windows that lies in segments inside them. **whole**: loss of the whole run by the estimate,
percent.
"""

_WHOLE = """\
The same runs, and clean ones, by the [oracle](../../lab/docs/explanation/validation.md#the-oracle),
which compares runs with each other. **resolution**: points by which the truth by halves of the runs
differs. Programs whose truth is not known are shown with the reason, and not scored.
"""


def save(
    folder: Path, runs: Sequence[RunRow], windows: Sequence[WindowRow], whole: Sequence[WholeRow]
) -> None:
    """Write the rows as data."""
    save_rows(folder / RUNS, RunRow, runs)
    save_rows(folder / WINDOWS, WindowRow, windows)
    save_rows(folder / WHOLE, WholeRow, whole)


def load(folder: Path) -> tuple[list[RunRow], list[WindowRow], list[WholeRow]]:
    """Read rows that were saved."""
    return (
        load_rows(folder / RUNS, RunRow),
        load_rows(folder / WINDOWS, WindowRow),
        load_rows(folder / WHOLE, WholeRow),
    )


def page(
    runs: Sequence[RunRow],
    windows: Sequence[WindowRow],
    whole: Sequence[WholeRow],
    facts: Sequence[str],
) -> str:
    """Return the page.

    Args:
        runs: Rows of all runs, of one or several measurements.
        windows: Rows of the windows of these runs.
        whole: Scores of estimates of whole runs.
        facts: Sentences with the date, seed and machine of each measurement.
    """
    head = _HEAD.format(runs=RUNS, windows=WINDOWS, whole=WHOLE, facts="\n".join(facts))
    scores, left_out = score_runs(runs, windows)
    parts = [head, "## By program\n", _CODES]
    seeds = sorted({run.seed for run in runs})
    for seed in seeds:
        title = [f"Seed {seed}:\n"] if len(seeds) > 1 else []
        parts += [*title, _code_table([run for run in runs if run.seed == seed], scores, seed)]
    if len(seeds) > 1:
        parts += ["All seeds together:\n", _code_table(runs, scores, None)]
    parts += ["## Whole runs\n", _WHOLE, _whole_table(whole)]
    parts += ["## All runs\n", _RUNS, _run_table(scores)]
    if left_out:
        parts += ["## Runs that are not scored\n", _left_table(left_out)]
    return "\n".join(parts)


def printed(runs: Sequence[RunRow], windows: Sequence[WindowRow], whole: Sequence[WholeRow]) -> str:
    """Return all tables for a terminal."""
    scores, left_out = score_runs(runs, windows)
    tables = [_run_table(scores), _left_table(left_out), _whole_table(whole)]
    return "\n".join([*tables, _code_table(runs, scores, None)])


def code_scores(
    runs: Sequence[RunRow], scores: Sequence[RunScore], seed: int | None
) -> list[CodeScore]:
    """Return the scores of each program, and of all programs that have a core for each thread.

    Args:
        runs: All runs.
        scores: Scores of the runs that could be scored.
        seed: Seed of one measurement; None: all measurements.
    """
    runs = [run for run in runs if seed in (None, run.seed)]
    scores = [each for each in scores if seed in (None, each.run.seed)]
    found = []
    for code in dict.fromkeys(run.code for run in runs):
        made = [run for run in runs if run.code == code]
        own = [each for each in scores if each.run.code == code]
        found.append(score_code(code, own, len(made) - len(own), all(r.own_cores for r in made)))
    made = [run for run in runs if run.own_cores]
    own = [each for each in scores if each.run.own_cores]
    return [*found, score_code("all", own, len(made) - len(own), True)]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def _number(value: float | None, digits: int = 1) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _interval(found: Difference | None) -> str:
    if found is None:
        return ""
    if found.low is None or found.high is None:
        return _number(found.value)
    return f"{found.value:.1f} ({found.low:.1f} to {found.high:.1f})"


def _code_table(runs: Sequence[RunRow], scores: Sequence[RunScore], seed: int | None) -> str:
    head = ["program", "runs", "not scored", "a core each", "soft accuracy", "points off"]
    head += ["error", "found", "elsewhere", "band", "hidden"]
    rows = []
    for each in code_scores(runs, scores, seed):
        soft = "" if each.soft is None else f"{each.soft:.3f}; {each.tenth:.2f}"
        rows.append(
            (
                each.code,
                str(each.runs),
                str(each.left_out or ""),
                "yes" if each.own_cores else "no",
                f"**{soft}**" if each.reached is False else soft,
                _number(each.off),
                _interval(each.error),
                "" if each.found is None else f"{each.found:.0%}",
                _number(each.elsewhere),
                _number(each.band),
                f"{each.hidden} of {each.decidable}" if each.decidable else "",
            )
        )
    return _table(head, rows)


def _run_table(scores: Sequence[RunScore]) -> str:
    head = ["run", "delayed", "delays", "ranks", "windows", "true", "estimated", "error"]
    head += ["soft accuracy", "slower", "elsewhere", "covered", "whole"]
    rows = []
    for each in sorted(scores, key=lambda s: (s.run.code, s.run.seed, s.true)):
        run = each.run
        exact = each.high - each.low < 0.05
        band = "" if exact else f" ({each.low:.1f} to {each.high:.1f})"
        known = each.error.low is not None
        rows.append(
            (
                run.job,
                run.calls,
                run.shape,
                run.ranks or "all",
                f"{each.error.periods} × {run.places} × {run.window_ms / 1000:g} s",
                f"{each.true:.1f}{band}",
                _number(each.estimated),
                _interval(each.error) + (" !" if known and not each.error.holds_zero else ""),
                _number(each.soft, 3),
                _interval(each.slower),
                _number(each.elsewhere),
                f"{each.covered:.0%}",
                _number(run.whole),
            )
        )
    return _table(head, rows)


def _left_table(left_out: Sequence[tuple[RunRow, str]]) -> str:
    rows = [(run.job, run.calls, run.ranks or "all", reason) for run, reason in left_out]
    return _table(("run", "delayed", "ranks", "why"), rows) if rows else ""


def _whole_table(whole: Sequence[WholeRow]) -> str:
    head = ("program", "seed", "runs", "resolution", "soft accuracy", "points off", "not scored")
    rows = []
    for each in whole:
        soft = "" if each.soft is None or each.why else f"{each.soft:.3f}; {each.tenth:.2f}"
        rows.append(
            (
                each.code,
                str(each.seed),
                str(each.runs),
                _number(each.resolution),
                soft,
                _number(each.error) if soft else "",
                each.why,
            )
        )
    return _table(head, rows) if rows else ""
