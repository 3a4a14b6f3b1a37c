"""`jostle jobs`: what the repository holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from jostle.cli.next_step import steps
from jostle.cli.options.common import (
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, fit, next_steps, show, table
from jostle.report.format.users import owner_name
from jostle.report.format.values import byte_count, count, duration, local_time, zone_name
from jostle.report.models.jobs import job_rows


@click.command("jobs")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True,
              metavar="N", help="Show the N newest.")  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Show all of them.")
@repository_option
@json_option
def command(limit: int, everything: bool, repository: Path, as_json: bool) -> None:
    """List the jobs of the repository, the newest last."""
    rows = job_rows(open_repository(repository)) if repository.exists() else []
    shown = rows if everything else rows[-limit:]
    if as_json:
        emit_json(
            {"repository": str(repository), "jobs": shown, "left_out": len(rows) - len(shown)}
        )
        return
    if not rows:
        show(f"No jobs yet in {repository}.")
        next_steps(*steps("jobs", "nothing"))
        return
    _print(shown)
    if len(shown) < len(rows):
        show(f"{len(rows) - len(shown)} older jobs are not shown (--all).")
    flag = repository_flag(repository)
    newest = shown[-1]["job"]
    next_steps(*steps("jobs", "jobs", newest, flag=flag))


def _print(rows: list[dict[str, Any]]) -> None:
    """Print the table; columns that say the same of every job, or find no room, are left out."""
    owners = {row["uid"]: _owner(row["uid"]) for row in rows}
    users = len(owners) > 1 or None in owners
    nodes = any(row["hosts"] != 1 for row in rows)
    zones = {zone_name(row["start_ns"]) for row in rows}
    zone = f" ({zones.pop()})" if len(zones) == 1 else ""
    columns = ["=job", f"=started{zone}", ">lasted", ">procs", ">read", ">written"]
    mpi = any(row["ranks"] for row in rows)
    columns += [">ranks"] * mpi + [">nodes"] * nodes + ["=user"] * users + ["=program"]
    frame = table(columns)
    for row in rows:
        lasted = duration(max(row["end_ns"] - row["start_ns"], 0))
        cells = [
            row["job"],
            local_time(row["start_ns"], zone=not zone),
            f"{lasted} so far" if row["running"] else lasted,
            count(row["processes"]),
            byte_count(row["read_bytes"]),
            byte_count(row["written_bytes"]),
        ]
        cells += [count(row["ranks"]) if row["ranks"] else "-"] * mpi
        cells += [count(row["hosts"])] * nodes + [owners[row["uid"]]] * users
        cells += [row["program"]]
        frame.add_row(*cells)
    show(fit(frame, "program", "user", "nodes", "ranks"))


def _owner(uid: int | None) -> str:
    return "several" if uid is None else owner_name(uid)
