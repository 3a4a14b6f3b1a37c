"""`jostle jobs`: lists the jobs in the repository."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.next_step import steps
from jostle.cli.options.as_user import user_id
from jostle.cli.options.common import (
    Since,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.files.repository_address import is_address, shown
from jostle.names.users import owner_name
from jostle.report.models.batch_jobs import with_batch_jobs, with_part_names
from jostle.report.models.job.scheduler import with_facts
from jostle.report.models.jobs import is_chosen, job_rows

if TYPE_CHECKING:
    from jostle.report.verdict.batch_loss import LossNumbers
    from jostle.repository import Repository

#: Sort keys of the list, in addition to the loss.
_KEYS: Mapping[str, Callable[[dict[str, Any]], Any]] = {
    "started": lambda row: row["start_ns"],
    "job": lambda row: row["job"],
    "lasted": lambda row: row["end_ns"] - row["start_ns"],
    "procs": lambda row: row["processes"],
    "ranks": lambda row: row["ranks"],
    "nodes": lambda row: row["hosts"],
    "read": lambda row: row["read_bytes"],
    "written": lambda row: row["written_bytes"],
    "user": lambda row: "" if row["uid"] is None else owner_name(row["uid"]),
    "program": lambda row: row["program"],
}


@click.command("jobs")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Number of newest jobs to show.",
)
@click.option("--all", "everything", is_flag=True, help="Show all jobs.")
@click.option(
    "--user", "uid", metavar="USER", callback=user_id, help="Only jobs of USER (a name or number)."
)
@click.option(
    "--program", metavar="NAME", help="Only jobs that run program NAME, which may contain * and ?."
)
@click.option(
    "--since", type=Since(), help="Only jobs that ran after this age or time: `2d`, `2026-03-01`."
)
@click.option("--lost", is_flag=True, help="Estimate the loss of each shown job to interference.")
@click.option(
    "--sort",
    type=click.Choice([*_KEYS, "lost"]),
    default="started",
    show_default=True,
    help="Column to sort by, the largest value last.",
)
@click.option("--parts", is_flag=True, help="Show also the script and the steps of each batch job.")
@repository_option
@json_option
def command(
    limit: int,
    everything: bool,
    uid: int | None,
    program: str | None,
    since: int | None,
    lost: bool,
    sort: str,
    parts: bool,
    repository: Path,
    as_json: bool,
) -> None:
    """List the jobs of the repository, the newest last.

    The script, steps and mpiruns of a batch job are one row, under the number of the batch job.
    """
    store = open_repository(repository) if is_address(repository) or repository.exists() else None
    rows = with_batch_jobs(store, job_rows(store)) if store else []
    chosen = [row for row in rows if is_chosen(row, uid, program, since)]
    last = len(chosen) if everything else limit
    losses: dict[str, LossNumbers] = {}
    if sort in _KEYS:
        chosen.sort(key=_KEYS[sort])
    listed = chosen[-last:] if chosen else []
    if store and (lost or sort == "lost"):
        losses = _losses(store, chosen if sort == "lost" else listed, quiet=as_json)
    if sort == "lost":
        listed = sorted(chosen, key=lambda row: _seconds(losses[row["job"]]))[-last:]
    listed = [with_part_names(row) for row in listed]
    listed = with_facts(store, listed) if store else []
    if as_json:
        content = [_json(row, losses) for row in listed]
        left = len(chosen) - len(listed)
        emit_json({"repository": shown(repository), "jobs": content, "left_out": left})
        return
    if not rows:
        show(f"No job is recorded yet in {shown(repository)}.")
        next_steps(*steps("jobs", "nothing"))
        return
    if not listed:
        show(f"None of the {len(rows)} jobs in {shown(repository)} matches.")
        return
    from jostle.cli.views.jobs import jobs_table

    show(jobs_table(listed, losses, keep=sort, parts=parts))
    if len(listed) < len(chosen):
        which = "older" if sort == "started" else "more"
        show(f"{len(chosen) - len(listed)} {which} jobs are not shown (--all).")
    flag = repository_flag(repository)
    next_steps(*steps("jobs", "jobs", listed[-1]["job"], flag=flag))


def _losses(
    store: Repository, rows: Sequence[Mapping[str, Any]], *, quiet: bool
) -> dict[str, LossNumbers]:
    """Estimate the losses of jobs: the numbers of `jostle estimate`."""
    from jostle.report.verdict.batch_loss import batch_loss, job_loss, loss_numbers

    losses: dict[str, LossNumbers] = {}
    with Bar("estimating", quiet=quiet) as bar:
        for number, row in enumerate(rows):
            bar.advance(number, len(rows), f"estimating {row['job']}")
            if "parts" in row:
                whole = batch_loss(store, row)
                losses |= {part.job: loss_numbers(part) for part in whole.parts}
                losses[row["job"]] = loss_numbers(whole)
            else:
                losses[row["job"]] = loss_numbers(job_loss(store, row))
    return losses


def _json(row: dict[str, Any], losses: Mapping[str, LossNumbers]) -> dict[str, Any]:
    """Return a row with its loss, if losses were requested."""
    if losses:
        row = row | {"lost": losses[row["job"]].to_json()}
    if "parts" in row:
        row = row | {"parts": [_json(part, losses) for part in row["parts"]]}
    return row


def _seconds(loss: LossNumbers) -> float:
    return -1.0 if loss.lost_s is None else loss.lost_s.value
