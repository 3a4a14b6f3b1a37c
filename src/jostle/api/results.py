"""Results of the analysis, each with a short display for notebooks.

Each result has the numbers that the command of the same name shows, computed by the same functions.
`to_json()` returns what the command prints with --json.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from jostle.analysis.digest import model as digest_model
from jostle.analysis.estimation import model as estimate_model
from jostle.analysis.estimation.attribute import lost_between
from jostle.analysis.identification import model as interference_model
from jostle.analysis.identification.model import OTHERS
from jostle.analysis.waits import JobWaits
from jostle.api import html
from jostle.names.users import owner_name
from jostle.report.format.users import others_alongside
from jostle.report.format.values import (
    byte_count,
    count,
    duration,
    percent,
    percent_within,
    seconds,
    seconds_within,
    significant,
)
from jostle.report.format.waits import wait_sentences
from jostle.report.models.job.digest import busy_mounts, cpu_seconds, mount_traffic
from jostle.report.models.job.lost_time import lost_over_time
from jostle.report.verdict.attribution import UNEXPLAINED, Attribution, to_whom
from jostle.report.verdict.verdict import (
    CauseRow,
    EvaluatedJob,
    VerdictHead,
    attribution_of,
    cause_rows,
    estimate_json,
    head,
    interference_json,
    verdict_json,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Result = TypeVar("Result", bound=DataclassInstance)

_COLUMNS = 130  # of the strip of lost time
_MOST = 10  # rows of a table in a display; the object has them all


class Estimate(estimate_model.RunEstimate):
    """The loss of one run to interference; attributes as in `RunEstimate`."""

    def to_json(self) -> dict[str, Any]:
        """Return all fields but the table of segments as JSON-compatible values."""
        return estimate_json(as_given(estimate_model.RunEstimate, self))

    def lost_between(self, edges_ns: Sequence[int]) -> list[float]:
        """Return the seconds lost in each span of time between consecutive instants.

        Args:
            edges_ns: At least two instants of Unix time in ns, ascending.

        Returns:
            One number per span. If the spans cover the run, the numbers add up to `lost_s.value`.
            The loss of a segment is spread evenly over the time of the segment, so spans should be
            longer than segments.

        Raises:
            UsageError: There are fewer than two instants, or they do not ascend.
        """
        found: list[float] = lost_between(self, np.array(edges_ns, dtype=np.int64)).tolist()
        return found

    def __repr__(self) -> str:
        first = head(self)
        lost = f"{self.job} lost {percent_within(self.percent)} of {seconds(self.run_s)}"
        return f"<Estimate {lost}: {first.light or 'undecided'}>"

    def _repr_html_(self) -> str:
        return html.box(
            _lost_title(self), _figures(self), _causes(cause_rows(self, {})), _strip(self)
        )


class Interference(interference_model.JobInterference):
    """The resources and the jobs that slowed a job; attributes as in `JobInterference`."""

    _estimate: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the output of `jostle interference --json`."""
        plain = as_given(interference_model.JobInterference, self)
        return interference_json(self._estimate, plain)

    def __repr__(self) -> str:
        who = f"{len(self.suspects)} suspects" if self.evident else "no evidence"
        return f"<Interference {self.job}: {who} among {self.neighbours} neighbours>"

    def _repr_html_(self) -> str:
        split = attribution_of(self._estimate, self)
        alongside = (
            others_alongside(self.neighbours, unnamed=self.unnamed) or "no other profiled job"
        )
        if self.evident:
            whom = to_whom({named.kind for named in split.suspects})
            words = f"lost {seconds_within(split.explained_s)} {whom}"
        elif self.blind:
            words = "too little evidence to decide whether others slowed it"
        else:
            words = "no evidence that other profiled jobs slowed it"
        columns: list[tuple[str, html.Align]] = [
            ("where", "left"),
            ("lost", "right"),
            ("slices", "right"),
            ("finding", "left"),
        ]
        rows = [
            [
                html.name(loss.resource),
                seconds_within(loss.seconds) if loss.evident else "-",
                count(loss.slices),
                html.text("evident" if loss.evident else loss.blind or loss.why_not),
            ]
            for loss in self.resources[:_MOST]
        ]
        return html.box(
            html.head(self.job, words),
            html.note(f"{alongside} at the same time"),
            html.table(columns, rows) if rows else "",
            _suspects(split, {}),
        )


@dataclass(frozen=True, repr=False)
class Verdict(VerdictHead):
    """The verdict on a job: its traffic light and loss, and the results that these come from.

    Attributes:
        estimate: Loss of the job to interference, combined with the loss that its neighbours
            explain.
        interference: The loss that neighbours caused; None if no job ran at the same time.
        attribution: The loss, divided among suspects and a rest that no profiled job explains.
        causes: Lost seconds by cause and resource, the largest first.
        mounts: The path of each mount, for users.
        waits: The late ranks for which other ranks of the job waited, with times and causes; None
            if the job has no ranks, or if the method does not search for late ranks.
    """

    estimate: Estimate
    interference: Interference | None
    attribution: Attribution
    causes: list[CauseRow]
    mounts: dict[str, str]
    waits: JobWaits | None

    @classmethod
    def of(cls, evaluated: EvaluatedJob) -> Verdict:
        """Return the verdict of an evaluated job."""
        estimate, who = as_given(Estimate, evaluated.estimate), evaluated.who
        return cls(
            **{field.name: getattr(head(estimate), field.name) for field in fields(VerdictHead)},
            estimate=estimate,
            interference=None if who is None else with_estimate(who, estimate),
            attribution=attribution_of(estimate, who),
            causes=cause_rows(estimate, evaluated.names),
            mounts=evaluated.names,
            waits=evaluated.waits,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the output of `jostle estimate --json`, without `figures` (files of plots)."""
        given = as_given(estimate_model.RunEstimate, self.estimate)
        who = self.interference and as_given(interference_model.JobInterference, self.interference)
        return verdict_json(EvaluatedJob(given, who, self.mounts, self.waits))

    def __repr__(self) -> str:
        what = f": {self.what}" if self.what else ""
        lost = f"{self.estimate.job} lost {percent_within(self.percent)} of its time{what}"
        return f"<Verdict {self.light or 'undecided'}: {lost}>"

    def _repr_html_(self) -> str:
        alongside = ""
        if self.interference is not None and self.interference.neighbours:
            alongside = (
                others_alongside(self.interference.neighbours, unnamed=self.interference.unnamed)
                + " alongside it"
            )
        return html.box(
            _lost_title(self.estimate),
            _figures(self.estimate),
            _causes(self.causes),
            _strip(self.estimate),
            html.note(alongside),
            _suspects(self.attribution, self.mounts),
            *(html.note(text) for text in wait_sentences(self.waits, self.mounts)),
        )


class Digest(digest_model.JobDigest):
    """The digest of a job's activity; attributes as in `JobDigest`."""

    def __repr__(self) -> str:
        return f"<Digest {self.job}: {self._size()}, {seconds(self.seconds)}>"

    def _size(self) -> str:
        number = self.processes + self.short_processes
        nodes = len(self.hosts)
        return (
            f"{count(number)} process{'es' if number != 1 else ''} on {count(nodes)} "
            f"node{'s' if nodes != 1 else ''}"
        )

    def _repr_html_(self) -> str:
        programs = ", ".join(
            f"{name} {count(number)}" for name, number in list(self.programs.items())[:4]
        )
        so_far = " so far" if self.running else ""
        facts = (
            f"{seconds(self.seconds)}{so_far}; {significant(self.cores)} cores busy on "
            f"average, {seconds(cpu_seconds(self))} of CPU time"
        )
        shares: list[tuple[str, html.Align]] = [("time in", "left"), ("", "left"), ("", "right")]
        share_rows = [
            [html.text(share.name), html.bar(share.share, html.OWN), percent(share.share)]
            for share in self.shares
            if share.seconds > 0
        ]
        columns: list[tuple[str, html.Align]] = [
            ("mount", "left"),
            ("read", "right"),
            ("written", "right"),
            ("reads", "right"),
            ("writes", "right"),
            ("opens", "right"),
        ]
        rows = []
        for mount in busy_mounts(self)[:_MOST]:
            moved = mount_traffic(mount)
            rows.append(
                [
                    html.name(next(filter(None, mount.paths), mount.mount)),
                    byte_count(moved["read_bytes"]),
                    byte_count(moved["write_bytes"]),
                    count(moved["read_ops"]),
                    count(moved["write_ops"]),
                    count(moved["open_ops"]),
                ]
            )
        gpu_columns: list[tuple[str, html.Align]] = [
            ("GPU", "left"),
            ("to it", "right"),
            ("back", "right"),
            ("other GPUs", "right"),
            ("launches", "right"),
            ("computing", "right"),
        ]
        gpu_rows = [
            [
                html.name(f"{gpu.host} · {gpu.gpu or 'unknown'}"),
                byte_count(gpu.to_bytes),
                byte_count(gpu.back_bytes),
                byte_count(gpu.peer_bytes),
                count(gpu.launches),
                percent(gpu.busy_share) if gpu.busy_share is not None else "-",
            ]
            for gpu in self.gpus[:_MOST]
        ]
        return html.box(
            html.head(self.job, f"{self._size()}: {programs}"),
            html.text(facts),
            html.table(shares, share_rows) if share_rows else "",
            html.table(columns, rows) if rows else "",
            html.table(gpu_columns, gpu_rows) if gpu_rows else "",
        )


def as_given(kind: type[Result], value: Any) -> Result:
    """Return a result as another class with the same fields."""
    return kind(**{field.name: getattr(value, field.name) for field in fields(kind)})


def with_estimate(who: interference_model.JobInterference, estimate: Estimate) -> Interference:
    """Return the interference of a job with the estimate that belongs to it."""
    found = as_given(Interference, who)
    object.__setattr__(found, "_estimate", estimate)
    return found


def _lost_title(estimate: Estimate) -> str:
    first = head(estimate)
    what = f": {first.what}" if first.what else ""
    lost = f"lost {percent_within(estimate.percent)} of its time{what}"
    doubt = f"; {first.undecided}" if first.undecided else ""
    return f"{html.light(first.light)} &ensp;{html.head(estimate.job, lost + doubt)}"


def _figures(estimate: Estimate) -> str:
    first = head(estimate)
    return (
        html.text(
            f"{seconds_within(first.lost_s)} of {seconds(first.run_s)}; "
            f"{percent(estimate.coverage)} of it covered"
        )
        + f"<br>{html.text(first.advice)}"
    )


def _causes(causes: list[CauseRow]) -> str:
    if not causes:
        return ""
    columns: list[tuple[str, html.Align]] = [
        ("cause", "left"),
        ("where", "left"),
        ("lost", "right"),
        ("of the run", "right"),
        ("", "left"),
        ("how", "left"),
    ]
    return html.table(
        columns,
        (
            [
                html.text(cause.what),
                html.name(cause.place),
                html.text(seconds_within(cause.seconds)),
                percent(cause.share),
                html.bar(cause.share),
                html.text(cause.how),
            ]
            for cause in causes[:_MOST]
        ),
    )


def _suspects(split: Attribution, mounts: dict[str, str]) -> str:
    if not split.suspects:
        return ""
    columns: list[tuple[str, html.Align]] = [
        ("suspect", "left"),
        ("user", "left"),
        ("on", "left"),
        ("cost", "right"),
        ("of the loss", "right"),
        ("", "left"),
        ("what it did", "left"),
    ]
    rows = [
        [
            html.name(named.job),
            html.text("-" if named.user is None or named.job == OTHERS else owner_name(named.user)),
            html.name(", ".join(mounts.get(name, name) for name in named.resources)),
            html.text(seconds_within(named.seconds)),
            percent(named.share),
            html.bar(named.share),
            html.text(named.pattern),
        ]
        for named in split.suspects[:_MOST]
    ]
    if split.leaves_some:
        rows.append(
            [
                html.text(UNEXPLAINED),
                "",
                "",
                html.text(seconds_within(split.unexplained_s)),
                percent(split.unexplained_share),
                html.bar(split.unexplained_share, html.NOTHING),
                "",
            ]
        )
    return html.table(columns, rows)


def _strip(estimate: Estimate) -> str:
    """Draw how much time the run lost over its length; a full column means that all was lost."""
    if not estimate.hits or estimate.end_ns <= estimate.start_ns:
        return ""
    borders = np.linspace(0, estimate.end_ns - estimate.start_ns, _COLUMNS + 1)
    lost = np.sum(list(lost_over_time(estimate, borders).values()), axis=0)
    column_s = float(borders[1]) / 1e9
    column = duration(column_s * 1e9)
    label = f"lost over time; one column = {column}; a full column was lost completely"
    chart = html.spark(lost, label, html.OTHERS, top=column_s)
    return f"{chart} {html.note(label)}"
