"""Writes the text at the end of a job's output: five groups of numbers and the verdict.

Lines have 80 columns. Characters are ASCII, since the program that shows the file is unknown.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jostle.cli.views.batch_jobs import limits, lost_words
from jostle.names.users import owner_name
from jostle.report.format.values import (
    byte_count,
    count,
    duration,
    local_time,
    seconds_within,
    significant,
)
from jostle.report.models.job.scheduler import missing_nodes
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from jostle.analysis import JobEnd
    from jostle.analysis.advise import Recommendation
    from jostle.analysis.digest.job_end import Figure
    from jostle.report.models.job.scheduler import SchedulerFacts
    from jostle.report.verdict.batch_loss import BatchLoss, JobLoss

_WIDTH = 80
_MOST_LINES = 3  # of one sentence


def job_end_text(
    row: Mapping[str, Any],
    end: JobEnd,
    loss: JobLoss | BatchLoss,
    facts: SchedulerFacts | None,
    link: str = "",
    best: Recommendation | None = None,
) -> str:
    """Return the text, at most 25 lines of 80 columns, each ended by a newline.

    Args:
        row: The row of the job or batch job.
        end: Numbers of the job.
        loss: Loss of the job.
        facts: Facts of the batch system about it.
        link: URL of the job's page; "" if there is none.
        best: The advice that would save most; None: there is none.
    """
    lines = [_rule(f"jostle: {_title(row, facts)}")]
    lines += _wrapped(_what(row, end, facts))
    if facts and (given := "; ".join(limits(facts))):
        lines += _wrapped(f"given: {given}")
    lines += _table(end)
    lines += _wrapped(f"interference: {lost_words(loss)}")
    if best is not None and best.saving is not None:
        saves = f"saves {seconds_within(best.saving)}"
        lines += _wrapped(f"advice ({saves}): {best.lever}; {best.seen}")
    missing = _missing(end, facts)
    if missing:
        lines += _wrapped(missing)
    lines += _wrapped(f"more: {link or 'jostle estimate ' + row['job'].partition('@')[0]}")
    lines.append(_rule(""))
    ascii_lines = (line.encode("ascii", "replace").decode() for line in lines)
    return "".join(f"{one_line(line)}\n" for line in ascii_lines)


def _title(row: Mapping[str, Any], facts: SchedulerFacts | None) -> str:
    name = f" {facts.name}" if facts and facts.name else ""
    state = f", {facts.state}" if facts and facts.state else ""
    return f"{row.get('title') or row['job']}{name}{state}"


def _rule(words: str) -> str:
    words = words.encode("ascii", "replace").decode()
    text = f"---- {words[: _WIDTH - 8]} " if words else ""
    return text + "-" * (_WIDTH - len(text))


def _wrapped(text: str) -> list[str]:
    text = text.encode("ascii", "replace").decode()
    return textwrap.wrap(
        text, _WIDTH, subsequent_indent="  ", max_lines=_MOST_LINES, placeholder=" ..."
    )


def _what(row: Mapping[str, Any], end: JobEnd, facts: SchedulerFacts | None) -> str:
    one, several = ("rank", "ranks") if end.ranks else ("process", "processes")
    nodes = len(end.hosts)
    where = f" in {facts.partition}" if facts and facts.partition else ""
    ranks = row["programs"] if end.ranks else {}
    program = max(ranks, key=lambda name: ranks[name]) if ranks else row["program"]
    owner = "" if row["uid"] is None else f" of {owner_name(row['uid'])}"
    return (
        f"{program}: {count(end.number)} {one if end.number == 1 else several} "
        f"on {count(nodes)} node{'s' * (nodes != 1)}{where}{owner}; "
        f"{duration(row['end_ns'] - row['start_ns'])} from {local_time(row['start_ns'])}"
    )


def _table(end: JobEnd) -> Iterator[str]:
    who = "over ranks" if end.ranks else "over processes"
    yield f"{who:<38}{'least':>14}{'mean':>14}{'most':>14}"
    group = ""
    for figures in _grouped(end.figures):
        if all(figure.over is not None and not figure.over.max for figure in figures):
            yield f"{figures[0].group:<38}{'none':>14}"
            continue
        for figure in figures:
            name = figure.group if figure.group != group else ""
            group = figure.group
            if figure.over is None:
                yield f"{name:<16}{figure.name:<22}{'not counted':>14}"
                continue
            values = (figure.over.min, figure.over.mean, figure.over.max)
            cells = "".join(f"{_value(value, figure.unit):>14}" for value in values)
            yield f"{name:<16}{figure.name:<22}{cells}"


def _grouped(figures: Sequence[Figure]) -> list[list[Figure]]:
    groups: dict[str, list[Figure]] = {}
    for figure in figures:
        groups.setdefault(figure.group, []).append(figure)
    return list(groups.values())


def _value(value: float, unit: str) -> str:
    if math.isnan(value):
        return "-"
    if unit == "bytes":
        return byte_count(value)
    if unit == "calls":
        return count(round(value))
    if unit == "threads":
        return f"{value:.2f}"
    return significant(value)


def _missing(end: JobEnd, facts: SchedulerFacts | None) -> str:
    gone = missing_nodes(facts.nodes, end.hosts) if facts else []
    if facts is None or not gone:
        return ""
    more = ", ..." if len(gone) > 3 else ""
    return (
        f"coverage: profiles of {len(facts.nodes) - len(gone)} of {len(facts.nodes)} nodes; "
        f"none of {', '.join(gone[:3])}{more}"
    )
