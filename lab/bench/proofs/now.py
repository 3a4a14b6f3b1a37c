#!/usr/bin/env python3
"""Scores how soon, and how well, jostle shows which neighbour has begun to slow a running job.

    lab/bench/proofs/now.py [--seed S] [--only FILE-SYSTEM-OR-NUMBER]... [--folder DIR]
                            [--score-only] [--page [DIR]]

A hundred disturbances of eight kinds, at random times during twenty sessions of three to six jobs,
drawn from the seed, in labs with SSHFS and with CephFS and agents on all hosts (needs root, two
cores, Ceph's servers and Open MPI; about an hour on a machine that does nothing else). jostle is
asked while the jobs run. A killed measurement continues where it was; sessions that failed are
tried again. The method: lab/docs/how-to/validate.md. Exit status 1 when a session failed.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # lab/bench

from jostle_lab.validation.errors import why
from jostle_lab.validation.now.page import PAGE, load, page, printed, save
from jostle_lab.validation.now.plan import FILE_SYSTEMS, Session, sessions
from jostle_lab.validation.now.runner import Record, answers, make, records
from jostle_lab.validation.now.score import Row, SessionRow, alarms, assess, failed, without_alarms
from proofs.experiments import ROOT, Follower, end_in_order, measured, note_machine, options

_EACH_S = 165.0


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = options(__doc__, ".cache/now/SEED", FILE_SYSTEMS)
    parser.add_argument("--seed", type=int, default=1, help="seed of everything that is drawn")
    return parser.parse_args()


def chosen(plan: list[Session], only: list[str] | None) -> list[Session]:
    """The requested sessions."""
    return [one for one in plan if not only or {one.fs, str(one.number)} & set(only)]


def rows_of(folder: Path, record: Record) -> tuple[list[Row], SessionRow]:
    """Assess jostle's answers in a session; if that fails, the rows have the reason."""
    error = record.error
    if not error:
        try:
            found = answers(folder, record)
            return assess(record, found), alarms(record, found)
        except Exception as broken:  # a defect in one session must not hide the others
            error = why(broken)
    return failed(record, error), without_alarms(record, error)


def main() -> int:
    """Run what is missing, score all, print and write; return the exit status."""
    asked = arguments()
    folder = asked.folder or ROOT / ".cache" / "now" / str(asked.seed)
    end_in_order()
    if not asked.score_only:
        plan = sessions(asked.seed)
        if any(one.session not in plan for one in records(folder)):
            sys.exit(f"{folder} has sessions of another seed or version: give a new --folder")
        make(folder, chosen(plan, asked.only), f"now{os.getpid()}", Follower(_EACH_S))
        note_machine(folder)
    made = [one for one in records(folder) if chosen([one.session], asked.only)]
    found = [rows_of(folder, record) for record in made]
    rows, of_sessions = [row for some, _ in found for row in some], [each for _, each in found]
    print(printed(rows, of_sessions))
    save(folder, rows, of_sessions)
    if asked.page:
        save(asked.page, rows, of_sessions)
        facts = measured(folder, f"with seed {asked.seed}", f"{len(made)} sessions.")
        # From the rounded data in the file, so that the page is the same whenever it is made.
        (asked.page / PAGE).write_text(page(*load(asked.page), facts))
    return int(any(row.error for row in rows))


if __name__ == "__main__":
    sys.exit(main())
