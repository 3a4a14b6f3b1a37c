"""Reads the output of Slurm's `sacct -P`: a line with the names of columns, then one per job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, tzinfo

from jostle.imports.accounting.model import (
    MOST_TEXT,
    AccountedJob,
    AccountingError,
    expanded,
    number_of,
    seconds_of,
    state_of,
)
from jostle.values.plain_values import one_line

#: Columns that must be there.
_NEEDED = ("JobIDRaw", "Submit", "Start", "End", "State")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_NONE = frozenset({"", "Unknown", "None", "None assigned", "(null)", "N/A"})


def read_sacct(
    lines: Iterable[str], zone: tzinfo | None = None
) -> Iterator[tuple[int, AccountedJob | str]]:
    """Read the output of `sacct -P`.

    Args:
        lines: Lines of the output.
        zone: Time zone of the times; None: that of this machine. It does not matter for times in s
            since the epoch.

    Yields:
        The number of each line, and the job or the reason why it cannot be used. A job is yielded
        after all of its steps, since Slurm may count energy for the steps only.

    Raises:
        AccountingError: The first line does not name the columns that are needed.
    """
    numbered = enumerate(lines, 1)
    _, first = next(numbered, (1, ""))
    columns = first.strip().split("|")
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise AccountingError(f"the first line does not name the columns {', '.join(missing)}")
    waiting: tuple[int, AccountedJob] | None = None
    steps_j = 0
    for number, line in numbered:
        cells = _cells(line.rstrip("\n"), columns)
        if cells is None:
            if line.strip():
                yield number, "it has not as many columns as the first line"
            continue
        job, _, step = cells["JobIDRaw"].partition(".")
        if step and job.isdecimal():
            if waiting is not None and waiting[1].id == job and step != "extern":
                steps_j += number_of(cells.get("ConsumedEnergyRaw", ""))
            continue
        if waiting is not None:
            yield _done(*waiting, steps_j)
        waiting, steps_j = None, 0
        try:
            waiting = number, _job(cells["JobIDRaw"], cells, zone)
        except AccountingError as error:
            yield number, str(error)
    if waiting is not None:
        yield _done(*waiting, steps_j)


def _done(number: int, job: AccountedJob, steps_j: int) -> tuple[int, AccountedJob]:
    return number, job if job.energy_j else replace(job, energy_j=steps_j)


def _cells(line: str, columns: list[str]) -> dict[str, str] | None:
    """Return a line's cells by column; of all cells, only a job's name may hold the separator."""
    cells = line.split("|")
    more = len(cells) - len(columns)
    if more and "JobName" in columns and more > 0:
        at = columns.index("JobName")
        cells[at : at + more + 1] = ["|".join(cells[at : at + more + 1])]
    return dict(zip(columns, cells, strict=True)) if len(cells) == len(columns) else None


def _job(number: str, cells: dict[str, str], zone: tzinfo | None) -> AccountedJob:
    def text(name: str, most: int | None = MOST_TEXT) -> str:
        value = one_line(cells.get(name, "").strip()[:most])
        return "" if value in _NONE else value

    state = state_of(text("State"))
    # For a job that has not ended, sacct may print the end of the requested period.
    is_over = state not in ("running", "pending", "suspended", "requeued", "completing")
    found = AccountedJob(
        system="slurm",
        cluster=text("Cluster"),
        id=number,
        name=text("JobName"),
        user=text("User"),
        uid=int(text("UID")) if text("UID").isdecimal() else -1,
        account=text("Account"),
        partition=text("Partition"),
        submit_s=_instant(text("Submit"), zone),
        start_s=_instant(text("Start"), zone),
        end_s=_instant(text("End"), zone) if is_over else 0,
        state=state,
        exit=text("ExitCode"),
        nodes=expanded(text("NodeList", None)),
        cores=number_of(text("AllocCPUS") or text("AllocCPUs")),
        memory_bytes=_memory(text("ReqMem")),
        time_limit_s=seconds_of(text("Timelimit")),
        energy_j=number_of(text("ConsumedEnergyRaw")),
    )
    found.check()
    return found


def _instant(text: str, zone: tzinfo | None) -> int:
    """Return s since the epoch; 0 for a time that is not known."""
    if not text:
        return 0
    if text.isdecimal():
        return int(text)
    try:
        at = datetime.fromisoformat(text)
        return int((at if at.tzinfo or zone is None else at.replace(tzinfo=zone)).timestamp())
    except (ValueError, OverflowError, OSError) as error:
        raise AccountingError("one of the job's times is not valid") from error


def _memory(text: str) -> int:
    """Return the bytes of a text such as 4G or 1500Mn (n: per node; c: per core)."""
    text = text.rstrip("nc")
    unit = _UNITS.get(text[-1:].upper(), 0)
    number = text[:-1] if unit else text
    try:
        return int(float(number) * (unit or 1 << 20)) if number else 0
    except (ValueError, OverflowError):
        return 0
