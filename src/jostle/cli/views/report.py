"""Lays out a report to mail: the output of the verbs on a job or a study, as one document."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jostle.cli.output import light_of, on_paper
from jostle.cli.views import digest as digest_views
from jostle.cli.views import estimate as estimate_views
from jostle.cli.views import interference as interference_views
from jostle.plot.document.document import (
    Block,
    Commands,
    Document,
    Facts,
    Grid,
    Part,
    Picture,
    Section,
    Words,
)
from jostle.report.format.values import local_time, percent, points, seconds
from jostle.report.verdict.verdict import EvaluatedJob, head

if TYPE_CHECKING:
    from jostle.analysis import JobDigest
    from jostle.report.models.job.scheduler import SchedulerFacts
    from jostle.report.verdict.batch_loss import BatchLoss

#: Figures of an estimate in a report: when time was lost, the segments, their clusters.
_WHEN, _WHY = ("lost-time",), ("segments-in-time", "clusters-spread")
_NOTE = "note: "
_NEXT = "What to look at next"


def job_document(
    evaluated_job: EvaluatedJob,
    digest: JobDigest,
    among: Mapping[str, Any],
    commands: Sequence[tuple[str, str]],
) -> Document:
    """Lay out the report on a job.

    Args:
        evaluated_job: Estimate and suspects of the job.
        digest: Digest of the job.
        among: Numbers of the job compared with other runs: see
            `report.models.among_runs.figures_of`.
        commands: Command lines for further results, and a description of each.
    """
    estimate, who = evaluated_job.estimate, evaluated_job.who
    with on_paper():
        light = light_of(estimate.light).plain
        verdict = estimate_views.verdict(estimate, who).plain.removeprefix(light).strip()
        first, *lost = sections(_without_verdict(evaluated_job))
        did = list(sections(digest_views.view(digest, among)))
        alongside = list(_neighbours(evaluated_job))
    notes = _notes([first, *lost, *did, *alongside])
    first, *lost = _without_notes([first, *lost])
    by_whom = [section for section in lost if section.title == "By whom"]
    following = [section for section in did if section.title == _NEXT]
    did = [section for section in did if section.title != _NEXT]
    did[0] = untitled(did[0])
    parts = [
        Part("In short", [Section("", "", [_facts(evaluated_job)]), untitled(first)]),
        Part("What was lost, and when", _with_figures(evaluated_job, lost)),
        Part("The neighbours", [*by_whom, *_without_notes(alongside)]),
        Part("What the job did", _without_notes(did)),
        Part(_NEXT, [replace(section, title="") for section in following]),
        Part("What was not measured", [Section("", "", [Words(note) for note in notes])]),
        Part("Next commands", [Section("", "", [Commands(commands)])]),
    ]
    kept = [
        replace(part, sections=[each for each in part.sections if each.blocks]) for part in parts
    ]
    return Document(
        "Job",
        estimate.job,
        estimate.light or "undecided",
        verdict,
        [part for part in kept if part.sections],
        foot(),
    )


def batch_document(
    row: Mapping[str, Any],
    facts: SchedulerFacts | None,
    loss: BatchLoss,
    documents: Mapping[str, Document],
) -> Document:
    """Lay out the report on a batch job: the whole, then its parts.

    Args:
        row: Row of the batch job (report.models.batch_jobs.batch_row).
        facts: Facts of the batch system about it.
        loss: Loss of the batch job.
        documents: Reports on those of its parts that are shown in full, by job.
    """
    from jostle.cli.views.batch_jobs import digest_view, estimate_view, verdict

    with on_paper():
        light = light_of(loss.lit.light).plain
        said = verdict(row, loss).plain.removeprefix(light).strip()
        first, *lost = sections(list(estimate_view(row, loss))[1:])
        did = list(sections(digest_view(row, facts)))
    parts = [
        Part("In short", [first, untitled(did[0])]),
        Part("What the parts lost", [replace(section, title="") for section in lost]),
        Part("What the parts did", [replace(section, title="") for section in did[1:]]),
    ]
    for each in row["parts"]:
        if each["job"] in documents:
            document = documents[each["job"]]
            title = f"Part {each['part']}: {each['program']}"
            found = [
                replace(section, title=section.title or (part.title if not number else ""))
                for part in document.parts
                for number, section in enumerate(part.sections)
            ]
            verdict_of = Section("", "", [Words(document.verdict, document.light.capitalize())])
            parts.append(Part(title, [verdict_of, *found]))
    kind, _, name = row["title"].rpartition(" ")
    return Document(kind, name, loss.lit.light or "undecided", said, parts, foot())


def sections(things: Iterable[Any]) -> Iterator[Section]:
    """Turn the lines and tables of a view into sections.

    An empty line ends a section. A line that begins bold is the title of the next section.

    Args:
        things: Texts and tables, as a terminal shows them.
    """
    title, note, blocks = "", "", list[Block]()
    fresh = True
    for thing in things:
        if isinstance(thing, str) and not thing:
            fresh = True
            continue
        block = _block(thing)
        if fresh:
            if title or blocks:
                yield Section(title, note, blocks)
            title, note, blocks, fresh = "", "", [], False
            if isinstance(block, Words) and block.lead and not block.lead.endswith(":"):
                title, note = block.lead, block.text
                continue
        blocks.append(block)
    if title or blocks:
        yield Section(title, note, blocks)


def untitled(section: Section) -> Section:
    """Turn the title of a section into its first line."""
    if not section.title:
        return section
    return Section("", "", [Words(section.note, section.title), *section.blocks])


def _block(thing: Any) -> Block:
    """Turn one line or table of a view into a block."""
    if hasattr(thing, "columns"):
        columns = [
            (str(column.header).strip(), column.justify == "right") for column in thing.columns
        ]
        cells = [[_plain(cell) for cell in column.cells] for column in thing.columns]
        return Grid(columns, [list(row) for row in zip(*cells, strict=True)])
    if isinstance(thing, str):
        return Words(thing.strip())
    end = max(
        (span.end for span in thing.spans if span.start == 0 and "bold" in str(span.style)),
        default=0,
    )
    return Words(thing.plain[end:].strip(), thing.plain[:end].strip())


def _plain(cell: Any) -> str:
    return getattr(cell, "plain", None) or str(cell)


def _without_verdict(evaluated_job: EvaluatedJob) -> Iterator[Any]:
    """Yield the output of `estimate` after its verdict."""
    estimate, names, who = evaluated_job.estimate, evaluated_job.names, evaluated_job.who
    view = estimate_views.view(estimate, names, who, evaluated_job.waits)
    next(view)
    yield from view


def _neighbours(evaluated_job: EvaluatedJob) -> Iterator[Section]:
    """Yield the output of `interference` without its figures."""
    who = evaluated_job.who
    if who is None:
        yield Section("", "", [Words("No other profiled job ran on its nodes or file systems.")])
        return
    first, *others = sections(interference_views.answer(evaluated_job.estimate, who))
    yield untitled(first)
    yield from others
    yield from sections(interference_views.details(who))


def _facts(evaluated_job: EvaluatedJob) -> Facts:
    """Return the numbers of the verdict."""
    estimate = evaluated_job.estimate
    found = head(estimate)
    lost, share = found.lost_s, found.percent
    return Facts(
        [
            ("Lost", seconds(lost.value), f"{seconds(lost.low)} to {seconds(lost.high)} (95 %)"),
            (
                "Of the run time",
                f"{points(share.value)} %",
                f"{points(share.low)} to {points(share.high)} % (95 %)",
            ),
            ("Run time", seconds(found.run_s), ""),
            ("Without interference", seconds(found.intrinsic_s), ""),
            ("Could be evaluated", percent(estimate.coverage), "of the time"),
        ]
    )


def _with_figures(evaluated_job: EvaluatedJob, lost: Sequence[Section]) -> list[Section]:
    """Replace the charts that are made of text by figures; add some below the cluster table."""
    from jostle.plot.figures.estimate.draw_all import plans
    from jostle.plot.figures.interference import plans as interference_plans

    drawn = {page.stem: Picture(page, draw) for page, draw in plans(evaluated_job.estimate)}
    when = [drawn[stem] for stem in _WHEN if stem in drawn]
    if evaluated_job.who is not None:
        when += [Picture(page, draw) for page, draw in interference_plans(evaluated_job.who)]
    why = [drawn[stem] for stem in _WHY if stem in drawn]
    tables = {section.title: section for section in lost}
    causes = [section for section in lost if section.title not in ("When", "Why", "By whom")]
    clusters = tables.get("Why", Section("Why", "", []))
    return [*causes, Section("When", "", when), replace(clusters, blocks=[*clusters.blocks, *why])]


def _notes(found: Iterable[Section]) -> list[str]:
    """Return the notes of all sections, each once, without the word with which notes begin."""
    texts = (
        block.text.removeprefix(_NOTE)
        for section in found
        for block in section.blocks
        if isinstance(block, Words) and _is_note(block)
    )
    return list(dict.fromkeys(texts))


def _without_notes(found: Iterable[Section]) -> list[Section]:
    return [
        replace(
            section,
            blocks=[
                block
                for block in section.blocks
                if not (isinstance(block, Words) and _is_note(block))
            ],
        )
        for section in found
    ]


def _is_note(words: Words) -> bool:
    return not words.lead and words.text.startswith(_NOTE)


def foot() -> str:
    """Return the last line of a report: version and time."""
    from jostle import __version__

    return f"Made by jostle {__version__} on {local_time(time.time_ns())}."
