"""Sums of jobs' losses over a whole system, by user, program, resource and week."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from jostle.analysis.estimation.light import LEAST_RUN_S

Row = dict[str, Any]
#: Most groups of a table; all others are one further group.
_MOST = 50
#: The name of the group of all others in a table.
REST = "all others"


@dataclass
class LossGroup:
    """The loss of the jobs of one user, program, resource or week.

    Attributes:
        name: Name of the group.
        jobs: Names of the jobs in the group.
        run_s: Run time of these jobs, in seconds.
        lost_s: Sum of the most likely losses of these jobs, in seconds.
        core_hours: Core hours that processes of these jobs spent in lost time.
        worst: The job that lost most.
        worst_s: Loss of that job, in seconds.
    """

    name: str
    jobs: set[str] = field(default_factory=set)
    run_s: float = 0.0
    lost_s: float = 0.0
    core_hours: float = 0.0
    worst: str = ""
    worst_s: float = 0.0

    def add(self, job: str, part: LossPart) -> None:
        """Add the loss of a job to the sums of the group."""
        self.jobs.add(job)
        self.run_s += part.run_s
        self.lost_s += part.lost_s
        self.core_hours += part.core_hours
        if part.lost_s > self.worst_s:
            self.worst, self.worst_s = job, part.lost_s

    def to_row(self) -> Row:
        """Return the group as JSON-compatible values; `jobs` is the number of jobs."""
        return {**vars(self), "jobs": len(self.jobs)}


@dataclass(frozen=True)
class LossPart:
    """A loss of a job, or a part of it; times in s."""

    run_s: float
    lost_s: float
    core_hours: float


def losses(rows: Sequence[Row], from_ns: int, to_ns: int) -> dict[str, Any]:
    """Add up the losses of jobs.

    Args:
        rows: Rows of the list of jobs that the viewer may see, each with its verdict.
        from_ns: Start of the span; only jobs that began in the span are counted, ns since the
            epoch.
        to_ns: End of the span, ns since the epoch.

    Returns:
        jobs: Number of jobs in the span.
        waiting: Number of these jobs that have no verdict yet.
        total: Group of all jobs.
        users, programs, resources: Lists of groups, the group that lost most first.
        weeks: List of groups in order of time.

        Jobs that are too short for a traffic light are in no group, since a loss of theirs may be
        chance.
    """
    within = [row for row in rows if from_ns <= row["start_ns"] < to_ns]
    assessed = [row for row in within if row["verdict"]]
    known = [row for row in assessed if row["verdict"]["run_s"] >= LEAST_RUN_S]
    total = LossGroup("all")
    for row in known:
        total.add(row["job"], _whole(row))
    return {
        "jobs": len(within),
        "waiting": len(within) - len(assessed),
        "total": total.to_row(),
        "users": _largest(_grouped(known, lambda row: [(row["user"] or "several", _whole(row))])),
        "programs": _largest(_grouped(known, lambda row: [(str(row["program"]), _whole(row))])),
        "resources": _largest(_grouped(known, _by_resource)),
        "weeks": [
            group.to_row()
            for group in sorted(
                _grouped(known, lambda row: [(_week(row["start_ns"]), _whole(row))]),
                key=lambda group: group.name,
            )
        ],
    }


def _whole(row: Row) -> LossPart:
    verdict = row["verdict"]
    return LossPart(verdict["run_s"], verdict["lost_s"], verdict["core_hours"])


def _by_resource(row: Row) -> Iterator[tuple[str, LossPart]]:
    """Yield each resource of a job, by name (`file system /scratch`), with the loss on it.

    Several causes of a loss on one resource are summed.
    """
    verdict = row["verdict"]
    lost: dict[str, float] = {}
    for cause in verdict["causes"]:
        name = f"{cause['what']} {cause['place']}".strip()
        lost[name] = lost.get(name, 0.0) + cause["lost_s"]
    for name, seconds in lost.items():
        share = seconds / verdict["lost_s"] if verdict["lost_s"] > 0 else 0.0
        yield name, LossPart(verdict["run_s"], seconds, share * verdict["core_hours"])


def _grouped(
    rows: Iterable[Row], parts: Callable[[Row], Iterable[tuple[str, LossPart]]]
) -> list[LossGroup]:
    groups: dict[str, LossGroup] = {}
    for row in rows:
        for name, part in parts(row):
            groups.setdefault(name, LossGroup(name)).add(row["job"], part)
    return list(groups.values())


def _largest(groups: list[LossGroup]) -> list[dict[str, Any]]:
    """Return the groups with the largest losses, and all other groups as one."""
    groups.sort(key=lambda group: (-group.lost_s, group.name))
    kept, others = groups[:_MOST], groups[_MOST:]
    if others:
        rest = LossGroup(REST)
        for group in others:
            rest.jobs |= group.jobs
            rest.run_s += group.run_s
            rest.lost_s += group.lost_s
            rest.core_hours += group.core_hours
        kept.append(rest)
    return [group.to_row() for group in kept]


def _week(start_ns: int) -> str:
    """Return the Monday of the week (UTC) in which a job began: `2026-11-23`."""
    day = datetime.datetime.fromtimestamp(start_ns // 10**9, datetime.UTC).date()
    return (day - datetime.timedelta(days=day.weekday())).isoformat()
