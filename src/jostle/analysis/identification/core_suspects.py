"""Names those who used a job's cores while it waited for them, as suspects by accounting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from jostle.analysis.identification.core_account import Accounted
from jostle.analysis.identification.model import (
    OTHERS,
    AccountPart,
    DisturbedSlice,
    ResourceLoss,
    Suspect,
)
from jostle.analysis.identification.statistics.evaluation import Evaluation
from jostle.analysis.identification.statistics.resource_tests import blind
from jostle.analysis.interval import Interval
from jostle.repository.query.resources.co_running import CoRunning, JobFacts
from jostle.values.arrow_columns import ints

_NS = 1e9
#: Part of what others took: who had less is no suspect, and that part stays unexplained.
LEAST_PART = 0.01
#: Part of a slice: a slice in which less was lost does not count as one with a loss.
_LEAST_OF_SLICE = 0.02


@dataclass(frozen=True)
class CoreLosses:
    """The time that a job lost by waiting for cores, by accounting.

    Attributes:
        losses: The loss on each node.
        suspects: The other users of the cores while the job waited.
        disturbed: The slices in which time was lost.
        seconds: Run time lost; in each slice, that on the node with the largest loss.
    """

    losses: list[ResourceLoss]
    suspects: list[Suspect]
    disturbed: list[DisturbedSlice]
    seconds: Interval


def core_losses(
    alongside: CoRunning,
    accounts: Sequence[Accounted],
    evaluations: Sequence[Evaluation],
    least_s: float,
) -> CoreLosses:
    """Compute what a job lost by waiting for cores, and name those who used the cores meanwhile.

    Args:
        alongside: The job and its neighbours.
        accounts: The job's waiting for cores on each node, divided among the cores' users.
        evaluations: Tests of all resources. Where a node was tested as well, the suspects carry
            what the test found.
        least_s: Smallest loss on a node for which suspects are named, in seconds.
    """
    tests = {
        each.test.resource.name: each for each in evaluations if each.test.resource.kind == "node"
    }
    losses, suspects, worst = [], list[Suspect](), list[Accounted]()
    for each in accounts:
        found = _suspects(alongside, each, tests.get(each.account.host))
        evident = bool(found) and each.lost.sum() / _NS >= least_s
        losses.append(_loss(each, least_s, evident=evident))
        if evident:
            suspects += found
            worst.append(each)
    whole = float(np.max([each.lost for each in worst], axis=0).sum()) / _NS if worst else 0.0
    # How long the job waited is measured: only who caused which part of it is uncertain.
    return CoreLosses(losses, suspects, _disturbed(worst), Interval(whole, whole, whole))


def _suspects(alongside: CoRunning, each: Accounted, test: Evaluation | None) -> list[Suspect]:
    """Return those who used the cores of a node while the job waited, as suspects.

    The one who caused most of the waiting is first.
    """
    account = each.account
    taken = each.others_waiting / _NS
    per_waiting = np.divide(each.lost / _NS, taken, out=np.zeros(len(taken)), where=taken > 0)
    whole, found = float(taken.sum()), []
    for part in account.parts:
        value = part.seconds.value
        if part.kind not in ("job", "unprofiled") or value <= 0 or value < LEAST_PART * whole:
            continue
        waiting = np.array(account.series[part.name])
        value = float((waiting * per_waiting).sum())
        scale = value / part.seconds.value
        tested = test.test.tests.get(part.name) if test else None
        fact = alongside.others.get(part.name, JobFacts(job=part.name))
        found.append(
            Suspect(
                job=part.name,
                program=fact.program,
                user=fact.user,
                resource=account.host,
                share=part.seconds.value / whole,
                seconds=Interval(
                    value,
                    scale * part.seconds.low,
                    min(scale * part.seconds.high, float(each.lost.sum()) / _NS),
                ),
                slices=int((waiting > 0).sum()),
                correlation=tested.correlation if tested else 0.0,
                p=tested.p if tested else 1.0,
                q=test.test.suspects.get(part.name, 1.0) if test else 1.0,
                lag_s=0.0,
                pattern="" if part.name == OTHERS else _pattern(alongside, part, account.host),
                kind="job" if part.kind == "job" else "unprofiled",
                how="account",
                agreement=_agreement(test, part.name),
            )
        )
    return found


def _pattern(alongside: CoRunning, part: AccountPart, host: str) -> str:
    """Return as text how many cores a suspect kept busy while the job ran; "" if not counted."""
    rows = alongside.core_use.users
    rows = rows.filter(pc.and_(pc.equal(rows["host"], host), pc.equal(rows["job"], part.name)))
    if not rows.num_rows:
        return ""
    start, length = ints(rows, "start_ns"), ints(rows, "length_ns")
    lived = min(int((start + length).max()), alongside.job.last_ns) - int(start.min())
    return f"{ints(rows, 'cpu_ns').sum() / max(lived, 1):.1f} cores busy"


def _agreement(test: Evaluation | None, job: str) -> str:
    """Return what the statistical test found about a suspect's load, as part of a sentence."""
    if test is None or job not in test.test.tests:
        return ""
    found = test.test.tests[job]
    if job in test.test.suspects:
        return f"the test of its load agrees (p = {found.p:.2g})"
    if blind(test.test) or found.alike:
        return "the test of its load is undecided"
    return f"the test of its load does not show it (p = {found.p:.2g})"


def _loss(each: Accounted, least_s: float, *, evident: bool) -> ResourceLoss:
    account = each.account
    seconds = float(each.lost.sum()) / _NS
    left = (each.wanted - each.others_waiting).clip(1)
    service = np.where(each.wanted > 0, each.wanted / left, np.nan)
    certain = Interval(seconds, seconds, seconds)
    mean = each.wanted.sum() / left[each.wanted > 0].sum() if each.wanted.any() else 1.0
    return ResourceLoss(
        resource=account.host,
        kind="node",
        seconds=certain if evident else Interval(0.0, 0.0, min(seconds, least_s)),
        slices=int((each.wanted > 0).sum()),
        own_s=float(each.busy.sum()) / _NS,
        slowdown=float(mean) if evident else None,
        evident=evident,
        smallest_s=least_s,
        why_not=""
        if evident
        else f"Others had its cores for {seconds:.2g} s of the time for which the job wanted them.",
        steps_ns=account.steps_ns,
        slice_ns=account.slice_ns,
        service=service.tolist(),
        own_load=each.own.tolist(),
        others_load=each.others.tolist(),
        unit="ns",
        calls_of=account.host,
        lost=(each.lost / _NS).tolist() if evident else [],
        how="account",
    )


def _disturbed(accounts: Sequence[Accounted]) -> list[DisturbedSlice]:
    """Return the slices in which time was lost, each with the user who caused most waiting."""
    found: dict[int, DisturbedSlice] = {}
    for each in accounts:
        account = each.account
        names = [part.name for part in account.parts if part.kind in ("job", "unprofiled")]
        series = np.array([account.series[name] for name in names])
        for k in np.flatnonzero(each.lost > _LEAST_OF_SLICE * account.slice_ns).tolist():
            seconds = float(each.lost[k]) / _NS
            if k in found and found[k].seconds >= seconds:
                continue
            found[k] = DisturbedSlice(
                account.steps_ns[k],
                account.slice_ns,
                account.host,
                seconds,
                names[int(series[:, k].argmax())],
            )
    return [found[k] for k in sorted(found)]


def with_worse(a: Sequence[DisturbedSlice], b: Sequence[DisturbedSlice]) -> list[DisturbedSlice]:
    """Merge two lists of slices with a loss; where both have a slice, the larger loss is kept."""
    by_start: dict[int, DisturbedSlice] = {}
    for each in (*a, *b):
        known = by_start.get(each.start_ns)
        if known is None or known.seconds < each.seconds:
            by_start[each.start_ns] = each
    return [by_start[start] for start in sorted(by_start)]


def joined(tested: Interval, accounted: Interval, run_s: float) -> Interval:
    """Add the losses that were found by tests and by accounting.

    They can be added, since a process either waits for a core or is in a call. If the tests found
    no evidence, the loss that they may have missed is part of the upper end.

    Args:
        tested: Loss found by tests, in seconds.
        accounted: Loss by waiting for cores, in seconds.
        run_s: Length of the run, in seconds.
    """
    if accounted.value <= 0:
        return tested
    value = min(tested.value + accounted.value, run_s)
    return Interval(
        value,
        min(tested.low + accounted.low, value),
        max(min(tested.high + accounted.high, run_s), value),
    )
