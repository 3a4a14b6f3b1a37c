"""Reads from the logs of an experiment's jobs when the measured job (probe) and others worked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jostle_lab.signals import SignalLog


@dataclass(frozen=True)
class Work:
    """The times and operations of a probe, and the times at which other jobs were active.

    Attributes:
        begin_ns, end_ns: First and last operation of the probe.
        active: Slices in which the probe worked, and its operations there.
        bursts: Begin and end in ns of each burst of another job, by its name.
        rounds: Begin and end in ns of each span in which the probe worked.
    """

    begin_ns: int
    end_ns: int
    active: list[list[int]]
    bursts: dict[str, list[list[int]]]
    rounds: list[list[int]] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Run time of the probe, in seconds."""
        return (self.end_ns - self.begin_ns) / 1e9

    def work(self) -> dict[int, int]:
        """Return the operations of the slices in which the probe worked throughout.

        Slices in which it begins or pauses, and the slices next to them, are left out: it is not
        known for how much of them it worked.
        """
        done = {pair[0]: pair[1] for pair in self.active}
        return {
            number: operations
            for number, operations in done.items()
            if number - 1 in done and number + 1 in done
        }


def work_of(log: SignalLog, job: str, others: Mapping[str, str]) -> Work | None:
    """Read the activity of a job and of others.

    Args:
        log: Log of all these jobs.
        job: The probe's job.
        others: Job of each other signal, by name.

    Returns:
        The activity, or None if the job did not run to its end.
    """
    own = [row for row in log.processes.to_pylist() if row["job"] == job]
    if not own or not any(row["complete"] for row in own):
        return None
    spans: dict[str, list[list[int]]] = {}
    for row in log.bursts.to_pylist():
        spans.setdefault(row["job"], []).append([row["begin_ns"], row["end_ns"]])
    mine = merged(spans.get(job, []))
    if not mine:
        return None
    active: dict[int, int] = {}
    for row in log.slices.to_pylist():
        if row["job"] == job:
            active[row["slice"]] = active.get(row["slice"], 0) + row["operations"]
    bursts = {name: merged(spans.get(other, [])) for name, other in others.items()}
    return Work(
        mine[0][0], mine[-1][1], [list(pair) for pair in sorted(active.items())], bursts, mine
    )


def merged(spans: list[list[int]]) -> list[list[int]]:
    """Join spans of time that overlap, such as the bursts of several ranks of a job."""
    found: list[list[int]] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([begin, end])
    return found


def plain_work(plain: Mapping[str, Any]) -> Work:
    """Read an activity from the output of `dataclasses.asdict`."""
    return Work(**{name: plain[name] for name in Work.__dataclass_fields__})
