#!/usr/bin/env python3
"""Scores whether changes that jostle advises save as much time as predicted.

    lab/bench/proofs/advice.py [--seed S] [--only LEVER-OR-NUMBER]... [--folder DIR]
                               [--score-only] [--page [DIR]]

Thirty-two experiments drawn from the seed, with eight levers and with none that helps, in labs
with SSHFS and CephFS, one after the other (needs root, Ceph's servers, Slurm, Open MPI and a C
compiler; about an hour on a machine that does nothing else). Each runs without the change, jostle
predicts the saving, and it runs with the change. A killed measurement continues where it was;
experiments that failed are tried again. The method: lab/docs/how-to/validate.md. Exit status 1 when
an experiment failed.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # lab/bench

from jostle_lab.plot.advice import save_savings
from jostle_lab.validation.advice.page import PAGE, load, page, printed, save
from jostle_lab.validation.advice.plan import KINDS, experiments
from jostle_lab.validation.advice.predictions import foresee
from jostle_lab.validation.advice.runner import Record, make, records, repository_of
from jostle_lab.validation.advice.score import Row, assess, failed
from jostle_lab.validation.errors import why
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

_EACH_S = 95.0


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = options(__doc__, ".cache/advice/SEED", KINDS)
    parser.add_argument("--seed", type=int, default=1, help="seed of everything that is drawn")
    return parser.parse_args()


def rows_of(folder: Path, record: Record, seed: int) -> list[Row]:
    """Ask jostle about an experiment; if that fails, the row has the reason."""
    if record.error:
        return [failed(record, record.error)]
    one = record.experiment
    try:
        return assess(record, foresee(repository_of(folder, one), one, record.mark, seed))
    except Exception as error:  # a defect in one answer must not hide the others
        return [failed(record, why(error))]


def main() -> int:
    """Run what is missing, score all, print and write; return the exit status."""
    asked = arguments()
    folder = asked.folder or ROOT / ".cache" / "advice" / str(asked.seed)
    end_in_order()
    if not asked.score_only:
        plan = experiments(asked.seed)
        if any(one.experiment not in plan for one in records(folder)):
            sys.exit(f"{folder} has experiments of another seed or version: give a new --folder")
        some = [one for one in plan if is_chosen(asked.only, one.lever, one.number)]
        make(folder, some, f"adv{os.getpid()}", asked.seed, Follower(_EACH_S))
        note_machine(folder)
    say("evaluating with jostle ...")
    made = [
        one
        for one in records(folder)
        if is_chosen(asked.only, one.experiment.lever, one.experiment.number)
    ]
    rows = [row for record in made for row in rows_of(folder, record, asked.seed)]
    print(printed(rows))
    save(folder, rows)
    if asked.page:
        save(asked.page, rows)
        # From the rounded data in the file, so that the page is the same whenever it is made.
        rounded = load(asked.page)
        save_savings(rounded, asked.page)
        (asked.page / PAGE).write_text(page(rounded, facts(folder, asked.seed, len(made))))
    return int(any(row.error for row in rows))


if __name__ == "__main__":
    sys.exit(main())
