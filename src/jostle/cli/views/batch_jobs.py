"""Shows a batch job as text and tables: its parts, their activity, and their losses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, heading, light_of, table
from jostle.cli.views.estimate import percent_within
from jostle.names.users import owner_name
from jostle.report.format.values import (
    byte_count,
    count,
    duration,
    local_time,
    percent,
    points,
    seconds,
    seconds_within,
    significant,
)
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from rich.table import Table

    from jostle.report.models.job.scheduler import SchedulerFacts
    from jostle.report.verdict.batch_loss import BatchLoss, JobLoss


def headline(row: Mapping[str, Any], facts: SchedulerFacts | None) -> Iterator[Any]:
    """Yield the facts of a batch job: name, owner, size, time, and those of the batch system."""
    name = f"{facts.name}; " if facts and facts.name else ""
    nodes = f"{row['hosts']} node{'s' if row['hosts'] != 1 else ''}"
    yield heading(
        row["title"],
        f"  {name}{row['program']}; {count(len(row['parts']))} parts, "
        f"{count(row['processes'])} processes on {nodes}",
    )
    lasted = duration(row["end_ns"] - row["start_ns"]) + (" so far" if row["running"] else "")
    owner = "several users" if row["uid"] is None else owner_name(row["uid"])
    yield f"from {local_time(row['start_ns'])}, {lasted}; of {owner}"
    yield said_by_scheduler(facts)


def said_by_scheduler(facts: SchedulerFacts | None) -> str:
    """Return the batch system's facts on a job except its name: partition, state, limits."""
    if facts is None:
        return "name, partition, account, state: not known here"
    said = {"partition": facts.partition, "account": facts.account, "state": facts.state}
    words = [f"{key} {value or 'not known'}" for key, value in said.items()]
    return "; ".join([*words, *limits(facts)])


def limits(facts: SchedulerFacts) -> Iterator[str]:
    """Yield resources, waiting time, energy, array and exit code of a batch job."""
    given = [f"{count(facts.cores)} core{'s' * (facts.cores != 1)}"] if facts.cores else []
    if facts.memory_bytes:
        given.append(byte_count(facts.memory_bytes))
    if facts.time_limit_s:
        given.append(f"at most {duration(facts.time_limit_s * 10**9)}")
    if given:
        yield ", ".join(given)
    if facts.waited_s:
        yield f"waited {duration(facts.waited_s * 1e9)} for its start"
    if facts.energy_j:
        yield f"used {count(facts.energy_j)} J"
    if facts.dependency:
        yield f"waited for {facts.dependency}"
    if facts.array_task >= 0:
        yield f"task {facts.array_task} of array {facts.array_job}"
    if facts.het_component >= 0:
        yield f"component {facts.het_component} of job {facts.het_job}"
    if facts.exit not in ("", "0:0"):
        code, _, signal = facts.exit.partition(":")
        yield f"exit code {code}" if signal == "0" else f"signal {signal}"


def digest_view(row: Mapping[str, Any], facts: SchedulerFacts | None) -> Iterator[Any]:
    """Yield a batch job as a whole.

    Args:
        row: Row of the batch job, with CPU time (report.models.batch_jobs.batch_row).
        facts: Facts of the batch system about it.
    """
    yield from headline(row, facts)
    yield from ("", heading("Parts"))
    columns = [
        "=part",
        "=program",
        ">began",
        ">lasted",
        ">procs",
        ">ranks",
        ">cores busy",
        ">read",
        ">written",
    ]
    frame = table(columns)
    for part in row["parts"]:
        began = (part["start_ns"] - row["start_ns"]) / 1e9
        frame.add_row(part["part"], part["program"], f"+{seconds(began)}", *_did(part))
    frame.add_section()
    frame.add_row("all", "", "", *_did(row))
    yield fit(frame, "began", "ranks", "procs", "cores busy")
    yield "12.batch is the script, 12.0 a step.".replace("12", row["job"].partition("@")[0])


def _did(row: Mapping[str, Any]) -> list[str]:
    return [
        duration(row["end_ns"] - row["start_ns"]),
        count(row["processes"]),
        count(row["ranks"]) if row["ranks"] else "-",
        significant(row["cores_busy"]),
        byte_count(row["read_bytes"]),
        byte_count(row["written_bytes"]),
    ]


def estimate_view(row: Mapping[str, Any], loss: BatchLoss) -> Iterator[Any]:
    """Yield the loss of a batch job: of the whole, then of each part.

    Args:
        row: Row of the batch job.
        loss: Loss of the batch job; its parts are in the order of the row.
    """
    yield verdict(row, loss)
    if not math.isnan(loss.lost_s.value):
        lost, run = seconds_within(loss.lost_s), seconds(loss.run_s)
        yield f"{lost} of {run} lost; covered: {percent(loss.coverage)} of the time"
    if loss.lit.decided_by:
        yield f"what would decide it: {loss.lit.decided_by}"
    yield from ("", heading("Parts"), _losses(row, loss))
    yield (
        "If steps ran at the same time, only the last one counts. The script has the time that it "
        "lost between steps."
    )


def verdict(row: Mapping[str, Any], loss: BatchLoss) -> Any:
    """Return the verdict: `red  Slurm job 12 lost 31 % ± 3 of its time: file system`."""
    from rich.text import Text

    if math.isnan(loss.percent.value):
        said = f"  {row['title']}: {loss.lit.undecided}"
        return Text.assemble(light_of(None, "bold "), (said, "bold"))
    said = f"  {row['title']} lost {percent_within(loss.percent)} of its time"
    why = f": {loss.cause}" if loss.cause else ""
    undecided = f"; {loss.lit.undecided}" if loss.lit.undecided else ""
    return Text.assemble(light_of(loss.lit.light, "bold "), (said, "bold"), why, undecided)


def _losses(row: Mapping[str, Any], loss: BatchLoss) -> Table:
    frame = table(
        ["=part", "=program", ">lasted", "=light", ">lost", ">95 %", ">of its time", "mostly"]
    )
    for part, lost in zip(row["parts"], loss.parts, strict=True):
        lasted = duration(part["end_ns"] - part["start_ns"])
        numbers = lost.head
        if numbers is None:
            frame.add_row(part["part"], part["program"], lasted, "-", "", "", "", lost.why)
            continue
        frame.add_row(
            part["part"],
            part["program"],
            lasted,
            light_of(numbers.light),
            seconds(numbers.lost_s.value),
            f"{seconds(numbers.lost_s.low)} to {seconds(numbers.lost_s.high)}",
            f"{points(numbers.percent.value)} %",
            numbers.what,
        )
    return fit(frame, "of its time", "lasted", "95 %")


def line(row: Mapping[str, Any], loss: JobLoss | BatchLoss, facts: SchedulerFacts | None) -> str:
    """Return a job in one line: run time, loss and light, cores busy, bytes.

    Args:
        row: The row of a job or of a batch job, with its CPU time.
        loss: Loss of the job.
        facts: Facts of the batch system about it.
    """
    named = f" {facts.name}" if facts and facts.name else ""
    words = [
        duration(row["end_ns"] - row["start_ns"]),
        lost_words(loss),
        f"{significant(row['cores_busy'])} cores busy",
        f"read {byte_count(row['read_bytes'])}",
        f"written {byte_count(row['written_bytes'])}",
    ]
    name = f"{row['job']}{named} ({row['program']})"
    return one_line(f"{name}: {', '.join(words)}")


def lost_words(loss: JobLoss | BatchLoss) -> str:
    """Return the traffic light and the loss with its cause, or why the loss is not known."""
    from jostle.report.verdict.batch_loss import loss_numbers

    numbers = loss_numbers(loss)
    if numbers.lost_s is None or numbers.percent is None:
        return f"loss not known ({numbers.why})"
    interval = f"{seconds(numbers.lost_s.low)} to {seconds(numbers.lost_s.high)}"
    lost = f"lost {seconds(numbers.lost_s.value)} ({interval}), {points(numbers.percent.value)} %"
    return f"{numbers.light or 'undecided'}: {lost}" + (
        f" to {numbers.cause}" if numbers.cause else ""
    )
