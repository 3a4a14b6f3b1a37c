#!/usr/bin/env python3
"""Scores whether jostle names the rank for which others wait, with the begin and the cause.

    lab/bench/proofs/who_waits.py [--seed S] [--only KIND-OR-NUMBER]... [--folder DIR]
                                  [--score-only] [--page [DIR]]

A hundred injections (CPU limits, processes on the core of a rank, limits of a disk or a link of one
node, more work of one rank) in fifty runs of an MPI program, and fifty quiet runs, drawn from the
seed, in one lab (needs root, control groups of version 1 and Open MPI; about fifty minutes on a
machine that does nothing else). A killed measurement continues where it was; experiments that
failed are tried again. The method: lab/docs/how-to/validate.md. Exit status 1 when an experiment
failed.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # lab/bench

from jostle.analysis import waits_of
from jostle.repository import Repository
from jostle_lab.validation.errors import why
from jostle_lab.validation.waits.plan import KINDS, Experiment, experiments
from jostle_lab.validation.waits.runner import Record, make, records
from jostle_lab.validation.waits.score import PAGE, Row, assess, failed, page, printed, save
from proofs.experiments import ROOT, Follower, end_in_order, facts, is_chosen, note_machine, options

_EACH_S = 32.0


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = options(__doc__, ".cache/who-waits/SEED", KINDS)
    parser.add_argument("--seed", type=int, default=1, help="seed of everything that is drawn")
    return parser.parse_args()


def chosen(plan: list[Experiment], only: list[str] | None) -> list[Experiment]:
    """The requested experiments."""
    return [one for one in plan if is_chosen(only, one.kind, one.number)]


def rows_of(repository: Repository, record: Record, seed: int) -> list[Row]:
    """Evaluate an experiment with jostle; if that fails, the rows have the reason."""
    if record.error:
        return failed(record, record.error)
    try:
        tables = repository.rank_tables(record.job)
        return assess(
            record, waits_of(tables, lambda: repository.rank_peers(record.job), seed=seed)
        )
    except Exception as error:  # a defect in one answer must not hide the others
        return failed(record, why(error))


def main() -> int:
    """Run what is missing, score all, print and write; return the exit status."""
    asked = arguments()
    folder = asked.folder or ROOT / ".cache" / "who-waits" / str(asked.seed)
    end_in_order()
    if not asked.score_only:
        plan = experiments(asked.seed)
        if any(one.experiment not in plan for one in records(folder)):
            sys.exit(f"{folder} has experiments of another seed or version: give a new --folder")
        make(folder, chosen(plan, asked.only), f"waits{os.getpid()}", Follower(_EACH_S))
        note_machine(folder)
    made = [one for one in records(folder) if chosen([one.experiment], asked.only)]
    repository = Repository(folder / "repository")
    rows = [row for record in made for row in rows_of(repository, record, asked.seed)]
    print(printed(rows))
    save(folder, rows)
    if asked.page:
        asked.page.mkdir(parents=True, exist_ok=True)
        save(asked.page, rows)
        (asked.page / PAGE).write_text(page(rows, facts(folder, asked.seed, len(made))))
    return int(any(row.error for row in rows))


if __name__ == "__main__":
    sys.exit(main())
