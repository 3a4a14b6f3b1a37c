"""`jostle jobs`: what the repository holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.config import owner_name
from jostle.cli.format import byte_count, count, duration, iso_time, local_time, zone_name
from jostle.cli.options import (
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, fit, next_steps, show, table

if TYPE_CHECKING:
    from jostle.repository import Repository

_BYTES = """
SELECT job, sum(posix_read_bytes_sum + stdio_read_bytes_sum)::BIGINT AS read_bytes,
       sum(posix_write_bytes_sum + stdio_write_bytes_sum)::BIGINT AS written_bytes
FROM rollup GROUP BY job
"""
_SEEN = """
SELECT job, max((slice + 1) * slice_ns) AS seen_ns FROM node_rollup
WHERE list_contains(?, job) GROUP BY job
"""
_RANKS = """
SELECT job, program, count(*) AS ranks, min(mpi_library) AS library FROM processes
WHERE (world_size > 0 OR mpi_adapter >= 2) AND job = coalesce(?, job)
GROUP BY job, program ORDER BY ranks DESC, program
"""


def mpi_programs(store: Repository, job: str | None = None) -> dict[str, dict[str, Any]]:
    """Return, for each job (or one) that has MPI ranks: ranks, programs and mpi_library."""
    found: dict[str, dict[str, Any]] = {}
    for row in store.query(_RANKS, [job]).to_pylist():
        known = found.setdefault(row["job"], {"ranks": 0, "programs": {}, "mpi_library": None})
        known["ranks"] += row["ranks"]
        known["programs"][Path(row["program"] or "?").name] = row["ranks"]
        known["mpi_library"] = known["mpi_library"] or row["library"] or None
    return found


NO_MPI: dict[str, Any] = {"ranks": 0, "programs": {}, "mpi_library": None}


@click.command("jobs")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True,
              metavar="N", help="Show the N newest.")  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Show all of them.")
@repository_option
@json_option
def command(limit: int, everything: bool, repository: Path, as_json: bool) -> None:
    """List the jobs of the repository, the newest last."""
    rows = job_rows(repository)
    shown = rows if everything else rows[-limit:]
    if as_json:
        emit_json(
            {"repository": str(repository), "jobs": shown, "left_out": len(rows) - len(shown)}
        )
        return
    if not rows:
        show(f"No jobs yet in {repository}.")
        next_steps("jostle run -- CMD", "jostle demo")
        return
    _print(shown)
    if len(shown) < len(rows):
        show(f"{len(rows) - len(shown)} older jobs are not shown (--all).")
    flag = repository_flag(repository)
    newest = shown[-1]["job"]
    next_steps(f"jostle digest{flag} {newest}", f"jostle timeline{flag} {newest}")


def job_rows(repository: Path) -> list[dict[str, Any]]:
    """Return the jobs, oldest first, with their traffic; none where there is no repository."""
    if not repository.exists():
        return []
    store = open_repository(repository)
    traffic = {row["job"]: row for row in store.query(_BYTES).to_pylist()}
    mpi = mpi_programs(store)
    rows = []
    found = store.jobs().to_pylist()
    # The table of processes is not renewed with every slice, the rollup is.
    running = [row["job"] for row in found if row["running"]]
    seen = {row["job"]: row["seen_ns"] for row in store.query(_SEEN, [running]).to_pylist()}
    for row in found:
        row["end_ns"] = max(row["end_ns"], seen.get(row["job"], 0))
        moved = traffic.get(row["job"], {})
        row["start"], row["end"] = iso_time(row["start_ns"]), iso_time(row["end_ns"])
        row["read_bytes"] = moved.get("read_bytes") or 0
        row["written_bytes"] = moved.get("written_bytes") or 0
        row |= mpi.get(row["job"], NO_MPI)
        rows.append(row)
    return sorted(rows, key=lambda row: (row["start_ns"], row["job"]))


def program_names(row: dict[str, Any]) -> str:
    """Return what a job runs: the programs of its ranks (not mpirun), else its program."""
    names = list(row["programs"])
    if len(names) > 2:
        return f"{', '.join(names[:2])}, ..."
    return ", ".join(names) or Path(row["program"] or "?").name


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
        cells += [program_names(row)]
        frame.add_row(*cells)
    show(fit(frame, "program", "user", "nodes", "ranks"))


def _owner(uid: int | None) -> str:
    return "several" if uid is None else owner_name(uid)
