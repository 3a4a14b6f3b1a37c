"""Divides a loss among suspects and a remainder that no profiled job explains.

A suspect is found by statistical test (its load correlates with the job's service time), or by
account (the kernel measured who used the cores while the job waited for them).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.analysis.identification.model import HowFound, SuspectKind
from jostle.analysis.interval import Interval
from jostle.values.plain_values import plain

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Hit
    from jostle.analysis.identification.model import JobInterference, Suspect

#: Text for the remainder: due to a neighbour without a profile, or without evidence against it.
UNEXPLAINED = "explained by no profiled job"
#: Least share of the loss that is reported: the intervals of losses are wider.
WORTH_A_WORD = 0.05
#: Least part of a slice's length that must be lost to others for it to count as a slice with
#: interference.
_LEAST_OF_SLICE = 0.035


@dataclass(frozen=True)
class AttributedSuspect:
    """The part of a loss that one suspect caused.

    Attributes:
        job: Name of the suspect.
        user: Uid of the suspect's owner; None if it is not shown.
        program: Program of the suspect; "" if it is not shown.
        resources: Resources on which the suspect caused losses, the costliest first.
        seconds: Run time that the suspect cost the job, in seconds.
        share: Part of the whole loss, 0 to 1.
        slices: Number of slices in which both were active on a resource; of several resources, the
            largest number.
        correlation: Correlation of the suspect's load on the first resource with the job's service
            time.
        pattern: Access pattern of the suspect on the first resource, for users.
        kind: Kind of suspect: a job, load without a profile, or a slow server.
        how: Method by which the suspect was found, in words (see `found_by`).
        agreement: For a suspect by account, result of the statistical test of its load on the first
            resource, part of a sentence; "" where no test was possible.
        tested: Whether the statistical test had a result; if not, `correlation` has no meaning.
    """

    job: str
    user: int | None
    program: str
    resources: list[str]
    seconds: Interval
    share: float
    slices: int
    correlation: float
    pattern: str
    kind: SuspectKind = "job"
    how: str = "by statistical test"
    agreement: str = ""
    tested: bool = True


def found_by(how: Iterable[HowFound]) -> str:
    """Return the methods by which a suspect was found, in words: `by CPU time used`."""
    words = {"account": "by CPU time used", "test": "by statistical test"}
    return " and ".join(words[each] for each in sorted(set(how)))


def to_whom(kinds: Collection[SuspectKind]) -> str:
    """Return the kinds of suspects that caused a loss, as a part of a sentence."""
    return {
        frozenset({"job"}): "to jobs that were profiled",
        frozenset({"unprofiled"}): "to load without a profile",
        frozenset({"server"}): "to a slow server, not to a neighbour",
    }.get(frozenset(kinds), "to others")


def suspect_name(job: str, kind: SuspectKind) -> str:
    """Return the name of a suspect for users: a job, or for example `slow server s3 (disk sdb)`."""
    return f"slow {job}" if kind == "server" else job


@dataclass(frozen=True)
class Attribution:
    """A loss divided among suspects: their shares and the unexplained one add up to 1.

    Attributes:
        lost_s: The loss, in seconds.
        suspects: Suspects that caused a part of it, the greatest first.
        explained_s: Loss that all suspects together caused, in seconds.
        unexplained_s: Loss that no suspect explains, in seconds.
        unexplained_share: Unexplained part of the loss, 0 to 1; 0 without a loss.
        lost_slices: Number of slices in which time was lost, whatever the cause.
        suspect_slices: Number of these slices in which a suspect slowed the job.
    """

    lost_s: Interval
    suspects: list[AttributedSuspect]
    explained_s: Interval
    unexplained_s: Interval
    unexplained_share: float
    lost_slices: int
    suspect_slices: int

    @property
    def leaves_some(self) -> bool:
        """Return whether the unexplained part is large enough to report."""
        return self.unexplained_share >= WORTH_A_WORD

    def to_json(self) -> dict[str, Any]:
        """Return the parts as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


def attribute(
    lost: Interval, interference: JobInterference | None, hits: Sequence[Hit] = ()
) -> Attribution:
    """Split a loss among the suspects.

    Suspects explain at most the whole loss. If the job lost the same instants on several resources,
    or if the neighbours' load explains more than was lost, the parts of suspects are reduced in
    proportion: first those of suspects found by statistical test, then those found by account.

    Args:
        lost: The loss, from `verdict.head` or from the identification.
        interference: Losses and suspects on each resource; None if no suspects were identified.
        hits: Spans of lost time from the estimate of the run itself.
    """
    found = interference.suspects if interference else []
    named = {
        how: sum(suspect.seconds.value for suspect in found if suspect.how == how)
        for how in ("account", "test")
    }
    by_account = min(named["account"], lost.value)
    by_test = min(
        _by_suspects(interference, named["test"]) if interference else 0.0, lost.value - by_account
    )
    explained = by_account + by_test
    scale = {
        how: seconds / named[how] if named[how] > 0 else 0.0
        for how, seconds in (("account", by_account), ("test", by_test))
    }
    suspects = _suspects(found, scale, lost)
    down, up = _widths(interference, by_test)
    rest = max(lost.value - explained, 0.0)
    lost_slices, suspect_slices = _slices(interference, hits)
    return Attribution(
        lost_s=lost,
        suspects=suspects,
        explained_s=Interval(
            explained, max(explained - down, 0.0), max(min(explained + up, lost.high), explained)
        ),
        unexplained_s=Interval(
            rest,
            max(rest - math.hypot(lost.value - lost.low, up), 0.0),
            max(min(rest + math.hypot(lost.high - lost.value, down), lost.high), rest),
        ),
        unexplained_share=rest / lost.value if lost.value > 0 else 0.0,
        lost_slices=lost_slices,
        suspect_slices=suspect_slices,
    )


def _widths(interference: JobInterference | None, explained: float) -> tuple[float, float]:
    """Return how far the interval of the explained loss extends below and above its value, s.

    Only the loss by suspects that were found by test is uncertain. The loss by suspects that were
    found by account is measured: only its division among them is uncertain.
    """
    tested = _tested_s(interference) if interference else 0.0
    if interference is None or explained <= 0 or tested <= 0:
        return 0.0, 0.0
    whole, part = interference.seconds, explained / tested
    return part * (whole.value - whole.low), part * (whole.high - whole.value)


def _tested_s(interference: JobInterference) -> float:
    """Return the loss by all suspects that were found by test, each instant counted once, s."""
    by_account = sum(
        loss.seconds.value
        for loss in interference.resources
        if loss.evident and loss.how == "account"
    )
    return max(interference.seconds.value - by_account, 0.0)


def _by_suspects(interference: JobInterference, named: float) -> float:
    """Return `named`, the losses by suspects found by test, without what overlaps in time, s."""
    alone = sum(
        resource_loss.seconds.value
        for resource_loss in interference.resources
        if resource_loss.evident and resource_loss.how == "test"
    )
    return named * min(_tested_s(interference) / alone, 1.0) if alone > 0 else named


def _suspects(
    suspects: Sequence[Suspect], scale: Mapping[str, float], lost: Interval
) -> list[AttributedSuspect]:
    """Merge the entries of each suspect on several resources into one."""
    by_job: dict[str, list[Suspect]] = {}
    for suspect in suspects:
        by_job.setdefault(suspect.job, []).append(suspect)
    listed = []
    for job, each in by_job.items():
        each.sort(key=lambda suspect: (-suspect.seconds.value, suspect.resource))
        value, low, high = (
            sum(scale[suspect.how] * getattr(suspect.seconds, end) for suspect in each)
            for end in ("value", "low", "high")
        )
        listed.append(
            AttributedSuspect(
                job=job,
                user=each[0].user,
                program=each[0].program,
                resources=[suspect.resource for suspect in each],
                seconds=Interval(value, low, max(min(high, lost.high), value)),
                share=value / lost.value if lost.value > 0 else 0.0,
                slices=max(suspect.slices for suspect in each),
                correlation=each[0].correlation,
                pattern=each[0].pattern,
                kind=each[0].kind,
                how=found_by(suspect.how for suspect in each),
                agreement=each[0].agreement,
                tested=each[0].tested,
            )
        )
    return sorted(listed, key=lambda each: (-each.seconds.value, each.job))


def _slices(interference: JobInterference | None, hits: Sequence[Hit]) -> tuple[int, int]:
    """Count the slices in which time was lost, and those that suspects slowed."""
    disturbed = interference.disturbed if interference else []
    losses = interference.resources if interference else []
    known = [disturbed_slice.length_ns for disturbed_slice in disturbed] or [
        resource_loss.slice_ns for resource_loss in losses
    ]
    length = max(known, default=0)
    if length <= 0:
        return 0, 0
    slow = {disturbed_slice.start_ns // length for disturbed_slice in disturbed}
    lost: dict[int, float] = {}
    for number, seconds in _laid(hits, length):
        lost[number] = lost.get(number, 0.0) + seconds
    least = _LEAST_OF_SLICE * length / 1e9
    return len(slow | {number for number, part in lost.items() if part >= least}), len(slow)


def _laid(hits: Sequence[Hit], length: int) -> Iterable[tuple[int, float]]:
    """Yield the numbers of the slices that hits overlap, each with its part of the loss, s."""
    for hit in hits:
        whole = max(hit.end_ns - hit.start_ns, 1)
        for number in range(hit.start_ns // length, -(-(hit.start_ns + whole) // length)):
            end = min(hit.start_ns + whole, (number + 1) * length)
            yield number, hit.seconds * (end - max(hit.start_ns, number * length)) / whole
