"""Shows the placement of jobs, and jobs that share their links, as text and tables."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from jostle.cli.output import fit, heading, table
from jostle.report.format.placement import (
    chance,
    change_of,
    correlated,
    hops_of,
    is_proven,
    job_answer,
    measure_name,
    message_rate,
    noise_answer,
    percent_alike,
    program_answer,
    shape_rows,
    signed,
)
from jostle.report.format.values import count, duration, local_time, percent, significant

if TYPE_CHECKING:
    from rich.table import Table

    from jostle.analysis.placement import Course, Meeting, ProgramPlacement, Run
    from jostle.report.models.job.placement import JobPlacement

_SHOWN = 12  # neighbours
_WIDEST = 4  # communicators
_EXTREMES = 3  # runs, from each end
_EVENTS = 6
_RATE = "bytes sent by MPI over the time in MPI, per rank"


def job_view(content: JobPlacement, dimensions: tuple[str, ...]) -> Iterator[Any]:
    """Yield the answer, the job's placement, jobs that share its links, and communicators."""
    yield heading(job_answer(content))
    yield from ("", heading("Placement"), _shape(content, dimensions))
    company = content.company
    if company.meetings:
        yield from ("", heading("Other jobs", "  links and routers that both may use"))
        yield _meetings(content)
        left = len(company.meetings) - len(_listed(content))
        if left:
            all_met = len(_met(content)) <= _SHOWN
            yield f"{count(left)} more{' share neither links nor routers' * all_met} (--json)."
        if company.links:
            yield (
                f"On average {significant(company.conflicting_routers)} routers belonged to jobs "
                f"that may use its links, and such a job may use {count(company.shared_links)} of "
                f"its {count(company.links)} links."
            )
    if content.communicators:
        yield from ("", heading("Communicators", "  the widest first"))
        yield _communicators(content)
        left = len(content.communicators) - _WIDEST
        if left > 0:
            yield f"{count(left)} more are not as wide (--json)."
    if content.program:
        yield ""
        yield f"Its runs side by side: jostle placement --program {shlex.quote(content.program)}"
    if content.notes:
        yield ""
        yield from (f"note: {note}" for note in content.notes)


def _shape(content: JobPlacement, dimensions: tuple[str, ...]) -> Table:
    frame = table(["=measure", "=value", "what it is"])
    for row in shape_rows(content.shape, dimensions):
        frame.add_row(*row)
    return frame


def _met(content: JobPlacement) -> list[Meeting]:
    return [each for each in content.company.meetings if each.conflicting or each.shared_routers]


def _listed(content: JobPlacement) -> list[Meeting]:
    return (_met(content) or list(content.company.meetings))[:_SHOWN]


def _meetings(content: JobPlacement) -> Table:
    frame = table(
        [
            "=job",
            "=program",
            ">links",
            ">of its",
            ">shared routers",
            ">routers",
            ">nodes",
            ">overlap",
        ]
    )
    for each in _listed(content):
        share = each.shared_links / max(content.company.links, 1)
        frame.add_row(
            each.job,
            PurePath(each.program).name or "-",
            count(each.shared_links),
            percent(share),
            count(each.shared_routers),
            count(each.routers),
            count(each.nodes),
            percent(each.share),
        )
    return fit(frame, "nodes", "program", "overlap", "of its")


def _communicators(content: JobPlacement) -> Table:
    frame = table(["=communicator", ">ranks", ">nodes", ">hops", ">in collectives"])
    for each in content.communicators[:_WIDEST]:
        spent = "-" if each.seconds is None else duration(1e9 * each.seconds)
        frame.add_row(each.name, count(each.size), count(each.nodes), hops_of(each.hops), spent)
    return frame


def program_view(content: ProgramPlacement) -> Iterator[Any]:
    """Yield the answer, and every part of the analysis of a program's runs."""
    yield heading(program_answer(content))
    yield f"  {_summary(content)}"
    yield from ("", heading("Messaging rate", f"  {_RATE}"), _extremes(content))
    yield f"Rate and run time: {correlated(content.rate_and_time)}."
    yield from ("", heading("Placement", "  the measure most correlated with the rate first"))
    yield _measures(content)
    if content.suspects:
        yield from ("", heading("Alongside other programs", "  that may use the same links"))
        yield _suspects(content)
    if content.pairs:
        yield from ("", heading("Pairs of runs", "  how similar, and how different in rate"))
        yield _pairs(content)
    eventful = [course for course in content.courses if course.events]
    for course in eventful:
        yield from ("", heading(f"Inside {course.job}", _inside(course)), _events(course))
    if content.courses and not eventful:
        yield ""
        yield "Inside its long runs no job that may use the same links starts or ends."
    yield from ("", heading("Time of a rank", "  over the runs, smallest first"), _calls(content))
    if content.noise is not None:
        yield noise_answer(content.noise)
    if content.communicators is not None:
        yield from ("", heading("Communicators", "  hops against time in collectives"))
        yield f"All runs: {correlated(content.communicators.all)}."
        names = ("slowest run", "fastest run", "most contiguous run")
        for name, (job, each) in zip(names, content.communicators.runs.items(), strict=False):
            yield f"The {name}, {job}: {correlated(each)}."
    if content.left_out or content.notes:
        yield ""
        yield from (f"note: Left out: {why}." for why in content.left_out)
        yield from (f"note: {note}" for note in content.notes)


def _summary(content: ProgramPlacement) -> str:
    rates = np.array([run.rate for run in content.runs if run.rate])
    first, last = (local_time(run.start_ns)[:10] for run in (content.runs[0], content.runs[-1]))
    text = f"{count(len(content.runs))} runs in {content.fabric}, {first} to {last}"
    if content.best_to_worst is None:
        return f"{text}; none of them sent messages."
    spread = f"{significant(rates.mean() / 1e6)} ± {significant(rates.std(ddof=1) / 1e6)} MB/s"
    return f"{text}; {spread}, best to worst {content.best_to_worst:.2f} ×."


def _extremes(content: ProgramPlacement) -> Table:
    rated = sorted((run for run in content.runs if run.rate), key=lambda run: run.rate or 0.0)
    few = len(rated) <= 2 * _EXTREMES
    chosen: list[Run] = rated if few else rated[:_EXTREMES] + rated[-_EXTREMES:]
    frame = table(["=run", "=started", ">rate", ">took", ">conflicting routers", ">hops"])
    for run in chosen:
        frame.add_row(
            run.job,
            local_time(run.start_ns)[:16],
            message_rate(run.rate),
            duration(1e9 * run.seconds),
            significant(run.company.conflicting_routers),
            hops_of(run.shape.hops),
        )
    return fit(frame, "hops", "took", "started")


def _measures(content: ProgramPlacement) -> Table:
    frame = table(
        ["=measure", ">rho with rate", ">p", ">r with rate", ">p of r", ">r with time", ">n"]
    )
    for row in content.measures:
        frame.add_row(
            measure_name(row.key),
            signed(row.rate.spearman),
            chance(row.rate.spearman_p),
            signed(row.rate.pearson),
            chance(row.rate.pearson_p),
            signed(row.time.pearson),
            count(row.rate.n),
        )
    return fit(frame, "n", "p of r")


def _suspects(content: ProgramPlacement) -> Table:
    frame = table(
        ["=program", ">rate with it", ">without", ">change", ">runs", "=test", ">p", ">q"]
    )
    for each in content.suspects:
        groups = []
        for values in (np.array(each.with_rates), np.array(each.without_rates)):
            groups.append(
                f"{significant(values.mean() / 1e6)} ± {significant(values.std(ddof=1) / 1e6)} MB/s"
            )
        change = change_of(each.change[0] if each.change else None)
        frame.add_row(
            each.program,
            *groups,
            change if is_proven(each) else f"({change})",
            f"{len(each.with_rates)} / {len(each.without_rates)}",
            each.test,
            chance(each.p),
            chance(each.q),
        )
    return fit(frame, "q", "test", "runs", "without")


def _pairs(content: ProgramPlacement) -> Table:
    frame = table(["=pair", "=slower", "=faster", ">faster by", ">same nodes", ">same neighbours"])
    for each in content.pairs:
        frame.add_row(
            each.why,
            each.slow,
            each.fast,
            percent(each.faster),
            percent_alike(each.nodes_alike),
            percent_alike(each.neighbours_alike),
        )
    return frame


def _inside(course: Course) -> str:
    return (
        f"  {len(course.rates)} slices, {message_rate(min(course.rates))} to "
        f"{message_rate(max(course.rates))}, varies by {percent(course.variation)}"
    )


def _events(course: Course) -> Table:
    frame = table([">after", "=a neighbour", "=job", "=program", ">routers", ">rate changes"])
    largest = sorted(course.events, key=lambda event: -abs(event.change or 0.0))[:_EVENTS]
    for event in sorted(largest, key=lambda event: event.at_s):
        frame.add_row(
            duration(1e9 * event.at_s),
            "starts" if event.starts else "ends",
            event.job,
            event.program or "-",
            count(event.routers),
            change_of(event.change),
        )
    return fit(frame, "program", "routers")


def _calls(content: ProgramPlacement) -> Table:
    frame = table(["=what", ">least run", ">mean", ">greatest run"])
    rows = [(name, each.min, each.mean, each.max) for name, each in content.calls.items()]
    for name, values in (
        ("computation", [run.compute_s.mean for run in content.runs]),
        ("MPI in all", [run.mpi_s.mean for run in content.runs]),
    ):
        rows.append((name, min(values), sum(values) / len(values), max(values)))
    for name, *values in rows:
        frame.add_row(name, *(duration(1e9 * value) for value in values))
    return frame
