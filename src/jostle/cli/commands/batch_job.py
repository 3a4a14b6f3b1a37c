"""Output of verbs for a whole batch job, such as Slurm job 12 with its script and its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.next_step import steps
from jostle.cli.options.common import open_repository
from jostle.cli.output import emit_json, heading, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import JostleError, UsageError
from jostle.names.batch_jobs import batch_job_of, part_name
from jostle.report.format.values import count
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from jostle.repository import Repository

#: Most parts in next steps: those that ran longest.
_MOST_NEXT = 4


def refuse_files(parts: Sequence[str], asked: str | None) -> None:
    """Refuse options that write figures or intervals, which exist for parts, but not for the whole.

    Raises:
        UsageError: Such an option was given.
    """
    batch = batch_job_of(parts[0])
    if asked and batch is not None:
        names = list(map(part_name, reversed(parts)))
        raise UsageError(
            f"{batch.title} has several parts; files can be written for one part only.",
            hint=f"Name one of the parts: {', '.join(names[:5])}.",
        )


def digest_parts(store: Repository, parts: Sequence[str], flag: str, *, as_json: bool) -> None:
    """Show the digests of a batch job's parts; `flag` is the repository's option in next steps."""
    from jostle.cli.views.batch_jobs import digest_view
    from jostle.report.models.batch_jobs import batch_row
    from jostle.report.models.job.scheduler import scheduler_facts

    with Bar("reading slices", quiet=as_json):
        row = batch_row(store, parts)
        facts = scheduler_facts(store, row)
    if as_json:
        emit_json({"batch_job": row, "scheduler": facts and facts.to_json()})
        return
    show(*digest_view(row, facts))
    next_steps(f"jostle estimate{flag} {row['job']}", *_digests(row, flag))


def _digests(row: Mapping[str, Any], flag: str) -> list[str]:
    """Return the `jostle digest` commands for the parts that ran longest, in the parts' order."""
    longest = sorted(row["parts"], key=lambda part: part["start_ns"] - part["end_ns"])[:_MOST_NEXT]
    return [f"jostle digest{flag} {part['part']}" for part in row["parts"] if part in longest]


def estimate_parts(
    store: Repository,
    parts: Sequence[str],
    how: Mapping[str, Any],
    viewer: int | None,
    flag: str,
    *,
    as_json: bool,
) -> None:
    """Show the loss of a batch job to interference, for the whole and for each part."""
    from jostle.cli.views.batch_jobs import estimate_view
    from jostle.report.models.batch_jobs import batch_row
    from jostle.report.verdict.batch_loss import batch_loss

    with Bar("estimating", quiet=as_json) as bar:
        row = batch_row(store, parts)
        loss = batch_loss(store, row, how, viewer=viewer, say=bar.advance)
    if as_json:
        emit_json({"batch_job": row, "loss": loss.to_json()})
        return
    show(*estimate_view(row, loss))
    worst = max(
        (part for part in loss.parts if part.head),
        default=None,
        key=lambda part: (part.job != row["script"], part.head.lost_s.value if part.head else 0.0),
    )
    seen = f" --as-user {viewer}" if viewer is not None else ""
    if worst is not None:
        name = part_name(worst.job)
        next_steps(f"jostle estimate{flag}{seen} {name}", f"jostle interference{flag}{seen} {name}")
    else:
        next_steps(*steps("estimate", "too few slices", str(row["parts"][0]["job"]), flag=flag))


def interference_parts(
    store: Repository,
    parts: Sequence[str],
    seed: int,
    viewer: int | None,
    flag: str,
    *,
    as_json: bool,
) -> None:
    """Show which jobs slowed the parts of a batch job, except parts that are too short."""
    from jostle.analysis.estimation.light import LEAST_RUN_S
    from jostle.cli.views.interference import in_short
    from jostle.report.models.batch_jobs import batch_row
    from jostle.report.verdict.verdict import evaluate_company, interference_json

    with Bar("comparing slices", quiet=as_json) as bar:
        row = batch_row(store, parts)
        long = [
            part for part in row["parts"] if part["end_ns"] - part["start_ns"] >= LEAST_RUN_S * 1e9
        ]
        answers = []
        for number, part in enumerate(long):
            bar.advance(number, len(long), part["part"])
            answers.append(evaluate_company(store, part["job"], seed, viewer))
    short = len(row["parts"]) - len(long)
    found = list(zip(long, answers, strict=True))
    if as_json:
        rows = [interference_json(*both) | {"part": part["part"]} for part, both in found]
        emit_json({"job": row["job"], "parts": rows, "too_short": short})
        return
    for part, both in found:
        show(heading(part["part"], f"  {part['program']}"), *in_short(*both), "")
    show(
        f"{count(len(long))} of {count(len(row['parts']))} parts of {row['title']} ran for "
        f"{LEAST_RUN_S:g} s or longer; the others are too short for a result."
    )
    seen = f" --as-user {viewer}" if viewer is not None else ""
    evident = [part for part, (_, who) in found if who.evident] or long
    next_steps(
        *(f"jostle interference{flag}{seen} {part['part']}" for part in evident[:_MOST_NEXT])
    )


def print_line(repository: Path, job: str) -> None:
    """Print a job or a batch job in one line, for an epilog; it never fails.

    If the job is unknown, the line says so: after a failed epilog, a batch system would
    assume a broken node.
    """
    try:
        text = _line(open_repository(repository), job)
    except JostleError as error:
        text = one_line(f"{job}: {error}")
    click.echo(text)


def job_end(store: Repository, job: str, link: str = "") -> str:
    """Return the text at the end of a job's output (`cli.views.job_end`).

    Args:
        store: The repository.
        job: The job, or the number of a batch job.
        link: URL of the job's page; "" without one.
    """
    from jostle.analysis import job_end as figures
    from jostle.cli.views.job_end import job_end_text
    from jostle.report.models.batch_jobs import batch_row
    from jostle.report.models.job.scheduler import scheduler_facts
    from jostle.report.models.jobs import job_rows
    from jostle.report.verdict.advice import best_advice
    from jostle.report.verdict.batch_loss import batch_loss, job_loss, too_short

    parts = store.resolve_parts(job)
    whole = len(parts) > 1
    row = batch_row(store, parts) if whole else job_rows(store, parts)[0]
    end = figures([store.job_tables(part) for part in parts])
    loss = batch_loss(store, row) if whole else job_loss(store, row)
    best = best_advice(store, [] if not whole and too_short(row) else parts)
    return job_end_text(row, end, loss, scheduler_facts(store, row), link, best)


def _line(store: Repository, job: str) -> str:
    from jostle.cli.views.batch_jobs import line
    from jostle.report.models.batch_jobs import batch_row, with_cpu
    from jostle.report.models.job.scheduler import scheduler_facts
    from jostle.report.models.jobs import job_rows
    from jostle.report.verdict.batch_loss import batch_loss, job_loss

    parts = store.resolve_parts(job)
    if len(parts) > 1:
        row = batch_row(store, parts)
        return line(row, batch_loss(store, row), scheduler_facts(store, row))
    (row,) = with_cpu(store, job_rows(store, parts))
    return line(row, job_loss(store, row), scheduler_facts(store, row))
