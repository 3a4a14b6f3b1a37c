"""Finds which resources and whose load cost a job how many seconds (design: identification)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from jostle.analysis.identification.caveats import clock_slices, limits
from jostle.analysis.identification.model import (
    OTHERS,
    GuiltySlice,
    Interference,
    ResourceLoss,
    Suspect,
)
from jostle.analysis.identification.pattern import pattern
from jostle.analysis.identification.resource_tests import (
    ResourceTest,
    accuse,
    blind,
    delayed,
    judge,
    why_not,
)
from jostle.analysis.identification.resources import Floats, shared_resources
from jostle.analysis.identification.seconds_lost import LEAST_SHARE, Price, price
from jostle.analysis.identification.service_time import ServiceTimes
from jostle.analysis.interval import Interval
from jostle.repository.query.co_running import Beside, hide

_NS = 1e9
#: Part of the run: for a smaller loss no suspect is named, whatever the tests say.
_LEAST = 0.01


@dataclass
class _Verdict:
    """An evaluated resource with the loss on it, if there is evidence.

    Attributes:
        one: The test result; price: the loss that the suspects caused; None without suspects.
        together: Suspects dropped because another job explains the loss better -> that job.
    """

    one: ResourceTest
    price: Price | None
    together: dict[str, str]


def identify(
    beside: Beside, *, seed: int = 0, as_user: int | Collection[int] | None = None
) -> Interference:
    """Find which jobs slowed a job, on which shared resource, by how much and when.

    Service time per operation (by kind and size) is set against the load of every other job on the
    same resource, over the slices in which the job was active there: partial rank correlation, a
    circular-shift permutation test with a search over lags, control of the false-discovery rate
    over resources and suspects, shares by non-negative regression, intervals by a block bootstrap.

    Args:
        beside: From Repository.beside.
        seed: Of the bootstrap.
        as_user: Uid of the viewer, or all uids whose jobs he may see: of other users' jobs only the
            sum is used and reported.

    Returns:
        The interference; without evidence the loss lies between 0 and the smallest that could have
        been detected.
    """
    found = beside
    if as_user is not None:
        found = hide(beside, (as_user,) if isinstance(as_user, int) else as_user, OTHERS)
    judged = [judge(resource, clock_slices(found)) for resource in shared_resources(found)]
    accuse(judged)
    run_s = max(found.job.last_ns - found.job.start_ns, 0) / _NS
    for resource_test in judged:
        # A loss below the reporting limit is never attributed, so it counts as undetectable.
        resource_test.smallest_s = min(max(resource_test.smallest_s, _LEAST * run_s), run_s)
    verdicts = [
        _verdict(resource_test, run_s, np.random.default_rng([seed, k]))
        for k, resource_test in enumerate(judged)
    ]
    seconds, guilty = _together(verdicts, run_s)
    suspects = _suspects(found, verdicts)
    part = 100 / run_s if run_s else 0.0
    resources = [_resource(verdict) for verdict in verdicts]
    unseen = [resource_loss.smallest_s for resource_loss in resources]
    return Interference(
        job=found.job.job,
        start_ns=found.job.start_ns,
        run_s=run_s,
        seconds=seconds,
        percent=Interval(seconds.value * part, seconds.low * part, seconds.high * part),
        resources=sorted(resources, key=lambda r: (-r.seconds.value, -r.own_s, r.resource)),
        suspects=suspects,
        acquitted=_acquitted(verdicts, {suspect.job for suspect in suspects}),
        guilty=guilty,
        neighbours=len({job for resource_test in judged for job in resource_test.resource.loads}),
        smallest_s=max(unseen, default=0.0),
        limits=limits(found, judged, [verdict.price for verdict in verdicts], run_s),
        seed=seed,
    )


def _verdict(resource_test: ResourceTest, run_s: float, rng: np.random.Generator) -> _Verdict:
    """Compute the suspects' loss; drop suspects that merely ran while another one did harm."""
    names = sorted(resource_test.suspects)
    together: dict[str, str] = {}
    result: Price | None = None
    while names:
        loads = {
            name: delayed(resource_test.resource.loads[name], resource_test.tests[name].lag)
            for name in names
        }
        result = price(resource_test.resource, loads, resource_test.lag, rng)
        part = {name: result.shares[name].value for name in names}
        worst = max(names, key=lambda name: part[name])
        weak = {name: part[name] for name in names if name != worst and (
            part[name] < LEAST_SHARE or result.shares[name].low <= 0)}  # fmt: skip
        if not weak:
            break
        drop = min(weak, key=lambda name: weak[name])
        together[drop] = worst
        names.remove(drop)
    if result is not None and not _visible(result, run_s):
        result = None
    resource_test.suspects = {
        name: resource_test.suspects[name] for name in names if result is not None
    }
    return _Verdict(resource_test, result, together)


def _visible(cost: Price, run_s: float) -> bool:
    """Return whether the loss is certainly above 0 and large enough to be reported."""
    return cost.evident.low > 0 and cost.evident.value >= _LEAST * run_s


def _together(verdicts: Sequence[_Verdict], run_s: float) -> tuple[Interval, list[GuiltySlice]]:
    """Sum the losses on all resources so that no instant counts twice.

    A process is in one call at a time: losses in calls on several mounts and in MPI add, up to the
    slice. Waiting for a core may lie inside these calls as well: of a node only the part of the
    work and of the wait counts that finds room outside them, and of several nodes the one that
    lost most. All together is no less than the largest part.
    """
    priced = [(verdict, verdict.price) for verdict in verdicts if verdict.price is not None]
    if not priced:
        return _unseen(max((verdict.one.smallest_s for verdict in verdicts), default=0.0)), []
    _, length, steps = priced[0][0].one.resource.axis
    calls, cores, busy, work = np.zeros((4, steps))
    for verdict in verdicts:
        if verdict.one.resource.kind != "node":
            busy += verdict.one.resource.busy
    for verdict, cost in priced:
        if verdict.one.resource.kind == "node":
            work = np.where(np.abs(cost.lost) > np.abs(cores), verdict.one.resource.busy, work)
            cores = _greater(cores, cost.lost)
        else:
            calls = calls + cost.lost
    slice_s = length / _NS
    outside = np.clip((slice_s - busy) / np.maximum(work, 1e-12), 0, 1)
    whole = float(np.minimum(calls + cores * outside, slice_s).sum())
    value = max(whole, *(cost.seconds.value for _, cost in priced), 0.0)
    alone = sum(cost.seconds.value for _, cost in priced)
    scale = value / alone if alone > 0 else 0.0
    down = sum((cost.seconds.value - cost.seconds.low) ** 2 for _, cost in priced) ** 0.5
    # Resources without evidence may still have caused a loss too small to be detected.
    small = [verdict.one.smallest_s for verdict in verdicts
             if verdict.price is None and verdict.one.total.critical < 1]  # fmt: skip
    above = [cost.seconds.high - cost.seconds.value for _, cost in priced]
    up = sum(part**2 for part in [*above, *small]) ** 0.5
    low = max(value - down * scale, *(cost.seconds.low for _, cost in priced), 0.0)
    high = max(value + up * scale, *(cost.seconds.high for _, cost in priced))
    low, high = min(low, value), min(high, max(run_s, value))
    return Interval(value, low, high), _guilty(priced)


def _unseen(smallest_s: float) -> Interval:
    """Return the loss without evidence: between 0 and the smallest detectable loss."""
    return Interval(0.0, 0.0, smallest_s)


def _greater(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.where(np.abs(a) >= np.abs(b), a, b))


def _guilty(priced: Sequence[tuple[_Verdict, Price]]) -> list[GuiltySlice]:
    guilty_slices: dict[int, GuiltySlice] = {}
    for verdict, cost in priced:
        resource = verdict.one.resource
        loads = {
            name: delayed(resource.loads[name], verdict.one.tests[name].lag) * _weight(cost, name)
            for name in verdict.one.suspects
        }
        for k in np.flatnonzero(cost.guilty).tolist():
            seconds = max(float(cost.lost[k]), 0.0)
            if k in guilty_slices and guilty_slices[k].seconds >= seconds:
                continue
            worst = max(loads, key=lambda name: (loads[name][k], name))
            guilty_slices[k] = GuiltySlice(
                resource.axis[0] + k * resource.axis[1],
                resource.axis[1],
                resource.name,
                seconds,
                worst,
            )
    return [guilty_slices[k] for k in sorted(guilty_slices)]


def _weight(cost: Price, name: str) -> float:
    return max(cost.shares[name].value, 1e-9)


def _suspects(beside: Beside, verdicts: Sequence[_Verdict]) -> list[Suspect]:
    listed = []
    for verdict in verdicts:
        resource_test, cost = verdict.one, verdict.price
        if cost is None:
            continue
        for name, q in resource_test.suspects.items():
            fact, test, share = beside.others[name], resource_test.tests[name], cost.shares[name]
            low, high = cost.seconds.low * share.low, cost.seconds.high * share.high
            value = cost.seconds.value * share.value
            load = delayed(resource_test.resource.loads[name], test.lag)
            listed.append(Suspect(
                job=name,
                program=fact.program,
                user=fact.user,
                resource=resource_test.resource.name,
                share=share.value,
                seconds=Interval(value, min(low, value), max(high, value)),
                slices=int((resource_test.served.judged & (load > 0)).sum()),
                correlation=test.correlation,
                p=test.p,
                q=q,
                lag_s=test.lag * resource_test.resource.axis[1] / _NS,
                pattern="" if name == OTHERS else pattern(beside, name, resource_test.resource),
            ))  # fmt: skip
    return sorted(listed, key=lambda suspect: (-suspect.seconds.value, suspect.job))


def _resource(verdict: _Verdict) -> ResourceLoss:
    resource_test, cost = verdict.one, verdict.price
    resource = resource_test.resource
    served: ServiceTimes = cost.service if cost else resource_test.served
    service = np.full(resource.axis[2], np.nan)
    service[served.judged] = np.exp(served.slow[served.judged])
    return ResourceLoss(
        resource=resource.name,
        kind=resource.kind,
        seconds=cost.seconds if cost else _unseen(resource_test.smallest_s),
        slices=resource_test.slices,
        own_s=resource_test.own_s,
        slowdown=cost.slowdown if cost else None,
        evident=cost is not None,
        smallest_s=resource_test.smallest_s,
        why_not="" if cost else why_not(resource_test),
        steps_ns=[resource.axis[0] + k * resource.axis[1] for k in range(resource.axis[2])],
        slice_ns=resource.axis[1],
        service=service.tolist(),
        own_load=resource.own_load.tolist(),
        others_load=resource.others.tolist(),
        unit=resource.unit,
        blind="" if cost else blind(resource_test),
    )


def _acquitted(verdicts: Sequence[_Verdict], guilty: set[str]) -> dict[str, str]:
    """Return for every job without detectable harm the reason why it is no suspect.

    Of several resources, the reason comes from the one on which the job spent most time.
    """
    reasons: dict[str, str] = {}
    for verdict in sorted(verdicts, key=lambda one: -one.one.own_s):
        resource_test = verdict.one
        for job in resource_test.resource.loads:
            if job not in guilty:
                reasons.setdefault(job, _reason(verdict, job))
    return dict(sorted(reasons.items()))


def _reason(verdict: _Verdict, job: str) -> str:
    resource_test = verdict.one
    where = resource_test.resource.name
    if job in resource_test.little:
        return f"Its load was only {resource_test.little[job]:.1%} of all load on {where}."
    if job in verdict.together:
        return (
            f"It was active on {where} together with {verdict.together[job]}, whose load explains "
            "the slow slices better."
        )
    test = resource_test.tests[job]
    if test.alike:
        return (
            f"Its load on {where} never changed, or changed with the job's own phases: "
            "this job's slices do not show its effect."
        )
    if test.smallest >= 1:
        return f"Too few slices on {where} to tell."
    if test.correlation > 0 and test.p <= 0.05:
        return (
            f"The service time on {where} follows its load (p = {test.p:.2g}), but not more "
            "than chance makes likely among all that were tested, or at no visible loss."
        )
    return (
        f"Its load on {where} and the job's service time do not move together (p = {test.p:.2g})."
    )
