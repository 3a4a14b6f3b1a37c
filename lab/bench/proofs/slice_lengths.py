#!/usr/bin/env python3
"""Scores whether jostle names the correct suspect with slices of 250 ms, 1 s and 4 s.

    lab/bench/proofs/slice_lengths.py [--seed S] [--fs sshfs|cephfs] [--labs N]
                                      [--only KIND-OR-NUMBER]... [--folder DIR]
                                      [--score-only] [--page [DIR]]

Experiments of ten and of two minutes, several labs at a time, with agents on all hosts (needs root;
about an hour and a half with four labs). A killed measurement continues where it was; experiments
that failed are tried again. The method: lab/docs/how-to/validate.md. Exit status 1 when an
experiment failed.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # lab/bench

from jostle.analysis import identify
from jostle.repository import Repository
from jostle_lab.validation.errors import why
from jostle_lab.validation.lengths.coarse import coarse
from jostle_lab.validation.lengths.page import PAGE, load, page, printed, save
from jostle_lab.validation.lengths.plan import LONG, SHORT, Trial, trials
from jostle_lab.validation.lengths.runner import RATES, Made, made, make
from jostle_lab.validation.lengths.score import Row, described, score
from proofs.experiments import (
    ROOT,
    Follower,
    end_in_order,
    facts,
    is_chosen,
    note_machine,
    options,
    say,
)

#: Lengths of slices, milliseconds; the first is the one that is recorded.
LENGTHS_MS = (250, 1000, 4000)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = options(__doc__, ".cache/slice-lengths/FS-SEED", (*LONG, *SHORT))
    parser.add_argument("--seed", type=int, default=1, help="seed of everything that is drawn")
    parser.add_argument(
        "--fs", choices=sorted(RATES), default="sshfs", help="file system of the labs"
    )
    parser.add_argument("--labs", type=int, default=4, help="number of labs at the same time [4]")
    return parser.parse_args()


def chosen(trial: Trial, only: list[str] | None) -> bool:
    """Whether a trial is requested."""
    return is_chosen(only, trial.experiment.group, trial.experiment.number)


def rows_of(folder: Path, one: Made, seed: int) -> list[Row]:
    """Evaluate a trial with jostle at all lengths; if that fails, the row has the reason."""
    if one.run is None:
        return [described(one, slice_ms) for slice_ms in LENGTHS_MS]
    found = []
    for slice_ms in LENGTHS_MS:
        try:
            co_running = Repository(folder / one.repository).alongside(one.run.job)
            longer = coarse(co_running, slice_ms * 10**6)
            found.append(score(one, slice_ms, identify(longer, seed=seed)))
        except Exception as error:  # a defect in one answer must not hide the others
            failed = Made(one.trial, one.fs, one.repository, one.run, why(error))
            found.append(described(failed, slice_ms))
    return found


def main() -> int:
    """Run what is missing, score all, print and write; return the exit status."""
    asked = arguments()
    folder = asked.folder or ROOT / ".cache" / "slice-lengths" / f"{asked.fs}-{asked.seed}"
    end_in_order()
    if not asked.score_only:
        plan = trials(asked.seed)
        if any(one.trial not in plan for one in made(folder)):
            sys.exit(f"{folder} has experiments of another seed or version: give a new --folder")
        some = [trial for trial in plan if chosen(trial, asked.only)]
        make(folder, some, asked.fs, asked.labs, f"len{os.getpid()}", Follower(500.0 / asked.labs))
        note_machine(folder)
    say("evaluating with jostle ...")
    every = [one for one in made(folder) if chosen(one.trial, asked.only)]
    rows = [row for one in every for row in rows_of(folder, one, asked.seed)]
    print(printed(rows))
    save(folder, rows)
    if asked.page:
        asked.page.mkdir(parents=True, exist_ok=True)
        save(asked.page, rows)
        # From the rounded data in the file, so that the page is the same whenever it is made.
        about = facts(folder, asked.seed, len(every), asked.fs)
        (asked.page / PAGE).write_text(page(load(asked.page), about))
    return int(any(row.error for row in rows))


if __name__ == "__main__":
    sys.exit(main())
