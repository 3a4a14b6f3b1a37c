"""Shows the list of jobs as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit_around, light_of, table
from jostle.names.users import owner_name
from jostle.report.format.values import byte_count, count, duration, local_time, seconds, zone_name

if TYPE_CHECKING:
    from rich.table import Table

    from jostle.report.verdict.batch_loss import LossNumbers

#: Columns that are left out if the terminal is narrow, in this order. Names of jobs stay.
_OPTIONAL = ("partition", "nodes", "ranks", "procs", "user", "read", "written", "started", "state")


def jobs_table(
    rows: Sequence[Mapping[str, Any]],
    losses: Mapping[str, LossNumbers],
    *,
    keep: str = "",
    parts: bool = False,
) -> Table:
    """Return the table without columns that are equal for all jobs, or do not fit.

    Args:
        rows: Jobs and batch jobs, as from `report.models.batch_jobs.with_batch_jobs`.
        losses: Losses of the jobs by name; empty: the table has no such column.
        keep: Column that is shown in a terminal of any width.
        parts: Whether to show the parts of batch jobs below them.
    """
    lines = [
        (name, each)
        for row in rows
        for name, each in [
            (row["job"], row),
            *([(f"  {part['part']}", part) for part in row.get("parts", [])] if parts else []),
        ]
    ]
    optional = [name for name in _OPTIONAL if name != keep]
    return fit_around([_table(lines, losses, short=short) for short in (False, True)], optional)


def _table(
    lines: Sequence[tuple[str, Mapping[str, Any]]],
    losses: Mapping[str, LossNumbers],
    *,
    short: bool,
) -> Table:
    """Return the table with all columns; a short one has times without year and seconds."""
    rows = [row for _, row in lines]
    owners = {row["uid"]: _owner(row["uid"]) for row in rows}
    users = len(owners) > 1 or None in owners
    nodes, mpi = any(row["hosts"] != 1 for row in rows), any(row["ranks"] for row in rows)
    zones = {zone_name(row["start_ns"]) for row in rows}
    zone = "" if short else f" ({zones.pop()})" if len(zones) == 1 else ""
    columns = ["=job", f"=started{zone}", ">lasted", *(["=light", ">lost"] if losses else [])]
    columns += [">procs", ">read", ">written"]
    columns += [">ranks"] * mpi + [">nodes"] * nodes + ["=user"] * users
    known = any(row.get("scheduler") for row in rows)
    columns += ["=program", *(["=name", "=partition", "=state"] if known else [])]
    frame = table(columns)
    for name, row in lines:
        lasted = duration(max(row["end_ns"] - row["start_ns"], 0))
        started = local_time(row["start_ns"], zone=not zone and not short)
        cells = [
            name,
            started[5:16] if short else started,
            f"{lasted} so far" if row["running"] else lasted,
            *(_loss(losses.get(row["job"])) if losses else []),
            count(row["processes"]),
            byte_count(row["read_bytes"]),
            byte_count(row["written_bytes"]),
        ]
        cells += [count(row["ranks"]) if row["ranks"] else "-"] * mpi
        cells += [count(row["hosts"])] * nodes + [owners[row["uid"]]] * users
        said = row.get("scheduler") or {}
        cells += [row["program"]]
        cells += [said.get(key) or "-" for key in ("name", "partition", "state")] * known
        frame.add_row(*cells)
    return frame


def _loss(loss: LossNumbers | None) -> list[Any]:
    """Return a light and seconds; dashes if nothing is known."""
    if loss is None or loss.lost_s is None:
        return ["-", "-"]
    return [light_of(loss.light), seconds(loss.lost_s.value)]


def _owner(uid: int | None) -> str:
    return "several" if uid is None else owner_name(uid)
