"""Computes the loss of a whole batch job, from the verdicts on its parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jostle.analysis.estimation.light import Light
from jostle.analysis.interval import Interval
from jostle.errors import JostleError
from jostle.report.models.job.lost_time import join_spans
from jostle.report.verdict.verdict import (
    USUAL,
    WORTH_A_WORD,
    EvaluatedJob,
    VerdictHead,
    evaluate_job,
    head,
)
from jostle.values.plain_values import plain

if TYPE_CHECKING:
    from jostle.analysis.estimation.light import TrafficLight
    from jostle.repository import Repository

#: Called with the number of finished jobs, the number of jobs, and the next job.
JobProgress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class JobLoss:
    """The verdict on one job, in numbers.

    Attributes:
        job: The job's name in the repository.
        head: Main numbers of the verdict; None if there is no verdict.
        why: Reason why there is no verdict, as part of a sentence; "" if there is one.
        coverage: Share of the job's run time that could be evaluated, 0 to 1.
        spans: Spans in which the job lost time: start and end, ns, and seconds lost.
    """

    job: str
    head: VerdictHead | None
    why: str = ""
    coverage: float = 0.0
    spans: Sequence[tuple[int, int, float]] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON-compatible values, without the spans."""
        found: dict[str, Any] = plain(replace(self, spans=()))
        del found["spans"]
        return found


@dataclass(frozen=True)
class BatchLoss:
    """The loss of a batch job.

    Attributes:
        lost_s: Time by which the batch job would have ended earlier without interference, s.
        percent: The loss in percent of its run time.
        run_s: Run time of the batch job, from the start of the first process to the end of the
            last, in seconds.
        coverage: Share of the run time in which parts could be evaluated.
        cause: The cause of the largest loss over all parts, in words; "" where nothing was lost.
        lit: Traffic light of the batch job.
        parts: The verdict on each part, in the order of the row.
    """

    lost_s: Interval
    percent: Interval
    run_s: float
    coverage: float
    cause: str
    lit: TrafficLight
    parts: list[JobLoss]

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON-compatible values."""
        found: dict[str, Any] = plain(replace(self, parts=[]))
        return found | {"parts": [part.to_json() for part in self.parts]}


@dataclass(frozen=True)
class LossNumbers:
    """The loss of a job or of a batch job, as lists and lines show it.

    Attributes:
        light: green, yellow or red; None where it is undecided or nothing is known.
        lost_s: Seconds lost; None where nothing is known.
        percent: Loss in percent of the run time.
        cause: Cause of the largest loss, in words; "" without a loss.
        why: Reason why the loss is not known, as part of a sentence; "" where it is known.
    """

    light: Light | None
    lost_s: Interval | None
    percent: Interval | None
    cause: str
    why: str

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


def loss_numbers(loss: JobLoss | BatchLoss) -> LossNumbers:
    """Return the numbers of a loss that lists and lines show."""
    if isinstance(loss, BatchLoss):
        if math.isnan(loss.lost_s.value):
            return LossNumbers(None, None, None, "", loss.lit.undecided)
        return LossNumbers(loss.lit.light, loss.lost_s, loss.percent, loss.cause, "")
    if loss.head is None:
        return LossNumbers(None, None, None, "", loss.why)
    shown = loss.head
    return LossNumbers(shown.light, shown.lost_s, shown.percent, shown.what, "")


def job_loss(
    store: Repository,
    row: Mapping[str, Any],
    how: Mapping[str, Any] = USUAL,
    viewer: int | None = None,
    keep: Callable[[EvaluatedJob], None] = lambda _: None,
) -> JobLoss:
    """Evaluate one job, unless it is evidently too short.

    Args:
        store: The repository.
        row: The job's row of the list of jobs.
        how: method, bytes_rule and seed of `jostle.analysis.estimate`.
        viewer: User (uid) whose jobs may be named; None: all users.
        keep: Function that is called with the evaluated job, if it could be evaluated.
    """
    job = row["job"]
    if why := too_short(row):
        return JobLoss(job, None, why)
    try:
        evaluated = evaluate_job(store, job, how, viewer=viewer)
    except JostleError as error:
        return JobLoss(job, None, str(error).rstrip("."))
    keep(evaluated)
    own = evaluated.estimate
    spans = [(hit.start_ns, hit.end_ns, hit.seconds) for hit in own.hits]
    return JobLoss(job, head(own), coverage=own.coverage, spans=spans)


def too_short(row: Mapping[str, Any]) -> str:
    """Return why a job is too short for a verdict, as part of a sentence; "" if it is not.

    Args:
        row: The job's row of the list of jobs.
    """
    from jostle.analysis.estimation.light import LEAST_RUN_S

    lasted_ns = row["end_ns"] - row["start_ns"]
    return f"under {LEAST_RUN_S:g} s" if lasted_ns < LEAST_RUN_S * 1e9 else ""


def loss_of_verdict(verdict: Mapping[str, Any]) -> JobLoss:
    """Return the loss of a job from its verdict as JSON-compatible values (`verdict_json`)."""
    shown = verdict["head"]
    intervals = {name: Interval(**shown[name]) for name in ("percent", "lost_s")}
    spans = [(hit["start_ns"], hit["end_ns"], hit["seconds"]) for hit in verdict["hits"]]
    first = VerdictHead(**(shown | intervals))
    return JobLoss(verdict["job"], first, coverage=verdict["coverage"], spans=spans)


def batch_loss(
    store: Repository,
    row: Mapping[str, Any],
    how: Mapping[str, Any] = USUAL,
    *,
    viewer: int | None = None,
    say: JobProgress = lambda *_: None,
    keep: Callable[[EvaluatedJob], None] = lambda _: None,
) -> BatchLoss:
    """Evaluate a batch job part by part.

    Parts that ran one after another each delayed the end of the batch job by their own loss. A
    group of concurrent parts delayed it by the time by which the last of them would have ended
    earlier. Of the script's loss, only the part between steps is added, since the script waits for
    its steps.

    Args:
        store: The repository.
        row: The row of the batch job, with its parts (report.models.batch_jobs).
        how: method, bytes_rule and seed of `jostle.analysis.estimate`.
        viewer: User (uid) whose jobs may be named; None: everybody's.
        say: Function that is called with the progress.
        keep: Function that is called with each evaluated part.
    """
    parts = row["parts"]
    losses = []
    for number, part in enumerate(parts):
        say(number, len(parts), part["job"])
        losses.append(job_loss(store, part, how, viewer, keep))
    return added_loss(row, losses)


def added_loss(row: Mapping[str, Any], losses: Sequence[JobLoss]) -> BatchLoss:
    """Return the loss of a batch job from those of its parts.

    Args:
        row: The row of the batch job; its parts are in the order of the losses.
        losses: The verdicts on its parts.

    Returns:
        The loss; NaN if no part could be evaluated.
    """
    from jostle.analysis.estimation.light import TrafficLight, lit

    run_s = (row["end_ns"] - row["start_ns"]) / 1e9
    parts = [
        _Part(part["start_ns"], part["end_ns"], part["job"] == row["script"], loss, loss.head)
        for part, loss in zip(row["parts"], losses, strict=True)
        if loss.head
    ]
    if not parts or run_s <= 0:
        none = Interval(math.nan, math.nan, math.nan)
        why = "no part of it could be evaluated"
        what = "longer steps, or shorter slices (--slice 250ms)"
        return BatchLoss(
            none,
            none,
            run_s,
            0.0,
            "",
            TrafficLight(None, "green", math.nan, why, what),
            list(losses),
        )
    scripts, groups = [part for part in parts if part.is_script], _side_by_side(parts)
    busy = join_spans(
        [
            (part["start_ns"], part["end_ns"])
            for part in row["parts"]
            if part["job"] != row["script"]
        ]
    )
    value, low, high = (
        sum(_delay(group, which) for group in groups)
        + sum(_between_steps(part, which, busy) for part in scripts)
        for which in ("value", "low", "high")
    )
    percent = Interval(*(100 * lost / run_s for lost in (value, low, high)))
    covered = sum(_covered_s(group) for group in groups)
    covered += sum(
        part.loss.coverage * _outside_s(part.begin_ns, part.end_ns, busy) for part in scripts
    )
    return BatchLoss(
        Interval(value, low, high),
        percent,
        run_s,
        covered / run_s,
        _main_cause(parts) if percent.value >= WORTH_A_WORD else "",
        lit(percent, covered / run_s, run_s=run_s),
        list(losses),
    )


@dataclass(frozen=True)
class _Part:
    """A part that was evaluated."""

    begin_ns: int
    end_ns: int
    is_script: bool
    loss: JobLoss
    head: VerdictHead


def _side_by_side(parts: Sequence[_Part]) -> list[list[_Part]]:
    """Return groups of steps such that steps of different groups did not run at the same time."""
    groups: list[list[_Part]] = []
    until = 0
    for part in sorted(parts, key=lambda part: part.begin_ns):
        if part.is_script:
            continue
        if part.begin_ns >= until:
            groups.append([])
        groups[-1].append(part)
        until = max(until, part.end_ns)
    return groups


def _delay(group: Sequence[_Part], which: str) -> float:
    """Return how much earlier a group of concurrent parts would have ended without losses, s."""
    last = max(part.end_ns for part in group)
    return min(
        (last - part.end_ns) / 1e9 + float(getattr(part.head.lost_s, which)) for part in group
    )


def _covered_s(group: Sequence[_Part]) -> float:
    """Return a lower bound of the time in which a part of a group could be evaluated, s."""
    return max(part.loss.coverage * (part.end_ns - part.begin_ns) / 1e9 for part in group)


def _between_steps(script: _Part, which: str, busy: Sequence[tuple[int, int]]) -> float:
    """Return the script's loss while no step ran, s, according to the spans of its loss."""
    idle_s = _outside_s(script.begin_ns, script.end_ns, busy)
    spans = script.loss.spans or [(script.begin_ns, script.end_ns, 1.0)]
    outside = sum(
        lost * _outside_s(begin, end, busy) / max((end - begin) / 1e9, 1e-9)
        for begin, end, lost in spans
    )
    share = outside / max(sum(lost for _, _, lost in spans), 1e-9)
    return min(float(getattr(script.head.lost_s, which)) * share, idle_s)


def _outside_s(begin: int, end: int, busy: Sequence[tuple[int, int]]) -> float:
    """Return the time of a span that is in none of `busy`, s; spans in `busy` do not overlap."""
    inside = sum(max(0, min(end, until) - max(begin, since)) for since, until in busy)
    return (end - begin - inside) / 1e9


def _main_cause(parts: Sequence[_Part]) -> str:
    """Return the cause, in words, that cost most seconds over all parts; "" without a loss."""
    sums: dict[str, float] = {}
    for part in parts:
        if part.head.what:
            sums[part.head.what] = sums.get(part.head.what, 0.0) + part.head.lost_s.value
    return max(sums, key=lambda what: sums[what], default="")
