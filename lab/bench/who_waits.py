#!/usr/bin/env python3
"""Whether jostle names the rank that others wait for, since when, and why.

    lab/bench/who_waits.py [--seed S] [--only KIND-OR-NUMBER]... [--folder DIR] [--score-only]
                           [--page [DIR]]

A hundred injections (CPU limits, processes on the core of a rank, limits of a disk or a link of one
node, more work of one rank) in fifty runs of an MPI program, and fifty quiet runs, drawn from the
seed, in one lab (needs root, control groups of version 1 and Open MPI; about fifty minutes on a
machine that does nothing else). A killed measurement goes on where it was; experiments that failed
are tried again. How it is scored: lab/docs/how-to/validate.md. Exit status 1 when an experiment
failed.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys
import time
from pathlib import Path
from typing import Any

from jostle.analysis import waits_of
from jostle.repository import Repository
from jostle_lab.validation.errors import why
from jostle_lab.validation.waits.plan import KINDS, Experiment, experiments
from jostle_lab.validation.waits.runner import Record, make, records
from jostle_lab.validation.waits.score import PAGE, Row, failed, judge, page, printed, save

ROOT = Path(__file__).resolve().parents[2]
_EACH_S = 32.0


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn")
    parser.add_argument(
        "--only",
        action="append",
        metavar="WHAT",
        help=f"a number, or a kind: {', '.join(KINDS)}; repeatable",
    )
    parser.add_argument("--folder", type=Path, help="for runs [.cache/who-waits/SEED]")
    parser.add_argument(
        "--score-only", action="store_true", help="run nothing, score what is there"
    )
    parser.add_argument(
        "--page",
        type=Path,
        nargs="?",
        const=ROOT / "docs" / "measurements",
        metavar="DIR",
        help="write the page and its data there [docs/measurements]",
    )
    return parser.parse_args()


def chosen(plan: list[Experiment], only: list[str] | None) -> list[Experiment]:
    """The experiments that are asked for."""
    return [one for one in plan if not only or {one.kind, str(one.number)} & set(only)]


class Follower:
    """Shows how far it is, and about how long it will take."""

    def __init__(self) -> None:
        self._began, self._first = time.monotonic(), -1

    def __call__(self, done: int, total: int, what: str) -> None:
        """Called before each experiment."""
        if self._first < 0:
            self._first = done
        spent = time.monotonic() - self._began
        each = spent / (done - self._first) if done > self._first else _EACH_S
        left = each * (total - done) / 60
        print(f"{done + 1} of {total}, about {left:.0f} min left: {what}", file=sys.stderr)


def ended(*_: Any) -> None:
    """End in order: the lab is taken down."""
    raise KeyboardInterrupt


def rows_of(repository: Repository, record: Record, seed: int) -> list[Row]:
    """Ask jostle of an experiment; one that cannot be judged has rows, too."""
    if record.error:
        return failed(record, record.error)
    try:
        tables = repository.rank_tables(record.job)
        return judge(record, waits_of(tables, lambda: repository.rank_peers(record.job), seed=seed))
    except Exception as error:  # a defect in one answer must not hide the others
        return failed(record, why(error))


def machine() -> str:
    """Say when and on what it was measured."""
    day = time.strftime("%Y-%m-%d")
    cores = f"{os.cpu_count()} cores, Linux {platform.release()}"
    return f"{day} on {cores}, load at the end {os.getloadavg()[0]:.1f}"


def main() -> int:
    """Run what is missing, score all, print and write; return the exit status."""
    asked = arguments()
    folder = asked.folder or ROOT / ".cache" / "who-waits" / str(asked.seed)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, ended)
    if not asked.score_only:
        plan = experiments(asked.seed)
        if any(one.experiment not in plan for one in records(folder)):
            sys.exit(f"{folder} has experiments of another seed or version: name a new --folder")
        make(folder, chosen(plan, asked.only), f"waits{os.getpid()}", Follower())
        (folder / "machine").write_text(machine())
    made = [one for one in records(folder) if chosen([one.experiment], asked.only)]
    repository = Repository(folder / "repository")
    rows = [row for record in made for row in rows_of(repository, record, asked.seed)]
    print(printed(rows))
    save(folder, rows)
    if asked.page:
        save(asked.page, rows)
        known = folder / "machine"
        where = f", {known.read_text()}" if known.exists() else ""
        facts = f"Measured with seed {asked.seed}{where}: {len(made)} runs."
        (asked.page / PAGE).write_text(page(rows, facts))
    return int(any(row.error for row in rows))


if __name__ == "__main__":
    sys.exit(main())
