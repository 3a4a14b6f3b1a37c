#!/usr/bin/env python3
"""Scores estimates against delays in random windows of the same run.

    lab/bench/proofs/windows.py [--seed S]... [--codes NAME,NAME] [--runs N] [--clean N]
                                [--folder DIR] [--score-only] [--page [DIR]]

Programs of the papers run for about 25 s each. In windows that are drawn at random, some of their
calls are delayed, and each delay is logged. The difference by the log between windows with and
without delays is compared with the estimate of the same windows: by program, by run, and whole runs
where their truth is known. With all programs and usual numbers, a seed takes about two hours;
nothing else should run. A killed measurement continues where it was. With several seeds, one after
the other is measured, and all are on the page. The method: lab/docs/how-to/validate.md. Exit
status 1 when a run failed or could not be scored.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # lab/bench

from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.evaluate import evaluate
from jostle_lab.validation.runner import Store, make
from jostle_lab.validation.within.evaluate import evaluate_within, whole_rows
from jostle_lab.validation.within.page import PAGE, load, page, printed, save
from jostle_lab.validation.within.plan import WithinCode, within_steps
from jostle_lab.validation.within.rows import RunRow, WholeRow, WindowRow
from proofs.experiments import ROOT, end_in_order, options, say
from proofs.windows_codes import programs

RUNS, CLEAN = 12, 4
MACHINE = "machine"


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = options(__doc__, "folder for the runs [.cache/windows, by seed]")
    parser.add_argument(
        "--seed", type=int, action="append", help="seed of everything that is drawn [1]"
    )
    parser.add_argument(
        "--codes", metavar="NAMES", help=f"names of programs, from {', '.join(programs())} [all]"
    )
    parser.add_argument(
        "--runs", type=int, default=RUNS, help="number of runs with delays per program [12]"
    )
    parser.add_argument(
        "--clean", type=int, default=CLEAN, help="number of runs without delays per program [4]"
    )
    return parser.parse_args()


def chosen(names: str | None) -> list[WithinCode]:
    """The requested programs that can run here."""
    every = programs()
    wanted = names.split(",") if names else list(every)
    if unknown := [name for name in wanted if name not in every]:
        sys.exit(f"windows.py: there is no program `{unknown[0]}`: one of {', '.join(every)}")
    able = []
    for each in (every[name] for name in wanted):
        if missing := each.code.missing():
            say(
                f"{each.code.name}: left out: {', '.join(missing)} (apt install "
                f"{each.code.package})"
            )
        elif each.code.over_nodes and os.geteuid() != 0:
            say(f"{each.code.name}: left out: a lab needs root")
        else:
            able.append(each)
    return able


def machine(seed: int) -> str:
    """Return a sentence with the seed, the date and the machine of a measurement."""
    day = time.strftime("%Y-%m-%d")
    cores = f"{os.cpu_count()} cores, Linux {platform.release()}"
    return f"Seed {seed}: {day} on {cores}, load at the end {os.getloadavg()[0]:.1f}."


def measure(
    folder: Path, codes: Sequence[WithinCode], given: argparse.Namespace, seed: int
) -> None:
    """Make the runs of a seed that are missing; a program that cannot run is left out."""
    store, able = Store(folder), list(codes)

    def report(done: int, total: int, job: str, left: float) -> None:
        say(f"{done + 1} of {total}, about {left / 60:.0f} min left: {job}")

    while able:
        plan = within_steps(able, injected=given.runs, clean=given.clean, seed=seed)
        try:
            make(store, plan, [each.code for each in able], progress=report)
            break
        except ValidationError as error:  # one failure must not end the others' measurement
            say(f"left out: {error}")
            fine = [each for each in able if _counted(store, each)]
            if len(fine) == len(able):
                raise
            able = fine
    (folder / MACHINE).write_text(machine(seed))


def _counted(store: Store, within: WithinCode) -> bool:
    """Whether a program has clean runs with counts of all its calls, or has no runs at all yet."""
    tried = [run for run in store.runs(failed=True) if run.step.code == within.code.name]
    good = {run.step.calls for run in tried if run.step.kind == "clean" and not run.error}
    return not tried or good >= set(within.calls)


def score(
    folder: Path, codes: Sequence[WithinCode], seed: int
) -> tuple[list[RunRow], list[WindowRow], list[WholeRow]]:
    """Score the runs of a seed, and store the scores with them."""
    store = Store(folder)

    def report(done: int, total: int, job: str) -> None:
        say(f"estimating {done + 1} of {total}: {job}")

    runs, windows = evaluate_within(store, codes, seed, report)
    evaluation = evaluate(store, progress=report)
    for limit in evaluation.limits:
        say(limit)
    whole = whole_rows(evaluation, seed, [each.code.name for each in codes])
    save(folder, runs, windows, whole)
    # From the rounded data in the file, so that a page is the same whenever it is made.
    return load(folder)


def main() -> int:
    """Run what is missing, score all, print and write; return the exit status."""
    given = arguments()
    base = given.folder or ROOT / ".cache" / "windows"
    end_in_order()
    codes = chosen(given.codes)
    runs: list[RunRow] = []
    windows: list[WindowRow] = []
    whole: list[WholeRow] = []
    facts = []
    for seed in dict.fromkeys(given.seed or [1]):
        folder = base / str(seed)
        if not given.score_only:
            measure(folder, codes, given, seed)
        found = score(folder, codes, seed)
        runs, windows, whole = runs + found[0], windows + found[1], whole + found[2]
        known = folder / MACHINE
        facts.append(known.read_text() if known.exists() else f"Seed {seed}.")
    print(printed(runs, windows, whole))
    if given.page:
        given.page.mkdir(parents=True, exist_ok=True)
        save(given.page, runs, windows, whole)
        (given.page / PAGE).write_text(page(runs, windows, whole, facts))
    return int(any(run.error for run in runs))


if __name__ == "__main__":
    sys.exit(main())
