#!/usr/bin/env python3
"""Scores jostle on CephFS: the suspect, the resource and the loss that it names.

    lab/bench/proofs/who_hurts_whom.py [--seed S] [--only GROUP-OR-NUMBER]... [--folder DIR]
                                       [--score-only] [--page [DIR]]

Twenty experiments of seven kinds and ten quiet ones, drawn from the seed, in one lab with agents on
all hosts (needs root, and Ceph's servers; about half an hour on a machine that does nothing else).
A killed measurement continues where it was; experiments that failed are tried again. The method:
lab/docs/how-to/validate.md. Exit status 1 when an experiment failed.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # lab/bench

from jostle.analysis import JobInterference, identify
from jostle.repository import Repository
from jostle_lab.validation.cephfs.page import PAGE, load, page, printed, save
from jostle_lab.validation.cephfs.plan import GROUPS, QUIET, Experiment, experiments
from jostle_lab.validation.cephfs.runner import Record, Run, make, records
from jostle_lab.validation.cephfs.score import Row, assess, failed
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


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = options(__doc__, ".cache/who-hurts-whom/SEED", (*GROUPS, QUIET))
    parser.add_argument("--seed", type=int, default=1, help="seed of everything that is drawn")
    return parser.parse_args()


def chosen(plan: list[Experiment], only: list[str] | None) -> list[Experiment]:
    """The requested experiments."""
    return [one for one in plan if is_chosen(only, one.group, one.number)]


def row_of(repository: Repository, record: Record, seed: int) -> Row:
    """Evaluate an experiment with jostle; if that fails, the row has the reason."""
    if record.run is None:
        return failed(record, record.error)

    def ask(run: Run) -> JobInterference:
        return identify(repository.alongside(run.job), seed=seed)

    try:
        without = None if record.without is None else ask(record.without)
        return assess(record, ask(record.run), without)
    except Exception as error:  # a defect in one answer must not hide the others
        return failed(record, why(error))


def main() -> int:
    """Run what is missing, score all, print and write; return the exit status."""
    asked = arguments()
    folder = asked.folder or ROOT / ".cache" / "who-hurts-whom" / str(asked.seed)
    end_in_order()
    if not asked.score_only:
        plan = experiments(asked.seed)
        if any(one.experiment not in plan for one in records(folder)):
            sys.exit(f"{folder} has experiments of another seed or version: give a new --folder")
        make(folder, chosen(plan, asked.only), f"who{os.getpid()}", Follower(50.0))
        note_machine(folder)
    made = [one for one in records(folder) if chosen([one.experiment], asked.only)]
    say("evaluating with jostle ...")
    repository = Repository(folder / "repository")
    rows = [row_of(repository, record, asked.seed) for record in made]
    print(printed(rows, asked.seed))
    save(folder, asked.seed, rows)
    if asked.page:
        asked.page.mkdir(parents=True, exist_ok=True)
        save(asked.page, asked.seed, rows)
        # From the rounded data in the file, so that the page is the same whenever it is made.
        about = facts(folder, asked.seed, len(rows))
        (asked.page / PAGE).write_text(page(load(asked.page), asked.seed, about))
    return int(any(row.error for row in rows))


if __name__ == "__main__":
    sys.exit(main())
